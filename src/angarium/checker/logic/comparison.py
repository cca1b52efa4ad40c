"""A comparison of two systems: both are searched, then it is decided whether one refines the other.

What can be seen of each is what its model says, or what both are told. A system that could not be searched to
the last state decides nothing: then the verdict is `unknown`, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from angarium.checker.explore.engine import Engine, Limits, Observer, Outcome
from angarium.checker.explore.graph import Graph, Wish
from angarium.checker.explore.stories import tell_run
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.events import Alphabet
from angarium.checker.logic.refinement import Semantics, decide
from angarium.core.control import INTERRUPTED
from angarium.core.errors import UsageError, did_you_mean
from angarium.core.result import CheckVerdict, Coverage, Report, Story, Verdict

_TRACES = "every sequence of visible events is one of the specification"
GUARANTEES: dict[Semantics, tuple[str, str]] = {
    "traces": ("trace-refinement", _TRACES),
    "failures": ("failures-refinement", f"{_TRACES}, and nothing is refused that it must offer"),
}
"""What is judged: its name, and what it says."""
_NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Side:
    """One of the systems that are compared, by the name under which it was asked for."""

    subject: str
    system: TransitionSystem


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found."""

    semantics: Semantics
    verdict: CheckVerdict
    implementation: Report
    """What was searched of it, with the verdict."""
    specification: Report
    """What was searched of it; it has no verdicts of its own."""
    visible: tuple[str, ...]
    """The actions and channels of both that can be seen."""
    undecided: str | None = None
    """Why the verdict is `unknown`."""


def compare(
    implementation: Side,
    specification: Side,
    semantics: Semantics,
    *,
    engine: Engine,
    visible: tuple[str, ...] | None = None,
    limits: Limits = _NO_LIMITS,
    threads: int = 1,
    observe: Observer | None = None,
) -> Comparison:
    """Search both systems, and decide whether the first refines the second."""
    sides = {"implementation": implementation, "specification": specification}
    if visible is not None:
        _refuse_unknown(visible, sides.values())
    seen = {role: _seen(side.system, visible) for role, side in sides.items()}
    found = {role: _search(system, engine, limits, threads, observe) for role, system in seen.items()}
    undecided = next(filter(None, (_undecided(role, sides[role], found[role]) for role in sides)), None)
    verdict = _verdict(implementation, semantics, *(outcome.graph for outcome in found.values()))
    reports = {role: _report(side, found[role].coverage, engine, threads) for role, side in sides.items()}
    return Comparison(
        semantics,
        verdict,
        replace(reports["implementation"], verdicts=[verdict]),
        reports["specification"],
        tuple(sorted({kind.name for system in seen.values() for kind in Alphabet(system).blocks})),
        undecided or verdict.vacuous,
    )


def _report(side: Side, coverage: Coverage, engine: Engine, threads: int) -> Report:
    system = side.system
    parameters = dict(system.parameters)
    return Report(side.subject, parameters, system.hash, engine.name, threads, False, coverage, ())


# --- what can be seen -----------------------------------------------------------------------------


def _seen(system: TransitionSystem, visible: tuple[str, ...] | None) -> TransitionSystem:
    """A system that claims nothing, so that it is searched to the end, and shows what it is told to."""
    shown = system.visible if visible is None else visible
    return replace(system, guarantees=(), temporal=(), visible=shown)


def _refuse_unknown(visible: Iterable[str], sides: Iterable[Side]) -> None:
    known = {
        name
        for side in sides
        for action in side.system.actions
        for name in (action.name, *(message.channel for message in action.messages))
    }
    for name in visible:
        if name not in known:
            possible = did_you_mean(name, known)
            raise UsageError("ANG013", f"neither system has an action or channel {name!r}", possible=possible)


# --- searching ------------------------------------------------------------------------------------


def _search(
    system: TransitionSystem, engine: Engine, limits: Limits, threads: int, observe: Observer | None
) -> Outcome:
    wish = Wish(events=Alphabet(system).numbers)
    outcome = engine.search(system, limits=limits, threads=threads, observe=observe, graph=wish)
    if outcome.coverage.cut == INTERRUPTED:
        raise KeyboardInterrupt
    if outcome.stored:
        outcome.stored.close()
        return replace(outcome, stored=None, graph_cut="its graph does not fit into this machine's memory")
    return outcome


def _undecided(role: str, side: Side, outcome: Outcome) -> str | None:
    """Why nothing can be decided with what was found of a system."""
    if outcome.graph:
        return None
    cut = outcome.coverage.cut or outcome.graph_cut
    if cut:
        return f"the search of the {role} was cut: {cut}"
    return f"the {role} goes out of range, and nothing is known behind that: angarium check {side.subject}"


def _verdict(
    side: Side, semantics: Semantics, implementation: Graph | None, specification: Graph | None
) -> CheckVerdict:
    name, says = GUARANTEES[semantics]
    unknown = CheckVerdict(name, "refinement", Verdict.UNKNOWN, says)
    if implementation is None or specification is None:
        return unknown
    decision = decide(implementation, specification, semantics)
    if decision.holds and decision.vacuous:
        return replace(unknown, vacuous=decision.vacuous)
    if decision.holds:
        return replace(unknown, verdict=Verdict.HOLDS)
    return replace(unknown, verdict=Verdict.VIOLATED, story=_story(side, implementation, decision, name))


def _story(side: Side, graph: Graph, decision: Decision, guarantee: str) -> Story:
    run = decision.run
    assert run is not None, "what is violated is shown by a run"
    (start,) = graph.cells([run.start])
    words = {"guarantee": guarantee, "summary": decision.summary, "subject": side.subject}
    return tell_run(side.system, start, run.choices, run.cycle, **words)
