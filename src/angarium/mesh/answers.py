"""What is answered about a mesh besides verdicts under failures, as data for JSON, the page and the pipeline.

Where a topic goes, which topics a link carries, what may be dead, what a change changes, and what would mend
what is broken. A verdict is `unknown` if what the files leave open could turn it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from angarium.core.records import key
from angarium.core.result import Extent, GuaranteeVerdict, Result, Verdict
from angarium.mesh.delivery.outcome import Arrival
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.remarks import left_open
from angarium.mesh.repair import Outcome
from angarium.mesh.results import Dead, MeshRemark, dead_of, remarks_of
from angarium.mesh.verify.difference import WORSE, Difference, Received
from angarium.mesh.verify.doubts import Doubts
from angarium.mesh.verify.tracing import Traced


@dataclass(frozen=True, kw_only=True)
class MeshAnswer(Result[GuaranteeVerdict]):
    """An answer about a mesh, with what its files leave open."""

    remarks: Sequence[MeshRemark] = ()


# --- where a topic goes -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CopyOver:
    """A copy, and over which links it came."""

    latency_ms: float = field(metadata=key("ms"))
    path: Sequence[str]


@dataclass(frozen=True, slots=True)
class TopicArrival:
    """Copies of a topic at a broker."""

    broker: str
    topic: str
    copies: int | None
    """None: without end."""
    latency_ms: float = field(metadata=key("ms"))
    path: Sequence[str]
    each: Sequence[CopyOver]


@dataclass(frozen=True, slots=True)
class TopicDrop:
    """Where a copy is not handed on, and why."""

    broker: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class TraceResult(MeshAnswer):
    """What becomes of a topic that a broker publishes."""

    kind: str = "mesh trace"
    topic: str
    origin: str
    dead: Dead
    arrivals: Sequence[TopicArrival]
    received: Mapping[str, int | None]
    """Copies by subscriber."""
    unsure: Mapping[str, str]
    """Who may take what, by the subscriber that gets it otherwise."""
    rounds: Sequence[Sequence[str]]
    drops: Sequence[TopicDrop]


def trace_result(mesh: Mesh, traced: Traced, failures: Failures) -> TraceResult:
    """The answer to where a topic goes while something is dead."""
    spread = traced.spread
    return TraceResult(
        subject=mesh.name,
        topic=traced.topic,
        origin=spread.origin,
        dead=dead_of(failures),
        arrivals=[_arrival(traced, each) for each in spread.arrivals],
        received={each.subscriber.name: each.copies for each in traced.received},
        unsure={each.subscriber.name: str(each.rival) for each in traced.received if each.rival},
        rounds=[loop.round for loop in spread.loops],
        drops=[TopicDrop(each.broker, each.reason.text) for each in spread.drops],
        remarks=tuple(remarks_of(mesh)),
    )


def _arrival(traced: Traced, arrival: Arrival) -> TopicArrival:
    copies = traced.each.get((arrival.broker, arrival.topic), ())
    each = [CopyOver(copy.latency, copy.path) for copy in copies]
    return TopicArrival(arrival.broker, arrival.topic, arrival.copies, arrival.latency, arrival.path, each)


@dataclass(frozen=True, kw_only=True)
class LinksResult(MeshAnswer):
    """Which topics cross each link, one of each class."""

    kind: str = "mesh links"
    links: Mapping[str, Sequence[str]]


def links_result(mesh: Mesh, crossing: Mapping[str, Sequence[str]]) -> LinksResult:
    """The answer to what links carry."""
    return LinksResult(subject=mesh.name, links=crossing, remarks=tuple(remarks_of(mesh)))


@dataclass(frozen=True, kw_only=True)
class LocationResult(MeshAnswer):
    """What may be dead, by which pairs of brokers reach each other and which do not."""

    kind: str = "mesh locate"
    fails: Sequence[Sequence[str]]
    works: Sequence[Sequence[str]]
    explanations: Sequence[Dead]


def location_result(
    mesh: Mesh,
    failing: Sequence[tuple[str, str]],
    working: Sequence[tuple[str, str]],
    found: Sequence[Failures],
) -> LocationResult:
    """The answer to what may be dead."""
    return LocationResult(
        subject=mesh.name,
        fails=failing,
        works=working,
        explanations=[dead_of(each) for each in found],
        remarks=tuple(remarks_of(mesh)),
    )


# --- what a change changes ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReceivedTopic:
    """What a subscriber gets of a topic."""

    copies: int | None
    latency: float
    path: Sequence[str]
    lost_without: Sequence[Dead]


@dataclass(frozen=True, slots=True)
class TopicDifference:
    """A topic of a subscriber that fares differently in the new mesh."""

    kind: str
    publisher: str
    subscriber: str
    topic: str
    old: ReceivedTopic | None
    new: ReceivedTopic | None


@dataclass(frozen=True, kw_only=True)
class DifferenceResult(MeshAnswer):
    """What a change of a mesh changes: one verdict for each kind of bad news."""

    kind: str = "mesh diff"
    differences: Sequence[TopicDifference]
    remarks_of_old: Sequence[MeshRemark]


def difference_result(
    old: Mesh, new: Mesh, failures: str, differences: Sequence[Difference]
) -> DifferenceResult:
    """The answer to what a change changes."""
    return DifferenceResult(
        subject=f"{old.name} -> {new.name}",
        parameters={"failures": failures},
        differences=[_difference(each) for each in differences],
        remarks=tuple(remarks_of(new)),
        remarks_of_old=tuple(remarks_of(old)),
        verdicts=[
            GuaranteeVerdict(guarantee=f"nothing {kind}", verdict=verdict)
            for kind, verdict in _difference_verdicts(old, new, differences).items()
        ],
    )


_OF = {
    "lost": "reachability",
    "doubled": "no-duplicates",
    "slower": "latency",
    "exposed": "reachability",
}
"""Which guarantee it depends on what could turn a difference into another one."""


def _difference_verdicts(old: Mesh, new: Mesh, differences: Sequence[Difference]) -> dict[str, Verdict]:
    """One for each kind of bad news; unknown if what the files of either leave open could turn it."""
    doubts, found = (Doubts(old), Doubts(new)), {each.kind for each in differences}
    verdicts = {}
    for kind in WORSE:
        entries = [(*each.breaking(_OF[kind]), *each.undoing(_OF[kind])) for each in doubts]
        certain = Verdict.VIOLATED if kind in found else Verdict.HOLDS
        verdicts[kind] = Verdict.UNKNOWN if any(entries) else certain
    return verdicts


def _difference(each: Difference) -> TopicDifference:
    old, new = _received(each.old), _received(each.new)
    return TopicDifference(each.kind, each.publisher, each.subscriber, each.topic, old, new)


def _received(received: Received | None) -> ReceivedTopic | None:
    if received is None:
        return None
    deadly = [dead_of(each) for each in sorted(received.deadly, key=str)]
    return ReceivedTopic(received.copies, received.latency, received.path, deadly)


# --- what mends it ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RepairChanges:
    """Changes after which a guarantee holds."""

    guarantee: str
    changes: Sequence[str]
    smallest: bool


@dataclass(frozen=True, kw_only=True)
class RepairResult(MeshAnswer):
    """Repairs, with a verdict for each guarantee that is broken: whether it holds once it is mended."""

    kind: str = "mesh repair"
    repairs: Sequence[RepairChanges]


def repair_result(mesh: Mesh, failures: str, outcome: Outcome) -> RepairResult:
    """The answer to what would mend a mesh."""
    return RepairResult(
        subject=mesh.name,
        parameters={"failures": failures},
        repairs=[
            RepairChanges(each.guarantee, [str(change) for change in each.changes], each.smallest)
            for each in outcome.repairs
        ],
        remarks=tuple(remarks_of(mesh)),
        extent=Extent(complete=outcome.cut is None, cut=outcome.cut),
        verdicts=[
            GuaranteeVerdict(guarantee=name, verdict=verdict)
            for name, verdict in _repair_verdicts(mesh, outcome).items()
        ],
    )


def _repair_verdicts(mesh: Mesh, outcome: Outcome) -> dict[str, Verdict]:
    """Unknown, where the files leave too much open, or not all was tried."""
    mended = Verdict.UNKNOWN if left_open(mesh) else Verdict.HOLDS
    verdicts = {repair.guarantee: mended for repair in outcome.repairs}
    for name in outcome.unmended:
        unsure = outcome.cut or name in outcome.unsure
        verdicts[name] = Verdict.UNKNOWN if unsure else Verdict.VIOLATED
    return verdicts
