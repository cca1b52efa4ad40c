"""What a contract says of real objects, rule by rule, and a violation: whose fault, in which call, of which
line.

An operation that may be called answers, with something of the right shape; every `ensure` is true; and so is
every conjecture, behind every call. Each rule is judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from angarium.contracts.module import (
    Branch,
    Collect,
    Conjecture,
    Contract,
    Ensure,
    Put,
    Require,
    Specification,
    Statement,
)
from angarium.contracts.monitor.real_values import Shapes, alternatives, shown, shown_state
from angarium.contracts.terms import FALSE
from angarium.core.errors import AngariumError, Place


class Rule(NamedTuple):
    """Something that the contract of an operation says, or a conjecture."""

    operation: str
    text: str
    place: Place


def rules_of(specification: Specification) -> list[Rule]:
    """Everything that an object must keep to."""
    shapes = Shapes(specification)
    contracts = [(answers(each, shapes), *_ensured(each)) for each in specification.contracts]
    return [*chain.from_iterable(contracts), *map(stays_true, specification.conjectures)]


def answers(contract: Contract, shapes: Shapes) -> Rule:
    """That an operation answers, and in which shape."""
    words = f" {shapes.answer_in_words(contract.results)}" if contract.results else ", and raises nothing"
    return Rule(contract.name, f"answers{words}", contract.place)


def ensures(contract: Contract, clause: Ensure | Require) -> Rule:
    """That a line of the contract is true."""
    return Rule(contract.name, f"ensure {clause.text}", clause.place)


def stays_true(conjecture: Conjecture) -> Rule:
    """That a conjecture is true behind every call; its name stands where others have an operation's."""
    return Rule(conjecture.name, f"conjecture {conjecture.text}", conjecture.place)


def grows(contract: Contract) -> bool:
    """Whether an operation adds something to the state."""
    return any(isinstance(each, Put) and each.value != FALSE for each in _effects(contract))


def shrinks(contract: Contract) -> bool:
    """Whether an operation only takes out of the state."""
    takes_out = any(isinstance(each, Put | Collect) for each in _effects(contract))
    return takes_out and not grows(contract)


def _effects(contract: Contract) -> Iterator[Statement]:
    return _statements((*contract.before, *contract.after))


def _ensured(contract: Contract) -> list[Rule]:
    return [ensures(contract, each) for each in _statements(contract.after) if isinstance(each, Ensure)]


def _statements(statements: Iterable[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield each
        if isinstance(each, Branch):
            yield from _statements((*each.then, *each.otherwise))


@dataclass(frozen=True, slots=True, repr=False)
class Call:
    """A call of an operation, and what came of it."""

    operation: str
    arguments: tuple[tuple[str, Any], ...]
    answer: Any = None
    raised: BaseException | None = None
    """What it raised instead of answering."""

    def __repr__(self) -> str:
        return f"{self.operation}({', '.join(shown(value) for _, value in self.arguments)})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: ANN401 (Hypothesis' own)
        """How Hypothesis shows it, in a failing test."""
        printer.text(repr(self))


class Violation(AngariumError):  # noqa: N818 (what is wrong is the call, not the program)
    """A call that does not fit its contract."""

    def __init__(
        self,
        what: str,
        call: Call,
        *,
        rule: Rule,
        before: Mapping[str, Any],
        after: Mapping[str, Any] | None = None,
        allowed: tuple[Any, ...] = (),
        why: str = "",
    ) -> None:
        """`why` is what is wrong in the state behind the call, if it is that and not the answer."""
        super().__init__(what)
        self.what, self.call, self.rule = what, call, rule
        self.before, self.after, self.allowed, self.why = before, after, allowed, why

    def __str__(self) -> str:
        place = self.rule.place
        rows = [
            ("contract", f"{self.rule.text}  ({place.file}:{place.line})"),
            ("before", shown_state(self.before)),
        ]
        if self.after is not None and self.after != self.before:
            rows.append(("after", shown_state(self.after)))
        if self.allowed:
            rows.append(("allowed", alternatives(self.allowed)))
        return "\n".join([self.what, *(f"  {label:<8}  {text}" for label, text in rows)])


class WrongCall(Violation):
    """The caller's fault: the contract does not allow this call, or not with these arguments."""


class ContractBroken(Violation):
    """The subject's fault: the call was allowed, and what came of it is not."""
