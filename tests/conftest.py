"""What holds for all tests: how many processes run them, what chance means, and what is traced.

The whole suite, or a folder of it, is run by as many processes as there are cores. Where a file or a test is
named, it is run in this process, at once: starting others would take longer than most files do.

Each file is run by one process, so that what its tests share is made once. All that shares a Spark session is
run by the same process, and what starts a cluster by another: a process has one session at a time.

The default run leaves out what is marked `thorough`, and its random tests are the same each time: see
`tests/effort.py`.

Coverage is counted by a tracer that makes Python two to three times as slow. So it looks away during random
tests and slow ones: what these reach, others reach too. The share that it reports is a lower bound.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from tests import effort

# How long an example takes says something of the machine, not of us.
settings.register_profile("thorough", deadline=None)
settings.register_profile("default-run", deadline=None, derandomize=True, max_examples=20)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one flag."""
    parser.addoption("--thorough", action="store_true", help="also what is random, exhaustive or long")


def pytest_configure(config: pytest.Config) -> None:
    """Say which run this is, before test files are imported."""
    effort.choose(config.option.thorough)
    settings.load_profile("thorough" if config.option.thorough else "default-run")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes `-n auto` means; 0 is this one alone."""
    only_folders = all(Path(each).is_dir() for each in config.args)
    return (os.cpu_count() or 1) if only_folders and not config.option.collectonly else 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the thorough run, and mark what is not traced."""
    if not config.option.thorough:
        left_out = list(effort.left_out(items))
        config.hook.pytest_deselected(items=left_out)
        items[:] = [each for each in items if each not in set(left_out)]
    groups = _groups(items)
    items.sort(key=lambda item: _ORDER.get(groups[item], 2 if item.get_closest_marker("slow") else 3))
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item]))
        random = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if random or item.get_closest_marker("slow"):
            item.add_marker("no_cover")


_ORDER = {"spark": 0, "cluster": 1}
"""What takes longest begins first."""


def _groups(items: list[pytest.Item]) -> dict[pytest.Item, str]:
    """What is run by one process, one after the other."""
    on_spark = {item.path for item in items if _uses(item, "spark")}
    return {item: _group(item, on_spark) for item in items}


def _group(item: pytest.Item, on_spark: set[Path]) -> str:
    if _uses(item, "cluster"):
        return "cluster"
    return "spark" if item.path in on_spark else str(item.path)


def _uses(item: pytest.Item, what: str) -> bool:
    return what in getattr(item, "fixturenames", ()) or item.get_closest_marker(what) is not None


@pytest.fixture(autouse=True, scope="session")
def _room_for_all_tests() -> Iterator[None]:
    """Hundreds of tests share one of Spark's Javas: what they have asked lies in its memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("angarium.spark.place.HEAP", "3g")
        yield


@pytest.fixture
def time_to_shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stories are pinned: on a slow machine, too, there is time to make them as short as they can be."""
    monkeypatch.setattr("angarium.prove.monitor.drive.SHORTENING", 300.0)
