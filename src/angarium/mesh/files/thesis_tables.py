"""Reads a mesh from plain tables: who is linked with whom, who publishes for whom, who sends where.

This is how the thesis on verifying broker overlays keeps its meshes: one line an entry, words separated by
blanks or commas, and `#` before a comment.

    links     1 2        broker 1 is linked with broker 2, both ways; or with several: 1 11,16
    topics    1 5        what is published at 1 is wanted at 5; or with the topic's name in front: A 1 2,5
    routing   1 5 2      at broker 1, what is for 5 goes to 2

Where topics have no names, all that is published at broker 1 is one topic, `from-1`. Brokers are in the
order of their numbers, and otherwise in that of the link table. Without a routing table, ways are the
shortest ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.files.gml import both_ways
from angarium.mesh.files.nodes import Source, opened
from angarium.mesh.mesh import SHORTEST, TABLES, Broker, Link, Mesh, Pattern, Publisher, Routing, Subscriber

_WORD = re.compile(r"[^\s,;]+")


class Word(NamedTuple):
    """A word of a line, and where it stands."""

    text: str
    place: Place


def read_tables(link_file: str, topic_file: str, table_file: str | None = None) -> Mesh:
    """The mesh of a link table and a topic table, routed by a table or by shortest path."""
    link_source = opened(link_file)
    links = _links(link_source)
    brokers = _brokers(link_source, links)
    publishers, subscribers = _clients(opened(topic_file), brokers)
    routing = Routing(SHORTEST)
    if table_file is not None:
        routing = Routing(TABLES, _tables(opened(table_file), brokers))
    name = PurePath(link_file).stem
    return Mesh(name, tuple(map(Broker, brokers)), tuple(links), publishers, subscribers, routing)


def _rows(source: Source, least: int, form: str) -> Iterator[list[Word]]:
    """The lines that say something, each with as many words as it needs at least."""
    for number, line in enumerate(source.lines, 1):
        said = line.split("#")[0]
        words = [Word(found[0], source.at(number, found.start() + 1)) for found in _WORD.finditer(said)]
        if words and len(words) < least:
            what = f"the line has {len(words)} {'words' if len(words) > 1 else 'word'}, too few"
            raise MeshError("ANG121", what, possible=f"a line is {form}", place=words[0].place)
        if words:
            yield words


def _links(source: Source) -> list[Link]:
    """Each pair of brokers once, also where both name each other."""
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for broker, *neighbours in _rows(source, 2, "a broker and those that it is linked with: 1 2,3"):
        for neighbour in neighbours:
            if neighbour.text == broker.text:
                what = f"broker {broker.text} is linked with itself"
                raise MeshError("ANG121", what, remedy="take it out", place=neighbour.place)
            pairs.setdefault(frozenset((broker.text, neighbour.text)), (broker.text, neighbour.text))
    return [link for one, other in pairs.values() for link in both_ways(one, other, 1)]


def _brokers(source: Source, links: list[Link]) -> list[str]:
    if not links:
        remedy = "a line for each link, such as: 1 2"
        raise MeshError("ANG120", "the link table is empty", remedy=remedy, place=source.at(1, 1))
    names = list(dict.fromkeys(name for link in links[::2] for name in (link.source, link.target)))
    numbers = all(name.isascii() and name.isdigit() and len(name) < 10 for name in names)
    return sorted(names, key=lambda name: (int(name), name)) if numbers else names


def _clients(source: Source, brokers: list[str]) -> tuple[tuple[Publisher, ...], tuple[Subscriber, ...]]:
    """A publisher for each topic and broker, and a subscriber likewise, in the order of the table."""
    publishers: dict[str, Publisher] = {}
    subscribers: dict[str, Subscriber] = {}
    for topic, publisher, wanting in _topics(source, brokers):
        patterns = (Pattern(topic, place=publisher.place),)
        name = f"{topic} at {publisher.text}"
        publishers.setdefault(name, Publisher(name, publisher.text, patterns, publisher.place))
        for each in wanting:
            name = f"{topic} at {each.text}"
            subscribers.setdefault(name, Subscriber(name, each.text, patterns, place=each.place))
    return tuple(publishers.values()), tuple(subscribers.values())


def _topics(source: Source, brokers: list[str]) -> Iterator[tuple[str, Word, list[Word]]]:
    """The topic, who publishes it, and who wants it. Only names of topics are no brokers."""
    known = set(brokers)
    for first, *others in _rows(source, 2, "publisher and subscribers, 1 2,5, or topic and those, A 1 2,5"):
        named = first.text not in known
        if named and len(others) < 2:
            raise _no_broker(first, brokers)
        publisher, wanting = (others[0], others[1:]) if named else (first, others)
        for word in (publisher, *wanting):
            if word.text not in known:
                raise _no_broker(word, brokers)
        yield first.text if named else f"from-{first.text}", publisher, wanting


def _tables(source: Source, brokers: list[str]) -> dict[str, dict[str, str]]:
    known, tables = set(brokers), dict[str, dict[str, str]]()
    for words in _rows(source, 3, "broker, destination and next broker: 1 5 2"):
        if len(words) > 3:
            what, remedy = "the line has more than three words", "keep broker, destination and next broker"
            raise MeshError("ANG121", what, remedy=remedy, place=words[3].place)
        for word in words:
            if word.text not in known:
                raise _no_broker(word, brokers)
        broker, destination, after = (word.text for word in words)
        if destination in tables.setdefault(broker, {}):
            what = f"broker {broker} has two entries for {destination}"
            raise MeshError("ANG122", what, remedy="keep one of them", place=words[1].place)
        tables[broker][destination] = after
    return tables


def _no_broker(word: Word, brokers: list[str]) -> MeshError:
    return MeshError(
        "ANG123",
        f"there is no broker {word.text} in the link table",
        possible=did_you_mean(word.text, brokers[:20], also=brokers),
        remedy="correct the name, or add a link of this broker",
        place=word.place,
    )
