"""Who sends packets, where to, how often and how large: a *flow* for each pair of brokers.

A constant source sends at equal distances, beginning at 0. A Poisson source sends at random: the time between
two packets is exponentially distributed, drawn in whole numbers from random numbers that depend on the seed
and on the number of the flow alone, so that they are the same on every machine and in every scheme.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.checker.walks import walk_core
from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import Mesh
from angarium.mesh.packets import traffic_core
from angarium.mesh.packets.links import SECOND, stream
from angarium.native.calls import Native

CORE = Native(traffic_core, ("poisson",), also=(walk_core,))
CONSTANT, POISSON = "constant", "poisson"
ARRIVALS = (CONSTANT, POISSON)
MOST_PACKETS = 10_000_000
"""Each of them is remembered."""
LARGEST_PACKET = 1_000_000_000
MOST_RATE = 1e9
_MARGIN = 8
"""Standard deviations that the number of random packets may be above its mean: it never is."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Packets from one broker to another."""

    origin: str
    destination: str
    rate: float = 1.0
    """Packets a second."""
    size: int = 1000
    """Bits of each."""
    arrivals: str = CONSTANT

    @property
    def interval(self) -> int:
        """Nanoseconds from one packet to the next, on average."""
        return max(1, round(SECOND / self.rate))


@dataclass(frozen=True, slots=True)
class Traffic:
    """Every packet that is sent, in the order in which that happens; of equal times the first flow first."""

    flows: tuple[Flow, ...]
    sent: NDArray[np.uint64]
    flow: NDArray[np.uint32]


def traffic(mesh: Mesh, flows: Sequence[Flow], duration: int, seed: int) -> Traffic:
    """The packets of some time. MeshError if a broker is not there, or there are too many packets."""
    _check(mesh, flows, duration)
    times = [_times(flow, duration, stream(seed, "flow", number)) for number, flow in enumerate(flows)]
    numbers = np.repeat(np.arange(len(flows), dtype=np.uint32), [len(each) for each in times])
    together = np.concatenate(times) if times else np.zeros(0, np.uint64)
    order = np.argsort(together, kind="stable")
    return Traffic(tuple(flows), together[order], numbers[order])


def _times(flow: Flow, duration: int, random: NDArray[np.uint64]) -> NDArray[np.uint64]:
    if flow.arrivals == CONSTANT:
        return np.arange(0, duration, flow.interval, dtype=np.uint64)
    mean = duration / flow.interval
    times = np.empty(int(mean + _MARGIN * mean**0.5) + 100, np.uint64)
    count = CORE.call("poisson", random, flow.interval, duration, times, len(times))
    return times[:count]


def _check(mesh: Mesh, flows: Iterable[Flow], duration: int) -> None:
    names = [broker.name for broker in mesh.brokers]
    for flow in flows:
        for name in (flow.origin, flow.destination):
            if name not in names:
                raise MeshError(
                    "ANG123",
                    f"the mesh {mesh.name} has no broker named {name!r}",
                    possible=did_you_mean(name, names),
                    remedy="name a broker of the mesh",
                )
    expected = sum(duration / flow.interval for flow in flows)
    if expected > MOST_PACKETS:
        raise MeshError(
            "ANG125",
            f"a simulation of about {expected:,.0f} packets",
            possible=f"each packet is remembered, up to {MOST_PACKETS:,}",
            remedy="send fewer packets a second, or simulate a shorter time",
        )
