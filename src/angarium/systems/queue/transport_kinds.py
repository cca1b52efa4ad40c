"""What goes to and fro between the two ends of the transport, and what becomes of a message."""

from enum import Enum

from angarium import Index, Record, integer


class Message(Index):
    """A message; the application sends them in the order of their numbers."""


class Life(Index, label="life"):
    """The time of the receiver between two restarts: its incarnation number."""


class WhenFull(Enum):
    """What a refusal does to the number that the message would have had."""

    NUMBER_IS_USED_UP = "number-is-used-up"
    NUMBER_IS_KEPT = "number-is-kept"


class Unsure(Enum):
    """What a sender does with what is unacknowledged when it learns that the receiver has restarted."""

    GIVES_UP = "gives-up"
    SENDS_AGAIN = "sends-again"


class Fate(Enum):
    """What the sender knows of a message."""

    UNSENT = "the application has not asked for it yet"
    REFUSED = "the queue was full, and the application was told"
    ACCEPTED = "it is in the queue"
    ACKNOWLEDGED = "the receiver has said that it has it"
    GIVEN_UP = "one side has restarted, and nobody can say whether it has arrived"


class Packet(Record):
    """What the queue holds."""

    message: Message
    number: int = integer(0, 15)


class Data(Record):
    """A message on its way, under the sender's life and the life of the receiver that it is meant for."""

    message: Message
    target: Life | None
    number: int = integer(0, 15)
    source: int = integer(0, 2)


class Kind(Enum):
    """What a receiver answers."""

    ACK = "this number has come"
    NOTICE = "this is the life in which I am"


class Answer(Record):
    """An acknowledgement on its way, or a notice, which is about no message.

    Of an acknowledgement, the datagram has the number and the lives; the message is for the model alone.
    """

    kind: Kind
    message: Message
    target: Life
    number: int = integer(0, 15)
    source: int = integer(0, 2)
