"""Interchangeable values: all names for one state, by brute force.

Values of a symmetric `Index` type can be renamed without changing what a state means. A renaming is
one permutation for each symmetric type; it moves the cells of the dimensions that the type indexes,
and renames the cells that hold a value of it. Positions in a sequence behind its length, and the
parts of an absent option, hold the lowest value whatever it is called, so they are set back after
renaming. The least of all renamings of a state stands for all of them.

The reference engine: a breadth-first search that one can read in a minute.

It keeps every state as a tuple with a link to the state that it was first found from. With
symmetry, a state is new if none of its renamings was seen; the states themselves are kept as they
were found, so the links give real runs. A state is judged when it is expanded; if the graph is wished for,
its steps are then written down too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, permutations, product
from math import factorial, prod

from angarium.checker.explore.engine import Observer, Outcome, Progress
from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.explore.graph import Graph, Wish, combination, instances, variants
from angarium.checker.explore.interpret import Expansion, Move, expand, initial_states, judge
from angarium.checker.ir.labels import index_types
from angarium.checker.ir.transition import STAYS_IN_RANGE, Cells, TransitionSystem, Variable
from angarium.checker.ir.types import Array, Index, Option, Record, Seq, Type, is_scalar
from angarium.core.control import Cut, CutError, Limits, cut_by_memory, cut_by_states, cut_of
from angarium.core.errors import LimitError
from angarium.core.result import Coverage

Renaming = Mapping[str, Sequence[int]]
"""For each symmetric type's name, the new number of each value."""

MOST_RENAMINGS = 40_320


class Symmetry:
    """The renamings of a system's states."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._renamings = list(renamings(system))
        self._spare = [spare for name, type_ in system.state for spare in _spares(type_, name, 1)]

    def least(self, cells: Cells) -> Cells:
        """The state that stands for all renamings of this one."""
        return min(self.rename(cells, renaming) for renaming in self._renamings)

    def rename(self, cells: Cells, renaming: Renaming) -> Cells:
        """The same state with other names."""
        renamed = list(cells)
        for variable in self._system.variables:
            first = self._system.offset[variable.name]
            for index in range(variable.cells):
                moved = _move(index, variable, renaming)
                renamed[first + moved] = _rename(cells[first + index], variable.type, renaming)
        self._clear_spare(renamed)
        return tuple(renamed)

    def _clear_spare(self, cells: list[int]) -> None:
        for count, item, rows, capacity in self._spare:
            for variable in self._system.variables:
                if variable.name == item or variable.name.startswith(f"{item}."):
                    self._clear(cells, count, variable, rows, capacity)

    def _clear(self, cells: list[int], count: str, variable: Variable, rows: int, capacity: int) -> None:
        offset, row_size = self._system.offset, variable.cells // rows
        for row in range(rows):
            used = cells[offset[count] + row] * (row_size // capacity)
            for place in range(used, row_size):
                cells[offset[variable.name] + row * row_size + place] = variable.low


def renamings(system: TransitionSystem) -> Iterator[Renaming]:
    """All renamings; refuses if they are too many to try each on every state."""
    types = sorted({each for each in index_types(system) if each.symmetric}, key=lambda t: t.name)
    number = prod(factorial(each.size) for each in types)
    if number > MOST_RENAMINGS:
        sizes = ", ".join(f"{each.size} of {each.name}" for each in types)
        raise LimitError(
            "ANG051",
            f"interchangeable values can be renamed in {number:,} ways: {sizes}",
            possible=f"at most {MOST_RENAMINGS:,} ways",
            remedy="choose fewer of them, or search without symmetry",
        )
    for chosen in product(*(permutations(range(each.size)) for each in types)):
        yield {each.name: permutation for each, permutation in zip(types, chosen, strict=True)}


def _move(index: int, variable: Variable, renaming: Renaming) -> int:
    """Where a cell goes."""
    moved, stride = 0, 1
    for extent, key in zip(reversed(variable.dims), reversed(variable.keys), strict=True):
        index, position = divmod(index, extent)
        new = position if key is None else _rename(key.low + position, key, renaming) - key.low
        moved, stride = moved + new * stride, stride * extent
    return moved


def _rename(value: int, type_: Type, renaming: Renaming) -> int:
    item = type_.item if isinstance(type_, Option) else type_
    if isinstance(item, Index) and item.symmetric and value >= item.low:
        return renaming[item.name][value]
    return value


def _spares(type_: Type, name: str, rows: int) -> Iterator[tuple[str, str, int, int]]:
    """What may be unused: the variable that counts, the items' name, how often, how many."""
    match type_:
        case Record(_, fields):
            for field, item in fields:
                yield from _spares(item, f"{name}.{field}", rows)
        case Array(index, item):
            yield from _spares(item, name, rows * (index.high - index.low + 1))
        case Seq(item, capacity):
            yield f"{name}.len", f"{name}.at", rows, capacity
            yield from _spares(item, f"{name}.at", rows * capacity)
        case Option(item) if not is_scalar(type_):
            yield f"{name}.some", f"{name}.item", rows, 1
            yield from _spares(item, f"{name}.item", rows)


# --- reference ------------------------------------------------------------------------------------


_NO_LIMITS = Limits()


class ReferenceEngine:
    """Explores with the interpreter, in one thread."""

    name = "reference"

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = _NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        """Explore until nothing is new, everything is hit, or a limit is met."""
        assert not (graph and symmetry), "the graph is one of states, not of representatives"
        book = _Book(system, graph) if graph else None
        search = _Search(system, limits, Symmetry(system) if symmetry else None, observe, book)
        try:
            search.explore()
        except CutError as problem:
            search.cut = problem.cut
        except KeyboardInterrupt as problem:
            search.cut = cut_of(problem)
        runs = {name: search.run(end) for name, end in search.ends.items()}
        return Outcome(search.coverage(), runs, search.graph(), happened=frozenset(search.happened))


@dataclass(slots=True)
class _Search:
    system: TransitionSystem
    limits: Limits
    symmetry: Symmetry | None
    observe: Observer | None
    book: _Book | None
    parents: dict[Cells, Cells | None] = field(default_factory=dict)
    seen: set[Cells] = field(default_factory=set)
    ends: dict[str, Cells] = field(default_factory=dict)
    """For each guarantee that was hit, the first state that hits it."""
    levels: list[int] = field(default_factory=list)
    happened: set[str] = field(default_factory=set)
    expanded: int = 0
    transitions: int = 0
    bytes: int = 0
    cut: Cut | None = None
    started: float = field(default_factory=time.perf_counter)
    cpu_started: float = field(default_factory=time.process_time)

    def explore(self) -> None:
        level = [state for state in initial_states(self.system) if self.is_new(state, None)]
        while level and not self.everything_hit():
            following = [found for state in level for found in self.expand(state)]
            self.levels.append(len(level))
            self.tell_observer(len(following))
            level = following

    def expand(self, state: Cells) -> Iterator[Cells]:
        """Judge a state and find what is new behind it."""
        self.check_time()
        expansion = expand(self.system, state)
        judgement = judge(self.system, state, at_rest=expansion.at_rest)
        told = self.book is None or self.book.write_down(state, expansion)
        failed = expansion.failures or judgement.failures or not told
        for name in (*judgement.hits, *([STAYS_IN_RANGE] if failed else [])):
            self.ends.setdefault(name, state)
        for move in expansion.moves:
            self.transitions += 1
            self.happened.add(move.action.name)
            if self.is_new(move.target, state):
                yield move.target
        self.expanded += 1

    def is_new(self, state: Cells, parent: Cells | None) -> bool:
        """Whether the state was not seen before; it is from now on."""
        name = self.symmetry.least(state) if self.symmetry else state
        if name in self.seen:
            return False
        self.check_room(name)
        self.seen.add(name)
        self.parents[state] = parent
        self.bytes += sys.getsizeof(state)
        return True

    def check_time(self) -> None:
        late = self.limits.time_is_up(self.started)
        if late:
            raise CutError(late)

    def check_room(self, state: Cells) -> None:
        most_states, most_bytes = self.limits.max_states, self.limits.max_bytes
        if most_states is not None and len(self.seen) >= most_states:
            raise CutError(cut_by_states(most_states))
        if most_bytes is not None and self.bytes + sys.getsizeof(state) > most_bytes:
            raise CutError(cut_by_memory(most_bytes))

    def everything_hit(self) -> bool:
        """Whether there is no more to find; a graph must hold every state."""
        return self.book is None and len(self.ends) == 1 + len(self.system.guarantees)

    def tell_observer(self, frontier: int) -> None:
        if self.observe:
            seconds = time.perf_counter() - self.started
            depth, levels = len(self.levels), tuple(self.levels)
            states = len(self.seen)
            self.observe(Progress(states, self.transitions, depth, frontier, self.bytes, seconds, levels))

    def run(self, end: Cells) -> Sequence[Cells]:
        """The states from an initial one to the end."""
        states: list[Cells] = []
        state: Cells | None = end
        while state is not None:
            states.insert(0, state)
            state = self.parents[state]
        return states

    def graph(self) -> Graph | None:
        complete = self.expanded == len(self.seen) and STAYS_IN_RANGE not in self.ends
        return self.book.graph() if self.book and complete else None

    def coverage(self) -> Coverage:
        frontier = len(self.seen) - self.expanded
        return Coverage(
            complete=self.cut is None and not frontier,
            states=len(self.seen),
            transitions=self.transitions,
            depth=len(self.levels),
            seconds=time.perf_counter() - self.started,
            cpu_seconds=time.process_time() - self.cpu_started,
            bytes=self.bytes,
            cut=self.cut,
            frontier=frontier,
        )


class _Book:
    """What is written down of states and steps for the graph."""

    def __init__(self, system: TransitionSystem, wish: Wish) -> None:
        self.system, self.wish = system, wish
        before = accumulate((variants(action) for action in system.actions), initial=0)
        self.first = {action.name: first for action, first in zip(system.actions, before, strict=False)}
        """The label of each action's first instance."""
        self.atoms: dict[Cells, int] = {}
        self.steps: list[tuple[Cells, int, int]] = []
        """Target, label and event of each."""
        self.rows = [0]

    def write_down(self, state: Cells, expansion: Expansion) -> bool:
        """Everything about a state; False if something about it cannot be evaluated."""
        try:
            self.atoms[state] = self.atoms_of(state)
            self.steps += [
                (move.target, self.label(move), self.event(state, move)) for move in expansion.moves
            ]
        except EvaluationError:
            return False
        if not expansion.moves:
            self.steps.append((state, instances(self.system.actions), 0))
        self.rows.append(len(self.steps))
        return True

    def atoms_of(self, state: Cells) -> int:
        truths = [bool(evaluate(self.system, each, state, {})) for each in self.wish.conditions]
        return sum(truth << bit for bit, truth in enumerate(truths))

    def label(self, move: Move) -> int:
        return self.first[move.action.name] + combination(move.action.parameters, move.arguments)

    def event(self, state: Cells, move: Move) -> int:
        event = self.wish.events.get(move.action.name)
        names = (parameter.name for parameter in move.action.parameters)
        local = dict(zip(names, move.arguments, strict=True))
        return evaluate(self.system, event, state, local) if event else 0

    def graph(self) -> Graph:
        import numpy as np  # a search without a graph needs none of it

        states = list(self.atoms)
        numbers = {state: number for number, state in enumerate(states)}
        targets, labels, events = zip(*self.steps, strict=True)
        return Graph(
            system=self.system,
            rows=np.array(self.rows, np.uint64),
            targets=np.array([numbers[state] for state in targets], np.uint32),
            labels=np.array(labels, np.uint32),
            atoms=np.array(list(self.atoms.values()), np.uint64),
            initial=len(initial_states(self.system)),
            cells=lambda wanted: [states[number] for number in wanted],
            events=np.array(events if self.wish.events else [], np.uint64),
        )
