"""Kafka's messaging: what each switch does to each guarantee, and ways to break it that must be noticed.

A mutant is the model's own text with one thing changed; the change must fit, or the test fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.export.promela import promela
from angarium.checker.logic.mutate import check_mutants
from angarium.core.result import Report, Story
from angarium.systems.registry import find, load
from tests.spin import needs_spin, run_spin
from tests.systems import changed
from tests.systems.changed import Change, as_settings, story, violated

pytestmark = pytest.mark.slow

ONE = {"partitions": 1, "consumers": 1}
"""One partition with two followers and two items, and its reader."""
TINY = ONE | {"followers": 1, "items": 1}


def checked(*changes: Change, **settings: object) -> Report:
    return changed.checked("kafka", changes, as_settings(**settings))


def channels(story: Story) -> list[str]:
    """Where something was exchanged, in order; what is no exchange, such as a crash, by its own name."""
    return [step.exchanges[0].channel if step.exchanges else step.action for step in story.steps]


# --- the paper's scenario ---------------------------------------------------------------------------


def test_all_of_the_paper_s_guarantees_and_their_strong_forms_hold() -> None:
    report = checked()

    assert [each.guarantee for each in report.verdicts] == [
        "stays-in-range",
        *("deadlock-free", "acknowledgement", "parallelism", "sequentiality", "fault-tolerance"),
        *("stored-before-acknowledged", "owner-only", "read-in-order", "stored-before-read"),
        "acknowledged-is-read",
    ]
    assert violated(report) == set()


def test_an_item_is_acknowledged_when_both_followers_have_pulled_stored_and_said_so() -> None:
    reached = story(checked(**ONE, items=1), "acknowledgement")

    assert channels(reached)[:3] == ["find_leader", "has_leader[p1]", "publish[p1]"]
    assert channels(reached)[-1] == "p_ack[p1]"
    assert {"f_ack[p1][f1]", "f_ack[p1][f2]"} <= set(channels(reached))


def test_the_member_that_joins_first_makes_the_plan() -> None:
    plans = [s for s in story(checked(), "parallelism").steps if s.state["owner"]["p1"] is not None]
    first = next(s for s in story(checked(), "parallelism").steps if s.exchanges[0].channel == "join")

    assert plans[0].exchanges[0].channel == "sync"
    assert plans[0].exchanges[0].sender == first.exchanges[0].sender
    assert plans[0].state["owner"] == {"p1": "c1", "p2": "c2"}


def test_every_follower_is_read_in_the_story_of_fault_tolerance() -> None:
    last = story(checked(), "fault-tolerance").steps[-1].state
    c1, c2 = ("c1",), ("c2",)

    assert last["from_follower"] == {"p1": {"f1": c1, "f2": c1}, "p2": {"f1": c2, "f2": c2}}


def test_fault_tolerance_is_claimed_only_where_there_are_items_enough_for_all_followers() -> None:
    claimed = {each.guarantee for each in checked(**ONE, items=1).verdicts}

    assert "fault-tolerance" not in claimed
    assert "acknowledged-is-read" in claimed


def test_a_consumer_may_have_several_partitions_and_a_partition_has_one_consumer() -> None:
    several = story(checked(partitions=3, consumers=2, followers=1, items=1), "parallelism")
    idle = story(checked(partitions=1, consumers=3, followers=1, items=1), "parallelism")

    assert several.steps[-1].state["owner"] == {"p1": "c1", "p2": "c2", "p3": "c1"}
    assert several.steps[-1].state["from_leader"] == {"p1": ("c1",), "p2": ("c2",), "p3": ("c1",)}
    assert idle.steps[-1].state["assigned"] == {"c1": ("p1",), "c2": (), "c3": ()}


# --- switches ---------------------------------------------------------------------------------------

NOT_STORED = {"stored-before-acknowledged"}
LOST = NOT_STORED | {"acknowledged-is-read"}


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        (ONE, set()),
        (ONE | {"leader_crash": 1}, set()),
        ({"leader_crash": 2}, set()),
        (ONE | {"stored_by": "leader"}, NOT_STORED),
        (ONE | {"stored_by": "none"}, NOT_STORED),
        (ONE | {"stored_by": "leader", "leader_crash": 1}, LOST),
        (ONE | {"stored_by": "none", "leader_crash": 1}, LOST),
        (ONE | {"follower_crash": 1}, {"deadlock-free"}),
        (TINY | {"followers": 2, "leader_crash": 1, "follower_crash": 1}, set()),
        (TINY | {"leader_crash": 1, "follower_crash": 1}, {"acknowledged-is-read"}),
        ({"partitions": 1, "subscribe": False}, {"owner-only"}),
    ],
    ids=lambda each: "-".join(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else "",
)
def test_a_switch_breaks_these_guarantees_and_no_others(
    settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(**settings)) == broken


def test_an_item_that_only_the_leader_had_dies_with_it_although_it_was_acknowledged() -> None:
    steps = channels(story(checked(**TINY, stored_by="leader", leader_crash=1), "acknowledged-is-read"))

    assert "crash_leader" in steps[steps.index("p_ack[p1]") :]
    assert "f_ack[p1][f1]" not in steps


def test_what_is_sent_to_a_dead_leader_counts_as_delivered_with_acks_none() -> None:
    """With stored_by=leader the producer would hear nothing, and give up."""
    dead_first = (
        "led = await self.has_leader[p].receive()",
        "led = True; await until(crashed(self.leader, p))",
    )

    none, leader = (checked(dead_first, **TINY, stored_by=who, leader_crash=1) for who in ("none", "leader"))

    assert "publish[p1]" not in channels(story(none, "stored-before-acknowledged"))
    assert "stored-before-acknowledged" not in violated(leader)


def test_a_leader_waits_for_a_dead_follower_for_ever() -> None:
    stuck = story(checked(**ONE, items=1, follower_crash=1), "deadlock-free")

    assert "crash_follower" in channels(stuck)
    assert stuck.steps[-1].state["log"] == {"p1": ["i1"]}
    assert stuck.steps[-1].state["acknowledged"] == {"p1": ()}


def test_without_a_group_the_paper_s_parallelism_holds_although_consumers_read_the_same() -> None:
    """It asks for one good state; who reads what in all the others is asked by `owner-only`."""
    broken = violated(checked(partitions=1, subscribe=False))

    assert "parallelism" not in broken
    assert "owner-only" in broken


# --- ways to break it -------------------------------------------------------------------------------

NEVER_ACKNOWLEDGES = (
    "if self.stored_by == Acks.ALL and self.all_have(p, len(self.log[p])):",
    "if self.stored_by == Acks.NONE:",
)
ACKNOWLEDGES_THE_FIRST_COPY = (
    "if self.stored_by == Acks.ALL and self.all_have(p, len(self.log[p])):",
    "if sum(len(self.copies[p][other]) == len(self.log[p]) for other in Follower) == 1:",
)
ONE_MEMBER_TAKES_ALL = ("self.owner[p] = Consumer(p % self.consumers)", "self.owner[p] = Consumer(0)")
IGNORES_THE_PLAN = ("            require(p in self.assigned[c])\n", "")
SENDS_THE_LAST_FIRST = (
    "self.sent[p].add(self.log[p][self.offset[c][p]])",
    "self.sent[p].add(self.log[p][len(self.log[p]) - 1])",
)
FOLLOWERS_ARE_SILENT = (
    "                    require(self.all_have(p, self.offset[c][p] + 1))\n"
    "                    self.follower_serves",
    "                    require(False)\n                    self.follower_serves",
)
SHOWS_WHAT_IS_NOT_COMMITTED = (
    "                    require(self.all_have(p, self.offset[c][p] + 1))\n"
    "                    self.leader_serves",
    "                    require(len(self.log[p]) > self.offset[c][p])\n"
    "                    self.leader_serves",
)
MOVES_ON_WITHOUT_DATA = (
    '                case "broken", _:\n                    pass\n',
    '                case "broken", _:\n                    self.offset[c][p] += 1\n',
)
TELLS_BEFORE_THE_PLAN = (
    "                await self.sync.receive()\n"
    "            for member in Consumer:\n"
    "                await self.sync_ack[member].send(True)\n",
    "                hasty = await self.sync.receive()\n"
    "                await self.sync_ack[hasty].send(True)\n",
)
NOTHING_IS_CLAIMED = {"acknowledged-is-read"}
"""Where nothing is ever acknowledged, the verdict is not `holds`."""


@pytest.mark.parametrize(
    ("change", "settings", "broken"),
    [
        (NEVER_ACKNOWLEDGES, ONE | {"items": 1}, {"acknowledgement", "deadlock-free"} | NOTHING_IS_CLAIMED),
        (ACKNOWLEDGES_THE_FIRST_COPY, ONE | {"items": 1}, NOT_STORED),
        (ACKNOWLEDGES_THE_FIRST_COPY, ONE | {"items": 1, "leader_crash": 1}, LOST),
        (ONE_MEMBER_TAKES_ALL, {"followers": 1}, {"parallelism", "fault-tolerance"}),
        (IGNORES_THE_PLAN, {"partitions": 1, "items": 1}, {"owner-only"}),
        (SENDS_THE_LAST_FIRST, ONE, {"sequentiality"}),
        (FOLLOWERS_ARE_SILENT, ONE, {"fault-tolerance"}),
        (FOLLOWERS_ARE_SILENT, ONE | {"leader_crash": 1}, {"fault-tolerance", "acknowledged-is-read"}),
        (SHOWS_WHAT_IS_NOT_COMMITTED, ONE, {"stored-before-read"}),
        (TELLS_BEFORE_THE_PLAN, {"followers": 1, "items": 1}, {"acknowledged-is-read"}),
    ],
)
def test_a_mutant_breaks_these_guarantees_and_no_others(
    change: Change, settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(change, **settings)) == broken


def test_a_consumer_that_moves_on_without_data_is_noticed_by_what_is_read_and_not_by_what_is_sent() -> None:
    report = checked(MOVES_ON_WITHOUT_DATA, **ONE, leader_crash=1)

    assert "read-in-order" in violated(report)
    assert "sequentiality" not in violated(report)


@pytest.mark.thorough
def test_mutants_survive_only_where_a_crash_is_needed_or_the_behaviour_is_the_same() -> None:
    table = check_mutants(find("kafka"), {"partitions": "1"}, engine=NativeEngine())

    assert table.idle == ()
    assert {row.description for row in table.rows if not row.noticed} == {
        "never, even if not led",  # nobody is down; were somebody, sending would be refused as well
        "without leader_serves[p] = None",
        "without follower_serves[p][f] = None",
        "always, not only if first is None",  # then the last to join leads, which is as good
        "always, not only if leads",  # then all make the plan, and it is the same
    }


# --- peers ------------------------------------------------------------------------------------------


@needs_spin
def test_spin_counts_the_same_states_where_all_holds(tmp_path: Path) -> None:
    report = checked(**ONE)
    model = load("kafka", {name: str(value) for name, value in ONE.items()})

    found = run_spin(promela(model, initial_states(model)), tmp_path)

    assert (found.states, found.transitions) == (report.coverage.states, report.coverage.transitions)
    assert found.errors == 0


@needs_spin
@pytest.mark.parametrize("name", ["acknowledgement", "parallelism", "fault-tolerance"])
def test_spin_reaches_what_we_reach(name: str, tmp_path: Path) -> None:
    model = load("kafka", {name: str(value) for name, value in ONE.items()})

    found = run_spin(promela(model, initial_states(model), reaches=name), tmp_path)

    assert found.errors > 0
