"""A check: search once, and give every guarantee its verdict.

A guarantee that was hit is decided: violated, with the story of the shortest run (for `reaches`, it
holds, and the story is its witness). One that was not hit is decided only by a complete search. The
guarantee `stays-in-range` is part of every check, whichever others are asked for: a step out of
range leads nowhere, so where it is violated the others are `unknown` unless they were hit. Guarantees
over time are judged on the graph of the same search (`over_time`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from angarium.checker.explore.engine import Engine, Observer, Outcome, Progress
from angarium.checker.explore.never import never_happened
from angarium.checker.explore.stories import tell
from angarium.checker.ir.formula import Question, question_names
from angarium.checker.ir.transition import STAYS_IN_RANGE, Guarantee, TransitionSystem
from angarium.checker.language.declarations import GUARANTEES, ModelDecl
from angarium.checker.logic.over_time import Ground, InMemory, OnDisk, decide_all, refuse_symmetry, request
from angarium.core.control import Cut, Limits, cut_of, grant
from angarium.core.errors import UsageError, did_you_mean
from angarium.core.result import CheckVerdict, Coverage, Parameters, Report, Story, Verdict, typed

STAYS_IN_RANGE_DESCRIPTION = "every value, index and divisor is one that it can be"
SECONDS_FOR_STORIES = 5.0
"""Behind a time limit: what was found is of no use to those who are not told."""
_NO_LIMITS = Limits()


def check(
    system: TransitionSystem,
    *,
    engine: Engine,
    subject: str,
    limits: Limits = _NO_LIMITS,
    threads: int = 1,
    symmetry: bool = False,
    only: Collection[str] | None = None,
    observe: Observer | None = None,
    stories: bool = True,
) -> Report:
    """Explore a system and judge its guarantees, or only some of them; without stories only verdicts."""
    _refuse_unknown(system, only)
    wanted = [each for each in system.guarantees if only is None or each.name in only]
    temporal = [each for each in system.temporal if only is None or each.name in only]
    if symmetry:
        refuse_symmetry(system, temporal)
    asked, clock = request(system, temporal), _clock()
    outcome = engine.search(
        replace(system, guarantees=tuple(wanted)),
        limits=limits,
        threads=threads,
        symmetry=symmetry,
        observe=observe,
        graph=asked.wish if temporal else None,
    )
    told = _stories(system, outcome, subject) if stories else {}
    never = _never(system, outcome) if stories else None
    outcome = replace(outcome, visited=None)
    with _ground(outcome, system) as ground:
        over_time, cut = decide_all(asked, ground, subject, _begin(outcome, observe, limits, clock))
    chosen, because = outcome.chosen or (engine.name, "")
    return Report(
        subject=subject,
        parameters=dict(system.parameters),
        model_hash=system.hash,
        engine=chosen,
        engine_because=because,
        threads=threads,
        symmetry=symmetry,
        extent=_coverage(outcome, cut, clock),
        verdicts=[
            _range_verdict(outcome, told),
            *(_verdict(g, outcome, told) for g in wanted),
            *over_time,
        ],
        never_happened=never,
    )


def unsearched(
    decl: ModelDecl,
    settings: Parameters,
    questions: Sequence[Question] = (),
    *,
    subject: str,
    engine: str,
    threads: int,
    only: Collection[str] | None,
    cut: Cut,
) -> Report:
    """The report on a model that was still read or compiled when all was cut: nothing is known of it."""
    claims = [
        *(
            (each.guarantee, each.role, each.description)
            for each in decl.functions
            if each.role in GUARANTEES
        ),
        *((name, each.logic, "") for name, each in zip(question_names(questions), questions, strict=True)),
    ]
    asked = [(STAYS_IN_RANGE, "range", STAYS_IN_RANGE_DESCRIPTION)]
    asked += [each for each in claims if only is None or each[0] in only]
    verdicts = [
        CheckVerdict(guarantee=name, kind=kind, verdict=Verdict.UNKNOWN, description=says)
        for name, kind, says in asked
    ]
    early = Cut(cut.by, f"{cut}, before the search began")
    nothing = Coverage(complete=False, cut=early, states=0, transitions=0, depth=0, bytes=0)
    return Report(
        subject=subject,
        parameters=typed(settings),
        model_hash="",
        engine=engine,
        threads=threads,
        extent=nothing,
        verdicts=verdicts,
    )


def _stories(system: TransitionSystem, outcome: Outcome, subject: str) -> dict[str, Story | str]:
    """The story of each run; or why it is not told, if nobody waits for it."""
    told: dict[str, Story | str] = {}
    why = outcome.graph_cut or ""
    grant(SECONDS_FOR_STORIES)
    for name, run in outcome.runs.items():
        told[name] = f"its story was not told: {why}"
        try:
            if run and not why:
                told[name] = tell(system, run, name, subject=subject)
        except KeyboardInterrupt as problem:
            why = cut_of(problem)
            told[name] = f"its story was not told: {why}"
    return told


def _never(system: TransitionSystem, outcome: Outcome) -> tuple[str, ...] | None:
    try:
        return never_happened(system, outcome)
    except KeyboardInterrupt as problem:
        cut_of(problem)
        return None  # it is but a remark


@contextmanager
def _ground(outcome: Outcome, system: TransitionSystem) -> Iterator[Ground | None]:
    """What guarantees over time are decided on; a graph on disk is removed afterwards."""
    stored = outcome.stored
    try:
        yield OnDisk(stored, system) if stored else InMemory(outcome.graph) if outcome.graph else None
    finally:
        if stored:
            stored.close()


def _begin(
    outcome: Outcome, observe: Observer | None, limits: Limits, clock: tuple[float, float]
) -> Callable[[str], Cut | None]:
    """Tells the observer which guarantee over time is being judged, unless it is too late for that."""
    found = outcome.coverage
    last = Progress(found.states, found.transitions, found.depth, 0, found.bytes, found.seconds)

    def begin(name: str) -> Cut | None:
        late = limits.time_is_up(clock[0])
        if late:
            return late
        if observe is not None:
            observe(replace(last, judging=name))
        return None

    return begin


def _coverage(outcome: Outcome, unjudged: Cut | None, clock: tuple[float, float]) -> Coverage:
    """What was covered and what it took, with what came behind the search."""
    cut = outcome.coverage.cut or outcome.graph_cut or unjudged
    seconds, cpu_seconds = (now - then for now, then in zip(_clock(), clock, strict=True))
    return replace(outcome.coverage, cut=cut, seconds=seconds, cpu_seconds=cpu_seconds)


def _clock() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _refuse_unknown(system: TransitionSystem, only: Collection[str] | None) -> None:
    known = {STAYS_IN_RANGE, *system.claims}
    for name in only or ():
        if name not in known:
            possible = did_you_mean(name, known)
            raise UsageError("ANG012", f"{system.name} has no guarantee {name}", possible=possible)


def _range_verdict(outcome: Outcome, told: Mapping[str, Story | str]) -> CheckVerdict:
    verdict = _decide("range", STAYS_IN_RANGE in outcome.runs, outcome.coverage.complete)
    return _with_story(
        CheckVerdict(
            guarantee=STAYS_IN_RANGE, kind="range", verdict=verdict, description=STAYS_IN_RANGE_DESCRIPTION
        ),
        told,
    )


def _with_story(verdict: CheckVerdict, told: Mapping[str, Story | str]) -> CheckVerdict:
    story = told.get(verdict.guarantee)
    return replace(verdict, untold=story) if isinstance(story, str) else replace(verdict, story=story)


def _verdict(guarantee: Guarantee, outcome: Outcome, told: Mapping[str, Story | str]) -> CheckVerdict:
    name, kind = guarantee.name, guarantee.kind
    # Behind a step that failed nothing was seen, and a guarantee that failed itself says nothing.
    complete = outcome.coverage.complete and STAYS_IN_RANGE not in outcome.runs
    verdict = _decide(kind, name in outcome.runs, complete)
    return _with_story(
        CheckVerdict(guarantee=name, kind=kind, verdict=verdict, description=guarantee.description), told
    )


def _decide(kind: str, hit: bool, complete: bool) -> Verdict:
    if not hit and not complete:
        return Verdict.UNKNOWN
    wanted = kind == "reaches"
    return Verdict.HOLDS if hit == wanted else Verdict.VIOLATED
