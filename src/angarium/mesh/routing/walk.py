"""One message from broker to broker, as the tables say: it arrives, goes round, or is dropped on the way."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.mesh.mesh import Link
from angarium.mesh.routing.graph import NONE
from angarium.mesh.routing.tables import Tables

ARRIVES, LOOPS, DROPS = "arrives", "loops", "drops"


@dataclass(frozen=True, slots=True)
class Walk:
    """The way of a message to a destination, and how it ends; filters and limits of hops aside."""

    brokers: tuple[str, ...]
    """Those that it visits, the source first. One that goes round ends with the broker that it has seen."""
    links: tuple[Link, ...]
    """Between each of them and the next."""
    end: str
    reason: str = ""
    """Why it is dropped: `no entry for DESTINATION`, `NAME is dead`, `no link to NAME`."""
    round: int = 0
    """If it goes round: how many links lead to where the round begins."""

    @property
    def arrives(self) -> bool:
        return self.end == ARRIVES


def walk(tables: Tables, source: str, destination: str) -> Walk:
    """Follow a message until it arrives, comes to a broker where it has been, or cannot go on."""
    graph = tables.graph
    at, to = graph.number(source), graph.number(destination)
    if source in tables.failures.brokers:
        return Walk((source,), (), DROPS, f"{source} is dead")
    seen, links = {at: 0}, list[Link]()
    while at != to:
        link = _link(tables, at, to)
        if isinstance(link, str):
            return Walk(_visited(source, links), tuple(links), DROPS, link)
        links.append(link)
        at = graph.position[link.target]
        if at in seen:
            return Walk(_visited(source, links), tuple(links), LOOPS, round=seen[at])
        seen[at] = len(links)
    return Walk(_visited(source, links), tuple(links), ARRIVES)


def _visited(source: str, links: list[Link]) -> tuple[str, ...]:
    return source, *(link.target for link in links)


def _link(tables: Tables, at: int, to: int) -> Link | str:
    """The link to the next broker, or why there is none."""
    graph, dead = tables.graph, tables.failures.brokers
    after = int(tables.next[at, to])
    if after == NONE:
        name = graph.names[to]
        return f"{name} is dead" if name in dead else f"no entry for {name}"
    if graph.names[after] in dead:
        return f"{graph.names[after]} is dead"
    link = tables.link(at, after)
    return link or _no_link(tables, at, after)


def _no_link(tables: Tables, at: int, after: int) -> str:
    hop = tables.graph.hop_between.get((at, after))
    if hop is None:
        return f"no link to {tables.graph.names[after]}"
    cables = dict.fromkeys(link.fails_as for link in tables.graph.links[hop])
    return f"{' and '.join(cables)} {'are' if len(cables) > 1 else 'is'} dead"
