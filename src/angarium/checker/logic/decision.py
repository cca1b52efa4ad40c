"""What an analysis of the explored graph answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """A run through a graph, as an address tells it."""

    start: int
    """The number of an initial state."""
    choices: tuple[int, ...]
    """Which of its state's steps is taken each time, counted from 0."""
    cycle: int | None = None
    """How many steps come before those that are repeated for ever; None for a run that is told up to its end.
    If it is all of them, the run stands still in its last state for ever."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a guarantee is kept, with the run that shows it."""

    holds: bool
    run: Run | None = None
    """A run that breaks the guarantee, or one that shows it (a CTL formula that says there is a run)."""
    summary: str = ""
    """One sentence on what the run shows."""
    vacuous: str | None = None
    """Why nothing was claimed, although it holds: `nothing is ever published`."""
