r"""RabbitMQ's own view: records of the firehose and of the event exchange, one JSON object a line.

    {"recv_unix_nano": …, "exchange": "amq.rabbitmq.trace", "routing_key": "deliver.QUEUE", "headers": {…}, …}

Every time is the recorder's (`recv_unix_nano`): the firehose has none, and that of the event exchange is in
milliseconds. One clock orders both.

- `publish.EXCHANGE`: the broker took the message over: `send` ok, once for each queue it was routed to.
  Routed to none: `send` info, unroutable. A message that may expire is `send` info too: no delivery is
  promised.
- `deliver.QUEUE`: `receive` ok.
- consumer, channel, connection and queue events: `control`. Everything else: `observe`.

A client is its connection, by the broker's name of it: names that users give may be there twice, and the end
of one connection would end its namesakes. A consumer is its tag and its channel (a tag alone is unique on
one channel only). The firehose does not tell the tag of a delivery. It is that of the consumer which the
channel had on the queue at that time, as consumer.created and consumer.deleted say; both reach the recorder
by another way than deliveries do, so a delivery to a channel that has no consumer any more goes to its next
one. Without these events the channel is the consumer.

What cannot be known from here: acknowledgements, and so what is in flight, and which redelivery had a
cause; whether a producer was told of a confirm; deaths of messages (expired, too many, rejected): what comes
out of a dead-letter queue is noted as `observe`, because nobody was seen to send it there. Messages with a
priority have no producer_seq: they overtake legally. A message without message_id cannot be followed, and a
hash of its body would make one message of two that say the same: it is noted as `observe`, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from angarium.history.readers.foreign import Fault, blamed, records, shaped
from angarium.history.readers.json_lines import objects
from angarium.history.readers.reader import Reader
from angarium.history.schema import NAMELESS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NO_RECORD = "the line is no record of RabbitMQ's firehose or event exchange"

_TRACE = "amq.rabbitmq.trace"
_EVENT = "amq.rabbitmq.event"
_RECORD = """recv_unix_nano bigint, seq bigint, exchange string, routing_key string, headers struct<
    exchange_name string, routing_keys array<string>, routed_queues array<string>, redelivered string,
    properties struct<message_id string, priority string, expiration string, headers map<string, string>>,
    node string, connection string, channel string, queue string, consumer_tag string, prefetch_count bigint,
    ack_required boolean, arguments string, pid string, name string>"""
_SINGLE_ACTIVE = r"x-single-active-consumer\W+(bool\W+)?true"
"""In a queue's arguments, whether they are written as JSON or as Erlang's terms."""


def _recognises(lines: Sequence[str]) -> bool:
    return any(record.get("exchange") in (_TRACE, _EVENT) for record in objects(lines))


def _parse(lines: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    events = _records(lines.where(f.col("raw").contains(_EVENT))).where(f.col("exchange") == _EVENT)
    channels = _channels(events)
    traced = _records(lines).where(~f.col("exchange").eqNullSafe(_EVENT))
    return _traces(traced, _consumers(events, channels)).unionAll(_events(events, channels))


def _records(lines: DataFrame) -> DataFrame:
    read = records(lines, _RECORD, ("exchange", "routing_key"))
    return read.select("file", "line", "raw", "unread", "r.*", "r.headers.*")


# --- the firehose ---------------------------------------------------------------------------------


def _traces(traced: DataFrame, consumers: DataFrame) -> DataFrame:
    """The firehose, and whatever is no record at all: no line is left out."""
    from pyspark.sql import functions as f

    publish = f.col("routing_key").startswith("publish.")
    routed = f.when(publish & (f.size("routed_queues") > 0), f.col("routed_queues"))
    made = (
        traced.withColumns({"kind": _kind(), "nameless": _nameless()})
        .withColumn("properties_headers", f.col("properties.headers"))
        .withColumn("to", f.explode(f.coalesce(routed, f.array(_place(publish)))))
        .withColumn("on", _channel(f.col("connection"), f.col("channel")))
        .join(consumers, ["on", "to"], "left")
    )
    return shaped(blamed(made, _faults()), _trace_columns())


def _kind() -> Column:
    """send, receive, or observe: of the broker's own affairs, and what died and was routed anew."""
    from pyspark.sql import functions as f

    dead = f.coalesce(f.map_contains_key("properties.headers", f.lit("x-death")), f.lit(False))
    name = f.col("routing_key")
    return (
        f.when(_own() | dead, f.lit("observe"))
        .when(name.startswith("publish."), f.lit("send"))
        .when(name.startswith("deliver."), f.lit("receive"))
    )


def _own() -> Column:
    from pyspark.sql import functions as f

    return f.coalesce(f.col("exchange_name").startswith("amq.rabbitmq."), f.lit(False))


def _nameless() -> Column:
    """Whether it is a message that nobody can follow."""
    from pyspark.sql import functions as f

    return ~_own() & f.col("properties.message_id").isNull()


def _place(publish: Column) -> Column:
    """The queue of a delivery; where a message was to go that went nowhere."""
    from pyspark.sql import functions as f

    nowhere = f.concat_ws("/", "exchange_name", f.get("routing_keys", f.lit(0)))
    return f.when(publish, nowhere).otherwise(f.regexp_replace("routing_key", r"^deliver\.", ""))


def _faults() -> list[Fault]:
    from pyspark.sql import functions as f

    return [
        Fault(~f.col("exchange").eqNullSafe(_TRACE), NO_RECORD, "exchange", f.col("exchange")),
        Fault(f.col("kind").isNull(), NO_RECORD, "routing_key", f.col("routing_key")),
    ]


def _trace_columns() -> dict[str, Column]:
    from pyspark.sql import functions as f

    nameless, publish, deliver = f.col("nameless"), f.col("kind") == "send", f.col("kind") == "receive"
    send, receive = publish & ~nameless, deliver & ~nameless
    unroutable = send & ~f.coalesce(f.size("routed_queues") > 0, f.lit(False))
    doubtful = unroutable | f.col("properties.expiration").isNotNull()
    number = f.col("properties_headers")["seq"].try_cast("bigint")
    return _common() | {
        "op_type": f.when(nameless, "observe").otherwise(f.col("kind")),
        "op_name": f.when(publish, "basic.publish")
        .when(deliver, "basic.deliver")
        .otherwise(f.col("routing_key")),
        "phase": f.when(send & doubtful, "info").otherwise("ok"),
        "error_type": f.when(nameless, NAMELESS).when(unroutable, "unroutable"),
        "message_id": f.col("properties.message_id"),
        "producer_seq": f.when(f.col("properties.priority").isNull(), number),
        "destination": f.col("to"),
        "client_id": f.col("connection"),
        "consumer_id": f.when(receive, f.coalesce(_named(_current(), f.col("on")), f.col("on"))),
        "redelivered": f.when(receive, f.col("redelivered").isin("1", "true")),
    }


def _common() -> dict[str, Column]:
    from pyspark.sql import functions as f

    return {
        "recorder": f.lit("rabbitmq"),
        "seq": f.col("seq"),
        "time_unix_nano": f.col("recv_unix_nano"),
        "vantage": f.lit("broker"),
        "system": f.lit("rabbitmq"),
        "broker_id": f.col("node"),
    }


def _current() -> Column:
    """The tag of the consumer that a channel has on a queue at the time of a delivery."""
    from pyspark.sql import functions as f

    at = f.col("recv_unix_nano")
    past = f.try_element_at(f.filter("lives", lambda life: life["at"] <= at), f.lit(-1))
    coming = f.get(f.filter("lives", lambda life: (life["at"] > at) & life["begins"]), f.lit(0))
    return f.when(past["begins"], past["tag"]).otherwise(f.coalesce(coming["tag"], past["tag"]))


def _channel(connection: Column, number: Column) -> Column:
    """A channel's name, as the event exchange gives it."""
    from pyspark.sql import functions as f

    return f.concat(connection, f.lit(" ("), number, f.lit(")"))


def _named(tag: Column, channel: Column) -> Column:
    """A consumer's name: null where either is not known."""
    from pyspark.sql import functions as f

    return f.concat(tag, f.lit(" on "), channel)


# --- the event exchange ---------------------------------------------------------------------------


def _channels(events: DataFrame) -> DataFrame:
    """The names of channels by their process, which is never the same twice."""
    from pyspark.sql import functions as f

    created = events.where(f.col("routing_key") == "channel.created")
    return created.groupBy(f.col("pid").alias("process")).agg(f.min("name").alias("on"))


def _consumers(events: DataFrame, channels: DataFrame) -> DataFrame:
    """The consumers that each channel had on each queue: their beginnings and ends, in order.

    A consumer gets many messages, so this is small beside the messages, and no message need be moved for it.
    """
    from pyspark.sql import functions as f

    begins = f.col("routing_key") == "consumer.created"
    life = f.struct(
        f.col("recv_unix_nano").alias("at"), f.col("consumer_tag").alias("tag"), begins.alias("begins")
    )
    known = events.where(f.col("routing_key").isin("consumer.created", "consumer.deleted")).join(
        channels, f.col("channel") == f.col("process"), "inner"
    )
    lives = known.groupBy("on", f.col("queue").alias("to")).agg(
        f.sort_array(f.collect_list(life)).alias("lives")
    )
    return f.broadcast(lives)


def _events(events: DataFrame, channels: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    of_channel = f.when(f.col("routing_key").startswith("channel."), f.col("pid")).otherwise(f.col("channel"))
    linked = events.join(channels, of_channel == f.col("process"), "left")
    return shaped(blamed(linked, []), _event_columns())


def _event_columns() -> dict[str, Column]:
    from pyspark.sql import functions as f

    name = f.col("routing_key")
    known = name.isin(
        "consumer.created", "consumer.deleted", "channel.closed", "connection.closed", "queue.created"
    )
    queue = f.when(name == "queue.created", f.col("name")).otherwise(f.col("queue"))
    connection = f.regexp_extract("on", r"^(.*) \(\d+\)$", 1)
    ended = f.when(name == "connection.closed", f.col("name")).otherwise(f.nullif(connection, f.lit("")))
    return _common() | {
        "op_type": f.when(known, "control").otherwise("observe"),
        "op_name": f.when(name == "queue.created", "queue.declare").otherwise(name),
        "phase": f.lit("ok"),
        "destination": f.when(known, queue),
        "client_id": f.when(known, ended),
        "consumer_id": _event_consumer(),
        "prefetch": f.when((name == "consumer.created") & f.col("ack_required"), f.col("prefetch_count")),
        "single_active": f.when(name == "queue.created", f.col("arguments").rlike(_SINGLE_ACTIVE)),
    }


def _event_consumer() -> Column:
    """The consumer; of a channel that ends the channel, which is the consumer where no tag is known."""
    from pyspark.sql import functions as f

    tagged = f.coalesce(_named(f.col("consumer_tag"), f.col("on")), f.col("consumer_tag"))
    return f.when(f.col("routing_key") == "channel.closed", f.coalesce("on", "pid")).otherwise(tagged)


READER = Reader("rabbitmq", _recognises, _parse)
