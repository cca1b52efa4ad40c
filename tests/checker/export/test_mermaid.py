"""A story's diagram names its participants and escapes what Mermaid would trip over."""

from __future__ import annotations

from dataclasses import replace

from angarium.checker.explore.stories import replay
from angarium.checker.export.mermaid import render
from angarium.checker.ir.labels import Fields
from angarium.core.result import Exchange, Step
from tests.lassos import BREAKS, FLICKERS
from tests.zoo import counter, handoff, overflow


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_processes_and_buffers_are_participants() -> None:
    assert lines(render(replay(handoff(), (0, 0, 0, 0, 0, 0)))) == [
        "sequenceDiagram",
        "participant P1 as producer",
        "participant P2 as box",
        "participant P3 as consumer(c1)",
        "P1->>P2: 1",
        "P2->>P3: 1",
        "P1->>P2: 2",
        "P2->>P3: 2",
        "P3->>P1: thanks()",
        "Note over P1,P3: never-thanked (nobody says thank you) is false",
    ]


def test_an_action_with_one_argument_is_a_note_and_a_fault_is_framed() -> None:
    assert lines(render(replay(overflow(), (0, 1)))) == [
        "sequenceDiagram",
        "participant P1 as q2",
        "rect rgb(255, 224, 224)",
        "Note over P1: fault: append(q2)",
        "end",
        "Note over P1: no guarantee is decided by this run",
    ]


def test_an_action_with_two_arguments_is_an_arrow() -> None:
    story = replay(overflow(), (0, 1))
    step = replace(story.steps[0], arguments={"a": "a1", "n": "3", "q": "q2"}, fault=False)
    assert "P1->>P2: append(a1, 3, q2)" in lines(render(replace(story, steps=[step])))
    assert "P1-xP2: fault: append(a1, 3, q2)" in lines(
        render(replace(story, steps=[replace(step, fault=True)]))
    )


def test_an_action_about_nobody_is_a_note_over_the_subject() -> None:
    diagram = lines(render(replay(counter(), (0, 0))))
    assert diagram[1:3] == ["participant P1 as counter", "Note over P1: tick()"]


def test_text_is_escaped() -> None:
    story = replace(replay(counter(), (0,)), summary="a; b # c <br> the end\nof it")
    assert "a#59; b #35; c #lt;br#gt; the #101;nd<br/>of it" in render(story)


def test_what_is_repeated_stands_in_a_loop() -> None:
    assert render(FLICKERS).splitlines()[2:-1] == [
        "    Note over P1: down()",
        "    Note over P1: down()",
        "    loop for ever",
        "        Note over P1: on()",
        "        Note over P1: down()",
        "    end",
    ]


def test_a_fault_in_a_loop_is_framed_inside_it() -> None:
    steps = [*FLICKERS.steps[:3], replace(FLICKERS.steps[3], fault=True)]
    assert render(replace(FLICKERS, steps=steps)).splitlines()[4:-1] == [
        "    loop for ever",
        "        Note over P1: on()",
        "        rect rgb(255, 224, 224)",
        "            Note over P1: fault: down()",
        "        end",
        "    end",
    ]


def test_a_run_that_stands_still_has_a_note() -> None:
    diagram = lines(render(BREAKS))
    assert diagram[-2] == "Note over P1: nothing more happens:<br/>it stays like this for ever"
    assert "loop for ever" not in diagram


def test_processes_and_channels_are_told_in_words() -> None:
    frame = Fields(command="PUB", message="m1", reply=None)
    steps = [
        Step("wire_a_to_b", {}, 0, "a", [Exchange("wire", frame, "a", "b(c1)")], (), {}),
        Step("b_until_9", {"c": "c1"}, 0, "b(c1)", (), (), {}),
        Step("b_timeout", {"c": "c1"}, 0, "b(c1)", (), (), {}),
        Step("crash_b", {"c": "c1"}, 0, "b(c1)", (), (), {}, True),
        Step("lose_link", {}, 0, None, [Exchange("link", "m2", None, None)], (), {}, True),
        Step("lose_wire", {}, 0, "a", [Exchange("wire", frame, "a", None)], (), {}, True),
    ]
    told = lines(render(replace(replay(counter(), (0,)), steps=steps)))
    assert [line for line in told[5:-1] if line not in ("rect rgb(255, 224, 224)", "end")] == [
        "P1->>P2: wire(PUB m1)",
        "Note over P2: goes on",
        "Note over P2: timeout",
        "Note over P2: fault: crashes",
        "Note over P3: fault: link loses m2",
        "P1-xP4: fault: wire loses PUB m1 from a",
    ]


def test_an_argument_of_a_plain_action_means_the_process_that_has_it() -> None:
    steps = [
        Step("wire", {}, 0, "a", [Exchange("wire", 1, "nsqd(n1)", "consumer(c1)")], (), {}),
        Step("read", {"d": "n1", "c": "c1", "m": "m1"}, 0, None, (), (), {}),
        Step("handle", {"c": "c1", "m": "m1"}, 0, None, (), (), {}),
        Step("pump", {"m": "m1"}, 0, None, (), (), {}),
    ]
    told = lines(render(replace(replay(counter(), (0,)), steps=steps)))
    assert told[1:-1] == [
        "participant P1 as a",
        "participant P2 as nsqd(n1)",
        "participant P3 as consumer(c1)",
        "P2->>P3: wire(1)",
        "P2->>P3: read(n1, c1, m1)",
        "Note over P3: handle(c1, m1)",
        "Note over P1,P3: pump(m1)",
    ]
