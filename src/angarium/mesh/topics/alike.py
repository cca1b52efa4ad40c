"""Symbols that nothing tells apart.

Of a hundred thousand words that filters know by name, most lead from the same nodes to the same nodes as many
others do. One of them stands for all: what the universe looks at are not words but these sorts of words.
"""

from __future__ import annotations

from angarium.mesh.topics.automaton import Automaton, Nodes
from angarium.mesh.topics.regular import RANK
from angarium.mesh.topics.steps import Step, Steps, kind_of
from angarium.mesh.topics.topic import Topic

Shape = tuple[object, ...]


def in_order(symbol: str) -> tuple[int, int, str]:
    """Which symbols are nicer to read: ordinary ones, letters before other characters."""
    return kind_of(symbol), RANK.get(symbol, 0) if len(symbol) == 1 else 0, symbol


class Sorts:
    """For every symbol of an automaton, as it is now, the nicest one that is like it."""

    def __init__(self, automaton: Automaton) -> None:
        uses: dict[str, list[tuple[int, Nodes]]] = {}
        for node, edges in enumerate(automaton.literals):
            for symbol, targets in edges.items():
                uses.setdefault(symbol, []).append((node, targets))
        first: dict[tuple[object, ...], str] = {}
        self._first = {
            symbol: first.setdefault((kind_of(symbol), *uses[symbol]), symbol)
            for symbol in sorted(uses, key=in_order)
        }
        self._kept = [
            {symbol: targets for symbol, targets in edges.items() if self._first[symbol] == symbol}
            for edges in automaton.literals
        ]

    def first(self, symbol: str) -> str:
        """The symbol that stands for it: itself, if no node knows it."""
        return self._first.get(symbol, symbol)

    def edges(self, node: int) -> dict[str, Nodes]:
        """Where a node leads by name: one symbol for each sort."""
        return self._kept[node]

    def shape(self, steps: Steps, apart: Topic) -> Shape:
        """A pattern with sorts in place of words, but for `apart`; patterns of one shape meet the same."""
        return tuple(
            step if not isinstance(step, str) or step in apart else self._sort(step) for step in steps
        )

    def _sort(self, symbol: str) -> tuple[object, ...]:
        return (self._first.get(symbol), kind_of(symbol))


def words_for(steps: tuple[Step, ...], others: tuple[Step, ...]) -> dict[str, str] | None:
    """Which word of the first pattern is which of the other of its shape; None if one is two."""
    found: dict[str, str] = {}
    for step, other in zip(steps, others, strict=True):
        if isinstance(step, str) and isinstance(other, str) and found.setdefault(step, other) != other:
            return None
    return found
