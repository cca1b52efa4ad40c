"""What there is in an NSQ deployment: daemons, clients, streams, and what an nsqd says to a lookupd."""

from enum import Enum

from angarium import Index, Record


class Producer(Index):
    """An application that publishes."""


class Nsqd(Index):
    """A daemon that receives, queues and pushes messages."""


class Lookupd(Index):
    """A daemon that knows which nsqds have which topic, and which channels a topic has."""


class Consumer(Index):
    """An application that subscribes to one channel of one topic, on every nsqd that has the topic."""


class Topic(Index):
    """A stream of messages."""


class Channel(Index):
    """A copy of a topic's stream, shared by the consumers that subscribe to it."""


class Message(Index):
    """A message."""


class Command(Enum):
    """What an nsqd sends to a lookupd."""

    REGISTER = "I have this topic, or this channel of it"
    LOOKUPCHA = "which channels does this topic have?"


class Request(Record):
    """A command, who sends it, and what it is about."""

    command: Command
    nsqd: Nsqd
    topic: Topic
    channel: Channel | None


class Store(Enum):
    """Where an nsqd keeps what is queued: `--mem-queue-size` above what ever waits, or 0."""

    MEMORY = "memory"
    DISK = "disk"
