"""What holds for all tests: how many processes run them, what chance means, and what is traced.

The whole suite, or a folder of it, is run by one process more than there are cores; `tests/groups.py` says
which of them runs what. Where a file or a test is named, it is run in this process, at once: starting others
would take longer than most files do.

The default run leaves out what is marked `thorough`, and its random tests are the same each time; see
`tests/effort.py`. Random tests may take as long as they take: that depends on what else the machine does.

A shell starts what it runs in the background deaf to Ctrl-C, and so is all that is started from there. Tests
press it: they listen again, and what a test starts inherits that.

Coverage is counted by a tracer that makes Python two to three times as slow. So it looks away during random
tests and slow ones: what these reach, others reach too. The share that it reports is a lower bound.
"""

import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.remote import Producer

from tests import effort
from tests.groups import ByGroup, begin_with_long_ones
from tests.needs import left_out
from tests.processes import left_running

settings.register_profile("thorough", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "default-run", settings.get_profile("thorough"), derandomize=True, max_examples=effort.FEW
)

LEFT = pytest.StashKey[dict[str, int]]()
"""How many tests of each folder only the thorough run has."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much is tried."""
    parser.addoption("--thorough", action="store_true", help="also what is random, exhaustive or long")
    parser.addoption("--seeds-from", type=int, help="the first seed of what is random (new ones each time)")


def pytest_configure(config: pytest.Config) -> None:
    """Say which run this is, before test files are imported; all its processes have the same seeds."""
    if config.option.seeds_from is None:
        config.option.seeds_from = SystemRandom().randrange(100_000_000)
    effort.choose(config.option.thorough, config.option.seeds_from)
    settings.load_profile("thorough" if config.option.thorough else "default-run")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What a test has made of Ctrl-C and SIGTERM ends with it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return (yield)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes `-n auto` means; 0 is this one alone.

    One more than there are cores: tests wait for brokers, browsers and heartbeats for a third of their time.
    """
    only_folders = all(Path(each).is_dir() for each in config.args)
    return (os.cpu_count() or 1) + 1 if only_folders and not config.option.collectonly else 0


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByGroup:
    """How tests are divided among processes."""
    return ByGroup(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the thorough run, order the rest, and mark what is not traced."""
    if not config.option.thorough:
        thorough = set(effort.only_thorough(items))
        _note_left(config, effort.by_folder(thorough))
        config.hook.pytest_deselected(items=list(thorough))
        items[:] = [each for each in items if each not in thorough]
    begin_with_long_ones(items)
    for item in items:
        random = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if random or item.get_closest_marker("slow"):
            item.add_marker("no_cover")


def _note_left(config: pytest.Config, folders: dict[str, int]) -> None:
    """Keep what is left for the thorough run; a process of many tells the one that started it."""
    config.stash[LEFT] = folders
    if hasattr(config, "workeroutput"):
        config.workeroutput["left"] = folders


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 (xdist has no types)
    """All processes collect the same: what one says holds for all."""
    node.config.stash[LEFT] = getattr(node, "workeroutput", {}).get("left", {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and what would change that."""
    if told := effort.left_for_thorough(terminalreporter.config.stash.get(LEFT, {})):
        terminalreporter.write_line(told)
    skipped = terminalreporter.getreports("skipped")
    if told := left_out(each.longrepr[2] for each in skipped if isinstance(each.longrepr, tuple)):
        terminalreporter.write_line(told)


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_left_running() -> Iterator[None]:
    """What tests start ends with them; but for the Java that they share, which is ended here."""
    yield
    if session := sys.modules.get("angarium.spark.session"):
        session.stop()
    assert left_running() == []


@pytest.fixture(autouse=True, scope="session")
def _room_for_all_tests() -> Iterator[None]:
    """Hundreds of tests share one of Spark's Javas: what they have asked lies in its memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("angarium.spark.place.HEAP", "3g")
        yield


@pytest.fixture
def time_to_shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stories are pinned: on a slow machine, too, there is time to make them as short as they can be."""
    monkeypatch.setattr("angarium.contracts.monitor.drive.SHORTENING", 300.0)
