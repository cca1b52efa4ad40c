"""What a simulation is asked: how many walks, how long, and who chooses the next step.

The *schedule* is how one of the steps that are possible in a state is chosen, and every figure depends on it,
so it has a name and is shown with the figures. Walk number n of a seed is the same walk on any number of
threads or machines: its random numbers depend on the seed and on n alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from angarium.core.records import key

SCHEDULES = {
    "by-action": "one of the actions that are possible, each as likely, then one of its instances",
    "uniform": "one of the instances of all actions that are possible, each as likely",
    "rates": "one of the instances, as likely as its rate is great; time passes in between",
}
"""Each schedule and how it chooses the next step."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Some walks of one system."""

    runs: int = 10_000
    steps: int = field(default=10_000, metadata=key("steps_limit"))
    """A walk that has taken so many steps ends there."""
    seed: int = 1
    schedule: str = "by-action"
