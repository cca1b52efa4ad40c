"""The audit in plain Python: events in any order go in, violations and what was judged come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from angarium.history.parameters import Parameters
from angarium.history.results import Violation
from angarium.history.schema import BROKER
from tests.oracles.history import active, arrival, cluster, duplicates, flow, offsets, order, retries
from tests.oracles.history.events import runs
from tests.oracles.history.life import Life
from tests.oracles.history.outcome import Outcome

Row = Mapping[str, Any]

RULES: dict[str, Callable[[Life], Outcome]] = {
    "no-loss": arrival.no_loss,
    "no-phantom": arrival.no_phantom,
    "no-duplicates": duplicates.no_duplicates,
    "duplicates-after-ack": duplicates.duplicates_after_ack,
    "order": order.order,
    "consistent-offsets": offsets.consistent_offsets,
    "one-active-consumer": active.one_active_consumer,
    "ownership": active.ownership,
    "flow-control": flow.flow_control,
    "bounded-retries": retries.bounded_retries,
    "redelivery-time": retries.redelivery_time,
    "balance": cluster.balance,
    "acks-all": cluster.acks_all,
    "complete-log": cluster.complete_log,
}
"""The rule of every guarantee that has a verdict."""

DEFAULTS = Parameters()


def lives(rows: Iterable[Row], parameters: Parameters = DEFAULTS) -> dict[str, Life]:
    """What happened in each run."""
    found = runs(rows)
    return {
        run_id: Life(run_id, events, parameters, found.get(_other_side(run_id), ()))
        for run_id, events in found.items()
    }


def _other_side(run_id: str) -> str:
    """The run as the other side saw it: a broker, or its clients."""
    return run_id.removesuffix(BROKER) if run_id.endswith(BROKER) else run_id + BROKER


def outcomes(rows: Iterable[Row], parameters: Parameters = DEFAULTS) -> dict[tuple[str, str], Outcome]:
    """The outcome of each rule in each run, by run and guarantee."""
    return {
        (run_id, name): rule(life)
        for run_id, life in lives(rows, parameters).items()
        for name, rule in RULES.items()
    }


def audit(rows: Iterable[Row], parameters: Parameters = DEFAULTS) -> list[Violation]:
    """All violations."""
    return [each for outcome in outcomes(rows, parameters).values() for each in outcome.violations]
