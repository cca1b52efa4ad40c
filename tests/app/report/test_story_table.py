"""A story's table is readable at its width."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.story_text import render
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.stories import replay, tell
from angarium.checker.ir.labels import Fields
from angarium.core.result import Change, Exchange, Step, Story
from tests.lassos import BREAKS, FLICKERS, lamp
from tests.models import system
from tests.zoo import counter, handoff, overflow

BAR = "-" * 80
WAITS, GOES = "line 3: until ready[d]", "line 4: until True"


def made(*steps: Step, initial: dict[str, object] | None = None, cycle: int | None = None) -> Story:
    return Story("m", f"m@{'0' * 12}::0", "g", "g is false", initial or {"n": 0}, steps, cycle)


def step(action: str, actor: str | None = None, *changes: Change, **more: object) -> Step:
    made = Step(action, {}, 0, actor, (), changes, {})
    return replace(made, **more)  # type: ignore[arg-type]


def table(story: Story, width: int = 80) -> list[str]:
    return render(story, width).splitlines()


# --- plain actions --------------------------------------------------------------------------


def test_a_table_shows_only_what_changed() -> None:
    assert table(replay(counter(), (0, 0, 0))) == [
        "step    what happens",
        BAR,
        "start   n = 0",
        "1 tick  n: 0 -> 1",
        "2 tick  n: 1 -> 2",
        BAR,
        "end: two is reached",
    ]


def test_faults_are_marked_and_arguments_shown() -> None:
    assert "1 ! append(q2)" in render(replay(overflow(), (0, 1)))


# --- processes ------------------------------------------------------------------------------


def test_a_table_shows_who_gave_what_to_whom() -> None:
    lines = table(replay(handoff(), (0, 0, 0, 0, 0, 0)))
    assert lines[6:10] == [
        "1      producer sends 1 to box",
        "         box: [] -> [1]",
        "         made: 0 -> 1",
        "2      consumer(c1) receives 1 from box",
    ]
    assert "5      consumer(c1) signals producer on thanks" in lines


def test_a_story_of_processes_can_be_retold() -> None:
    compiled = system(
        """
        deaths = budget(1)
        wire = channel(Parcel)
        kept = seq(Item, 2)
        done = setof(Item)

        async def producer(self) -> None:
            await self.wire.send(Parcel(item=Item(1), colour=Colour.RED, fragile=False))

        @crashes(deaths)
        async def store(self) -> None:
            parcel = await self.wire.receive()
            await until(len(self.kept) < 2)
            self.kept.append(parcel.item)
            await until(True)
            item = self.kept.pop(0)
            self.done.add(item)

        @on_crash(store)
        def forget(self) -> None:
            self.kept.clear()

        @at_rest
        def no_loss(self) -> bool:
            "Everything is done."
            return len(self.kept) == 0 and Item(1) in self.done
        """
    )
    story = replay(compiled, (0, 0, 0, 1))
    assert table(story)[2:] == [
        "start  deaths = 1",
        "       kept = []",
        "       done = {}",
        "1      producer gives i2 RED not fragile to store on wire",
        "2      store goes on",
        "         kept: [] -> [i2]",
        "3 !    store crashes",
        "         deaths: 1 -> 0",
        "         kept: [i2] -> []",
        BAR,
        "end: nothing more can happen, but no-loss (Everything is done.) is false",
    ]


def test_who_is_to_blame_stands_at_the_end() -> None:
    compiled = system(
        """
        lost = budget(1)
        link = channel(Item, 1, loses=lost)
        got = setof(Item)

        async def producer(self) -> None:
            for item in Item:
                await self.link.send(item)

        async def consumer(self) -> None:
            while True:
                item = await self.link.receive()
                self.got.add(item)

        @at_rest
        def no_loss(self) -> bool:
            return all(item in self.got for item in Item)
        """
    )
    (run,) = ReferenceEngine().search(compiled).runs.values()
    lines = table(tell(compiled, run, "no-loss", subject="m"))
    (lost,) = [line.partition(" loses ")[2] for line in lines if " loses " in line]
    assert lines[-1] == f"end: nothing more can happen, but no-loss is false for {lost}"


def test_steps_in_which_a_process_only_goes_on_share_a_row() -> None:
    before, after = Fields(pc=WAITS, n=0), Fields(pc=GOES, n=1)
    initial = {"daemon": {"d1": before}, "x": 0}
    own = Change("daemon[d1]", before, after)
    story = made(
        step("daemon_until_3", "daemon(d1)", own, arguments={"d": "d1"}),
        step("daemon_until_4", "daemon(d1)", arguments={"d": "d1"}),
        step("daemon_until_4", "daemon(d1)", Change("x", 0, 1), arguments={"d": "d1"}),
        step("daemon_until_3", "daemon(d1)", own, arguments={"d": "d1"}),
        step("crash_daemon", "daemon(d1)", fault=True, arguments={"d": "d1"}),
        initial=initial,
    )
    assert table(story)[3:7] == [
        "1-3    daemon(d1) goes on",
        "         x: 0 -> 1",
        "  4    daemon(d1) goes on",
        "         daemon[d1].n: 0 -> 1",
    ]
    assert table(story)[7] == "  5 !  daemon(d1) crashes"


def test_rows_are_not_joined_over_a_choice_a_name_another_process_or_the_beginning_of_a_repetition() -> None:
    a, b = "p(a1)", "p(a2)"
    one = step("p_until", a, arguments={"a": "a1"})
    chosen = step("p_until", a, arguments={"a": "a1", "choice": "RED"})
    named = step("p_timeout_7", a, arguments={"a": "a1"})
    other = step("p_until", b, arguments={"a": "a2"})
    assert [line.split()[0] for line in table(made(chosen, one, named, one, other))[3:-2]] == list("12345")
    assert table(made(chosen, named))[3:5] == ["1      p(a1) goes on (choice RED)", "2      p(a1): timeout"]
    numbers = [line.split()[0] for line in table(made(one, one, one, cycle=1))[3:-1]]
    assert numbers[0] == "1"
    assert numbers[2] == "2-3"


def test_a_step_that_changes_nothing_says_what_was_waited_for() -> None:
    initial = {"daemon": {"d1": Fields(pc=WAITS)}, "x": 0}
    story = made(step("daemon_until", "daemon(d1)", arguments={"d": "d1"}), initial=initial)
    assert "1      daemon(d1) goes on: ready[d]" in table(story)


def test_local_variables_are_noise_where_something_else_is_told() -> None:
    before, after = Fields(pc=WAITS, n=0), Fields(pc=GOES, n=1)
    own, shared = Change("p", before, after), Change("x", 0, 1)
    gives = [Exchange("c", Fields(kind="PUB", id="m1", to=None), "p", "q")]
    initial = {"p": before, "x": 0}
    lines = table(
        made(step("p_until", "p", own, shared), step("c", "p", own, exchanges=gives), initial=initial)
    )
    assert lines[3:6] == ["1      p goes on", "         x: 0 -> 1", "2      p gives PUB m1 to q on c"]


# --- long states and long changes -----------------------------------------------------------


def test_many_variables_share_lines_and_what_is_the_same_for_all_is_said_once() -> None:
    initial = {f"v{number}": number for number in range(9)}
    wide = {
        "rdy": {f"c{c}": {f"d{d}": 1 for d in range(1, 5)} for c in (1, 2)},
        "q": {"q1": [], "q2": ["m1"]},
    }
    lines = table(made(initial={**initial, **wide}), 50)
    assert lines[2:5] == [
        "start  v1 = 1; v2 = 2; v3 = 3; v4 = 4; v5 = 5",
        "       v6 = 6; v7 = 7; v8 = 8",
        "       rdy[c1, c2][d1 .. d4] = 1",
    ]
    assert lines[5] == "       q = {q1: [], q2: [m1]}"


def test_of_many_variables_those_that_hold_nothing_yet_stand_together() -> None:
    nothing = {"n": 0, "m": {"a1": {"b1": 0}}, "up": False, "s": (), "q": {"q1": [], "q2": []}, "last": None}
    held = {"left": 1, "f": Fields(a=0), "mixed": {"q1": [], "q2": ["m1"]}}
    assert table(made(initial={**nothing, **held}))[2:8] == [
        "start  left = 1; f = (a=0); mixed = {q1: [], q2: [m1]}",
        "       0: n, m",
        "       False: up",
        "       empty: s, q",
        "       None: last",
        BAR,
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (["m1", "m2", "m3"], ["m1", "m2", "m3", "m4"], "queue: + m4 (now 4)"),
        (["m1", "m2", "m3", "m4"], ["m2", "m3", "m4"], "queue: - m1 (now 3)"),
        (["m1", "m2", "m3", "m4"], [], "queue: [m1, m2, m3, m4] -> []"),
        (("m1", "m3", "m4"), ("m1", "m2", "m3", "m4"), "queue: + m2 (now 4)"),
        (("m1", "m3", "m4"), ("m1", "m2", "m4"), "queue: + m2 - m3 (now 3)"),
        (["m1"], ["m2"], "queue: [m1] -> [m2]"),
    ],
)
def test_of_long_sequences_only_what_came_or_went_is_said(before: object, after: object, said: str) -> None:
    assert f"1 go   {said}" in table(made(step("go", None, Change("queue", before, after))), 40)


def test_a_sequence_that_changed_otherwise_is_shown_whole() -> None:
    change = Change("queue", ["m1", "m2", "m3"], ["m3", "m1", "m2"])
    assert "-> [m3, m1, m2]" in " ".join(render(made(step("go", None, change)), 40).split())


# --- runs without end -----------------------------------------------------------------------


def test_what_is_repeated_stands_between_two_lines() -> None:
    assert table(FLICKERS)[3:] == [
        "1 down  n: 2 -> 1",
        "2 down  n: 1 -> 0",
        "-------------------- from here on the same again, for ever ---------------------",
        "3 on    n: 0 -> 1",
        "4 down  n: 1 -> 0",
        "------------------------ back to the state after step 2 ------------------------",
        "end: no guarantee is decided by this run",
    ]


def test_a_run_may_repeat_itself_from_the_start() -> None:
    lines = table(replay(lamp(), (0, 0, 0), 0))
    assert "from here on the same again, for ever" in lines[3]
    assert " back to the start " in lines[-2]


def test_a_run_that_stands_still_says_so() -> None:
    assert table(BREAKS)[3:] == [
        "1 down     n: 1 -> 0",
        "2 ! break  n: 0 -> 3",
        "-------------- nothing more happens: it stays like this for ever ---------------",
        "end: no guarantee is decided by this run",
    ]


@pytest.mark.parametrize("width", [30, 40, 60, 80])
@pytest.mark.parametrize("story", [replay(handoff(), (0, 0, 0, 0, 0, 0)), FLICKERS, BREAKS])
def test_no_line_is_wider_than_asked(width: int, story: Story) -> None:
    assert max(map(len, table(story, width))) <= width


def test_a_story_in_words_has_times_and_marks_what_proves() -> None:
    steps = (
        Step("publish", text="p0 sends m1", at=0),
        Step("", text="7 events more", stands_for=7),
        Step("confirm", text="the broker confirms m1", at=4_000_000, proves=True),
    )
    story = Story("shop.jsonl", "history:shop.jsonl:1:2", "no-loss", "m1 never came", steps=steps)
    assert render(story, 60).splitlines() == [
        "step          what happens",
        "-" * 60,
        "1    0.000 s  p0 sends m1",
        "2             7 events more",
        "3 !  0.004 s  the broker confirms m1",
        "-" * 60,
        "end: m1 never came",
    ]
