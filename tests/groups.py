"""Which tests are run by one process, one after the other.

Those of a file are, so that what they share is made once. All that shares a Spark session is a group, too:
it takes seconds to start, and longer to get warm. What starts a cluster is another group, because a process
has one session at a time. These two take longest, and begin first; slow files follow.
"""

from __future__ import annotations

from pathlib import Path

import pytest

_FIRST = ("spark", "cluster")


def form(items: list[pytest.Item]) -> None:
    """Give each test its group, and put them in the order in which groups begin."""
    on_spark = {item.path for item in items if _uses(item, "spark")}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    named = {item: _group(item, on_spark) for item in items}
    items.sort(key=lambda item: (*(named[item] != each for each in _FIRST), item.path not in slow))
    for item, group in named.items():
        item.add_marker(pytest.mark.xdist_group(group))


def _group(item: pytest.Item, on_spark: set[Path]) -> str:
    if _uses(item, "cluster"):
        return "cluster"
    return "spark" if item.path in on_spark else item.path.stem


def _uses(item: pytest.Item, what: str) -> bool:
    """Whether a test asks for a fixture of this name, or is marked so."""
    return what in getattr(item, "fixturenames", ()) or item.get_closest_marker(what) is not None
