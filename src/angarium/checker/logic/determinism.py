"""Determinism: whether the visible events so far decide which can follow.

A process is deterministic if it never diverges, and after the same events never can both do and refuse an
event. Then it has no smaller process inside it. So a deterministic process is picked from it: of internal
steps only the first, else only the first step with each event. The process is deterministic just if it
refines that one in the stable-failures model: what it does beyond it can be refused after the same events,
and what it refuses beyond it can be done.
"""

from __future__ import annotations

from dataclasses import replace

from angarium.checker.explore.graph import Graph
from angarium.checker.logic import divergence
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.normalise import NormalForm, Process, picked_form, processes
from angarium.checker.logic.refinement import Difference, difference, offers, traced


def decide(graph: Graph) -> Decision:
    """Whether a graph's visible events are deterministic."""
    diverging = divergence.decide(graph)
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
