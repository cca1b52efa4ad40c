"""A fingerprint of what recovery tables are made from.

Tables of several brokers work together only if they were made from the same: the same brokers in the same
order (it settles ties), the same links at the same costs, the same failures under the same colours, and the
same overrides. The fingerprint is the SHA-256 of just that, as JSON in one line. What does not change tables
is left out: the order of links, latencies, filters, topics and clients, and the name of the mesh.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.colours import Colours

if TYPE_CHECKING:
    from angarium.mesh.recovery.overrides import Override


def fingerprint(mesh: Mesh, colours: Colours, overrides: Sequence[Override] = ()) -> str:
    """Sixty-four hexadecimal digits."""
    links = [
        (each.source, each.target, each.fails_as, each.cost)
        for each in mesh.links
        if each.source != each.target
    ]
    said = {
        "brokers": [broker.name for broker in mesh.brokers],
        "links": sorted(links),
        "colours": [_dead(failures) for failures in colours.failures],
        "overrides": [(each.broker, each.destination, each.next, each.colour) for each in overrides],
    }
    line = json.dumps(said, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(line.encode("ascii")).hexdigest()


def _dead(failures: Failures) -> list[list[str]]:
    return [sorted(failures.brokers), sorted(failures.cables)]
