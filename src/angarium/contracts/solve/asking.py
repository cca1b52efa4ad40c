"""Asking Z3 one question, within limits.

Two limits hold. The effort is counted in Z3's own steps, so that the same question gets the same answer on a
slow machine; the deadline is the user's. Z3 would catch Ctrl-C while it works, and forget it if it had just
found the answer. So it is asked by a thread, which hears no signals, and told to stop when one is heard.
"""

from __future__ import annotations

import time
from enum import Enum

import z3

from angarium.core.control import aside

SEED = 1
UNLIMITED = 0
"""Effort for a question that is as good as answered."""
_LONGEST = 2**31
"""Milliseconds: Z3 counts them in 32 bits."""
_LATE = 20
"""Milliseconds behind the deadline at which Z3 is stopped, so that there is no doubt what stopped it."""


class Answer(Enum):
    """Whether all that was claimed can be true at once."""

    POSSIBLE = z3.sat.r
    IMPOSSIBLE = z3.unsat.r
    UNDECIDED = z3.unknown.r


def ask(solver: z3.Solver, effort: int, deadline: float | None) -> Answer:
    """Whether the solver's claims can be true; raises TimeoutError at the deadline, which is monotonic."""
    solver.set("rlimit", effort)
    solver.set("timeout", _milliseconds_until(deadline))
    solver.set("ctrl_c", False)
    found = aside(solver.check, solver.interrupt)
    if found == z3.unknown:
        _milliseconds_until(deadline)
    return Answer(found.r)


def _milliseconds_until(deadline: float | None) -> int:
    if deadline is None:
        return _LONGEST
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(_LONGEST, int(left * 1000) + _LATE)
