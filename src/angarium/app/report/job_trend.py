"""How a claim fared in the runs of a project file: a verdict and a number of states for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One run."""

    run_id: str
    verdict: str
    states: int | None
    """None if the claim is not about states."""
    about: str = ""
    """What was asked: a claim may keep its name and ask for less."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The runs of a claim, the oldest first."""

    claim: str
    runs: Sequence[TrendPoint]
