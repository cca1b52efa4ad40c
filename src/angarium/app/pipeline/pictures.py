"""Pictures of meshes for a claim: the mesh as it is, and with the failure that does the most harm."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.app.pipeline.claims import MESHES, Claim, given_of
from angarium.core.errors import AngariumError

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given

MOST_BROKERS = 60
"""A drawing of more is a ball of wool."""
HEALTHY = "the mesh"


def pictures_of(claim: Claim, folder: Path, record: Mapping[str, Any]) -> dict[str, str]:
    """SVG by title; none for claims that are not about meshes, or about very large ones."""
    if claim.kind not in MESHES or record.get("brokers", 0) > MOST_BROKERS:
        return {}
    files = [str(folder / each) for each in claim.about]
    given = given_of(claim)
    return {**_drawn(files, given, []), **_drawn(files, given, _worst(record))}


def _worst(record: Mapping[str, Any]) -> list[str]:
    """What is dead in the first finding of a violated guarantee."""
    for verdict in record["verdicts"]:
        for finding in verdict.get("findings", ()) if verdict["verdict"] == "violated" else ():
            dead = finding.get("dead") or {}
            if names := [*dead.get("brokers", ()), *dead.get("links", ())]:
                return names
    return []


def _drawn(files: list[str], given: Given, dead: list[str]) -> dict[str, str]:
    """The picture of a mesh; none of one that cannot be drawn: it has its verdict all the same."""
    from angarium.app.report.mesh_marks import marks
    from angarium.mesh.draw import Drawing, svg
    from angarium.mesh.files.find import load
    from angarium.mesh.verify.budget import failed

    try:
        mesh = load(*files, given=given)
        if not dead:
            return {HEALTHY: svg(Drawing(mesh))}
        failures, title = failed(mesh, tuple(dead)), f"without {', '.join(dead)}"
        return {title: svg(Drawing(mesh, failures, marks(mesh, failures), title))}
    except AngariumError:
        return {}
