"""What may be dead, told or recorded."""

from __future__ import annotations

from collections.abc import Sequence

from angarium.mesh.mesh import Failures, Mesh


def render(mesh: Mesh, found: Sequence[Failures]) -> str:
    """Every smallest explanation."""
    if not found:
        return f"{mesh.name}: no failure of links or brokers explains all of this."
    if len(found) == 1:
        return f"{mesh.name}: dead is {found[0]}."
    lines = [f"{mesh.name}: these explain it equally well, and cannot be told apart by it:"]
    return "\n".join([*lines, *(f"  {each}" for each in found)])
