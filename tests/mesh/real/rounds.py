"""What a mesh of real brokers does with messages, compared with what is predicted from its files.

Messages are published in rounds. Connections may still come up in the first ones, and go over to other
brokers after a failure; so a prediction is confirmed when it was met in some rounds, one after the other, and
no copy of these has come late. It is refuted when the same came instead in some rounds, each of which was
given twice the time of the one before: on a busy machine rounds differ until it has kept up.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.topics.dialects import topic_of
from tests.waiting import PATIENCE

Place = tuple[str, str]
"""A broker, and a topic or a queue."""
Copies = Counter[Place]
Wrong = dict[tuple[str, str], tuple[Copies, Copies, Copies]]
"""By origin and topic: the least and the most copies that are predicted, and those that came."""
IN_A_ROW = 3
"""Rounds that must be as predicted."""
NO_SCOPES: Mapping[str, str] = {}
REFUTING = 6
"""Rounds that must differ from what is predicted, and all in the same way."""


class Client(Protocol):
    """Wants everything at a broker, counts it, and publishes."""

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """By what a message says, and its topic or queue here."""

    def publish(self, topic: str, says: str) -> None: ...


@dataclass(frozen=True)
class Message:
    """What is published where, and who is to get how many copies."""

    origin: str
    topic: str
    least: Copies
    most: Copies

    def fits(self, seen: Copies) -> bool:
        """Whether everybody got as many as predicted."""
        return all(self.least[each] <= seen[each] <= self.most[each] for each in {*self.least, *seen})


def exactly(origin: str, topic: str, copies: Mapping[Place, int]) -> Message:
    """A message of which each copy is certain."""
    return Message(origin, topic, Counter(copies), Counter(copies))


def predicted(
    mesh: Mesh,
    topics: list[str],
    failures: Failures = NOTHING,
    scopes: Mapping[str, str] = NO_SCOPES,
    at_most: bool = False,
) -> Iterator[Message]:
    """Of every topic at every living broker, in the scope of its clients; what would go round is left out.

    Where files leave open what may be dropped, no more may come than is predicted (`at_most`).
    """
    forwarding = Forwarding(mesh)
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    for origin in dialects.keys() - failures.brokers:
        for text in topics:
            spread = forwarding.spread(
                origin, topic_of(text, dialects[origin], scopes.get(origin, "")), failures
            )
            expected: Copies = Counter()
            for each in spread.arrivals:
                scope, _, topic = each.topic.rpartition(": ")
                if scope == scopes.get(each.broker, ""):
                    expected[each.broker, topic] += each.copies or 0
            if not spread.loops:
                least: Copies = Counter() if at_most else expected
                yield Message(origin, text, least, expected)


class Rounds:
    """One mesh, asked again and again; the first round that differs is given so many seconds."""

    def __init__(self, clients: Mapping[str, Client], first: float = 1.0) -> None:
        self.clients = dict(clients)
        self._first, self._number = first, 0

    def refuted(self, messages: Iterable[Message]) -> Wrong:
        """What differs to the end, if anything does."""
        asked, end, good, same = list(messages), time.monotonic() + PATIENCE, list[int](), 0
        wrong: Wrong = {}
        while len(good) < IN_A_ROW and same < REFUTING:
            assert time.monotonic() < end, f"neither met nor refuted within {PATIENCE:g} s: {wrong}"
            self._number += 1
            self._publish(asked)
            before, wrong = wrong, self._round(asked, good, self._first * 2**same)
            same = (same if wrong == before else 0) + bool(wrong)
            good = [] if wrong else [*good, self._number]
        return wrong

    def _publish(self, messages: list[Message]) -> None:
        for each in messages:
            self.clients[each.origin].publish(each.topic, self._says(each, self._number))

    @staticmethod
    def _says(message: Message, number: int) -> str:
        return f"{number} {message.origin} {message.topic}"

    def _round(self, messages: list[Message], good: list[int], seconds: float) -> Wrong:
        """What is still different after a while, in this round or late in one that was good."""
        end = time.monotonic() + seconds
        while (wrong := self._differing(messages, self._number)) and time.monotonic() < end:
            time.sleep(0.01)
        return next(filter(None, [wrong, *(self._differing(messages, number) for number in good)]), {})

    def _differing(self, messages: list[Message], number: int) -> Wrong:
        seen: dict[str, Copies] = {self._says(each, number): Counter() for each in messages}
        for name, client in self.clients.items():
            for (says, topic), count in client.counts.copy().items():
                if says in seen:
                    seen[says][name, topic] += count
        came = [(each, seen[self._says(each, number)]) for each in messages]
        return {
            (each.origin, each.topic): (each.least, each.most, copies)
            for each, copies in came
            if not each.fits(copies)
        }
