"""Routed meshes: failures of all nets of the Topology Zoo, and the largest systems of the thesis.

The thesis's own tool needed 2,591 s for 384 brokers. Of the Zoo, a plain Python loop over only the smaller
nets and only the links took about 180 s.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import SHORTEST, Broker, Link, Mesh, Pattern, Publisher, Routing, Subscriber
from angarium.mesh.routing.sweep import sweep
from angarium.mesh.routing.tables import outcomes, tables
from angarium.mesh.verify.budget import NONE, ONE
from angarium.mesh.verify.verify import verify

ZOO = Path(__file__).parents[2] / "shared" / "data" / "topology-zoo"
ZOO_NETS, ZOO_QUESTIONS = 276, 1_060_913_640
"""How many nets there are, and pairs of brokers under single failures in all of them."""
ZOO_SECONDS, LARGEST_SECONDS, TOPICS_SECONDS, PATTERNS_SECONDS = 60.0, 1.0, 1.0, 5.0
"""What is promised."""
LARGEST = 384
BROKERS, TOPICS, SUBSCRIBERS = 50, 10_000, 5
BRIDGED, PATTERNS = 20, 100_000
SEED = 7

Pair = tuple[str, str]


def random_mesh(brokers: int, degree: int = 4, seed: int = SEED) -> Mesh:
    """A connected mesh: a random tree, and links until brokers have so many neighbours on average."""
    choice = random.Random(seed)
    names = [f"b{number}" for number in range(1, brokers + 1)]
    ends = {(names[choice.randrange(number)], names[number]): None for number in range(1, brokers)}
    while 2 * len(ends) < degree * brokers:
        one, other = sorted(choice.sample(range(brokers), 2))
        ends[names[one], names[other]] = None
    links = (
        Link(f"{one}->{other}", one, other, cable=f"{min(one, other)}-{max(one, other)}")
        for pair in ends
        for one, other in (pair, pair[::-1])
    )
    return Mesh(f"{brokers} brokers", tuple(map(Broker, names)), tuple(links), routing=Routing(SHORTEST))


def random_topics(names: list[str], topics: int, subscribers: int, seed: int = SEED) -> Iterator[Pair]:
    """Of each topic: the broker that publishes it, with that of each subscriber; it is any of the others."""
    choice = random.Random(seed)
    for _ in range(topics):
        source = choice.randrange(len(names))
        others = names[:source] + names[source + 1 :]
        yield from ((names[source], wanting) for wanting in choice.choices(others, k=subscribers))


def zoo_seconds() -> float:
    """Every pair of brokers of every net under every single failure, files included."""
    start = time.perf_counter()
    nets = [read_gml(str(path)) for path in sorted(ZOO.glob("*.gml"))]
    found = [sweep(mesh, (failures for _, failures in ONE.failures(mesh))) for mesh in nets]
    seconds = time.perf_counter() - start
    assert (len(found), sum(each.pairs for each in found)) == (ZOO_NETS, ZOO_QUESTIONS)
    return seconds


def largest_seconds() -> float:
    """Tables of the largest system of the thesis, and all pairs of its brokers."""
    mesh = random_mesh(LARGEST)
    start = time.perf_counter()
    found = outcomes(tables(mesh))
    seconds = time.perf_counter() - start
    assert found.arrives.all()
    return seconds


def topics_seconds() -> float:
    """All guarantees of ten thousand topics, each with its subscribers."""
    mesh = random_mesh(BROKERS)
    wanted = list(random_topics([broker.name for broker in mesh.brokers], TOPICS, SUBSCRIBERS))
    publishers, subscribers = [], []
    for number, (source, target) in enumerate(wanted):
        topic = (Pattern(f"t{number // SUBSCRIBERS}"),)
        subscribers.append(Subscriber(f"s{number}", target, topic))
        if number % SUBSCRIBERS == 0:
            publishers.append(Publisher(f"p{number}", source, topic))
    return _verified(replace(mesh, publishers=tuple(publishers), subscribers=tuple(subscribers)), len(wanted))


def patterns_seconds() -> float:
    """All guarantees of a hundred thousand patterns behind bridges with filters."""
    names = [f"b{number}" for number in range(BRIDGED)]
    links = tuple(
        Link(f"{one}->{other}", one, other, f"{min(one, other)}-{max(one, other)}", accepts=_filter(place))
        for place, pair in enumerate(pairwise(names))
        for one, other in (pair, pair[::-1])
    )
    links = tuple(replace(link, connection=link.cable) for link in links)
    subscribers = tuple(
        Subscriber(f"s{number}", names[number % BRIDGED], (_mqtt(f"site{number % 7}/dev{number}/+"),))
        for number in range(PATTERNS)
    )
    publisher = Publisher("p", names[0], (_mqtt("#"),))
    brokers = tuple(Broker(name, "mqtt") for name in names)
    return _verified(Mesh("bridges", brokers, links, (publisher,), subscribers), PATTERNS)


def _filter(place: int) -> tuple[Pattern, ...]:
    return _mqtt(f"site{place % 7}/#"), _mqtt("site0/#"), _mqtt("all/+/x")


def _mqtt(text: str) -> Pattern:
    return Pattern(text, "mqtt")


def _verified(mesh: Mesh, demands: int) -> float:
    start = time.perf_counter()
    found = verify(mesh, NONE)
    seconds = time.perf_counter() - start
    assert found.looked.demands == demands
    return seconds
