"""What is simulated, a mesh with its traffic and what happens to it; and what came of every packet.

Of each happening, which lasts until the next one or the end, a simulation shows how fast a scheme notices,
switches, delivers again, and uses what has healed, all from the happening on:

    noticed   when the first broker noticed it by itself
    settled   when the last broker switched its table
    again     when packets came through again for good: of those that were sent after the last one that got
              lost, the first arrives then. What a full queue drops does not count: that is load, not failure.
    used      when the first packet was sent over what has healed

As a file, CSV or Parquet, there is one row a packet and scheme, with the times in nanoseconds. `done` is when
it arrived or got lost; what is under way at the end has none.

Who sends packets, where to, how often and how large: a *flow* for each pair of brokers.

A constant source sends at equal distances, beginning at 0. A Poisson source sends at random: the time between
two packets is exponentially distributed, drawn in whole numbers from random numbers that depend on the seed
and on the number of the flow alone, so that they are the same on every machine and in every scheme.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from angarium.checker.walks import walk_core
from angarium.checker.walks.row_files import write_rows
from angarium.core.control import Cut
from angarium.core.errors import MeshError, UsageError, did_you_mean
from angarium.mesh.mesh import Mesh
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets import traffic_core
from angarium.mesh.packets.links import (
    LOST,
    SECOND,
    Happening,
    Network,
    in_order,
    in_words,
    network_of,
    stream,
)
from angarium.mesh.packets.timeline import Scheme, Timeline
from angarium.mesh.recovery.tables import Colours, coloured
from angarium.mesh.verify.budget import ONE
from angarium.native.calls import Native

if TYPE_CHECKING:
    import pyarrow as pa

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


MOST_HOPS = 255
"""Hops after which a packet is dropped, if the mesh does not say: the longest time to live of IP."""
FATES = {
    core.UNDER_WAY: "under way",
    core.ARRIVED: "arrived",
    core.ON_THE_WAY: "on a link that was cut",
    core.AT_DEAD_LINK: "at a dead link",
    core.AT_FULL_QUEUE: "at a full queue",
    core.NO_ROUTE: "no route in the table",
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
    cut: Cut | None = None
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


BY_FAILURE = (core.ON_THE_WAY, core.AT_DEAD_LINK, core.NO_ROUTE, core.TOO_FAR, core.IN_DEAD_BROKER)
"""The causes of loss that a scheme is to blame for."""


@dataclass(frozen=True, slots=True)
class Response:
    """How a scheme answers a happening; times in nanoseconds from it on, None if that did not happen."""

    happening: Happening
    noticed: int | None
    settled: int | None
    lost: int
    """Packets that failures and tables lost meanwhile."""
    again: int | None
    """0 if nothing got lost."""
    used: int | None


def responses(run: Run) -> Iterator[Response]:
    """What came of every happening that the simulation came to."""
    happenings = run.experiment.happenings
    for number, each in enumerate(happenings):
        if each.time >= run.until:
            return
        end = min([run.until, *(other.time for other in happenings if other.time > each.time)])
        used = run.used[number]
        yield Response(
            each,
            _since(run.timeline.noticed(each.time, end), each.time),
            _since(run.timeline.settled(each.time, end), each.time),
            *_interruption(run, each.time, end),
            _since(used, each.time),
        )


def _since(time: int | None, start: int) -> int | None:
    return None if time is None else time - start


def _interruption(run: Run, start: int, end: int) -> tuple[int, int | None]:
    """How many packets got lost within some time, and how long it took until none did any more."""
    lost = np.isin(run.fate, BY_FAILURE) & (run.done >= start) & (run.done < end)
    ended = [_came_through(run, flow, lost) for flow in np.unique(run.flow[lost]).tolist()]
    times = [time for time in ended if time is not None and time < end]
    if len(times) < len(ended):
        return int(lost.sum()), None
    return int(lost.sum()), max((time - start for time in times), default=0)


def _came_through(run: Run, flow: int, lost: NDArray[np.bool_]) -> int | None:
    """When the first packet of a flow arrived that was sent after the last lost one."""
    own = run.flow == flow
    last = int(np.flatnonzero(lost & own)[-1])
    after = np.flatnonzero(own[last:] & run.arrived[last:])
    return int(run.done[last + after[0]]) if len(after) else None


COLUMNS = ("scheme", "packet", "from", "to", "sent_ns", "fate", "done_ns", "hops")
ROWS = 1 << 14
"""Rows that stand in memory as Python's numbers at once."""


def write_packets(path: Path, runs: Sequence[Run]) -> None:
    """Write the packets of all runs; the ending of the file's name says in which form."""
    write_rows(path, COLUMNS, _rows(runs), lambda: _table(runs))


def _rows(runs: Sequence[Run]) -> Iterator[tuple[Any, ...]]:
    for run in runs:
        for start in range(0, len(run.sent), ROWS):
            yield from _some_rows(run, start)


def _some_rows(run: Run, start: int) -> Iterator[tuple[Any, ...]]:
    part, flows = slice(start, start + ROWS), run.experiment.flows
    columns = (run.sent, run.flow, run.fate, run.done, run.hops)
    packets = zip(*(column[part].tolist() for column in columns), strict=True)
    for number, (sent, flow, fate, done, hops) in enumerate(packets, start):
        ends = flows[flow].origin, flows[flow].destination
        ended = None if fate == core.UNDER_WAY else done
        yield (run.scheme.name, number, *ends, sent, FATES[fate], ended, hops)


def _table(runs: Sequence[Run]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([_table_of(run) for run in runs]).unify_dictionaries()


def _table_of(run: Run) -> pa.Table:
    import pyarrow as pa

    def words(numbers: Any, names: Sequence[str]) -> Any:  # noqa: ANN401
        return pa.DictionaryArray.from_arrays(
            pa.array(numbers.astype(np.int32)), pa.array(names, pa.string())
        )

    packets, flows = np.arange(len(run.sent), dtype=np.int64), run.experiment.flows
    columns = (
        words(np.zeros(len(packets)), [run.scheme.name]),
        pa.array(packets),
        words(run.flow, [flow.origin for flow in flows]),
        words(run.flow, [flow.destination for flow in flows]),
        pa.array(run.sent.astype(np.int64)),
        words(run.fate, list(FATES.values())),
        pa.array(run.done.astype(np.int64), mask=run.fate == core.UNDER_WAY),
        pa.array(run.hops),
    )
    return pa.Table.from_arrays(list(columns), names=list(COLUMNS))
