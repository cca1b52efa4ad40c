"""What `angarium mesh node` reports, as data: each thing that happens, and an account at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from angarium.core.records import key
from angarium.mesh.protocol.daemon import Daemon, Stream
from angarium.mesh.protocol.node import Changed, Switched
from angarium.mesh.results import Dead, dead_of


@dataclass(frozen=True, kw_only=True)
class NodeEvent:
    """Something that a daemon reports."""

    event: str


@dataclass(frozen=True, kw_only=True)
class Listening(NodeEvent):
    """It has begun."""

    event: str = "listening"
    address: str


@dataclass(frozen=True, kw_only=True)
class InterfaceChanged(NodeEvent):
    """It takes a neighbour for something else than before."""

    event: str = "interface"
    neighbour: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, kw_only=True)
class TablesSwitched(NodeEvent):
    """It forwards by other tables."""

    event: str = "switch"
    colour: int | None
    precalculated: bool
    dead: Dead
    reaches: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class LinesLeftOut(NodeEvent):
    """Nobody read what it reported."""

    event: str = "left out"
    lines: int


@dataclass(frozen=True, slots=True)
class ProbesSent:
    """Probes to another broker."""

    to: str
    sent: int


@dataclass(frozen=True, slots=True)
class ProbesArrived:
    """Probes from one life of a broker; of what is missing, the first and last numbers."""

    source: str = field(metadata=key("from"))
    life: int
    received: int
    doubled: int
    missing: Sequence[Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class Account(NodeEvent):
    """What it has done until it ended."""

    event: str = "ended"
    colour: int | None
    interfaces: Mapping[str, str]
    probes: ProbesSent | None
    forwarded: int
    lost: Mapping[str, int]
    arrived: Sequence[ProbesArrived]
    uncounted: int
    refused: Mapping[str, int]
    ignored: Mapping[str, int]


def event_of(action: Changed | Switched) -> NodeEvent:
    """What a node did, as data."""
    if isinstance(action, Changed):
        return InterfaceChanged(
            neighbour=action.neighbour,
            before=action.before.value,
            after=action.after.value,
            why=action.why.value,
        )
    view = action.view
    return TablesSwitched(
        colour=view.colour,
        precalculated=view.colour is not None,
        dead=dead_of(view.failures),
        reaches=sorted(view.component),
    )


def account_of(daemon: Daemon) -> Account:
    """What a daemon has done until it ended, as data."""
    tally, probing = daemon.tally, daemon.probing
    return Account(
        colour=daemon.node.view.colour,
        interfaces={name: each.state.value for name, each in daemon.node.interfaces.items()},
        probes=ProbesSent(probing.to, probing.sent) if probing else None,
        forwarded=tally.forwarded,
        lost=dict(tally.lost),
        arrived=[_arrived(*key, stream) for key, stream in tally.arrived.streams.items()],
        uncounted=tally.arrived.uncounted,
        refused=dict(tally.refused),
        ignored=dict(daemon.node.ignored),
    )


def _arrived(source: str, life: int, stream: Stream) -> ProbesArrived:
    return ProbesArrived(source, life, stream.received, stream.doubled, list(stream.gaps))
