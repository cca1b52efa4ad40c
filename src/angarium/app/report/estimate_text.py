"""What a check will take, as people read it and as part of the JSON record.

    what         at least  likely    at most
    states       1.2 M     11.3 M    61 M
    memory       ...

Behind the table: what it rests on, whether the memory is enough, and if not, what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import wrap

from angarium.app.report.layout import amount, duration, memory, rounded
from angarium.app.report.record import Record, envelope
from angarium.app.report.text import Background, heading
from angarium.checker.explore.estimate import Range
from angarium.checker.logic.estimation import Estimate

NO_BOUND = "no bound"
NOT_KNOWN = "?"
FAR = 0.003
"""The part of all states below which what is known says less."""
_WIDE = 13


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the check is to be made."""

    room: int
    """Bytes that a search may take."""
    engines: tuple[str, ...] = ()
    """Which engines there are."""


# --- text -----------------------------------------------------------------------------------------


def render(
    estimate: Estimate,
    background: Background,
    machine: Machine,
    *,
    width: int = 80,
    colourful: bool = False,
) -> str:
    """The table, what it rests on, and what to do."""
    parts = [heading(estimate.begun, background, width=width, colourful=colourful)]
    parts.append("\n".join(f"  {line}" for line in _table(estimate, width - 2)))
    texts = [_basis(estimate), *_bound(estimate), " ".join(_fit(estimate, background, machine))]
    parts += ["\n".join(wrap(text, width, break_on_hyphens=False)) for text in texts if text]
    return "\n\n".join(parts)


def _table(estimate: Estimate, width: int) -> Iterator[str]:
    yield _row("what", "at least", "likely", "at most")
    yield "-" * width
    rows: tuple[tuple[str, Range, Callable[[float], str]], ...] = (
        ("states", estimate.states, _count(estimate)),
        ("transitions", estimate.transitions, _count(estimate)),
        ("memory", estimate.bytes, memory),
        ("time", estimate.seconds, duration),
    )
    for what, numbers, show in rows:
        likely = NOT_KNOWN if numbers.likely is None else show(numbers.likely)
        high = NO_BOUND if numbers.high is None else show(numbers.high)
        yield _row(what, show(numbers.low), likely, high)
    if estimate.depth is not None:
        depth = f"{estimate.depth:,}"
        least = f"{estimate.begun.coverage.depth:,}"
        yield _row("levels", least, depth, depth if estimate.exact else NOT_KNOWN)


def _count(estimate: Estimate) -> Callable[[float], str]:
    return (lambda count: f"{count:,.0f}") if estimate.exact else rounded


def _row(*cells: str) -> str:
    return "".join(f"{cell:<{_WIDE}}" for cell in cells).rstrip()


def _basis(estimate: Estimate) -> str:
    """What it rests on."""
    found = estimate.begun.coverage
    if estimate.exact:
        took = f"the check came to its end in {duration(found.seconds)}"
        unjudged = f", but for judging all guarantees over time ({found.cut})" if found.cut else ""
        return f"Nothing is estimated: {took}{unjudged}."
    short = f"Rests on {rounded(found.states)} states, {found.depth} levels deep"
    others = f" and on {amount(len(estimate.smaller), 'smaller scenario')} searched to the end"
    return f"{short}, in {duration(found.seconds)}{others if estimate.smaller else ''}."


def _bound(estimate: Estimate) -> list[str]:
    """How far to trust it."""
    if estimate.exact:
        return []
    if estimate.states.likely is not None:
        far = estimate.begun.coverage.states < FAR * estimate.states.likely
        often = "three times of four" if far else "nine times of ten"
        return [f"On recorded searches, the number of states was in such an interval {often}."]
    grows = f"levels still grow, the last by a factor of {estimate.growth:.2g}"
    why = grows if estimate.growth > 1 else "levels have not settled into a shape"
    return [f"There is no upper bound: {why}, and smaller scenarios do not tell how far. {_LONGER}"]


_LONGER = "A longer --timeout may tell more."


def _fit(estimate: Estimate, background: Background, machine: Machine) -> Iterator[str]:
    """Whether there is memory enough, and if that is not sure, what to do."""
    needed, room = estimate.bytes, memory(machine.room)
    if estimate.begun.engine == "gpu":
        room += " of the card's memory"
    if needed.high is not None and needed.high <= machine.room:
        yield f"It fits into the {room} that a search may take here."
        return
    if needed.low > machine.room or (needed.likely or 0) > machine.room:
        yield f"It will not fit into the {room} that a search may take here."
    else:
        yield f"It may not fit into the {room} that a search may take here."
    yield from _advice(estimate, background, machine)


def _advice(estimate: Estimate, background: Background, machine: Machine) -> Iterator[str]:
    yield "Give smaller parameters with --set."
    if estimate.over_time:
        yield "Guarantees over time need every step: without them (--only) it takes less."
    if estimate.begun.engine == "gpu":
        yield "The engine local has this machine's memory."
    if background.symmetric and not estimate.begun.symmetry:
        states_only = " of guarantees of states alone (--only)" if estimate.over_time else ""
        yield f"With --symmetry a search{states_only} is much smaller."
    if "spark" in machine.engines and estimate.begun.engine != "spark":
        yield "With --engine spark it can take the memory of many machines."


# --- record ---------------------------------------------------------------------------------------


def record(estimate: Estimate, machine: Machine) -> Record:
    """The record of a check that was only estimated: no verdicts, and what the short search covered."""
    begun, found = estimate.begun, estimate.begun.coverage
    more = {
        "model_hash": begun.model_hash,
        "engine": begun.engine,
        "threads": begun.threads,
        "symmetry": begun.symmetry,
        "complete": found.complete,
        "cut": found.cut,
        "states": found.states,
        "transitions": found.transitions,
        "depth": found.depth,
        "frontier": found.frontier,
        "seconds": round(found.seconds, 3),
        "cpu_seconds": round(found.cpu_seconds, 3),
        "bytes": found.bytes,
        "estimate": _estimate(estimate, machine),
    }
    return envelope("check", begun.subject, begun.parameters, more)


def _estimate(estimate: Estimate, machine: Machine) -> Record:
    ranges = {
        "states": estimate.states,
        "transitions": estimate.transitions,
        "bytes": estimate.bytes,
        "seconds": estimate.seconds,
    }
    return {
        "exact": estimate.exact,
        **{name: {"low": r.low, "likely": r.likely, "high": r.high} for name, r in ranges.items()},
        "depth": estimate.depth,
        "words_per_state": estimate.words,
        "guarantees_over_time": estimate.over_time,
        "room": machine.room,
        "grounds": list(estimate.grounds),
        "smaller": [dict(each) for each in estimate.smaller],
    }
