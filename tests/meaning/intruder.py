"""Terms, and what an intruder makes of them, as Python does it: said by sets of terms, and by nothing else.

A function such as `def ticket(user: User) -> Fact: return encrypted(key(), name(user))` is called. What it
returns says what the term is made of, and its own name and arguments say which term it is. Knowledge is a set
of terms; whatever can be made of it or taken apart in it is put in until there is nothing more.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, wraps
from itertools import product
from typing import ClassVar

from tests.meaning.scalars import Frozen, Index, Kind, MistypedError, OutOfRangeError, Value, annotations
from tests.meaning.values import Bag, SetOf, freeze, kind_of

# --- terms ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """How a term is made: from what, if by anybody, what else opens it, and what is found inside."""

    made_from: tuple[Term, ...] | None
    opened_with: tuple[Term, ...]
    parts: tuple[Term, ...]


def atom() -> Form:
    return Form(None, (), ())


def paired(*parts: Term) -> Form:
    return Form(parts, (), parts)


def encrypted(key: Term, *parts: Term) -> Form:
    return Form((key, *parts), (key,), parts)


def sealed(key: Term, *parts: Term) -> Form:
    return Form(parts, (key,), parts)


def signed(key: Term, *parts: Term) -> Form:
    return Form((key, *parts), (), parts)


class Terms(type):
    """`for fact in Fact`: what its functions make of all their arguments, in the order of the file."""

    makers: list[Callable[..., Value]]

    def __iter__(cls) -> Iterator[Term]:
        return iter(universe(cls))

    def _as_kind(cls) -> Said:
        return Said(cls)


class Term(metaclass=Terms):
    """Something that can be said: there is one for each function that makes it, and its arguments."""

    makers: ClassVar[list[Callable[..., Value]]]

    def __init_subclass__(cls) -> None:
        cls.makers = []

    def __init__(self, maker: str, arguments: tuple[Value, ...], form: Form) -> None:
        words = [str(each + 1) if isinstance(each, Index) else freeze(each) for each in arguments]
        self._text = numbered(f"{maker}({', '.join(map(str, words)).lower()})").removesuffix("()")
        self._form = form

    def _frozen(self) -> str:
        return self._text


def numbered(text: str) -> str:
    """What a term is called, with no letters before the numbers of its arguments: `name(u1)` is `name(1)`."""
    return re.sub(r"(?<=[( ])[a-z_]+(\d+)(?=[,)])", r"\1", text)


def maker(function: Callable[..., Value]) -> Callable[..., Value]:
    """A function of a file that may make terms: the same term for the same arguments."""
    made: dict[tuple[Value, ...], Term] = {}
    signature = inspect.signature(function)

    @wraps(function)
    def make(*given: Value, **named: Value) -> Value:
        found = function(*given, **named)
        if not isinstance(found, Form):
            return found
        values = signature.bind(*given, **named).arguments
        fitted = tuple(kind.fit(values[name]) for name, kind in arguments_of(function).items())
        if fitted not in made:
            made[fitted] = _family(function)(function.__name__, fitted, found)
        return made[fitted]

    return make


def introduce(names: dict[str, Value]) -> None:
    """Let the classes of terms in a file know the functions that may make some."""
    for each in names.values():
        function = inspect.unwrap(each) if inspect.isfunction(each) else None
        if function is not None and function is not each and function.__globals__ is names:
            if isinstance(_family(function), Terms):
                _family(function).makers.append(each)


def _family(function: Callable[..., Value]) -> Value:
    return annotations(function, function.__globals__).get("return")


@cache
def arguments_of(function: Callable[..., Value]) -> dict[str, Kind]:
    hints = annotations(function, function.__globals__)
    return {name: kind_of(hint) for name, hint in hints.items() if name != "return"}


def _made_by(make: Callable[..., Value]) -> Iterator[Term]:
    """The terms of a function; none if it only chooses among those of others."""
    try:
        kinds = arguments_of(inspect.unwrap(make)).values()
        for given in product(*(kind.values() for kind in kinds)):
            if not isinstance(inspect.unwrap(make)(*given), Form):
                return
            yield make(*given)
    except (MistypedError, OutOfRangeError):
        return  # it takes what no term is made of, or goes where there is none


@cache
def universe(family: Terms) -> list[Term]:
    """All that can be said."""
    return [term for maker in family.makers for term in _made_by(maker)]


@dataclass
class Said(Kind):
    """A class that derives from Term."""

    of: Terms

    def start(self) -> Term:
        return self.values()[0]

    def fit(self, value: Value) -> Term:
        if not isinstance(self.there(value), self.of):
            raise MistypedError(f"{value!r} is not a {self.of.__name__}")
        return value  # type: ignore[no-any-return]

    def values(self) -> list[Term]:
        return list(self.of)


# --- knowledge --------------------------------------------------------------------------------------


@dataclass
class Mind(Bag):
    """knowledge(terms)."""

    item: Said

    def start(self) -> Knowledge:
        return Knowledge(self, ())

    def fit(self, value: Value) -> Knowledge:
        return Knowledge(self, value._parts)


class Knowledge(SetOf):
    """Everything that can be derived from what was heard."""

    _kind: Mind

    def hear(self, term: Value) -> None:
        heard = frozenset({*self._parts, self._kind.item.fit(term)})
        self._parts = set(derived(self._kind.item.of, heard))

    def _frozen(self) -> Frozen:
        return _texts(frozenset(self._parts))


@cache
def _texts(terms: frozenset[Term]) -> frozenset[str]:
    """Asked for again and again, of the same knowledge."""
    return frozenset(each._text for each in terms)


@cache
def derived(family: Terms, heard: frozenset[Term]) -> frozenset[Term]:
    """What was heard, and all that can be made of it and taken out of it."""
    known = set(heard)
    before = -1
    while len(known) > before:
        before = len(known)
        for term in family:
            form = term._form
            if form.made_from is not None and known.issuperset(form.made_from):
                known.add(term)
            if term in known and known.issuperset(form.opened_with):
                known.update(form.parts)
    return frozenset(known)
