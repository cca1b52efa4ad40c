"""What a check will take, as people read it.

    what         at least  likely    at most
    states       1.2 M     11.3 M    61 M
    memory       ...

Behind the table: what it rests on, whether the memory is enough, and if not, what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from textwrap import wrap

from angarium.app.report.layout import amount, duration, memory, rounded
from angarium.app.report.text import Background, heading
from angarium.checker.explore.estimate import Range
from angarium.checker.logic.estimation import Estimate, EstimateResult

NO_BOUND = "no bound"
NOT_KNOWN = "?"
FAR = 0.003
"""The part of all states below which what is known says less."""
_WIDE = 13


def render(
    found: EstimateResult,
    background: Background,
    engines: Collection[str],
    *,
    width: int = 80,
    colourful: bool = False,
) -> str:
    """The table, what it rests on, and what to do where there are such engines."""
    parts = [heading(found, background, width=width, colourful=colourful)]
    parts.append("\n".join(f"  {line}" for line in _table(found, width - 2)))
    texts = [_basis(found), *_bound(found), " ".join(_fit(found, background, engines))]
    parts += ["\n".join(wrap(text, width, break_on_hyphens=False)) for text in texts if text]
    return "\n\n".join(parts)


def _table(found: EstimateResult, width: int) -> Iterator[str]:
    estimate = found.estimate
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
        least = f"{found.extent.depth:,}"
        yield _row("levels", least, depth, depth if estimate.exact else NOT_KNOWN)


def _count(estimate: Estimate) -> Callable[[float], str]:
    return (lambda count: f"{count:,.0f}") if estimate.exact else rounded


def _row(*cells: str) -> str:
    return "".join(f"{cell:<{_WIDE}}" for cell in cells).rstrip()


def _basis(result: EstimateResult) -> str:
    """What it rests on."""
    estimate, found = result.estimate, result.extent
    if estimate.exact:
        took = f"the check came to its end in {duration(found.seconds)}"
        unjudged = f", but for judging all guarantees over time ({found.cut})" if found.cut else ""
        return f"Nothing is estimated: {took}{unjudged}."
    short = f"Rests on {rounded(found.states)} states, {found.depth} levels deep"
    others = f" and on {amount(len(estimate.smaller), 'smaller scenario')} searched to the end"
    return f"{short}, in {duration(found.seconds)}{others if estimate.smaller else ''}."


def _bound(found: EstimateResult) -> list[str]:
    """How far to trust it."""
    estimate = found.estimate
    if estimate.exact:
        return []
    if estimate.states.likely is not None:
        far = found.extent.states < FAR * estimate.states.likely
        often = "three times of four" if far else "nine times of ten"
        return [f"On recorded searches, the number of states was in such an interval {often}."]
    grows = f"levels still grow, the last by a factor of {estimate.growth:.2g}"
    why = grows if estimate.growth > 1 else "levels have not settled into a shape"
    return [f"There is no upper bound: {why}, and smaller scenarios do not tell how far. {_LONGER}"]


_LONGER = "A longer --timeout may tell more."


def _fit(found: EstimateResult, background: Background, engines: Collection[str]) -> Iterator[str]:
    """Whether there is memory enough, and if that is not sure, what to do."""
    needed, bytes_here = found.estimate.bytes, found.estimate.room
    room = memory(bytes_here)
    if found.engine == "gpu":
        room += " of the card's memory"
    if needed.high is not None and needed.high <= bytes_here:
        yield f"It fits into the {room} that a search may take here."
        return
    if needed.low > bytes_here or (needed.likely or 0) > bytes_here:
        yield f"It will not fit into the {room} that a search may take here."
    else:
        yield f"It may not fit into the {room} that a search may take here."
    yield from _advice(found, background, engines)


def _advice(found: EstimateResult, background: Background, engines: Collection[str]) -> Iterator[str]:
    over_time = found.estimate.over_time
    yield "Give smaller parameters with --set."
    if over_time:
        yield "Guarantees over time need every step: without them (--only) it takes less."
    if found.engine == "gpu":
        yield "The engine local has this machine's memory."
    if background.symmetric and not found.symmetry:
        states_only = " of guarantees of states alone (--only)" if over_time else ""
        yield f"With --symmetry a search{states_only} is much smaller."
    if "spark" in engines and found.engine != "spark":
        yield "With --engine spark it can take the memory of many machines."
