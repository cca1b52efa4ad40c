"""NSQ: what each switch does to each guarantee, and ways to break the model that must be noticed.

A mutant is the model's own text with one thing changed; the change must fit, or the test fails.
"""

from __future__ import annotations

import pytest

from angarium.core.result import Report
from angarium.systems.registry import load
from tests.systems import changed
from tests.systems.changed import Change, actions, as_settings, story, violated

ONE_OF_EACH = {"producers": 1, "nsqds": 1, "lookupds": 1, "consumers": 1, "channels": 1, "messages": 1}
SHARED = {"messages": 2, "channels": 1, "outtime": False}
"""Two consumers share a channel; each of two nsqds has a message for it."""
TWO_CHANNELS = {"messages": 2, "outtime": False}


def checked(*changes: Change, **settings: object) -> Report:
    return changed.checked("nsq", changes, as_settings(**settings))


# --- the deployment ---------------------------------------------------------------------------------


def test_messages_are_dealt_to_producers_in_blocks_and_nsqds_belong_to_producers() -> None:
    report = checked(**TWO_CHANNELS, consumer_crash=1)
    published = [step for step in story(report, "delivery").steps if step.action.startswith("pub_producer")]

    assert [(step.exchanges[0].sender, step.exchanges[0].channel) for step in published] == [
        ("producer(p1)", "pub[n1]"),
        ("producer(p2)", "pub[n2]"),
    ]


def test_every_switch_is_off_by_default() -> None:
    parameters = dict(load("nsq").parameters)

    on = {name for name, value in parameters.items() if str(value).lower() not in ("0", "false", "memory")}

    assert on == {
        *("producers", "nsqds", "lookupds", "consumers", "topics", "channels", "messages"),
        *("max_attempts", "channels_first", "outtime"),
    }


def test_a_topic_without_consumers_is_kept_and_owed_to_nobody() -> None:
    report = checked(**(ONE_OF_EACH | {"topics": 2, "messages": 2}))

    assert violated(report) == set()


def test_with_two_topics_every_consumer_gets_its_own_messages() -> None:
    report = checked(**(ONE_OF_EACH | {"topics": 2, "messages": 2, "consumers": 2}))

    assert violated(report) == set()


# --- switches ---------------------------------------------------------------------------------------

IN_MEMORY = {"no-loss", "delivery", "reachability", "scalability", "flow-control"}
"""What the crash of an nsqd breaks."""


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        (SHARED, set()),
        (SHARED | {"max_in_flight": 4}, set()),
        (SHARED | {"lookupd_crash": 1}, set()),
        (SHARED | {"lookupd_crash": 2}, {"delivery", "reachability", "flow-control"}),
        (SHARED | {"backoff": True}, {"rdy-respected"}),
        (SHARED | {"timeouts": 1}, {"no-duplicates"}),
        (SHARED | {"timeouts": 1, "touch": True}, {"no-duplicates"}),
        (TWO_CHANNELS | {"timeouts": 1, "touch": True, "max_in_flight": 1}, set()),
        (SHARED | {"consumer_crash": 1}, {"no-duplicates", "flow-control"}),
        (TWO_CHANNELS | {"consumer_crash": 1}, {"delivery", "reachability", "flow-control"}),
        (TWO_CHANNELS | {"channels_first": False}, {"no-loss", "delivery", "reachability"}),
        (SHARED | {"nsqd_crash": 1}, IN_MEMORY),
        (SHARED | {"nsqd_crash": 1, "queue": "disk"}, IN_MEMORY),
        (SHARED | {"nsqd_crash": 1, "nsqd_restarts": 1}, IN_MEMORY),
        (SHARED | {"nsqd_crash": 1, "nsqd_restarts": 1, "queue": "disk"}, IN_MEMORY | {"no-duplicates"}),
    ],
    ids=lambda each: "-".join(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else "",
)
def test_a_switch_breaks_these_guarantees_and_no_others(
    settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(**settings)) == broken


def test_the_disk_queue_does_not_save_what_is_in_flight() -> None:
    """nsqd's disk queue moves on when it reads, so what is in flight is in memory only."""
    on_disk, in_memory = (checked(**SHARED, nsqd_crash=1, queue=queue) for queue in ("disk", "memory"))

    assert actions(on_disk, "no-loss")[-2:] == ["push", "crash_nsqd"]
    assert "push" not in actions(in_memory, "no-loss")


def test_a_touch_saves_what_is_handled_and_not_what_waits_behind_it() -> None:
    without, touched = (checked(**SHARED, timeouts=1, touch=touch) for touch in (False, True))
    late = next(s for s in story(touched, "no-duplicates").steps if s.action == "time_out")

    assert actions(without, "no-duplicates").count("handle") == 2
    assert late.state["handling"][late.arguments["c"]] not in (None, late.arguments["m"])


def test_a_channel_that_comes_late_misses_what_was_pumped() -> None:
    ends = actions(checked(**TWO_CHANNELS, channels_first=False), "no-loss")

    assert ends[-1] == "pump"


def test_a_dead_consumer_s_messages_go_to_another_one() -> None:
    report = checked(**SHARED, consumer_crash=1)

    assert "reachability" not in violated(report)
    assert "take_back" in actions(report, "no-duplicates")


def test_rdy_0_crosses_a_message_on_its_way() -> None:
    assert actions(checked(**SHARED, backoff=True), "rdy-respected")[-2:] == ["push", "requeue"]


# --- ways to break it -------------------------------------------------------------------------------

IGNORES_RDY = ("        require(self.in_flight_to(c, d) < self.ready(c, d))\n", "")
SKIPS_A_CHANNEL = (
    "            if self.reaches(m, ch):\n",
    "            if self.reaches(m, ch) and ch != 0:\n",
)
KEEPS_THE_DEAD = ("require(self.lists(ld, d) and", "require(ld != 0 and self.lists(ld, d) and")
FORGETS_FIN = ("            self.attempts[ch][m] = 0\n            self.done[ch].add(m)\n", "")
NEVER_HEARS_FIN = (
    "        if self.in_flight[ch][m] == c:\n"
    "            self.in_flight[ch][m] = None\n"
    "            self.attempts[ch][m] = 0\n",
    "        if False:\n",
)
REQUEUES_FOR_EVER = (
    (" and self.attempts[ch][m] < self.max_attempts)", ")"),
    (
        "self.attempts[ch][m] += 1",
        "self.attempts[ch][m] = min(self.attempts[ch][m] + 1, self.max_attempts)",
    ),
)


def test_a_push_that_ignores_rdy_is_noticed() -> None:
    report = checked(IGNORES_RDY, **TWO_CHANNELS)

    assert violated(report) == {"flow-control", "rdy-respected"}


def test_a_pump_that_skips_a_channel_is_noticed() -> None:
    report = checked(SKIPS_A_CHANNEL, **TWO_CHANNELS)

    assert violated(report) == {"reachability", "no-loss", "delivery"}


def test_a_lookupd_that_keeps_a_silent_nsqd_is_noticed() -> None:
    assert violated(checked(messages=2)) == set()
    assert violated(checked(KEEPS_THE_DEAD, messages=2)) == {"availability"}


def test_a_lookupd_that_keeps_a_dead_nsqd_is_noticed() -> None:
    alike, mutant = (checked(*changes, **SHARED, nsqd_crash=1) for changes in ((), (KEEPS_THE_DEAD,)))

    assert violated(mutant) - violated(alike) == {"availability"}


def test_an_unbounded_requeue_is_noticed() -> None:
    report = checked(*REQUEUES_FOR_EVER, **TWO_CHANNELS)
    again = story(report, "divergence-free")

    assert violated(report) == {"divergence-free", "reachability", "scalability", "flow-control"}
    assert again.cycle is not None
    assert {step.action for step in again.steps[again.cycle :]} == {"push", "read", "handle", "requeue"}


def test_a_fin_that_the_daemon_forgets_is_noticed() -> None:
    report = checked(FORGETS_FIN, **TWO_CHANNELS)

    assert violated(report) == {"reachability", "no-loss", "delivery"}


def test_a_fin_that_never_reaches_the_daemon_is_noticed() -> None:
    report = checked(NEVER_HEARS_FIN, **TWO_CHANNELS)

    assert violated(report) == {"reachability", "delivery"}


@pytest.mark.parametrize(("strength", "enough"), [("weak", False), ("strong", True)])
def test_an_unbounded_requeue_is_bearable_if_handlers_succeed_some_day(strength: str, enough: bool) -> None:
    """Weak fairness owes FIN nothing: between two attempts it is not possible."""
    fair = (
        (
            "    @eventually\n    def reach",
            f'    @eventually(fairness={strength}("instance"))\n    def reach',
        ),
        ("    spend,\n", f"    spend,\n    {strength},\n"),
    )

    report = checked(*REQUEUES_FOR_EVER, *fair, **(ONE_OF_EACH | {"messages": 2}))

    assert ("reachability" not in violated(report)) == enough
