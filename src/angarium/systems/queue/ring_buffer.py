"""A bounded implementation: a ring buffer that refuses what it cannot hold in order.

The slots from `oldest` up to `free`, round the ring, hold the messages in the order in which they came. One
slot stays free, so that `oldest == free` means empty. Numbers grow from slot to slot, which is what makes
`delete_all` cheap: it moves `oldest` on until the number is larger. A message that would break that order is
refused, as is one for which there is no room: the contract allows it.

It is proved for a ring of any size. That the loop ends is not proved: each round takes one message.
"""

from __future__ import annotations

from angarium.contracts import Implementation, Ring, between, conjecture, every, implies, invariant
from angarium.systems.queue.specification import Message, Number, Queue


class Slot(Ring):
    """A place in the ring."""


class RingBufferQueue(Implementation):
    """Keeps messages in a ring, oldest first, with growing numbers; refuses what does not fit."""

    spec: Queue
    item: dict[Slot, Message]
    oldest: Slot
    newest: Slot
    free: Slot

    def __init__(self) -> None:
        self.free = self.oldest

    def used(self, s: Slot) -> bool:
        return between(self.oldest, s, self.free)

    def held(self, y: Message) -> bool:
        return any(self.item[s] == y and self.used(s) for s in every(Slot))

    def in_turn(self, s: Slot, t: Slot) -> bool:
        return self.used(s) and self.used(t) and between(self.oldest, s, t)

    def enqueue(self, msg: Message) -> bool:
        if self.free.next == self.oldest:
            return False
        if self.oldest != self.free and not self.item[self.newest].num < msg.num:
            return False
        self.item[self.free] = msg
        self.newest = self.free
        self.free = self.free.next
        return True

    def empty(self) -> bool:
        return self.oldest == self.free

    def pick_one(self) -> Message:
        return self.item[self.oldest]

    def delete_all(self, seq: Number) -> None:
        while self.oldest != self.free and self.item[self.oldest].num <= seq:
            invariant(all(self.holds_above(y, seq) for y in every(Message)))
            invariant(all(self.growing(s, t) for s in every(Slot) for t in every(Slot)))
            self.oldest = self.oldest.next

    def holds_above(self, y: Message, seq: Number) -> bool:
        """Of what the ring still holds, the contents are what is above a number."""
        return (y in self.spec.contents) == (self.held(y) and not y.num <= seq)

    @conjecture
    def represents(self, y: Message) -> bool:
        """The queue holds exactly the messages in used slots."""
        return (y in self.spec.contents) == self.held(y)

    @conjecture
    def growing(self, s: Slot, t: Slot) -> bool:
        """Numbers grow from slot to slot."""
        return implies(self.in_turn(s, t), self.item[s].num < self.item[t].num)

    @conjecture
    def newest_before_free(self) -> bool:
        """Unless the ring is empty, the newest message lies just before the free slot."""
        return self.oldest == self.free or (self.used(self.newest) and self.newest.next == self.free)
