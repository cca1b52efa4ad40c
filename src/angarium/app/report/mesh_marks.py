"""What goes wrong in a mesh, as marks for a drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from angarium.mesh.draw.drawing import Mark
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.verify.verify import found_under
from angarium.mesh.verify.violations import Violation

MOST = 6
"""More marked paths than this only confuse."""
_KINDS = {"loop-free": "loop", "no-duplicates": "doubled", "reachability": "lost", "latency": "path"}


def marks(mesh: Mesh, failures: Failures) -> tuple[Mark, ...]:
    """The paths on which something goes wrong while something is dead, one of each kind first."""
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, Mark]] = []
    for mark in dict.fromkeys(_different(found_under(mesh, failures))):
        turns[mark.kind] += 1
        ranked.append((turns[mark.kind], mark))
    return tuple(mark for _, mark in sorted(ranked, key=lambda each: each[0])[:MOST])


def _different(violations: Iterable[Violation]) -> Iterator[Mark]:
    """A mark for each finding that shows something new: a loss by going round is shown as the round."""
    shown: set[tuple[str, frozenset[str]]] = set()
    for violation in violations:
        kind = _KINDS.get(violation.guarantee)
        about = kind or "", frozenset(violation.round or violation.path)
        if kind and about not in shown and not (kind == "lost" and violation.round):
            shown.add(about)
            at = violation.need.origin if violation.need and not (violation.path or violation.round) else ""
            yield Mark(kind, violation.path + violation.round, violation.what, at)
