"""Sequence diagrams of stories: in Mermaid's language, and as arrows in text."""

from __future__ import annotations

from dataclasses import replace

from angarium.app.report.history_text import render_story
from angarium.history.sequence import WIDEST, arrows, lifelines, mermaid
from angarium.history.stories import HistoryStory, StoryRow

STORY = HistoryStory(
    "r/duplicates-after-ack/c2:1", "r", "duplicates-after-ack", "after-ack",
    "message p0-7 was delivered to c2 at 05:04:20.012, 0.006 s after it was acknowledged",
    1_794_719_060_000_000_000,
    (
        StoryRow(0, "p0 sends p0-7", "p0", "orders"),
        StoryRow(1_000_000, "the send of p0-7 fails", "orders", "p0", failed=True),
        StoryRow(2_000_000, "… 3 more deliveries", "orders", cut=3),
        StoryRow(6_000_000, "c1 acknowledges p0-7", "c1", "orders", proof=True),
        StoryRow(9_000_000, "c1 ends (kill)", "c1"),
        StoryRow(12_000_000, "c2 takes p0-7 (second delivery)", "orders", "c2", proof=True),
    ),
    1,
)  # fmt: skip


def test_lifelines_are_those_who_act_in_the_order_of_appearance() -> None:
    assert lifelines(STORY) == ["p0", "orders", "c1", "c2"]


def test_mermaid() -> None:
    assert (
        mermaid(STORY)
        == """\
sequenceDiagram
    participant P1 as p0
    participant P2 as orders
    participant P3 as c1
    participant P4 as c2
    P1->>P2: +0.000 s sends p0-7
    P2-xP1: +0.001 s the send of p0-7 fails
    Note over P1,P4: … 3 more deliveries
    rect rgb(255, 224, 224)
        P3->>P2: +0.006 s acknowledges p0-7
    end
    Note over P3: +0.009 s ends (kill)
    rect rgb(255, 224, 224)
        P2->>P4: +0.012 s takes p0-7 (second delivery)
    end
    Note over P1,P4: message p0-7 was delivered to c2 at 05:04:20.012,<br/>0.006 s after it was acknowledged
"""
    )


def test_names_that_mermaid_would_obey_are_written_as_entities() -> None:
    rows = (StoryRow(0, "end; sends #1", "end;", "<q>"),)
    text = mermaid(replace(STORY, rows=rows))
    assert "participant P1 as #101;nd#59;" in text
    assert "participant P2 as #lt;q#gt;" in text
    assert "#35;1" in text


def test_text() -> None:
    assert (
        render_story(STORY)
        == """\
duplicates-after-ack: message p0-7 was delivered to c2 at 05:04:20.012, 0.006 s
  after it was acknowledged
  after    p0     orders c1     c2       what happens
--------------------------------------------------------------------------------
  0.000 s  |------>      |      |        p0 sends p0-7
  0.001 s  x------|      |      |        the send of p0-7 fails
           :      :      :      :        … 3 more deliveries
! 0.006 s  |      <------|      |        c1 acknowledges p0-7
  0.009 s  |      |      *      |        c1 ends (kill)
! 0.012 s  |      |------------->        c2 takes p0-7 (second delivery)
--------------------------------------------------------------------------------
begins at 05:04:20.000, address r/duplicates-after-ack/c2:1; 1 other violation
  of it"""
    )


def test_many_lifelines_leave_no_room_for_arrows() -> None:
    rows = [StoryRow(n, f"consumer-{n} takes m", "orders", f"consumer-{n}") for n in range(9)]
    crowded = replace(STORY, rows=rows)
    assert arrows(crowded) == []
    assert "consumer-8 takes m" in render_story(crowded)
    assert all(len(line) <= WIDEST for line in arrows(STORY))


def test_a_terminal_does_not_obey_what_a_message_is_called() -> None:
    rows = [StoryRow(0, "c1 takes \x1b[2J", "orders", "c1")]
    assert "\x1b" not in render_story(replace(STORY, rows=rows))


def test_a_story_without_events_has_a_diagram_all_the_same() -> None:
    nothing = replace(STORY, rows=())
    assert "participant P1 as r" in mermaid(nothing)
    assert "what happens" in render_story(nothing)
