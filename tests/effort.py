"""How much a run of the tests tries: the default run for every change, and the thorough one.

The default run touches every capability and every real component once, in minutes, and does the same each
time: what chance chooses is chosen by a fixed seed. `pytest --thorough` adds what is exhaustive, long or
random, and tries new things each time.

- `@pytest.mark.thorough`: a test that only the thorough run has.
- `@pytest.mark.sample(2)`: a test of whose cases the default run has only two, evenly spread over all.
- `examples(200)`: how many examples a random test tries in the thorough run; in the default one, a tenth.
- `seeds(100, 2)`: numbers from which a test draws its cases: 0 and 1 in the default run, a hundred new ones
  each time in the thorough one. `--seeds-from NUMBER` tries the same ones again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest
from _pytest.mark import ParameterSet

FEW = 20
"""Examples of a random test that says no number, in the default run."""
LEAST = 10
"""As many examples does every random test try: the simplest ones are among them."""
_chosen = False
_first = 0


def choose(is_thorough: bool, first: int = 0) -> None:
    """Say which run this is, before tests are imported, and with which number its new seeds begin."""
    global _chosen, _first
    _chosen, _first = is_thorough, first


def is_thorough() -> bool:
    """Whether this is the thorough run."""
    return _chosen


def examples(number: int) -> int:
    """How many examples a random test tries, of those that it tries in the thorough run."""
    return number if _chosen else min(number, max(LEAST, number // 10))


def seeds(number: int, few: int) -> range:
    """So many seeds in the thorough run, and the few first ones in the default run."""
    return range(_first, _first + number) if _chosen else range(few)


def also(cases: Iterable[object]) -> list[ParameterSet]:
    """Cases that only the thorough run has, behind some that both have."""
    return [_thorough(each) for each in cases]


def _thorough(case: object) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.thorough), id=f"{case.id}-too")
    return pytest.param(case, marks=pytest.mark.thorough)


def only_thorough(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """What the default run has not."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("thorough"):
            yield item
        elif item.get_closest_marker("sample"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for same in cases.values():
        chosen = _spread(len(same), same[0].get_closest_marker("sample").args[0])
        yield from (item for at, item in enumerate(same) if at not in chosen)


def by_folder(items: Iterable[pytest.Item]) -> dict[str, int]:
    """How many tests there are of each folder of `tests`."""
    folders = Counter(item.nodeid.split("/")[1].partition("::")[0] for item in items)
    return dict(folders)


def left_for_thorough(folders: Mapping[str, int]) -> str | None:
    """What only the thorough run has; nothing if that is nothing."""
    told = [f"{folder} {number:,}" for folder, number in sorted(folders.items())]
    return f"Left for --thorough: {sum(folders.values()):,} tests ({', '.join(told)})." if told else None


def _spread(size: int, number: int) -> set[int]:
    """So many places of a row, the first one among them."""
    return {at * size // number for at in range(number)}
