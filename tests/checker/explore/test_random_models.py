"""Random models, from source text to counts: the native engine and the interpreter agree."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.core.control import Limits
from tests.checker.explore.random_models import models
from tests.effort import examples
from tests.models import system


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(models())
def test_engines_agree_on_random_models(body: str) -> None:
    compiled = system(body, items=2)

    slow = ReferenceEngine().search(compiled, limits=Limits(max_states=600))
    if not slow.coverage.complete and slow.coverage.cut is not None:
        return
    fast = NativeEngine().search(compiled, threads=2)

    assert (slow.coverage.states, slow.coverage.transitions, slow.coverage.depth) == (
        fast.coverage.states,
        fast.coverage.transitions,
        fast.coverage.depth,
    )
    assert {name: len(run) for name, run in slow.runs.items()} == {
        name: len(run) for name, run in fast.runs.items()
    }
