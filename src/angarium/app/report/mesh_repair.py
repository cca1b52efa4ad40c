"""Repairs of a mesh: what to change, and what then holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from angarium.app.report.layout import paragraphs, wrapped
from angarium.app.report.mesh_open import any_open
from angarium.mesh.mesh import Mesh
from angarium.mesh.repair import Miss, Outcome, Repair

_MARGIN = "  "
MOST_LOST = 4
"""Who is cut off, at most so many by name."""


def render(mesh: Mesh, outcome: Outcome, *, command: str = "", width: int = 80) -> str:
    """Every repair, by guarantee; and how to ask for a patch, if the command can be given again for one."""
    told = "nothing of what the files tell is broken" if any_open([mesh]) else "nothing is broken"
    if not outcome.repairs and not outcome.unmended:
        return f"{mesh.name}: {told} that a change would have to mend."
    unsure = any_open([mesh])
    parts = [
        _guarantee(name, list(group), width, unsure)
        for name, group in groupby(outcome.repairs, _guarantee_of)
    ]
    parts += [_unmended(name, miss, width) for name, miss in outcome.unmended.items()]
    if outcome.cut:
        parts.append([f"Not all changes were tried: {outcome.cut}."])
    if outcome.repairs and command:
        advice = f"Write the first as a patch: {command} --patch mend.patch"
        parts.append(wrap(advice, width, break_on_hyphens=False))
    return paragraphs(parts)


def _unmended(name: str, miss: Miss | None, width: int) -> list[str]:
    lines = [f"{name}: no change that was tried mends it and breaks nothing."]
    if miss:
        lines += [line for text in _told(miss) for line in wrapped(text, width, _MARGIN)]
    return lines


def _told(miss: Miss) -> Iterator[str]:
    """What it costs first, then what it is: nobody shall apply it and be cut off."""
    if miss.lost:
        pairs = dict.fromkeys(f"{each.subscriber} from {each.publisher}" for each in miss.lost)
        some = ", ".join(list(pairs)[:MOST_LOST])
        more = f" and {len(pairs) - MOST_LOST:,} more" if len(pairs) > MOST_LOST else ""
        yield f"The nearest cuts off what arrives now ({some}{more}; first {miss.lost[0].topic})."
    if miss.breaks:
        broken = ", ".join(f"{guarantee} ({size})" for guarantee, size in miss.breaks)
        yield f"{'It' if miss.lost else 'The nearest'} breaks {broken}."
    yield f"It is to {' and '.join(map(str, miss.changes))}."


def _guarantee_of(repair: Repair) -> str:
    return repair.guarantee


def _guarantee(name: str, repairs: Sequence[Repair], width: int, unsure: bool) -> list[str]:
    """What mends it; if files leave something open, only as far as they tell."""
    size = "the smallest" if repairs[0].smallest else "perhaps not the smallest"
    lines = [f"{name} holds, and nothing else breaks, with ({size}):"]
    if unsure:
        lines = wrapped(f"{name}: what the files tell to be broken is mended by ({size}):", width)
    for number, repair in enumerate(repairs):
        lines += [f"{_MARGIN}or"] if number else []
        for change in repair.changes:
            text = f"- {change}"
            lines += wrap(
                text, width, initial_indent=_MARGIN, subsequent_indent=_MARGIN * 2, break_on_hyphens=False
            )
    return lines
