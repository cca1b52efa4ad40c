"""SPIN, on the exported model."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from angarium.checker.explore.interpret import initial_states
from angarium.checker.export.promela import promela
from angarium.checker.ir.transition import TransitionSystem
from benchmarks.common.measure import of_command

INSTALL = "apt-get install spin gcc"


@dataclass(frozen=True, slots=True)
class Spin:
    """SPIN's verifier for one model, compiled."""

    folder: Path
    states: int

    @staticmethod
    def present() -> bool:
        return shutil.which("spin") is not None and shutil.which("gcc") is not None

    @classmethod
    def prepare(cls, system: TransitionSystem, folder: Path) -> Spin:
        """Export, generate, compile with `gcc -O2 -DSAFETY -DNOREDUCE`, and run once for the count."""
        (folder / "model.pml").write_text(promela(system, initial_states(system)))
        for command in (
            ["spin", "-o2", "-a", "model.pml"],
            ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"],
        ):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        done = subprocess.run(cls._command(folder), check=True, capture_output=True, text=True)
        found = re.search(r"(\d+) states, stored", done.stdout)
        assert found and "errors: 0" in done.stdout, done.stdout
        return cls(folder, int(found[1]))

    @staticmethod
    def _command(folder: Path) -> list[str]:
        # -w24: a hash table that fits the model from the start, SPIN's best case.
        return [str(folder / "pan"), "-m10000000", "-w24", "-c0"]

    def states_per_cpu_second(self) -> float:
        return self.states / of_command(self._command(self.folder)).cpu
