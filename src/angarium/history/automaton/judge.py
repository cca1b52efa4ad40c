"""Whether a life can happen in a model, and what must be given up of it if it did.

A life is judged by the automaton in which nothing goes wrong. If it is no run of that, the weakest assumption
to drop is looked for: the smallest set of assumptions without which the life is a run, of equally many those
that the system's table names first. Allowing more never takes a life away. So if the automaton without any
assumption does not have it, none has, and the first letter that cannot happen is named.

A scenario is finite: a life with more deliveries or consumers than it is made for is judged only up to there.
Consumers of a life may be any of the model's: all ways of naming them are tried. So are all readings of what
is in doubt: what happened may have been the one that needs least. Of equals a loss at an end that was seen
comes first: it explains more than a timeout that nobody saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from operator import itemgetter

from angarium.core.result import Verdict
from angarium.history.automaton.automaton import Automaton, explored
from angarium.history.automaton.letters import MEANINGS, Letter, Word, happening, readings
from angarium.history.automaton.projection import Assumption, Lives


@dataclass(frozen=True, slots=True)
class Finding:
    """What a model says of a life."""

    verdict: Verdict
    """Violated: the life cannot happen. Unknown: the model is too small to say."""
    dropped: tuple[str, ...] = ()
    """The assumptions that must be given up so that it can happen."""
    cannot: str | None = None
    """The event that cannot happen."""
    reason: str | None = None
    """Why it is unknown."""


class Judge:
    """The automata of a system; each is made when it is first needed."""

    def __init__(self, lives: Lives) -> None:
        self.lives = lives
        self._automata: dict[tuple[str, ...], Automaton] = {}

    def finding(self, word: Word) -> Finding:
        """What the model says of a life."""
        seen = [
            tuple(each for each in reading if each.kind not in self.lives.ignores)
            for reading in readings(word)
        ]
        within = [_within(each, self.lives) for each in seen]
        dropped = self._weakest(within)
        if dropped is None:
            return self._impossible(within)
        names = tuple(each.name for each in dropped)
        if within != seen:
            return Finding(Verdict.UNKNOWN, names, reason=self._beyond(seen, within))
        return Finding(Verdict.HOLDS, names)

    def _beyond(self, seen: Sequence[Word], within: Sequence[Word]) -> str:
        """Why a life is not judged to its end."""
        kinds = (each[len(part)].kind for each, part in zip(seen, within, strict=True) if each != part)
        for kind in kinds:
            if kind in self.lives.outside:
                return f"{self.lives.system} says nothing of {MEANINGS[kind][1]}"
        deliveries, consumers = self.lives.deliveries, self.lives.consumers
        of_whom = f"{consumers} consumers" if consumers > 1 else "one consumer"
        return f"{self.lives.system} is explored for {deliveries} deliveries of a message to {of_whom}"

    def _impossible(self, within: Sequence[Word]) -> Finding:
        """Named is what cannot happen in the reading that goes furthest."""
        place, word = max(
            ((self._rejects(self.lives.assumptions, each) or 0, each) for each in within), key=itemgetter(0)
        )
        system, kind = self.lives.system, word[place].kind
        if kind not in self.lives.alphabet:
            return Finding(Verdict.VIOLATED, cannot=f"{system} has no such thing as {MEANINGS[kind][1]}")
        what = happening(word, place)
        return Finding(Verdict.VIOLATED, cannot=f"{what} cannot happen in {system}, whatever fails")

    def _weakest(self, within: Sequence[Word]) -> tuple[Assumption, ...] | None:
        """The smallest set of assumptions to drop so that some reading is a run; None if there is none."""
        everything = self.lives.assumptions
        for size in range(len(everything) + 1):
            if size == 2 and all(self._rejects(everything, each) is not None for each in within):
                return None
            for each, dropped in product(within, combinations(everything, size)):
                if self._rejects(dropped, each) is None:
                    return dropped
        return None

    def _rejects(self, dropped: tuple[Assumption, ...], word: Word) -> int | None:
        """The first letter that cannot happen, however the consumers are named."""
        automaton = self._automaton(dropped)
        places = []
        for renamed in _renamed(word, self.lives.consumers):
            place = automaton.rejects(renamed)
            if place is None:
                return None
            places.append(place)
        return max(places)

    def _automaton(self, dropped: tuple[Assumption, ...]) -> Automaton:
        names = tuple(each.name for each in dropped)
        if names not in self._automata:
            changed = {name: value for each in dropped for name, value in each.drop.items()}
            self._automata[names] = explored(self.lives, changed)
        return self._automata[names]


def _within(word: Word, lives: Lives) -> Word:
    """As much of a life as the scenario is made for."""
    deliveries = 0
    for place, letter in enumerate(word):
        deliveries += letter.kind == "d"
        beyond = deliveries > lives.deliveries or letter.consumer > lives.consumers
        if beyond or letter.kind in lives.outside:
            return word[:place]
    return word


def _renamed(word: Word, consumers: int) -> Iterator[Word]:
    used = max((each.consumer for each in word), default=0)
    for names in permutations(range(1, consumers + 1), used):
        yield tuple(Letter(each.kind, names[each.consumer - 1] if each.consumer else 0) for each in word)
