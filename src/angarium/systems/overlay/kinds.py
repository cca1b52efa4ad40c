"""What there is in an overlay: brokers, topics, a message, and mistakes in a table."""

from enum import Enum

from angarium import Index


class Broker(Index):
    """A broker, with a routing table."""


class Topic(Enum):
    """What is published and subscribed to."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"


class Fate(Enum):
    """What has become of the message."""

    UNPUBLISHED = "not published yet"
    UNDER_WAY = "at a broker that is to send it on"
    ARRIVED = "with the subscriber"
    DROPPED = "nowhere any more"


class Mistake(Enum):
    """What is wrong with the table of the fourth of six brokers."""

    NONE = "nothing"
    ONE_ENTRY = "what is for the fifth is sent to the sixth"
    ALL_ENTRIES = "everything is sent to the sixth"
    NO_ENTRY = "there is no entry for the fifth"
