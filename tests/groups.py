"""Which tests are run by one process, one after the other.

Those of a file are, so that what they share is made once. All files that use a Spark session are a group: it
takes seconds to start, and longer to get warm. What starts a cluster is another group, because a process has
one session at a time. These two take longest, and begin first; slow files follow.

A file says by its text that it uses Spark or a cluster, for xdist's scheduler knows only the names of tests.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parent.parent
_USES = {
    "cluster": re.compile(r"pytest\.mark\.cluster\b"),
    "spark": re.compile(r"pytest\.mark\.spark\b|\bspark: SparkSession\b"),
}


@cache
def group(file: str) -> str:
    """The group of a file; its path, if it is one by itself."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return next((name for name, says in _USES.items() if says.search(text)), file)


def begin_with_long_ones(items: list[pytest.Item]) -> None:
    """Put tests in the order in which their groups begin."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    first = {"spark": 0, "cluster": 1}
    items.sort(key=lambda item: first.get(group(_file(item.nodeid)), 2 if item.path in slow else 3))


class ByGroup(LoadScopeScheduling):
    """Gives each process a group at a time."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return group(_file(nodeid))


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]
