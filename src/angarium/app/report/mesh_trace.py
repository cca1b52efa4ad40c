"""Where a topic goes, which topics cross which link, and what may be dead, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap

from angarium.app.report.layout import GAP, amount, entry, paragraphs, printable, widest
from angarium.app.report.mesh_text import hops
from angarium.mesh.delivery.outcome import Arrival, Copy
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.verify.tracing import Traced

_MARGIN = "  "
MOST_SCOPES = 8
_ENDLESS = "without end"


def render_trace(mesh: Mesh, traced: Traced, failures: Failures, *, width: int = 80) -> str:
    """Arrivals, subscribers, rounds and drops."""
    dead = f" without {failures}" if failures else ""
    parts = [
        _wrapped(f"{traced.topic} of {traced.spread.origin}{dead}:", width),
        _arrivals(mesh, traced, width),
        _subscribers(traced, width),
        _all(width, _elsewhere(traced)),
        _all(width, _rivals(traced)),
        _all(width, (f"goes round: {hops(mesh, loop.before, loop.round)}" for loop in traced.spread.loops)),
        _all(width, (f"ends at {drop.broker}: {drop.reason}" for drop in traced.spread.drops)),
    ]
    return printable(paragraphs(parts))


def _count(copies: int | None, is_sure: bool = True) -> str:
    count = _ENDLESS if copies is None else str(copies)
    return count if is_sure else f"0 or {count}" if copies == 1 else f"0 to {count}"


def _rivals(traced: Traced) -> dict[str, None]:
    """Who may take what others want: each once."""
    return dict.fromkeys(f"shared: {each.rival}" for each in traced.received if each.rival)


def _elsewhere(traced: Traced) -> Iterator[str]:
    """Why it goes nowhere, if that is because of its scope."""
    if traced.elsewhere:
        scopes = f"{', '.join(traced.elsewhere[:MOST_SCOPES])}"
        more = len(traced.elsewhere) - MOST_SCOPES
        told = f"{scopes} and {more:,} more" if more > 0 else scopes
        yield f"Nothing that the files say of {traced.spread.origin} is in this scope. Its scopes: {told}."


def _all(width: int, texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in _wrapped(text, width)]


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, subsequent_indent=_MARGIN, break_on_hyphens=False)


def _arrivals(mesh: Mesh, traced: Traced, width: int) -> list[str]:
    heads = ("broker", "as", "copies", "ms", "over")
    rows = [row for each in traced.spread.arrivals for row in _rows(mesh, traced, each)]
    columns = [widest([head, *(row[place] for row in rows)]) for place, head in enumerate(heads[:-1])]
    room = width - len(_MARGIN)
    if sum(columns) + len(GAP) * len(columns) > room * 3 // 4:
        return [line for each in traced.spread.arrivals for line in _listed(mesh, traced, each, width)]
    lines = []
    for row in (heads, *rows):
        left = GAP.join(f"{cell:<{column}}" for cell, column in zip(row, columns, strict=False))
        lines += entry(left, row[-1], left=len(left), width=room)
    return [f"{_MARGIN}{line}" for line in lines]


def _rows(mesh: Mesh, traced: Traced, arrival: Arrival) -> Iterator[tuple[str, ...]]:
    """A line for each copy, the first behind what is the same for all."""
    each = traced.each.get((arrival.broker, arrival.topic)) or (Copy(arrival.path, arrival.latency),)
    left = 0 if arrival.copies is None else arrival.copies - len(each)
    cells = (arrival.broker, arrival.topic, _count(arrival.copies, arrival.is_sure))
    for copy in each:
        yield *cells, f"{copy.latency:g}", hops(mesh, copy.path)
        cells = ("", "", "or" if left < 0 else "")
    if left > 0:
        yield "", "", "", "", f"and {left:,} more"


def _listed(mesh: Mesh, traced: Traced, arrival: Arrival, width: int) -> Iterator[str]:
    """The same one below the other, where long names leave no room for columns."""
    (broker, topic, count, *_), *_ = rows = list(_rows(mesh, traced, arrival))
    yield from _wrapped(f"{broker} as {topic}: {_counted(count)}", width)
    for *_, again, milliseconds, path in rows:
        time = f"{milliseconds} ms" if milliseconds else ""
        told = ", ".join(part for part in (time, path) if part)
        text = f"or {told}" if again == "or" else told
        yield from wrap(text, width, initial_indent=_MARGIN, subsequent_indent=_MARGIN * 2)


def _counted(count: str) -> str:
    return f"{count} {'copy' if count == '1' else 'copies'}"


def _subscribers(traced: Traced, width: int) -> list[str]:
    if not traced.received:
        return ["No subscriber gets it."]
    each = (f"{got.subscriber.name} {_count(got.copies, not got.rival)}" for got in traced.received)
    counts = [got.copies for got in traced.received]
    total = _ENDLESS if None in counts else f"{sum(count or 0 for count in counts):,} in all"
    if traced.spread.choices and None not in counts:
        total = f"at most {total}"
    text = f"Copies to {amount(len(counts), 'subscriber')} ({total}): {', '.join(each)}."
    return _wrapped(text, width)


def render_links(crossing: Mapping[str, Sequence[str]], *, width: int = 80, most: int | None = 8) -> str:
    """Every link with a topic of each class that crosses it."""
    left = widest([*crossing, "link"])
    lines = [f"{'link':<{left}}{GAP}topics, one of each class"]
    for cable, topics in crossing.items():
        shown = topics[:most]
        more = f" and {len(topics) - len(shown):,} more (--all)" if len(topics) > len(shown) else ""
        lines += entry(cable, f"{', '.join(shown) or 'nothing'}{more}", left=left, width=width)
    return printable("\n".join(lines))


# --- what may be dead --------------------------------------------------------------------------------


def render_location(mesh: Mesh, found: Sequence[Failures]) -> str:
    """Every smallest explanation."""
    if not found:
        return f"{mesh.name}: no failure of links or brokers explains all of this."
    if len(found) == 1:
        return f"{mesh.name}: dead is {found[0]}."
    lines = [f"{mesh.name}: these explain it equally well, and cannot be told apart by it:"]
    return "\n".join([*lines, *(f"  {each}" for each in found)])
