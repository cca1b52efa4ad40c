"""Queues that are each wrong in one way, as real ones have been.

Each is a right queue with one mistake: `angarium conform examples/queues/wrong.py:DropsWhenFull` finds it.
"""

from angarium.contracts.subjects import Message
from angarium.contracts.subjects.memory import OrderedMapQueue


class DeletesTooLittle(OrderedMapQueue):
    """Deletes up to a number, but not this one."""

    def delete_all(self, seq: int) -> None:
        super().delete_all(seq - 1)


class DeletesTooMuch(OrderedMapQueue):
    """Deletes up to a number, and the one above as well."""

    def delete_all(self, seq: int) -> None:
        super().delete_all(seq + 1)


class PicksByTakingOut(OrderedMapQueue):
    """Gives a message by taking it out, so that it cannot be sent a second time."""

    def pick_one(self) -> Message:
        picked = super().pick_one()
        self.delete_all(picked.num)
        return picked


class DropsWhenFull(OrderedMapQueue):
    """Says that it has taken a message, and drops it, because it holds three already."""

    def __init__(self) -> None:
        super().__init__(capacity=3)

    def enqueue(self, msg: Message) -> bool:
        super().enqueue(msg)
        return True


class CountsWhatCame(OrderedMapQueue):
    """Takes itself for empty if nothing has ever come, however much was deleted since."""

    def __init__(self) -> None:
        super().__init__()
        self._came = 0

    def enqueue(self, msg: Message) -> bool:
        self._came += 1
        return super().enqueue(msg)

    def empty(self) -> bool:
        return self._came == 0


class PicksFromACache(OrderedMapQueue):
    """Remembers what it gave last, and does not forget it when it is deleted."""

    def __init__(self) -> None:
        super().__init__()
        self._cached: Message | None = None

    def pick_one(self) -> Message:
        if self._cached is None:
            self._cached = super().pick_one()
        return self._cached
