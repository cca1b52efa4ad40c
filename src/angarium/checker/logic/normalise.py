"""The normal form of a process: one node for all states that it can be in after the same visible events.

Made by the subset construction, as FDR does (Roscoe, *Model-checking CSP*, 1994): the initial states with
all that internal steps lead to are the first node, and each event leads from a node to one other. In the
stable-failures model a node also says what it *accepts*: the events that a stable member offers, a state
without internal steps. Only least sets are kept: who offers more refuses less.

There may be as many nodes as sets of states. Specifications seldom have more nodes than states, but the
room for them is bounded; where it does not suffice, that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Graph
from angarium.checker.logic import refinement_core as core
from angarium.checker.logic.events import Alphabet
from angarium.core.errors import LimitError
from angarium.native.calls import Native

Words = NDArray[np.uint64]
Halves = NDArray[np.uint32]

NATIVE = Native(
    core,
    ("begin", "normalise", "accept", "compare", "enter"),
    {"begin.picked": {"PICK": 1}, "normalise.picked": {"PICK": 1}},
)
FIRST_ROOM, MOST_ROOM = 1 << 12, 1 << 24
"""How many nodes there is room for at first, and at most."""
PER_NODE = 16
"""Room for members, steps and words of sets, for each node."""
TURN = 1 << 18
"""Nodes or pairs between two moments at which the keyboard is heard."""


def addresses(*arrays: NDArray[Any]) -> Words:
    """Where arrays are, as native functions are told. The arrays must live on."""
    return np.array([each.ctypes.data for each in arrays], np.uint64)


# --- processes ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Process:
    """A graph whose steps have events by number: INTERNAL, STILL, or a place in `names`, from 1."""

    graph: Graph
    events: Halves
    names: tuple[str, ...]

    @property
    def fields(self) -> Words:
        return addresses(self.graph.rows, self.graph.targets, self.events)

    @property
    def width(self) -> int:
        """How many words a set of events takes."""
        return len(self.names) // 64 + 1


def processes(*graphs: Graph) -> tuple[Process, ...]:
    """Graphs whose events have common numbers: equal names, equal numbers."""
    happening = [[code for code in np.unique(graph.events).tolist() if code] for graph in graphs]
    alphabets = [Alphabet(graph.system) for graph in graphs]
    names: dict[str, str] = {}
    for alphabet, codes in zip(alphabets, happening, strict=True):
        names = {alphabet.key(code): alphabet.name(code) for code in codes} | names
    numbers = {key: number for number, key in enumerate(sorted(names), 1)}
    called = tuple(names[key] for key in numbers)
    return tuple(
        Process(graph, _numbered(graph, {code: numbers[alphabet.key(code)] for code in codes}), called)
        for graph, alphabet, codes in zip(graphs, alphabets, happening, strict=True)
    )


def _numbered(graph: Graph, numbers: dict[int, int]) -> Halves:
    still = graph.labels == graph.stutter
    codes = np.array([0, *numbers], np.uint64)
    chosen = np.array([core.INTERNAL, *numbers.values()], np.uint32)
    if len(graph.events) == 0:
        return np.where(still, np.uint32(core.STILL), np.uint32(core.INTERNAL))
    return np.where(still, np.uint32(core.STILL), chosen[np.searchsorted(codes, graph.events)])


# --- normal forms -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NormalForm:
    """Nodes by their numbers, the steps of each in the order of events, and what each accepts."""

    step_rows: Words
    step_events: Halves
    step_targets: Halves
    set_rows: Words
    sets: Words

    @property
    def fields(self) -> Words:
        steps = (self.step_rows, self.step_events, self.step_targets)
        return addresses(*steps, self.set_rows, self.sets)

    def events(self, node: int) -> list[int]:
        """The events that are possible in a node."""
        start, end = self.step_rows[node : node + 2].tolist()
        return [int(event) for event in self.step_events[start:end]]

    def after(self, node: int, event: int) -> int:
        """The node behind an event that is possible."""
        at = int(self.step_rows[node]) + self.events(node).index(event)
        return int(self.step_targets[at])

    def accepted(self, node: int, width: int) -> list[list[int]]:
        """The least sets of events that a node accepts."""
        start, end = self.set_rows[node : node + 2].tolist()
        sets = self.sets[start * width : end * width].reshape(-1, width).tolist()
        return [
            [place + 1 for place in range(64 * width) if row[place // 64] >> place % 64 & 1] for row in sets
        ]


def normal_form(process: Process, *, failures: bool) -> NormalForm:
    """The normal form of a process; with what its nodes accept, if that is asked for."""
    room = FIRST_ROOM
    while room <= MOST_ROOM:
        found = _Making(process, room, room * PER_NODE).form(failures=failures)
        if found:
            return found
        room *= 8
    raise LimitError(
        "ANG053",
        f"the specification {process.graph.system.name} has too many sets of states",
        possible=f"room for {MOST_ROOM:,} sets of states that it can be in after the same events",
        remedy="give smaller parameters with --spec-set, or make more of it visible",
    )


def picked_form(process: Process) -> NormalForm:
    """The normal form of a deterministic process inside this one, which must not diverge.

    It begins in the first initial state and takes only the first internal step of each state; where there is
    none, only the first one with each event. So each of its nodes is one state.
    """
    room = process.graph.states + 1
    form = _Making(process, room, max(len(process.graph.targets), room * process.width)).form(
        failures=True, variant=".picked"
    )
    assert form, "there is room for every state"
    return form


class _Making:
    """Room for one attempt."""

    def __init__(self, process: Process, room: int, pool: int) -> None:
        """For so many nodes, and so many members, steps and words of sets of all of them."""
        graph = process.graph
        self.process, self.pool = process, pool
        self.step_rows, self.set_rows, self.member_rows = (np.zeros(room + 2, np.uint64) for _ in range(3))
        self.step_events, self.step_targets = np.empty(pool, np.uint32), np.empty(pool, np.uint32)
        self.members = np.empty(pool + graph.states, np.uint32)
        self.sets = np.empty(pool, np.uint64)
        self.table = np.zeros(1 << (2 * room).bit_length(), np.uint64)
        self.scratch = np.zeros(graph.states, np.uint64)
        self.heads = np.zeros(len(process.names) + 1, np.uint64)
        self.links = np.empty(len(graph.targets), np.uint64)
        self.work = np.zeros(core.WORK_SIZE, np.uint64)
        self._report_work(room)

    def _report_work(self, room: int) -> None:
        work = self.work
        work[core.EVENT_COUNT] = len(self.process.names)
        work[[core.STAMPS, core.HEADS, core.LINKS, core.NODE_TABLE]] = addresses(
            self.scratch, self.heads, self.links, self.table
        )
        work[core.NODE_SHIFT] = 64 - (len(self.table).bit_length() - 1)
        work[core.MOST_NODES] = room
        work[[core.MOST_MEMBERS, core.MOST_STEPS, core.MOST_SETS]] = self.pool
        work[core.SET_WORDS] = self.process.width

    def form(self, *, failures: bool, variant: str = "") -> NormalForm | None:
        """The normal form; None if there is not enough room."""
        steps = (self.step_rows, self.step_events, self.step_targets)
        fields = addresses(*steps, self.set_rows, self.sets, self.member_rows, self.members)
        process = self.process.fields
        NATIVE.call(f"begin{variant}", process, fields, self.work, self.process.graph.initial)
        while (made := NATIVE.call(f"normalise{variant}", process, fields, self.work)) == core.PAUSED:
            self.work[core.PAUSE] += np.uint64(TURN)
        if made == core.FULL:
            return None
        if failures and NATIVE.call("accept", process, fields, self.work) == core.FULL:
            return None
        return NormalForm(*steps, self.set_rows, self.sets)
