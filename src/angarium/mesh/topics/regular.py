"""Regular expressions over the characters of Kafka's topic names, taken apart letter by letter.

The partial derivatives of a term (Antimirov, 1996) are what can be left of it when one character has been
read. There are no more of them, in all, than characters are written in the expression, and they are the
states of an automaton: whatever the expression, matching is linear and nothing can run away.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters, digits

LETTERS = ascii_letters + digits + "._-"
"""The characters that a topic's name may have, the most readable first."""
ALL = frozenset(LETTERS)
RANK = {letter: rank for rank, letter in enumerate(LETTERS)}


@dataclass(frozen=True, slots=True)
class Letter:
    """One character of these."""

    chars: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One behind the other; without parts: the empty name."""

    parts: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Any of them."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One behind the other, `most` of them or fewer; None: any number."""

    part: Term
    most: int | None = None


Term = Letter | Row | Choice | Repeat
NOTHING_LEFT = Row()


def row(first: Term, *rest: Term) -> Term:
    """One behind the other, without rows in rows."""
    parts = tuple(
        each for part in (first, *rest) for each in (part.parts if isinstance(part, Row) else (part,))
    )
    return parts[0] if len(parts) == 1 else Row(parts)


def may_be_empty(term: Term) -> bool:
    """Whether the empty name is one of its names."""
    match term:
        case Letter():
            return False
        case Row(parts):
            return all(map(may_be_empty, parts))
        case Choice(parts):
            return any(map(may_be_empty, parts))
        case Repeat():
            return True


Beginnings = list[tuple[frozenset[str], Term]]


def beginnings(term: Term) -> Beginnings:
    """Which characters it can begin with, and what is left behind them."""
    match term:
        case Letter(chars):
            return [(chars, NOTHING_LEFT)] if chars else []
        case Choice(parts):
            return [each for part in parts for each in beginnings(part)]
        case Repeat(part, most):
            again = term if most is None else Repeat(part, most - 1) if most > 1 else NOTHING_LEFT
            return [(chars, row(left, again)) for chars, left in beginnings(part)]
        case Row(parts):
            return _beginnings_of_row(parts)


def _beginnings_of_row(parts: tuple[Term, ...]) -> Beginnings:
    found: Beginnings = []
    for index, part in enumerate(parts):
        found += [(chars, row(left, *parts[index + 1 :])) for chars, left in beginnings(part)]
        if not may_be_empty(part):
            break
    return found
