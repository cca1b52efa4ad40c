"""What there is in the recovery protocol: brokers, statements, a packet, and ways to do things."""

from enum import Enum

from angarium import Index


class Broker(Index):
    """A broker, with an interface to each of its neighbours."""


class Serial(Index, label="s"):
    """How many statements a broker has made before this one; the first says that all is well."""


class Shape(Enum):
    """How brokers are linked."""

    LINE = "each with the next"
    RING = "each with the next, and the last with the first"
    CHORD = "a ring, and a link between the first and the third"


def linked_up(shape: Shape, brokers: int, a: Broker, b: Broker) -> bool:
    """Whether there is a link, by its lower end and its higher end."""
    if a + 1 == b:
        return True
    if shape == Shape.CHORD and a == 0 and b == 2:
        return True
    return shape != Shape.LINE and a == 0 and b == brokers - 1


class Network(Enum):
    """What happens to notices and acknowledgements under way. They may always overtake each other."""

    PROMPT = "an acknowledgement is back in the same step, unless it gets lost"
    SLOW = "acknowledgements are under way, as notices are"
    COPYING = "and what has arrived may arrive again"


class Packets(Enum):
    """By which table a packet of data is sent on, if there is one."""

    NONE = "no packet"
    PLAIN = "by the table that the broker uses where it is"
    COLOURED = (
        "by the table of the colour that it was sent with; dropped where that leads to a dead neighbour"
    )
    RECOLOURED = "the same; there it takes on all failures that the broker knows besides its own"


class Switching(Enum):
    """When a broker begins to use another table."""

    FREE = "as soon as it has learnt something"
    ORDERED = "when no neighbour with a table of another colour sends to it any more"


class Belief(Enum):
    """Which statements brokers believe, and whether they compare what they have come to believe."""

    CREDULOUS = "what is later on a circle of numbers; nobody compares"
    CHECKED = "what is later in a row of numbers without end, unless far ahead; neighbours compare"


class Fault(Enum):
    """What is wrong with the protocol."""

    NONE = "nothing"
    UNION = "what is learnt is added to what is known (contradiction 20)"
    NUMBER_RESETS = "after the highest number comes 1, and numbers are compared plainly (21)"
    FORGETS = "a broker that knows of failures and notices one more forgets those that others told it of (19)"
    FLOODS_OLD = "a broker that notices a change tells the colour that it had before (19)"
    NO_RETRANSMISSION = "what gets lost is not sent again"
    NO_EXCHANGE = "a neighbour that is back is told only that"
    ANY_AGE = "what arrives is taken, however old it is"
    ANY_NUMBER = "what arrives is taken, however far ahead it is"
    NO_COMPARISON = "neighbours do not compare what they hold"
    NO_ANSWER = "who hears a forged statement in its own name says nothing"


class Fate(Enum):
    """What has become of the packet."""

    UNSENT = "not sent yet"
    UNDER_WAY = "at a broker that is to send it on"
    ARRIVED = "where it was to go"
    LOST = "sent over a cut link, or dropped"
