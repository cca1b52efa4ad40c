"""One test body, every engine: they agree with the interpreter to the last state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings

from angarium.checker.explore import native
from angarium.checker.explore.engine import Engine, Outcome
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.interpret import hits, initial_states, steps
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.core.control import Limits
from tests.checker.explore.random_systems import systems
from tests.checker.explore.spark.here import HereEngine
from tests.checker.explore.symmetric_systems import symmetric_systems
from tests.effort import examples
from tests.zoo import counter, division, handoff, overflow, symmetric

pytestmark = pytest.mark.slow

REFERENCE = ReferenceEngine()
ENGINES: dict[str, Engine] = {
    "reference": REFERENCE,
    "local": NativeEngine(),
    "local, cramped": NativeEngine(_capacity=2, _block=1),
    "gpu, emulated": GpuEngine(EmulatedGrid),
    "gpu, emulated and cramped": GpuEngine(lambda: EmulatedGrid(3), _capacity=2),
    "spark, in one process": HereEngine(),
}
ZOO = [counter(), handoff(), overflow(), symmetric(), division()]
ENOUGH = Limits(max_states=300)
PATIENT = settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
any_threads = pytest.mark.parametrize("threads", [1, 2])


@pytest.fixture(autouse=True, scope="module")
def sharing() -> Iterator[None]:
    """Threads share even the smallest levels, so that two of them really work together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "WORTH_SHARING", 1)
        yield


def summary(outcome: Outcome) -> dict[str, object]:
    """What engines have to agree on; which of the shortest runs they find is theirs to choose."""
    coverage = outcome.coverage
    return {
        "states": coverage.states,
        "transitions": coverage.transitions,
        "depth": coverage.depth,
        "complete": coverage.complete,
        "runs": {name: len(run) for name, run in outcome.runs.items()},
    }


def is_small(system: TransitionSystem) -> bool:
    return REFERENCE.search(system, limits=ENOUGH).coverage.cut is None


def assert_real(system: TransitionSystem, name: str, run: Sequence[Cells]) -> None:
    """A run starts in an initial state, follows enabled steps, and hits its guarantee."""
    assert run[0] in initial_states(system)
    for before, after in pairwise(run):
        assert after in [move.target for move in steps(system, before)]
    assert name in hits(system, run[-1])


def assert_agrees(engine: Engine, system: TransitionSystem, threads: int, *, symmetry: bool = False) -> None:
    expected = REFERENCE.search(system, symmetry=symmetry)
    found = engine.search(system, threads=threads, symmetry=symmetry)
    assert summary(found) == summary(expected)
    for name, run in found.runs.items():
        assert_real(system, name, [tuple(state) for state in run])


@every_engine
@any_threads
@pytest.mark.parametrize("system", ZOO, ids=lambda system: system.name)
def test_on_the_zoo(engine: Engine, threads: int, system: TransitionSystem) -> None:
    assert_agrees(engine, system, threads)
    assert_agrees(engine, system, threads, symmetry=True)


@every_engine
@any_threads
@PATIENT
@given(system=systems())
def test_on_random_systems(engine: Engine, threads: int, system: TransitionSystem) -> None:
    assume(is_small(system))
    assert_agrees(engine, system, threads)


@every_engine
@any_threads
@PATIENT
@given(system=symmetric_systems())
def test_on_symmetric_systems(engine: Engine, threads: int, system: TransitionSystem) -> None:
    assume(is_small(system))
    assert_agrees(engine, system, threads, symmetry=True)


@PATIENT
@given(system=symmetric_systems())
def test_symmetry_changes_no_verdict(system: TransitionSystem) -> None:
    assume(is_small(system))
    plain = REFERENCE.search(system)
    merged = REFERENCE.search(system, symmetry=True)
    assert summary(merged)["runs"] == summary(plain)["runs"]
    assert merged.coverage.depth == plain.coverage.depth
    assert merged.coverage.states <= plain.coverage.states


@PATIENT
@given(system=systems())
def test_the_reference_finds_what_can_be_reached(system: TransitionSystem) -> None:
    outcome = REFERENCE.search(system, limits=ENOUGH)
    assume(outcome.coverage.complete)
    reached, waiting = set(initial_states(system)), initial_states(system)
    while waiting:
        found = {move.target for move in steps(system, waiting.pop())} - reached
        reached |= found
        waiting += found
    assert outcome.coverage.states == len(reached)
    assert set(outcome.runs) == {name for state in reached for name in hits(system, state)}
