"""Which meshes are meant: a file is one, a folder of graphs or mesh files is many."""

from __future__ import annotations

from pathlib import Path

from angarium.mesh.files.find import MOST_FILES, load
from angarium.mesh.mesh import Mesh

WHOLE_MESHES = (".gml", ".yaml", ".yml")
"""Files that are a mesh each; other files of a folder are brokers' configuration, and one mesh together."""


def meshes_at(path: str) -> list[Mesh]:
    """The meshes of a file or a folder."""
    folder = Path(path)
    inside = sorted(folder.iterdir())[:MOST_FILES] if folder.is_dir() else []
    found = [each for each in inside if each.suffix.lower() in WHOLE_MESHES and not each.name.startswith(".")]
    return [load(str(each)) for each in found] or [load(path)]
