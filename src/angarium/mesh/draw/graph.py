"""Which things are linked, and how large each is: all that a layout needs to know of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

Size = tuple[float, float]
"""Width and height."""


@dataclass(frozen=True)
class Graph:
    """Things by number, and the pairs that are linked, each once."""

    sizes: tuple[Size, ...]
    pairs: tuple[tuple[int, int], ...]

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs without repetition or direction."""
        return tuple(dict.fromkeys((min(pair), max(pair)) for pair in self.pairs))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.sizes]
        for first, second in self.edges:
            found[first].append(second)
            found[second].append(first)
        return tuple(map(tuple, found))

    @property
    def is_tree(self) -> bool:
        """Whether it is one; it must hang together."""
        return len(self.edges) == len(self.sizes) - 1

    @property
    def hub(self) -> int | None:
        """What everything is linked to and nothing else is."""
        others = len(self.sizes) - 1
        return next(
            (n for n, each in enumerate(self.neighbours) if len(each) == others == len(self.edges)), None
        )

    def parts(self) -> list[list[int]]:
        """What hangs together, each part in order."""
        seen: set[int] = set()
        return [self._reached(start, seen) for start in range(len(self.sizes)) if start not in seen]

    def _reached(self, start: int, seen: set[int]) -> list[int]:
        seen.add(start)
        found = [start]
        for number in found:
            for other in self.neighbours[number]:
                if other not in seen:
                    seen.add(other)
                    found.append(other)
        return sorted(found)

    def of(self, part: Sequence[int]) -> Graph:
        """A part of it, numbered anew."""
        numbers = {number: place for place, number in enumerate(part)}
        inside = ((a, b) for a, b in self.edges if a in numbers)
        return Graph(tuple(self.sizes[n] for n in part), tuple((numbers[a], numbers[b]) for a, b in inside))
