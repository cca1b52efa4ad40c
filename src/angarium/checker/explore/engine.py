"""What a search is asked, and what it answers: the one interface of every engine.

An engine explores a transition system breadth-first from its initial states and answers with an
`Outcome`: what it covered, and for each guarantee that was hit the shortest run of states that hits it.
A guarantee is *hit* by a state in which an invariant is false, a `reaches` condition is true, or nothing
more can happen and an `at_rest` condition is false; `stays-in-range` is hit by a state in which a step
or the evaluation of a guarantee fails. A state is at rest if no step is possible and none fails: where one
fails, that is what is wrong. A hit decides a guarantee at once (violated; for `reaches`,
holds); the absence of a hit decides it only if the search was complete.

A search goes on after a hit, so that the other guarantees get their verdict too, and ends early, at the
end of a level, only when every guarantee has been hit.

Who wishes for the graph gets it if the search was complete and nothing failed; such a search never ends
early. What the wish asks of a state or a step is part of the search: where it cannot be evaluated,
`stays-in-range` is hit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.core.control import Cut, Limits
from angarium.core.result import Coverage

if TYPE_CHECKING:
    from angarium.checker.backend.layout import Words
    from angarium.checker.explore.graph import Graph, GraphOnDisk, Wish


@dataclass(frozen=True, slots=True)
class Progress:
    """A search while it runs."""

    states: int
    transitions: int
    depth: int
    frontier: int
    """States found and not yet expanded."""
    bytes: int
    seconds: float
    levels: Sequence[int] = ()
    """How many states each finished level had."""
    expanding: int = 0
    """How many states the level has that is being expanded, if the engine tells; exact when it stopped."""
    judging: str = ""
    """Behind the search: the guarantee over time that is being judged."""
    doing: str = ""
    """What else is being waited for: the search cannot begin, or is not what takes time."""


Observer = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search found."""

    coverage: Coverage
    runs: Mapping[str, Sequence[Cells]] = field(default_factory=dict)
    """For each guarantee that was hit, the states from an initial state to the hit, a shortest such run;
    nothing, if the search was stopped when it looked for that run."""
    graph: Graph | None = None
    """If it was wished for: there is none if the search was cut, or if something fails somewhere."""
    graph_cut: Cut | None = None
    """Why there is no graph although the search was complete and nothing failed."""
    visited: Callable[[], Words] | None = None
    """All states that were visited, packed, if the engine still has them after a complete search."""
    happened: frozenset[str] | None = None
    """The actions that happened, by name, if the engine has noted them."""
    chosen: tuple[str, str] | None = None
    """Which engine it is from, and why, if the one that was asked chose between several."""
    stored: GraphOnDisk | None = None
    """The graph on disk, if it does not fit into memory; who asked for it closes it."""


class Engine(Protocol):
    """Anything that can explore a transition system to the last state."""

    name: str

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = Limits(),
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome: ...
