"""NATS JetStream's own view: its metrics and advisories, one JSON object a line.

    {"recv_unix_nano": …, "subject": "$JS.EVENT.METRIC.CONSUMER.ACK.STREAM.CONSUMER", "body": {"type": …}}

or the bodies alone. The body's type says what it is, its timestamp says when, to the nanosecond; the time of
recording stands in where a body has none.

- An acknowledgement (sampled: a consumer needs sample_freq 100) gives two events, because it also says how
  long it took: `receive` ok at its time less ack_time, and `settle` ack. A time that is worked out so is too
  rough to order neighbours by it, so these deliveries have no offset.
- nak: `settle` requeue. terminated: `settle` reject. max_deliver: `settle` dead_letter.
- An elected leader: `control` leader_elected, isr: the leader and the replicas that are current. A lost
  quorum: `control` broker.down, for some broker is out of reach.
- Consumers and streams that are created or deleted: `control`. Answers of the API that hold a consumer's
  configuration: `control` with what it says of ack_wait, max_deliver and max_ack_pending. Everything else:
  `observe`.

A message is STREAM:SEQUENCE, a destination is a stream, a subscription is a JetStream consumer.

What cannot be known from here: what was published, and so what was lost; deliveries that nobody answered,
and when a message was delivered that was answered with a nak; which client got it; which server the
timestamp is from, so that servers are taken to share a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from angarium.history.readers.foreign import Fault, blamed, nanoseconds, records, shaped
from angarium.history.readers.json_lines import objects
from angarium.history.readers.reader import Reader

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NO_ADVISORY = "the line is no metric or advisory of NATS"
NO_MESSAGE = "an advisory on a message does not name its stream and sequence"

_TYPE = "io.nats."
_SUBJECTS = ("$JS.EVENT.", "$SYS.")
_RECORD = "recv_unix_nano bigint, seq bigint, subject string, body string, type string"
_BODY = """type string, timestamp string, stream string, consumer string, stream_seq bigint,
    consumer_seq bigint, ack_time bigint, deliveries int, action string, leader string,
    server string, replicas array<struct<name string, current boolean>>, subject string, response string"""
_RESPONSE = """stream_name string, name string, config struct<ack_wait bigint, max_deliver bigint,
    max_ack_pending bigint>"""

_SETTLES = {"consumer_ack": "ack", "nak": "requeue", "terminated": "reject", "max_deliver": "dead_letter"}
_ACTIONS = {"create": "created", "delete": "deleted"}
_MILLISECOND = 1_000_000
_UNLIMITED = 2**31 - 1


def _recognises(lines: Sequence[str]) -> bool:
    def ours(record: dict[str, object]) -> bool:
        subject, kind = str(record.get("subject", "")), str(record.get("type", ""))
        return (subject.startswith(_SUBJECTS) and "body" in record) or kind.startswith(_TYPE)

    return any(map(ours, objects(lines)))


def _parse(lines: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    read = records(lines, _RECORD, ("subject", "body", "type")).select("file", "line", "raw", "unread", "r.*")
    body = f.coalesce("body", f.when(f.col("type").isNotNull(), f.col("raw")))
    known = read.withColumn("b", f.from_json(body, _BODY)).select(
        "file", "line", "raw", "unread", "recv_unix_nano", "seq", f.col("subject").alias("topic"), "b.*"
    )
    told = known.withColumns({"at": _time(), "kind": f.substring_index("type", ".", -1)})
    return shaped(blamed(_twice(told), _faults()), _columns())


def _time() -> Column:
    from pyspark.sql import functions as f

    return f.coalesce(nanoseconds(f.col("timestamp")), f.col("recv_unix_nano"))


def _twice(told: DataFrame) -> DataFrame:
    """Every acknowledgement as what it tells of, too: the delivery."""
    from pyspark.sql import functions as f

    delivered = (f.col("kind") == "consumer_ack") & f.col("ack_time").isNotNull()
    both = f.array(f.lit(True), f.lit(False))
    ops = f.explode(f.when(delivered, both).otherwise(f.array(f.lit(False)))).alias("delivery")
    return told.select("*", ops).withColumn("config", f.from_json("response", _RESPONSE))


def _faults() -> list[Fault]:
    from pyspark.sql import functions as f

    nameless = f.col("stream").isNull() | f.col("stream_seq").isNull()
    return [
        Fault(~f.coalesce(_ours(), f.lit(False)), NO_ADVISORY, "type", f.col("type")),
        Fault(f.col("kind").isin(*_SETTLES) & nameless, NO_MESSAGE, "stream_seq", f.col("stream_seq")),
    ]


def _ours() -> Column:
    """Whether a record is of NATS: by its type, or by its subject if it has none."""
    from pyspark.sql import functions as f

    by_subject = f.col("topic").startswith(_SUBJECTS[0]) | f.col("topic").startswith(_SUBJECTS[1])
    return f.coalesce(f.col("type").startswith(_TYPE), by_subject)


def _columns() -> dict[str, Column]:
    from pyspark.sql import functions as f

    settled = f.col("kind").isin(*_SETTLES)
    delivery, offset = f.col("delivery"), f.col("stream_seq")
    return _operation(settled, delivery) | _settings() | {
        "recorder": f.lit("nats"),
        "seq": f.when(~delivery, f.col("seq")),
        "time_unix_nano": f.when(delivery, f.try_subtract("at", "ack_time")).otherwise(f.col("at")),
        "vantage": f.lit("broker"),
        "system": f.lit("nats"),
        "error_type": f.when(_quorum_lost(), "quorum lost"),
        "message_id": f.when(settled, f.concat_ws(":", "stream", offset)),
        "offset": f.when(settled & ~delivery, offset),
        "delivery_tag": f.when(settled, f.col("consumer_seq")),
        "delivery_count": f.when(settled, f.col("deliveries")),
        "redelivered": f.when(delivery, f.col("deliveries") > 1),
        "broker_id": f.coalesce("leader", "server"),
        "isr": _in_step(),
        "replicas": f.when(f.col("leader").isNotNull(), f.size(_in_step(everybody=True))),
    }  # fmt: skip


def _operation(settled: Column, delivery: Column) -> dict[str, Column]:
    from pyspark.sql import functions as f

    kind = f.col("kind")
    names = f.create_map(*(f.lit(word) for pair in _SETTLES.items() for word in pair))
    return {
        "op_type": f.when(delivery, "receive").when(settled, "settle")
        .when(_control_name().isNotNull(), "control").otherwise("observe"),
        "op_name": f.when(delivery, "deliver").otherwise(
            f.coalesce(_control_name(), f.col("kind"), f.col("topic"))
        ),
        "phase": f.lit("ok"),
        "settle": f.when(settled & ~delivery, names[kind]),
    }  # fmt: skip


def _control_name() -> Column:
    """What a control operation is called in the words of the schema; null if it is none."""
    from pyspark.sql import functions as f

    kind = f.col("kind")
    done = f.create_map(*(f.lit(word) for pair in _ACTIONS.items() for word in pair))[f.col("action")]
    action = f.coalesce(done, "action")
    return (
        f.when(kind.endswith("leader_elected"), "leader_elected")
        .when(_quorum_lost(), "broker.down")
        .when(kind == "consumer_action", f.concat(f.lit("consumer."), action))
        .when(kind == "stream_action", f.concat(f.lit("stream."), f.col("action")))
        .when((kind == "api_audit") & _configured(), "consumer.config")
    )


def _quorum_lost() -> Column:
    from pyspark.sql import functions as f

    return f.col("kind").endswith("quorum_lost")


def _configured() -> Column:
    """Whether an answer of the API holds the configuration of a consumer."""
    from pyspark.sql import functions as f

    return f.col("config.stream_name").isNotNull() & f.col("config.config").isNotNull()


def _settings() -> dict[str, Column]:
    """Stream and consumer, and what an answer of the API says of them; below 1 means without limit.

    That a consumer's deliveries are unlimited is said with a number: a limit that it had before, or that of
    all consumers of the stream, must not be taken for it.
    """
    from pyspark.sql import functions as f

    said = f.col("config.config")
    wait = said["ack_wait"]
    answered = f.when(_configured(), f.col("config.stream_name"))
    return {
        "destination": f.coalesce("stream", answered),
        "subscription": f.coalesce("consumer", f.when(_configured(), f.col("config.name"))),
        "ack_wait_ms": f.when(wait > 0, (wait / _MILLISECOND).cast("bigint")),
        "max_deliveries": f.when(said["max_deliver"] < 1, _UNLIMITED).otherwise(said["max_deliver"]),
        "credit": f.when(said["max_ack_pending"] > 0, said["max_ack_pending"]),
    }


def _in_step(everybody: bool = False) -> Column:
    """The brokers that have a copy in step, the leader among them; or all that have one."""
    from pyspark.sql import functions as f

    copies = f.filter("replicas", lambda copy: copy["current"] | f.lit(everybody))
    names = f.coalesce(f.transform(copies, lambda copy: copy["name"]), f.array().cast("array<string>"))
    return f.when(f.col("leader").isNotNull(), f.array_union(f.array("leader"), names))


READER = Reader("nats", _recognises, _parse)
