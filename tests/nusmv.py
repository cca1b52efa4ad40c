"""Run NuSMV on an SMV module, where it is installed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.needs import needs

needs_nusmv = needs("nusmv")


def run_nusmv(text: str, folder: Path) -> list[bool]:
    """Whether each LTLSPEC and CTLSPEC is true; NuSMV takes those of CTL first."""
    (folder / "model.smv").write_text(text)
    command = ["NuSMV", "-dcx", "model.smv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return [
        word == "true" for word in re.findall(r"^-- specification .* is (true|false)$", done.stdout, re.M)
    ]
