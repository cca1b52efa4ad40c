"""A mailbox: a queue with room for one message, proved against the contract of the bundled queue.

angarium prove examples/proofs/mailbox.py
"""

from __future__ import annotations

from angarium.contracts import Implementation, conjecture
from angarium.systems.queue.specification import Message, Number, Queue


class Mailbox(Implementation):
    """Holds one message and refuses a second."""

    spec: Queue
    full: bool
    letter: Message

    def __init__(self) -> None:
        self.full = False

    def enqueue(self, msg: Message) -> bool:
        if self.full:
            return False
        self.full = True
        self.letter = msg
        return True

    def empty(self) -> bool:
        return not self.full

    def pick_one(self) -> Message:
        return self.letter

    def delete_all(self, seq: Number) -> None:
        self.full = self.full and seq < self.letter.num

    @conjecture
    def represents(self, m: Message) -> bool:
        """The queue holds the letter, if there is one, and nothing else."""
        return (m in self.spec.contents) == (self.full and m == self.letter)
