"""How much a subject is to be driven."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Sequences of calls: how many, how long at most, and which; the same seed gives the same ones."""

    examples: int = 100
    steps: int = 50
    seed: int = 1
