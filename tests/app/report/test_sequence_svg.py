"""Stories as sequence diagrams."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from angarium.app.report.sequence_svg import diagram, sequence_of
from angarium.app.report.sequence_svg.draw import laid_out
from angarium.app.report.sequence_svg.sequence import MOST, STILL, Row, Sequence, shortened
from angarium.app.report.story_text import restored_story
from angarium.core.records import read, write
from angarium.core.result import Exchange, Step, Story
from angarium.history.result import AuditStory
from tests.app.report.jobs import told
from tests.lassos import BREAKS, FLICKERS

SVG = "{http://www.w3.org/2000/svg}"


def _kept(told: Story) -> Story:
    """The story when it was written and read again."""
    return restored_story(read(Story, json.loads(json.dumps(write(told)))))


def _words(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def _classes(svg: str) -> list[str]:
    return [each.get("class", "") for each in ElementTree.fromstring(svg).iter()]


def _step(**more: Any) -> Step:  # noqa: ANN401 (any of its fields)
    given: dict[str, Any] = {"action": "go", "arguments": {}, "choice": 0, "actor": None, "exchanges": ()}
    return Step(**{**given, "changes": (), "state": {}, **more})


def _story(*steps: Step) -> Story:
    return Story("s", "s@0123456789ab::0", "g", "it breaks", {}, steps)


# --- check --------------------------------------------------------------------------------------


def test_processes_and_channels_are_lifelines_and_messages_are_arrows() -> None:
    found = sequence_of(told("queue", "no-duplicates"))
    assert found.lifelines == ("producer", "link", "consumer", "acks")
    arrows = [(row.label, row.source, row.target, row.text) for row in found.rows]
    assert arrows[:3] == [("1", 0, 1, "m1"), ("2", 1, 2, "m1"), ("3", 0, None, "timeout")]
    assert found.summary.endswith("is false for m1") and found.repeated == ""


def test_of_plain_actions_the_arguments_are_lifelines() -> None:
    found = sequence_of(told("balancing", "eventually-all-subscribed"))
    assert {"a1", "a2", "q1"} <= set(found.lifelines)
    subscribed = next(row for row in found.rows if row.text == "subscribe(a1, q1)")
    assert [found.lifelines[place or 0] for place in (subscribed.source, subscribed.target)] == ["a1", "q1"]


def test_faults_are_marked_by_a_word_and_a_band() -> None:
    faulty = told("settings", "no-loss")
    assert [row.text for row in sequence_of(faulty).rows if row.fault] == ["fault: crash_broker(b1)"]
    svg = diagram(faulty)
    assert "fault: crash_broker(b1)" in _words(svg) and _classes(svg).count("band") == 1


def test_a_message_that_gets_lost_ends_in_a_cross() -> None:
    lost = Exchange("wire", "m1", "producer", None)
    told = _story(_step(action="lose_wire", actor="producer", exchanges=(lost,), fault=True))
    (row,) = sequence_of(_kept(told)).rows
    assert row.failed and row.text == "fault: wire loses m1 from producer"
    svg = diagram(_kept(told))
    assert "tip" not in _classes(svg) and _classes(svg).count("arrow") == 3


def test_a_step_with_two_messages_has_two_rows_and_one_number() -> None:
    both = (Exchange("a", 1, "p", None), Exchange("b", 2, "p", None))
    assert [row.label for row in sequence_of(_kept(_story(_step(actor="p", exchanges=both)))).rows] == [
        "1",
        "",
    ]


def test_what_concerns_nobody_is_a_note_over_all() -> None:
    (row,) = sequence_of(_kept(_story(_step(action="tick", arguments={"n": "3"})))).rows
    assert row == Row("tick(3)", "1")


def test_what_is_repeated_stands_beside_a_bracket() -> None:
    found = sequence_of(_kept(FLICKERS))
    assert [row.again for row in found.rows] == [False, False, True, True]
    assert found.repeated == "for ever, from step 3"
    svg = diagram(_kept(FLICKERS))
    assert "for ever, from step 3" in _words(svg) and "again" in _classes(svg)


def test_a_run_that_stands_still_says_so() -> None:
    last = sequence_of(_kept(BREAKS)).rows[-1]
    assert last == Row(STILL, again=True)
    assert "for ever" in _words(diagram(_kept(BREAKS)))


def test_a_story_without_end_has_no_bracket_if_it_ends() -> None:
    assert "again" not in _classes(diagram(told("queue", "no-duplicates")))


# --- audit --------------------------------------------------------------------------------------


def _shop() -> AuditStory:
    found = told("shop", "no-loss")
    assert isinstance(found, AuditStory)
    return found


def test_an_audits_events_have_times_and_the_proving_ones_a_mark() -> None:
    found = sequence_of(_shop())
    assert found.lifelines == ("shop", "orders") and found.unit == "event"
    assert [(row.sign, row.text) for row in found.rows] == [
        ("! +0.000 s", "sends o-27"),
        ("! +0.002 s", "confirms o-27 to shop"),
    ]
    svg = diagram(_shop())
    assert _classes(svg).count("proof") == 2 and "! +0.002 s" in _words(svg)


def test_what_an_audit_leaves_out_and_what_failed_is_drawn_as_such() -> None:
    found = _shop()
    first, second = found.rows
    left_out = replace(first, cut=7, text="7 events more", target=None, proof=False)
    failing = replace(found, rows=[first, left_out, replace(second, failed=True, proof=False)])
    rows = sequence_of(failing).rows
    assert [(row.gap, row.failed) for row in rows] == [(False, False), (True, False), (False, True)]
    kinds = _classes(diagram(failing))
    assert kinds.count("life left-out") == 2 and "bad" in kinds


def test_events_of_nobody_else_are_notes() -> None:
    found = _shop()
    alone = replace(found.rows[0], target=None, text="shop restarts")
    (row,) = sequence_of(replace(found, rows=[alone])).rows
    assert not row.is_arrow and row.text == "restarts"


# --- how it is drawn ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "guarantee"),
    [("queue", "no-duplicates"), ("balancing", "eventually-all-subscribed"), ("shop", "no-duplicates")],
)
def test_everything_is_inside_the_picture_and_in_order(name: str, guarantee: str) -> None:
    found = sequence_of(told(name, guarantee))
    places = laid_out(found)
    assert list(places.columns) == sorted(places.columns)
    assert all(0 <= each.left <= each.right <= places.width for each in places.rows)
    assert all(above.top + above.height <= below.top for above, below in pairwise(places.rows))
    assert places.end.top + places.end.height <= places.height
    root = ElementTree.fromstring(diagram(told(name, guarantee)))
    width, height = map(float, (root.attrib["width"], root.attrib["height"]))
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.attrib["x"]) <= width and 0 <= float(text.attrib["y"]) <= height


def test_arrows_get_the_room_that_their_words_need() -> None:
    rows = (Row("a" * 40, "1", 0, 2), Row("b" * 30, "2", 0, 1))
    places = laid_out(Sequence("g", "end", ("a", "b", "c"), rows, "step"))
    first, second, third = places.columns
    assert second - first > 30 * 7 and third - first > 40 * 7


def test_long_names_are_cut_and_told_whole_where_one_points() -> None:
    name, words = "consumer-of-everything-in-the-whole-shop", "said " * 20
    exchange = Exchange("wire", words, "p", name)
    svg = diagram(_kept(_story(_step(actor="p", exchanges=(exchange,)))))
    assert not any(len(each) > 50 for each in _words(svg))
    titles = [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert name in titles and f"wire({words})" in titles


def test_a_long_story_has_a_gap_in_its_middle() -> None:
    steps = [_step(actor="p", action=f"p_deed{number}") for number in range(60)]
    whole = sequence_of(_kept(_story(*steps)))
    short = shortened(whole)
    gap = next(row for row in short.rows if row.gap)
    left = len(whole.rows) - (len(short.rows) - 1)
    assert gap.text == f"… {left} steps …" and len(short.rows) <= MOST
    assert short.rows[0] == whole.rows[0] and short.rows[-1] == whole.rows[-1]
    assert gap.text in _words(diagram(_kept(_story(*steps))))
    assert shortened(replace(whole, rows=whole.rows[:MOST])).rows == whole.rows[:MOST]


def test_what_others_wrote_is_escaped_and_without_controls() -> None:
    name = "<b>&\x00\u202e"
    svg = diagram(_kept(_story(_step(actor=name, action="go"))))
    assert "<b>" not in svg and "<b>&\\x00\\u202e" in _words(svg)


def test_it_is_light_and_dark_and_says_itself_in_words() -> None:
    svg = diagram(told("queue", "no-duplicates"))
    assert "@media screen and (prefers-color-scheme: dark)" in svg
    (described,) = re.findall("<desc>(.*)</desc>", svg, re.DOTALL)
    assert described.startswith("1 producer to link: m1. 2 link to consumer: m1. 3 producer: timeout.")


# --- read back ----------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [FLICKERS, BREAKS])
def test_a_story_that_was_kept_is_the_same_story(told: Story) -> None:
    back = _kept(told)
    assert back.address == told.address
    assert write(back) == write(told)


def test_records_and_arrays_are_told_apart() -> None:
    pairs = {"command": "REGISTER", "topic": "t1", "channel": None}
    exchange = Exchange("tell", [pairs], "p", "q")
    told = replace(_story(_step(actor="p", exchanges=(exchange,))), initial={"a": {"m1": 0, "m2": 1}})
    back = _kept(replace(told, records=[tuple(pairs)]))
    assert sequence_of(back).rows[0].text == "tell([(REGISTER t1)])"
    assert type(back.initial["a"]) is dict
