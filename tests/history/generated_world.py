"""The world of a simulated history: time, chance, connections, and what is written down."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Any

MS = 1_000_000
BEGIN = 1_700_000_000_000_000_000
LAST = 40_000 * MS
"""When all is over: late enough that nothing is under way any more."""

Row = dict[str, Any]


class World:
    """Time, chance, connections, and what is written down."""

    def __init__(self, system: str, chance: random.Random, run_id: str, skewed: bool) -> None:
        self.system, self.chance, self.run_id, self.skewed = system, chance, run_id, skewed
        self.now = 0
        self.rows: list[Row] = []
        self.clocks: dict[str, int] = {}
        self._agenda: list[tuple[int, int, Callable[[], object]]] = []
        self._arrivals: dict[object, int] = {}
        self._count = 0

    def after(self, delay: int, act: Callable[..., object], *given: object) -> None:
        self._count += 1
        heapq.heappush(self._agenda, (self.now + delay, self._count, lambda: act(*given)))

    def travel(self, connection: object, act: Callable[[], object], slowest: int = 9 * MS) -> None:
        """Do it when a word has come over the connection, which keeps the order."""
        arrival = max(self.now + self.chance.randint(1, slowest), self._arrivals.get(connection, 0) + 1)
        self._arrivals[connection] = arrival
        self.after(arrival - self.now, act)

    def play(self) -> None:
        while self._agenda and self._agenda[0][0] <= LAST:
            self.now, _, act = heapq.heappop(self._agenda)
            act()
        self.now = LAST
        self.note("ctl", "observe", "end", "ok")

    def note(self, recorder: str, op_type: str, op_name: str, phase: str, **columns: object) -> None:
        row = {name: value for name, value in columns.items() if value is not None}
        row |= {"run_id": self.run_id, "system": self.system, "recorder": recorder, "op_type": op_type}
        row |= {
            "op_name": op_name,
            "phase": phase,
            "time_unix_nano": BEGIN + self.now + self._offset(recorder),
        }
        self.rows.append(row | ({"clock_domain": recorder} if self.skewed else {}))

    def _offset(self, recorder: str) -> int:
        if recorder not in self.clocks:
            self.clocks[recorder] = self.chance.randint(-49, 49) * MS if self.skewed else 0
        return self.clocks[recorder]
