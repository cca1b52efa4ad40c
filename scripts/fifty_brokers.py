"""The fifty-broker mesh: `python -m scripts.fifty_brokers` writes examples/meshes/fifty-brokers.yaml.

The thesis draws its largest mesh, and its text names only fifteen links of thirteen brokers, eight ways
through them, and all neighbours of four. These are kept. The other links are drawn at random with a fixed
seed, until brokers have four neighbours on average; a link with which a known way would no longer be the
shortest one is not taken. Of several shortest ways, that by the neighbour with the lowest number counts.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).parent.parent / "examples" / "meshes" / "fifty-brokers.yaml"
SEED = 50
BROKERS = range(1, 51)
LINKS = 2 * len(BROKERS)
SUBSCRIBERS = 5

KNOWN_LINKS = (
    (1, 11), (1, 16), (2, 11), (2, 16), (2, 18), (3, 11), (3, 16), (11, 19), (11, 26), (16, 31), (16, 17),
    (13, 17), (17, 18), (13, 14), (12, 14),
)  # fmt: skip
KNOWN_WAYS = (
    (1, 16, 17, 13), (12, 14, 13, 17, 18), (1, 11, 19), (1, 11, 26), (1, 11, 2), (1, 11, 3), (1, 16, 31),
    (1, 16, 17),
)  # fmt: skip
FULLY_KNOWN = {1, 2, 3, 17}
"""Brokers all of whose neighbours the text names."""
KNOWN_TOPICS = {
    "weather": (1, [2, 13]), "films": (1, []), "sports": (2, [3]), "music": (3, [1]), "stock": (12, [2, 18]),
}  # fmt: skip
"""Publisher and subscribers; who publishes stock is not said, but that 12 sends to 18 is."""
OTHER_TOPICS = ("alerts", "letters", "maps", "prices", "traffic")

Neighbours = dict[int, set[int]]
Link = tuple[int, int]


def shortest_way(neighbours: Neighbours, source: int, destination: int) -> tuple[int, ...] | None:
    """From the source to the destination, each time to the lowest neighbour that is nearer."""
    distance, waiting = {destination: 0}, [destination]
    for broker in waiting:
        for other in neighbours[broker] - distance.keys():
            distance[other] = distance[broker] + 1
            waiting.append(other)
    if source not in distance:
        return None
    way = [source]
    while way[-1] != destination:
        nearer = distance[way[-1]] - 1
        way.append(min(other for other in neighbours[way[-1]] if distance.get(other) == nearer))
    return tuple(way)


def neighbours_of(links: list[Link]) -> Neighbours:
    """Who is linked with whom."""
    found: Neighbours = {broker: set() for broker in BROKERS}
    for one, other in links:
        found[one].add(other)
        found[other].add(one)
    return found


def keeps_ways(links: list[Link]) -> bool:
    """Whether the ways that the text names are the shortest ones."""
    neighbours = neighbours_of(links)
    return all(shortest_way(neighbours, way[0], way[-1]) == way for way in KNOWN_WAYS)


def proposals(chance: random.Random) -> Iterator[Link]:
    """First a link for each broker that has none, then any."""
    free = [broker for broker in BROKERS if broker not in FULLY_KNOWN]
    joined = [broker for broker in free if any(broker in link for link in KNOWN_LINKS)]
    for broker in free:
        if broker not in joined:
            yield tuple(sorted((broker, chance.choice(joined))))  # type: ignore[misc]
            joined.append(broker)
    while True:
        yield tuple(sorted(chance.sample(free, 2)))  # type: ignore[misc]


def made_links(chance: random.Random) -> list[Link]:
    """The known links and the random ones."""
    links = [*KNOWN_LINKS]
    source = proposals(chance)
    while len(links) < LINKS:
        link = next(source)
        if link not in links and keeps_ways([*links, link]):
            links.append(link)
    return links


def made_topics(chance: random.Random) -> Iterator[str]:
    """A line for each topic."""
    others = {topic: (chance.choice(BROKERS), list[int]()) for topic in OTHER_TOPICS}
    for topic, (publisher, known) in {**KNOWN_TOPICS, **others}.items():
        strangers = [broker for broker in BROKERS if broker not in (publisher, *known)]
        wanting = sorted([*known, *chance.sample(strangers, SUBSCRIBERS - len(known))])
        yield f"  {topic}: {{from: b{publisher}, to: [{', '.join(f'b{broker}' for broker in wanting)}]}}"


HEAD = """\
# The fifty-broker model of the thesis (figure 5-7), as far as its text tells. It names fifteen links of
# thirteen brokers ({known}).
# All others are random, with a fixed seed, by scripts/fifty_brokers.py, such that brokers have four
# neighbours on average, that those of 1, 2, 3 and 17 are the ones which the text names, and that the ways
# which it names are the shortest: {ways}.
mesh: fifty brokers
routing: shortest
"""


def text() -> str:
    """The mesh file."""
    chance = random.Random(SEED)
    links = made_links(chance)
    known = sorted({broker for link in KNOWN_LINKS for broker in link})
    ways = "; ".join(" ".join(map(str, way)) for way in KNOWN_WAYS)
    rows = [", ".join(f"b{broker}" for broker in BROKERS[start : start + 10]) for start in range(0, 50, 10)]
    lines = [HEAD.format(known=", ".join(map(str, known)), ways=ways) + "brokers: ["]
    lines += [f"  {row}," for row in rows]
    lines += ["]", "links:", "  # in the text", *_items(links[: len(KNOWN_LINKS)])]
    lines += ["  # random", *_items(sorted(links[len(KNOWN_LINKS) :])), "topics:", *made_topics(chance)]
    return "\n".join(lines) + "\n"


def _items(links: list[Link]) -> list[str]:
    return [f"  - b{one} - b{other}" for one, other in links]


def main() -> int:
    """Write the file."""
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
