"""What is known of Kafka's settings, cell by cell, and that what mends a cell does so here."""

from __future__ import annotations

from functools import cache

import pytest

from angarium.checker.explore.native import NativeEngine
from angarium.core.result import Verdict
from angarium.settings.kafka.configuration import configuration
from angarium.settings.kafka.guarantees import FAULTS, Inspector

pytestmark = pytest.mark.slow

SAFE = {"replication.factor": "3", "min.insync.replicas": "2", "acks": "all"}
NOT_IDEMPOTENT = {**SAFE, "enable.idempotence": "false"}
UNCLEAN = {**SAFE, "min.insync.replicas": "1", "unclean.leader.election.enable": "true"}
OLD = {"eligible.leader.replicas.version": "0"}

KNOWN = [
    ({**SAFE, "acks": "0"}, "lost-request", "no-loss", "violated"),
    ({**SAFE, "acks": "0"}, "nothing", "no-loss", "holds"),
    ({**SAFE, "acks": "1"}, "lost-request", "no-loss", "holds"),
    ({**SAFE, "acks": "1"}, "one-crash", "no-loss", "violated"),
    ({**SAFE, "acks": "1"}, "deposed-leader", "no-loss", "violated"),
    (UNCLEAN, "lag-then-crash", "no-loss", "violated"),
    (UNCLEAN, "isolated-then-crash", "no-loss", "violated"),
    (UNCLEAN, "one-crash", "no-loss", "holds"),
    ({**UNCLEAN, "unclean.leader.election.enable": "false"}, "lag-then-crash", "no-loss", "holds"),
    ({**UNCLEAN, "min.insync.replicas": "2"}, "lag-then-crash", "no-loss", "holds"),
    ({**UNCLEAN, "min.insync.replicas": "2", **OLD}, "lag-then-crash", "no-loss", "violated"),
    (SAFE, "lag-then-lost-disk", "no-loss", "holds"),
    ({**SAFE, **OLD}, "lag-then-lost-disk", "no-loss", "violated"),
    ({**SAFE, "min.insync.replicas": "1"}, "lag-then-lost-disk", "no-loss", "violated"),
    ({"replication.factor": "1"}, "lost-disk", "no-loss", "violated"),
    (SAFE, "one-crash", "no-loss", "holds"),
    (SAFE, "one-crash", "availability-for-writes", "holds"),
    (SAFE, "two-crashes", "no-loss", "holds"),
    (SAFE, "two-crashes", "availability-for-writes", "violated"),
    (SAFE, "isolated-leader", "availability-for-writes", "violated"),
    ({**SAFE, "min.insync.replicas": "1"}, "isolated-leader", "availability-for-writes", "holds"),
    ({"replication.factor": "1"}, "one-crash", "availability-for-writes", "violated"),
    ({"replication.factor": "1"}, "one-crash", "no-loss", "holds"),
    (NOT_IDEMPOTENT, "lost-acknowledgement", "no-duplicates", "violated"),
    (SAFE, "lost-acknowledgement", "no-duplicates", "holds"),
    (NOT_IDEMPOTENT, "one-crash", "order", "violated"),
    ({**NOT_IDEMPOTENT, "max.in.flight.requests.per.connection": "1"}, "one-crash", "order", "holds"),
    (SAFE, "one-crash", "order", "holds"),
    ({**SAFE, "acks": "1"}, "deposed-leader", "order", "violated"),
    ({**NOT_IDEMPOTENT, "retries": "0"}, "lost-acknowledgement", "no-duplicates", "holds"),
    (NOT_IDEMPOTENT, "lost-request", "order", "violated"),
    (SAFE, "lost-request", "order", "holds"),
    ({**NOT_IDEMPOTENT, "max.in.flight.requests.per.connection": "1"}, "lost-request", "order", "holds"),
    (SAFE, "new-group-crash", "no-loss", "violated"),
    ({**SAFE, "auto.offset.reset": "earliest"}, "new-group-crash", "no-loss", "holds"),
    ({**SAFE, "commit": "before"}, "consumer-crash", "no-loss", "violated"),
    ({**SAFE, "commit": "before"}, "consumer-crash", "no-duplicates", "holds"),
    ({**SAFE, "commit": "before"}, "slow-consumer", "order", "violated"),
    ({**SAFE, "commit": "after"}, "slow-consumer", "order", "holds"),
    ({**SAFE, "enable.auto.offset.store": "true"}, "consumer-crash", "no-loss", "violated"),
    ({**SAFE, "enable.auto.offset.store": "true"}, "consumer-crash", "no-duplicates", "violated"),
    ({**SAFE, "commit": "after"}, "consumer-crash", "no-loss", "holds"),
    ({**SAFE, "commit": "after"}, "consumer-crash", "no-duplicates", "violated"),
    ({**SAFE, "commit": "after"}, "consumer-crash", "availability-for-writes", "holds"),
]
"""Settings, what goes wrong, what is asked, and the answer."""


@cache
def inspector() -> Inspector:
    return Inspector(NativeEngine())


def answer(settings: dict[str, str], fault: str, guarantee: str) -> str:
    rows = [each for each in FAULTS if each.name == fault]
    table = inspector().table(configuration([], settings), rows, [guarantee])
    return table.cell(guarantee, fault).verdict.value


@pytest.mark.parametrize(("settings", "fault", "guarantee", "expected"), KNOWN)
def test_the_answer_is_the_known_one(
    settings: dict[str, str], fault: str, guarantee: str, expected: str
) -> None:
    assert answer(settings, fault, guarantee) == expected


@pytest.mark.parametrize(
    "settings", [SAFE, NOT_IDEMPOTENT, UNCLEAN], ids=["safe", "not idempotent", "unclean"]
)
def test_where_nothing_goes_wrong_everything_holds(settings: dict[str, str]) -> None:
    table = inspector().table(configuration([], settings), FAULTS[:1])
    assert [cell.verdict for cell in table.cells] == [Verdict.HOLDS] * 4


@pytest.mark.parametrize(
    "settings", [SAFE, NOT_IDEMPOTENT, UNCLEAN], ids=["safe", "not idempotent", "unclean"]
)
def test_what_no_state_shows_as_lost_comes_some_day(settings: dict[str, str]) -> None:
    """`no-loss` breaks as early as possible, `delivery` at the end of a run: two views of one thing."""
    found = inspector()
    found.table(configuration([], settings))
    verdicts = [
        {each.guarantee: each.verdict for each in report.verdicts}
        for report in found._reports.values()
        if report.parameters.get("new_group") != "true"  # nobody knows there what was skipped before the end
    ]
    assert all(each["no-loss"] is each["delivery"] for each in verdicts)
