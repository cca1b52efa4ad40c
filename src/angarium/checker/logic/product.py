"""The runs of a graph that an automaton accepts and that are fair: components of their product.

A run that is accepted and fair ends in a strongly connected component of the product that is *fair*: its
inner steps have all marks; each weak class is taken inside, or is not possible in some node of it; each
strong class is taken inside, or possible nowhere in it. In such a component a run that takes every step
again and again is accepted and fair; so there is a run if and only if there is such a component.

A component that lacks a mark or starves a weak class is no use, nor is any part of it. If it starves a
strong class, a run can still stay among the nodes where that class is not possible: those are searched anew
(Emerson and Lei, *Modalities for model checking*, 1987). Components of all rounds are found by
`product_core`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Graph
from angarium.checker.explore.native_memory import address, halves, reserve
from angarium.checker.ir.formula import Truth
from angarium.checker.logic import product_core as core
from angarium.checker.logic.buchi import Automaton, automaton
from angarium.checker.logic.fairness import Classes
from angarium.core.errors import LimitError
from angarium.native.calls import Native

States = NDArray[np.bool_]
Nodes = NDArray[np.uint32]
MOST_NODES = 1 << 31
_NAMES = (
    "components",
    "components_everywhere",
    "see_marks",
    "see_classes",
    "refine",
    "settle",
    "reach",
    "hop",
)
_CORE = Native(core, _NAMES)


class Product:
    """A graph times an automaton, and memory for a search in it."""

    def __init__(self, graph: Graph, automaton: Automaton) -> None:
        self.graph, self.automaton = graph, automaton
        self.shift = (automaton.states - 1).bit_length()
        self.nodes = graph.states << self.shift
        if self.nodes > MOST_NODES:
            raise _too_many(graph, automaton)
        self.number = halves(self.nodes)
        self.verdicts = np.frombuffer(reserve(self.nodes // 8 + 1), np.uint8)
        self._arrays: dict[int, NDArray[Any]] = {
            core.ROWS: np.ascontiguousarray(graph.rows, np.uint64),
            core.TARGETS: np.ascontiguousarray(graph.targets, np.uint32),
            core.LABELS: np.ascontiguousarray(graph.labels, np.uint32),
            core.ATOMS: np.ascontiguousarray(graph.atoms, np.uint64),
            core.RULE_ROWS: automaton.rows,
            core.RULES: automaton.rules,
            core.HOPEFUL: automaton.hopeful,
            core.NUMBER: self.number,
            core.FRAMES: reserve(self.nodes * core.FRAME),
            core.STACK: halves(self.nodes),
            core.MEMBERS: halves(self.nodes),
            core.ENDS: reserve(self.nodes + 1),
            core.VERDICTS: self.verdicts,
        }
        self.fields = np.zeros(core.FIELDS, np.uint64)
        for field, array in self._arrays.items():
            self.fields[field] = address(array)
        numbers = {core.STATES: graph.states, core.SHIFT: self.shift, core.TOP: core.FIRST_TOP}
        for field, number in numbers.items():
            self.fields[field] = number

    def call(self, name: str, *arguments: int | NDArray[np.generic]) -> int:
        """Call a native function in a thread, so that it can be interrupted from the keyboard."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(_CORE.call, name, self.fields, *arguments)
            try:
                return running.result()
            except KeyboardInterrupt:
                self.fields[core.STOP] = 1
                raise

    @property
    def initial(self) -> Nodes:
        """The initial states, each with the automaton's."""
        return np.arange(self.graph.initial, dtype=np.uint32) << np.uint32(self.shift)


def _too_many(graph: Graph, automaton: Automaton) -> LimitError:
    return LimitError(
        "ANG052",
        f"{graph.states:,} states with {automaton.states:,} states of the formula's automaton are too many",
        possible=f"at most {MOST_NODES:,} pairs",
        remedy="make the model's parameters smaller, or split the formula into several guarantees",
    )


# --- fair components ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Components:
    """The fair components of a product."""

    product: Product
    classes: Classes
    found: bool
    """Whether there are any."""

    @property
    def fair(self) -> NDArray[np.bool_]:
        """For each node, whether it lies in one."""
        number = self.product.number[: self.product.nodes]
        fair: NDArray[np.bool_] = (number != 0) & (number != core.DEAD)
        return fair


def fair_components(graph: Graph, automaton: Automaton, classes: Classes) -> Components:
    """The components in which runs of a graph end that are accepted and fair."""
    product = Product(graph, automaton)
    if automaton.waits:
        # Every state of a graph is reachable, so all its nodes are; no need to search among them.
        product.call("components_everywhere")
    else:
        roots = product.initial
        product.call("components", roots, len(roots))
    return Components(product, classes, _refine(product, classes))


def fair_states(graph: Graph, classes: Classes, within: States) -> States:
    """The states of a set that lie in a fair component of that part of the graph."""
    return components_within(graph, classes, within).fair


def components_within(graph: Graph, classes: Classes, within: States) -> Components:
    """The fair components of a part of a graph."""
    product = Product(graph, automaton(Truth(True), {}))
    product.number[: graph.states][~within] = core.DEAD
    roots = np.flatnonzero(within).astype(np.uint32)
    product.call("components", roots, len(roots))
    return Components(product, classes, _refine(product, classes))


def _refine(product: Product, classes: Classes) -> bool:
    """Leave only fair components of those that were found; whether there are any."""
    found, left = False, halves(product.nodes)
    while True:
        _judge(product, classes)
        count = int(product.fields[core.COUNT])
        found |= bool((product.verdicts[:count] == core.FAIR).any())
        freed = product.call("settle", left)
        if not freed:
            return found
        product.call("components", left, freed)


def _judge(product: Product, classes: Classes) -> None:
    """Say of each component what is wrong with it."""
    if product.automaton.marks:
        product.call("see_marks", product.automaton.marks)
    starved = np.zeros((classes.chunks, int(product.fields[core.COUNT])), np.uint64)
    chunks = list(zip(classes.members, classes.weak.tolist(), classes.strong.tolist(), starved, strict=True))
    for members, weak, strong, starving in chunks:
        product.call("see_classes", members, weak, strong, starving)
    for members, _, _, starving in chunks:
        if starving.any():
            product.call("refine", members, starving)
