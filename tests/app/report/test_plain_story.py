"""Stories without program counters."""

from __future__ import annotations

from angarium.app.report.story_text import awaited, render, without_counters
from angarium.checker.ir.labels import Fields
from angarium.core.result import Change, Exchange, Step, Story

WAITS, SENDS = "line 3: receive box", "line 4: send box"


def story(initial: dict[str, object], *steps: Step) -> Story:
    return Story("box", f"box@{'0' * 12}::0", "g", "g is false", initial, steps)


def step(*changes: Change, action: str = "go", actor: str | None = None, fault: bool = False) -> Step:
    return Step(action, {}, 0, actor, (), changes, {}, fault)


def test_counters_go_and_local_variables_are_shown_when_they_change() -> None:
    before, after = Fields(pc=WAITS, n=0, m=1), Fields(pc=SENDS, n=2, m=1)
    told = without_counters(story({"p": before, "x": 1}, step(Change("p", before, after))))
    assert told.initial == {"x": 1}
    assert list(told.steps[0].changes) == [Change("p.n", 0, 2)]


def test_variables_of_a_process_that_has_finished_mean_nothing() -> None:
    before, after = Fields(pc=WAITS, n=2), Fields(pc="finished", n=0)
    told = without_counters(story({"p": before}, step(Change("p", before, after))))
    assert list(told.steps[0].changes) == []


def test_a_process_that_is_nothing_but_its_counter_is_not_shown() -> None:
    initial = {"p": Fields(pc=WAITS), "c": {"c1": Fields(pc=WAITS), "c2": Fields(pc=WAITS)}}
    change = Change("c[c1]", Fields(pc=WAITS), Fields(pc=SENDS))
    told = without_counters(story(initial, step(change)))
    assert told.initial == {}
    assert list(told.steps[0].changes) == []


def test_the_counter_of_a_process_with_larger_variables_is_a_change_of_its_own() -> None:
    initial = {"p": Fields(pc=WAITS, box=[])}
    changes = (Change("p.pc", WAITS, SENDS), Change("p.box", [], [1]))
    told = without_counters(story(initial, step(*changes)))
    assert list(told.steps[0].changes) == [Change("p.box", [], [1])]


def test_a_field_of_the_model_that_is_called_pc_is_shown() -> None:
    initial = {"cpu": Fields(pc=0, name="a"), "mode": {"a": Fields(pc="IDLE")}}
    change = Change("cpu", Fields(pc=0, name="a"), Fields(pc=1, name="a"))
    told = without_counters(story(initial, step(change)))
    assert told.initial == initial
    assert list(told.steps[0].changes) == [change]


def test_steps_of_processes_are_called_by_what_they_do() -> None:
    lines = render(
        story(
            {"n": 0},
            step(action="consumer_send_box", actor="consumer(c1)"),
            Step("crash_consumer", {"c": "c1"}, 0, "consumer(c1)", (), (), {}, True),
            Step("lose_box", {"at": "0"}, 0, None, [Exchange("box", 1, None, None)], (), {}, True),
        )
    ).splitlines()
    assert lines[3:6] == [
        "1      consumer(c1): send box",
        "2 !    consumer(c1) crashes",
        "3 !    box loses 1",
    ]


def test_what_a_process_remembers_is_left_out_where_something_else_is_told() -> None:
    before, after = Fields(pc=WAITS, n=0), Fields(pc=SENDS, n=2)
    changes = (Change("p", before, after), Change("x", 1, 2))
    told = without_counters(story({"p": before, "x": 1}, step(*changes)))
    assert list(told.steps[0].changes) == [Change("x", 1, 2)]
    sends = Step("p_send_box", {}, 0, "p", [Exchange("box", 1, "p", None)], changes[:1], {})
    assert list(without_counters(story({"p": before}, sends)).steps[0].changes) == []


def test_a_process_waits_for_a_condition() -> None:
    state = {
        "p": Fields(pc="line 3 (2): until ready()"),
        "c": {"c1": {"d1": Fields(pc=WAITS)}},
        "idle": Fields(pc="line 4: until True"),
        "x": 3,
    }
    assert awaited(state, "p") == "ready()"
    assert [awaited(state, who) for who in ("c(c1, d1)", "c(c9, d1)", "idle", "x", "nobody")] == [""] * 5
