"""Contracts from Python: a real queue is watched, or driven by Hypothesis, against a specification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine

    from angarium.contracts.module import Specification
    from angarium.contracts.monitor.run import MakeSubject
    from angarium.contracts.monitor.watched import OnBroken


def watch(
    subject: object,
    specification: str = "queue",
    *,
    on_broken: OnBroken | None = None,
    begin: Mapping[str, Any] | None = None,
) -> Any:  # noqa: ANN401 (an object with the operations of the specification)
    """An object to use in place of `subject`, which checks every call against a contract.

    A call that is not allowed raises `WrongCall`, and an answer that is not, `ContractBroken`. If `on_broken`
    is given, it is called with the first of them instead, and nothing is raised. `specification` is a bundled
    system with a contract, or FILE or FILE:CLASS. `begin` is what the abstract state holds already, such as
    `{"contents": messages}`. For one thread at a time.
    """
    from angarium.contracts.monitor import watched

    return watched.watch(subject, _specification(specification), on_broken=on_broken, begin=begin)


def state_machine(make_subject: MakeSubject, specification: str = "queue") -> type[RuleBasedStateMachine]:
    """A Hypothesis state machine that drives what `make_subject()` gives and checks every call.

    In a test file: `TestMyQueue = state_machine(MyQueue).TestCase`.
    """
    from angarium.core.extras import demand

    demand("state_machine")
    from angarium.contracts.monitor import testing

    return testing.state_machine(_specification(specification), make_subject)


def _specification(name: str) -> Specification:
    from angarium.contracts.reading.find import find_specification
    from angarium.systems.registry import contract_file

    return find_specification(contract_file(name))
