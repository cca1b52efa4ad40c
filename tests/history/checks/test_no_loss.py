"""no-loss: who must get what, and when it is too early to say."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from angarium.history.kernel.audit import Audited
from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.checks.deeds import control, send, sent, settle, take
from tests.history.histories import Row, audit_of, counts, found, messages_of, profile

SECOND = 1000.0
LATER = 60 * SECOND
"""When the histories end: long after all that they are about."""

ROWS: list[Row] = [
    # m1 is delivered, m2 is lost, m3 was confirmed shortly before the end, m4 and m5 never
    *(row for message in ("m1", "m2") for row in sent("one", 0, message)),
    take("one", 5, "m1"), settle("one", 6, "m1"), *sent("one", LATER - 4000, "m3"),
    send("one", 7, "m4"), send("one", 7, "m5"), send("one", 8, "m5", phase="fail"), take("one", LATER, "m1"),
    # of two subscribers, s2 came later: what was sent before that is not for it
    control("two", 0, "subscribe", destination="q", subscription="s1"), *sent("two", 5, "early"),
    control("two", 10, "subscribe", destination="q", subscription="s2"), *sent("two", 20, "late"),
    take("two", 30, "early", subscription="s1"), take("two", LATER, "late", subscription="s1"),
    # what waited in the queue is for the first that comes, however late
    *sent("waiting", 0, "m"), control("waiting", SECOND, "subscribe", destination="q"),
    control("waiting", LATER, "x"),
    # nobody reads it: nothing is lost
    *sent("unread", 0, "m"), control("unread", LATER, "x"), take("unread", 1, "n", destination="other"),
    # a later attempt is confirmed; the first failed
    send("again", 0, "m"), send("again", 1, "m", phase="fail"), *sent("again", 2, "m"),
    take("again", LATER, "n"),
]  # fmt: skip


@pytest.fixture(scope="module")
def known() -> Audited:
    return audit_of(ROWS)


def test_what_was_confirmed_and_not_delivered_is_lost(known: Audited) -> None:
    lost = found(known, "no-loss", "run_id", "message_id", "subscriber", "first_seq", "last_seq")
    assert lost == {
        ("one", "m2", "q", 3, 4),
        ("two", "late", "s2", 3, 4),
        ("waiting", "m", "q", 1, 2),
        ("again", "m", "q", 1, 4),
    }


def test_what_may_still_come_is_not_judged(known: Audited) -> None:
    judged = counts(known, "no-loss")
    assert judged == {"one": (2, 1), "two": (3, 0), "waiting": (1, 0), "unread": (0, 0), "again": (1, 0)}


def test_every_message_has_its_life_in_the_table() -> None:
    table = messages_of(ROWS)
    states = {(row["run_id"], row["message_id"], row["subscriber"]): row["state"] for row in table}
    assert len(states) == len(table)
    of_one = {key[1:]: state for key, state in states.items() if key[0] == "one"}
    assert of_one == {
        ("m1", "q"): "settled", ("m2", "q"): "lost", ("m3", "q"): "unseen", ("m4", None): "unconfirmed",
        ("m5", None): "unconfirmed",
    }  # fmt: skip
    assert states["two", "late", "s1"] == "delivered" and states["two", "late", "s2"] == "lost"
    assert ("two", "early", "s2") not in states
    assert states["unread", "m", None] == "unseen" and states["unread", "n", "other"] == "phantom"
    outcomes = {row["message_id"]: row["send_outcome"] for row in table if row["run_id"] == "one"}
    assert (outcomes["m1"], outcomes["m4"], outcomes["m5"]) == ("confirmed", "unknown", "failed")


def test_runs_are_counted(known: Audited) -> None:
    rows = {row.run_id: asdict(row) for row in known.figures}
    assert rows["one"] == {
        "run_id": "one", "attempted": 5, "confirmed": 3, "unconfirmed": 2, "delivered": 1, "deliveries": 2,
        "redelivered": 1, "max_deliveries": 2, "requeues": 0, "unseen": 1, "lost": 1,
    }  # fmt: skip
    assert (rows["two"]["deliveries"], rows["two"]["redelivered"], rows["unread"]["lost"]) == (2, 0, 0)


def test_what_it_lacks() -> None:
    assert lacks("no-loss", profile(sends=1, receives=1), Parameters()) == "no send is confirmed"
    assert lacks("no-loss", profile(confirmed=1), Parameters()) is not None
    assert lacks("no-loss", profile(confirmed=1, subscriptions=1), Parameters()) is None
