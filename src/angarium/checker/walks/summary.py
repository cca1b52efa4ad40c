"""From walks to the answer of a simulation: statistics, and verdicts with their stories.

A walk that met something is made again, from its number. Its states come from the same kernel, one after the
other, and its choices from the same random numbers (`reference`). A story gives the run up to the state that
hits the guarantee, like any other story: not a shortest run, but the shortest of all walks that were made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from angarium.checker.backend.kernel import compile_system
from angarium.checker.explore.interpret import Failure, expand, hits, initial_states, judge
from angarium.checker.explore.stories import tell, tell_run
from angarium.checker.ir.formula import fairness_text
from angarium.checker.ir.transition import STAYS_IN_RANGE, Cells, TransitionSystem, Walks
from angarium.checker.logic.check import STAYS_IN_RANGE_DESCRIPTION
from angarium.checker.walks.figures import Hit, Walked
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.questions import Questions
from angarium.checker.walks.reference import Clock, Stream, choose
from angarium.checker.walks.results import End, Ends, Simulation, Walking
from angarium.checker.walks.statistics import statistics
from angarium.core.result import CheckVerdict, Story, Verdict


@dataclass(frozen=True, slots=True)
class Remade:
    """The first steps of a walk: all states, and the position of each step among those that were possible."""

    states: list[Cells]
    choices: list[int]


def story(system: TransitionSystem, plan: Plan, guarantee: str, hit: Hit, *, subject: str) -> Story:
    """How a walk came to hit a guarantee."""
    questions = Questions(system, plan.schedule)
    run = remake(questions, plan, hit)
    if guarantee in hits(system, run.states[-1]):
        return tell(system, run.states, guarantee, subject=subject)
    summary = _failing_question(questions, run.states[-1])
    return tell_run(system, run.states[0], run.choices, None, guarantee, summary, subject)


def remake(questions: Questions, plan: Plan, hit: Hit) -> Remade:
    """The walk of a hit, up to the state that hits."""
    kernel = compile_system(questions.labelled_system, apart=questions.apart)
    stream, clock, told = Stream(plan.seed, hit.walk), Clock(), (0,) * questions.apart
    initial = initial_states(questions.system)
    begin = initial[stream.below(len(initial)) if len(initial) > 1 else 0]
    words, choices = [kernel.layout.pack_all([(*begin, *told)])], []
    for _ in range(hit.steps):
        possible = kernel.successors(words[-1]).successors
        steps = possible[:, -questions.apart :].astype(np.int64)
        actions = questions.actions[steps[:, 0]].tolist()
        chosen = choose(stream, clock, plan.schedule, actions, steps[:, -1].tolist())
        assert chosen is not None, "a walk that is made again takes the same steps"
        choices.append(chosen)
        words.append(possible[chosen : chosen + 1])
    cells = kernel.layout.unpack_all(np.concatenate(words))[:, : -questions.apart]
    return Remade([tuple(map(int, state)) for state in cells], choices)


def _failing_question(questions: Questions, cells: Cells) -> str:
    """What the walks ask that cannot be answered in a state: the goal, a condition, or the rate of a step."""
    told = (*cells, *(0,) * questions.apart)
    expansion = expand(questions.labelled_system, told)
    judged = judge(questions.labelled_system, told, at_rest=expansion.at_rest)
    failure: Failure = (*expansion.failures, *judged.failures)[0]
    if failure in expansion.failures:
        return f"the rate of {failure.name} fails: {failure.message}"
    return f"what the walks look for cannot be evaluated here: {failure.message}"


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
        goal=walks.goal_description or walks.goal_name or None,
        extent=_extent(walked, effort),
        statistics=figures,
        verdicts=tuple(_verdicts(system, plan, walked, subject)),
        unseen=tuple(each.name for each in walks.observations if each.name not in seen),
    )


def _extent(walked: Walked, effort: Effort) -> Walking:
    sample = walked.sample
    return Walking(
        complete=walked.cut is None,
        cut=walked.cut,
        seconds=effort.seconds,
        cpu_seconds=effort.cpu_seconds,
        walks=len(sample.ends),
        steps=int(sample.steps.sum()),
        ends=Ends(*(int(np.count_nonzero(sample.ends == end)) for end in End)),
    )


def _verdicts(system: TransitionSystem, plan: Plan, walked: Walked, subject: str) -> Iterator[CheckVerdict]:
    """What was hit is decided; walks prove nothing else."""
    named = [(STAYS_IN_RANGE, "range", STAYS_IN_RANGE_DESCRIPTION)]
    named += [(each.name, each.kind, each.description) for each in system.guarantees]
    for name, kind, description in named:
        hit = walked.hits.get(name)
        if hit is None:
            yield CheckVerdict(guarantee=name, kind=kind, verdict=Verdict.UNKNOWN, description=description)
            continue
        verdict = Verdict.HOLDS if kind == "reaches" else Verdict.VIOLATED
        told = story(system, plan, name, hit, subject=subject)
        yield CheckVerdict(guarantee=name, kind=kind, verdict=verdict, description=description, story=told)
    for each in system.temporal:
        fairness = fairness_text(each.fairness)
        yield CheckVerdict(
            guarantee=each.name,
            kind=each.logic,
            verdict=Verdict.UNKNOWN,
            description=each.description,
            fairness=fairness,
        )
