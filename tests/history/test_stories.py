"""Stories: the shortest violation of each guarantee, the events that prove it, and how they are told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import pytest

from angarium.app.report.history_text import render_story
from angarium.history.evidence.search import candidates, evidence
from angarium.history.guarantees import GUARANTEES
from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel.process import Corrected
from angarium.history.results import Violation
from angarium.history.stories import CANDIDATES, MOST_ROWS, HistoryStory, shortest
from angarium.history.story_events import CIRCUMSTANCES
from tests.history.hand_written import BEGIN, MILLISECOND, Event, event, numbered

if TYPE_CHECKING:
    pass


def violation(guarantee: str, kind: str, first: Event, last: Event, **more: object) -> Violation:
    """A violation that two numbered events prove."""
    plain = Violation(
        last["run_id"], guarantee, kind, "orders", None, "billing", last.get("message_id"), None, None,
        first["recorder"], first["seq"], first["time_unix_nano"], last["recorder"], last["seq"],
        last["time_unix_nano"], last["time_unix_nano"],
    )  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


AFTER_ACK = numbered(
    [
        event(0, "send", "p0", "p0-7"),
        event(2, "sent", "p0", "p0-7"),
        event(5, "take", "c1", "p0-7"),
        event(6, "acked", "c1", "p0-7"),
        event(7, "take", "auditor", "p0-7", subscription="audit"),
        event(8, "ack", "auditor", "p0-7", subscription="audit"),
        event(9, "send", "p0", "p0-8"),
        event(12, "take", "c2", "p0-7"),
    ]
)
SLOW = [
    *(event(20 + 10 * n, "take", f"c{n}", "p0-9", run_id="slow") for n in range(1, 30)),
    event(400, "take", "c1", "p0-9", run_id="slow"),
]
OVER_CREDIT = [
    event(1, "credit", "c1", credit=5, run_id="flow"),
    event(2, "take", "c1", "m0", run_id="flow"),
    event(3, "ack", "c1", "m0", run_id="flow"),
    event(4, "credit", "c1", credit=1, run_id="flow"),
    event(30, "take", "c1", "m1", run_id="flow"),
    event(31, "take", "c2", "m9", run_id="flow"),
    event(40, "take", "c1", "m2", run_id="flow"),
]
SLOW, OVER_CREDIT = numbered(SLOW), numbered(OVER_CREDIT)

AGAIN = violation("duplicates-after-ack", "after-ack", AFTER_ACK[3], AFTER_ACK[7], consumer_id="c2")
LATER = violation("duplicates-after-ack", "after-ack", SLOW[0], SLOW[-1], consumer_id="c1")
OFTEN = violation("bounded-retries", "too-many", SLOW[0], SLOW[-1], measure=30, bound=5)
FLOOD = violation(
    "flow-control", "over-credit", OVER_CREDIT[3], OVER_CREDIT[-1], consumer_id="c1", measure=2, bound=1,
    message_id="m2",
)  # fmt: skip


def _stories(events: Sequence[Event], *found: Violation) -> list[HistoryStory]:
    chosen = candidates(found, CANDIDATES)
    counts = Counter(each.guarantee for each in found)
    source = Corrected(Kept([batch_of(numbered(events))]))
    return shortest(chosen, evidence(source, chosen), counts) if chosen else []


@pytest.fixture(scope="module")
def told() -> dict[str, HistoryStory]:
    found = _stories([*AFTER_ACK, *SLOW, *OVER_CREDIT], LATER, AGAIN, OFTEN, FLOOD)
    return {story.guarantee: story for story in found}


def test_every_kind_says_what_belongs_to_its_story() -> None:
    assert set(CIRCUMSTANCES) == {kind for guarantee in GUARANTEES for kind in guarantee.kinds}


def test_no_violations_no_stories() -> None:
    assert _stories(AFTER_ACK) == []


def test_one_story_a_guarantee(told: dict[str, HistoryStory]) -> None:
    assert set(told) == {"duplicates-after-ack", "bounded-retries", "flow-control"}


def test_the_shortest_violation_is_told_and_the_others_are_counted(told: dict[str, HistoryStory]) -> None:
    story = told["duplicates-after-ack"]
    assert (story.address, story.others) == ("r/duplicates-after-ack/c2:1", 1)
    assert story.begins == BEGIN


def test_a_story_has_the_life_of_its_message_and_nothing_of_others(told: dict[str, HistoryStory]) -> None:
    assert [(row.after // MILLISECOND, row.text, row.proof) for row in told["duplicates-after-ack"].rows] == [
        (0, "p0 sends p0-7", False),
        (2, "orders confirms p0-7 to p0", False),
        (5, "c1 takes p0-7", False),
        (6, "orders confirms the acknowledgement of p0-7", True),
        (12, "c2 takes p0-7 (second delivery)", True),
    ]


def test_a_long_story_is_cut_and_says_how_much(told: dict[str, HistoryStory]) -> None:
    rows = told["bounded-retries"].rows
    assert len(rows) == MOST_ROWS
    assert [row.text for row in rows if row.cut] == ["… 19 more deliveries"]
    assert [row.proof for row in rows] == [True, *[False] * (MOST_ROWS - 2), True]
    assert rows[-1].text == "c1 takes p0-9 (delivery 30)"


def test_over_credit_shows_the_credit_and_what_is_in_flight(told: dict[str, HistoryStory]) -> None:
    assert [row.text for row in told["flow-control"].rows] == [
        "c1 allows 5 in flight",
        "c1 allows 1 in flight",
        "c1 takes m1",
        "c1 takes m2",
    ]


def test_a_handler_behind_its_receive_is_no_second_delivery() -> None:
    events = numbered(
        [
            event(1, "take", "c1", "m"),
            event(2, "take", "c1", "m", op_type="process"),
            event(3, "take", "c2", "m"),
        ]
    )
    held = violation("no-duplicates", "held", events[0], events[2], consumer_id="c2")
    (story,) = _stories(events, held)
    assert [row.text for row in story.rows] == [
        "c1 takes m",
        "c1 takes m (its handler)",
        "c2 takes m (second delivery)",
    ]


def test_events_without_numbers_are_found_by_their_time() -> None:
    events = [{**each, "seq": None} for each in AFTER_ACK]
    again = replace(AGAIN, first_seq=None, last_seq=None)
    (story,) = _stories(events, again)
    assert [row.proof for row in story.rows] == [False, False, False, True, True]
    assert story.address == f"r/duplicates-after-ack/c2@{BEGIN + 12 * MILLISECOND}"


def test_a_story_is_plain_data(told: dict[str, HistoryStory]) -> None:
    assert json.loads(json.dumps(asdict(told["bounded-retries"])))["kind"] == "too-many"


def test_the_text_fits_and_tells_all(told: dict[str, HistoryStory]) -> None:
    for story in told.values():
        text = render_story(story, 80)
        assert max(map(len, text.splitlines())) <= 80
        assert story.address in text
        assert _in_order(text, [" ".join(row.text.split()[:2]) for row in story.rows])


def _in_order(text: str, parts: Sequence[str]) -> bool:
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
    return True
