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
from angarium.mesh.recovery.files.as_json import ranges, ranges_text
from angarium.mesh.recovery.results import SuperTable

_MARGIN = "  "


def render_super_table(table: SuperTable, *, width: int = 80) -> str:
    """The super table of a broker, and its lookup if there is room for it."""
    names = [printable(name) for name in table.next_hops]
    next_hops = [[printable(each or "-") for each in row] for row in table.next_hops.values()]
    pointers = [[str(each) if each else "-" for each in row] for row in table.addresses.values()]
    count = f"{amount(len(table.super_table), 'row')} for {amount(len(next_hops[0]), 'colour')}"
    return paragraphs(
        [
            [f"Super table of {printable(table.broker)}: {count}."],
            list(_rows(table, names, width)),
            list(_lookup("next broker", names, next_hops, width)),
            list(_lookup("address", names, pointers, width)),
        ]
    )


def _rows(table: SuperTable, names: Sequence[str], width: int) -> Iterator[str]:
    column = widest(names, len("destination"))
    heads = f"{'address'}{GAP}{'destination':<{column}}{GAP}{'next':<{column}}"
    yield f"{_MARGIN}{heads}{GAP}colours"
    yield f"{_MARGIN}{'-' * (len(heads) + len(GAP) + len('colours'))}"
    for address, row in enumerate(table.super_table, start=1):
        after = printable(row.next) if row.next is not None else "no path"
        ends = f"{printable(row.destination):<{column}}{GAP}{after:<{column}}"
        label, left = f"{_MARGIN}{address:>7}{GAP}{ends}", len(_MARGIN) + len(heads)
        yield from entry(label, ranges_text(ranges(row.colours)).replace(",", ", "), left=left, width=width)


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
