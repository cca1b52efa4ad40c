"""What there is in the paper's Kafka: partitions with leader and followers, data items, and consumers."""

from enum import Enum

from angarium import Index


class Partition(Index):
    """A part of the topic, with one leader and some followers; it keeps its items in order."""


class Follower(Index):
    """A copy of a partition: f1 of one partition and f1 of another are different brokers."""


class Item(Index):
    """A data item, numbered in each partition in the order in which it is produced."""


class Consumer(Index):
    """A member of the one consumer group."""


class Acks(Enum):
    """When an item counts as delivered: Kafka's `acks` 0, 1 and all."""

    NONE = "none"
    LEADER = "leader"
    ALL = "all"
