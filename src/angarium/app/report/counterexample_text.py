"""A counterexample as people read it: which elements there are, the call, and the states side by side.

must be true  (y in self.spec.contents) == ((y.num, y) in self.map.pairs)
written in    queue.py:45
elements      Message m; Number 0
where         m.num = 0
call          delete_all(seq=0)

state      before    after
contents   {m}       {}
map.pairs  {(0, m)}  {(0, m)}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from angarium.app.report.layout import GAP, entry, gathered, widest
from angarium.contracts.obligations import Counterexample, Obligation, Snapshot

_MARGIN = "  "
_LEFT = len("must be true")


def render(counterexample: Counterexample, obligation: Obligation, width: int) -> list[str]:
    """The lines below the title of a violation."""
    place = obligation.place
    labels = {
        "must be true": obligation.text,
        "elements": "; ".join(f"{sort} {', '.join(names)}" for sort, names in counterexample.sorts.items()),
        "where": "; ".join(_facts(counterexample.facts)),
        "call": _call(counterexample),
    }
    room = width - len(_MARGIN)
    lines = [
        line for label, text in labels.items() if text for line in entry(label, text, left=_LEFT, width=room)
    ]
    lines.append(f"{'written in':<{_LEFT}}{GAP}{place.file}:{place.line}")  # to copy: it is not broken
    table = list(_states(counterexample.snapshots, room))
    return [f"{_MARGIN}{line}".rstrip() for line in [*lines, *([""] if table else []), *table]]


def _facts(facts: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """`m.num = 0`, as the source would ask for it."""
    for name, table in facts.items():
        for arguments, value in table.items():
            where = (
                f"{name}({arguments})" if "," in arguments else f"{arguments}.{name}" if arguments else name
            )
            yield f"{where} = {value}"


def _call(counterexample: Counterexample) -> str:
    if counterexample.operation is None:
        return ""
    results = _pairs(counterexample.results)
    answer = f", which answers {results}" if results else ""
    return f"{counterexample.operation}({_pairs(counterexample.arguments)}){answer}"


def _pairs(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


# --- states ---------------------------------------------------------------------------------


def _states(snapshots: tuple[Snapshot, ...], width: int) -> Iterator[str]:
    """One column a moment, one row a symbol."""
    if not any(snapshot.symbols for snapshot in snapshots):
        return
    names = list(dict.fromkeys(name for snapshot in snapshots for name in snapshot.symbols))
    columns = [[each.name, *(_value(each.symbols.get(name)) for name in names)] for each in snapshots]
    left = widest(["state", *names])
    most = (width - left) // len(columns) - len(GAP)
    widths = [min(most, widest(column)) for column in columns]
    for label, *cells in zip(["state", *names], *columns, strict=True):
        wrapped = [wrap(cell, room) or [""] for cell, room in zip(cells, widths, strict=True)]
        for number, lines in enumerate(zip_longest(*wrapped, fillvalue="")):
            row = [f"{line:<{room}}" for line, room in zip(lines, widths, strict=True)]
            yield GAP.join([f"{label if number == 0 else '':<{left}}", *row])


def _value(value: Any) -> str:  # noqa: ANN401 (as a snapshot has it)
    """A relation as a set, a function as a mapping, else the thing itself."""
    match value:
        case bool():
            return str(value).lower()
        case list() | dict():
            return gathered(value)
        case _:
            return str(value)
