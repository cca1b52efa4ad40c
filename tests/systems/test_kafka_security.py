"""Kafka's security: what each protection keeps, how each attack goes, and ways to break the model.

The verdicts and the counts are compared with an independent peer (`kafka_security_peer`), which was written
without Angarium. A mutant is the model's own text with one thing changed.
"""

from __future__ import annotations

from typing import Any

import pytest

from angarium.core.result import Report, Step
from tests.systems import changed
from tests.systems.changed import Change, as_settings, story, violated
from tests.systems.kafka_security_peer import Setup, search

pytestmark = pytest.mark.slow

PAPER = {
    "deadlock-free",
    "no-producer-faking",
    "no-producer-data-leak",
    "no-consumer-faking",
    "no-consumer-data-leak",
}
FAKING = {"no-producer-faking", "no-consumer-faking"}
LEAKS = {"no-producer-data-leak", "no-consumer-data-leak"}
CHANGED = {"no-producer-tampering", "no-consumer-tampering", "no-false-ack"}


def checked(*changes: Change, protection: str = "kerberos", **settings: object) -> Report:
    return changed.checked("kafka-security", changes, as_settings(protection=protection, **settings))


def steps(report: Report, guarantee: str) -> list[Step]:
    return list(story(report, guarantee).steps)


def by_the_intruder(report: Report, guarantee: str) -> list[tuple[str, str]]:
    """What the intruder took or made in a story: the action's kind, and the message."""
    return [
        (step.action.split("_")[0], step.exchanges[0].value)
        for step in steps(report, guarantee)
        if step.actor == "intruder"
    ]


# --- the table --------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("protection", "broken"),
    [
        ("none", FAKING | LEAKS | CHANGED),
        ("kerberos", LEAKS | CHANGED),
        ("kerberos-encrypted", set()),
        ("kerberos-signed", set()),
        ("tls", FAKING | {"no-consumer-data-leak", "no-producer-tampering"}),
        ("mutual-tls", set()),
    ],
)
def test_each_protection_keeps_what_it_should_and_no_more(protection: str, broken: set[str]) -> None:
    report = checked(protection=protection)

    assert {each.guarantee for each in report.verdicts} >= PAPER
    assert violated(report) == broken


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({"protection": "kerberos", "replay_cache": False}, FAKING | LEAKS | CHANGED),
        ({"protection": "kerberos-encrypted", "replay_cache": False}, FAKING),
        ({"protection": "kerberos-signed", "replay_cache": False}, FAKING),
        ({"protection": "kerberos", "check_lifetimes": False}, FAKING | LEAKS | CHANGED),
        ({"protection": "kerberos-encrypted", "check_lifetimes": False}, FAKING),
        ({"protection": "kerberos", "lifetime": 0}, LEAKS | CHANGED),
        ({"protection": "kerberos", "leaks": 1}, FAKING | LEAKS | CHANGED),
        ({"protection": "kerberos-encrypted", "leaks": 1}, FAKING | LEAKS | CHANGED),
        ({"protection": "kerberos-signed", "leaks": 1}, FAKING | LEAKS | {"no-false-ack"}),
        ({"protection": "kerberos-encrypted", "insider": True}, set()),
        ({"protection": "kerberos", "insider": True}, LEAKS | CHANGED),
        ({"protection": "mutual-tls", "insider": True}, set()),
        ({"protection": "kerberos-encrypted", "insider": True, "acl": False}, {"no-consumer-data-leak"}),
        (
            {"protection": "kerberos-encrypted", "insider": True, "check_names": False},
            FAKING | {"no-consumer-data-leak", "no-producer-tampering"},
        ),
        ({"protection": "none", "together": True}, FAKING | LEAKS | CHANGED),
    ],
    ids=lambda each: "-".join(f"{k}={v}" for k, v in each.items()) if isinstance(each, dict) else "",
)
def test_a_switch_breaks_these_guarantees_and_no_others(settings: dict[str, Any], broken: set[str]) -> None:
    assert violated(checked(**settings)) == broken


OLD_LEAK = {"lifetime": 0, "leaks": 1, "leak_when": "expired"}


@pytest.mark.thorough
def test_a_key_that_leaks_late_opens_what_was_said_and_connections_that_are_still_open() -> None:
    encrypted = checked(protection="kerberos-encrypted", **OLD_LEAK)
    signed = checked(protection="kerberos-signed", **OLD_LEAK)

    assert violated(encrypted) == LEAKS | CHANGED
    assert violated(signed) == LEAKS | {"no-false-ack"}


@pytest.mark.thorough
def test_a_key_that_leaks_late_opens_new_connections_only_where_lifetimes_are_not_checked() -> None:
    report = checked(protection="kerberos-encrypted", check_lifetimes=False, **OLD_LEAK)
    story = steps(report, "no-producer-faking")

    assert violated(report) == FAKING | LEAKS | CHANGED
    assert violated(checked(protection="kerberos-encrypted", **OLD_LEAK)).isdisjoint(FAKING)
    assert story[-1].state["settled"]["PRODUCER"] is not None


# --- attacks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guarantee", "attack"),
    [
        ("no-producer-faking", [("fake", "data(bogus)")]),
        ("no-producer-tampering", [("fake", "data(bogus)")]),
        ("no-consumer-faking", [("fake", "ask")]),
        ("no-consumer-data-leak", [("fake", "ask"), ("intercept", "data(kept)")]),
        ("no-producer-data-leak", []),
    ],
)
def test_without_protection_two_messages_at_most_are_enough(
    guarantee: str, attack: list[tuple[str, str]]
) -> None:
    assert by_the_intruder(checked(protection="none"), guarantee) == attack


@pytest.mark.thorough
def test_with_kerberos_the_intruder_only_needs_to_listen() -> None:
    report = checked()
    heard = {guarantee: steps(report, guarantee)[-1].exchanges[0].value for guarantee in sorted(LEAKS)}

    assert heard == {"no-producer-data-leak": "data(new)", "no-consumer-data-leak": "data(kept)"}
    assert by_the_intruder(report, "no-producer-tampering") == [("fake", "data(bogus)")]
    assert by_the_intruder(report, "no-false-ack")[-1] == ("fake", "ack")


@pytest.mark.thorough
def test_a_replayed_login_is_taken_for_the_producer_where_nothing_is_remembered() -> None:
    report = checked(replay_cache=False)

    assert ("fake", "login(producer, t1, t1)") in by_the_intruder(report, "no-producer-faking")
    assert steps(report, "no-producer-faking")[-1].state["now"] == "t1"


@pytest.mark.thorough
def test_an_old_login_is_taken_again_where_no_lifetime_is_checked() -> None:
    report = checked(check_lifetimes=False)
    story = steps(report, "no-producer-faking")

    assert ("fake", "login(producer, t1, t1)") in by_the_intruder(report, "no-producer-faking")
    assert "tick" in [step.action for step in story]


@pytest.mark.thorough
def test_who_has_the_session_key_opens_connections_but_cannot_sign() -> None:
    report = checked(protection="kerberos-signed", leaks=1)

    assert "no-producer-tampering" not in violated(report)
    assert "leak" in [step.action for step in steps(report, "no-producer-faking")]


@pytest.mark.thorough
def test_a_client_that_does_not_start_over_can_be_stopped_by_the_clock_or_the_intruder() -> None:
    assert "deadlock-free" in violated(checked(start_over=False))
    assert "deadlock-free" in violated(checked(protection="kerberos-encrypted", start_over=False))


# --- the peer ---------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "settings",
    [
        {"protection": "none"},
        {"protection": "none", "together": True},
        {"protection": "kerberos"},
        {"protection": "kerberos", "lifetime": 0},
        {"protection": "kerberos", "start_over": False},
        {"protection": "kerberos", "skew": 1},
        {"protection": "kerberos-encrypted"},
        {"protection": "kerberos-encrypted", "check_lifetimes": False},
        {"protection": "kerberos-signed", "leaks": 1},
        {"protection": "kerberos-signed", **OLD_LEAK},
        {"protection": "kerberos", "insider": True, "acl": False, "start_over": False},
        {"protection": "tls", "start_over": False},
        {"protection": "mutual-tls"},
    ],
    ids=lambda each: "-".join(f"{k}={v}" for k, v in each.items()),
)
def test_an_independent_search_finds_the_same_states_and_verdicts(settings: dict[str, Any]) -> None:
    report, found = checked(**settings), search(Setup(**settings))

    assert (report.coverage.states, report.coverage.depth) == (found.states, found.depth)
    assert violated(report) == found.violated


@pytest.mark.parametrize("protection", ["none", "kerberos", "kerberos-encrypted", "mutual-tls"])
def test_clients_can_finish_without_the_intruder_s_help(protection: str) -> None:
    """`deadlock-free` would be satisfied if the intruder passed a message on; it never has to."""
    assert search(Setup(protection)).stuck_alone == 0


def test_an_intruder_on_the_wires_to_kerberos_breaks_nothing_more() -> None:
    found = search(Setup("kerberos-encrypted", lifetime=0, start_over=False, tapped=True))

    assert found.violated == {"deadlock-free"}  # which is what `start_over=False` does
    assert found.states > 2_000


# --- ways to break it -------------------------------------------------------------------------------

FORGETS_TO_COMPARE = ("        allowed = u == w or not self.acl", "        allowed = True or not self.acl")
SAYS_IT_IN_THE_CLEAR = (
    "        return data(d) if self.plain() else secret_data(u, start, d)\n",
    "        return data(d)\n",
)
BELIEVES_ANY_ACK = ("            return fact == self.acked(u, start)\n", "            return True\n")
STORES_WITHOUT_A_CONNECTION = (
    "            if self.connected[w] or self.protection == Protection.NONE:\n",
    "            if True:\n",
)
FORGETS_TOO_EARLY = ("                if self.now - t > self.skew:\n", "                if True:\n")
TAKES_THE_FUTURE = ("abs(self.now - stamp) <= self.skew", "self.now - stamp <= self.skew")
ANSWERS_NOBODY = (
    "            await self.from_tgs[user].send(self.grant(user, start))\n",
    "            await until(False)\n",
)


def test_data_in_the_clear_are_noticed() -> None:
    report = checked(SAYS_IT_IN_THE_CLEAR, protection="kerberos-encrypted")

    assert violated(report) == LEAKS | CHANGED


def test_an_acknowledgement_that_is_not_looked_at_is_noticed() -> None:
    assert violated(checked(BELIEVES_ANY_ACK, protection="kerberos-encrypted")) == {"no-false-ack"}


def test_a_broker_that_needs_no_connection_is_noticed() -> None:
    report = checked(STORES_WITHOUT_A_CONNECTION, protection="kerberos-encrypted")

    assert violated(report) >= FAKING


def test_a_replay_cache_that_forgets_too_early_is_noticed() -> None:
    settings = {"protection": "kerberos-encrypted", "skew": 1}

    assert violated(checked(**settings)) == set()
    assert violated(checked(FORGETS_TOO_EARLY, **settings)) == FAKING


def test_authenticators_from_the_future_let_a_thief_lock_the_producer_out() -> None:
    """The paper's check of times takes them; who has a session key then uses up what the client needs."""
    settings = {"protection": "kerberos-signed", "leaks": 1}

    assert "deadlock-free" not in violated(checked(**settings))
    assert "deadlock-free" in violated(checked(TAKES_THE_FUTURE, **settings))


def test_a_server_that_does_not_answer_is_noticed() -> None:
    assert violated(checked(ANSWERS_NOBODY, protection="kerberos-encrypted")) == {"deadlock-free"}


@pytest.mark.thorough
def test_a_broker_that_lets_everybody_in_is_noticed() -> None:
    report = checked(FORGETS_TO_COMPARE, protection="kerberos-encrypted", insider=True)

    assert violated(report) == {"no-consumer-data-leak"}
