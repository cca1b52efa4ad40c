"""MirrorMaker 2: from its own files of properties, and as Strimzi runs it, from YAML.

Files of both kinds make one mesh together: their clusters are joined by their aliases. What flows do is told
in `mirrormaker_flows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from angarium.mesh.importers import mirrormaker_properties, strimzi
from angarium.mesh.importers.mirrormaker_flows import Said, mesh_of
from angarium.mesh.mesh import Mesh

NAME = "mirrormaker"
YAML = (".yaml", ".yml")


def recognises(path: Path, head: str) -> bool:
    """Whether a file looks like one for MirrorMaker 2."""
    return mirrormaker_properties.recognises(path, head) or strimzi.recognises(path, head)


def read(paths: Sequence[Path]) -> Mesh:
    """The mesh of the flows of all files."""
    said = Said()
    for path in paths:
        (strimzi if path.suffix in YAML else mirrormaker_properties).take(path, said)
    return mesh_of(NAME, said)
