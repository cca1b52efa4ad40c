"""What a check is: a guarantee, a function that finds its violations, and one that says what it judged.

Both are functions of the facts to a DataFrame: no session, no reading or writing, no collect, no Python
function inside. Which runs a check is asked about is decided before, from their profiles.

Findings are never taken back. `found_at` is the time of the history at which a violation can be known, and
an audit of the events up to a time finds just those violations of the whole history that have a `found_at`
up to then. That is why the same checks serve a history that has ended and one that is being written. Only
`no-loss` waits for the end: a message may always still come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from angarium.history.checks.facts import Facts
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Looks(Enum):
    """Which events a check must see, beside those that are of no message."""

    EVENTS = "all"
    MESSAGES = "those of messages that are not plain"
    SEQUENCES = "the same, and those of sequences that seem out of order"
    HOLDERS = "the same, and those of holders that seem to have too much in flight"


@dataclass(frozen=True)
class Check:
    """A check of one guarantee."""

    guarantee: str
    lacks: Callable[[Profile, Parameters], str | None]
    """Why a run cannot be judged at all; None if it can."""
    violations: Callable[[Facts], DataFrame]
    """The columns of `tables.VIOLATIONS`."""
    judged: Callable[[Facts], DataFrame]
    """run_id, judged, unjudged, reason: how much of each run was judged, and why not the rest."""
    looks: Looks = Looks.EVENTS
