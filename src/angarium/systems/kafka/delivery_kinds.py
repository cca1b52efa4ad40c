"""What there is between a Kafka producer and a reader: brokers, a topic's partitions, and messages."""

from enum import Enum

from angarium import Index


class Broker(Index):
    """A broker that has replicas of the partitions."""


class Partition(Index):
    """A partition of the topic: a log that is replicated."""


class Message(Index):
    """A record that the producer sends, in the order of their numbers."""


class Acks(Enum):
    """What a producer waits for: acks=0, acks=1, acks=all."""

    NONE = "none"
    LEADER = "leader"
    ALL = "all"


class Phase(Enum):
    """How far the producer is with a message."""

    UNSENT = "not yet sent"
    SENT = "a request is on its way"
    APPENDED = "a leader has appended it, and will answer"
    RETRY = "it failed, and is sent again"
    SETTLED = "acknowledged or given up"
