"""What would have saved it: other values of parameters under which a violated guarantee holds.

    It would hold with: queue=disk; or nsqd_crash=0.

Each was checked like the scenario itself, with everything else as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from angarium.core.result import Parameters, assigned


def render(remedies: Sequence[Parameters]) -> str:
    """One sentence; empty if nothing is known to help."""
    ways = [" and ".join(assigned(each)) for each in remedies]
    return f"It would hold with: {'; or '.join(ways)}." if ways else ""
