"""Killed at whatever moment, the page leaves no process and no half of a file, and can be started again."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import time
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from random import Random, SystemRandom

import pytest

from angarium.mesh.files.find import load
from tests.app.web.test_connections import Serving, serving
from tests.effort import is_thorough
from tests.processes import descendants, is_running
from tests.waiting import PATIENCE, wait_until

KILLS = 30 if is_thorough() else 3
SEED = SystemRandom().randrange(10**9) if is_thorough() else 22
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SIZES = (3, 150)
"""Brokers of the meshes that are saved over each other."""


def mesh(brokers: int) -> dict[str, object]:
    names = [f"b{number}" for number in range(brokers)]
    ring = pairwise(names)
    return {
        "mesh": "m",
        "brokers": {name: {} for name in names},
        "links": [{"between": [*ends]} for ends in ring],
    }


def save(page: Serving, brokers: int) -> int:
    asked = {"file": "mesh.yaml", "mesh": mesh(brokers), "replace": True}
    with closing(http.client.HTTPConnection("127.0.0.1", page.port, timeout=PATIENCE)) as connection:
        connection.request("POST", "/api/mesh/save", json.dumps(asked), {"Content-Type": "application/json"})
        return connection.getresponse().status


def keep_saving(page: Serving) -> None:
    """Until nobody answers any more."""
    with suppress(OSError, http.client.HTTPException):
        while page.process.poll() is None:
            for brokers in SIZES:
                save(page, brokers)


@pytest.mark.slow
def test_killed_at_any_moment_it_leaves_nothing_half_done(tmp_path: Path) -> None:
    random = Random(SEED)
    for number in range(KILLS):
        with serving(tmp_path) as page:
            saving = [threading.Thread(target=keep_saving, args=(page,)) for _ in range(2)]
            for each in saving:
                each.start()
            time.sleep(random.uniform(0, 3))
            family = descendants(page.process.pid)
            page.end(random.choice(SIGNALS))
            for each in saving:
                each.join()
            wait_until("no process is left", lambda: not any(map(is_running, family)))  # noqa: B023
        if (tmp_path / "mesh.yaml").exists():
            assert len(load(str(tmp_path / "mesh.yaml")).brokers) in SIZES, f"seed {SEED}, kill {number}"

    with serving(tmp_path) as page:
        assert save(page, 3) == 200
    assert [path.name for path in tmp_path.iterdir()] == ["mesh.yaml"]
