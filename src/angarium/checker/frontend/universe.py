"""What can be said on a network that somebody else controls, and what that somebody can make of it.

The intruder of Dolev and Yao hears everything, holds back what it likes, and says whatever it can make of
what it has heard. Cryptography is perfect: without the key a cipher is just something to say again.

A *universe* is all that can be said, finitely many terms, given by *constructors*: one term for each
combination of a constructor's arguments. A term is an atom, or made of other terms:

    kind        who can make it                   who can take it apart
    atom        nobody                            nobody
    paired      who has the parts                 everybody
    encrypted   who has the key and the parts     who has the key
    sealed      who has the parts                 who has the key (the private one)
    signed      who has the key and the parts     everybody

What somebody knows is kept as everything that can be derived from it in the universe: two who can derive the
same have the same knowledge, and whether something can be derived is a look at one cell. As no constructor
mentions itself, taking apart goes from the outside in and making from the inside out, each in one pass.
Only a key that comes to light when what it opens has been passed by needs another round of both; `rounds`
says how many can be needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Literal

from angarium.checker.ir.types import Scalar, size

Kind = Literal["atom", "paired", "encrypted", "sealed", "signed"]

KINDS: tuple[Kind, ...] = ("atom", "paired", "encrypted", "sealed", "signed")
KEYED: tuple[Kind, ...] = ("encrypted", "sealed", "signed")
"""The kinds whose first argument is a key."""
MADE_WITH_KEY: tuple[Kind, ...] = ("encrypted", "signed")
OPENED_WITH_KEY: tuple[Kind, ...] = ("encrypted", "sealed")


@dataclass(frozen=True, slots=True)
class Mention:
    """A term inside another: its constructor, and each argument as a number or as an argument around it."""

    constructor: str
    arguments: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Constructor:
    """Terms of one form, one for each combination of arguments."""

    name: str
    kind: Kind
    arguments: tuple[tuple[str, Scalar], ...] = ()
    key: Mention | None = None
    parts: tuple[Mention, ...] = ()

    @property
    def count(self) -> int:
        return prod(size(type_) for _, type_ in self.arguments)

    @property
    def made_from(self) -> tuple[Mention, ...]:
        """What somebody must have to make such a term; nothing for an atom, which cannot be made."""
        return (self.key, *self.parts) if self.key and self.kind in MADE_WITH_KEY else self.parts

    @property
    def opened_with(self) -> tuple[Mention, ...]:
        """What somebody must have, besides the term, to take it apart."""
        return (self.key,) if self.key and self.kind in OPENED_WITH_KEY else ()

    @property
    def mentions(self) -> tuple[Mention, ...]:
        return (self.key, *self.parts) if self.key else self.parts


@dataclass(frozen=True, slots=True)
class Made:
    """One term in numbers: what it is made from, what opens it, and what is then found."""

    made_from: tuple[int, ...]
    opened_with: tuple[int, ...]
    parts: tuple[int, ...]


@dataclass(frozen=True)
class Universe:
    """All terms, numbered from 0: constructor by constructor, the last argument changing fastest."""

    constructors: tuple[Constructor, ...]

    @cached_property
    def constructor(self) -> Mapping[str, Constructor]:
        return {each.name: each for each in self.constructors}

    @cached_property
    def first(self) -> Mapping[str, int]:
        """The number of each constructor's first term."""
        counts = [each.count for each in self.constructors]
        return {each.name: sum(counts[:i]) for i, each in enumerate(self.constructors)}

    @cached_property
    def inside_out(self) -> tuple[Constructor, ...]:
        """The constructors, each behind those that it mentions."""

        def depth(constructor: Constructor) -> int:
            inner = (depth(self.constructor[each.constructor]) for each in constructor.mentions)
            return max(inner, default=0) + 1

        return tuple(sorted(self.constructors, key=depth))

    def number(self, mention: Mention, around: Mapping[str, int]) -> int:
        """The number of a mentioned term, given the arguments of the one around it."""
        row = 0
        for (_, type_), given in zip(
            self.constructor[mention.constructor].arguments, mention.arguments, strict=True
        ):
            value = around[given] if isinstance(given, str) else given
            row = row * size(type_) + value - type_.low
        return self.first[mention.constructor] + row

    @cached_property
    def made(self) -> tuple[Made, ...]:
        """How each term is made and taken apart."""
        return tuple(
            Made(*(tuple(self.number(each, around) for each in group) for group in groups))
            for constructor in self.constructors
            for groups in [(constructor.made_from, constructor.opened_with, constructor.parts)]
            for around in _combinations(constructor)
        )

    @cached_property
    def implied(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Each term that can be made, behind those that it can be made from, with what it is made from."""
        numbers = (
            self.first[each.name] + row
            for each in self.inside_out
            if each.made_from
            for row in range(each.count)
        )
        return tuple((number, self.made[number].made_from) for number in numbers)

    # --- deduction, slow and plain ------------------------------------------------------------------

    def closure(self, heard: Iterable[int]) -> frozenset[int]:
        """Everything that can be derived from what was heard."""
        known = set(heard)
        while more := set(self._next(known)) - known:
            known |= more
        return frozenset(known)

    def _next(self, known: set[int]) -> Iterator[int]:
        for number, term in enumerate(self.made):
            if term.made_from and known.issuperset(term.made_from):
                yield number
            if number in known and known.issuperset(term.opened_with):
                yield from term.parts

    # --- how long a deduction can take --------------------------------------------------------------

    @cached_property
    def rounds(self) -> int:
        """So many rounds always suffice to find what follows from one more term.

        One round for the keys that are known, one more if a key may have to be made first, and one more for
        each key on the longest way on which every key may bring the next one to light.
        """
        found = self._found_by
        reach = {key: _reachable(key, found) for key in found}
        longest: dict[int, int] = {}
        for key in sorted(reach, key=lambda each: len(reach[each])):
            circle = {other for other in reach[key] if key in reach[other]}
            beyond = (longest[other] for other in reach[key] - circle)
            longest[key] = len(circle) + max(beyond, default=0)
        keys = {key for term in self.made for key in term.opened_with}
        first = 2 if any(self.made[key].made_from for key in keys) else 1
        return first + max(longest.values(), default=0)

    @cached_property
    def _found_by(self) -> Mapping[int, frozenset[int]]:
        """For each key that may come to light, those that may do so when it opens something."""
        behind: dict[int, set[int]] = {}
        hidden: set[int] = set()
        for number, term in enumerate(self.made):
            hidden |= set(term.parts)
            for key in term.opened_with:
                behind.setdefault(key, set()).update(self._inside(number))
        helps = {key: self._ingredients(key) for key in behind}
        gained = {key for key in behind if helps[key] & hidden}
        return {key: frozenset(other for other in gained if helps[other] & behind[key]) for key in gained}

    def _inside(self, number: int) -> frozenset[int]:
        """What may be found in a term, at any depth."""
        return frozenset().union(*({part} | self._inside(part) for part in self.made[number].parts))

    def _ingredients(self, number: int) -> frozenset[int]:
        """A term and what it can be made from, at any depth."""
        return frozenset({number}).union(*map(self._ingredients, self.made[number].made_from))


def _combinations(constructor: Constructor) -> Iterator[dict[str, int]]:
    names = [name for name, _ in constructor.arguments]
    for values in product(*(range(type_.low, type_.high + 1) for _, type_ in constructor.arguments)):
        yield dict(zip(names, values, strict=True))


def _reachable(start: int, edges: Mapping[int, frozenset[int]]) -> frozenset[int]:
    found, waiting = {start}, [start]
    while waiting:
        more = edges[waiting.pop()] - found
        found |= more
        waiting += more
    return frozenset(found)
