"""Recorded histories of real brokers, which did what they should: nothing is found, and counts are true."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from angarium.core.result import Verdict
from angarium.history.intake.source import Kept
from angarium.history.kernel.process import audit
from angarium.history.parameters import MILLISECOND, SECOND, Parameters
from tests.history.histories import recorded
from tests.needs import HISTORIES, needs
from tests.oracles.history.audit import RULES, lives
from tests.oracles.history.flow import flow_control
from tests.oracles.history.life import Life
from tests.oracles.history.messages import figures, messages
from tests.oracles.history.outcome import Outcome

pytestmark = [pytest.mark.slow, needs("histories")]
Row = dict[str, Any]

PARAMETERS = {
    "rmq-classic": Parameters(),
    "nats-r3": Parameters(),
    "nsq-rdy": Parameters(message_timeout=2 * SECOND),
}
NEEDS_TIMEOUT = ("no-duplicates", "duplicates-after-ack", "flow-control")


def truth(name: str) -> Row:
    told: Row = json.loads((HISTORIES / "TRUTH.json").read_text())[name]
    return told


@cache
def rows(name: str) -> list[Row]:
    """The events, with the names that the schema has for what their recorder called otherwise."""
    with gzip.open(HISTORIES / f"{name}.jsonl.gz", "rt") as file:
        return [renamed(json.loads(line)) for line in file]


def renamed(row: Row) -> Row:
    others = {"credit": row.get("max_ack_pending"), "max_deliveries": row.get("max_deliver")}
    others["ack_wait_ms"] = row["ack_wait_s"] * 1000 if "ack_wait_s" in row else None
    others["single_active"] = row.get("arguments", {}).get("x-single-active-consumer")
    return row | {name: value for name, value in others.items() if value is not None}


@cache
def life(name: str) -> Life:
    return lives(rows(name), PARAMETERS[name])[name]


@cache
def outcome(name: str, guarantee: str) -> Outcome:
    return RULES[guarantee](life(name))


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("guarantee", RULES)
def test_a_real_broker_is_not_accused(name: str, guarantee: str) -> None:
    assert outcome(name, guarantee).violations == []


def test_rabbitmq_gives_the_true_counts() -> None:
    counted = figures(life("rmq-classic"))
    told = {
        "lost": counted.lost,
        "unexpected": len(outcome("rmq-classic", "no-phantom").violations),
        "distinct": counted.delivered,
        "deliveries": counted.deliveries,
        "redelivered": counted.deliveries - counted.delivered,
        "first_delivery_inversions": len(outcome("rmq-classic", "order").violations),
        "max_deliveries": counted.max_deliveries,
        "redelivered_after_logged_ack": len(outcome("rmq-classic", "duplicates-after-ack").violations),
        "sac_handover_overlap": len(outcome("rmq-classic", "one-active-consumer").violations),
    }
    assert told == truth("rmq-classic")
    assert outcome("rmq-classic", "one-active-consumer").judged == 10081
    assert {each.state for each in messages(life("rmq-classic"))} == {"settled"}


def test_nats_gives_the_true_counts() -> None:
    counted = figures(life("nats-r3"))
    kill = next(row for row in rows("nats-r3") if row["op_name"] == "kill_broker")
    told = {
        "attempted": counted.attempted,
        "confirmed": counted.confirmed,
        "stored": len({row["offset"] for row in rows("nats-r3") if row["op_type"] == "process"}),
        "lost": counted.lost,
        "deliveries": counted.deliveries,
        "max_deliveries": counted.max_deliveries,
        "definite_publish_failures": counted.unconfirmed,
        "leader_killed": kill["broker_id"],
        "new_leader_s": round((end_of_silence() - kill["time_unix_nano"]) / SECOND, 1),
    }
    assert told == truth("nats-r3")


def end_of_silence() -> int:
    """When the first send was confirmed after the longest time without any: there is a leader again."""
    answers = [row for row in rows("nats-r3") if row["op_type"] == "send" and row["phase"] == "ok"]
    times: list[int] = sorted(row["time_unix_nano"] for row in answers)
    return max(pairwise(times), key=lambda pair: pair[1] - pair[0])[1]


def test_nsq_gives_the_true_counts() -> None:
    told, counted = truth("nsq-rdy"), figures(life("nsq-rdy"))
    again = [each for each in life("nsq-rdy").deliveries if each.number > 1]
    assert counted.lost == told["lost"]
    assert counted.redelivered == told["redelivered_messages"]
    assert max(each.count for each in life("nsq-rdy").deliveries) == told["max_attempts"]
    assert counted.requeues == told["broker_requeue_count"]
    assert len(again) - counted.requeues == told["broker_timeout_count"]


@pytest.mark.parametrize(
    ("figure", "timeout", "grace"),
    [("naive", 10**6 * SECOND, 0), ("timeout_aware_0ms", 2 * SECOND, 0),
     ("timeout_aware_20ms", 2 * SECOND, 20 * MILLISECOND)],
)  # fmt: skip
def test_only_with_timeout_and_grace_no_credit_of_nsq_is_exceeded(
    figure: str, timeout: int, grace: int
) -> None:
    parameters = replace(PARAMETERS["nsq-rdy"], message_timeout=timeout, grace=grace)
    same = Life("nsq-rdy", life("nsq-rdy").events, parameters)
    assert len(flow_control(same).violations) == truth("nsq-rdy")["rdy_violations"][figure]


def test_without_its_timeout_what_depends_on_it_is_not_judged() -> None:
    same = Life("nsq-rdy", life("nsq-rdy").events, Parameters())
    for guarantee in NEEDS_TIMEOUT:
        assert RULES[guarantee](same).judged == 0
    assert RULES["no-loss"](same).judged == 10_000


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_kernel_says_the_same(name: str) -> None:
    found = audit(Kept(recorded(name)), PARAMETERS[name])
    assert found.violations == [] and list(found.figures) == [figures(life(name))]
    holding = {each.guarantee for each in found.judgements if each.verdict is Verdict.HOLDS}
    assert holding == {guarantee for guarantee in RULES if outcome(name, guarantee).judged}
