"""Conjectures on real values: whether what should be true between calls is true of the state behind one.

The parameters of a conjecture stand for everything of their sorts. Here they go through what there is: the
values in the state, and those of the last call. So whatever is found false is false; that nothing was found
proves nothing. Of very many combinations, those with a value of the last call come first, and the rest is
left out.

A conjecture that has no finite meaning is not watched, and stays unknown. Where it asks for a value that
nothing has set yet, it may be true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any, NamedTuple, TypeAlias

from angarium.contracts.module import Conjecture, Specification
from angarium.contracts.monitor.breaches import Call
from angarium.contracts.monitor.python import local, python
from angarium.contracts.monitor.shapes import Shapes
from angarium.contracts.terms import Kind, Sort
from angarium.core.errors import ConformError

Condition: TypeAlias = Callable[..., bool]
"""Called with the state and the values of the parameters."""
_MOST = 100
"""Combinations of values that are tried behind one call."""


class Refuted(NamedTuple):
    """A conjecture that is not true, and of which values."""

    conjecture: Conjecture
    values: tuple[tuple[str, Any], ...]


class Conjectures:
    """The conjectures of a specification that can be watched."""

    def __init__(self, specification: Specification) -> None:
        self._specification, self._shapes = specification, Shapes(specification)
        conditions = {each: condition(each) for each in specification.conjectures}
        self._conditions = {each: found for each, found in conditions.items() if found}

    def first_false(self, state: Mapping[str, Any], call: Call) -> Refuted | None:
        """A conjecture that is false behind a call."""
        for conjecture, holds in self._conditions.items():
            for values in self._combinations(conjecture, state, call):
                if not _is_true(holds, state, values):
                    names = [each.name for each in conjecture.parameters]
                    return Refuted(conjecture, tuple(zip(names, values, strict=True)))
        return None

    def _combinations(
        self, conjecture: Conjecture, state: Mapping[str, Any], call: Call
    ) -> Iterator[tuple[Any, ...]]:
        sorts = [each.sort for each in conjecture.parameters]
        new = [self._values_of(call, sort) for sort in sorts]
        known = [
            _once([*fresh, *self._values_in(state, sort)]) for fresh, sort in zip(new, sorts, strict=True)
        ]
        with_new = (product(*known[:at], new[at], *known[at + 1 :]) for at in range(len(sorts)))
        return islice(chain(chain.from_iterable(with_new), product(*known)), _MOST)

    def _values_in(self, state: Mapping[str, Any], sort: Sort) -> list[Any]:
        return [False, True] if sort.kind is Kind.TRUTH else self._shapes.near(state, sort)

    def _values_of(self, call: Call, sort: Sort) -> list[Any]:
        """What of a sort the call speaks of: its arguments and its answer."""
        contract = self._specification.contract(call.operation)
        answers = call.answer if len(contract.results) > 1 else [call.answer][: len(contract.results)]
        values = (*(value for _, value in call.arguments), *answers)
        sorts = [each.sort for each in (*contract.parameters, *contract.results)]
        return [value for value, each in zip(values, sorts, strict=True) if each == sort]


@lru_cache(maxsize=64)
def condition(conjecture: Conjecture) -> Condition | None:
    """A conjecture as Python; None if it has no finite meaning."""
    place = conjecture.place
    if any(each.sort.kind is Kind.RING for each in conjecture.parameters):
        return None
    try:
        body = python(conjecture.condition, place)
    except ConformError:
        return None
    arguments = ", ".join(["state", *(local(each.name) for each in conjecture.parameters)])
    run: Condition = eval(compile(f"lambda {arguments}: {body}", place.file, "eval"), {})
    return run


def _is_true(holds: Condition, state: Mapping[str, Any], values: Iterable[Any]) -> bool:
    try:
        return bool(holds(state, *values))
    except ConformError:
        return True


def _once(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))
