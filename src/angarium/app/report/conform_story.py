"""Sequences of calls in three columns: the call, what it answered, and what ought to be there then.

Where these do not fit side by side, because numbers or payloads are long, the third stands below the others.

The last row of a story says what is wrong instead: what should have been answered, or which conjecture is
false of the state, or that no answer came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TypeAlias

from angarium.app.report.layout import GAP
from angarium.contracts.monitor.real_values import alternatives, shown, shown_state
from angarium.contracts.monitor.rules import Rule
from angarium.contracts.monitor.shortest import Broken, ShownCall

Row: TypeAlias = tuple[str, str, str]
_HEADS: Row = ("call", "answer", "what ought to be there then")
_FIRST, _LAST = 5, 15
"""Of many calls, only these are shown."""


def broken_table(broken: Broken, width: int) -> list[str]:
    """How a rule was broken."""
    return _table([*_in_part(_rows(broken.story[:-1], len(broken.story))), _last_row(broken)], width)


def hanging_table(told: Sequence[ShownCall], width: int) -> list[str]:
    """The last calls before one that did not answer."""
    *before, last = told
    answered = ((call, answer, "") for call, answer, _ in _rows(before, len(told)))
    state = f"{shown_state(last.state)}; it had not answered"
    return _table([*_in_part(answered), (f"{len(told)} {last.call}", "none", state)], width)


def _in_part(rows: Iterable[Row]) -> list[Row]:
    """All rows, or of many the first and the last."""
    known = list(rows)
    left_out = len(known) - _FIRST - _LAST
    if left_out <= 1:
        return known
    return [*known[:_FIRST], (f"... {left_out:,} more calls", "", "(--json shows all)"), *known[-_LAST:]]


def _rows(told: Sequence[ShownCall], length: int) -> Iterator[Row]:
    digits = len(str(length))
    for number, each in enumerate(told, 1):
        yield f"{number:>{digits}} {each.call}", _answer(each), shown_state(each.state)


def _last_row(broken: Broken) -> Row:
    last = broken.story[-1]
    return f"{len(broken.story)} {last.call}", _answer(last), _what_is_wrong(broken)


def _answer(told: ShownCall) -> str:
    return shown(told.call.answer) if told.call.raised is None else "raises"


def _what_is_wrong(broken: Broken) -> str:
    violation = broken.violation
    if violation.why:
        return f"{shown_state(violation.after or violation.before)}; {violation.why}"
    raised = violation.call.raised
    what = (
        f"{': '.join(filter(None, (type(raised).__name__, str(raised))))}; it " if raised is not None else ""
    )
    return f"{what}should have answered{_needed(broken.rule, violation.allowed)}"


def _needed(rule: Rule, allowed: Sequence[object]) -> str:
    if allowed:
        return f" {alternatives(allowed)}"
    kind, _, rest = rule.text.partition(" ")
    return f" something with {rest}" if kind == "ensure" else rule.text.removeprefix("answers")


def _table(body: Sequence[Row], width: int) -> list[str]:
    """In columns, if they are wide enough."""
    columns = list(zip(_HEADS, *body, strict=True))
    left, middle = (max(map(len, cells)) for cells in columns[:2])
    right = width - left - middle - 2 * len(GAP)
    if right < max(len(word) for cell in columns[2] for word in (_HEADS[2], *cell.split())):
        return _stacked(body, width)
    head, *others = ([*_cells(row, (left, middle, right))] for row in (_HEADS, *body))
    return [*head, "-" * width, *(line for cells in others for line in cells)]


def _stacked(body: Sequence[Row], width: int) -> list[str]:
    """Long numbers and payloads need whole lines."""
    lines = [f"{_HEADS[0]} -> {_HEADS[1]}, and {_HEADS[2]}", "-" * width]
    for call, answer, then in body:
        lines += wrap(f"{call} -> {answer}" if answer else call, width, subsequent_indent=" " * 4)
        lines += wrap(then, width, initial_indent=" " * 4, subsequent_indent=" " * 6)
    return lines


def _cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """A row's lines: each text wrapped in its own column."""
    texts = [wrap(text, width, break_on_hyphens=False) for text, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*texts, fillvalue=""):
        yield GAP.join(f"{part:<{width}}" for part, width in zip(parts, widths, strict=True)).rstrip()
