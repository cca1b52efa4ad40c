"""The event schema: a versioned contract between whoever records a history and whoever audits it.

One row is one event: one thing that a client or a broker did, most often to a message. The table is flat,
and a column that a system does not have is null. The names follow OpenTelemetry's messaging conventions; the
phases are those of Jepsen's histories: an operation is invoked, and then it is ok, it failed, or nobody
knows (`info`).

The contract only grows: a new column is a new minor version, a changed meaning a new major one. Readers take
whatever is of this major version, and say which columns they did not know.
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = "1.0"

OP_TYPES = ("send", "receive", "process", "settle", "control", "flow", "group", "replica", "observe")
PHASES = ("invoke", "ok", "fail", "info")
SETTLES = ("ack", "requeue", "reject", "dead_letter", "extend", "none")
VANTAGES = ("client", "broker")

LONG, INT, TEXT, TRUTH, TEXTS = "bigint", "int", "string", "boolean", "array<string>"
"""The types of columns, as Spark writes them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the event table."""

    name: str
    type: str
    group: str
    meaning: str
    otel: str | None = None
    """The attribute of OpenTelemetry's messaging conventions that it stands for."""
    required: bool = False


COLUMNS: tuple[Column, ...] = (
    Column("run_id", TEXT, "identity", "the history that the event belongs to; default: the file's name"),
    Column("recorder", TEXT, "identity", "who wrote the event down", required=True),
    Column("seq", LONG, "identity", "the event's number at its recorder, from 1 on, without a gap"),
    Column("time_unix_nano", LONG, "identity", "when, in nanoseconds since 1970", required=True),
    Column("clock_domain", TEXT, "identity", "recorders of one domain share a clock; null is a domain too"),
    Column("vantage", TEXT, "identity", "who saw it: client (the default) or broker"),
    Column("system", TEXT, "operation", "rabbitmq, kafka, nsq, nats, …", "messaging.system"),
    Column("op_type", TEXT, "operation", "the kind of operation", "messaging.operation.type", required=True),
    Column("op_name", TEXT, "operation", "the operation as its system calls it", "messaging.operation.name"),
    Column("phase", TEXT, "operation", "invoke, ok, fail, or info: the outcome is not known", required=True),
    Column("error_type", TEXT, "operation", "what went wrong", "error.type"),
    Column("message_id", TEXT, "message", "the producer's name of the message", "messaging.message.id"),
    Column("message_key", TEXT, "message", "what chose its partition", "messaging.kafka.message.key"),
    Column("producer_seq", LONG, "message", "its number at its producer, per destination and partition"),
    Column("attempt", INT, "message", "which attempt to send it, from 1 on"),
    Column("deduplicated", TRUTH, "message", "the broker knew the message already, and stored nothing"),
    Column(
        "destination", TEXT, "place", "the queue, topic or stream; needed where there is a message",
        "messaging.destination.name",
    ),
    Column("partition_id", TEXT, "place", "its partition", "messaging.destination.partition.id"),
    Column("offset", LONG, "place", "where in the log", "messaging.kafka.offset"),
    Column(
        "subscription", TEXT, "place", "the channel, durable consumer or bound queue that is read",
        "messaging.destination.subscription.name",
    ),
    Column("consumer_group", TEXT, "place", "the group that reads", "messaging.consumer.group.name"),
    Column("broker_id", TEXT, "place", "which broker", "server.address"),
    Column("epoch", LONG, "place", "the term of whoever leads"),
    Column("client_id", TEXT, "client", "which client", "messaging.client.id"),
    Column("consumer_id", TEXT, "client", "which consumer; a new one for every subscription"),
    Column("delivery_tag", LONG, "client", "its number", "messaging.rabbitmq.message.delivery_tag"),
    Column("broker_message_id", TEXT, "client", "the broker's own name of the message"),
    Column("redelivered", TRUTH, "client", "the broker says that it has delivered the message before"),
    Column("delivery_count", INT, "client", "the broker's count of its deliveries, from 1 on"),
    Column("settle", TEXT, "settle", "what the consumer decided: " + ", ".join(SETTLES)),
    Column("settle_multiple", TRUTH, "settle", "this delivery tag and all smaller ones"),
    Column("delay_ms", LONG, "settle", "requeue not before this time has passed"),
    Column("credit", LONG, "flow", "how many messages may be in flight: RDY, max_ack_pending"),
    Column("prefetch", LONG, "flow", "the same for AMQP, where 0 means without limit"),
    Column("max_deliveries", LONG, "flow", "how often one message is delivered at most"),
    Column("ack_wait_ms", LONG, "flow", "after this time without a settle the broker takes a message back"),
    Column("single_active", TRUTH, "flow", "of several consumers one is active at a time"),
    Column("generation", LONG, "group", "which assignment of the group's partitions"),
    Column("partitions", TEXTS, "group", "all partitions of a member, or those revoked: `0`, or `topic/0`"),
    Column("replicas", INT, "replica", "how many copies there are to be"),
    Column("isr", TEXTS, "replica", "the brokers whose copies are in step"),
    Column("leader_epoch", LONG, "replica", "the term of the partition's leader"),
)  # fmt: skip

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)
REQUIRED: tuple[str, ...] = tuple(column.name for column in COLUMNS if column.required)
BROKER = "@broker"
"""Ends the name of what a broker saw of a run."""

DDL = ", ".join(f"`{column.name}` {column.type}" for column in COLUMNS)
"""The schema as Spark reads it."""

MESSAGE_OPS = ("send", "receive", "process", "settle")
"""Operations on a message. With a message_id they need a destination."""

SYNONYMS: dict[str, str] = {"max_ack_pending": "credit", "max_deliver": "max_deliveries"}
"""Other names of columns that readers take."""
ARGUMENTS: dict[str, str] = {"x-single-active-consumer": "single_active"}
"""Entries of a queue's `arguments` that are columns here."""

# --- what control operations mean, whatever their system calls them -----------------------------

SUBSCRIBES = (
    "subscribe", "basic.consume", "SUB", "pull_subscribe", "push_subscribe", "consumer.created",
    "queue_subscribe",
)  # fmt: skip
"""A consumer begins: with its destination, and what it may have in flight."""
ENDS = (
    "unsubscribe", "basic.cancel", "kill", "close", "connection.close", "channel.close", "CLS", "disconnect",
    "consumer.deleted", "connection.closed", "channel.closed", "leave",
)  # fmt: skip
"""A consumer ends (`consumer_id` given), or a client with all of its consumers (only `client_id` given)."""
BROKER_CHANGES = ("kill_broker", "start_broker", "leader_elected", "broker.down", "broker.up")
"""A broker dies, comes back, or another one leads: whatever was not confirmed may happen again."""
RECORDING_BEGINS = "recording.begin"
"""A recorder attached to a running system: messages may be under way that nobody saw being sent."""
NAMELESS = "the message has no message_id"
"""The error_type of what was only observed because nobody can follow it."""
ASSIGNS = ("assign", "assigned", "assignment")
REVOKES = ("revoke", "revoked", "lost")
STORES = ("store", "append", "replicate")

TIMERLESS = ("rabbitmq", "kafka")
"""Systems that never take a message back from a live consumer after some time (or after half an hour)."""
UNORDERED = ("nsq",)
"""Systems that promise no order at all."""
