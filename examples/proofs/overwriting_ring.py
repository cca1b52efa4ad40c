"""A ring buffer that is wrong: when it is full, it writes over the oldest message and says that all is well.

    angarium prove examples/proofs/overwriting_ring.py

The proof fails where it should: `enqueue` does not keep what the ring holds, because somebody relied on the
oldest message until it is acknowledged. `delete_all` is wrong as well: it takes one message, not all.
"""

from __future__ import annotations

from angarium.contracts import Implementation, Ring, between, conjecture, every, implies
from angarium.systems.queue.specification import Message, Number, Queue


class Slot(Ring):
    """A place in the ring."""


class OverwritingRing(Implementation):
    """Keeps the newest messages in a ring, and forgets the oldest when it is full."""

    spec: Queue
    item: dict[Slot, Message]
    oldest: Slot
    free: Slot

    def __init__(self) -> None:
        self.free = self.oldest

    def enqueue(self, msg: Message) -> bool:
        if self.free.next == self.oldest:
            self.oldest = self.oldest.next
        self.item[self.free] = msg
        self.free = self.free.next
        return True

    def empty(self) -> bool:
        return self.oldest == self.free

    def pick_one(self) -> Message:
        return self.item[self.oldest]

    def delete_all(self, seq: Number) -> None:
        if self.oldest != self.free and self.item[self.oldest].num <= seq:
            self.oldest = self.oldest.next

    @conjecture
    def represents(self, m: Message) -> bool:
        """The queue holds exactly the messages in used slots."""
        return (m in self.spec.contents) == self.held(m)

    @conjecture
    def once(self, s: Slot, t: Slot) -> bool:
        """No message is in two used slots."""
        return implies(self.used(s) and self.used(t) and self.item[s] == self.item[t], s == t)

    def used(self, s: Slot) -> bool:
        return between(self.oldest, s, self.free)

    def held(self, m: Message) -> bool:
        return any(self.item[s] == m and self.used(s) for s in every(Slot))
