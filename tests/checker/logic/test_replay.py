"""Following an address says which guarantees over time the run breaks."""

from __future__ import annotations

import pytest

from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.check import check
from angarium.checker.logic.replay import BREAKS_NONE, DECIDES_NOTHING, replay
from angarium.core.errors import AddressError
from angarium.core.result import Story, Verdict
from tests.models import system

LOSSY = """
link = option(Item)
got = setof(Item)

@action
def send(self, item: Item) -> None:
    require(self.link is None and item not in self.got)
    self.link = item

@action
def lose(self) -> None:
    require(self.link is not None)
    self.link = None

@action
def deliver(self, item: Item) -> None:
    require(self.link == item)
    self.got.add(item)
    self.link = None

@eventually
def arrives(self) -> bool:
    "Everything arrives."
    return all(item in self.got for item in Item)

@eventually(fairness=weak("instance"))
def arrives_weakly(self) -> bool:
    return all(item in self.got for item in Item)

@eventually(fairness=strong("instance"))
def arrives_strongly(self) -> bool:
    return all(item in self.got for item in Item)

@ltl
def sent_arrives(self) -> bool:
    return all(leads_to(self.link == item, item in self.got) for item in Item)

@ctl
def can_arrive(self) -> bool:
    return AG(EF(all(item in self.got for item in Item)))
"""
SECRET = """
n = integer(0, 1)
pings = channel(Item, 1)
visible = events(pings)

async def busy(self) -> None:
    while True:
        await until(self.n == 0)
        self.n = 1
        await until(self.n == 1)
        self.n = 0

async def pinger(self) -> None:
    while True:
        await self.pings.send(Item(0))
        item = await self.pings.receive()

@divergence_free
def something_is_seen(self) -> bool:
    "Something is always seen."
"""
STOPS = """
n = integer(0, 2)

@action
def up(self) -> None:
    require(self.n < 2)
    self.n += 1

@ltl
def comes_back(self) -> bool:
    return always(eventually(self.n == 0))

@invariant
def small(self) -> bool:
    return self.n < 2
"""


def follow(compiled: TransitionSystem, path: tuple[int, ...], cycle: int | None) -> Story:
    return replay(compiled, path, cycle, subject="m")


@pytest.mark.parametrize("body", [LOSSY, SECRET, STOPS])
def test_every_story_of_a_check_is_found_again_and_breaks_the_same(body: str) -> None:
    compiled = system(body, items=2)
    report = check(compiled, engine=ReferenceEngine(), subject="m")
    violated = [each for each in report.verdicts if each.verdict is Verdict.VIOLATED]
    assert violated
    for each in violated:
        assert each.story
        address = parse_address(each.story.address)
        again = follow(compiled, address.path, address.cycle)
        assert each.guarantee in again.summary
        assert again.steps == each.story.steps
        assert again.cycle == each.story.cycle


def test_a_story_of_some_guarantees_has_the_address_of_the_whole_model() -> None:
    compiled = system(LOSSY, items=2)
    report = check(compiled, engine=ReferenceEngine(), subject="m", only=["arrives-weakly"])
    (story,) = [each.story for each in report.verdicts if each.story]
    assert parse_address(story.address).model_hash == compiled.hash


def test_an_unfair_run_breaks_nothing() -> None:
    story = follow(system(LOSSY, items=1), (0, 0, 0), 0)
    assert story.summary.startswith("arrives (Everything arrives.) is false along this run")
    assert "arrives-weakly is false along this run" in story.summary
    assert "and the run is fair (weak by instance)" in story.summary
    assert "arrives-strongly" not in story.summary


def test_a_run_that_does_not_count_says_why() -> None:
    claims = LOSSY[: LOSSY.index("@eventually\n")] + LOSSY[LOSSY.index('@eventually(fairness=strong("inst') :]
    story = follow(
        system(claims.replace("@ltl\n", '@ltl(fairness=strong("action"))\n'), items=1), (0, 0, 0), 0
    )
    assert story.summary.startswith(f"{BREAKS_NONE}; arrives-strongly is false along it, but")
    assert "sent-arrives is false along it, but the run is not fair (strong by action)" in story.summary


def test_a_run_says_for_whom_it_breaks_what_was_promised() -> None:
    # The first item is sent and delivered, the second one sent and lost for ever.
    story = follow(system(LOSSY, items=2), (0, 0, 1, 0, 0), 2)
    assert [step.action for step in story.steps] == ["send", "deliver", "send", "lose"]
    assert "never comes true for i2, and the run is fair (weak by instance)" in story.summary


def test_a_run_that_breaks_nothing_says_so() -> None:
    story = follow(system(LOSSY, items=1), (0, 0, 1), 2)
    assert [step.action for step in story.steps] == ["send", "deliver"]
    assert story.summary == BREAKS_NONE
    assert story.summary in DECIDES_NOTHING


def test_a_run_that_stands_still_is_judged_too() -> None:
    story = follow(system(STOPS), (0, 0, 0), 2)
    assert story.guarantee == "comes-back"
    assert story.summary.endswith("; small is false")


def test_a_run_that_ends_decides_nothing_over_time() -> None:
    assert follow(system(STOPS), (0, 0), None).summary in DECIDES_NOTHING
    assert follow(system(STOPS), (0, 0, 0), None).summary == "small is false"


def test_steps_that_nobody_sees_are_a_divergence() -> None:
    compiled = system(SECRET, items=1)
    story = follow(compiled, (0, 0, 0), 0)
    assert {step.actor for step in story.steps} == {"busy"}
    assert story.guarantee == "something-is-seen"
    assert "what is repeated is never seen" in story.summary
    seen = follow(compiled, (0, 1, 1), 0)
    assert {step.actor for step in seen.steps} == {"pinger"}
    assert seen.summary == BREAKS_NONE


def test_an_address_that_does_not_repeat_is_refused() -> None:
    with pytest.raises(AddressError, match="does not come back"):
        follow(system(STOPS), (0, 0), 0)
