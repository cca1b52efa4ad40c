"""Copies moved one by one, each with its whole history: slow, and nothing shared with what is tested.

Topics are texts of words with / between, patterns are a whole text, `#`, or a text that ends in `/#`. A copy
that gets into a situation in which it has been before goes round for ever.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from angarium.mesh.mesh import Failures, Link, Mesh, Pattern

LONGEST = 24
"""Words of a name that only grows: no name gets so long otherwise in the meshes of our tests."""


class TooManyError(Exception):
    """More copies than we want to move."""


@dataclass(frozen=True)
class Copy:
    broker: str
    text: str
    came: tuple[Link, ...]
    """The link over which it came, and those within the broker since."""
    left: tuple[str, ...]
    trail: tuple[Copy, ...]
    took: float


@dataclass
class Told:
    """What became of a message: arrivals by broker and text, and which of them never end."""

    counts: Counter[tuple[str, str]]
    endless: set[tuple[str, str]]
    loops: bool
    quickest: dict[tuple[str, str], tuple[float, int]]
    """Of each arrival, the latency and hops of the quickest path."""


def told(mesh: Mesh, origin: str, text: str, dead: Failures, most: int = 2000) -> Told:
    result = Told(Counter(), set(), False, {})
    if origin in dead.brokers:
        return result
    rounds: list[Copy] = []
    waiting = deque([Copy(origin, text, (), (), (), latency_of(mesh, origin))])
    while waiting:
        copy = waiting.popleft()
        here = situation(mesh, copy)
        if any(here == situation(mesh, earlier) for earlier in copy.trail) or copy.text.count("/") > LONGEST:
            rounds.append(copy)
            continue
        for part in handed_round(mesh, copy, dead):
            place, path = (part.broker, part.text), (part.took, len(part.left))
            result.counts[place] += 1
            result.quickest[place] = min(path, result.quickest.get(place, path))
            waiting.extend(handed_on(mesh, part, dead))
        if result.counts.total() > most:
            raise TooManyError
    result.loops = bool(rounds)
    apart = {situation(mesh, copy): copy for copy in rounds}.values()
    result.endless = {place for copy in apart for place in everything_behind(mesh, copy, dead)}
    return result


def situation(mesh: Mesh, copy: Copy) -> tuple[object, ...]:
    """Everything that some rule of the mesh may look at."""
    limit = max((link.hop_limit or 0 for link in mesh.links), default=0)
    left = frozenset(copy.left) if any(link.avoids_visited for link in mesh.links) else None
    return copy.broker, copy.text, tuple(link.name for link in copy.came), left, min(len(copy.left), limit)


def handed_round(mesh: Mesh, copy: Copy, dead: Failures) -> list[Copy]:
    """The copy, and one more for each other name that the broker gives it."""
    parts = [copy]
    for part in parts:
        for link in mesh.links:
            if link.source == copy.broker and within(link) and lets(mesh, link, part, dead):
                text = renamed(link, part.text)
                if text not in [each.text for each in parts]:
                    came, took = (*part.came, link), part.took + link.latency
                    parts.append(Copy(copy.broker, text, came, copy.left, copy.trail, took))
    return parts


def within(link: Link) -> bool:
    """Whether a link is how its broker delivers; what takes from a queue publishes anew."""
    return link.source == link.target and not link.counts and not link.shares


def handed_on(mesh: Mesh, copy: Copy, dead: Failures) -> list[Copy]:
    found = []
    known = {broker.name: broker.known_as for broker in mesh.brokers}
    for link in mesh.links:
        inner = within(link)
        if link.source == copy.broker and not inner and lets(mesh, link, copy, dead):
            left = (*copy.left, known[link.source]) if link.counts else copy.left
            took = copy.took + link.latency + latency_of(mesh, link.target)
            found.append(
                Copy(link.target, renamed(link, copy.text), (link,), left, (*copy.trail, copy), took)
            )
    return found


def latency_of(mesh: Mesh, name: str) -> float:
    return next(broker.latency for broker in mesh.brokers if broker.name == name)


def lets(mesh: Mesh, link: Link, copy: Copy, dead: Failures) -> bool:
    known = {broker.name: broker.known_as for broker in mesh.brokers}
    return not (
        fails(link, dead)
        or any(takes_precedence(each, link) and not fails(each, dead) for each in mesh.links)
        or (link.accepts and not any(matches(each, copy.text) for each in link.accepts))
        or any(matches(each, copy.text) for each in link.refuses)
        or (link.rename and not copy.text.startswith(link.rename.strip))
        or (link.hop_limit is not None and len(copy.left) >= link.hop_limit)
        or (link.avoids_visited and known[link.target] in copy.left)
        or any(link.connection and link.connection == each.connection for each in copy.came)
        or any(each.kind in link.not_after for each in copy.came)
    )


def fails(link: Link, dead: Failures) -> bool:
    cut = link.source != link.target and link.fails_as in dead.cables
    return cut or link.source in dead.brokers or link.target in dead.brokers


def takes_precedence(one: Link, other: Link) -> bool:
    return bool(other.failover) and one.failover == other.failover and one.rank < other.rank


def matches(pattern: Pattern, text: str) -> bool:
    if pattern.text.endswith("/#"):
        return text == pattern.text[:-2] or text.startswith(pattern.text[:-1])
    return pattern.text in ("#", text)


def renamed(link: Link, text: str) -> str:
    if link.rename is None:
        return text
    if link.rename.whole is not None:
        return link.rename.whole
    return link.rename.add + text.removeprefix(link.rename.strip)


def everything_behind(mesh: Mesh, copy: Copy, dead: Failures) -> set[tuple[str, str]]:
    """Where copies get from a situation, each situation once."""
    found: set[tuple[str, str]] = set()
    seen: set[tuple[object, ...]] = set()
    waiting = [copy]
    while waiting:
        here = waiting.pop()
        if situation(mesh, here) not in seen and here.text.count("/") <= LONGEST:
            seen.add(situation(mesh, here))
            for part in handed_round(mesh, here, dead):
                found.add((part.broker, part.text))
                waiting += handed_on(mesh, part, dead)
    return found
