"""The message automaton of a scenario: all lives that one message can have in it.

The model is explored to its last state. Of each step only its letter is kept, and steps without one are
silent. A life is a run of the automaton if the letters can be read along the steps, with silent steps
anywhere. A history may end at any time, so every beginning of a run is one, too.

It is determinised (subset construction: a node is the set of all states in which the model can be after some
letters) as far as the lives that are read need it: nodes are made when they are first reached, and kept. That
is the same automaton, and its nodes that nobody reaches cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING

from angarium.checker.explore.graph import Graph, Wish, first_labels
from angarium.checker.ir.syntax import Binary, Const, Read
from angarium.checker.ir.transition import Action
from angarium.core.errors import LimitError
from angarium.history.automaton.letters import OF_PRODUCERS, Letter, Word
from angarium.history.automaton.projection import OF_ACKNOWLEDGEMENT, Lives, Told
from angarium.systems.registry import load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

SILENT = Letter("")


@dataclass(frozen=True)
class _Steps:
    """The steps with one letter, by the state that they start from."""

    rows: Numbers
    targets: Numbers

    def from_all(self, states: Numbers) -> Numbers:
        """Where the steps of some states lead to, each state once."""
        import numpy as np

        starts, counts = self.rows[states], self.rows[states + 1] - self.rows[states]
        before = np.repeat(np.cumsum(counts) - counts, counts)
        entries = np.repeat(starts, counts) + np.arange(int(counts.sum())) - before
        return np.unique(self.targets[entries])


class Automaton:
    """The lives of one scenario."""

    def __init__(self, steps: Mapping[Letter, _Steps], states: int, initial: int) -> None:
        import numpy as np

        self._steps, self._states = steps, states
        self._nodes: list[Numbers] = []
        self._numbers: dict[bytes, int] = {}
        self._after: dict[tuple[int, Letter], int | None] = {}
        self.start = self._node(np.arange(initial))

    def rejects(self, word: Word) -> int | None:
        """The place of the first letter that cannot happen; None if the life is one of the model."""
        node: int | None = self.start
        for place, letter in enumerate(word):
            assert node is not None
            node = self.after(node, letter)
            if node is None:
                return place
        return None

    def after(self, node: int, letter: Letter) -> int | None:
        """The node behind a letter; None if it cannot happen there."""
        if (node, letter) not in self._after:
            steps = self._steps.get(letter)
            found = steps.from_all(self._nodes[node]) if steps else None
            self._after[node, letter] = self._node(found) if found is not None and len(found) else None
        return self._after[node, letter]

    def _node(self, states: Numbers) -> int:
        """The number of the node of some states and all that silent steps lead to."""
        closed = self._closed(states)
        key = blake2b(closed.tobytes()).digest()
        if key not in self._numbers:
            self._numbers[key] = len(self._nodes)
            self._nodes.append(closed)
        return self._numbers[key]

    def _closed(self, states: Numbers) -> Numbers:
        import numpy as np

        seen = np.zeros(self._states, np.bool_)
        seen[states] = True
        while len(states):
            found = self._steps[SILENT].from_all(states)
            states = found[~seen[found]]
            seen[states] = True
        return np.flatnonzero(seen)


def explored(lives: Lives, dropped: Mapping[str, str]) -> Automaton:
    """The automaton of a system's scenario with some parameters changed."""
    from angarium.checker.explore.native import NativeEngine

    system = load(lives.system, {**lives.parameters, **dropped})
    conditions = tuple(Binary("!=", Read(name, Const(0)), Const(0)) for name in lives.confirmed.values())
    outcome = NativeEngine().search(system, graph=Wish(conditions))
    if outcome.graph is None:
        raise LimitError(
            "ANG050",
            f"the message automaton of {lives.system} cannot be made: {outcome.graph_cut or 'a step fails'}",
            possible=f"a scenario that is explored to its end; {outcome.coverage.states:,} states were found",
            remedy="free some memory, or audit without a model",
        )
    return _automaton(outcome.graph, lives)


def _automaton(graph: Graph, lives: Lives) -> Automaton:
    import numpy as np

    counts: Numbers = graph.rows[1:].astype(np.int64) - graph.rows[:-1].astype(np.int64)
    sources = np.repeat(np.arange(graph.states), counts)
    letters, unseen = [SILENT], np.ones(graph.stutter + 1, np.bool_)
    code = np.zeros(graph.stutter + 1, np.int64)
    for label, letter, may_hide in _labels(graph, lives):
        if letter not in letters:
            letters.append(letter)
        code[label], unseen[label] = letters.index(letter), may_hide
    codes = code[graph.labels]
    entries = {each: np.flatnonzero(codes == number) for number, each in enumerate(letters)}
    entries[SILENT] = np.flatnonzero(unseen[graph.labels])
    for letter in letters:
        entries.update(_certain(graph, lives, letter, sources, entries[letter]))
    steps = {letter: _steps(graph, sources, each) for letter, each in entries.items()}
    return Automaton(steps, graph.states, graph.initial)


def _certain(
    graph: Graph, lives: Lives, letter: Letter, sources: Numbers, entries: Numbers
) -> Iterator[tuple[Letter, Numbers]]:
    """The steps of an acknowledgement that count for certain: they set the variable that says so."""
    import numpy as np

    if letter.kind != OF_ACKNOWLEDGEMENT:
        return
    for bit, kind in enumerate(lives.confirmed):
        is_set = (graph.atoms >> np.uint64(bit)) & np.uint64(1) == 1
        counts = ~is_set[sources[entries]] & is_set[graph.targets[entries]]
        yield Letter(kind, letter.consumer), entries[counts]


def _steps(graph: Graph, sources: Numbers, entries: Numbers) -> _Steps:
    import numpy as np

    rows = np.searchsorted(sources[entries], np.arange(graph.states + 1))
    return _Steps(rows, graph.targets[entries].astype(np.int64))


def _labels(graph: Graph, lives: Lives) -> Iterator[tuple[int, Letter, bool]]:
    """The action instances that are letters."""
    first = first_labels(graph.system.actions)
    for action in graph.system.actions:
        if action.name in lives.letters:
            told = lives.letters[action.name]
            for number, consumer in enumerate(_consumers(action, told)):
                yield first[action.name] + number, Letter(told.letter, consumer), told.unseen


def _consumers(action: Action, told: Told) -> Iterator[int]:
    """For each combination of an action's arguments, which consumer it is about."""
    ranges = [range(each.type.high - each.type.low + 1) for each in action.parameters]
    names = [each.name for each in action.parameters]
    for arguments in product(*ranges):
        yield (
            arguments[names.index(told.consumer)] + 1
            if told.consumer
            else int(told.letter not in OF_PRODUCERS)
        )
