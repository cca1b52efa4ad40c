"""Divergence freedom and determinism: what can be relied on from outside.

*Divergence freedom*: no run goes on for ever with internal steps only. The internal steps are a graph of
their own, and a run can stay in it for ever just if it has a cycle. Standing still is no step: where nothing
more can happen, nothing happens internally either.

*Determinism*: the visible events so far decide which can follow. A process is deterministic if it never
diverges, and after the same events never can both do and refuse an event. Then it has no smaller process
inside it. So a deterministic process is picked from it: of internal steps only the first, else only the
first step with each event. The process is deterministic just if it refines that one in the stable-failures
model: what it does beyond it can be refused after the same events, and what it refuses beyond it can be
done.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Graph
from angarium.checker.logic.decision import Decision, Run
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.fixpoint import Adjacency
from angarium.checker.logic.lasso import lasso
from angarium.checker.logic.normalise import NormalForm, Process, picked_form, processes
from angarium.checker.logic.product import Components, components_within
from angarium.checker.logic.refinement import Difference, difference, offers, traced


def free_of_divergence(graph: Graph) -> Decision:
    """Whether no cycle of internal steps can be reached."""
    internal = _is_internal(graph)
    inside = _only(graph, internal)
    cycles = components_within(inside, classes(graph.system, ()), np.ones(graph.states, np.bool_))
    if not cycles.found:
        return Decision(True)
    run = _run(graph, internal, cycles)
    return Decision(False, run, "these steps go on for ever, and none is seen")


def _is_internal(graph: Graph) -> NDArray[np.bool_]:
    """Of each step, whether it is one and nothing is seen of it."""
    moves: NDArray[np.bool_] = graph.labels != graph.stutter
    return moves & (graph.events == 0) if len(graph.events) else moves


def _only(graph: Graph, chosen: NDArray[np.bool_]) -> Graph:
    """A graph with only some of its steps."""
    before = np.zeros(len(chosen) + 1, np.uint64)
    np.cumsum(chosen, out=before[1:])
    rows, targets, labels = before[graph.rows], graph.targets[chosen], graph.labels[chosen]
    return replace(graph, rows=rows, targets=targets, labels=labels, events=graph.events[:0])


def _run(graph: Graph, internal: NDArray[np.bool_], cycles: Components) -> Run:
    """A shortest path to a state on a cycle of internal steps, and its shortest cycle."""
    steps, inside = Adjacency(graph.rows, graph.targets), cycles.product.graph
    path = steps.path(np.arange(graph.initial), np.ones(graph.states, np.bool_), cycles.fair)
    assert path is not None, "every state of a graph can be reached"
    again = lasso(cycles, np.array([path.end], np.uint32))
    numbers = np.flatnonzero(internal)
    cycle = [
        int(numbers[each]) for each in Adjacency(inside.rows, inside.targets).follow(path.end, again.choices)
    ]
    return Run(path.start, steps.choices([*path.entries, *cycle]), len(path.entries))


def deterministic(graph: Graph) -> Decision:
    """Whether a graph's visible events are deterministic."""
    diverging = free_of_divergence(graph)
    if not diverging.holds:
        return replace(diverging, summary=f"{diverging.summary}, so that nothing is certain to follow")
    (process,) = processes(graph)
    form = picked_form(process)
    found = difference(process, form, failures=True)
    return Decision(True) if found is None else Decision(False, found.run, _summary(process, form, found))


def _summary(process: Process, form: NormalForm, found: Difference) -> str:
    after = traced(process, found.trace)
    if found.forbidden is not None:
        event = process.names[found.forbidden - 1]
        return f"{after}: {event} can happen, as it does here, or be refused"
    missing = set(form.events(found.node)) - set(offers(process, found.state))
    event = process.names[min(missing) - 1]
    return f"{after}: {event} can happen, or be refused, as it is in the last state"
