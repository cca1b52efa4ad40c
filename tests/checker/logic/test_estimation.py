"""What a check will take, from the beginning of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.checker.explore.engine import Engine, Observer, Outcome, Progress
from angarium.checker.explore.estimate import Range
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.estimation import EstimateRequest, estimate_check
from angarium.core.control import INTERRUPTED, Limits
from angarium.core.errors import UsageError
from angarium.systems.registry import find, load

SAC = "rabbitmq-sac"
NO_LIMITS = Limits()


def asked(
    subject: str = SAC,
    settings: dict[str, str] | None = None,
    *,
    engine: Engine | None = None,
    limits: Limits = NO_LIMITS,
    only: list[str] | None = None,
    symmetry: bool = False,
) -> EstimateRequest:
    chosen = engine or NativeEngine()
    return EstimateRequest(
        find(subject), settings or {}, subject, chosen, limits, only=only, symmetry=symmetry
    )


def test_a_check_that_ends_is_not_estimated() -> None:
    said = estimate_check(asked(settings={"queues": "2", "apps": "2"})).estimate
    assert said.exact
    assert (said.states, said.transitions, said.depth) == (Range(181, 181, 181), Range(428, 428, 428), 9)
    assert said.seconds.likely is not None
    assert not said.smaller


def test_one_that_is_decided_early_is_not_estimated_either() -> None:
    found = estimate_check(asked("examples/at_least_once.py", only=["no-duplicates"]))
    assert found.estimate.exact
    assert found.estimate.states.high == found.extent.states


def test_the_truth_is_between_the_bounds() -> None:
    limits = Limits(max_states=20_000, timeout=60)
    tried: list[object] = []
    found = estimate_check(asked(limits=limits, only=["type-ok"]), trying=tried.append)
    said = found.estimate
    assert not said.exact
    assert said.states.high is not None
    assert said.states.low <= 366_404 <= said.states.high
    assert said.states.low >= found.extent.states
    assert {"queues": 2} in said.smaller
    assert len(tried) >= len(said.smaller)
    assert (said.words, said.over_time) == (1, 0)


def test_guarantees_over_time_cost_more() -> None:
    limits = Limits(max_states=20_000, timeout=60)
    judged, plain = (
        estimate_check(asked(limits=limits)).estimate,
        estimate_check(asked(limits=limits, only=["type-ok"])).estimate,
    )
    assert judged.over_time == 2
    assert (judged.bytes.likely or 0) > (plain.bytes.likely or 0)


def test_symmetry_is_estimated_as_such() -> None:
    limits = Limits(max_states=3_000, timeout=60)
    said = estimate_check(asked(limits=limits, only=["type-ok"], symmetry=True)).estimate
    assert said.states.high is not None
    assert said.states.low <= 11_264 <= said.states.high


@pytest.mark.thorough
def test_every_engine_can_be_asked() -> None:
    found = estimate_check(asked(engine=ReferenceEngine(), limits=Limits(max_states=500, timeout=20)))
    assert found.engine == "reference"
    assert found.estimate.states.low >= 500


def test_a_guarantee_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="no guarantee"):
        estimate_check(asked(only=["no-such"]))


@pytest.mark.parametrize("most", [3_000, 20_000, 300_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_level_that_is_being_expanded_is_known(most: int, threads: int) -> None:
    system = replace(load(SAC), guarantees=(), temporal=())
    seen: list[Progress] = []
    NativeEngine().search(system, threads=threads, observe=seen.append)
    whole = seen[-1]
    assert whole.expanding == 0
    NativeEngine().search(system, threads=threads, observe=seen.append, limits=Limits(max_states=most))
    levels = [*seen[-1].levels, seen[-1].expanding]
    assert levels == list(whole.levels)[: len(levels)]


class Impatient(NativeEngine):
    """An engine that somebody interrupts in its n-th search."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.left = number

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        self.left -= 1
        outcome = super().search(
            system, limits=limits, threads=threads, symmetry=symmetry, observe=observe, graph=graph
        )
        if self.left:
            return outcome
        return replace(outcome, coverage=replace(outcome.coverage, complete=False, cut=INTERRUPTED))


@pytest.mark.parametrize(("number", "found"), [(1, 0), (3, 1)])
def test_an_interrupt_ends_it_with_what_is_known(number: int, found: int) -> None:
    engine = Impatient(number)
    said = estimate_check(asked(engine=engine, limits=Limits(max_states=20_000, timeout=60))).estimate
    assert engine.left == 0
    assert len(said.smaller) == found
    assert said.states.low >= 20_000


def test_progress_is_passed_on() -> None:
    seen: list[Progress] = []
    estimate_check(asked(settings={"queues": "2"}), observe=seen.append)
    assert seen[-1].states == 12_560
