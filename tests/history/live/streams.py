"""Histories that come in pieces: generated ones with faults, and some written by hand for what is forgotten.

They last forty seconds, and the audit remembers three: what is compared with something old shows whether the
right things were kept.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from angarium.history.live.folder import ALERTS
from angarium.history.live.released import BATCH_ONLY
from angarium.history.live.settings import Live
from angarium.history.parameters import SECOND, Parameters
from angarium.history.tables import COMPARED
from tests.effort import is_thorough
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history, numbered
from tests.history.generated_world import BEGIN
from tests.oracles.history.audit import audit

Row = dict[str, Any]
Findings = Counter[tuple[Any, ...]]
PARAMETERS = Parameters(redelivery_within=SECOND, balance_within=SECOND, ack_doubt=SECOND // 2)
LIVE = Live(lateness=SECOND // 5, remember=SECOND, every=0.1, files_per_batch=1)
CUTS = (0.5, 1.2, 8, 25) if is_thorough() else (8,)
"""Seconds at which a new file begins, more or less: most generated histories are over after two."""
_DELAY = 0.15
"""By how many seconds a recorder's rows may be in a later file: less than the lateness."""


@cache
def stream() -> tuple[Row, ...]:
    """Everything that comes, and is neither late nor wrong."""
    clean = {system: [history(system, seed, "") for seed in range(8)] for system in SYSTEMS}
    named = {f"{system}": clean[system][0] for system in SYSTEMS}
    for injector in INJECTORS:
        named |= {
            f"{fault.name} {number}": fault.rows for number, fault in enumerate(faults(injector, clean, 1))
        }
    named |= {name: numbered(rows) for name, rows in hand_written().items()}
    return tuple(row | {"run_id": name} for name, rows in named.items() for row in rows)


def pieces(rows: tuple[Row, ...], seed: int) -> list[list[Row]]:
    """The rows as they come in files: by time, but each recorder writes with a delay of its own."""
    chance = random.Random(seed)
    delays: dict[tuple[str, str], float] = {}
    files: list[list[Row]] = [[] for _ in range(len(CUTS) + 1)]
    for row in rows:
        delay = delays.setdefault((row["run_id"], row["recorder"]), chance.uniform(0, _DELAY))
        second = (row["time_unix_nano"] - BEGIN) / SECOND + delay
        files[sum(second > cut for cut in CUTS)].append(row)
    for file in files:
        chance.shuffle(file)
    return files


def write(folder: Path, files: list[list[Row]]) -> None:
    """Files in all formats that are followed, one after the other."""
    for number, rows in enumerate(files):
        path = [_text, _packed, _parquet][number % 3](folder / f"piece-{number:06d}", rows)
        os.utime(path, (number + 1, number + 1))


def expected(rows: tuple[Row, ...]) -> Findings:
    """What must be found in the end: what the audit in plain Python finds."""
    found = [each for each in audit(rows, PARAMETERS) if each.guarantee not in BATCH_ONLY]
    return Counter(tuple(getattr(each, name) for name in COMPARED) for each in found)


def alerts_in(checkpoint: Path) -> Findings:
    """What was told as alerts."""
    told = (checkpoint / ALERTS).read_text("utf-8").splitlines()
    return Counter(tuple(json.loads(line)[name] for name in COMPARED) for line in told)


def lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _text(path: Path, rows: list[Row]) -> Path:
    path = path.with_suffix(".jsonl")
    path.write_text(lines(rows), "utf-8")
    return path


def _packed(path: Path, rows: list[Row]) -> Path:
    path = path.with_suffix(".jsonl.gz")
    path.write_bytes(gzip.compress(lines(rows).encode()))
    return path


def _parquet(path: Path, rows: list[Row]) -> Path:
    path = path.with_suffix(".parquet")
    names = sorted({name for row in rows for name in row})
    parquet.write_table(pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows]), path)
    return path


# --- written by hand: something old is needed to judge something new ---------------------------------


def hand_written() -> dict[str, list[Row]]:
    """Histories in which a message, a consumer or a recorder comes back after half a minute."""
    return {
        "back after its acknowledgement": [
            *_sent("m", 1), _got("m", 1.2, "a"), _acked("m", 1.3, "a"), *_busy(), _got("m", 30, "a"),
        ],
        "back after an acknowledgement of several": [
            *_sent("m", 1), _got("m", 1.2, "a", delivery_tag=1), *_sent("n", 1),
            _got("n", 1.3, "a", delivery_tag=2),
            _acked("n", 1.4, "a", delivery_tag=2, settle_multiple=True), *_busy(), _got("m", 30, "a"),
        ],
        "two active, found once": [
            _event(0, "control", "q.declare", destination="q", single_active=True),
            *life("m1", 1, "a"), *life("m2", 2, "b"), *life("m3", 3, "a"), *life("m4", 15, "a"),
            *life("m5", 30, "a"), *_busy(),
        ],
        "an old number is the largest": [
            *life("m1", 1, "a", producer_seq=9), *_busy(), *life("m2", 30, "a", producer_seq=3),
        ],
        "held for long": [
            _event(0, "control", "basic.consume", destination="q", consumer_id="a", prefetch=1),
            *_sent("m1", 1), _got("m1", 1.5, "a"), *_busy(), *_sent("m2", 29), _got("m2", 30, "a"),
        ],
        "back, and another was first": [
            *life("first", 0.5, "a"), *life("m", 1, "a"), *_busy(), _got("m", 30, "a"),
        ],
        "held for long, and another was first": [
            _event(0, "control", "basic.consume", destination="q", consumer_id="a", prefetch=1),
            *life("first", 0.5, "a"), *_sent("m1", 1), _got("m1", 1.5, "a"), *_busy(), *_sent("m2", 29),
            _got("m2", 30, "a"),
        ],
        "held, though another has acknowledged it": [
            _event(0, "control", "basic.consume", destination="q", consumer_id="a", prefetch=1),
            *life("first", 0.5, "a"), *life("second", 0.6, "b"), *_sent("m1", 1), _got("m1", 1.5, "a"),
            _got("m1", 1.6, "b"), _acked("m1", 1.7, "b"), *_busy(), *_sent("m2", 29), _got("m2", 30, "a"),
        ],
        "an old number is the largest, and another was first": [
            *life("m0", 0.5, "a", producer_seq=1), *life("m1", 1, "a", producer_seq=9), *_busy(),
            *life("m2", 30, "a", producer_seq=3),
        ],
        "another has become active long ago": [
            _event(0, "control", "q.declare", destination="q", single_active=True),
            *life("m0", 0.5, "a"), *life("m1", 1, "a"), *life("m2", 2, "b"), *_busy(), *life("m3", 30, "a"),
        ],
        "nobody gets it": [*life("m1", 1, "a"), *_sent("m2", 2), *_busy()],
    }  # fmt: skip


def _busy() -> list[Row]:
    """Other messages, all the time."""
    return [row for second in range(4, 36, 2) for row in life(f"other{second}", second, "z", queue="other")]


def life(name: str, second: float, consumer: str, queue: str = "q", **sent: object) -> list[Row]:
    """A message that is sent, confirmed, delivered and acknowledged."""
    of_queue = {"destination": queue}
    return [
        *_sent(name, second, **of_queue, **sent),
        _got(name, second + 0.1, consumer, **of_queue),
        _acked(name, second + 0.2, consumer, **of_queue),
    ]


def _sent(name: str, second: float, **more: object) -> list[Row]:
    common = {"message_id": name, "client_id": "p"} | more
    return [
        _event(second, "send", "publish", phase="invoke", **common),
        _event(second + 0.01, "send", "publish", **common),
    ]


def _got(name: str, second: float, consumer: str, **more: object) -> Row:
    return _event(
        second, "receive", "deliver", message_id=name, consumer_id=consumer, client_id=consumer, **more
    )


def _acked(name: str, second: float, consumer: str, **more: object) -> Row:
    common = {"message_id": name, "consumer_id": consumer, "client_id": consumer, "settle": "ack"}
    return _event(second, "settle", "ack", phase="invoke", **common | more)


def _event(second: float, op_type: str, op_name: str, **more: object) -> Row:
    row = {
        "recorder": more.get("client_id", "ctl"), "time_unix_nano": BEGIN + round(second * SECOND),
        "system": "rabbitmq", "op_type": op_type, "op_name": op_name, "phase": "ok", "destination": "q",
    }  # fmt: skip
    return row | more
