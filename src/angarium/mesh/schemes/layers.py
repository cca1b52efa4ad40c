"""Resilient routing layers: a few whole routings, in each of which some parts are not needed.

After Hansen, Kvalbein, Čičić, Gjessing and Lysne, "Resilient Routing Layers for Recovery in Packet Networks"
(DSN 2005). A layer is the mesh without some links, in which everybody still reaches everybody. A broker is
*safe* in a layer in which it has only one link: nothing goes by way of it. A link is safe in a layer that is
without it. When a broker sees that the next one does not answer, it sends the packet on in a layer in which
that one is safe, and marks it so that the others use the same layer. Which of the two has died, the link or
the broker behind it, it need not know, unless that broker is where the packet must go: then it takes a layer
without the link.

The layers are built greedily: brokers that are safe nowhere yet become so in the current layer, in the order
of the file, if their neighbours reach each other without them; then the next layer begins. So every broker is
safe in some layer unless the mesh falls apart without it (an articulation point). With as many safe brokers
as there can be in each there are few layers, and these have few links and long paths. So they are spread
evenly over as many layers, or over more if more are wanted: fewer tables or shorter paths, that is the
choice. Of the links of a safe broker one stays, preferably one that an earlier layer is without. Links that
stay in every layer, such as those between two articulation points, are taken out of a layer that stays whole
without them, or else out of another one. So every link is safe in some layer unless it is a bridge. A ring of
n brokers needs n layers for that: each can be without one link only.

Only what leads both ways is part of a layer. Layer 0 is the whole mesh. Of several links between two brokers,
one that lives is used at once: then no other layer is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import NONE, Graph, Ints
from angarium.mesh.routing.tables import Routed, addresses, cheapest
from angarium.mesh.schemes import layers_core as core
from angarium.mesh.schemes.graphs import Distances, distances, ends_of, hops_over
from angarium.native.calls import Native

CORE = Native(core, ("isolate", "spare"), also=(sweep_core,))
Mask = NDArray[np.uint8]
WHOLE_MESH = 0
"""The layer in which nothing is left out."""


@dataclass(frozen=True)
class Layers:
    """The layers of a mesh."""

    distances: Distances
    safe: Ints
    """By broker: the layer in which it is safe; 0 if nothing ever goes by way of it, -1 if in none."""
    absent: Ints
    """By hop: the layer that is without it; 0 if another link takes its place, -1 if none."""
    members: NDArray[np.bool_]
    """By layer and hop: whether it is in the layer. The first layer is the whole mesh."""

    def __len__(self) -> int:
        """How many there are, the whole mesh not counted."""
        return len(self.members) - 1

    @property
    def graph(self) -> Graph:
        return self.distances.graph

    def table(self, layer: int) -> Ints:
        """The routing table of a layer, by broker and destination: the next broker; -1 if there is none.

        It is made when it is asked for: all of them together can be large.
        """
        return self.distances.next if layer == WHOLE_MESH else cheapest(self.graph, self._costs(layer))

    def hops(self, layer: int) -> Ints:
        """How many hops the path of each pair has in a layer; -1 where there is no path."""
        return self.distances.hops if layer == WHOLE_MESH else hops_over(self.graph, self._costs(layer))

    def _costs(self, layer: int) -> Ints:
        return np.where(self.members[layer], self.graph.costs, 0).astype(np.int32)

    def layer_for(self, failures: Failures) -> int | None:
        """The layer in which a dead broker or a cut link is safe; None if there is none, or more is dead."""
        graph = self.graph
        if len(failures.brokers) == 1 and not failures.cables:
            return _known(int(self.safe[graph.dead_brokers(failures)[0]]))
        ends = ends_of(graph, failures)
        return None if ends is None else _known(int(self.absent[graph.hop_between[ends]]))

    def detour(self, at: int, after: int, destination: int) -> int | None:
        """The layer that a broker takes when the next one does not answer; None if there is none."""
        absent = int(self.absent[self.graph.hop_between[at, after]])
        safe = int(self.safe[after])
        return _known(absent if after == destination or safe == NONE or absent == WHOLE_MESH else safe)

    @property
    def detours(self) -> Ints:
        """The same for the next broker of every broker and destination; -1 if there is none."""
        after, hop = self.distances.next, self.distances.hop
        absent = np.append(self.absent, np.int32(NONE))[hop]
        safe = np.append(self.safe, np.int32(NONE))[after]
        is_last = after == np.arange(len(after))
        return np.where(is_last | (safe == NONE) | (absent == WHOLE_MESH), absent, safe)

    @property
    def detour_hops(self) -> Ints:
        """By broker and destination: hops from the broker that sees its next one dead; -1 without a path."""
        chosen = self.detours
        found = np.full(chosen.shape, NONE, np.int32)
        for layer in np.unique(chosen[chosen != NONE]).tolist():
            mine = chosen == layer
            found[mine] = self.hops(layer)[mine]
        return found


def layers(mesh: Mesh, wanted: int | None = None) -> Layers:
    """The layers of a mesh: as few as are found, or about as many as are wanted."""
    return layers_of(distances(mesh), wanted)


def layers_of(found: Distances, wanted: int | None = None) -> Layers:
    """The same for paths that are known."""
    work = _evenly(found.graph, wanted or 0)
    work.spare()
    absent = np.where(found.fallback > 0, WHOLE_MESH, work.absent).astype(np.int32)
    members = np.array([np.ones(found.graph.hops), *work.masks], bool)
    return Layers(found, work.safe, absent, members)


def _evenly(graph: Graph, wanted: int) -> _Work:
    """Layers with about as many safe brokers in each, and not more layers than are needed or wanted."""
    few = _Work(graph)
    few.isolate(graph.brokers)
    count = max(len(few.masks), wanted, 1)
    most = -(-int(np.count_nonzero(few.safe > 0)) // count)
    while 0 < most < graph.brokers:
        work = _Work(graph)
        work.isolate(most)
        if len(work.masks) <= count:
            return work
        most += -(-most // 8)
    return few


def _known(layer: int) -> int | None:
    return None if layer == NONE else layer


class _Work:
    """The layers under construction."""

    def __init__(self, graph: Graph) -> None:
        self._routed = Routed(graph, graph.costs)
        pairs = zip(graph.targets.tolist(), graph.sources.tolist(), strict=True)
        twins = np.array([graph.hop_between.get(back, NONE) for back in pairs], np.int32)
        self._whole = (twins != NONE).astype(np.uint8)
        self._twins = twins
        self.masks: list[Mask] = []
        """By layer, whether each hop is in it; the whole mesh is not among them."""
        self.safe = np.full(graph.brokers, NONE, np.int32)
        self.absent = np.full(graph.hops, NONE, np.int32)
        self._queue = np.zeros(graph.brokers, np.int32)
        self._seen = np.zeros(graph.brokers, np.uint64)

    def isolate(self, most: int) -> None:
        """Layers until every broker that can be is safe in one."""
        while self._call("isolate", mask := self._whole.copy(), len(self.masks) + 1, most):
            self.masks.append(mask)

    def spare(self) -> None:
        """Every link that is no bridge out of some layer: out of one that is there, else out of a new one."""
        hops = len(self._whole)
        for number, mask in enumerate(self.masks, 1):
            self._call("spare", mask, number, hops)
        while self._call("spare", mask := self._whole.copy(), len(self.masks) + 1, hops):
            self.masks.append(mask)

    def _call(self, name: str, mask: Mask, layer: int, limit: int) -> int:
        self._seen[:] = 0
        arrays = (self._whole, mask, self.absent, self.safe, self._twins, self._queue, self._seen)
        return CORE.call(name, self._routed.words, addresses(*arrays, 0).words, layer, limit)
