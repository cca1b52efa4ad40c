"""Histories of correct brokers, made by simulation: seeded, small, and with everything that may happen.

A queue broker (as RabbitMQ, NSQ and NATS JetStream are, each with its own ways) and a log with groups (as
Kafka is) are simulated event by event. Words travel with random delays, in order on each connection. Clients
die, cancel, requeue, answer late or never; the broker does what it should. Each client writes down what it
sees, with a clock that may differ from the others' by less than the allowed skew.
"""

from __future__ import annotations

import random

from tests.history.generated_log import Log
from tests.history.generated_queue import Queue
from tests.history.generated_world import Row, World

SYSTEMS = ("rabbitmq", "nsq", "nats", "kafka")


def history(system: str, seed: int, run_id: str, skewed: bool = False) -> list[Row]:
    """A history of a correct broker of that system."""
    world = World(system, random.Random(f"{system} {seed}"), run_id, skewed)
    (Log if system == "kafka" else Queue)(world).play()
    return numbered(world.rows)


def numbered(rows: list[Row]) -> list[Row]:
    """Rows with a gap-free seq for each recorder, in the order of its own clock."""
    counts: dict[str, int] = {}
    rows = sorted(rows, key=lambda row: row["time_unix_nano"])
    for row in rows:
        row["seq"] = counts[row["recorder"]] = counts.get(row["recorder"], 0) + 1
    return rows
