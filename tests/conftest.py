"""What holds for all tests: how many processes run them, what chance means, and what is traced.

The whole suite, or a folder of it, is run by as many processes as there are cores. Where a file or a test is
named, it is run in this process, at once: starting others would take longer than most files do.

The default run leaves out what is marked `thorough`, and its random tests are the same each time: see
`tests/effort.py`.

Coverage is counted by a tracer that makes Python two to three times as slow. So it looks away during random
tests and slow ones: what these reach, others reach too. The share that it reports is a lower bound.
"""

import os
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
    for item in items:
        random = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if random or item.get_closest_marker("slow"):
            item.add_marker("no_cover")


@pytest.fixture
def time_to_shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stories are pinned: on a slow machine, too, there is time to make them as short as they can be."""
    monkeypatch.setattr("angarium.prove.monitor.drive.SHORTENING", 300.0)
