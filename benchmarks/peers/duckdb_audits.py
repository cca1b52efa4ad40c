"""The peer of the audit: the same findings by DuckDB, in SQL written for the benchmark's histories.

It knows that nobody ends and nothing times out there; for the rest it follows the same rules. An audit tells
more than violations, and so does this: rows that repeat others, clocks that go back, what kinds of events
there are, how many messages became what, and how long they took.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

BASE = """
    CREATE OR REPLACE VIEW sends AS SELECT * FROM events WHERE op_type = 'send';
    CREATE OR REPLACE VIEW deliveries AS SELECT * FROM events
        WHERE op_type IN ('receive', 'process') AND phase = 'ok' AND message_id IS NOT NULL;
"""

NO_LOSS = """
    SELECT count(*) FROM (
        SELECT destination, message_id, min(time_unix_nano) AS confirmed FROM sends
        WHERE phase = 'ok' GROUP BY ALL
    ) ANTI JOIN deliveries USING (destination, message_id)
    WHERE confirmed + 5000000000 <= (SELECT max(time_unix_nano) + 100000000 FROM events)
"""

NO_PHANTOM = """
    SELECT count(*) FROM (
        SELECT destination, message_id, min(time_unix_nano) AS delivered FROM deliveries GROUP BY ALL
    ) LEFT JOIN (
        SELECT destination, message_id, min(time_unix_nano) AS sent FROM sends GROUP BY ALL
    ) USING (destination, message_id)
    WHERE sent IS NULL OR sent > delivered
"""

DUPLICATES = """
    WITH lives AS (
        SELECT op_type, settle, time_unix_nano,
            lag(op_type) OVER life AS before, lag(settle) OVER life AS settled,
            min(CASE WHEN settle = 'ack' THEN time_unix_nano END) OVER life AS acked
        FROM events WHERE op_type IN ('receive', 'process', 'settle') AND message_id IS NOT NULL
        WINDOW life AS (PARTITION BY destination, message_id ORDER BY time_unix_nano, recorder, seq
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    SELECT count(*) FILTER (before = 'receive' AND acked IS NULL),
        count(*) FILTER (acked + 20000000 <= time_unix_nano)
    FROM lives WHERE op_type = 'receive' AND before IS NOT NULL
"""

ORDER = """
    WITH firsts AS (
        SELECT destination, message_id,
            min(struct_pack(t := time_unix_nano, r := recorder, s := seq)) AS first,
            min_by(consumer_id, struct_pack(t := time_unix_nano, r := recorder, s := seq)) AS consumer
        FROM deliveries GROUP BY ALL
    ), sent AS (
        SELECT destination, message_id, min(producer_seq) AS n, min(client_id) AS producer
        FROM sends WHERE phase = 'invoke' GROUP BY ALL HAVING count(*) = 1
    ), sequences AS (
        SELECT n, max(n) OVER (PARTITION BY destination, producer, consumer ORDER BY first
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS largest
        FROM firsts JOIN sent USING (destination, message_id)
    )
    SELECT count(*) FROM sequences WHERE n < largest
"""

FLOW_CONTROL = """
    WITH held AS (
        SELECT consumer_id, op_type, time_unix_nano AS begin,
            lead(time_unix_nano) OVER (
                PARTITION BY destination, message_id, consumer_id
                ORDER BY time_unix_nano, recorder, seq) AS finish
        FROM events WHERE op_type IN ('receive', 'process', 'settle') AND message_id IS NOT NULL
    ), steps AS (
        SELECT consumer_id, begin AS moment, 1 AS step FROM held WHERE op_type <> 'settle'
        UNION ALL
        SELECT consumer_id, finish, -1 FROM held WHERE op_type <> 'settle' AND finish IS NOT NULL
    ), running AS (
        SELECT consumer_id, step,
            sum(step) OVER (PARTITION BY consumer_id ORDER BY moment, step) AS in_flight
        FROM steps
    )
    SELECT count(*) FROM running JOIN (
        SELECT consumer_id, max(prefetch) AS credit FROM events WHERE op_type = 'control' GROUP BY ALL
    ) USING (consumer_id) WHERE step = 1 AND in_flight > credit
"""

REDELIVERY = """
    WITH lives AS (
        SELECT op_type, settle, time_unix_nano, lead(time_unix_nano) OVER (
            PARTITION BY destination, message_id ORDER BY time_unix_nano, recorder, seq) AS next
        FROM events WHERE op_type IN ('receive', 'process', 'settle') AND message_id IS NOT NULL
    )
    SELECT count(*) FROM lives
    WHERE settle = 'requeue' AND (next IS NULL OR next > time_unix_nano + 10000000000)
"""

LOG = """
    SELECT count(*) FILTER (step > 1), count(*) FILTER (step = 0), count(*) FILTER (passed < 0) FROM (
        SELECT seq - lag(seq) OVER log AS step, time_unix_nano - lag(time_unix_nano) OVER log AS passed
        FROM events WINDOW log AS (PARTITION BY run_id, recorder ORDER BY seq)
    )
"""
"""Gaps, repeated numbers, clocks that go back."""

KINDS = """
    SELECT run_id, recorder, system, op_type, op_name, phase, settle, count(*), count(seq), count(message_id),
        count(producer_seq), count(prefetch), min(time_unix_nano), max(time_unix_nano)
    FROM events GROUP BY run_id, recorder, system, op_type, op_name, phase, settle
"""

FIGURES = """
    WITH lives AS (
        SELECT run_id, destination, message_id, count(*) FILTER (op_type = 'receive') AS deliveries,
            min(time_unix_nano) FILTER (op_type = 'send') AS sent,
            min(time_unix_nano) FILTER (op_type = 'send' AND phase = 'ok') AS confirmed,
            min(time_unix_nano) FILTER (op_type = 'receive') AS delivered,
            min(time_unix_nano) FILTER (settle = 'ack') AS acked
        FROM events WHERE message_id IS NOT NULL GROUP BY ALL
    )
    SELECT run_id, count(sent), count(confirmed), count(delivered), sum(deliveries), max(deliveries),
        count(*) FILTER (deliveries > 1), approx_quantile(confirmed - sent, [0.5, 0.99]),
        approx_quantile(delivered - sent, [0.5, 0.99]), approx_quantile(acked - delivered, [0.5, 0.99])
    FROM lives GROUP BY ALL
"""

ONE_COUNT = {
    "no-loss": NO_LOSS,
    "no-phantom": NO_PHANTOM,
    "order": ORDER,
    "flow-control": FLOW_CONTROL,
    "redelivery-time": REDELIVERY,
}


def findings(folder: Path, memory: str, threads: int) -> dict[str, int]:
    """How many violations of each guarantee a history has."""
    import duckdb

    database = duckdb.connect(config={"memory_limit": memory, "threads": threads})
    database.execute(f"CREATE VIEW events AS SELECT * FROM '{folder}/*.parquet'")
    return _findings(database)


def findings_in_lines(folder: Path, memory: str, threads: int) -> dict[str, int]:
    """The same of JSON lines, which are read once, into a table."""
    import duckdb

    with TemporaryDirectory(prefix="angarium-benchmark-") as scratch:
        name, config = f"{scratch}/events.duckdb", {"memory_limit": memory, "threads": threads}
        with duckdb.connect(name, config=config) as database:
            database.execute(f"CREATE TABLE events AS SELECT * FROM read_json('{folder}/*.jsonl')")
            return _findings(database)


def _findings(database: duckdb.DuckDBPyConnection) -> dict[str, int]:
    database.execute(BASE)

    def row(query: str) -> tuple[int, ...]:
        found = database.execute(query).fetchone()
        assert found
        return found

    counts = {guarantee: row(query)[0] for guarantee, query in ONE_COUNT.items()}
    gaps, repeated, back = row(LOG)
    assert not repeated and not back and database.execute(KINDS).fetchall() and row(FIGURES)
    unsettled, after_ack = row(DUPLICATES)
    others = {"complete-log": gaps, "no-duplicates": unsettled, "duplicates-after-ack": after_ack}
    return counts | others
