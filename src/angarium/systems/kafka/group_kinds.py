"""What there is in a consumer group: partitions and their records, members, and how clients are set."""

from enum import Enum

from angarium import Index


class Topic(Index):
    """A topic that all members subscribe to."""


class Partition(Index):
    """A partition of a topic; every topic has as many."""


class Entry(Index, label="r"):
    """A record of a partition's log, by its offset: what is here is committed, and stays."""


class Consumer(Index):
    """A process that is, was or will be a member of the group."""


class Commit(Enum):
    """When an application commits the offsets of what it polled."""

    BEFORE = "before it processes the records"
    AFTER = "after it has processed them"
    ANY_TIME = "at any time once it has them"


class Assignment(Enum):
    """The first of `partition.assignment.strategy`."""

    RANGE = "each topic in blocks"
    ROUND_ROBIN = "all partitions of all topics in turn"
    STICKY = "even, and as before where that is possible"
    COOPERATIVE_STICKY = "the same, and only what moves is revoked"


class Reset(Enum):
    """Where a group reads that has committed nothing: `auto.offset.reset`."""

    LATEST = "latest"
    EARLIEST = "earliest"


class Phase(Enum):
    """What the coordinator does."""

    JOIN = "waits until all members have joined"
    SYNC = "waits for the assignment from the group's leader"
    STABLE = "hands out the assignment"


class Stage(Enum):
    """Where a consumer is."""

    LATER = "not started yet"
    JOINING = "has joined, and waits for its partitions"
    ACTIVE = "has its partitions, and polls"
    DEAD = "crashed"
