"""Large histories for benchmarks: RabbitMQ-like, correct but for a known number of faults.

Every message is sent, confirmed, delivered and acknowledged: four events, and two more for one message in a
hundred, which is requeued first. DuckDB writes them as Parquet, a few million a file, in the order of time.
`hot` puts half of all messages into one queue; `hoarding` gives those to one consumer that acknowledges none
before the end, so that all of them are in flight at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

PRODUCERS, QUEUES = 20, 100
CHUNK = 1_000_000
"""Messages of a file."""
PAUSE = 1_000_000_000
"""Nanoseconds between two files, so that nothing of one happens in the time of the next."""
EVERY = 250_000
"""One message in so many has a fault; which one follows from its number."""
FAULTS = ("lost", "again", "after-ack", "phantom", "inversion")

MESSAGES = f"""
    SELECT i, i % {EVERY} AS fault,
        'p' || i % {PRODUCERS} AS producer,
        CASE WHEN {{hot}} AND i % 2 = 0 THEN 0 ELSE (i * 7919) % {QUEUES} END AS q,
        'm' || i AS message_id,
        1800000000000000000 + i * 2000 + (i // {CHUNK}) * {PAUSE} AS sent_at
    FROM range({{begin}}, {{end}}) AS t(i)
"""

EVENTS = """
    WITH messages AS ({messages}),
    placed AS (SELECT *, 'q' || q AS destination,
        'c' || q || '.' || CASE WHEN {hoarding} AND q = 0 THEN 0 ELSE (i // 1000) % 2 END AS consumer
        FROM messages),
    rows AS (
        SELECT producer AS recorder, sent_at AS moment, 'send' AS op_type, 'invoke' AS phase,
            NULL AS settle, * FROM placed WHERE fault <> 3
        UNION ALL SELECT producer, sent_at + 200000, 'send', 'ok', NULL, * FROM placed WHERE fault <> 3
        UNION ALL SELECT consumer, sent_at + 1000000 + CASE WHEN fault = 4 THEN 3000000 ELSE 0 END,
            'receive', 'ok', NULL, * FROM placed WHERE fault <> 0
        UNION ALL SELECT consumer, sent_at + 2000000, 'settle', 'invoke', 'requeue', * FROM placed
            WHERE fault > 9 AND i % 100 = 50 AND NOT {hoards}
        UNION ALL SELECT consumer, sent_at + 2500000, 'receive', 'ok', NULL, * FROM placed
            WHERE fault > 9 AND i % 100 = 50 AND NOT {hoards}
        UNION ALL SELECT consumer, sent_at + 1500000, 'receive', 'ok', NULL, * FROM placed WHERE fault = 1
        UNION ALL SELECT consumer, sent_at + 900000000, 'receive', 'ok', NULL, * FROM placed WHERE fault = 2
        UNION ALL SELECT consumer, sent_at + 5000000, 'settle', 'invoke', 'ack', * FROM placed
            WHERE fault <> 0 AND NOT {hoards}
    )
    SELECT 'large' AS run_id, recorder,
        row_number() OVER (PARTITION BY recorder ORDER BY moment, i, op_type) + coalesce(base, 0) AS seq,
        moment AS time_unix_nano, 'rabbitmq' AS system, op_type, op_type AS op_name, phase, message_id,
        CASE WHEN op_type = 'send' THEN i END AS producer_seq, destination,
        CASE WHEN op_type = 'send' THEN producer ELSE consumer END AS client_id,
        CASE WHEN op_type = 'send' THEN NULL ELSE consumer END AS consumer_id,
        settle, CAST(NULL AS BIGINT) AS prefetch
    FROM rows LEFT JOIN counted USING (recorder)
    ORDER BY moment
"""

HOARD = """
    SELECT * REPLACE (
        base + row_number() OVER (ORDER BY seq) AS seq,
        (SELECT max(time_unix_nano) FROM '{folder}/*.parquet') + row_number() OVER (ORDER BY seq)
            AS time_unix_nano,
        'settle' AS op_type, 'settle' AS op_name, 'invoke' AS phase, 'ack' AS settle)
    FROM (SELECT * FROM '{folder}/*.parquet' WHERE recorder = 'c0.0' AND op_type = 'receive')
        CROSS JOIN (SELECT base FROM counted WHERE recorder = 'c0.0')
"""
"""What the hoarding consumer acknowledges at last."""

CONSUMERS = f"""
    SELECT 'large' AS run_id, 'c' || q || '.' || c AS recorder, CAST(1 AS BIGINT) AS seq,
        1799999999000000000 AS time_unix_nano, 'rabbitmq' AS system, 'control' AS op_type,
        'basic.consume' AS op_name, 'ok' AS phase, CAST(NULL AS VARCHAR) AS message_id,
        CAST(NULL AS BIGINT) AS producer_seq, 'q' || q AS destination, 'c' || q || '.' || c AS client_id,
        'c' || q || '.' || c AS consumer_id, CAST(NULL AS VARCHAR) AS settle, {{prefetch}} AS prefetch
    FROM range({QUEUES}) AS a(q), range(2) AS b(c)
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a history looks like."""

    messages: int
    hot: bool = False
    hoarding: bool = False

    @property
    def prefetch(self) -> int:
        """Enough for what consumers of this shape hold."""
        return 1_000_000_000 if self.hoarding else 2_000 if self.hot else 60


def write(shape: Shape, folder: Path) -> int:
    """Write a history, and give the number of its events."""
    import duckdb

    folder.mkdir(parents=True, exist_ok=True)
    database = duckdb.connect()
    database.execute("CREATE TABLE counted(recorder VARCHAR, base BIGINT)")
    _save(database, CONSUMERS.format(prefetch=shape.prefetch), folder / "consumers.parquet")
    for begin in range(0, shape.messages, CHUNK):
        _count(database, folder)
        end = min(begin + CHUNK, shape.messages)
        _save(database, _chunk(shape, begin, end), folder / f"events-{begin // CHUNK:06}.parquet")
    if shape.hoarding:
        _count(database, folder)
        _save(database, HOARD.format(folder=folder), folder / "hoard.parquet")
    row = database.execute(f"SELECT count(*) FROM '{folder}/*.parquet'").fetchone()
    assert row
    return int(row[0])


def as_lines(history: Path, folder: Path) -> None:
    """Write the same events as JSON lines."""
    import duckdb

    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(history.glob("*.parquet")):
        target = folder / f"{path.stem}.jsonl"
        duckdb.connect().execute(f"COPY (SELECT * FROM '{path}') TO '{target}' (FORMAT json)")


def _chunk(shape: Shape, begin: int, end: int) -> str:
    messages = MESSAGES.format(hot=str(shape.hot or shape.hoarding).lower(), begin=begin, end=end)
    hoards = "consumer = 'c0.0'" if shape.hoarding else "false"
    return EVENTS.format(messages=messages, hoards=hoards, hoarding=str(shape.hoarding).lower())


def _count(database: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Note where the numbers of each recorder go on."""
    database.execute(
        "CREATE OR REPLACE TABLE counted AS"
        f" SELECT recorder, max(seq) AS base FROM '{folder}/*.parquet' GROUP BY recorder"
    )


def _save(database: duckdb.DuckDBPyConnection, query: str, path: Path) -> None:
    database.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
