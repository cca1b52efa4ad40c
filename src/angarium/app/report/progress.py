"""A running search in one line, with an estimate of what is left.

The line knows nothing of smaller scenarios: its estimate follows the levels to their end, as
`explore.estimate` does once they have all but stopped growing. Before that there is none: on the bundled
systems it would have been wrong by a factor of five. From there on, with about half of the states known, it
was within a third of the truth, and soon within a tenth.
"""

from __future__ import annotations

from angarium.app.report.layout import duration, memory, rounded
from angarium.checker.explore.engine import Progress
from angarium.checker.explore.estimate import levels_left


def line(progress: Progress) -> str:
    """Where the search is; what matters most comes first, as a narrow terminal shows only the beginning."""
    if progress.doing:
        return f"{progress.doing} ({duration(progress.seconds)})"
    if progress.judging:
        return f"judging {progress.judging} on {rounded(progress.states)} states"
    speed = progress.states / max(progress.seconds, 1e-9)
    left = states_left(progress)
    estimate = [] if left is None else [f"~{rounded(left)} left ({duration(left / max(speed, 1.0))})"]
    parts = [
        f"{rounded(progress.states)} states",
        *estimate,
        f"{rounded(speed)}/s",
        f"depth {progress.depth}",
        f"frontier {rounded(progress.frontier)}",
        memory(progress.bytes),
    ]
    return ", ".join(parts)


def states_left(progress: Progress) -> int | None:
    """How many states are still to be found, if that can be guessed."""
    following = levels_left(progress.levels)
    if following is None:
        return None
    return max(0, round(sum(progress.levels) + sum(following)) - progress.states)
