"""Running the command line: in this process where that shows enough, else in one of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import AbstractContextManager
from typing import Any

from click.testing import CliRunner, Result

from angarium.app.cli import main
from tests import processes

PROGRAM = (sys.executable, "-c", "from angarium.app.cli import main; main()")
SAC = "rabbitmq-sac"
SMALL = (SAC, "--set", "queues=2", "--set", "apps=2")
"""A search of 181 states."""
LARGE = (SAC, "--set", "queues=4", "--set", "apps=4")
"""A search that takes minutes."""
AT_LEAST_ONCE = "examples/at_least_once.py"
"""A model that breaks a guarantee."""


def run(*words: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, words)


def record(*words: str) -> dict[str, Any]:
    """The JSON record of a command, whatever its exit code."""
    answer: dict[str, Any] = json.loads(run(*words, "--json").stdout)
    return answer


def start(*words: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """Start a command in a process of its own, which ends with the block."""
    return processes.ending([*PROGRAM, *words])
