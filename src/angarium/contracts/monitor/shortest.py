"""How a rule was broken: a short sequence of calls with simple numbers, and what ought to be in the subject
behind each.

Calls are left out, numbers are made smaller, and small ones are put first, as long as the same rule of the
contract is still broken. Every attempt is made with a fresh subject. From what comes out, given the time, no
call can be left out; and no two together, unless there are many.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

from angarium.contracts.module import Specification
from angarium.contracts.monitor.concrete import concrete
from angarium.contracts.monitor.monitor import Monitor
from angarium.contracts.monitor.rules import Call, ContractBroken, Rule, stays_true
from angarium.contracts.monitor.sequences import Log, MakeSubject, Run
from angarium.contracts.monitor.state_machine import EDGES, LARGE, PAYLOADS
from angarium.core.control import time_limit

Calls: TypeAlias = tuple[Call, ...]
Attempt: TypeAlias = Callable[[Calls], Calls | None]
"""Makes calls, and returns those that were made up to the violation; None if nothing was broken."""
Way: TypeAlias = Callable[[Calls], Iterator[Calls]]
"""Sequences that may do as well."""
Leaf: TypeAlias = int | bytes
_FEW = 12
"""Of more calls, no pairs are left out, and of more numbers, none is put beside another."""
_SIMPLE = (*EDGES, *LARGE)


def shorten(calls: Calls, attempt: Attempt, go_on: Callable[[], bool]) -> Calls:
    """A sequence that breaks the same rule, as short and simple as can be found while `go_on()`."""
    best, before = calls, None
    while best != before:
        before = best
        best = _without_some(best, attempt, go_on)
        for way in (_without_two, _with_other_values, _in_another_order):
            best = _improved(best, way, attempt, go_on)
    return best


def _improved(calls: Calls, way: Way, attempt: Attempt, go_on: Callable[[], bool]) -> Calls:
    """The best that one way leads to: it goes on from every success."""
    best, is_better = calls, True
    while is_better:
        is_better = False
        for simpler in way(best):
            if not go_on():
                return best
            found = attempt(simpler)
            if found and _cost(found) < _cost(best):
                best, is_better = found, True
                break
    return best


def _without_some(calls: Calls, attempt: Attempt, go_on: Callable[[], bool]) -> Calls:
    """Half of the calls left out, or a quarter, and so on down to one, at every place."""
    best, size = calls, max(1, len(calls) // 2)
    while size:
        at = 0
        while at < len(best) and go_on():
            found = attempt(best[:at] + best[at + size :])
            best, at = (found, at) if found and len(found) < len(best) else (best, at + size)
        size //= 2
    return best


def _without_two(calls: Calls) -> Iterator[Calls]:
    for left_out in combinations(range(len(calls)), 2) if len(calls) <= _FEW else ():
        yield tuple(each for at, each in enumerate(calls) if at not in left_out)


def _with_other_values(calls: Calls) -> Iterator[Calls]:
    """All numbers in a row from 0, or less by the least one, or one of them smaller; shorter payloads."""
    leaves = [leaf for each in calls for leaf in _leaves(each)]
    numbers = sorted({leaf for leaf in leaves if isinstance(leaf, int)})
    mappings: list[dict[Leaf, Leaf]] = [{leaf: b"" for leaf in leaves if isinstance(leaf, bytes)}]
    mappings.append({number: at for at, number in enumerate(numbers)})
    mappings.append({number: number - numbers[0] for number in numbers})
    for number in reversed(numbers):
        mappings += [{number: other} for other in _smaller(number, numbers)]
    for payload in sorted({leaf for leaf in leaves if isinstance(leaf, bytes)}):
        mappings += [{payload: other} for other in PAYLOADS if len(other) < len(payload)]
    yield from (tuple(_changed(each, mapping) for each in calls) for mapping in mappings)


def _in_another_order(calls: Calls) -> Iterator[Calls]:
    """Two neighbours in each other's place, so that small numbers come first."""
    for at in range(len(calls) - 1):
        yield (*calls[:at], calls[at + 1], calls[at], *calls[at + 2 :])


def _smaller(number: int, numbers: Iterable[int]) -> list[int]:
    """Numbers that could stand in its place: those that often show a mistake, or beside a few others."""
    others = [other for other in numbers if other != number]
    beside = {other + step for other in others for step in (-1, 0, 1)} if len(others) < _FEW else set()
    return sorted(each for each in {*_SIMPLE, *beside} if 0 <= each < number)


def _cost(calls: Calls) -> tuple[int, int, list[int]]:
    leaves = [leaf for each in calls for leaf in _leaves(each)]
    sizes = [leaf if isinstance(leaf, int) else len(leaf) for leaf in leaves]
    return len(calls), sum(sizes), sizes


def _leaves(call: Call) -> list[Leaf]:
    """The numbers and payloads in the arguments of a call."""
    return [leaf for _, value in call.arguments for leaf in _leaves_of(value)]


def _leaves_of(value: object) -> list[Leaf]:
    if isinstance(value, int | bytes) and not isinstance(value, bool):
        return [value]
    return [leaf for part in _parts(value).values() for leaf in _leaves_of(part)]


def _changed(call: Call, mapping: Mapping[Leaf, Leaf]) -> Call:
    """The call with other numbers and payloads, and no answer yet."""
    return Call(call.operation, tuple((name, _other(value, mapping)) for name, value in call.arguments))


def _other(value: Any, mapping: Mapping[Leaf, Leaf]) -> Any:  # noqa: ANN401 (of the type that it has)
    if isinstance(value, int | bytes) and not isinstance(value, bool):
        return mapping.get(value, value)
    parts = {name: _other(part, mapping) for name, part in _parts(value).items()}
    return replace(value, **parts) if parts else value


def _parts(value: Any) -> dict[str, Any]:  # noqa: ANN401
    if not is_dataclass(value) or isinstance(value, type):
        return {}
    return {each.name: getattr(value, each.name) for each in fields(value)}


_GRACE = 1.0
"""Seconds that a call may take beyond the time for shortening, before it is given up."""


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call, and the abstract state behind it, if it is known."""

    call: Call
    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that was broken, and how."""

    rule: Rule
    violation: ContractBroken
    story: tuple[ShownCall, ...]
    again: bool | None
    """Whether the same calls break it every time; None if there was no time to see."""


class Shortener:
    """Tells how rules were broken, by making calls again with fresh subjects."""

    def __init__(self, specification: Specification, make_subject: MakeSubject) -> None:
        self._specification, self._make_subject = specification, make_subject

    def shortest(self, calls: Calls, violation: ContractBroken, seconds: float) -> Broken:
        """A story as short as can be found in this time; as it happened, if that is not possible."""
        end = time.monotonic() + seconds
        try:
            with time_limit(seconds + _GRACE):
                return self._shortly(calls, violation, end) or _as_it_was(calls, violation, again=False)
        except KeyboardInterrupt:
            return _as_it_was(calls, violation, again=None)

    def _shortly(self, calls: Calls, violation: ContractBroken, end: float) -> Broken | None:
        def attempt(tried: Calls) -> Calls | None:
            found = self._again(tried, violation.rule)
            return tuple(each.call for each in found.story) if found else None

        if attempt(calls) is None:
            return None
        return self._again(shorten(calls, attempt, lambda: time.monotonic() < end), violation.rule)

    def _again(self, calls: Calls, rule: Rule) -> Broken | None:
        """Make calls, leaving out those that are not allowed, and see whether the rule is broken."""
        is_conjecture = rule in map(stays_true, self._specification.conjectures)
        run = Run(self._specification, self._make_subject, Log(), conjectures=is_conjecture)
        story = list[ShownCall]()
        try:
            for call in filter(run.allows, calls):
                run.make(call)
                story.append(ShownCall(run.calls[-1], run.monitor.state.copy()))
        except ContractBroken as violation:
            last = ShownCall(violation.call, dict(violation.after or violation.before))
            return Broken(rule, violation, (*story, last), again=True) if violation.rule == rule else None
        finally:
            run.close()
        return None


def with_states(specification: Specification, calls: Calls) -> tuple[ShownCall, ...]:
    """Calls that were answered with the state behind each, and one that was not with the state before it."""
    monitor, told = Monitor(concrete(specification)), list[ShownCall]()
    for call in calls[:-1]:
        contract = specification.contract(call.operation)
        monitor.after(contract, call, monitor.before(contract, call))
        told.append(ShownCall(call, monitor.state.copy()))
    return (*told, *(ShownCall(each, monitor.state) for each in calls[-1:]))


def _as_it_was(calls: Calls, violation: ContractBroken, *, again: bool | None) -> Broken:
    return Broken(violation.rule, violation, tuple(ShownCall(each, {}) for each in calls), again)
