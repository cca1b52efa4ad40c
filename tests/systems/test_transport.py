"""The transport: what each switch does to each guarantee, and ways to break it that must be noticed.

A mutant is the model's own text with one thing changed; the change must fit, or the test fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.export.promela import promela
from angarium.core.result import Report
from angarium.systems.registry import load
from tests.spin import needs_spin, run_spin
from tests.systems import changed
from tests.systems.changed import Change, actions, as_settings, story, violated

pytestmark = pytest.mark.slow

NEVER_COMES = {"delivery", "acknowledgement"}
WRONG = {"no-duplicates", "order", "acknowledged-is-delivered"}
KEPT = {"when_full": "number-is-kept"}
FIFO = {"messages": 5, "reordering": False} | KEPT
KNOWN = {"incarnations": True}
SMALL = {"messages": 2, "capacity": 2, "duplicates": 0}
"""Enough for the mutants."""


def checked(*changes: Change, **settings: object) -> Report:
    return changed.checked("transport", changes, as_settings(**settings))


# --- as published -----------------------------------------------------------------------------------


def test_everything_holds_while_the_queue_has_room_and_nobody_restarts() -> None:
    report = checked()

    assert [each.guarantee for each in report.verdicts] == [
        *("stays-in-range", "no-duplicates", "no-invention", "order", "acknowledged-is-delivered"),
        *("delivery", "acknowledgement"),
    ]
    assert violated(report) == set()


@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({"under_way": 3}, set()),
        ({"messages": 4, "duplicates": 2}, set()),
        ({"reordering": False}, set()),
        ({"capacity": 1}, NEVER_COMES),
        ({"capacity": 1} | KEPT, set()),
        ({"receiver_lives": 2}, {"no-duplicates", "order"} | NEVER_COMES),
        ({"sender_lives": 2}, {"order", "acknowledged-is-delivered", "delivery"}),
        ({"sender_lives": 2, "reordering": False}, {"acknowledged-is-delivered", "delivery"}),
        ({"receiver_lives": 2} | KNOWN, set()),
        ({"sender_lives": 2} | KNOWN, set()),
        ({"sender_lives": 2, "receiver_lives": 2} | KNOWN, set()),
        ({"receiver_lives": 2, "unsure": "sends-again"} | KNOWN, {"no-duplicates", "order"}),
    ],
    ids=lambda each: "-".join(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else "",
)
def test_a_switch_breaks_these_guarantees_and_no_others(
    settings: dict[str, object], broken: set[str]
) -> None:
    assert violated(checked(**settings)) == broken


@pytest.mark.sample(1)
@needs_spin
@pytest.mark.parametrize("settings", [{}, {"messages": 2} | KNOWN])
def test_spin_finds_the_same_counts(settings: dict[str, object], tmp_path: Path) -> None:
    compiled = load("transport", dict(as_settings(**settings)))

    found = run_spin(promela(compiled, initial_states(compiled)), tmp_path)

    coverage = checked(**settings).coverage
    assert (found.states, found.transitions, found.errors) == (coverage.states, coverage.transitions, 0)


# --- a full queue -----------------------------------------------------------------------------------


def test_the_receiver_waits_for_ever_for_the_number_of_a_refused_message() -> None:
    gap = story(checked(capacity=1), "delivery")
    end = gap.steps[-1].state

    assert "refuse" in actions(checked(capacity=1), "delivery")
    assert end["expected"] == 1
    assert [packet["number"] for packet in end["queue"]] == [2]
    assert end["fate"] == {"m1": "ACKNOWLEDGED", "m2": "REFUSED", "m3": "ACCEPTED"}


def test_the_timer_goes_on_for_ever_in_front_of_the_gap() -> None:
    gap = story(checked(capacity=1), "acknowledgement")

    assert gap.cycle is not None
    assert {step.action for step in gap.steps[gap.cycle :]} == {"retransmit", "data_arrives"}


# --- restarts ---------------------------------------------------------------------------------------


def test_a_receiver_that_forgets_what_it_expects_delivers_an_old_message_again() -> None:
    """It takes no copy that the network makes: the timer makes one."""
    assert actions(checked(receiver_lives=2), "no-duplicates") == [
        *("send", "retransmit", "data_arrives", "restart_receiver", "data_arrives")
    ]


def test_a_receiver_that_restarts_waits_for_numbers_that_nobody_sends_any_more() -> None:
    end = story(checked(receiver_lives=2), "acknowledgement").steps[-1].state

    assert end["expected"] == 0
    assert end["queue"][0]["number"] > 0


def test_a_new_message_of_a_restarted_sender_is_taken_for_an_old_one_and_acknowledged() -> None:
    report = checked(sender_lives=2)
    end = story(report, "acknowledged-is-delivered").steps[-1].state

    assert "restart_sender" in actions(report, "acknowledged-is-delivered")
    assert "ACKNOWLEDGED" in {end["fate"][m] for m in end["fate"] if m not in end["delivered"]}


TOLD_NOTHING = (
    "leads_to(self.fate[m] == Fate.ACCEPTED, m in self.delivered or self.fate[m] == Fate.GIVEN_UP)",
    "leads_to(self.fate[m] == Fate.ACCEPTED, m in self.delivered)",
)
"""What is given up is no excuse."""


@pytest.mark.parametrize(
    ("unsure", "price"), [("gives-up", {"delivery"}), ("sends-again", {"no-duplicates", "order"})]
)
def test_a_restarted_receiver_costs_either_a_message_or_a_duplicate(unsure: str, price: set[str]) -> None:
    report = checked(TOLD_NOTHING, **SMALL, **KNOWN, receiver_lives=2, unsure=unsure)

    assert violated(report) == price


NO_MATTER_FOR_WHOM = ("if self.incarnations and data.target != self.receiver_life:", "if False:")
NO_MATTER_FROM_WHOM = ("elif data.source >= self.sender_known:", "elif True:")
ANY_ACK = ("if answer.source == self.sender_life and self.peer == answer.target:", "if True:")
OLD_NOTICES_TOO = ("self.peer == earlier and earlier < life", "self.peer == earlier and earlier != life")


@pytest.mark.parametrize(
    ("change", "restarts", "broken"),
    [
        (NO_MATTER_FOR_WHOM, "receiver_lives", "no-duplicates"),
        (NO_MATTER_FROM_WHOM, "sender_lives", "order"),
        (ANY_ACK, "sender_lives", "acknowledged-is-delivered"),
        (OLD_NOTICES_TOO, "receiver_lives", "acknowledged-is-delivered"),
    ],
    ids=["for whom", "from whom", "any ack", "old notices"],
)
def test_incarnation_numbers_must_be_looked_at(change: Change, restarts: str, broken: str) -> None:
    settings = KNOWN | {"duplicates": 0, restarts: 2}

    assert violated(checked(**settings)) == set()
    assert broken in violated(checked(change, **settings))


# --- numbers that begin again -----------------------------------------------------------------------


@pytest.mark.parametrize("window", [1, 2, 3])
def test_without_reordering_twice_the_window_is_enough_numbers(window: int) -> None:
    assert violated(checked(**FIFO, capacity=window, numbers=2 * window)) == set()


@pytest.mark.parametrize(("window", "numbers"), [(2, 3), (3, 4), (3, 5)])
def test_with_one_more_than_the_window_nothing_is_wrong_but_it_may_get_stuck(
    window: int, numbers: int
) -> None:
    assert violated(checked(**FIFO, capacity=window, numbers=numbers)) == {"acknowledgement"}


@pytest.mark.parametrize("window", [2, 3])
def test_with_as_many_as_the_window_everything_goes_wrong(window: int) -> None:
    assert violated(checked(**FIFO, capacity=window, numbers=window)) >= WRONG


@pytest.mark.sample(1)
@pytest.mark.parametrize("numbers", [3, 4, 5, 6, 7])
def test_with_reordering_no_number_of_numbers_is_enough(numbers: int) -> None:
    """As soon as there are messages enough to come to the second half of them."""
    enough = numbers // 2 + 2

    assert violated(checked(**KEPT, messages=enough - 1, capacity=1, numbers=numbers)) == set()
    assert "acknowledged-is-delivered" in violated(
        checked(**KEPT, messages=enough, capacity=1, numbers=numbers)
    )


@pytest.mark.parametrize(
    ("lifetime", "window", "numbers"), [(1, 1, 2), (2, 1, 3), (3, 1, 4), (2, 2, 4), (4, 2, 6)]
)
def test_if_datagrams_do_not_live_for_ever_there_is_a_smallest_safe_number_of_numbers(
    lifetime: int, window: int, numbers: int
) -> None:
    """Twice the window, twice what can be older than the last message, and more than the lifetime."""
    settings = KEPT | {"messages": 7, "capacity": window, "lifetime": lifetime}

    assert numbers == max(2 * window, 2 * (lifetime - 1), lifetime + 1)
    assert violated(checked(**settings, numbers=numbers)) == set()
    if numbers > 2:
        assert violated(checked(**settings, numbers=numbers - 1)) != set()


# --- fair loss --------------------------------------------------------------------------------------

FAIR = "fairness=strong(data_arrives, ack_arrives, notice_arrives)"


def fair(demand: str) -> tuple[Change, ...]:
    """The guarantee `delivery` under another demand."""
    name = "\n    def delivery"
    return (
        (f"    @ltl({FAIR}){name}", f"    @ltl({demand}){name}"),
        ("    strong,\n", "    strong,\n    weak,\n"),
    )


@pytest.mark.parametrize(
    ("demand", "enough"),
    [
        ("", False),
        ('fairness=weak("instance")', False),
        ('fairness=[strong(data_arrives), weak("instance")]', False),
        ('fairness=[strong(ack_arrives), weak("instance")]', False),
        ("fairness=strong(data_arrives, ack_arrives)", True),
    ],
)
def test_delivery_needs_fair_loss_both_ways_and_no_more(demand: str, enough: bool) -> None:
    assert ("delivery" not in violated(checked(*fair(demand)))) == enough


def test_without_loss_delivery_needs_no_fairness_of_the_network() -> None:
    report = checked(*fair('fairness=weak("instance")'), lossy=False)

    assert violated(report) == set()


def test_a_network_that_copies_for_ever_may_keep_what_is_new_out_for_ever() -> None:
    copies = (
        "    def duplicate_ack(self, m: Message, life: Life) -> None:\n"
        "        require(self.has_answer(self.ack_rank(m, life)) and self.has_room_back())\n"
    )
    for_ever = (copies + "        spend(self.copies_left)\n", copies)

    assert violated(checked(for_ever)) == {"delivery", "acknowledgement"}


# --- mutants ----------------------------------------------------------------------------------------

TRANSMITS_WHAT_IT_REFUSES = (
    "        self.fate[m] = Fate.REFUSED\n",
    "        self.fate[m] = Fate.REFUSED\n        self.transmit(Packet(m, self.next_number))\n",
)
DELIVERS = (
    "            if data.number == self.expected:\n                self.deliver",
    "            if {}:\n                self.deliver",
)
ACKNOWLEDGES = ("if data.number == self.expected or self.is_before(data.number, self.expected):", "if {}:")
IS_OLD = "self.is_before(data.number, self.expected)"


def instead(change: Change, condition: str) -> Change:
    return change[0], change[1].format(condition)


@pytest.mark.parametrize(
    ("change", "settings", "broken"),
    [
        (TRANSMITS_WHAT_IT_REFUSES, {"capacity": 1}, "no-invention"),
        (instead(DELIVERS, "data.message not in self.delivered"), {}, "order"),
        (instead(DELIVERS, f"data.number == self.expected or {IS_OLD}"), {}, "no-duplicates"),
        (instead(ACKNOWLEDGES, "True"), {}, "acknowledged-is-delivered"),
        (instead(ACKNOWLEDGES, "data.number == self.expected"), {}, "acknowledgement"),
        (("self.transmit(self.queue[0])", "pass"), {}, "delivery"),
        (
            ("not self.is_before(answer.number, self.queue[0].number)", "True"),
            {},
            "acknowledged-is-delivered",
        ),
    ],
    ids=[
        *("transmits what it refuses", "delivers whatever is new", "delivers older data"),
        *("acknowledges later data", "does not acknowledge older data"),
        *("the timer does nothing", "an ack deletes everything"),
    ],
)
def test_a_mistake_in_the_protocol_is_noticed(
    change: Change, settings: dict[str, object], broken: str
) -> None:
    assert broken in violated(checked(change, **(SMALL | settings)))


def test_a_timer_that_repeats_the_highest_number_may_wait_for_ever() -> None:
    highest = (
        ("self.transmit(self.queue[0])", "self.transmit(self.queue[len(self.queue) - 1])"),
        (
            "self.queue[0].message == m and self.has_room",
            "self.queue[len(self.queue) - 1].message == m and self.has_room",
        ),
    )

    assert violated(checked(*highest, **SMALL)) == NEVER_COMES


def test_acks_that_delete_only_their_own_number_cost_no_guarantee_but_time() -> None:
    """Every number that is left is sent and acknowledged again, in its turn."""
    one_by_one = (
        "not self.is_before(answer.number, self.queue[0].number)",
        "answer.number == self.queue[0].number",
    )

    assert violated(checked(one_by_one)) == set()
