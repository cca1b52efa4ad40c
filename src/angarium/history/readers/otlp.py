"""OpenTelemetry's spans as JSON lines: what the OTLP file exporter writes, or one span a line.

Names may be written as in JSON (resourceSpans, startTimeUnixNano, intValue) or as in the protocol
(resource_spans, start_time_unix_nano, int_value); attributes as a list of keys and values or as an object;
times in nanoseconds or as text. The attributes are those of the messaging conventions, older names included.

A span is an interval, an event is a moment:

- send: `send` invoke at its start, and at its end ok, or info if it has an error: the broker may have stored
  the message all the same.
- receive: `receive` ok at its END, fail if it has an error: it starts before there is a message.
- process: `process` ok at its START, because the message was delivered by then, whatever came of it; with an
  error also `process` fail at its end. The start counts one nanosecond more, so that it is after a
  `receive` that ends with it on a clock that ticks in milliseconds.
- settle: `settle` invoke at its start, fail at its end if it has an error. Never ok: a span ends when the
  client has spoken, and not when the broker has heard.
- create, and spans that are not about messages: `observe`.

A span of a batch has a link for each message; the attributes of a link go before those of the span, and each
link with a message makes events of its own, one nanosecond apart in the order of the links.

A message is messaging.message.id, or PARTITION:OFFSET where it has no id but these (Kafka). A span that
sends, receives or processes something that has neither goes to quarantine: taking its trace for a name would
make two messages of one wherever one side only has an id.

RabbitMQ's destinations are EXCHANGE:ROUTING KEY, with :QUEUE added where messages are received, each left out
if it is empty: the queue is taken for the subscription, so that both sides name one destination. The default
exchange is not named: its destination is the routing key, which is the queue.

What cannot be known from here: spans that were not sampled (record all of them); whether the end of a send
means a confirmation by the broker; credit, ends of consumers, generations of groups, redeliveries beyond
what a system counts; the order in which a producer sent. A consumer's spans of one partition are taken to
start in the order of its deliveries. Hosts have clocks of their own: each is a clock domain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from angarium.history.readers.foreign import Fault, blamed, nanoseconds, records, shaped
from angarium.history.readers.json_lines import objects
from angarium.history.readers.otlp_names import ALIASES, ENDS_OF_SETTLE, OPERATIONS
from angarium.history.readers.reader import Reader

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NO_SPAN = "the line is no span of OpenTelemetry"
NO_MESSAGE = "a message without messaging.message.id, and without partition and offset, cannot be followed"

_SPAN = """name string, kind string, status struct<code string, status_code string>, attributes string,
    startTimeUnixNano string, start_time_unix_nano string, start_time string,
    endTimeUnixNano string, end_time_unix_nano string, end_time string,
    links array<struct<attributes string>>"""
_SPAN_TYPE = f"struct<{_SPAN}>"
_SPAN_FIELDS = tuple(re.findall(r"(\w+) (?=string|struct|array)", re.sub(r"<.*?>", "", _SPAN)))
_SCOPES = f"array<struct<spans array<{_SPAN_TYPE}>>>"
_ONE = f"struct<resource: string, span: {_SPAN_TYPE}>"
_RESOURCE = f"""resource struct<attributes string>, scopeSpans {_SCOPES}, scope_spans {_SCOPES},
    instrumentationLibrarySpans {_SCOPES}"""
_RECORD = f"""{_SPAN}, {_RESOURCE}, resourceSpans array<struct<{_RESOURCE}>>,
    resource_spans array<struct<{_RESOURCE}>>"""
_PLACES = (
    "resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "instrumentationLibrarySpans",
    "startTimeUnixNano", "start_time_unix_nano", "start_time",
)  # fmt: skip
"""One of these a record has: spans, or the time of the one that it is."""
_PAIRS = """array<struct<key string, value struct<stringValue string, string_value string, intValue string,
    int_value string, boolValue string, bool_value string, doubleValue string, double_value string,
    arrayValue string, array_value string>>>"""


def _recognises(lines: Sequence[str]) -> bool:
    whole = {"resourceSpans", "resource_spans", "scopeSpans", "scope_spans"}
    times = {"startTimeUnixNano", "start_time_unix_nano", "start_time"}
    ids = {"traceId", "trace_id", "context"}

    def ours(record: dict[str, object]) -> bool:
        return bool(whole & set(record)) or bool(times & set(record) and ids & set(record))

    return any(map(ours, objects(lines)))


def _parse(lines: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    read = records(lines, _RECORD, _PLACES)
    spans = read.select("file", "line", "raw", "unread", f.explode(_spans()).alias("one"))
    known = _with_attributes(spans).withColumns(_facts())
    every = known.select("*", f.explode(_moments()).alias("moment"))
    return shaped(blamed(every, _faults()), _columns())


# --- spans ----------------------------------------------------------------------------------------


def _spans() -> Column:
    """All spans of a line, with their resource's attributes; one null for a line without place for any."""
    from pyspark.sql import functions as f

    groups = f.coalesce("r.resourceSpans", "r.resource_spans")
    listed = f.flatten(f.transform(groups, _of_resource))
    scoped = f.coalesce("r.scopeSpans", "r.scope_spans", "r.instrumentationLibrarySpans").isNotNull()
    alone = f.array(_with_resource(f.col("r"), f.col("r.resource.attributes")))
    timed = f.coalesce("r.startTimeUnixNano", "r.start_time_unix_nano", "r.start_time").isNotNull()
    none = f.array(f.lit(None).cast(_ONE))
    return f.coalesce(listed, f.when(scoped, _of_resource(f.col("r"))), f.when(timed, alone), none)


def _of_resource(group: Column) -> Column:
    from pyspark.sql import functions as f

    scopes = f.coalesce(group["scopeSpans"], group["scope_spans"], group["instrumentationLibrarySpans"])
    empty = f.array().cast(f"array<{_SPAN_TYPE}>")
    spans = f.flatten(f.transform(scopes, lambda scope: f.coalesce(scope["spans"], empty)))
    made = f.transform(spans, lambda span: _with_resource(span, group["resource"]["attributes"]))
    return f.coalesce(made, f.array().cast(f"array<{_ONE}>"))


def _with_resource(span: Column, resource: Column) -> Column:
    from pyspark.sql import functions as f

    fields = f.struct(*(span[name].alias(name) for name in _SPAN_FIELDS)).cast(_SPAN_TYPE)
    return f.struct(resource.alias("resource"), fields.alias("span"))


def _with_attributes(spans: DataFrame) -> DataFrame:
    """A row for every message of a span: its links that name one, or else the span itself."""
    from pyspark.sql import functions as f

    read = spans.withColumns(
        {"of_span": _map(f.col("one.span.attributes")), "of_resource": _map(f.col("one.resource"))}
    )
    linked = f.filter(
        f.transform("one.span.links", lambda link: _map(link["attributes"])),
        lambda named: f.coalesce(
            *(named[name] for name in (*ALIASES["message_id"], *ALIASES["offset"]))
        ).isNotNull(),
    )
    itself = f.array(f.map_from_arrays(f.array().cast("array<string>"), f.array().cast("array<string>")))
    messages = read.withColumn("messages", f.when(f.size(linked) > 0, linked).otherwise(itself))
    return messages.select("*", f.posexplode("messages").alias("place", "of_link"))


def _map(text: Column) -> Column:
    """Attributes by their names: of an object, or of a list of keys and values, the first of each key."""
    from pyspark.sql import functions as f

    listed = f.from_json(text, _PAIRS)
    keys = f.transform(listed, lambda pair: pair["key"])
    first = f.filter(listed, lambda pair, place: f.array_position(keys, pair["key"]) == place + 1)
    entries = f.transform(
        first, lambda pair: f.struct(pair["key"].alias("key"), _plain(pair["value"]).alias("value"))
    )
    plain = f.map_from_entries(
        f.coalesce(entries, f.array().cast("array<struct<key: string, value: string>>"))
    )
    return f.when(text.startswith("{"), f.from_json(text, "map<string, string>")).otherwise(plain)


def _plain(value: Column) -> Column:
    from pyspark.sql import functions as f

    kinds = ("string", "int", "bool", "double", "array")
    return f.coalesce(*(value[name] for kind in kinds for name in (f"{kind}Value", f"{kind}_value")))


# --- what a span tells ----------------------------------------------------------------------------


def _named(field: str) -> Column:
    """An attribute of the conventions, under any of its names: of the message, the span, or the resource."""
    from pyspark.sql import functions as f

    names = ALIASES[field]
    return f.coalesce(
        *(f.col(f"of_{owner}")[name] for owner in ("link", "span", "resource") for name in names)
    )


def _facts() -> dict[str, Column]:
    from pyspark.sql import functions as f

    return {
        "deed": _deed(),
        "begin": _time("startTimeUnixNano", "start_time_unix_nano", "start_time"),
        "end": _time("endTimeUnixNano", "end_time_unix_nano", "end_time"),
        "failed": f.coalesce(_erroneous(), f.lit(False)),
        "message": _message(),
        "apart": f.size("messages") - 1 - f.col("place"),
    }


def _time(camel: str, snake: str, text: str) -> Column:
    from pyspark.sql import functions as f

    number = f.coalesce(f"one.span.{camel}", f"one.span.{snake}").try_cast("bigint")
    return f.coalesce(number, nanoseconds(f.col(f"one.span.{text}")))


def _erroneous() -> Column:
    from pyspark.sql import functions as f

    code = f.upper(f.coalesce("one.span.status.code", "one.span.status.status_code"))
    return code.isin("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR") | _named("error_type").isNotNull()


def _deed() -> Column:
    """send, receive, process or settle, else observe. The kind decides where no operation is named."""
    from pyspark.sql import functions as f

    words = f.create_map(*(f.lit(word) for pair in OPERATIONS.items() for word in pair))
    kind = f.upper(f.regexp_replace("one.span.kind", r"^(SpanKind\.|SPAN_KIND_)", ""))
    by_kind = f.when(kind.isin("4", "PRODUCER"), "send").when(kind.isin("5", "CONSUMER"), "process")
    about = f.coalesce(_named("system"), _named("destination"), _named("operation")).isNotNull()
    named = f.coalesce(words[f.lower(_named("operation"))], words[f.lower(_named("op_name"))])
    return f.when(about, f.coalesce(named, by_kind, f.lit("observe"))).otherwise("observe")


def _message() -> Column:
    from pyspark.sql import functions as f

    return f.coalesce(_named("message_id"), f.concat(_named("partition_id"), f.lit(":"), _named("offset")))


def _moments() -> Column:
    """The events of a span: phase and time."""
    from pyspark.sql import functions as f

    def moment(phase: str, at: Column) -> Column:
        return f.struct(f.lit(phase).alias("phase"), at.alias("at"))

    deed, failed = f.col("deed"), f.col("failed")
    begin, end = f.col("begin"), f.coalesce("end", "begin")
    started = f.try_add(begin, f.lit(1))
    return (
        f.when((deed == "send") & failed, f.array(moment("invoke", begin), moment("info", end)))
        .when(deed == "send", f.array(moment("invoke", begin), moment("ok", end)))
        .when((deed == "receive") & ~failed, f.array(moment("ok", end)))
        .when((deed == "process") & failed, f.array(moment("ok", started), moment("fail", end)))
        .when(deed == "process", f.array(moment("ok", started)))
        .when((deed == "settle") & ~failed, f.array(moment("invoke", begin)))
        .when(deed == "observe", f.array(moment("info", begin)))
        .otherwise(f.array(moment("fail", end)))
    )


def _faults() -> list[Fault]:
    from pyspark.sql import functions as f

    empty = _named("batch").eqNullSafe("0")
    nameless = f.col("deed").isin("send", "receive", "process") & f.col("message").isNull() & ~empty
    return [
        Fault(f.col("one").isNull() | f.col("begin").isNull(), NO_SPAN, "startTimeUnixNano"),
        Fault(nameless & (f.col("moment.phase") != "fail"), NO_MESSAGE, "messaging.message.id"),
    ]


# --- columns --------------------------------------------------------------------------------------


def _columns() -> dict[str, Column]:
    from pyspark.sql import functions as f

    plain = ("system", "message_key", "partition_id", "consumer_group", "broker_id", "consumer_id")
    numbers = ("offset", "delivery_tag", "delivery_count")
    phase = f.col("moment.phase")
    return {
        **{name: _named(name) for name in plain},
        **{name: _named(name).try_cast("bigint") for name in numbers},
        **_place(),
        "recorder": _recorder(),
        "time_unix_nano": f.try_subtract("moment.at", "apart"),
        "clock_domain": f.coalesce(_named("host"), _recorder()),
        "op_type": f.col("deed"),
        "op_name": f.coalesce(_named("op_name"), _named("operation"), "one.span.name"),
        "phase": phase,
        "error_type": f.when(phase.isin("fail", "info"), _named("error_type")),
        "message_id": f.col("message"),
        "client_id": f.coalesce(_named("client_id"), _recorder()),
        "settle": f.when(f.col("deed") == "settle", _settle()),
    }


def _recorder() -> Column:
    """The service and which instance of it; its host and process where instances have no names."""
    from pyspark.sql import functions as f

    instance = f.coalesce(_named("instance"), f.concat_ws("/", _named("host"), _named("process")))
    known = f.concat_ws("/", _named("service"), f.nullif(instance, f.lit("")))
    return f.coalesce(f.nullif(known, f.lit("")), f.lit("opentelemetry"))


def _place() -> dict[str, Column]:
    """Destination and subscription; for RabbitMQ what both sides name alike, and the queue."""
    from pyspark.sql import functions as f

    destination, key = _named("destination"), _named("routing_key")
    rabbit = _named("system").eqNullSafe("rabbitmq")
    parts = f.split(destination, ":")
    keyless = key.isNull() & (f.size(parts) == 2) & (f.col("deed") != "send")
    queued = rabbit & ((f.size(parts) == 3) | keyless)
    default = rabbit & destination.isin("", "amq.default", "<default>") & key.isNotNull()
    without_queue = f.array_join(f.slice(parts, 1, f.size(parts) - 1), ":")
    return {
        "destination": f.when(queued, without_queue).when(default, key).otherwise(destination),
        "subscription": f.coalesce(_named("subscription"), f.when(queued, f.element_at(parts, -1))),
    }


def _settle() -> Column:
    """What was decided, in the system's own attribute or the operation's name; else nothing is settled."""
    from pyspark.sql import functions as f

    words = f.create_map(*(f.lit(word) for pair in ENDS_OF_SETTLE.items() for word in pair))
    said = f.coalesce(_named("settle"), _named("op_name"), _named("operation"))
    return f.coalesce(words[f.lower(said)], f.lit("none"))


READER = Reader("otlp", _recognises, _parse)
