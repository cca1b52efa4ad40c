"""How a history is followed: what an audit of a finished history does not need to know."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.history.parameters import SECOND, Parameters

END = "_END"
"""The name of an empty file that says: nothing more will come into this folder."""


@dataclass(frozen=True, slots=True)
class Live:
    """How a folder is followed; `lateness` and `remember` in nanoseconds, the rest in seconds."""

    lateness: int = 60 * SECOND
    """An event may come this much later than others of its time: longer than recorders keep a file open."""
    remember: int = 300 * SECOND
    """Messages are looked at in memory for this time after they were settled; later, they are looked up."""
    every: float = 1.0
    """The time between the beginnings of two batches, if there is something new."""
    files_per_batch: int | None = None
    """The most files of a batch. None: all that are there, so that files of one time are not torn apart."""
    until_idle: float | None = None
    """The stream has ended if nothing new came for this time. None: when the file `_END` is there."""
    port: int | None = None
    """Where the metrics are served on this machine, at /metrics; 0: some free port."""

    def memory(self, parameters: Parameters) -> int:
        """How far back from the watermark everything is kept: no check looks back further than this."""
        longest = parameters.redelivery_within + parameters.balance_within + parameters.ack_doubt
        return max(self.remember, longest + 2 * (parameters.clock_skew + parameters.grace))


class StoppedError(Exception):
    """Somebody has asked the process to end while it read."""
