"""CTL, divergence and determinism of models, from source to verdict and story, on both engines."""

from __future__ import annotations

from textwrap import dedent

import pytest

from angarium.checker.explore.engine import Engine
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.logic.check import check
from angarium.core.result import CheckVerdict
from tests.models import system

LAMP = """
on: bool = False
broken: bool = False

@action
def switch(self) -> None:
    require(not self.broken)
    self.on = not self.on

@action
def flicker(self) -> None:
    require(self.on)
    self.on = True

@action
def burn_out(self) -> None:
    require(self.on and not self.broken)
    self.on = False
    self.broken = True
"""


@pytest.fixture(params=[ReferenceEngine, NativeEngine])
def engine(request: pytest.FixtureRequest) -> Engine:
    made: Engine = request.param()
    return made


def verdict(engine: Engine, claim: str, body: str = LAMP) -> CheckVerdict:
    """The verdict on the one guarantee of a model."""
    report = check(system(dedent(body) + dedent(claim)), engine=engine, subject="lamp")
    return report.verdicts[-1]


def claimed(formula: str, decorator: str = "@ctl") -> str:
    return f"{decorator}\ndef claim(self) -> bool:\n    'A claim.'\n    return {formula}\n"


@pytest.mark.parametrize(
    ("formula", "found", "actions", "cycle"),
    [
        ("AG(implies(self.on, EX(not self.on)))", "holds", None, None),
        ("EF(self.broken)", "holds", ["switch", "burn_out"], None),
        ("AG(EF(self.on))", "violated", ["switch", "burn_out"], None),
        ("AF(self.broken)", "violated", ["switch", "switch"], 0),
        ("AG(implies(self.broken, AG(self.broken)))", "holds", None, None),
        ("AU(not self.on, self.broken)", "violated", ["switch"], None),
        ("EU(not self.broken, self.on)", "holds", ["switch"], None),
        ("AG(implies(self.on and self.broken, AF(self.on)))", "unknown", None, None),
    ],
)
def test_formulas(
    engine: Engine, formula: str, found: str, actions: list[str] | None, cycle: int | None
) -> None:
    judged = verdict(engine, claimed(formula))

    assert judged.verdict.value == found
    assert (judged.story and [step.action for step in judged.story.steps]) == actions
    assert (judged.story and judged.story.cycle) == cycle


def test_fairness_is_part_of_the_verdict(engine: Engine) -> None:
    weakly = verdict(engine, claimed("AF(self.broken)", '@ctl(fairness=weak("action"))'))
    strongly = verdict(engine, claimed("AF(self.broken)", '@ctl(fairness=strong("action"))'))

    assert (weakly.verdict.value, weakly.fairness) == ("violated", "weak by action")
    assert (strongly.verdict.value, strongly.fairness) == ("holds", "strong by action")


QUIET = claimed("", "@divergence_free").replace("    return \n", "")
CERTAIN = claimed("", "@deterministic").replace("    return \n", "")


def test_a_step_that_is_not_seen_may_go_on_for_ever(engine: Engine) -> None:
    assert verdict(engine, QUIET).verdict.value == "holds"

    judged = verdict(engine, f"visible = events(switch, burn_out)\n{QUIET}")

    assert judged.verdict.value == "violated"
    assert judged.story is not None
    assert [step.action for step in judged.story.steps] == ["switch", "flicker"]
    assert judged.story.cycle == 1


def test_what_is_not_seen_may_make_a_difference(engine: Engine) -> None:
    assert verdict(engine, CERTAIN).verdict.value == "holds"

    calm = LAMP.replace("require(self.on)", "require(False)")
    judged = verdict(engine, f"visible = events(switch)\n{CERTAIN}", calm)

    assert judged.verdict.value == "violated"
    assert judged.story is not None
    assert [step.action for step in judged.story.steps] == ["switch", "switch"]
    assert judged.story.summary == "after switch: switch can happen, as it does here, or be refused"


def test_processes_are_seen_by_their_channels(engine: Engine) -> None:
    body = """
    post = channel(Item)
    desk = channel(Item, 1)

    async def sender(self) -> None:
        for item in Item:
            await self.post.send(item)

    async def clerk(self) -> None:
        while True:
            item = await self.post.receive()
            kept: bool = choose(True, False)
            if kept:
                await self.desk.send(item)
                await self.desk.receive()
    """
    judged = verdict(engine, CERTAIN, body)

    assert judged.verdict.value == "violated"
    assert judged.story is not None
    said = "after post.i1: "
    assert judged.story.summary.startswith(said)
    assert judged.story.summary.removeprefix(said).split(" can happen")[0] in ("desk!i1", "post.i2")


RESTART = """
downs = budget(1)
ups = budget(1)
@crashes(downs, restarts=ups)
async def p(self) -> None:
    while True:
        await until(True)
"""
NOT_OWED = ", unless something happens that nobody owes"


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("AG(EF(not crashed(self.p)))", f"after step 1 `not crashed(p)` can never become true{NOT_OWED}"),
        ("not EF(AG(crashed(self.p)))", f"after step 1 `crashed(p)` stays true in every run{NOT_OWED}"),
    ],
)
def test_what_only_a_fault_can_bring_is_not_said_to_be_impossible(
    engine: Engine, formula: str, says: str
) -> None:
    found = verdict(engine, claimed(formula), RESTART)

    assert found.verdict.value == "violated"
    assert found.story is not None
    assert found.story.summary.endswith(says)


def test_fault_that_a_guarantee_names_is_owed_and_can_be_relied_upon(engine: Engine) -> None:
    fair = '@ctl(fairness=weak("action", "restart_p"))'

    assert verdict(engine, claimed("AG(EF(not crashed(self.p)))", fair), RESTART).verdict.value == "holds"
