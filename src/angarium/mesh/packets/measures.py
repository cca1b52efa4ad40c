"""What a simulation shows: how fast a scheme notices, switches, delivers again, and uses what has healed.

Each happening has a time of its own, until the next one or the end. Within it is counted

    noticed   when the first broker noticed it by itself
    settled   when the last broker switched its table
    again     when packets came through again for good: of those that were sent after the last one that got
              lost, the first arrives then. What a full queue drops does not count: that is load, not failure.
    used      when the first packet was sent over what has healed

all from the happening on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Run
from angarium.mesh.packets.happenings import Happening

BY_FAILURE = (core.ON_THE_WAY, core.AT_DEAD_LINK, core.NO_WAY, core.TOO_FAR, core.IN_DEAD_BROKER)
"""The causes of loss that a scheme is to blame for."""


@dataclass(frozen=True, slots=True)
class Response:
    """How a scheme answers a happening; times in nanoseconds from it on, None if that did not happen."""

    happening: Happening
    noticed: int | None
    settled: int | None
    lost: int
    """Packets that failures and tables lost meanwhile."""
    again: int | None
    """0 if nothing got lost."""
    used: int | None


def responses(run: Run) -> Iterator[Response]:
    """What came of every happening that the simulation came to."""
    happenings = run.experiment.happenings
    for number, each in enumerate(happenings):
        if each.time >= run.until:
            return
        end = min([run.until, *(other.time for other in happenings if other.time > each.time)])
        used = run.used[number]
        yield Response(
            each,
            _since(run.timeline.noticed(each.time, end), each.time),
            _since(run.timeline.settled(each.time, end), each.time),
            *_interruption(run, each.time, end),
            _since(used, each.time),
        )


def _since(time: int | None, start: int) -> int | None:
    return None if time is None else time - start


def _interruption(run: Run, start: int, end: int) -> tuple[int, int | None]:
    """How many packets got lost within some time, and how long it took until none did any more."""
    lost = np.isin(run.fate, BY_FAILURE) & (run.done >= start) & (run.done < end)
    ended = [_came_through(run, flow, lost) for flow in np.unique(run.flow[lost]).tolist()]
    times = [time for time in ended if time is not None and time < end]
    if len(times) < len(ended):
        return int(lost.sum()), None
    return int(lost.sum()), max((time - start for time in times), default=0)


def _came_through(run: Run, flow: int, lost: NDArray[np.bool_]) -> int | None:
    """When the first packet of a flow arrived that was sent after the last lost one."""
    own = run.flow == flow
    last = int(np.flatnonzero(lost & own)[-1])
    after = np.flatnonzero(own[last:] & run.arrived[last:])
    return int(run.done[last + after[0]]) if len(after) else None
