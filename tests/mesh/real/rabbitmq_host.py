"""A virtual host of a RabbitMQ node as a client in rounds: what is in its queues is taken out and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pika.adapters.blocking_connection import BlockingChannel


class Host:
    """Publishes to exchanges, and counts copies by the queue in which they were."""

    def __init__(self, channel: BlockingChannel, queues: Sequence[str]) -> None:
        self._channel, self._queues = channel, queues
        self._counts: Counter[tuple[str, str]] = Counter()

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """By what a message says, and the queue."""
        for queue in self._queues:
            while (got := self._channel.basic_get(queue, auto_ack=True))[0] is not None:
                self._counts[got[2].decode(), queue] += 1
        return self._counts

    def publish(self, topic: str, says: str) -> None:
        """A topic is an exchange and a key."""
        exchange, key = topic.split()
        self._channel.basic_publish(exchange, key, says.encode())
