"""Links by the scopes that their filters let through.

The first symbol of every name is its scope, and a pattern has one scope. A broker may have hundreds of
scopes, such as the exchanges and queues of a cluster, with links out of each; a name in one of them meets the
links of that scope only, and those that take everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from angarium.mesh.mesh import Link
from angarium.mesh.topics.topic import Topic

T = TypeVar("T")


class ByScope(Generic[T]):
    """Things of links, in the order of the links."""

    def __init__(self, things: Iterable[tuple[Link, T]]) -> None:
        self.all: list[T] = []
        self._open: list[int] = []
        self._places: dict[str, list[int]] = {}
        self._known: dict[str, list[T]] = {}
        for place, (link, thing) in enumerate(things):
            self.all.append(thing)
            for scope in {pattern.scope for pattern in link.accepts}:
                self._places.setdefault(scope, []).append(place)
            if not link.accepts:
                self._open.append(place)

    def meeting(self, front: Topic) -> Sequence[T]:
        """What may let a name through that begins so; with no symbol known, everything."""
        if not front:
            return self.all
        scope = front[0]
        if scope not in self._known:
            places = sorted((*self._open, *self._places.get(scope, ())))
            self._known[scope] = [self.all[place] for place in places]
        return self._known[scope]
