"""The verified queue in the small: what it should hold, and what its ordered map holds, side by side.

After the message queue that was published with an Ivy proof. Of the four operations `enqueue` adds a message
under its number, `empty` and `pick_one` answer, and `delete_all` forgets every message up to a number,
because acknowledgements are cumulative. `contents` is the abstract state of the specification; `map` is the
implementation, in which `delete_all` erases the keys from `erase_from` to `seq + erase_to`, the last one not
included: 0 and 1 are right, anything else is off by one.

The guarantees are the specification's assertions about the answers, and the two conjectures that make the
proof go through. The proof (`angarium prove queue`) is about any number of messages. Here are few, and in
return the story of a mistake is a run from the beginning: the shortest one, not a counterexample to
induction.

Of two messages with the same number only one can be in the queue at a time: that is the caller's duty, and
the `require` of `enqueue`. There are more messages than numbers, so that a number can come again with another
message.
"""

from enum import Enum

from angarium import (
    Index,
    Model,
    action,
    array,
    count,
    invariant,
    option,
    param,
    require,
    setof,
)


class Number(Index, label="number"):
    """A sequence number; the first is 0 to the implementation."""


class Message(Index):
    """A message; every message has one number."""


class Said(Enum):
    """What `empty` answered, if it was the last operation."""

    NOTHING = "it was not asked"
    EMPTY = "there is no message"
    NOT_EMPTY = "there is a message"


class BoundedQueue(Model):
    """A queue of what is not acknowledged, kept in an ordered map, does what its specification says."""

    numbers = count(Number, 3, high=6)
    messages = count(Message, 4, high=8)
    erase_from = param(0, high=1)  # delete_all erases from here
    erase_to = param(1, high=2)  # to so much more than its number, which is not included

    contents = setof(Message)
    map = array(Number, option(Message))
    said: Said
    picking: bool  # whether pick_one was the last operation, and
    picked = option(Message)  # what it gave

    def number_of(self, m: Message) -> Number:
        return Number(m % self.numbers)

    def forget_answers(self) -> None:
        self.said = Said.NOTHING
        self.picking = False
        self.picked = None

    # --- operations ---------------------------------------------------------------------------------

    @action
    def enqueue(self, m: Message) -> None:
        """Add a message; the caller has none with its number in the queue."""
        require(not any(self.number_of(other) == self.number_of(m) for other in self.contents))
        self.forget_answers()
        self.contents.add(m)
        self.map[self.number_of(m)] = m

    @action
    def empty(self) -> None:
        """Ask whether there is no message."""
        self.forget_answers()
        self.said = Said.EMPTY if all(self.map[n] is None for n in Number) else Said.NOT_EMPTY

    @action
    def pick_one(self) -> None:
        """Ask for a message, which stays in the queue: the one with the lowest number."""
        require(len(self.contents) > 0)
        self.forget_answers()
        self.picking = True
        for n in Number:
            if self.picked is None:
                self.picked = self.map[n]

    @action
    def delete_all(self, seq: Number) -> None:
        """Forget every message up to a number."""
        self.forget_answers()
        for m in Message:
            if self.number_of(m) <= seq:
                self.contents.discard(m)
        for n in Number:
            if self.erase_from <= n < seq + self.erase_to:
                self.map[n] = None

    # --- the specification --------------------------------------------------------------------------

    @invariant
    def empty_if_said_so(self) -> bool:
        """If the answer is that the queue is empty, there is no message in it."""
        return self.said != Said.EMPTY or len(self.contents) == 0

    @invariant
    def not_empty_if_said_so(self) -> bool:
        """If the answer is that the queue is not empty, there is a message in it."""
        return self.said != Said.NOT_EMPTY or len(self.contents) > 0

    @invariant
    def picked_is_in_the_queue(self) -> bool:
        """What is picked is in the queue."""
        return not self.picking or any(self.picked == m for m in self.contents)

    # --- the conjectures ----------------------------------------------------------------------------

    @invariant
    def keyed_by_number(self) -> bool:
        """Every number maps to a message with this number."""
        return all(self.map[n] != m or self.number_of(m) == n for n in Number for m in Message)

    @invariant
    def represents(self) -> bool:
        """The queue holds exactly the messages that their numbers map to."""
        return all((m in self.contents) == (self.map[self.number_of(m)] == m) for m in Message)
