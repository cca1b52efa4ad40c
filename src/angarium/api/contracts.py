"""Contracts from Python: an implementation is proved; a real queue is watched, or driven by Hypothesis."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from angarium.core.errors import AddressError
from angarium.core.extras import demand
from angarium.core.result import Replay

if TYPE_CHECKING:
    from hypothesis.stateful import RuleBasedStateMachine

    from angarium.contracts.module import Specification
    from angarium.contracts.monitor.drive import Observer as Driving
    from angarium.contracts.monitor.results import ConformResult
    from angarium.contracts.monitor.sequences import MakeSubject
    from angarium.contracts.monitor.watched import OnBroken
    from angarium.contracts.prove import Observer
    from angarium.contracts.results import ProofResult


def prove(
    subject: str,
    *,
    only: Sequence[str] = (),
    timeout: float | None = None,
    observe: Observer | None = None,
) -> ProofResult:
    """Prove what a subject claims, for sorts of any size.

    `subject` is a bundled system with proofs, or FILE or FILE:CLASS. `only` names obligations, operations or
    conjectures. `observe` is called before an obligation is decided, with its number, how many there are and
    its name. A verdict is `holds` only if there is a proof, and `violated` only with a counterexample.
    """
    demand("prove")
    from angarium.contracts import prove as proving
    from angarium.contracts.results import Source, result_of
    from angarium.systems.registry import proof_files

    begin, files = time.perf_counter(), proof_files(subject)
    proofs = proving.prove(*files, only=only, timeout=timeout, observe=observe)
    return result_of(Source(subject, files), proofs, time.perf_counter() - begin)


def replayed(address: str) -> Replay:
    """The story at an address: its obligation is decided again."""
    from angarium.contracts.results import Source, parse_address
    from angarium.systems.registry import proof_files

    asked = parse_address(address)
    now = Source(asked.subject, proof_files(asked.subject)).hash
    if now != asked.hash:
        raise AddressError(
            "ANG031",
            f"the address is of another version of {asked.subject}",
            possible=f"the address says {asked.hash}, the source is now {now}",
            remedy="prove it again to get the address of its present story",
        )
    result = prove(asked.subject, only=[asked.obligation])
    for each in result.verdicts:
        if each.part == asked.part and each.story:
            return Replay(subject=asked.subject, engine=result.engine, story=each.story)
    raise AddressError(
        "ANG032",
        f"{asked.part} of {asked.subject} has no story of {asked.obligation!r}",
        remedy="copy the address from a story that angarium prove shows",
    )


def conform(
    subject: str,
    specification: str = "queue",
    *,
    examples: int = 100,
    steps: int = 50,
    seed: int = 1,
    timeout: float | None = None,
    observe: Driving | None = None,
) -> ConformResult:
    """Drive a real queue with many sequences of calls, and watch whether it keeps a contract.

    `subject` is a queue that comes with Angarium, or a class as FILE.py:CLASS or MODULE:CLASS: it is run.
    `specification` is a bundled system with a contract, or FILE or FILE:CLASS. Calls prove nothing: a verdict
    is `violated` with the calls that break the rule, and else `unknown`. `observe` is called with how many
    sequences and calls were made.
    """
    demand("conform")
    from angarium.contracts.monitor.drive import drive
    from angarium.contracts.monitor.results import result_of
    from angarium.contracts.monitor.sequences import Plan
    from angarium.contracts.subjects.lookup import find_subject

    contract = _specification(specification)
    found = find_subject(subject, contract)
    with found.opened() as make:
        plan = Plan(examples, steps, seed)
        driven = drive(contract, make, plan, observe=observe, timeout=timeout)
    return result_of(subject, driven, found.description)


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
    demand("state_machine")
    from angarium.contracts.monitor import drive

    return drive.state_machine(_specification(specification), make_subject)


def _specification(name: str) -> Specification:
    from angarium.contracts.reading.subject import find_specification
    from angarium.systems.registry import contract_file

    return find_specification(contract_file(name))
