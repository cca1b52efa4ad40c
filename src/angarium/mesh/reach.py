"""Which brokers a chain of links leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Neighbours = Mapping[str, Sequence[str]]


def neighbours(pairs: Iterable[tuple[str, str]]) -> Neighbours:
    """Where links lead, by where they begin; turn the pairs round to ask where they come from."""
    found: dict[str, list[str]] = {}
    for here, there in pairs:
        found.setdefault(here, []).append(there)
    return found


def reached(among: Neighbours, start: str) -> dict[str, None]:
    """The start and all brokers behind it, in the order in which they are found."""
    seen, waiting = {start: None}, [start]
    while waiting:
        for there in among.get(waiting.pop(), ()):
            if there not in seen:
                seen[there] = None
                waiting.append(there)
    return seen
