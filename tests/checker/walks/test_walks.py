"""Walks in threads: what an observer sees, and what is left of walks that were stopped."""

from __future__ import annotations

import pickle
import signal

import numpy as np
import pytest

from angarium.checker.backend.kernel import Kernel, compile_system
from angarium.checker.ir.syntax import Const, Local, Require, Write
from angarium.checker.ir.transition import Action, Parameter, TransitionSystem
from angarium.checker.ir.types import Int
from angarium.checker.walks import native_walks
from angarium.checker.walks.figures import Hit, Walked, together
from angarium.checker.walks.native_walks import Watch, simulate, walk
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import End, Ends
from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from tests.checker.walks.observed import observed, sac
from tests.zoo import ZERO, counter, op, read, system

LONG = 10**9


def endless() -> Action:
    return Action("tock", (), (Write("n", ZERO, op(op(read("n"), "+", 1), "%", 4)),))


def test_threads_make_the_same_walks() -> None:
    one, other = (walk(sac(3, 3), Plan(runs=3000), 0, 3000, threads=n, _chunk=999) for n in (1, 3))

    np.testing.assert_array_equal(one.sample.values, other.sample.values)
    assert one.hits == other.hits


def test_a_better_kernel_makes_the_same_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    before = walk(sac(3, 3), Plan(), 0, 2000)
    compiled: list[bool] = []

    def compile_noted(given: TransitionSystem, *, apart: int, thorough: bool = False) -> Kernel:
        compiled.append(thorough)
        return compile_system(given, apart=apart, thorough=thorough)

    monkeypatch.setattr(native_walks, "WORTH_COMPILING", 0.0)
    monkeypatch.setattr(native_walks, "compile_system", compile_noted)
    after = walk(sac(3, 3), Plan(), 0, 2000)

    assert compiled == [False, True]
    np.testing.assert_array_equal(before.sample.values, after.sample.values)


def test_walks_differ_from_each_other_and_from_seed_to_seed() -> None:
    one, other = (walk(sac(3, 3), Plan(seed=seed), 0, 200).sample.values for seed in (1, 2))

    assert (one != other).any()
    assert len(np.unique(one, axis=0)) > 100


def test_parts_are_put_together_in_any_order() -> None:
    whole = walk(sac(2, 2), Plan(), 0, 50)
    parts = [walk(sac(2, 2), Plan(), first, 10) for first in (20, 0, 40, 10, 30)]
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]

    np.testing.assert_array_equal(together(sent).sample.values, whole.sample.values)
    assert together(sent).cut is None


def test_behind_a_part_that_was_cut_nothing_counts_but_what_was_met() -> None:
    parts = [walk(sac(2, 2), Plan(), first, 10) for first in (0, 20)]
    parts[1] = Walked(parts[1].sample, {"found": Hit(7, 21)})

    joined = together(parts)

    assert len(joined.sample.ends) == 10
    assert joined.hits == {"found": (7, 21)}
    assert joined.cut == "some walks are missing"


def test_no_walks_at_all() -> None:
    found = walk(sac(2, 2), Plan(), 0, 0)

    assert len(found.sample.ends) == 0
    assert found.sample.values.shape == (0, len(found.sample.columns))


def test_a_walk_of_no_steps_is_its_first_state() -> None:
    found = walk(sac(2, 2), Plan(steps=0), 0, 3)

    assert found.sample.ends.tolist() == [End.LIMIT] * 3
    assert found.sample.steps.tolist() == [0, 0, 0]


class Unhurried(Watch):
    """A clock that stands still until it has seen enough walks come to their end."""

    def __init__(self, enough: int) -> None:
        super().__init__(timeout=1.0)
        self.enough, self.seen = enough, 0

    @property
    def seconds(self) -> float:
        return 2.0 if self.seen >= self.enough else 0.0

    def tell(self, walks: int, steps: int) -> None:
        self.seen = self.walks + walks


def test_time_is_up_and_the_first_walks_that_are_complete_count() -> None:
    """Half of the walks go on without end: whoever kept what is finished would keep the others."""
    start = Parameter("start", Int(0, 1))
    setup = (Write("n", ZERO, Local("start")),)
    on = Action("on", (), (Require(op(read("n"), ">", 0)), Write("n", ZERO, op(Const(3), "-", read("n")))))
    halves = system("halves", [("n", Int(0, 2))], [on], setup=[start], setup_body=setup)
    alone = [int(walk(halves, Plan(steps=5), number, 1).sample.steps[0]) for number in range(50)]

    found = walk(halves, Plan(steps=LONG), 0, 50, watch=Unhurried(alone.index(5)), threads=2)

    assert found.cut == "time limit of 1 s"
    assert found.sample.steps.tolist() == alone[: alone.index(5)]


def test_time_is_up_between_two_chunks() -> None:
    found = walk(sac(2, 2), Plan(), 0, 10**6, watch=Unhurried(20), _chunk=10)

    assert found.cut == "time limit of 1 s"
    assert 20 <= len(found.sample.ends) < 10**6


def test_a_walk_without_end_is_stopped_by_the_clock() -> None:
    system_ = system("clock", [("n", Int(0, 3))], [endless()])

    found, sample = simulate(system_, Plan(runs=2, steps=LONG), subject="clock", timeout=0.2)

    assert (found.walks, len(sample.ends), found.cut) == (0, 0, "time limit of 0.2 s")


def test_the_keyboard_stops_walks() -> None:
    system_ = system("clock", [("n", Int(0, 3))], [endless()])

    def press(walks: int, steps: int, seconds: float) -> None:
        signal.raise_signal(signal.SIGINT)

    found, _ = simulate(system_, Plan(runs=2, steps=LONG), subject="clock", observe=press)

    assert found.cut == "interrupted"


def test_an_observer_sees_walks_and_steps_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.checker.walks.native_walks.TURN", 0.001)
    seen: list[tuple[int, int, float]] = []
    system_ = observed(system("clock", [("n", Int(0, 3))], [endless()]))

    found, _ = simulate(
        system_,
        Plan(runs=60, steps=200_000),
        subject="clock",
        threads=2,
        observe=lambda *progress: seen.append(progress),
    )

    assert seen == sorted(seen)
    assert seen[-1][:2] == (60, 60 * 200_000) == (found.walks, found.steps)
    assert any(0 < steps < found.steps for _, steps, _ in seen)


def test_verdicts_are_unknown_unless_something_was_met() -> None:
    found, _ = simulate(counter(), Plan(runs=3), subject="counter")

    assert {each.guarantee: each.verdict for each in found.verdicts} == {
        "stays-in-range": Verdict.VIOLATED,
        "small": Verdict.VIOLATED,
        "natural": Verdict.UNKNOWN,
        "two": Verdict.HOLDS,
        "hundred": Verdict.UNKNOWN,
        "finished": Verdict.UNKNOWN,
        "unfinished": Verdict.UNKNOWN,
    }
    assert found.extent.ends == Ends(goal=0, rest=3, limit=0)


def test_what_is_claimed_of_whole_runs_stays_unknown() -> None:
    found, _ = simulate(sac(2, 2), Plan(runs=3), subject="rabbitmq-sac")

    over_time = [each for each in found.verdicts if each.guarantee.startswith("eventually")]
    assert [(each.verdict, each.kind) for each in over_time] == [(Verdict.UNKNOWN, "ltl")] * 2
    assert all(each.fairness != "none" for each in over_time)


def test_an_unknown_schedule_is_refused() -> None:
    with pytest.raises(UsageError, match="no schedule named 'random'"):
        walk(counter(), Plan(schedule="random"), 0, 1)
