"""The pictures of the documents, drawn by the commands that the documents show.

`python -m scripts.docs` writes those that are not as they would be drawn now; a test says if one is not.
"""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

from click.testing import CliRunner

from angarium.app.cli import main

PICTURES = {
    "releases.svg": "simulate rabbitmq-sac --set queues=10 --set apps=10 --runs 2000 --compare rule=nearest",
    "map.svg": "simulate rabbitmq-sac --runs 500 --sweep queues=2..8 --sweep apps=2..8 --engine local",
    "packet-latency.svg": "mesh simulate examples/meshes/thesis-simulation.yaml --from 1 --to 3"
    " --cut 2-3@50s --heal 2-3@100s --heartbeat 1s",
    "latency-chances.svg": "mesh latency examples/meshes/latency-bounds.yaml --runs 200000",
    "heartbeats.svg": "mesh heartbeats --load 0.9 --interval 5ms --interval 20ms --interval 100ms"
    " --interval 500ms --duration 30min",
}
"""Each picture and what `angarium` is asked for it."""


def drawn(name: str) -> str:
    """A picture as it is drawn now."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        words = [*shlex.split(PICTURES[name]), "--quiet", "--plot", str(file)]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
        return file.read_text(encoding="utf-8")


def stale(folder: Path) -> dict[Path, str]:
    """The pictures in a folder that are not as they would be drawn now, and how they would be."""
    now = {folder / name: drawn(name) for name in PICTURES}
    return {file: text for file, text in now.items() if not _is(file, text)}


def _is(file: Path, text: str) -> bool:
    return file.exists() and file.read_text(encoding="utf-8") == text
