"""What real values of a sort look like, and how people read values, calls and states.

A truth is True or False, an element of an order is a whole number from 0, and a thing is an object that can
be compared and hashed and has the fields that the specification knows of it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from inspect import isawaitable
from itertools import islice
from typing import Any, TypeVar

from angarium.contracts.module import Specification
from angarium.contracts.terms import TRUTH, Kind, Sort, Symbol, Variable

Value = TypeVar("Value")

_MANY = 5
"""A state with more members than these is not shown whole."""
_FEW = 3
"""No more answers than these are listed as allowed."""
_LONG = 40
"""Bytes or characters that are shown of a long payload."""


def shown(value: object) -> str:
    """A value as it would be written; a dataclass without the fields that have their defaults."""
    if isinstance(value, bytes | str) and len(value) > _LONG:
        unit = "bytes" if isinstance(value, bytes) else "characters"
        return f"{value[:_LONG]!r}... ({len(value):,} {unit})"
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    given = [each for each in fields(value) if not _is_default(getattr(value, each.name), each.default)]
    arguments = ", ".join(f"{each.name}={shown(getattr(value, each.name))}" for each in given)
    return f"{type(value).__name__}({arguments})"


def shown_state(state: Mapping[str, Any]) -> str:
    """Every symbol with its value."""
    return ", ".join(f"{name} = {_held(value)}" for name, value in state.items())


def alternatives(answers: Sequence[object]) -> str:
    """Answers of which any would do; of many, a few and how many others."""
    others = len(answers) - _FEW
    more = [f"{others:,} {'other' if others == 1 else 'others'}"] if others > 0 else []
    return " or ".join([*map(shown, answers[:_FEW]), *more])


def in_order(values: Collection[Value]) -> list[Value]:
    """Values by the numbers in them, so that 10 comes behind 9."""
    return sorted(values, key=_rank)


@lru_cache(maxsize=4096, typed=True)
def _rank(value: object) -> tuple[list[int], str]:
    """Where a value stands among others; of long payloads the beginning and the length must do."""
    return _numbers(value), shown(value)


def _is_default(value: object, default: object) -> bool:
    return default is not MISSING and type(value) is type(default) and value == default


def _held(value: object) -> str:
    """What a relation or a function holds, in part if it is much."""
    if isinstance(value, Mapping):
        texts: Iterable[str] = (f"{shown(key)}: {shown(each)}" for key, each in value.items())
    elif isinstance(value, set):
        texts = (shown(each) for each in in_order(value))
    else:
        return shown(value)
    more = [f"and {len(value) - _MANY:,} more"] if len(value) > _MANY else []
    return f"{{{', '.join([*islice(texts, _MANY), *more])}}}"


def _numbers(value: object) -> list[int]:
    if isinstance(value, int):
        return [value]
    known = [getattr(value, each.name) for each in fields(value)] if is_dataclass(value) else []
    return [each for each in known if isinstance(each, int)]


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
