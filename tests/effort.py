"""How much a run of the tests tries: the default run for every change, and the thorough one.

The default run touches every capability and every real component once, in minutes, and does the same each
time: what chance chooses is chosen by a fixed seed. `pytest --thorough` adds what is exhaustive, long or
random, and tries new things each time.

A test, or a case of one, that only the thorough run needs is marked `thorough`. Random tests are part of
both: `examples(200)` is how many they try in the thorough run, and a tenth of it in the default one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from _pytest.mark import ParameterSet

LEAST = 10
"""As many examples does every random test try: the simplest ones are among them."""
thorough = pytest.mark.thorough
_chosen = False


def choose(is_thorough: bool) -> None:
    """Say which run this is, before tests are imported."""
    global _chosen
    _chosen = is_thorough


def is_thorough() -> bool:
    """Whether this is the thorough run."""
    return _chosen


def examples(number: int) -> int:
    """How many examples a random test tries, of those that it tries in the thorough run."""
    return number if _chosen else min(number, max(LEAST, number // 10))


def first(number: int, cases: Iterable[object]) -> list[ParameterSet]:
    """Cases of which the default run has only the first few: they say the same of other values."""
    return [_case(each, () if at < number else (thorough,)) for at, each in enumerate(cases)]


def _case(case: object, marks: Sequence[pytest.MarkDecorator]) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=(*case.marks, *marks), id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=marks)
