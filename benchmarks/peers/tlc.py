"""TLC, simulating the published specification that `rabbitmq-sac` is a model of.

The specification is no part of this project; it is looked for beside it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.measure import of_command
from tests.needs import NEEDS
from tests.tlc import tlc

SPECIFICATION = Path(__file__).parents[3] / "shared" / "papers" / "target_spec.tla"
INSTALL = "uv sync; put the specification at ../shared/papers/target_spec.tla"


@dataclass(frozen=True, slots=True)
class Tlc:
    """TLC on the published specification."""

    folder: Path
    behaviours: int

    @staticmethod
    def present() -> bool:
        return NEEDS["tlc"].installed and SPECIFICATION.exists()

    @classmethod
    def prepare(cls, folder: Path, mode: str, queues: int, behaviours: int) -> Tlc:
        """Put the specification into a folder, with so many queues and as many apps."""
        shutil.copy(SPECIFICATION, folder / "target_spec.tla")
        names, apps = (", ".join(f"{letter}{n}" for n in range(1, queues + 1)) for letter in "qa")
        lines = [
            f"SPECIFICATION {mode.capitalize()}Spec",
            f"CONSTANTS Q = {{{names}}} A = {{{apps}}} RESTART_LIMIT = 0",
            "INVARIANT TypeOK",
        ]
        (folder / "target_spec.cfg").write_text("\n".join(lines))
        return cls(folder, behaviours)

    def behaviours_per_cpu_second(self) -> float:
        command = [*tlc(), "-deadlock", "-depth", "2000"]
        command += ["-simulate", f"num={self.behaviours}", "-metadir", str(self.folder / "states")]
        return self.behaviours / of_command([*command, str(self.folder / "target_spec")]).cpu
