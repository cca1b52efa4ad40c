"""The overlay: what each switch does to each guarantee, and ways to break it that must be noticed.

A mutant is the model's own text with one thing changed; the change must fit, or the test fails.
"""

from __future__ import annotations

import pytest

from angarium.core.result import Report
from tests.systems import changed
from tests.systems.changed import Change, actions, as_settings, story, violated

LOST = {"reachability", "no-black-hole"}
ROUND = {"reachability", "loop-free"}
SIX = {"brokers": 6, "broker_failures": 0}


def checked(*changes: Change, **settings: object) -> Report:
    return changed.checked("overlay", changes, as_settings(**settings))


# --- the thesis ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({}, set()),
        ({"broker_failures": 2}, set()),
        ({"broker_failures": 0, "link_failures": 1}, set()),
        ({"broker_failures": 0, "link_failures": 1, "rerouted": False}, LOST),
        ({"broker_failures": 0, "link_failures": 2}, LOST),
        ({"in_flight": True}, LOST),
        (SIX, set()),
        (SIX | {"mistake": "one-entry"}, ROUND),
        (SIX | {"mistake": "all-entries"}, ROUND),
        (SIX | {"mistake": "no-entry"}, LOST),
        (SIX | {"link_failures": 1}, LOST),
        ({"brokers": 6}, LOST),
        ({"brokers": 4}, LOST | {"subscribers-have-publishers"}),
    ],
    ids=lambda each: "-".join(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else "",
)
def test_a_switch_breaks_these_guarantees_and_no_others(
    settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(**settings)) == broken


def test_the_injected_fault_sends_messages_to_and_fro_between_the_fourth_and_the_sixth() -> None:
    told = story(checked(**SIX, mistake="one-entry"), "loop-free")

    assert told.cycle is not None
    round_ = [(step.arguments["a"], step.arguments["b"]) for step in told.steps[told.cycle :]]
    assert sorted(round_) == [("b4", "b6"), ("b6", "b4")]


def test_a_message_takes_the_other_way_round_the_triangle_when_a_link_is_cut() -> None:
    not_around = (
        "        return sum(c for c in Broker",
        "        return -1 if a == a else sum(c for c in Broker",
    )

    assert violated(checked(not_around, broker_failures=0, link_failures=1)) == LOST


def test_without_failures_nothing_is_claimed_of_takeovers() -> None:
    judged = {each.guarantee for each in checked(**SIX).verdicts}

    assert not {"takeover", "comeback"} & judged


def test_what_a_broker_holds_dies_with_it() -> None:
    told = actions(checked(in_flight=True), "no-black-hole")

    assert told == ["publish", "fail_broker"]


# --- mutants ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "settings", "broken"),
    [
        (
            (
                "        self.publisher_at[t] = place\n",
                "        self.publisher_at[t] = self.publisher_at[t]\n",
            ),
            {},
            {"takeover", "loop-free"},
        ),
        (
            ("require(place not in self.dead and self.subscriber_at[t][home] != place)", "require(False)"),
            {},
            {"takeover"},
        ),
        (
            (
                "place = self.publishers_place(home)\n",
                "place = self.publishers_place(home) if home in self.dead else self.substitute(home)\n",
            ),
            {},
            {"comeback"},
        ),
        (
            (
                "            or (t == Topic.B and b == B4)\n",
                "            or (t == Topic.B and b == B4 and b == B5)\n",
            ),
            SIX,
            {"publishers-have-subscribers"},
        ),
        (
            ("            or (t == Topic.D and b == B6)\n", ""),
            SIX,
            {"subscribers-have-publishers"},
        ),
        (("            return to if to in (B1, B3) else B4", "            return B4"), SIX, ROUND),
        (("        if b in self.dead:\n            return False\n", ""), {"brokers": 6}, set[str]()),
        (
            (
                "self.to == b:\n            self.fate = Fate.ARRIVED",
                "self.to == b:\n            self.fate = Fate.DROPPED",
            ),
            SIX,
            LOST,
        ),
    ],
    ids=[
        "publishers stay",
        "subscribers stay",
        "publishers do not come back",
        "nobody wants B",
        "nobody publishes D",
        "the second broker sends everything to the fourth",
        "dead brokers forward, as in the thesis, and nothing seems to get lost",
        "nobody takes what arrives",
    ],
)
def test_a_mutant_breaks_these_guarantees_and_no_others(
    change: Change, settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(change, **settings)) == broken
