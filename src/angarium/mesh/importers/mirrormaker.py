"""MirrorMaker 2: from its files of properties, as Strimzi runs it, from YAML, and as connectors, from JSON.

Files of all kinds make one mesh together: their clusters are joined by their aliases. What flows do is told
in `mirrormaker_flows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.importers import common, mirrormaker_connect, mirrormaker_properties, strimzi
from angarium.mesh.importers.mirrormaker_flows import Said, mesh_of
from angarium.mesh.mesh import Mesh

NAME = "mirrormaker"
YAML, JSON = (".yaml", ".yml"), (".json",)


def recognises(path: Path, text: str) -> bool:
    """Whether a text is one for MirrorMaker 2."""
    return (
        mirrormaker_properties.recognises(path, text)
        or strimzi.recognises(path, text)
        or mirrormaker_connect.recognises(text)
    )


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the flows of all files."""
    if hand.names or hand.hosts:
        raise MeshError(
            "ANG127",
            "--broker and --host do nothing here: MirrorMaker's files name the clusters themselves",
            remedy="change their aliases, or their bootstrap servers",
        )
    said = Said()
    for path in paths:
        _take(path, said)
    return mesh_of(NAME, said)


def _take(path: Path, said: Said) -> None:
    text = common.text_of(path)
    if path.suffix in YAML or strimzi.recognises(path, text):
        strimzi.take(path, said)
    elif path.suffix in JSON or mirrormaker_connect.recognises(text):
        mirrormaker_connect.take(path, said)
    else:
        mirrormaker_properties.take(path, said)
