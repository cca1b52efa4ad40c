"""Which guarantees noticed which mutants, as text.

    guarantees that hold in the model
      A  no-loss
      B  no-duplicates

    A B  mutant
    x .  drop-guard at send, line 12: the condition `len(box) < 2` is dropped
    . .  drop-update at receive, line 20: ...                        survived

A mutant that survived shows either that it behaves alike, or that no guarantee looks there.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from textwrap import wrap

from angarium.app.report.layout import amount, entry, paint
from angarium.checker.logic.mutate import MutantResult, MutationTable

_MARK = {True: "x", False: "."}


def render(table: MutationTable, *, width: int = 80, colourful: bool = False) -> str:
    """The table, and what to learn from it."""
    if not table.rows and table.cut:
        return f"No mutant was checked. Cut ({table.cut})."
    if not table.rows:
        return "There is nothing in this model that could be broken on purpose."
    letters = _letters(len(table.guarantees))
    parts = [_legend(table, letters), _grid(table, letters, width, colourful), _lessons(table, width)]
    return "\n\n".join("\n".join(lines) for lines in parts)


def _letters(count: int) -> list[str]:
    """A, B .. Z, and beyond that AA, AB .. as columns of a sheet."""
    pairs = (first + second for first in ("", *ascii_uppercase) for second in ascii_uppercase)
    return [letter for letter, _ in zip(pairs, range(count), strict=False)]


def _legend(table: MutationTable, letters: Sequence[str]) -> list[str]:
    pairs = zip(letters, table.guarantees, strict=True)
    return ["Guarantees that hold in the model:", *(f"  {letter}  {name}" for letter, name in pairs)]


def _grid(table: MutationTable, letters: Sequence[str], width: int, colourful: bool) -> list[str]:
    head = " ".join(letters)
    left = max(len(head), len("noticed by"))
    lines = [f"{'noticed by':<{left}}  mutant", f"{head:<{left}}", "-" * width]
    for row in table.rows:
        first, *rest = entry("", f"{row.place}: {row.description}", left=left, width=width)
        marks = f"{_marks(table, row, letters):<{left}}"
        lines += [f"{_painted(row, marks, colourful)}{first[left:]}", *rest]
    return [line.rstrip() for line in lines]


def _marks(table: MutationTable, row: MutantResult, letters: Sequence[str]) -> str:
    """A mark under each guarantee's letter, or what became of a mutant that nothing noticed."""
    if row.verdict != "noticed":
        return row.verdict
    pairs = zip(letters, table.guarantees, strict=True)
    return " ".join(f"{_MARK[name in row.noticed]:<{len(letter)}}" for letter, name in pairs)


def _painted(row: MutantResult, marks: str, colourful: bool) -> str:
    return marks if row.verdict == "noticed" else paint(marks, row.verdict, colourful)


def _lessons(table: MutationTable, width: int) -> list[str]:
    noticed = sum(row.verdict == "noticed" for row in table.rows)
    unknown = sum(row.verdict == "unknown" for row in table.rows)
    counts = [f"{noticed} noticed", f"{len(table.survivors)} survived", f"{unknown} unknown"]
    texts = [f"{amount(len(table.rows), 'mutant')}: {', '.join(counts)}."]
    if table.cut:
        texts.append(f"Cut ({table.cut}): there may be more mutants, and nothing is said of them.")
    if table.survivors:
        texts.append(
            "A mutant that survived either behaves like the model, or breaks something"
            " that no guarantee asks for."
        )
    if table.idle:
        texts.append(f"Guarantees that noticed nothing: {', '.join(table.idle)}.")
    return [line for text in texts for line in wrap(text, width, break_on_hyphens=False)]
