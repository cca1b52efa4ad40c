"""What brokers are going to do, in the order of time; at the same time, in the order of the list."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count


class Agenda:
    """A clock with a list of things to do, up to an end."""

    def __init__(self, end: int) -> None:
        self.now = 0
        self._end = end
        self._order = count()
        self._todo: list[tuple[int, int, Callable[[], None]]] = []

    def at(self, time: int, do: Callable[[], None]) -> None:
        """Do something at a time, if that is before the end."""
        if time < self._end:
            heappush(self._todo, (max(time, self.now), next(self._order), do))

    def run(self) -> None:
        """Do all of it."""
        while self._todo:
            self.now, _, do = heappop(self._todo)
            do()
