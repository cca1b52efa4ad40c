"""Kafka from the producer to the reader: guarantees break when the model is wrong; eligible leaders."""

from __future__ import annotations

import pytest

from angarium.checker.frontend.build import build
from angarium.settings.kafka.guarantees import PHRASES
from angarium.systems.registry import systems
from tests.systems.changed import Change, as_settings, checked

pytestmark = pytest.mark.slow

SAFE = {"min_insync_replicas": "2"}
LAG = {**SAFE, "lag": "2", "broker_crash": "1"}

MUTANTS = [
    # A leader answers before the in-sync replicas have the message.
    (
        "(self.acks == Acks.LEADER or stored)",
        "(self.idempotence or stored)",
        {**SAFE, "broker_crash": "1"},
        "no-loss",
    ),
    # Any replica can be elected, in sync or not.
    (
        "return self.hears(b) and (b in self.isr[p] if in_sync else self.may_lead(p, b))",
        "return self.hears(b) and (in_sync or self.is_replica(p, b))",
        LAG,
        "no-loss",
    ),
    # A follower counts as in sync before it has everything.
    (
        "require(b in self.synced[p] and len(self.log[p][b]) == len(self.log[p][lead]))",
        "require(b in self.synced[p])",
        LAG,
        "no-loss",
    ),
    # What a deposed leader has appended stays, as if there were no epochs.
    (
        "                    self.synced[p].discard(b)\n",
        "                    self.synced[p].add(b)\n",
        {**SAFE, "cut_off": "1", "broker_crash": "1"},
        "no-loss",
    ),
    # A leader does not look for what it has already.
    (
        "if not self.idempotence or m not in self.log[p][b]:",
        "if not self.idempotence or m in self.requests[p] or b == b:",
        {**SAFE, "lost_acknowledgement": "1"},
        "no-duplicates",
    ),
    # A leader does not see a gap in the sequence numbers.
    (
        "k not in self.log[p][b] and self.phase",
        "k in self.log[p][b] and self.phase",
        {"lost_request": "1"},
        "order",
    ),
    # One more replica is asked for than is set.
    (
        "self.acks == Acks.ALL and len(self.isr[p]) < self.min_insync_replicas",
        "self.acks == Acks.ALL and len(self.isr[p]) <= self.min_insync_replicas",
        {**SAFE, "broker_crash": "1"},
        "availability-for-writes",
    ),
    # The reader does not get the last message.
    (
        "self.position[p] < len(self.log[p][lead]))",
        "self.position[p] + 1 < len(self.log[p][lead]))",
        SAFE,
        "delivery",
    ),
]


def verdicts(settings: dict[str, str], *changes: Change) -> dict[str, str]:
    report = checked("kafka-delivery", changes, as_settings(**settings))
    return {each.guarantee: each.verdict.value for each in report.verdicts}


@pytest.mark.parametrize(("part", "instead", "settings", "guarantee"), MUTANTS)
def test_a_wrong_model_breaks_the_guarantee(
    part: str, instead: str, settings: dict[str, str], guarantee: str
) -> None:
    assert verdicts(settings)[guarantee] == "holds"
    assert verdicts(settings, (part, instead))[guarantee] == "violated"


@pytest.mark.parametrize(("eligible", "verdict"), [("true", "holds"), ("false", "violated")])
def test_eligible_leaders_keep_what_the_last_one_in_sync_loses(eligible: str, verdict: str) -> None:
    """KIP-966: the last replica in sync loses its disk, and one that fell out of sync has everything."""
    settings = {**SAFE, "lag": "2", "lost_disk": "1", "eligible_leaders": eligible}
    assert verdicts(settings)["no-loss"] == verdict


@pytest.mark.parametrize("name", ["kafka-delivery", "kafka-group"])
def test_every_step_can_be_told_in_words(name: str) -> None:
    system = build(systems()[name].decl)
    for action in system.actions:
        arguments = {parameter.name: "x" for parameter in action.parameters}
        assert PHRASES[action.name].format(**arguments)
