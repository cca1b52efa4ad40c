"""The peer of the audit: the same findings by DuckDB, in SQL written for the benchmark's histories.

It knows that nobody ends and nothing times out there; for the rest it follows the same rules.
"""

from __future__ import annotations

from pathlib import Path

BASE = """
    CREATE OR REPLACE VIEW events AS SELECT * FROM '{folder}/*.parquet';
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
            lead(CASE WHEN op_type = 'settle' THEN time_unix_nano END) OVER (
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

COMPLETE_LOG = """
    SELECT count(*) FROM (
        SELECT seq - lag(seq) OVER (PARTITION BY recorder ORDER BY seq) AS step FROM events
    ) WHERE step > 1
"""

ONE_COUNT = {
    "no-loss": NO_LOSS,
    "no-phantom": NO_PHANTOM,
    "order": ORDER,
    "flow-control": FLOW_CONTROL,
    "redelivery-time": REDELIVERY,
    "complete-log": COMPLETE_LOG,
}


def findings(folder: Path, memory: str, threads: int) -> dict[str, int]:
    """How many violations of each guarantee a history has."""
    import duckdb

    database = duckdb.connect(config={"memory_limit": memory, "threads": threads})
    database.execute(BASE.format(folder=folder))
    counts = {}
    for guarantee, query in ONE_COUNT.items():
        row = database.execute(query).fetchone()
        assert row
        counts[guarantee] = int(row[0])
    both = database.execute(DUPLICATES).fetchone()
    assert both
    return counts | {"no-duplicates": int(both[0]), "duplicates-after-ack": int(both[1])}
