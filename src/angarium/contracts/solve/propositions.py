"""Propositions over unknown truths, simplified as they are made.

Most of what quantifiers expand to is known at once: a variable stands for one element, and whether 0 comes
before 1 is no question. Only what is left goes to the solver, as SMT-LIB text: it is read many times faster
than the solver's own expressions are made one by one in Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Several propositions, joined by a word of SMT-LIB; every object is itself only."""

    word: str
    parts: tuple[Open, ...]


Open: TypeAlias = str | Joined
"""What depends on what is not known; a string is the name of an unknown truth."""
Proposition: TypeAlias = bool | Open


def every(parts: Iterable[Proposition]) -> Proposition:
    """Whether all parts are true; stops at the first that is known to be false."""
    left: list[Open] = []
    for part in parts:
        if not isinstance(part, bool):
            left.append(part)
        elif not part:
            return False
    return _join("and", left) if left else True


def some(parts: Iterable[Proposition]) -> Proposition:
    """Whether some part is true; stops at the first that is known to be."""
    left: list[Open] = []
    for part in parts:
        if not isinstance(part, bool):
            left.append(part)
        elif part:
            return True
    return _join("or", left) if left else False


def negation(of: Proposition) -> Proposition:
    """The opposite."""
    return not of if isinstance(of, bool) else Joined("not", (of,))


def same(left: Proposition, right: Proposition) -> Proposition:
    """Whether both are true or neither is."""
    if isinstance(left, bool):
        return right if left else negation(right)
    if isinstance(right, bool):
        return left if right else negation(left)
    return Joined("=", (left, right))


def exactly_one(parts: Iterable[Open]) -> Iterable[Proposition]:
    """Propositions that together say that one of the parts is true, and no other."""
    each = list(parts)
    yield some(each)
    for place, one in enumerate(each):
        for other in each[:place]:
            yield some((negation(one), negation(other)))


def _join(word: str, parts: list[Open]) -> Open:
    return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))


# --- text -----------------------------------------------------------------------------------


def script(claims: Iterable[Proposition]) -> str:
    """The claims in SMT-LIB; what occurs in several places is written once."""
    text = _Text()
    claimed = [f"(assert {text.name(claim)})" for claim in claims]
    return "\n".join([*text.lines, *claimed])


class _Text:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[Open, str] = {}

    def name(self, of: Proposition) -> str:
        if isinstance(of, bool):
            return str(of).lower()
        if of not in self._names:
            self._names[of] = self._introduce(of)
        return self._names[of]

    def _introduce(self, of: Open) -> str:
        if isinstance(of, str):
            self.lines.append(f"(declare-const {of} Bool)")
            return of
        parts = " ".join(map(self.name, of.parts))
        name = f"joined{len(self._names)}"
        self.lines.append(f"(define-fun {name} () Bool ({of.word} {parts}))")
        return name
