"""Checks of guarantees over time: verdicts, what is unknown, what is refused, and Ctrl-C."""

from __future__ import annotations

import pytest

from angarium.checker.explore.engine import Engine, Progress
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic import over_time
from angarium.checker.logic.check import check
from angarium.core.control import Limits
from angarium.core.errors import LimitError, UsageError
from angarium.core.result import Report, Verdict
from tests.models import system

BODY = """
n = integer(0, 3)
@action
def up(self) -> None:
    require(self.n < 3)
    self.n += 1
@action
def down(self) -> None:
    require(self.n > 0)
    self.n -= 1
@invariant
def small(self) -> bool:
    return self.n < 9
@ltl
def comes_back(self) -> bool:
    return always(eventually(self.n == 0))
@ltl(fairness=weak("action"))
def comes_back_if_fair(self) -> bool:
    return always(eventually(self.n == 0))
@ctl
def can_come_back(self) -> bool:
    return AG(EF(self.n == 0))
@ltl
def never_asked(self) -> bool:
    return leads_to(self.n == 7 - 3, self.n == 0)
@divergence_free
def no_livelock(self) -> None:
    "Everything is seen."
"""
ENGINES = pytest.mark.parametrize("engine", [NativeEngine(), ReferenceEngine()], ids=lambda each: each.name)


def verdicts(report: Report) -> dict[str, str]:
    return {each.guarantee: each.verdict.value for each in report.verdicts}


def judged(model: TransitionSystem, engine: Engine, only: list[str] | None = None) -> Report:
    return check(model, engine=engine, subject="m", only=only)


@ENGINES
def test_every_logic_gets_its_verdict_from_one_search(engine: Engine) -> None:
    report = judged(system(BODY), engine)

    assert verdicts(report) == {
        "stays-in-range": "holds",
        "small": "holds",
        "comes-back": "violated",
        "comes-back-if-fair": "violated",
        "can-come-back": "holds",
        "never-asked": "unknown",
        "no-livelock": "holds",
    }
    assert (report.coverage.states, report.coverage.transitions) == (4, 6)


@ENGINES
def test_a_claim_about_nothing_says_so(engine: Engine) -> None:
    found = judged(system(BODY), engine, ["never-asked"]).verdicts[-1]

    assert found.verdict is Verdict.UNKNOWN
    assert found.vacuous == "`n == 7 - 3` is never true"


def test_what_runs_count_stands_with_the_verdict() -> None:
    found = judged(system(BODY), NativeEngine(), ["comes-back", "comes-back-if-fair"]).verdicts[1:]

    assert [each.fairness for each in found] == ["none", "weak by action"]


@ENGINES
def test_where_a_step_fails_runs_are_unknown(engine: Engine) -> None:
    broken = system(BODY.replace("require(self.n < 3)", "require(True)"))

    found = verdicts(judged(broken, engine))

    assert found["stays-in-range"] == "violated"
    assert found["comes-back"] == found["can-come-back"] == found["no-livelock"] == "unknown"


@ENGINES
def test_a_condition_of_a_formula_that_fails_violates_stays_in_range(engine: Engine) -> None:
    body = BODY + "@ltl\ndef wrong(self) -> bool:\n    return always(6 // (self.n - 2) < 9)\n"

    report = judged(system(body), engine, ["wrong"])

    assert verdicts(report) == {"stays-in-range": "violated", "wrong": "unknown"}
    assert report.verdicts[0].story is not None
    assert report.verdicts[0].story.steps[-1].state["n"] == 2


@ENGINES
def test_a_search_that_was_cut_judges_no_run(engine: Engine) -> None:
    report = check(system(BODY), engine=engine, subject="m", limits=Limits(max_states=2))

    assert set(verdicts(report).values()) == {"unknown"}


def test_symmetry_is_refused_for_runs_and_allowed_for_states() -> None:
    with pytest.raises(UsageError, match="symmetry cannot judge"):
        check(system(BODY), engine=NativeEngine(), subject="m", symmetry=True)

    report = check(system(BODY), engine=NativeEngine(), subject="m", symmetry=True, only=["small"])
    assert verdicts(report) == {"stays-in-range": "holds", "small": "holds"}


def test_too_many_conditions_are_refused() -> None:
    claims = " and ".join(f"always(self.n < {number + 4})" for number in range(70))
    body = BODY + f"@ltl\ndef many(self) -> bool:\n    return {claims}\n"

    with pytest.raises(LimitError, match="70 different conditions"):
        judged(system(body), NativeEngine(), ["many"])


def test_the_observer_hears_what_is_being_judged() -> None:
    heard: list[Progress] = []

    check(system(BODY), engine=NativeEngine(), subject="m", observe=heard.append)

    names = [each.judging for each in heard if each.judging]
    assert names[0] == "comes-back"
    assert names[-1] == "no-livelock"


def test_an_interrupt_leaves_what_was_judged_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = over_time.decide

    def interrupted(guarantee, graph, positions):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if guarantee.name == "can-come-back":
            raise KeyboardInterrupt
        return decide(guarantee, graph, positions)

    monkeypatch.setattr(over_time, "decide", interrupted)
    report = judged(system(BODY), NativeEngine())

    found = verdicts(report)
    assert (found["small"], found["comes-back"]) == ("holds", "violated")
    assert found["can-come-back"] == found["no-livelock"] == "unknown"
    assert (report.coverage.complete, report.coverage.cut) == (True, "interrupted")


TWO = """
sent = setof(Item)
got = setof(Item)
@action
def send(self, item: Item) -> None:
    require(item in self.may and item not in self.sent)
    self.sent.add(item)
@action
def receive(self, item: Item) -> None:
    require(item in self.sent and item not in self.got)
    self.got.add(item)
@ltl
def arrives(self) -> bool:
    return all(leads_to(item in self.sent, item in self.got) for item in Item)
@ctl
def arrives_on_every_branch(self) -> bool:
    return all(AG(implies(item in self.sent, AF(item in self.got))) for item in Item)
"""


@ENGINES
@pytest.mark.parametrize(("few", "expected"), [("i == 0", "holds"), ("False", "unknown")])
def test_what_is_claimed_of_each_says_something_if_it_does_of_one(
    engine: Engine, few: str, expected: str
) -> None:
    may = f"""
may = setof(Item)
@initial
def begin(self) -> None:
    for i in Item:
        if {few}:
            self.may.add(i)
"""

    found = verdicts(judged(system(may + TWO), engine))

    assert found == {"stays-in-range": "holds", "arrives": expected, "arrives-on-every-branch": expected}


GUARDED = """
line = seq(Item, 2)
@action
def put(self, item: Item) -> None:
    require(len(self.line) < 2)
    self.line.append(item)
@ltl
def first_is_something(self) -> bool:
    return always(implies(len(self.line) > 0, self.line[0] in (0, 1, 2)))
@ltl
def or_nothing_is_there(self) -> bool:
    return always(len(self.line) == 0 or self.line[0] in (0, 1, 2) or next_(len(self.line) == 9))
@ltl
def and_protects(self) -> bool:
    return not always(len(self.line) > 0 and self.line[0] == 0 and eventually(len(self.line) == 2))
"""


@ENGINES
def test_a_guard_protects_what_stands_behind_it(engine: Engine) -> None:
    found = verdicts(judged(system(GUARDED), engine))

    assert set(found.values()) == {"holds"}


COIN = """
heads: bool = False
tossed = integer(0, 1)
async def gambler(self) -> None:
    while True:
        await until(True)
        self.heads = choose(True, False)
        self.tossed = 1 - self.tossed
@ltl(fairness=strong("instance"))
def wins(self) -> bool:
    return eventually(self.heads)
"""


@ENGINES
def test_nobody_owes_a_coin_to_fall_on_each_side(engine: Engine) -> None:
    assert verdicts(judged(system(COIN), engine))["wins"] == "violated"


def test_a_formula_that_is_too_large_leaves_the_other_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = over_time.decide

    def too_large(guarantee, graph, positions):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if guarantee.name == "comes-back":
            raise LimitError("ANG052", "the automaton has too many states")
        return decide(guarantee, graph, positions)

    monkeypatch.setattr(over_time, "decide", too_large)
    report = judged(system(BODY), NativeEngine())

    found = verdicts(report)
    assert (found["small"], found["comes-back"], found["can-come-back"]) == ("holds", "unknown", "holds")
    assert report.coverage.cut == "comes-back: the automaton has too many states"


def test_behind_the_time_limit_nothing_is_judged() -> None:
    report = check(system(BODY), engine=NativeEngine(), subject="m", limits=Limits(timeout=1e-9))

    assert verdicts(report)["comes-back"] == "unknown"
    assert report.coverage.cut is not None
