"""The same model gives the same texts in every process, whatever the order of Python's sets.

Python's hashes of strings differ from process to process unless a seed is given. A text that depended on them
would be compiled again and again, and an object that was kept would not be found.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.effort import is_thorough

SEEDS = ("1", "2", "3", "4", "5") if is_thorough() else ("1", "2")


def texts(seed: str) -> str:
    """A line for each text that is written under a seed."""
    env = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-m", "tests.checker.backend.texts"]
    root = Path(__file__).parents[3]
    return subprocess.run(command, env=env, cwd=root, capture_output=True, text=True, check=True).stdout


def test_texts_do_not_depend_on_the_order_of_sets() -> None:
    first, *others = map(texts, SEEDS)

    assert "rabbitmq-sac: kernel" in first
    assert "angarium.mesh.routing.tables.CORE" in first
    for other in others:
        assert other.splitlines() == first.splitlines()
