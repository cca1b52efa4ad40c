"""The queue of unacknowledged messages in Redis: as a stream, and as a list.

A stream is ordered by its entries' ids, which must grow: the number becomes the id, and a message with a
number below one that was there before is refused, which the contract allows. Everything up to a number is
trimmed off at once.

A list keeps what it was given in the order in which it came. Numbers need not come in order, so whatever is
to be deleted may stand anywhere; it is looked for here and not in a script of the server, whose numbers
have only 53 exact bits. If somebody else changes the list meanwhile, the transaction is void and tried again.
"""

from __future__ import annotations

from pathlib import Path

from angarium.contracts.subjects.message import Message
from angarium.contracts.subjects.redis_client import Client, RedisError, Reply

_KEY = "angarium:queue"
_LARGEST_ID = 2**64 - 1


class _RedisQueue:
    """A queue under one key of a server, empty at the beginning."""

    def __init__(self, path: Path) -> None:
        self._client = Client(path)
        self._client.ask("DEL", _KEY)

    def close(self) -> None:
        """Leave the server."""
        self._client.close()


class RedisStreamQueue(_RedisQueue):
    """Messages as entries of a stream, whose ids are their numbers."""

    def enqueue(self, msg: Message) -> bool:
        """Put a message in, and say so; it is refused if its number is not above all before, or too large."""
        if msg.num > _LARGEST_ID:
            return False
        try:
            self._client.ask("XADD", _KEY, f"{msg.num}-1", type(msg.payload).__name__, msg.payload)
        except RedisError as problem:
            if "equal or smaller" in str(problem):
                return False
            raise
        return True

    def empty(self) -> bool:
        """Whether nothing is in the queue."""
        return self._client.ask("XLEN", _KEY) == 0

    def pick_one(self) -> Message:
        """The message with the lowest number; there must be one."""
        match self._client.ask("XRANGE", _KEY, "-", "+", "COUNT", 1):
            case [[bytes(entry), [bytes(kind), bytes(payload)]]]:
                return _message(entry.partition(b"-")[0], kind, payload)
        raise LookupError("the queue is empty: ask empty() before pick_one()")

    def delete_all(self, seq: int) -> None:
        """Take out every message whose number is at most this one."""
        limit = ("MINID", seq + 1) if seq < _LARGEST_ID else ("MAXLEN", 0)
        self._client.ask("XTRIM", _KEY, *limit)


class RedisListQueue(_RedisQueue):
    """Messages as elements of a list, each with its number in front."""

    def enqueue(self, msg: Message) -> bool:
        """Put a message in, and say so."""
        payload = msg.payload if isinstance(msg.payload, bytes) else msg.payload.encode()
        self._client.ask("RPUSH", _KEY, b"%d %b %b" % (msg.num, type(msg.payload).__name__.encode(), payload))
        return True

    def empty(self) -> bool:
        """Whether nothing is in the queue."""
        return self._client.ask("LLEN", _KEY) == 0

    def pick_one(self) -> Message:
        """The message that came first; there must be one."""
        for element in self._elements(0, 0):
            return _message(*element.split(b" ", 2))
        raise LookupError("the queue is empty: ask empty() before pick_one()")

    def delete_all(self, seq: int) -> None:
        """Take out every message whose number is at most this one."""
        done: Reply = None
        while done is None:
            self._client.ask("WATCH", _KEY)
            gone = [each for each in self._elements(0, -1) if int(each.partition(b" ")[0]) <= seq]
            self._client.ask("MULTI")
            for element in gone:
                self._client.ask("LREM", _KEY, 0, element)
            done = self._client.ask("EXEC")

    def _elements(self, first: int, last: int) -> list[bytes]:
        found = self._client.ask("LRANGE", _KEY, first, last)
        return [each for each in found if isinstance(each, bytes)] if isinstance(found, list) else []


def _message(number: bytes, kind: bytes, payload: bytes) -> Message:
    """A message again; the name of its payload's type was stored beside it."""
    return Message(int(number), payload if kind == b"bytes" else payload.decode())
