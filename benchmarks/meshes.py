"""Routed meshes: failures of all nets of the Topology Zoo, and the largest systems of the thesis.

The thesis's own tool needed 2,591 s for 384 brokers. Of the Zoo, a plain Python loop over only the smaller
nets and only the links took about 180 s.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Subscriber
from angarium.mesh.routing.sweep import sweep
from angarium.mesh.routing.tables import outcomes, tables
from angarium.mesh.verify.budget import NONE, ONE
from angarium.mesh.verify.verify import verify
from benchmarks.common.measure import middle
from benchmarks.common.row import Row, missing, within
from benchmarks.inputs.nets import GET_ZOO, NO_ZOO, ZOO, ZOO_NETS, random_mesh, random_topics, zoo

ZOO_SECONDS, LARGEST_SECONDS, TOPICS_SECONDS, PATTERNS_SECONDS = 60.0, 1.0, 1.0, 5.0
"""What is promised, of processors."""
SUBSCRIBERS = 5
"""Of each topic."""


@dataclass(frozen=True, slots=True)
class Size:
    nets: int
    questions: int
    """Pairs of brokers under single failures, in all of these nets."""
    largest: int
    """Brokers of the largest mesh."""
    brokers: int
    topics: int
    bridged: int
    """Brokers of the mesh with bridges."""
    patterns: int
    repeats: int


FULL = Size(
    nets=ZOO_NETS, questions=1_060_913_640, largest=384, brokers=50, topics=10_000, bridged=20,
    patterns=100_000, repeats=3,
)  # fmt: skip
TINY = Size(
    nets=5, questions=100_976, largest=12, brokers=6, topics=10, bridged=3, patterns=20, repeats=1
)  # fmt: skip


def rows(size: Size) -> Iterator[Row]:
    asked = {
        f"{size.largest} routing brokers, all pairs": (largest_seconds, LARGEST_SECONDS),
        f"{size.brokers} brokers, {size.topics:,} topics": (topics_seconds, TOPICS_SECONDS),
        f"{size.patterns:,} topic patterns": (patterns_seconds, PATTERNS_SECONDS),
    }
    in_zoo = f"{size.nets} nets of the Zoo, every single failure"
    if ZOO.exists():
        asked[in_zoo] = zoo_seconds, ZOO_SECONDS
    else:
        yield missing(in_zoo, NO_ZOO, GET_ZOO, f"{ZOO_SECONDS:g} CPU s")
    for what, (measure, promise) in asked.items():
        yield within(what, middle([measure(size) for _ in range(size.repeats)]), promise, "CPU s")


def zoo_seconds(size: Size) -> float:
    """Every pair of brokers of every net under every single failure, files included."""
    start = time.process_time()
    nets = [read_gml(path) for path in zoo(size.nets)]
    found = [sweep(mesh, (failures for _, failures in ONE.failures(mesh))) for mesh in nets]
    seconds = time.process_time() - start
    assert (len(found), sum(each.pairs for each in found)) == (size.nets, size.questions)
    return seconds


def largest_seconds(size: Size) -> float:
    """Tables of the largest system of the thesis, and all pairs of its brokers."""
    mesh = random_mesh(size.largest)
    start = time.process_time()
    found = outcomes(tables(mesh))
    seconds = time.process_time() - start
    assert found.arrives.all()
    return seconds


def topics_seconds(size: Size) -> float:
    """All guarantees of ten thousand topics, each with its subscribers."""
    mesh = random_mesh(size.brokers)
    wanted = list(random_topics([broker.name for broker in mesh.brokers], size.topics, SUBSCRIBERS))
    publishers, subscribers = [], []
    for number, (source, target) in enumerate(wanted):
        topic = (Pattern(f"t{number // SUBSCRIBERS}"),)
        subscribers.append(Subscriber(f"s{number}", target, topic))
        if number % SUBSCRIBERS == 0:
            publishers.append(Publisher(f"p{number}", source, topic))
    return _verified(replace(mesh, publishers=tuple(publishers), subscribers=tuple(subscribers)), len(wanted))


def patterns_seconds(size: Size) -> float:
    """All guarantees of a hundred thousand patterns behind bridges with filters."""
    names = [f"b{number}" for number in range(size.bridged)]
    links = tuple(
        Link(f"{one}->{other}", one, other, f"{min(one, other)}-{max(one, other)}", accepts=_filter(place))
        for place, pair in enumerate(pairwise(names))
        for one, other in (pair, pair[::-1])
    )
    links = tuple(replace(link, connection=link.cable) for link in links)
    subscribers = tuple(
        Subscriber(f"s{number}", names[number % size.bridged], (_mqtt(f"site{number % 7}/dev{number}/+"),))
        for number in range(size.patterns)
    )
    publisher = Publisher("p", names[0], (_mqtt("#"),))
    brokers = tuple(Broker(name, "mqtt") for name in names)
    return _verified(Mesh("bridges", brokers, links, (publisher,), subscribers), size.patterns)


def _filter(place: int) -> tuple[Pattern, ...]:
    return _mqtt(f"site{place % 7}/#"), _mqtt("site0/#"), _mqtt("all/+/x")


def _mqtt(text: str) -> Pattern:
    return Pattern(text, "mqtt")


def _verified(mesh: Mesh, demands: int) -> float:
    start = time.process_time()
    found = verify(mesh, NONE)
    seconds = time.process_time() - start
    assert found.looked.demands == demands
    return seconds
