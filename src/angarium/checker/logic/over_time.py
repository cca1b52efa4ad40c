"""Guarantees over time: what the explored graph must give for them, and their verdicts.

All of them are decided on one graph. The conditions of all formulas are evaluated once in each state, by the
kernel; the analyses see bits. A graph exists only of a complete search in which nothing failed: else every
guarantee over time is `unknown`. A formula that no run breaks but that claims nothing is `unknown` too.

In memory, native code walks along the steps of the graph. On disk it is a pair of tables that Spark joins
with each other until nothing changes (`logic.spark`), for graphs that no single machine holds. The verdicts
are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from angarium.checker.explore.graph import Graph, GraphOnDisk, Wish
from angarium.checker.explore.stories import follow, tell_run
from angarium.checker.ir.formula import Atom, TemporalGuarantee, atoms, fairness_text
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.logic.decision import Decision, Run
from angarium.checker.logic.events import Alphabet
from angarium.core.control import Cut, CutBy, cut_of
from angarium.core.errors import LimitError, UsageError
from angarium.core.result import CheckVerdict, Story, Verdict

Positions = Mapping[Atom, int]


class Ground(Protocol):
    """A graph on which guarantees are decided."""

    def decide(self, guarantee: TemporalGuarantee, positions: Positions) -> Decision:
        """Whether the guarantee is kept."""

    def start(self, run: Run) -> Cells:
        """The state in which a run begins."""

    def repeated(self, run: Run) -> Sequence[Cells]:
        """The states that a run comes to again and again."""


@dataclass(frozen=True)
class InMemory:
    """A graph in memory."""

    graph: Graph

    def decide(self, guarantee: TemporalGuarantee, positions: Positions) -> Decision:

        return decide(guarantee, self.graph, positions)

    def start(self, run: Run) -> Cells:
        (cells,) = self.graph.cells([run.start])
        return cells

    def repeated(self, run: Run) -> Sequence[Cells]:
        from angarium.checker.logic.lasso import states_of

        states, cycle = states_of(self.graph, run)
        return self.graph.cells(states[cycle:])


@dataclass(frozen=True)
class OnDisk:
    """A graph as Parquet files."""

    stored: GraphOnDisk
    system: TransitionSystem

    def decide(self, guarantee: TemporalGuarantee, positions: Positions) -> Decision:
        from angarium.checker.logic.spark import Frames, decide
        from angarium.spark.failures import translated
        from angarium.spark.session import session

        with translated():
            spark = session(self.stored.place)
            read = spark.read.parquet
            states, edges = read(self.stored.nodes), read(self.stored.edges)
            frames = Frames(spark, self.system, states, edges, self.stored.scratch, self.stored.room)
            return decide(guarantee, frames, positions)

    def start(self, run: Run) -> Cells:
        return self.stored.cells(run.start)

    def repeated(self, run: Run) -> Sequence[Cells]:
        from angarium.checker.explore.interpret import initial_states

        number = initial_states(self.system).index(self.start(run))
        return follow(self.system, (number, *run.choices), run.cycle).states[run.cycle :]


MOST_CONDITIONS = 63


@dataclass(frozen=True, slots=True)
class Request:
    """Some guarantees over time, and which bit of a state tells of which condition."""

    system: TransitionSystem
    """With all that it claims, as addresses of its stories mean it; the search may have asked for less."""
    guarantees: tuple[TemporalGuarantee, ...]
    positions: Positions
    wish: Wish


def request(system: TransitionSystem, guarantees: Sequence[TemporalGuarantee]) -> Request:
    """What to wish for, to judge these guarantees."""
    found = dict.fromkeys(a for each in guarantees if each.formula for a in atoms(each.formula))
    if len(found) > MOST_CONDITIONS:
        raise LimitError(
            "ANG052",
            f"the formulas have {len(found)} different conditions",
            possible=f"at most {MOST_CONDITIONS}",
            remedy="check some of the guarantees at a time with --only, or use smaller parameters",
        )
    positions = {atom: number for number, atom in enumerate(found)}
    needed = any(each.logic in ("divergence", "determinism") for each in guarantees)
    events = Alphabet(system).numbers if needed else {}
    return Request(
        system, tuple(guarantees), positions, Wish(tuple(atom.condition for atom in found), events)
    )


def refuse_symmetry(system: TransitionSystem, guarantees: Sequence[TemporalGuarantee]) -> None:
    """Merged states have merged runs: what never happens to one queue may happen to its twin."""
    if not guarantees:
        return
    names = ", ".join(each.name for each in guarantees)
    others = " ".join(f"--only {each.name}" for each in system.guarantees)
    raise UsageError(
        "ANG015",
        f"symmetry cannot judge guarantees over time: {names}",
        possible="symmetry merges states, and the runs through them with them",
        remedy=f"leave --symmetry out, or judge states alone: {others}" if others else "leave --symmetry out",
    )


def decide_all(
    asked: Request, ground: Ground | None, subject: str, begin: Callable[[str], Cut | None]
) -> tuple[list[CheckVerdict], Cut | None]:
    """A verdict for each guarantee, and why some are left unknown, if they are.

    `begin` is told the name of each guarantee before it is judged, and may say why it should not be.
    """
    verdicts = [_verdict(each, Verdict.UNKNOWN) for each in asked.guarantees]
    cut: Cut | None = None
    try:
        for number, guarantee in enumerate(asked.guarantees if ground else ()):
            assert ground is not None
            late = begin(guarantee.name)
            if late:
                return verdicts, late
            try:
                verdicts[number] = _decided(guarantee, ground, asked, subject)
            except LimitError as error:
                cut = Cut(CutBy.MISSING, f"{guarantee.name}: {error.what}")
    except KeyboardInterrupt as problem:
        return verdicts, cut_of(problem)
    return verdicts, cut


def _decided(guarantee: TemporalGuarantee, ground: Ground, asked: Request, subject: str) -> CheckVerdict:
    decision = ground.decide(guarantee, asked.positions)
    story = _story(guarantee, ground, asked.system, decision, subject)
    if not decision.holds:
        untold = None if story else decision.summary
        return replace(_verdict(guarantee, Verdict.VIOLATED, story), untold=untold)
    if decision.vacuous:
        return _verdict(guarantee, Verdict.UNKNOWN, story, decision.vacuous)
    return _verdict(guarantee, Verdict.HOLDS, story)


def decide(guarantee: TemporalGuarantee, graph: Graph, positions: Positions) -> Decision:
    """Whether the guarantee is kept in the graph; the analyses, which are native code, are loaded here."""
    from angarium.checker.logic import ctl, determinism, ltl
    from angarium.checker.logic.fairness import with_rests

    match guarantee.logic:
        case "divergence":
            return determinism.free_of_divergence(graph)
        case "determinism":
            return determinism.deterministic(graph)
        case "ltl" | "ctl":
            assert guarantee.formula is not None
            runs = with_rests(graph, {name for demand in guarantee.fairness for name in demand.of})
            decided = ltl.decide if guarantee.logic == "ltl" else ctl.decide
            return decided(runs, guarantee.formula, guarantee.fairness, positions)


def _story(
    guarantee: TemporalGuarantee, ground: Ground, system: TransitionSystem, decision: Decision, subject: str
) -> Story | None:
    run = decision.run
    if run is None:
        return None
    return tell_run(
        system,
        ground.start(run),
        run.choices,
        run.cycle,
        guarantee=guarantee.name,
        summary=_summary(guarantee, decision, _whom(guarantee, ground, system, run)),
        subject=subject,
    )


def _summary(guarantee: TemporalGuarantee, decision: Decision, whom: str) -> str:
    """What the story ends with: what was claimed, in its author's words, and how it comes out."""
    if decision.holds or guarantee.formula is None or not guarantee.description:
        return f"{decision.summary}{whom}"
    return f"{guarantee.name} ({guarantee.description}) is false: {decision.summary}{whom}"


def _whom(guarantee: TemporalGuarantee, ground: Ground, system: TransitionSystem, run: Run) -> str:
    """For whom a run without end breaks a formula; empty if that cannot be said."""
    from angarium.checker.logic.sentences import for_whom

    if guarantee.logic != "ltl" or guarantee.formula is None or run.cycle is None:
        return ""
    return for_whom(system, guarantee.formula, ground.repeated(run))


def _verdict(
    guarantee: TemporalGuarantee,
    verdict: Verdict,
    story: Story | None = None,
    vacuous: str | None = None,
) -> CheckVerdict:
    return CheckVerdict(
        guarantee=guarantee.name,
        kind=guarantee.logic,
        verdict=verdict,
        description=guarantee.description,
        fairness=fairness_text(guarantee.fairness),
        story=story,
        vacuous=vacuous,
    )
