"""A story says which steps led to the end, and can be found again by its address."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.stories import replay, tell, tell_run
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import AddressError
from angarium.core.result import Change, Exchange, Story
from tests.lassos import lamp
from tests.models import system as model
from tests.zoo import counter, division, handoff, overflow, symmetric


def story_of(system: TransitionSystem, guarantee: str) -> Story:
    runs = ReferenceEngine().search(system).runs
    return tell(system, runs[guarantee], guarantee, subject=system.name)


def test_a_story_has_steps_with_what_they_changed() -> None:
    story = story_of(counter(), "two")
    assert story.initial == {"n": 0}
    assert [step.action for step in story.steps] == ["tick", "tick"]
    assert story.steps[1].changes == [Change("n", 1, 2)]
    assert story.steps[1].state == {"n": 2}


@pytest.mark.parametrize(
    ("system", "guarantee", "summary"),
    [
        (counter(), "small", "small (n is below 3) is false"),
        (counter(), "two", "two is reached"),
        (
            counter(stops=True),
            "unfinished",
            "nothing more can happen, but unfinished (it never ends) is false",
        ),
        (
            counter(),
            "stays-in-range",
            "tick() fails: n would become 4, outside 0 .. 3 (counter.py:12: self.n += 1)",
        ),
        (
            overflow(),
            "stays-in-range",
            "append(q1) fails: waiting[q1] is full (2 items) (overflow.py:4: self.waiting[q].append(1))",
        ),
        (
            replace(division(), actions=division().actions[:1]),
            "stays-in-range",
            "fair fails: division by zero: 6 // 0",
        ),
    ],
)
def test_a_summary_says_what_is_wrong(system: TransitionSystem, guarantee: str, summary: str) -> None:
    assert story_of(system, guarantee).summary == summary


def test_exchanges_name_who_gave_what_to_whom() -> None:
    steps = story_of(handoff(), "never-thanked").steps
    assert [step.exchanges for step in steps] == [
        [Exchange("box", 1, "producer", None)],
        [Exchange("box", 1, None, "consumer(c1)")],
        [Exchange("box", 2, "producer", None)],
        [Exchange("box", 2, None, "consumer(c1)")],
        [Exchange("thanks", None, "consumer(c1)", "producer")],
    ]
    assert [step.actor for step in steps[:2]] == ["producer", "consumer(c1)"]


def test_arguments_are_labelled_and_choices_counted() -> None:
    story = story_of(symmetric(), "room")
    assert [step.arguments for step in story.steps] == [{"w": "w1"}, {"w": "w2"}, {"w": "w3"}]
    assert story.address == f"symmetric@{symmetric().hash}::0.0.0.0"


def test_faults_are_marked() -> None:
    assert all(step.fault for step in story_of(overflow(), "stays-in-range").steps)


@pytest.mark.parametrize("system", [counter(), handoff(), overflow(), symmetric(), division()])
def test_every_story_is_found_again_by_its_address(system: TransitionSystem) -> None:
    for guarantee, run in ReferenceEngine().search(system).runs.items():
        story = tell(system, run, guarantee, subject="zoo.py:System")
        address = parse_address(story.address)
        again = replay(system, address.path, subject=address.subject)
        assert story.summary in again.summary
        assert replace(again, guarantee=guarantee, summary=story.summary) == story


def test_a_replay_tells_all_that_is_wrong() -> None:
    again = replay(counter(), (0, 0, 0, 0))
    assert again.guarantee == "stays-in-range"
    assert again.summary.count("; ") == 1
    assert replay(counter(), (0,)).summary == "no guarantee is decided by this run"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ((1,), "initial state is number 1\n  there were 1,"),
        ((0, 0, 3), "step 2 is number 3\n  there were 1,"),
        ((0, 0, 0, 0, 0), "step 4 is number 0\n  there were 0,"),
    ],
)
def test_an_address_that_leads_nowhere_says_what_was_possible(path: tuple[int, ...], message: str) -> None:
    with pytest.raises(AddressError) as caught:
        replay(counter(), path)
    assert caught.value.code == "ANG032"
    assert message in str(caught.value)


def test_an_address_has_four_parts() -> None:
    address = parse_address("a/b@2.py:Model@0123456789ab:queues=3,names=x,y,at=a:b:0.12.3")
    assert address.subject == "a/b@2.py:Model"
    assert address.model_hash == "0123456789ab"
    assert address.parameters == {"queues": "3", "names": "x,y", "at": "a:b"}
    assert address.path == (0, 12, 3)


@pytest.mark.parametrize(
    "text", ["", "nsq", "nsq@0123456789ab:0.1", "nsq@xyz::0", "nsq@0123456789ab:queues:0"]
)
def test_other_texts_are_no_addresses(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert caught.value.code == "ANG030"


# --- runs without end -----------------------------------------------------------------------


def test_a_run_is_told_from_its_choices() -> None:
    start = initial_states(lamp())[2]
    story = tell_run(lamp(), start, (0, 0, 0, 0), 2, "never-dark", "it is dark again and again", "lamp.py")
    assert [step.action for step in story.steps] == ["down", "down", "on", "down"]
    assert story.address == f"lamp.py@{lamp().hash}::2.0.0~0.0"
    assert (story.guarantee, story.summary) == ("never-dark", "it is dark again and again")
    assert [step.state["n"] for step in story.steps] == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("path", "cycle"),
    [((0, 0, 0), 0), ((2, 0, 0, 0, 0), 2), ((2, 0, 0, 0), 1), ((0, 1), 1), ((1, 0, 0, 0, 1), 4)],
)
def test_a_run_without_end_is_found_again_by_its_address(path: tuple[int, ...], cycle: int) -> None:
    story = replay(lamp(), path, cycle, subject="lamp")
    address = parse_address(story.address)
    assert (address.path, address.cycle) == (path, cycle)
    assert replay(lamp(), address.path, address.cycle, subject="lamp") == story


def test_what_is_repeated_must_come_back() -> None:
    with pytest.raises(AddressError) as caught:
        replay(lamp(), (2, 0, 0, 0, 0), 1)
    assert caught.value.code == "ANG032"
    assert "what it repeats does not come back to the state after step 1" in str(caught.value)
    with pytest.raises(AddressError, match="does not come back to the initial state"):
        replay(lamp(), (2, 0, 0), 0)


def test_a_run_stands_still_only_where_only_faults_can_happen() -> None:
    assert replay(lamp(), (0, 1), 1).cycle == 1
    with pytest.raises(AddressError) as caught:
        replay(lamp(), (0,), 0)
    assert "it should stand still at the end, but more must happen there" in str(caught.value)
    assert "possible there: on" in str(caught.value)


def test_a_run_does_not_stand_still_where_a_step_fails() -> None:
    with pytest.raises(AddressError, match="a step fails there"):
        replay(counter(), (0, 0, 0, 0), 3)


def test_a_run_that_stands_still_may_break_what_must_be_so_at_rest() -> None:
    story = replay(counter(stops=True), (0, 0, 0, 0), 3)
    assert "nothing more can happen, but unfinished (it never ends) is false" in story.summary


@pytest.mark.parametrize(
    ("end", "path", "cycle"),
    [("0", (0,), None), ("0.3", (0, 3), None), ("0.3~", (0, 3), 1), ("4~", (4,), 0), ("0~1.2", (0, 1, 2), 0),
     ("0.3.1~4.2", (0, 3, 1, 4, 2), 2)],
)  # fmt: skip
def test_an_address_says_what_is_repeated(end: str, path: tuple[int, ...], cycle: int | None) -> None:
    address = parse_address(f"a.py:B@0123456789ab:n=2:{end}")
    assert (address.path, address.cycle) == (path, cycle)


@pytest.mark.parametrize("end", ["~", "~1", "0~1~2", "0.~1", "0~.1", "0~1.", "0 ~1"])
def test_a_repetition_that_is_not_well_written_is_refused(end: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(f"a.py:B@0123456789ab:n=2:{end}")
    assert caught.value.code == "ANG030"


CHOOSING = """
n = integer(0, 3)
hue: Colour = Colour.RED
@action
def act(self) -> None:
    require(self.n == 0)
    sure = choose(True, False)
    if sure:
        hue = choose(Colour.BLUE, Colour.GREEN)
        self.hue = hue
        self.n = 1
    else:
        self.n = choose(2, 3)
@reaches
def goal(self) -> bool:
    return GOAL
"""


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("self.n == 1 and self.hue == Colour.BLUE", ["True", "BLUE"]),
        ("self.n == 1 and self.hue == Colour.GREEN", ["True", "GREEN"]),
        ("self.n == 2", ["False", "2"]),
        ("self.n == 3", ["False", "3"]),
    ],
)
def test_choices_are_told_by_what_was_chosen_and_only_if_they_were_made(goal: str, words: list[str]) -> None:
    compiled = model(CHOOSING.replace("GOAL", goal))
    run = ReferenceEngine().search(compiled).runs["goal"]

    (step,) = tell(compiled, run, "goal", subject="m").steps

    assert list(step.arguments.values()) == words
