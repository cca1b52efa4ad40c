"""The super table of a broker and its lookup, as the thesis prints them (6.1.2).

    address  destination  next  colours
    -----------------------------------
          1  b2           b2    1,3,4

The lookup has a row for each destination and a column for each colour. It is printed twice: with next brokers
as in the thesis's matrices, and with addresses in the super table as in its text. Where it is wider than the
page it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from angarium.app.report.layout import GAP, amount, entry, paragraphs, printable, widest
from angarium.app.report.record import Record
from angarium.mesh.recovery.condensed import Condensed, condensed
from angarium.mesh.recovery.files.super_rows import ranges, told
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.routing.graph import NONE

_MARGIN = "  "


def render_super_table(recovery: Recovery, broker: str, *, width: int = 80) -> str:
    """The super table of a broker, and its lookup if there is room for it."""
    table = condensed(recovery, recovery.graph.number(broker))
    names = [printable(name) for name in recovery.graph.names]
    next_hops = [[names[each] if each != NONE else "-" for each in row] for row in table.next_hops.tolist()]
    pointers = [[str(each) if each else "-" for each in row] for row in table.pointers.tolist()]
    count = f"{amount(len(table), 'row')} for {amount(len(recovery.colours), 'colour')}"
    return paragraphs(
        [
            [f"Super table of {printable(broker)}: {count}."],
            list(_rows(table, names, width)),
            list(_lookup("next broker", names, next_hops, width)),
            list(_lookup("address", names, pointers, width)),
        ]
    )


def _rows(table: Condensed, names: Sequence[str], width: int) -> Iterator[str]:
    column = widest(names, len("destination"))
    heads = f"{'address'}{GAP}{'destination':<{column}}{GAP}{'next':<{column}}"
    yield f"{_MARGIN}{heads}{GAP}colours"
    yield f"{_MARGIN}{'-' * (len(heads) + len(GAP) + len('colours'))}"
    for address, row in enumerate(table.rows, start=1):
        after = names[row.next] if row.next != NONE else "no way"
        ends = f"{names[row.destination]:<{column}}{GAP}{after:<{column}}"
        label, left = f"{_MARGIN}{address:>7}{GAP}{ends}", len(_MARGIN) + len(heads)
        yield from entry(label, told(ranges(row.colours)).replace(",", ", "), left=left, width=width)


def _lookup(what: str, names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    colours = [str(number) for number in range(1, len(rows[0]) + 1)]
    cell = widest([each for row in (colours, *rows) for each in row])
    left = widest(names, len("destination"))
    if len(_MARGIN) + left + (cell + len(GAP)) * len(colours) > width:
        cells = f"{len(names):,} x {len(colours):,} cells"
        yield f"The lookup ({what}) has {cells} and no room here: --json has it."
        return
    yield f"{what} by destination and colour:"
    for name, row in (("destination", colours), *zip(names, rows, strict=True)):
        cells = GAP.join(f"{each:<{cell}}" for each in row)
        yield f"{_MARGIN}{name:<{left}}{GAP}{cells}".rstrip()


def super_table_record(recovery: Recovery, broker: str) -> Record:
    """The same for programs."""
    table, names = condensed(recovery, recovery.graph.number(broker)), recovery.graph.names
    rows = [
        {
            "destination": names[row.destination],
            "next": names[row.next] if row.next != NONE else None,
            "colours": list(row.colours),
        }
        for row in table.rows
    ]
    next_hops = [[names[each] if each != NONE else None for each in row] for row in table.next_hops.tolist()]
    return {
        "broker": broker,
        "super_table": rows,
        "next_hops": dict(zip(names, next_hops, strict=True)),
        "addresses": dict(zip(names, table.pointers.tolist(), strict=True)),
    }
