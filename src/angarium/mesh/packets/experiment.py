"""What is simulated: a mesh with its traffic and what happens to it; and the result, packet by packet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import UsageError
from angarium.mesh.mesh import Mesh
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.clock import in_words
from angarium.mesh.packets.control import Scheme
from angarium.mesh.packets.happenings import Happening, in_order
from angarium.mesh.packets.network import LOST, Network, network_of
from angarium.mesh.packets.timeline import Timeline
from angarium.mesh.packets.traffic import Flow, Traffic, traffic
from angarium.mesh.recovery.colours import Colours, coloured
from angarium.mesh.verify.budget import ONE

MOST_HOPS = 255
"""Hops after which a packet is dropped, if the mesh does not say: the longest time to live of IP."""
FATES = {
    core.UNDER_WAY: "under way",
    core.ARRIVED: "arrived",
    core.ON_THE_WAY: "on a link that was cut",
    core.AT_DEAD_LINK: "at a dead link",
    core.AT_FULL_QUEUE: "at a full queue",
    core.NO_WAY: "no way in the table",
    core.TOO_FAR: "too many hops",
    core.IN_DEAD_BROKER: "in a dead broker",
}
"""What becomes of packets. The last six are the causes of loss."""
CAUSES = tuple(fate for fate in FATES if fate > core.ARRIVED)


@dataclass(frozen=True)
class Experiment:
    """The same packets and failures, for every scheme."""

    mesh: Mesh
    flows: tuple[Flow, ...]
    happenings: tuple[Happening, ...]
    duration: int
    seed: int = 1
    buffering: str = LOST
    prepared: Colours = field(init=False)
    """The failures that PCRT has tables for: every single link, every single broker, every shared risk."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "happenings", in_order(self.happenings))
        for flow in self.flows:
            self._check_ends(flow)
        self._check_times()
        single = (failures for _, failures in ONE.failures(self.mesh))
        risks = (risk.failures for risk in self.mesh.shared_risks)
        object.__setattr__(self, "prepared", coloured(self.mesh, (*single, *risks)))

    def _check_ends(self, flow: Flow) -> None:
        for name in (flow.origin, flow.destination):
            self.network.graph.number(name)  # complains of who is not there

    def _check_times(self) -> None:
        late = [each for each in self.happenings if each.time >= self.duration]
        if late:
            raise UsageError(
                "ANG013",
                f"{late[0]}, but only {in_words(self.duration)} are simulated",
                possible="times before the end",
                remedy="simulate longer, with --duration, or give an earlier time",
            )

    @cached_property
    def network(self) -> Network:
        return network_of(self.mesh)

    @cached_property
    def traffic(self) -> Traffic:
        return traffic(self.mesh, self.flows, self.duration, self.seed)

    @cached_property
    def destinations(self) -> list[int]:
        """The brokers that packets go to, each once."""
        return list(dict.fromkeys(self.network.number[flow.destination] for flow in self.flows))

    @property
    def hop_limit(self) -> int:
        limit = self.mesh.routing.hop_limit
        return MOST_HOPS if limit is None else min(limit, MOST_HOPS)


@dataclass(frozen=True)
class Run:
    """What became of every packet, in the order in which they were sent."""

    experiment: Experiment
    scheme: Scheme
    timeline: Timeline
    sent: NDArray[np.uint64]
    flow: NDArray[np.uint32]
    fate: NDArray[np.uint8]
    done: NDArray[np.uint64]
    """When it arrived or got lost."""
    hops: NDArray[np.uint8]
    used: tuple[int | None, ...]
    """By happening that heals: when the first packet was sent over what has healed."""
    copies: int
    """Packets that arrived more than once."""
    events: int
    """Of packets: sent by a source, by a link, landed, handled by a broker."""
    seconds: float
    cut: str | None = None
    """What cut it short, if something did."""
    until: int = 0
    """How far it came."""

    def count(self, fate: int) -> int:
        return int(np.count_nonzero(self.fate == fate))

    @cached_property
    def losses(self) -> dict[int, int]:
        """Lost packets by cause, of those causes that there were."""
        found = {cause: self.count(cause) for cause in CAUSES}
        return {cause: count for cause, count in found.items() if count}

    @property
    def lost(self) -> int:
        return sum(self.losses.values())

    @cached_property
    def arrived(self) -> NDArray[np.bool_]:
        return np.asarray(self.fate == core.ARRIVED)

    @cached_property
    def latencies(self) -> NDArray[np.int64]:
        """Nanoseconds, of the packets that arrived."""
        taken = self.done[self.arrived] - self.sent[self.arrived]
        return taken.astype(np.int64)


Observer = Callable[[str], None] | None


def changes_of(
    network: Network,
    happenings: Sequence[Happening],
    switches: Sequence[tuple[int, int, int]],
) -> NDArray[np.uint64]:
    """Everything that happens to links, brokers and tables: what breaks and heals first at each time."""
    rows = [row for number, each in enumerate(happenings) for row in _happening(network, number, each)]
    rows += [(time, core.SWITCH, broker, row) for time, broker, row in switches]
    rows.sort(key=lambda row: row[0])
    return np.array(rows, np.uint64).reshape(-1, core.CHANGE_SIZE)


Change = tuple[int, int, int, int]


def _happening(network: Network, number: int, each: Happening) -> list[Change]:
    time, cables = each.time, each.what.cables
    cut = [link for link, named in enumerate(network.links) if named.fails_as in cables]
    if each.heals:
        rows = [(time, core.HEAL, link, number) for link in cut]
    else:
        rows = [(time, core.CUT, link, 0) for link in cut]
    for name in each.what.brokers:
        rows += _broker(network, network.number[name], number, each)
    return rows


def _broker(network: Network, broker: int, number: int, each: Happening) -> list[Change]:
    outgoing, incoming = network.outgoing[broker], network.incoming[broker]
    if each.heals:
        links = sorted((*outgoing, *incoming))
        return [(each.time, core.RETURN, broker, 0), *((each.time, core.HEAL, x, number) for x in links)]
    cut = [(each.time, core.CUT_WITH_QUEUE, link, 0) for link in outgoing]
    return [(each.time, core.DIE, broker, 0), *cut, *((each.time, core.CUT, x, 0) for x in incoming)]
