"""From walks to the answer of a simulation: statistics, and verdicts with their stories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from angarium.checker.ir.formula import fairness_text
from angarium.checker.ir.transition import STAYS_IN_RANGE, TransitionSystem, Walks
from angarium.checker.logic.check import STAYS_IN_RANGE_DESCRIPTION
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import End, Simulation
from angarium.checker.walks.statistics import statistics
from angarium.checker.walks.stories import story
from angarium.checker.walks.walked import Walked
from angarium.core.result import CheckVerdict, Verdict


@dataclass(frozen=True, slots=True)
class Effort:
    """Who made the walks, and what it took."""

    engine: str
    threads: int
    seconds: float
    cpu_seconds: float


def summarise(
    system: TransitionSystem, plan: Plan, walked: Walked, effort: Effort, *, subject: str
) -> Simulation:
    """What some walks show."""
    walks, sample = system.walks or Walks(), walked.sample
    figures = tuple(statistics(walks, sample))
    seen = {each.observation for each in figures}
    return Simulation(
        subject=subject,
        parameters=dict(system.parameters),
        model_hash=system.hash,
        engine=effort.engine,
        threads=effort.threads,
        plan=plan,
        goal=walks.goal_description or walks.goal_name,
        walks=len(sample.ends),
        ends={end: int(np.count_nonzero(sample.ends == end)) for end in End},
        steps=int(sample.steps.sum()),
        seconds=effort.seconds,
        cpu_seconds=effort.cpu_seconds,
        statistics=figures,
        verdicts=tuple(_verdicts(system, plan, walked, subject)),
        cut=walked.cut,
        unseen=tuple(each.name for each in walks.observations if each.name not in seen),
    )


def _verdicts(system: TransitionSystem, plan: Plan, walked: Walked, subject: str) -> Iterator[CheckVerdict]:
    """What was hit is decided; walks prove nothing else."""
    named = [(STAYS_IN_RANGE, "range", STAYS_IN_RANGE_DESCRIPTION)]
    named += [(each.name, each.kind, each.description) for each in system.guarantees]
    for name, kind, description in named:
        hit = walked.hits.get(name)
        if hit is None:
            yield CheckVerdict(name, kind, Verdict.UNKNOWN, description)
            continue
        verdict = Verdict.HOLDS if kind == "reaches" else Verdict.VIOLATED
        told = story(system, plan, name, hit, subject=subject)
        yield CheckVerdict(name, kind, verdict, description, story=told)
    for each in system.temporal:
        fairness = fairness_text(each.fairness)
        yield CheckVerdict(each.name, each.logic, Verdict.UNKNOWN, each.description, fairness)
