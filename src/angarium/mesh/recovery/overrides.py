"""Entries that an operator wants otherwise than they were calculated, in one colour or in all.

The tables with overrides in them must be verified again: an override that is right in the healthy mesh may
lead into a dead link in some colour, or in a circle; and whatever it does, the path may be longer.

They are given as words of a command, or as a file:

    --override 'b1->b3=b2'       at b1, what is for b3 goes to b2
    --override 'b1->b3=b2@4'     the same, in colour 4 only

    overrides:                                                   # a YAML file
      - {at: b1, to: b3, next: b2}
      - {at: b1, to: b3, next: b5, dead: [b1-b2, b1-b3]}         # while just these are dead
      - {at: b1, to: b3, next: b2, colour: 4}

An override without a colour is for every colour in which it can be followed: a link to the next broker lives,
and neither of the two nor the destination is dead. Elsewhere the calculated entry stays, because an entry
that leads into a dead link helps nobody. One for a colour counts more than one without.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from angarium.core.errors import MeshError, Place, UsageError, did_you_mean
from angarium.mesh.files import shapes
from angarium.mesh.files.names import Names
from angarium.mesh.files.nodes import Node, Source, opened, parsed
from angarium.mesh.mesh import Mesh
from angarium.mesh.recovery.exceptions import Packed, as_words, from_words
from angarium.mesh.recovery.tables import HEALTHY, Colours, Recovery
from angarium.mesh.routing.graph import Graph, Ints, graph_of
from angarium.mesh.topics.dialects import legal
from angarium.mesh.verify.budget import failed

Pair = tuple[int, int]
"""A broker and a destination."""
Wanted = Mapping[int | None, int]
"""The next broker by colour; that of None is for all colours that are not named."""


@dataclass(frozen=True, slots=True)
class Override:
    """An entry that an operator wants, by the names of brokers."""

    broker: str
    destination: str
    next: str
    colour: int | None = None
    """None: in every colour."""
    place: Place | None = field(default=None, compare=False)


def overridden(recovery: Recovery, overrides: Iterable[Override]) -> Recovery:
    """Other tables, with these entries; one for a colour counts more than one for all.

    MeshError if a name or a colour is not known, a next broker is no neighbour, or an entry is given twice.
    """
    healthy, wanted = recovery.healthy.copy(), _by_pair(recovery, overrides)
    parts = [_others(recovery, wanted)]
    for (broker, destination), entries in wanted.items():
        column = _replaced(recovery.of_broker(broker).to(destination), entries)
        healthy[broker, destination] = column[0]
        places = np.flatnonzero(column != column[0])
        parts.append(as_words(places - 1, destination, broker, column[places]))
    together = np.sort(np.concatenate(parts))
    exceptions = from_words([together], [len(recovery.colours) - 1])
    return replace(recovery, healthy=healthy, exceptions=exceptions)


def _by_pair(recovery: Recovery, overrides: Iterable[Override]) -> dict[Pair, dict[int | None, int]]:
    wanted: dict[Pair, dict[int | None, int]] = {}
    for each in overrides:
        number = recovery.graph.number
        _check(recovery, each)
        entries = wanted.setdefault((number(each.broker), number(each.destination)), {})
        if each.colour in entries:
            raise _twice(each)
        entries[each.colour] = number(each.next)
    return wanted


def _replaced(column: Ints, entries: Wanted) -> Ints:
    """A broker's next ones to a destination, by colour."""
    found = np.full_like(column, entries[None]) if None in entries else column
    for colour, after in entries.items():
        if colour is not None:
            found[colour - HEALTHY] = after
    return found


def _others(recovery: Recovery, pairs: Collection[Pair]) -> Packed:
    """The exceptions of all entries that are not overridden."""
    found, brokers = recovery.exceptions, recovery.graph.brokers
    requested = [broker * brokers + destination for broker, destination in pairs]
    kept = ~np.isin(found.brokers.astype(np.int64) * brokers + found.destinations, requested)
    failures = found.colours[kept] - HEALTHY - 1
    return as_words(failures, found.destinations[kept], found.brokers[kept], found.next[kept])


# --- what cannot be wanted ----------------------------------------------------------------------


def _check(recovery: Recovery, wanted: Override) -> None:
    graph = recovery.graph
    at, to = graph.number(wanted.broker), graph.number(wanted.destination)
    if at == to:
        raise MeshError(
            "ANG121",
            f"an override sends what is for {wanted.broker} away from it",
            possible="another destination",
            remedy="what has arrived goes no further: leave this override out",
            place=wanted.place,
        )
    near = [graph.names[target] for target in graph.targets[graph.rows[at] : graph.rows[at + 1]].tolist()]
    if wanted.next not in near:
        raise MeshError(
            "ANG123",
            f"an override sends from {wanted.broker} to {wanted.next}, and no link leads there",
            possible=did_you_mean(wanted.next, near),
            remedy="name a broker that a link leads to",
            place=wanted.place,
        )
    if wanted.colour is not None:
        recovery.checked(wanted.colour)


def _twice(wanted: Override) -> MeshError:
    where = "every colour" if wanted.colour is None else f"colour {wanted.colour}"
    return MeshError(
        "ANG122",
        f"two overrides are for {wanted.broker} to {wanted.destination} in {where}",
        possible="one for all colours, and one for each of some colours",
        remedy="leave one of them out",
        place=wanted.place,
    )


KEYS = ("at", "to", "next", "colour", "dead")
_WORD = re.compile(r"(?P<at>.+?)->(?P<to>.+?)=(?P<next>.+?)(?:@(?P<colour>\d{1,9}))?", re.ASCII)


def wanted(mesh: Mesh, colours: Colours, words: Iterable[str], file: str | None = None) -> list[Override]:
    """What the words and the file ask for, each for a colour."""
    requested = [*map(_of_word, words), *(_of_file(mesh, colours, file) if file else ())]
    graph = graph_of(mesh)
    named = {(each.broker, each.destination, each.colour) for each in requested if each.colour is not None}
    return [one for each in requested for one in _by_colour(graph, colours, each, named)]


def _by_colour(
    graph: Graph, colours: Colours, wanted: Override, named: set[tuple[str, str, int | None]]
) -> Iterator[Override]:
    ends = [graph.position.get(name) for name in (wanted.broker, wanted.next, wanted.destination)]
    hop = None if None in ends else graph.hop_between.get((ends[0] or 0, ends[1] or 0))
    if wanted.colour is not None or hop is None:
        yield wanted  # what cannot be at all is refused where it is applied
        return
    for colour in colours:
        dead = colours[colour].brokers & {wanted.broker, wanted.next, wanted.destination}
        taken = (wanted.broker, wanted.destination, colour) in named
        if not dead and not taken and graph.link(hop, colours[colour]):
            yield replace(wanted, colour=colour)


def _of_word(word: str) -> Override:
    match = _WORD.fullmatch(word)
    if not match:
        raise UsageError(
            "ANG013",
            f"--override {word!r} does not say what goes where",
            possible="AT->DESTINATION=NEXT, or AT->DESTINATION=NEXT@COLOUR",
            remedy="for example --override 'b1->b3=b2'",
        )
    at, to, after = (match[part].strip() for part in ("at", "to", "next"))
    return Override(at, to, after, int(match["colour"]) if match["colour"] else None)


def _of_file(mesh: Mesh, colours: Colours, path: str) -> Iterator[Override]:
    source = opened(path)
    root = parsed(source)
    entries = shapes.table(source, root, "a file of overrides", ("overrides",))
    names = Names(source, {broker.name: broker for broker in mesh.brokers}, legal)
    for item in shapes.several(shapes.needed(source, root, entries, "overrides", "a file of overrides")):
        yield _of_item(mesh, colours, names, item)


def _of_item(mesh: Mesh, colours: Colours, names: Names, node: Node) -> Override:
    source = names.source
    entries = shapes.table(source, node, "an override", KEYS)
    at, to, after = (
        names.broker(shapes.needed(source, node, entries, key, "an override"), f"{key} of an override")
        for key in ("at", "to", "next")
    )
    return Override(at, to, after, _colour(mesh, colours, source, entries), source.place(node))


def _colour(mesh: Mesh, colours: Colours, source: Source, entries: Mapping[str, Node]) -> int | None:
    if "colour" in entries and "dead" in entries:
        raise shapes.wrong(
            source, entries["dead"], "an override has a colour and says what is dead", "one of them"
        )
    if "colour" in entries:
        return shapes.whole(source, entries["colour"], "colour", 1)
    if "dead" not in entries:
        return None
    given = [shapes.name(source, part, "what is dead") for part in shapes.several(entries["dead"])]
    return _colour_of(mesh, colours, source, entries["dead"], given)


def _colour_of(mesh: Mesh, colours: Colours, source: Source, node: Node, given: Sequence[str]) -> int:
    try:
        failures = failed(mesh, given)
    except MeshError as problem:
        what, possible, remedy = problem.what, problem.possible, problem.remedy
        raise MeshError(
            problem.code, what, possible=possible, remedy=remedy, place=source.place(node)
        ) from None
    colour = colours.of(failures)
    if colour is None:
        raise MeshError(
            "ANG123",
            f"no colour stands for {failures}",
            possible="the failures that tables are calculated for",
            remedy="ask for them with --failures, or leave this override out",
            place=source.place(node),
        )
    return colour
