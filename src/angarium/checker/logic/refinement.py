"""Refinement: whether an implementation does nothing that its specification does not allow.

*Traces*: every sequence of visible events of the implementation is one of the specification. *Failures*: and
where the implementation comes to rest from internal steps, it offers at least all events of some state in
which the specification can be at rest after the same events; so it refuses nothing that the specification
must offer. These are CSP's models of traces and of stable failures (Roscoe, *The Theory and Practice of
Concurrency*, 1997). A process that goes on internally for ever never comes to rest: that is what the
guarantee of divergence freedom is for.

The specification is brought to normal form; then all pairs of a state of the implementation and a node of
the specification that are reached by the same events are searched breadth-first, so that the story is a
shortest one.

What can be seen of each system is what its model says, or what both are given. A system that could not be
searched to the last state decides nothing: then the verdict is `unknown`, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from angarium.checker.explore.engine import Engine, Observer, Outcome
from angarium.checker.explore.graph import Graph, Wish
from angarium.checker.explore.stories import tell_run
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic import refinement_core as core
from angarium.checker.logic.decision import Decision, Run
from angarium.checker.logic.events import Alphabet
from angarium.checker.logic.normalise import (
    NATIVE,
    TURN,
    NormalForm,
    Process,
    Words,
    addresses,
    normal_form,
    processes,
)
from angarium.core.control import INTERRUPTED, Cut, CutBy, Limits
from angarium.core.errors import LimitError, UsageError, did_you_mean
from angarium.core.result import CheckVerdict, Coverage, Report, Story, Verdict

Semantics = Literal["traces", "failures"]
MOST_NAMED = 12
"""Events of a longer trace are not all repeated in the sentence: the story shows them."""
FIRST_SLOTS, MOST_SLOTS = 1 << 14, 1 << 29
"""How large the table of pairs is at first, and at most."""
_LOAD = 0.6


def decide(implementation: Graph, specification: Graph, semantics: Semantics) -> Decision:
    """Whether the one refines the other."""
    mine, theirs = processes(implementation, specification)
    failures = semantics == "failures"
    form = normal_form(theirs, failures=failures)
    found = difference(mine, form, failures=failures)
    if found:
        return Decision(False, found.run, _summary(mine, form, found))
    claims_nothing = not failures and not implementation.events.any()
    return Decision(True, vacuous="nothing that the implementation does is seen" if claims_nothing else None)


@dataclass(frozen=True, slots=True)
class Difference:
    """A run of the implementation, and the node that the specification is in when they part."""

    run: Run
    trace: tuple[int, ...]
    """The visible events before the last state, or before the event that is not allowed."""
    node: int
    state: int
    """Where the implementation is then."""
    forbidden: int | None
    """The event that comes then and is not allowed; None if too much is refused."""


def difference(process: Process, form: NormalForm, *, failures: bool) -> Difference | None:
    """A shortest run that the normal form does not allow; None if it allows all."""
    search = _Search(process, form, failures)
    found = search.explore()
    return None if found == core.FINISHED else search.difference(found)


class _Search:
    """A search over pairs of a state and a node."""

    def __init__(self, process: Process, form: NormalForm, failures: bool) -> None:
        self.process, self.form = process, form
        initial = process.graph.initial
        self.log = np.arange(initial, dtype=np.uint64) << np.uint64(32)
        self.parents = np.arange(initial, dtype=np.uint64)
        self.ready = np.zeros(process.width, np.uint64)
        self.fields = np.zeros(core.SEARCH_SIZE, np.uint64)
        self.fields[core.FAILURES], self.fields[core.WIDTH] = failures, process.width
        self.fields[[core.COUNT, core.LEVEL_END]] = initial
        self._grow(FIRST_SLOTS)

    def explore(self) -> int:
        """Search to the end, or to the first pair that is wrong."""
        process, form = self.process.fields, self.form.fields
        while (found := NATIVE.call("compare", process, form, self.fields)) in (core.FULL, core.PAUSED):
            if found == core.FULL:
                self._grow(2 * len(self.table))
            else:
                self.fields[core.BREAK] += np.uint64(TURN)
        return found

    def _grow(self, slots: int) -> None:
        """Make room for so many pairs, and for all that the next one leads to."""
        most = int(np.diff(self.process.graph.rows).max()) + int(self.fields[core.COUNT])
        while int(slots * _LOAD) < most:
            slots *= 2
        if slots > MOST_SLOTS:
            raise _too_many(self.process)
        limit = int(slots * _LOAD)
        self.table = np.zeros(slots, np.uint64)
        self.log, self.parents = (_longer(each, limit) for each in (self.log, self.parents))
        places = [core.LOG, core.PARENTS, core.TABLE, core.READY]
        self.fields[places] = addresses(self.log, self.parents, self.table, self.ready)
        self.fields[core.LIMIT], self.fields[core.SHIFT] = limit, 64 - (slots.bit_length() - 1)
        NATIVE.call("enter", self.fields)

    # --- the run ----------------------------------------------------------------------------------

    def difference(self, found: int) -> Difference:
        """The run to the pair at which the search ended."""
        graph, events = self.process.graph, self.process.events
        pairs = self._pairs()
        entries = [self._entry(*both) for both in pairwise(pairs)]
        trace = tuple(int(events[each]) for each in entries if events[each] != core.INTERNAL)
        wrong = [int(self.fields[core.WRONG])] if found == core.FORBIDDEN else []
        forbidden = int(events[wrong[0]]) if wrong else None
        states = [state for state, _ in pairs]
        firsts = graph.rows[states].tolist()
        choices = tuple(entry - first for entry, first in zip([*entries, *wrong], firsts, strict=False))
        return Difference(Run(states[0], choices), trace, pairs[-1][1], states[-1], forbidden)

    def _pairs(self) -> list[tuple[int, int]]:
        """From an initial pair to the last one that was expanded."""
        number, found = int(self.fields[core.HEAD]), []
        while True:
            found.append(divmod(int(self.log[number]), 1 << 32))
            parent = int(self.parents[number])
            if parent == number:
                return found[::-1]
            number = parent

    def _entry(self, before: tuple[int, int], after: tuple[int, int]) -> int:
        """A step that leads from one pair to another."""
        graph, events = self.process.graph, self.process.events
        start, end = graph.rows[before[0] : before[0] + 2].tolist()
        for entry in range(start, end):
            if (
                int(graph.targets[entry]) == after[0]
                and self._node(before[1], int(events[entry])) == after[1]
            ):
                return entry
        raise AssertionError("no step leads from a pair to the one found from it")

    def _node(self, node: int, event: int) -> int | None:
        if event == core.INTERNAL:
            return node
        return self.form.after(node, event) if event in self.form.events(node) else None


def _too_many(process: Process) -> LimitError:
    return LimitError(
        "ANG053",
        f"{process.graph.system.name} can be in too many pairs of states with its specification",
        possible=f"room for {int(MOST_SLOTS * _LOAD):,} pairs",
        remedy="give smaller parameters with --set and --spec-set",
    )


def _longer(array: Words, length: int) -> Words:
    found = np.empty(length, np.uint64)
    found[: len(array)] = array
    return found


# --- words --------------------------------------------------------------------------------------------


def _summary(process: Process, form: NormalForm, found: Difference) -> str:
    after = traced(process, found.trace)
    if found.forbidden is not None:
        allowed = listed(process, form.events(found.node), "or")
        event = process.names[found.forbidden - 1]
        return f"{after}: {event} happens, where the specification allows {allowed}"
    offered = listed(process, offers(process, found.state), "and")
    sets = [listed(process, events, "and") for events in form.accepted(found.node, process.width)]
    asked = f"offers at least {', or '.join(sets)}" if sets else "never comes to rest"
    return f"{after}: the last state offers {offered}, where the specification {asked}"


def traced(process: Process, trace: Sequence[int]) -> str:
    """What has happened: `after in.m1, in.m2`, and only the last events of many."""
    if not trace:
        return "at the start"
    more = "... " if len(trace) > MOST_NAMED else ""
    return f"after {more}{', '.join(process.names[event - 1] for event in trace[-MOST_NAMED:])}"


def listed(process: Process, events: Sequence[int], word: str) -> str:
    """Events by name: `nothing`, `a`, `a or b`, `a, b or 3 more`."""
    names = [process.names[event - 1] for event in events[:MOST_NAMED]]
    if len(events) > MOST_NAMED:
        names.append(f"{len(events) - MOST_NAMED} more")
    *before, last = names or ["nothing"]
    return f"{', '.join(before)} {word} {last}" if before else last


def offers(process: Process, state: int) -> list[int]:
    """The visible events that a state offers."""
    start, end = process.graph.rows[state : state + 2].tolist()
    events = set(process.events[start:end].tolist())
    return sorted(events - {core.INTERNAL, core.STILL})


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


@dataclass(frozen=True, kw_only=True)
class Comparison(Report):
    """What a comparison found: the report on the implementation, with what it was compared with."""

    kind: str = "refine"
    semantics: Semantics
    visible: Sequence[str]
    """The actions and channels of both that can be seen."""
    undecided: str | None = None
    """Why the verdict is `unknown`."""
    specification: Report
    """What was searched of it; it has no verdicts of its own."""

    @property
    def verdict(self) -> CheckVerdict:
        """Whether the one refines the other."""
        return self.verdicts[0]

    @property
    def implementation(self) -> Report:
        """What was searched of it, with the verdict."""
        return self


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
    searched = {role: _searched(side, found[role].coverage, engine, threads) for role, side in sides.items()}
    return Comparison(
        **searched["implementation"],
        verdicts=(verdict,),
        semantics=semantics,
        visible=tuple(sorted({kind.name for system in seen.values() for kind in Alphabet(system).blocks})),
        undecided=undecided or verdict.vacuous,
        specification=Report(kind="refine", **searched["specification"]),
    )


def _searched(side: Side, coverage: Coverage, engine: Engine, threads: int) -> dict[str, Any]:
    """What a report says of a search."""
    system = side.system
    about = {"subject": side.subject, "parameters": dict(system.parameters), "model_hash": system.hash}
    return {**about, "engine": engine.name, "threads": threads, "extent": coverage}


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
        full = Cut(CutBy.FULL, "its graph does not fit into this machine's memory")
        return replace(outcome, stored=None, graph_cut=full)
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
    unknown = CheckVerdict(guarantee=name, kind="refinement", verdict=Verdict.UNKNOWN, description=says)
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
