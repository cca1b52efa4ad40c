"""The queue of unacknowledged messages as an ordered map in memory: from numbers to messages.

It keeps the contract of four operations: what was enqueued and not deleted is in the queue, `empty` says
whether nothing is, `pick_one` gives something that is, and `delete_all` takes out everything up to a number.
Beyond the contract, `pick_one` gives the lowest number, which is what a timer must send again: the receiver
waits for no other.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from angarium.contracts.message import Message


class OrderedMapQueue:
    """Messages by their numbers, in order; up to a capacity, if one is given."""

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = capacity
        self._numbers: list[int] = []
        self._messages: dict[int, Message] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def full(self) -> bool:
        """Whether it would refuse any message."""
        return self._capacity is not None and len(self._numbers) >= self._capacity

    def enqueue(self, msg: Message) -> bool:
        """Put a message in, and say so; it is refused if the queue is full or its number is taken."""
        if self.full or msg.num in self._messages:
            return False
        insort(self._numbers, msg.num)
        self._messages[msg.num] = msg
        return True

    def empty(self) -> bool:
        """Whether nothing is in the queue."""
        return not self._numbers

    def pick_one(self) -> Message:
        """The message with the lowest number; there must be one."""
        if not self._numbers:
            raise LookupError("the queue is empty: ask empty() before pick_one()")
        return self._messages[self._numbers[0]]

    def delete_all(self, seq: int) -> None:
        """Take out every message whose number is at most this one."""
        count = bisect_right(self._numbers, seq)
        for number in self._numbers[:count]:
            del self._messages[number]
        del self._numbers[:count]

    def messages(self) -> list[Message]:
        """Everything that is in the queue, the lowest number first."""
        return [self._messages[number] for number in self._numbers]
