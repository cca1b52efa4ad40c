"""The gate through which all rows of a stream come: it marks those that are late, and those that come again.

The watermark is Spark's: the latest time of all events so far, less the lateness. Findings up to it have been
told; an event before it comes too late to be judged. It is not lost: it is marked, and goes to quarantine.

A recorder that ships a file again, or a line twice, must not make a broker look as if it had delivered twice.
So the gate remembers a digest of every row, in RocksDB, until the watermark has passed the row's time; from
then on a repetition is late anyway. That makes the memory exact, and as small as the lateness allows.

Rows are spread over a few buckets by their digests, and each bucket is looked at as a whole, by NumPy: a
state for every row would be eighty times as slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.live.settings import Live
from angarium.history.readers.quarantine import REPEATS, run_of

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.state import GroupState

LATE = "late: the watermark has passed its time"
ROWS = "file string, line bigint, raw string, reason string, watermark bigint"
"""What comes out: rows as text, why a row is to be put aside, and the watermark, in nanoseconds."""
_IDENTITY = (
    "run_id", "recorder", "seq", "time_unix_nano", "op_type", "op_name", "phase", "message_id", "attempt",
    "destination", "partition_id", "offset", "consumer_id", "delivery_tag", "settle", "credit",
)  # fmt: skip
"""Rows that are the same in these columns are the same row, whatever the file's format."""
_TYPES = {each.name: each.type for each in schema.COLUMNS}
_SAID = ", ".join(f"`{name}` {_TYPES[name]}" for name in _IDENTITY)
_STATE = "digests binary, times binary"
_BUCKETS = 32
_AHEAD = "1 HOUR"
"""A row whose time is so far in the future does not move the watermark: its clock is wrong."""
_PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def use_rocksdb(spark: SparkSession) -> None:
    """Let queries that are started from now on keep their state in RocksDB."""
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", _PROVIDER)
    spark.conf.set("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")


def gated(rows: DataFrame, live: Live) -> DataFrame:
    """Rows of `opening.ROWS` as rows of `ROWS`."""
    from pyspark.sql import functions as f
    from pyspark.sql.streaming.state import GroupStateTimeout

    text = f.coalesce("raw", f.when(f.col("reason").isNull(), f.to_json(f.struct(*schema.NAMES))))
    said = f.when(f.col("raw").isNull(), f.struct(*_IDENTITY)).otherwise(f.from_json("raw", _SAID))
    quoted = f.get_json_object("raw", "$.time_unix_nano").try_cast("bigint")
    moment = f.expr("timestamp_micros(at div 1000)")
    sane = f.col("at").between(0, 1 << 62) & (moment <= f.expr(f"current_timestamp() + INTERVAL {_AHEAD}"))
    return (
        rows.select("file", "line", text.alias("raw"), "reason", said.alias("said"))
        .withColumn("digest", f.xxhash64(f.coalesce("said.run_id", run_of(f.col("file"))), "said"))
        .withColumn("at", f.coalesce("said.time_unix_nano", quoted, f.lit(-1)))  # pandas has no null integer
        .withColumn("bucket", f.pmod("digest", f.lit(_BUCKETS)))
        .withColumn("moment", f.when(sane, moment))
        .drop("said")
        .withWatermark("moment", f"{live.lateness // 1000} microseconds")
        .groupBy("bucket")
        .applyInPandasWithState(_passed, ROWS, _STATE, "append", GroupStateTimeout.NoTimeout)
    )


def _passed(_: tuple[int], frames: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
    """The rows of one bucket, marked; its state has the digests of all rows from the watermark on."""
    import numpy as np

    watermark = state.getCurrentWatermarkMs() * 1_000_000
    digests, times = (np.frombuffer(each, np.int64) for each in (state.get if state.exists else (b"", b"")))
    for frame in frames:
        at = frame["at"].to_numpy(np.int64)
        own = frame["digest"].to_numpy(np.int64)
        late = (at >= 0) & (at < watermark)
        again = (at >= watermark) & (frame["digest"].duplicated().to_numpy() | np.isin(own, digests))
        digests, times = np.concatenate([digests, own]), np.concatenate([times, at])
        reasons = frame["reason"].where(~late, LATE).where(~again, REPEATS)
        yield frame[["file", "line", "raw"]].assign(reason=reasons, watermark=watermark)
    kept = times >= watermark
    state.update((digests[kept].tobytes(), times[kept].tobytes()))
