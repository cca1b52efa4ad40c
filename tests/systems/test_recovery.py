"""Recovery: what each variant and each fault does to each guarantee, and mutants that must be noticed.

A mutant is the model's own text with one thing changed; the change must fit, or the test fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.export.promela import promela
from angarium.core.result import Report
from angarium.systems.registry import Scenario, load, systems
from tests.spin import needs_spin, run_ltl, run_spin
from tests.systems import changed
from tests.systems.changed import Change, actions, as_settings, story, violated
from tests.systems.recovery_peer import Rules, count

LOOP, WASTE = "no-transient-loop", "no-loss-once-noticed"
COLOUR, HELD, FOR_EVER = "right-colour", "acknowledged-is-held", "no-loop-for-ever"
QUIET = {"packets": "none"}
HEALING_LINE = {"shape": "line", "brokers": 3, "recoveries": 1}
PARTED_LINE = {"shape": "line", "failures": 2, "recoveries": 1, "statements": 4, **QUIET}
FORGED = {"failures": 0, "forgeries": 1, "statements": 8, "numbers": 8, "brokers": 3, **QUIET}
FORGED_LINE = FORGED | {"shape": "line"}
CHECKED = {"belief": "checked", "statements": 6, "horizon": 3}


def checked(*changes: Change, **settings: object) -> Report:
    return changed.checked("recovery", changes, as_settings(**settings))


def described(each: object) -> str:
    return "-".join(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else ""


# --- variants -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({"packets": "recoloured", "failures": 2}, set()),
        ({"brokers": 3, "failures": 2, "switching": "ordered"}, {WASTE}),
        (HEALING_LINE | {"packets": "recoloured"}, {WASTE}),
    ],
    ids=described,
)
def test_a_variant_breaks_these_guarantees_and_no_others(
    settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(**settings)) == broken


def test_the_broker_next_to_the_cut_turns_the_packet_round_and_the_next_one_turns_it_back() -> None:
    told = story(checked(), LOOP)

    hops = [step.arguments for step in told.steps if step.action == "hop"]
    assert hops == [{"a": "b2", "b": "b3"}, {"a": "b3", "b": "b2"}]
    assert [step.action for step in told.steps[:2]] == ["cut_link", "notice_failure"]


def test_a_packet_with_the_colour_of_its_sender_is_dropped_at_a_cut_that_the_sender_has_not_heard_of() -> (
    None
):
    told = actions(checked(packets="coloured"), WASTE)

    assert told[-1] == "drop"
    assert "notice_arrives" not in told


def test_with_ordered_switching_what_comes_to_the_cut_is_dropped_until_the_broker_there_switches() -> None:
    told = actions(checked(switching="ordered"), WASTE)

    assert told[-1] == "drop" and "switch" not in told


def test_statements_that_are_too_few_are_seen() -> None:
    assert "stays-in-range" in violated(checked(**PARTED_LINE | {"statements": 3}))


# --- faults of the thesis, and of protocols that leave something out -------------------------------------


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({"fault": "union", "brokers": 3, "recoveries": 1, **QUIET}, {COLOUR}),
        ({"fault": "number-resets", **QUIET}, {COLOUR, HELD}),
        ({"fault": "forgets", "failures": 2, **QUIET}, {COLOUR}),
        ({"fault": "floods-old"}, {COLOUR, LOOP, FOR_EVER}),
        ({"fault": "no-retransmission", "losses": 1, **QUIET}, set()),
        ({"fault": "no-retransmission", "losses": 2, **QUIET}, {COLOUR}),
        (PARTED_LINE | {"fault": "no-exchange"}, {COLOUR, HELD}),
        ({"fault": "any-age", **HEALING_LINE, **QUIET}, {COLOUR, HELD}),
        ({"numbers": 4, **PARTED_LINE}, {COLOUR, HELD}),
        ({"numbers": 8, **PARTED_LINE}, set()),
    ],
    ids=described,
)
def test_a_fault_breaks_these_guarantees_and_no_others(settings: dict[str, object], broken: set[str]) -> None:
    assert violated(checked(**settings)) == broken


def test_one_end_is_enough_to_tell_of_a_cut_so_one_loss_needs_no_retransmission() -> None:
    told = actions(checked(fault="no-retransmission", losses=2, **QUIET), COLOUR)

    assert sorted(each for each in told if each.startswith("lose")) == ["lose_notice", "lose_notice"]


# --- forgers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        (FORGED, {HELD}),
        (FORGED | {"forgeries": 2}, {COLOUR, HELD}),
        (FORGED_LINE, {COLOUR, HELD}),
        (FORGED_LINE | CHECKED, {HELD}),
        (FORGED_LINE | CHECKED | {"fault": "no-comparison"}, {COLOUR, HELD}),
        (FORGED_LINE | CHECKED | {"fault": "no-answer"}, {COLOUR, HELD}),
        (FORGED_LINE | CHECKED | {"fault": "any-number"}, {COLOUR, HELD}),
        pytest.param(
            FORGED | CHECKED | {"forgeries": 2, "horizon": 2, "statements": 7},
            {HELD},
            marks=pytest.mark.thorough,
        ),
    ],
    ids=described,
)
def test_with_a_forger_these_guarantees_break_and_no_others(
    settings: dict[str, object], broken: set[str]
) -> None:
    """Whatever checks, a forged acknowledgement is one in the name of somebody who does not hold it."""
    assert violated(checked(**settings)) == broken


def test_one_datagram_forged_in_the_name_of_a_neighbour_makes_a_black_hole_of_it_for_ever() -> None:
    told = story(checked(**FORGED_LINE), COLOUR)

    assert [(step.action, step.arguments) for step in told.steps] == [
        ("forge", {"a": "b2", "b": "b1", "o": "b2", "s": "s2"})
    ]


def test_with_a_packet_it_is_seen_to_be_one() -> None:
    told = actions(checked(**FORGED_LINE | {"packets": "plain", "destination": 3}), WASTE)

    assert told == ["forge", "send", "drop"]


# --- mutants ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "settings", "broken"),
    [
        (
            ("self.owed[b][a][o] == t and self.later(t, s) for t", "False for t"),
            {"brokers": 3, "shape": "line", "recoveries": 1, **QUIET},
            {HELD},
        ),
        (
            ("if n != a and self.linked(b, n) and n not in", "if n == a and self.linked(b, n) and n not in"),
            {"brokers": 5, **QUIET},
            {COLOUR, HELD},
        ),
        (
            ("return y in self.colour[b][x] or x in", "return y in self.colour[b][x] and x in"),
            {},
            {LOOP, WASTE},
        ),
        (
            ("                    self.post(b, n, o, s)\n", "                    self.owed[b][n][o] = s\n"),
            QUIET,
            set[str](),
        ),
        (
            ("            self.end(Fate.ARRIVED)\n", "            self.at = b\n"),
            {"brokers": 3},
            {WASTE},
        ),
        (
            ("                self.carried[o].add(n)\n", "                self.carried[o].discard(n)\n"),
            {"packets": "recoloured"},
            {FOR_EVER},
        ),
        (
            ("require(not any(self.sends_to(n, b) and not self.agrees(n, b)", "require(not any(False"),
            {"switching": "ordered"},
            {LOOP, WASTE},
        ),
        (
            ("            self.held[b][b] = s\n            self.state(b)\n", "            self.state(b)\n"),
            FORGED_LINE | CHECKED,
            {COLOUR, HELD},
        ),
        (
            ("any(self.held[b][o] > self.held[n][o] for o", "any(self.held[b][o] < self.held[n][o] for o"),
            FORGED_LINE | CHECKED,
            {COLOUR, HELD},
        ),
    ],
    ids=[
        "any acknowledgement is taken for the latest",
        "what is learnt is handed only to where it came from",
        "a link is dead only if both ends say so",
        "what is learnt is only handed on by the timer, which is late but enough",
        "what arrives goes on",
        "a packet forgets failures instead of taking them on",
        "ordered switching without an order",
        "an answer to a forgery that is not later",
        "who holds less tells the other everything",
    ],
)
def test_a_mutant_breaks_these_guarantees_and_no_others(
    change: Change, settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(change, **settings)) == broken


# --- a peer ---------------------------------------------------------------------------------------------


NUMBERS = ("brokers", "failures", "recoveries", "alarms", "losses")
NUMBERS += ("forgeries", "statements", "numbers", "horizon")


def rules(scenario: Scenario) -> Rules:
    """The scenario of the model as one of the peer."""
    said = dict(scenario.parameters)
    numbers = {name: int(said[name]) for name in NUMBERS if name in said}
    return Rules(
        **numbers,
        shape=said.get("shape", "ring"),
        slow=said.get("network") == "slow",
        packets=said.get("packets", "plain"),
        ordered=said.get("switching") == "ordered",
        checked=said.get("belief") == "checked",
    )


SMALL = [
    each
    for each in systems()["recovery"].scenarios
    if each.states < 4000 and each.parameters.get("destination") != "0"
]


@pytest.mark.parametrize("scenario", SMALL, ids=lambda each: "-".join(each.parameters.values()))
def test_a_peer_that_shares_no_code_counts_the_same(scenario: Scenario) -> None:
    assert count(rules(scenario)) == (scenario.states, scenario.transitions, scenario.depth)


@pytest.mark.sample(1)
@pytest.mark.slow
@needs_spin
@pytest.mark.parametrize("settings", [{"losses": 1}, {"fault": "number-resets"}], ids=described)
def test_spin_finds_the_same_of_a_triangle_without_packets(
    settings: dict[str, object], tmp_path: Path
) -> None:
    """With a packet, the ways in every colour make an export that takes minutes to write."""
    chosen = QUIET | {"brokers": 3} | settings
    model = load("recovery", dict(as_settings(**chosen)))
    report = checked(**chosen)

    text = promela(model, initial_states(model))

    assert run_ltl(text, COLOUR, tmp_path) is (COLOUR not in violated(report))
    spin = run_spin(text, tmp_path, every_error=True)
    if not violated(report):
        assert (spin.states, spin.transitions) == (report.coverage.states, report.coverage.transitions)
    assert bool(spin.errors) is (HELD in violated(report))
