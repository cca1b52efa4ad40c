"""Run SPIN on a Promela text, and read what it counted.

SPIN's "states, stored" are the distinct states. Its "transitions" are stored plus matched states;
the initial state is stored without a step, so the steps are one less: `SpinResult.transitions` is
that number. Without `-o2` SPIN leaves variables that nothing reads out of the state. Verifiers are not
optimised: that would take longer than they search.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.needs import needs

needs_spin = needs("spin")


@dataclass(frozen=True)
class SpinResult:
    """What a run of SPIN's verifier said."""

    states: int
    transitions: int
    errors: int
    seconds: float
    """Of processor time, for the search alone."""


def run_spin(text: str, folder: Path, *, every_error: bool = False) -> SpinResult:
    """Make the verifier, compile it, and search the whole state space, or up to the first error."""
    running = ["-c0" if every_error else "-c1"]
    output, seconds = _verify(text, folder, compiling=["-DSAFETY"], running=running)
    counts = (_count(output, r"(\d+) states, stored"), _count(output, r"(\d+) transitions") - 1)
    return SpinResult(*counts, _count(output, r"errors: (\d+)"), seconds)


def run_ltl(text: str, name: str, folder: Path) -> bool:
    """Whether SPIN finds that the `ltl` formula of this name is true of every run.

    A formula that is broken after finitely many steps is reported as a violated assertion of the claim.
    """
    choosing = [f"-DLTL_{name.replace('-', '_')}"]
    output, _ = _verify(text, folder, choosing=choosing, running=["-a"])
    assert re.search(r"never claim\s+\+ \(\w+\)", output), output
    return _count(output, r"errors: (\d+)") == 0


def _verify(
    text: str,
    folder: Path,
    *,
    choosing: Sequence[str] = (),
    compiling: Sequence[str] = (),
    running: Sequence[str] = (),
) -> tuple[str, float]:
    """What the verifier says, and how long it searched."""
    (folder / "model.pml").write_text(text)
    _run(folder, "spin", "-o2", *choosing, "-a", "model.pml")
    _run(folder, "gcc", "-O0", "-w", "-DNOREDUCE", *compiling, "-o", "pan", "pan.c")
    start = time.perf_counter()
    output = _run(folder, "./pan", "-m1000000", *running)
    seconds = time.perf_counter() - start
    assert "max search depth too small" not in output, output
    return output, seconds


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _count(output: str, pattern: str) -> int:
    found = re.search(pattern, output)
    assert found, f"no {pattern!r} in\n{output}"
    return int(found[1])
