"""What goes wrong in a mesh, as marks for a drawing."""

from __future__ import annotations

from angarium.mesh.draw.drawing import Mark
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.verify.findings import Finding
from angarium.mesh.verify.verify import found_under

MOST = 6
"""More marked ways than this only confuse."""
_KINDS = {"loop-free": "loop", "no-duplicates": "doubled", "reachability": "lost", "latency": "way"}


def marks(mesh: Mesh, failures: Failures) -> tuple[Mark, ...]:
    """The ways on which something goes wrong while something is dead, one of each kind first."""
    findings = [each for each in found_under(mesh, failures) if each.guarantee in _KINDS]
    turns: dict[str, int] = {}
    ranked = sorted(findings, key=lambda each: _turn(turns, each.guarantee))
    return tuple(_mark(each) for each in ranked[:MOST])


def _turn(turns: dict[str, int], guarantee: str) -> int:
    turns[guarantee] = turns.get(guarantee, 0) + 1
    return turns[guarantee]


def _mark(finding: Finding) -> Mark:
    way = finding.round or finding.way
    at = finding.need.origin if finding.need and not way else ""
    return Mark(_KINDS[finding.guarantee], way, finding.what, at)
