"""What a mesh of real brokers does with messages, compared with what is predicted from its files.

Messages are published in rounds. Connections may still come up in the first ones, and go over to other
brokers after a failure; so a prediction is confirmed when it was met in some rounds, one after the other, and
no copy of these has come late. A prediction that is not met within a time is refuted by what came instead.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.topics.dialects import topic_of

Place = tuple[str, str]
"""A broker, and a topic."""
Copies = Counter[Place]
IN_A_ROW = 3
"""Rounds that must be as predicted."""


class Client(Protocol):
    """Wants everything at a broker, counts it, and publishes."""

    counts: Counter[tuple[str, str]]
    """By what a message says, and its topic here."""

    def publish(self, topic: str, says: str) -> None: ...


@dataclass(frozen=True)
class Message:
    """What is published where, and who is to get how many copies under which names."""

    origin: str
    topic: str
    expected: Copies


def predicted(mesh: Mesh, topics: list[str], failures: Failures = NOTHING) -> Iterator[Message]:
    """Of every topic at every living broker; what would go round for ever is left out."""
    forwarding = Forwarding(mesh)
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    for origin in dialects.keys() - failures.brokers:
        for text in topics:
            spread = forwarding.spread(origin, topic_of(text, dialects[origin]), failures)
            expected: Copies = Counter()
            for each in spread.arrivals:
                expected[each.broker, each.topic] += each.copies or 0
            if not spread.loops:
                yield Message(origin, text, expected)


class Rounds:
    """One mesh, asked again and again."""

    def __init__(self, clients: Mapping[str, Client]) -> None:
        self.clients = dict(clients)
        self._number = 0

    def refuted(
        self, messages: list[Message], seconds: float
    ) -> dict[tuple[str, str], tuple[Copies, Copies]]:
        """By origin and topic: what was predicted and what came, where these differ to the end."""
        end, good = time.monotonic() + seconds, list[int]()
        wrong: dict[tuple[str, str], tuple[Copies, Copies]] = {}
        while len(good) < IN_A_ROW or wrong:
            self._number += 1
            self._publish(messages)
            wrong = self._waited(messages, 1.0)
            late = any(self._differing(messages, number) for number in good)
            good = [] if wrong or late else [*good, self._number]
            if time.monotonic() > end:
                return wrong or self._differing(messages, self._number)
        return wrong

    def _publish(self, messages: list[Message]) -> None:
        for each in messages:
            self.clients[each.origin].publish(each.topic, self._says(each, self._number))

    @staticmethod
    def _says(message: Message, number: int) -> str:
        return f"{number} {message.origin} {message.topic}"

    def _waited(
        self, messages: list[Message], seconds: float
    ) -> dict[tuple[str, str], tuple[Copies, Copies]]:
        """What is still different after a while."""
        end = time.monotonic() + seconds
        while (wrong := self._differing(messages, self._number)) and time.monotonic() < end:
            time.sleep(0.01)
        return wrong

    def _differing(
        self, messages: list[Message], number: int
    ) -> dict[tuple[str, str], tuple[Copies, Copies]]:
        seen: dict[str, Copies] = {self._says(each, number): Counter() for each in messages}
        for name, client in self.clients.items():
            for (says, topic), count in client.counts.copy().items():
                if says in seen:
                    seen[says][name, topic] += count
        found = {
            (each.origin, each.topic): (each.expected, seen[self._says(each, number)]) for each in messages
        }
        return {key: pair for key, pair in found.items() if pair[0] != pair[1]}
