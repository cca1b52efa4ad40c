"""Sequences of calls: how many are asked for, one of them on a fresh subject, and the log of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from angarium.contracts.module import Contract, Specification
from angarium.contracts.monitor.concrete import concrete
from angarium.contracts.monitor.monitor import Conjectures, Monitor
from angarium.contracts.monitor.rules import Call, ContractBroken, Rule
from angarium.contracts.monitor.watched import demand_operations
from angarium.core.errors import ConformError


@dataclass(frozen=True, slots=True)
class Plan:
    """Sequences of calls: how many, how long at most, and which; the same seed gives the same ones."""

    examples: int = 100
    steps: int = 50
    seed: int = 1


MakeSubject: TypeAlias = Callable[[], object]


@dataclass(slots=True)
class Log:
    """What was done to subjects in all sequences, and how contracts were broken."""

    sequences: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    answers: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """How often an operation answered True and False, if it answers that."""
    held: Counter[str] = field(default_factory=Counter)
    """How much was in each relation and function of the state, at most."""
    broken: dict[Rule, tuple[tuple[Call, ...], ContractBroken]] = field(default_factory=dict)
    """For each rule that was broken, the shortest sequence of calls that did so."""
    goes_on: bool = False
    """Whether a violation only ends its sequence, so that others can be found as well."""
    pending: tuple[Call, ...] = ()
    """The call that has not been answered yet, and before it those that led there."""
    unsteady: bool = False
    """Whether the same calls were answered in several ways."""

    def answered(self, call: Call, state: dict[str, Any]) -> None:
        self.calls[call.operation] += 1
        if isinstance(call.answer, bool):
            self.answers[call.operation, call.answer] += 1
        self.held |= Counter({name: len(value) for name, value in state.items() if isinstance(value, Sized)})

    def broke(self, violation: ContractBroken, calls: tuple[Call, ...]) -> None:
        known = self.broken.get(violation.rule)
        if known is None or len(calls) < len(known[0]):
            self.broken[violation.rule] = calls, violation

    def not_exercised(self, specification: Specification) -> list[str]:
        """Why the sequences say little: what was never called, and what always stayed empty."""
        never = [each.name for each in specification.contracts if not self.calls[each.name]]
        kept = [each.name for each in specification.state if each.arguments and not self.held[each.name]]
        refused = [
            f"{name} answered False all {self.calls[name]:,} times"
            for name in self.calls
            if self.answers[name, False] == self.calls[name]
        ]
        empty = [f"{name} was always empty" for name in kept]
        return [*empty, *(refused if empty else []), *(f"{name} was never called" for name in never)]


class Run:
    """A fresh subject, the state in which it ought to be, and the calls that were made."""

    def __init__(
        self, specification: Specification, make_subject: MakeSubject, log: Log, *, conjectures: bool = True
    ) -> None:
        """`conjectures` is whether they are judged as well, which takes long in a large state."""
        self.subject = make_subject()
        demand_operations(self.subject, specification)
        judged = Conjectures(specification) if conjectures else None
        self.monitor = Monitor(concrete(specification), conjectures=judged)
        self.calls: list[Call] = []
        self.is_over = False
        self._contracts = {each.name: each for each in specification.contracts}
        self._log = log

    def allows(self, call: Call) -> bool:
        """Whether the contract allows a call now."""
        return self.monitor.allows(self._contract(call), call)

    def offer(self, call: Call) -> None:
        """Make a call if it is allowed, unless the contract was broken already."""
        if self.is_over or not self.allows(call):
            return
        try:
            self.make(call)
        except ContractBroken:
            self.is_over = True
            if not self._log.goes_on:
                raise

    def make(self, call: Call) -> None:
        """Make a call that is allowed; raise if what comes of it is not."""
        contract = self._contract(call)
        steps = self.monitor.before(contract, call)
        done = self._done(call)
        self.calls.append(done)
        try:
            self.monitor.after(contract, done, steps)
        except ContractBroken as violation:
            self._log.broke(violation, tuple(self.calls))
            raise
        finally:
            self._log.answered(done, self.monitor.state)

    def _contract(self, call: Call) -> Contract:
        return self._contracts[call.operation]

    def _done(self, call: Call) -> Call:
        self._log.pending = (*self.calls, call)
        try:
            answer = getattr(self.subject, call.operation)(*(value for _, value in call.arguments))
            done = Call(call.operation, call.arguments, answer)
        except (Exception, SystemExit) as problem:
            done = Call(call.operation, call.arguments, raised=problem)
        self._log.pending = ()
        return done

    def close(self) -> None:
        """Let the subject tidy up, if it knows how to."""
        self._log.sequences += 1
        try:
            getattr(self.subject, "close", _nothing)()
        except (Exception, SystemExit) as problem:
            raise ConformError(
                "ANG092",
                f"{type(self.subject).__name__} cannot be closed: close() raises {problem!r}",
                possible="a close() that raises nothing, or none",
                remedy="see why it raises; it is called behind every sequence of calls",
            ) from problem


def _nothing() -> None:
    """What a subject does that needs no closing."""
