"""What a change to a mesh changes, for a review of the change: the bad news first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from textwrap import wrap

from angarium.app.report.layout import amount, paint, paragraphs, printable
from angarium.mesh.verify.difference import KINDS, WORSE, Difference, Received

MOST = 10
_MARGIN = "  "


def render(
    old: str,
    new: str,
    differences: Sequence[Difference],
    *,
    width: int = 80,
    colourful: bool = False,
    everything: bool = False,
    unsure: bool = False,
) -> str:
    """All differences, by kind; unsure, if files leave something open."""
    if not differences:
        so = " as far as the files tell" if unsure else ""
        return f"{old} and {new}: every subscriber gets the same, as often and as soon{so}."
    most = len(differences) if everything else MOST
    parts = [[f"From {old} to {new}:"]]
    for kind, group in groupby(differences, key=lambda each: each.kind):
        parts.append(_kind(kind, list(group), width, colourful, most))
    return paragraphs(parts)


def _kind(kind: str, found: Sequence[Difference], width: int, colourful: bool, most: int) -> list[str]:
    word = paint(kind, "violated" if kind in WORSE else "holds", colourful)
    lines = [f"{word} ({KINDS[kind]}): {amount(len(found), 'topic')}"]
    for each in found[:most]:
        text = printable(f"{each.subscriber}: {each.topic} from {each.publisher}{_DETAILS[kind](each)}")
        lines += wrap(
            text, width, initial_indent=_MARGIN, subsequent_indent=_MARGIN * 2, break_on_hyphens=False
        )
    left = len(found) - most
    return lines + ([f"{_MARGIN}and {left:,} more (--all)"] if left > 0 else [])


def _copies(received: Received | None) -> str:
    if received is None:
        return "none"
    return "without end" if received.copies is None else str(received.copies)


def _counts(each: Difference) -> str:
    return f", copies: {_copies(each.new)} instead of {_copies(each.old)}"


def _pace(each: Difference) -> str:
    assert each.old and each.new
    if each.old.latency != each.new.latency:
        return f", {each.new.latency:g} ms instead of {each.old.latency:g} ms"
    return f", {amount(len(each.new.path), 'hop')} instead of {len(each.old.path)}"


def _deadly(received: Received | None) -> str:
    assert received
    first = min(received.deadly, key=lambda failures: (len(failures), str(failures)))
    return f" without {first}"


_DETAILS: dict[str, Callable[[Difference], str]] = {
    "lost": lambda each: "",
    "gained": lambda each: "",
    "doubled": _counts,
    "once": _counts,
    "slower": _pace,
    "faster": _pace,
    "exposed": lambda each: f", lost{_deadly(each.new)}",
    "protected": lambda each: f", no longer lost{_deadly(each.old)}",
}
