"""What may be dead, told or recorded."""

from __future__ import annotations

from collections.abc import Sequence

from angarium.app.report.mesh_open import remark_records
from angarium.app.report.record import Record, envelope
from angarium.core.records import write
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.results import dead_of

Pairs = Sequence[tuple[str, str]]


def render(mesh: Mesh, found: Sequence[Failures]) -> str:
    """Every smallest explanation."""
    if not found:
        return f"{mesh.name}: no failure of links or brokers explains all of this."
    if len(found) == 1:
        return f"{mesh.name}: dead is {found[0]}."
    lines = [f"{mesh.name}: these explain it equally well, and cannot be told apart by it:"]
    return "\n".join([*lines, *(f"  {each}" for each in found)])


def location_record(mesh: Mesh, failing: Pairs, working: Pairs, found: Sequence[Failures]) -> Record:
    """The record of `angarium mesh locate`."""
    more: Record = {
        "fails": [list(pair) for pair in failing],
        "works": [list(pair) for pair in working],
        "explanations": [write(dead_of(each)) for each in found],
        "remarks": remark_records(mesh),
    }
    return envelope("mesh locate", mesh.name, {}, more)
