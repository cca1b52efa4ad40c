"""Recovery tables as people read of them: whether they may be relied on, what they cannot do, what they take.

    guarantee      verdict   what it says
    ----------------------------------------------------------
    reachability   holds     whoever has a path left is reached

Below stand the story of what goes wrong, if an override broke something; the failures that no table can
recover from, with the links that would help; and the room that the tables take in three forms.

The super table of a broker and its lookup, as the thesis prints them (6.1.2).

    address  destination  next  colours
    -----------------------------------
          1  b2           b2    1,3,4

The lookup has a row for each destination and a column for each colour. It is printed twice: with next brokers
as in the thesis's matrices, and with addresses in the super table as in its text. Where it is wider than the
page it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from angarium.app.report.layout import (
    GAP,
    amount,
    duration,
    entry,
    paint,
    paragraphs,
    printable,
    widest,
    wrapped,
)
from angarium.app.report.mesh_text import amount_of_failures
from angarium.core.result import Verdict
from angarium.mesh.mesh import SHORTEST
from angarium.mesh.recovery.files.as_json import ranges, ranges_text
from angarium.mesh.recovery.overrides import Override
from angarium.mesh.recovery.recovered import Broken, Recovered
from angarium.mesh.recovery.results import MEANINGS, RecoveryResult, SuperTable, WrittenTables, why_not
from angarium.mesh.recovery.tables import HEALTHY
from angarium.mesh.recovery.unprotected import Cut
from angarium.mesh.recovery.verified import ColourCheck
from angarium.mesh.remarks import left_open
from angarium.mesh.routing.walk import LOOPS, Walk


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


MOST = 8
"""Failures that are told, unless everything is wanted."""
_MARGIN = "  "
Item = TypeVar("Item")


def render(
    result: RecoveryResult,
    *,
    width: int = 80,
    colourful: bool = False,
    everything: bool = False,
) -> str:
    """The whole answer."""
    recovered = result.found
    assert recovered, "what was read from a record has lost its tables"
    page = _Page(recovered, width, colourful, None if everything else MOST)
    parts = [
        page.wrapped(why_not(recovered.mesh)),
        page.header(),
        page.table(),
        page.summary(),
        *(page.violation(name) for name in recovered.verdicts),
        page.detours(),
        page.unprotected(),
        _room(recovered),
        page.end(result.written),
    ]
    return paragraphs(list(part) for part in parts)


@dataclass(frozen=True, slots=True)
class _Page:
    recovered: Recovered
    width: int
    colourful: bool
    most: int | None
    """Of what goes wrong; None for everything."""

    def wrapped(self, text: str, margin: str = "") -> list[str]:
        return wrapped(text, self.width, margin)

    # --- verdicts -----------------------------------------------------------------------------

    def header(self) -> list[str]:
        mesh, colours = self.recovered.mesh, self.recovered.recovery.colours
        counts = f"{amount(len(mesh.brokers), 'broker')}, {amount(len(mesh.cables), 'link')}"
        tried = [amount_of_failures(count, size) for size, count in self.recovered.counts.items()]
        of = f" for {_listed(tried)}" if tried else " for the healthy mesh"
        lines = self.wrapped(f"{mesh.name}: {counts}; {amount(len(colours), 'colour')}{of}.")
        lines[0] = lines[0].replace(mesh.name, paint(mesh.name, "title", self.colourful), 1)
        if mesh.routing.kind != SHORTEST:
            lines += self.wrapped(
                "Tables are calculated over its links, by cost; how it routes now does not count."
            )
        return lines

    def table(self) -> Iterator[str]:
        verdicts = self.recovered.verdicts
        left, column = widest(list(verdicts), len("guarantee")), len("violated")
        yield f"{_MARGIN}{'guarantee':<{left}}{GAP}{'verdict':<{column}}{GAP}what it says"
        yield _MARGIN + "-" * (left + column + 2 * len(GAP) + max(len(MEANINGS[name]) for name in verdicts))
        for name, verdict in verdicts.items():
            word = paint(f"{verdict.value:<{column}}", verdict.value, self.colourful)
            yield f"{_MARGIN}{name:<{left}}{GAP}{word}{GAP}{MEANINGS[name]}"

    def summary(self) -> Iterator[str]:
        check, cut = self.recovered.verification, self.recovered.cut
        delivered = f"{amount(check.delivered, 'message')} delivered"
        text = f"A message from every living broker to every other in every colour: {delivered}"
        text += f", {check.cut_off:,} without any way left" if check.cut_off else ""
        yield from self.wrapped(f"{text}.")
        yield f"Took {duration(self.recovered.seconds)} ({self.recovered.engine} engine)."
        if cut:
            done, all_of = len(self.recovered.recovery.colours), 1 + sum(self.recovered.counts.values())
            yield from self.wrapped(
                f"Not everything was looked at: {cut}. Tables were made for {done:,} of up to {all_of:,}"
                " colours."
            )

    # --- what goes wrong ----------------------------------------------------------------------

    def violation(self, guarantee: str) -> Iterator[str]:
        found = _alike(self.recovered.broken(guarantee), _path)
        if found:
            line = f"{guarantee} violated: {MEANINGS[guarantee]}."
            yield line.replace("violated", paint("violated", "violated", self.colourful), 1)
        for group in found[: self.most]:
            yield from self.story(group)
        yield from self.more(len(found), "path", _MARGIN)

    def story(self, group: Sequence[Broken]) -> Iterator[str]:
        """What goes wrong in the first of some colours, and in which others the same does."""
        broken = group[0]
        count = f"{amount(broken.pairs, 'pair')}, the first " if broken.pairs > 1 else ""
        path = f"{count}{' to '.join(broken.pair)} {told_walk(broken.walk)}"
        yield from self.wrapped(f"{_colours([each.checked for each in group], path)}.", _MARGIN)
        for each in self.recovered.followed(broken):
            yield from self.wrapped(f"It follows the override {told_override(each)}.", _MARGIN * 2)

    def detours(self) -> Iterator[str]:
        longer = self.recovered.verification.detours() if self.recovered.overrides else ()
        found = _alike(longer, lambda each: (each.longer, each.extra, each.first_longer))
        if found:
            yield "Overrides make paths dearer than they need be, which breaks nothing:"
        for group in found[: self.most]:
            checked = group[0]
            pairs = f"{amount(checked.longer, 'pair')}, by up to {checked.extra:,}"
            first = f", the first {' to '.join(checked.first_longer)}" if checked.first_longer else ""
            yield from self.wrapped(f"{_colours(group, pairs + first)}.", _MARGIN)
        yield from self.more(len(found), "kind", _MARGIN)

    # --- what cannot be protected -------------------------------------------------------------

    def unprotected(self) -> Iterator[str]:
        found, failures = self.recovered.unprotected, len(self.recovered.recovery.colours) - 1
        if not found:
            return
        yield from self.wrapped(
            f"Not protected: {len(found.cuts):,} of {amount(failures, 'failure')}"
            f" leave{'s' if len(found.cuts) == 1 else ''} brokers without a path, whatever the tables say."
        )
        for cut in found.cuts[: self.most]:
            yield from self.wrapped(_told_cut(cut), _MARGIN)
        yield from self.more(len(found.cuts), "failure", _MARGIN)
        yield from self.additions()

    def additions(self) -> Iterator[str]:
        found = self.recovered.unprotected
        if not found.additions:
            return
        links = [f"{each.one} {'-' if each.both_ways else '->'} {each.other}" for each in found.additions]
        fewer = "and no fewer links would do" if found.smallest else "perhaps fewer links would do"
        yield from self.wrapped(
            f"To protect against {'it' if len(found.cuts) == 1 else 'all of them'}, add"
            f" {amount(len(links), 'link')} ({fewer}):"
        )
        yield from self.wrapped(", ".join(links), _MARGIN)

    def more(self, count: int, noun: str, margin: str = "") -> Iterator[str]:
        left = 0 if self.most is None else count - self.most
        if left > 0:
            yield f"{margin}and {amount(left, f'more {noun}')} (--all)"

    # --- the rest -----------------------------------------------------------------------------

    def end(self, written: WrittenTables | None) -> list[str]:
        if written:
            files = amount(written.files, "file")
            return self.wrapped(f"Wrote {written.folder}: {files}, {written.bytes:,} bytes.")
        if not self.recovered.holds:
            open_, sure = (
                left_open(self.recovered.mesh),
                Verdict.VIOLATED not in self.recovered.verdicts.values(),
            )
            why = "the files leave something open" if open_ and sure else "these tables must not be relied on"
            return [f"Nothing is written: {why}."]
        return []


def _room(recovered: Recovered) -> Iterator[str]:
    sizes, brokers = recovered.sizes, len(recovered.mesh.brokers)
    rows = [
        ("plain tables", int(sizes.plain_entries.sum()), int(sizes.plain.sum())),
        ("super tables with lookup", int(sizes.condensed_entries.sum()), int(sizes.condensed.sum())),
        ("compact tables", None, int(sizes.compact.sum())),
    ]
    heads = ("room for all brokers", "entries", "bytes", "bytes a broker")
    cells = [heads] + [
        (name, "" if entries is None else f"{entries:,}", f"{size:,}", f"{size / brokers:,.1f}")
        for name, entries, size in rows
    ]
    columns = [widest([row[column] for row in cells]) for column in range(len(heads))]
    for number, row in enumerate(cells):
        rest = GAP.join(f"{cell:>{column}}" for cell, column in zip(row[1:], columns[1:], strict=True))
        yield f"{_MARGIN}{row[0]:<{columns[0]}}{GAP}{rest}"
        if not number:
            yield _MARGIN + "-" * (sum(columns) + len(GAP) * (len(columns) - 1))


def _listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def _alike(items: Iterable[Item], key: Callable[[Item], object]) -> list[list[Item]]:
    """Items of the same kind together, in the order in which the first of a kind comes."""
    groups: dict[object, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _path(broken: Broken) -> tuple[object, ...]:
    walk = broken.walk
    return broken.pair, walk.brokers, walk.end, walk.reason


def _colours(checked: Sequence[ColourCheck], what: str) -> str:
    """What happens in the first of some colours, and that it is the same in the others."""
    others = ranges_text(ranges(each.colour for each in checked[1:])).replace(",", ", ")
    same = f"; the same in colour{'s' if len(checked) > 2 else ''} {others}" if others else ""
    return f"{_colour(checked[0])}: {what}{same}"


def _colour(checked: ColourCheck) -> str:
    return f"colour {checked.colour}" + (
        f", without {checked.failures}" if checked.colour != HEALTHY else ", the healthy mesh"
    )


def _told_cut(cut: Cut) -> str:
    parts = [_some(part) for part in cut.parts]
    apart = f": {parts[0]} from {_listed(parts[1:])}" if len(parts) > 1 else ""
    return f"colour {cut.colour}, without {cut.failures}, {amount(cut.pairs, 'pair')}{apart}"


def _some(names: Sequence[str]) -> str:
    few = ", ".join(names[:3])
    return f"{{{few}}}" if len(names) <= 3 else f"{{{few} and {len(names) - 3:,} more}}"


def told_walk(walk: Walk) -> str:
    """How a message goes; a round in brackets."""
    if walk.arrives:
        return f"goes {' > '.join(walk.brokers)}"
    if walk.end == LOOPS:
        circle = " > ".join(walk.brokers[walk.round :])
        return f"goes round for ever, {' > '.join([*walk.brokers[: walk.round], f'({circle} > …)'])}"
    return f"is lost at {walk.brokers[-1]}: {walk.reason}, {' > '.join(walk.brokers)}"


def told_override(override: Override) -> str:
    """As it is written in a command, and where it was read."""
    words = f"{override.broker}->{override.destination}={override.next}"
    return f"{words} ({override.place})" if override.place else words
