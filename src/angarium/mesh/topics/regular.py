"""Regular expressions over the characters of Kafka's topic names, taken apart letter by letter.

The partial derivatives of a term (Antimirov, 1996) are what can be left of it when one character has been
read. There are no more of them, in all, than characters are written in the expression, and they are the
states of an automaton: whatever the expression, matching is linear and nothing can run away. Only what must
not come next is followed all at once, as a set of terms, and such sets can be many; `work` says how many.
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


@dataclass(frozen=True, slots=True)
class Without:
    """The names of a term, but for those that one of `never` has too."""

    part: Term
    never: frozenset[Term]


Term = Letter | Row | Choice | Repeat | Without
NOTHING_LEFT = Row()
EVERYTHING = Repeat(Letter(ALL))


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
        case Without(part, never):
            return may_be_empty(part) and not any(map(may_be_empty, never))


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
        case Without(part, never):
            return _beginnings_without(part, never)


def _beginnings_of_row(parts: tuple[Term, ...]) -> Beginnings:
    return [
        (chars, row(left, *parts[index + 1 :]))
        for index, part in enumerate(_first(parts))
        for chars, left in beginnings(part)
    ]


def _first(parts: tuple[Term, ...]) -> tuple[Term, ...]:
    """The parts of a row with which it can begin: all up to one that is not empty."""
    full = (index for index, part in enumerate(parts) if not may_be_empty(part))
    return parts[: next(full, len(parts)) + 1]


def _beginnings_without(part: Term, never: frozenset[Term]) -> Beginnings:
    """Characters are told apart by what is left behind them of what must not be."""
    groups: dict[frozenset[Term], frozenset[str]] = {frozenset(): ALL}
    for chars, left in (each for term in never for each in beginnings(term)):
        groups = _told_apart(groups, chars, left)
    return [
        (chars & among, Without(after, left) if left else after)
        for chars, after in beginnings(part)
        for left, among in groups.items()
        if chars & among and EVERYTHING not in left
    ]


def _told_apart(
    groups: dict[frozenset[Term], frozenset[str]], chars: frozenset[str], left: Term
) -> dict[frozenset[Term], frozenset[str]]:
    found: dict[frozenset[Term], frozenset[str]] = {}
    for terms, among in groups.items():
        for more, some in ((terms | {left}, among & chars), (terms, among - chars)):
            if some:
                found[more] = found.get(more, frozenset()) | some
    return found


def not_empty(term: Term) -> Term:
    """The names of a term, but for the empty one."""
    if not may_be_empty(term):
        return term
    options = tuple(row(Letter(chars), left) for chars, left in beginnings(term))
    return options[0] if len(options) == 1 else Choice(options)


def work(term: Term, most: int) -> int:
    """What it costs to follow all that can be left of a term; counted until there are `most`."""
    seen, waiting, count = {term}, [term], 0
    while waiting and count < most:
        each = waiting.pop()
        count += _cost(each)
        new = {left for _, left in beginnings(each)} - seen if count < most else set()
        seen |= new
        waiting += new
    return count


def _cost(term: Term) -> int:
    """About how many terms are made when its beginnings are asked for, each as often as it has parts."""
    match term:
        case Letter():
            return 1
        case Row(parts):
            return 1 + len(parts) * sum(map(_cost, _first(parts)))
        case Choice(parts):
            return 1 + sum(map(_cost, parts))
        case Repeat(part):
            return 1 + _cost(part)
        case Without(part, never):
            return _cost(part) + sum(map(_cost, never))
