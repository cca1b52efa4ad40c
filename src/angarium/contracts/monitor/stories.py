"""How a rule was broken: a short sequence of calls, with what ought to be in the subject behind each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from angarium.contracts.module import Specification
from angarium.contracts.monitor.breaches import Call, ContractBroken
from angarium.contracts.monitor.concrete import concrete
from angarium.contracts.monitor.monitor import Monitor
from angarium.contracts.monitor.rules import Rule, stays_true
from angarium.contracts.monitor.run import Log, MakeSubject, Run
from angarium.contracts.monitor.shorten import Calls, shorten
from angarium.core.control import time_limit

_GRACE = 1.0
"""Seconds that a call may take beyond the time for shortening, before it is given up."""


@dataclass(frozen=True, slots=True)
class Told:
    """A call, and the abstract state behind it, if it is known."""

    call: Call
    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that was broken, and how."""

    rule: Rule
    breach: ContractBroken
    story: tuple[Told, ...]
    again: bool | None
    """Whether the same calls break it every time; None if there was no time to see."""


class Teller:
    """Tells how rules were broken, by making calls again with fresh subjects."""

    def __init__(self, specification: Specification, make_subject: MakeSubject) -> None:
        self._specification, self._make_subject = specification, make_subject

    def tell(self, calls: Calls, breach: ContractBroken, seconds: float) -> Broken:
        """A story as short as can be found in this time; as it happened, if that is not possible."""
        end = time.monotonic() + seconds
        try:
            with time_limit(seconds + _GRACE):
                return self._shortly(calls, breach, end) or _as_it_was(calls, breach, again=False)
        except KeyboardInterrupt:
            return _as_it_was(calls, breach, again=None)

    def _shortly(self, calls: Calls, breach: ContractBroken, end: float) -> Broken | None:
        def attempt(tried: Calls) -> Calls | None:
            found = self._again(tried, breach.rule)
            return tuple(each.call for each in found.story) if found else None

        if attempt(calls) is None:
            return None
        return self._again(shorten(calls, attempt, lambda: time.monotonic() < end), breach.rule)

    def _again(self, calls: Calls, rule: Rule) -> Broken | None:
        """Make calls, leaving out those that are not allowed, and see whether the rule is broken."""
        is_conjecture = rule in map(stays_true, self._specification.conjectures)
        run = Run(self._specification, self._make_subject, Log(), conjectures=is_conjecture)
        story = list[Told]()
        try:
            for call in filter(run.allows, calls):
                run.make(call)
                story.append(Told(run.calls[-1], run.monitor.state.copy()))
        except ContractBroken as breach:
            last = Told(breach.call, dict(breach.after or breach.before))
            return Broken(rule, breach, (*story, last), again=True) if breach.rule == rule else None
        finally:
            run.close()
        return None


def with_states(specification: Specification, calls: Calls) -> tuple[Told, ...]:
    """Calls that were answered with the state behind each, and one that was not with the state before it."""
    monitor, told = Monitor(concrete(specification)), list[Told]()
    for call in calls[:-1]:
        contract = specification.contract(call.operation)
        monitor.after(contract, call, monitor.before(contract, call))
        told.append(Told(call, monitor.state.copy()))
    return (*told, *(Told(each, monitor.state) for each in calls[-1:]))


def _as_it_was(calls: Calls, breach: ContractBroken, *, again: bool | None) -> Broken:
    return Broken(breach.rule, breach, tuple(Told(each, {}) for each in calls), again)
