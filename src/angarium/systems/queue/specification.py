"""The message queue's contract, after a published queue that was verified with Ivy.

A transport keeps what it has sent to a host until that host acknowledges it. `enqueue` may refuse, so that
an implementation can be bounded. `pick_one` gives any message that is there. `delete_all` forgets every
message up to a number, because acknowledgements are cumulative. Two messages in the queue never have the
same number, which is the caller's duty.
"""

from __future__ import annotations

from angarium.contracts import (
    Answer,
    Order,
    Sort,
    Specification,
    conjecture,
    contract,
    ensure,
    implies,
    require,
)


class Number(Order):
    """Sequence numbers."""


class Message(Sort):
    """What is sent; of its payload nothing needs to be known."""

    num: Number


class Queue(Specification):
    """Holds messages that were sent and not yet acknowledged."""

    contents: set[Message]

    def __init__(self) -> None:
        self.contents.clear()

    @contract
    def enqueue(self, msg: Message) -> Answer[bool]:
        """Add a message, or refuse it."""
        require(all(m.num != msg.num for m in self.contents))
        ok = yield
        if ok:
            self.contents.add(msg)

    @contract
    def empty(self) -> Answer[bool]:
        """Whether there is no message."""
        res = yield
        ensure(all(not res for _ in self.contents))
        ensure(res or any(True for _ in self.contents))

    @contract
    def pick_one(self) -> Answer[Message]:
        """Some message; it stays in the queue."""
        require(any(True for _ in self.contents))
        res = yield
        ensure(res in self.contents)

    @contract
    def delete_all(self, seq: Number) -> Answer[None]:
        """Forget every message up to a number, and this one too."""
        self.contents = {m for m in self.contents if not m.num <= seq}
        yield

    @conjecture
    def numbers_differ(self, x: Message, y: Message) -> bool:
        """Two messages in the queue have different numbers."""
        return implies(x in self.contents and y in self.contents and x.num == y.num, x == y)
