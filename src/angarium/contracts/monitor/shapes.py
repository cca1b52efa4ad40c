"""What real values of a sort look like.

A truth is True or False, an element of an order is a whole number from 0, and a thing is an object that can
be compared and hashed and has the fields that the specification knows of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import Any

from angarium.contracts.module import Specification
from angarium.contracts.monitor.wording import in_order
from angarium.contracts.terms import TRUTH, Kind, Sort, Symbol, Variable


class Shapes:
    """The shapes of the values of a specification."""

    def __init__(self, specification: Specification) -> None:
        self._state = specification.state
        self._fields: dict[str, list[Symbol]] = {each.name: [] for each in specification.sorts}
        for symbol in specification.fixed:
            if len(symbol.arguments) == 1:
                self._fields[symbol.arguments[0].name].append(symbol)

    def fields(self, sort: Sort) -> Sequence[Symbol]:
        """What is known of the things of a sort."""
        return self._fields[sort.name]

    def fits(self, value: object, sort: Sort) -> bool:
        """Whether a value may stand for an element of the sort."""
        if sort.kind is Kind.TRUTH:
            return isinstance(value, bool)
        if sort.kind is Kind.ORDER:
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if not _is_hashable(value) or isawaitable(value):
            return False
        return all(self.fits(getattr(value, each.name, None), each.result) for each in self.fields(sort))

    def fit(self, answer: object, results: Sequence[Variable]) -> bool:
        """Whether an answer has the shape that a contract's results ask for; of none, it may be anything."""
        if not results:
            return not isawaitable(answer)
        if len(results) == 1:
            return self.fits(answer, results[0].sort)
        if not isinstance(answer, tuple) or len(answer) != len(results):
            return False
        return all(self.fits(value, each.sort) for value, each in zip(answer, results, strict=True))

    def words(self, sort: Sort) -> str:
        """What a value of a sort looks like."""
        if sort.kind is Kind.TRUTH:
            return "True or False"
        if sort.kind is Kind.ORDER:
            return "a whole number from 0"
        known = ", ".join(each.name for each in self.fields(sort))
        return f"a hashable {sort.name}" + (f" with {known}" if known else "")

    def answer_in_words(self, results: Sequence[Variable]) -> str:
        """What an answer should look like; of none: that there is one, and no exception."""
        if not results:
            return "anything"
        words = [self.words(each.sort) for each in results]
        return words[0] if len(words) == 1 else f"a tuple of {', '.join(words)}"

    def values_in(self, state: Mapping[str, Any], sort: Sort) -> list[Any]:
        """The things of a sort that a state speaks of, in an order that does not depend on hashing."""
        return in_order({value for each in self._state for value in _of_sort(state[each.name], each, sort)})

    def near(self, state: Mapping[str, Any], sort: Sort) -> list[Any]:
        """The things of a sort that a state speaks of; of an order, also those beside them."""
        if sort.kind is not Kind.ORDER:
            return self.values_in(state, sort)
        beside = {number + step for number in self.numbers_in(state, sort) for step in (-1, 0, 1)}
        return sorted(number for number in beside if number >= 0)

    def numbers_in(self, state: Mapping[str, Any], order: Sort) -> set[int]:
        """The elements of an order that a state speaks of, or that are fields of things in it."""
        found = set(self.values_in(state, order))
        for sort in {sort for each in self._state for sort in (*each.arguments, each.result)}:
            for field in self._fields.get(sort.name, ()):
                if field.result == order:
                    found |= {getattr(value, field.name) for value in self.values_in(state, sort)}
        return found


def _is_hashable(value: object) -> bool:
    """Whether a value can be in a set; a tuple may hold something that cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _of_sort(value: Any, symbol: Symbol, sort: Sort) -> Iterable[Hashable]:  # noqa: ANN401 (as the symbol)
    if not symbol.arguments:
        return [value] if symbol.result == sort else []
    results = list(value.values()) if symbol.result == sort != TRUTH else []
    rows = [key if len(symbol.arguments) > 1 else (key,) for key in value]
    return results + [row[at] for row in rows for at, each in enumerate(symbol.arguments) if each == sort]
