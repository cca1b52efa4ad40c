"""Text in columns for a terminal: wrapping, numbers and colours.

Colours are those of the terminal's own palette, and never the only way in which something is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from angarium.core.escaping import plain

COLOURS = {
    "holds": "32",
    "violated": "1;31",
    "unknown": "33",
    "noticed": "32",
    "survived": "1;31",
    "title": "1",
}
GAP = "  "


def paint(text: str, colour: str, colourful: bool) -> str:
    """The text in a colour, if colours are wanted."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if colourful else text


def printable(text: str) -> str:
    """Text of others as it is shown, in every column and on every page."""
    return plain(text)


def entry(label: str, text: str, *, left: int, width: int) -> list[str]:
    """A label of `left` columns and the text behind it, wrapped in its own column, or below if narrow."""
    room = width - left - len(GAP)
    if room < width // 4:
        return [*([label] if label else []), *entry("", text, left=0, width=width)]
    lines = wrap(text, room, break_on_hyphens=False) or [""]
    labels = [label, *[""] * (len(lines) - 1)]
    return [f"{head:<{left}}{GAP}{line}".rstrip() for head, line in zip(labels, lines, strict=True)]


def wrapped(text: str, width: int, margin: str = "") -> list[str]:
    """A paragraph of others' words in lines, each behind the margin."""
    return wrap(
        printable(text), width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )


def paragraphs(parts: Iterable[Sequence[str]]) -> str:
    """Parts of a report with an empty line between two; a part without lines is left out."""
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def gathered(value: Sequence[str | Sequence[str]] | Mapping[str, object]) -> str:
    """A relation as a set, a function as a mapping: {(0, m)}, {m: 0}."""
    if isinstance(value, Mapping):
        members = [f"{key}: {each}" for key, each in value.items()]
    else:
        members = [each if isinstance(each, str) else f"({', '.join(each)})" for each in value]
    return f"{{{', '.join(members)}}}"


def widest(words: Sequence[str], least: int = 0) -> int:
    """How many columns the words need."""
    return max([least, *map(len, words)])


def amount(count: int, noun: str) -> str:
    """`1 state`, `2,000 states`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def rounded(count: float) -> str:
    """A number that is not exact, in three digits: 12,345,678 is 12.3 M."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if count >= unit:
            scaled = count / min(unit, 1e3 if name == " k" else unit)
            return f"{scaled:.3g}{name}" if scaled < 1000 else f"{scaled:.0f}{name}"
    return f"{count:,.0f}"


def memory(size: float) -> str:
    """Bytes in units of 1024: 2.5 GiB."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def duration(seconds: float) -> str:
    """Seconds as people say them: 0.42 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
