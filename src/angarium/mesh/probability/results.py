"""What `angarium mesh latency` and `angarium mesh heartbeats` answer, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from angarium.core.result import Extent, GuaranteeVerdict, Result, Verdict
from angarium.mesh.probability.heartbeats import Curves, Point
from angarium.mesh.probability.latency import Latencies, Missing
from angarium.mesh.probability.limits import Probability
from angarium.mesh.remarks import left_open
from angarium.mesh.results import MeshRemark, Wanted, remarks_of

# --- how likely a bound is missed ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProbabilityEstimate:
    """A probability, and between which limits it is."""

    probability: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MissedBound:
    """How likely those who want something miss it."""

    within: float | None
    """The bound, in milliseconds."""
    demands: Sequence[Wanted]
    missed: ProbabilityEstimate
    away: ProbabilityEstimate
    lost: ProbabilityEstimate
    late: ProbabilityEstimate
    upper_limit_only: bool


@dataclass(frozen=True, kw_only=True)
class LatencyResult(Result[GuaranteeVerdict]):
    """How likely each bound is missed; with a verdict for each, if it is said how often it may be."""

    kind: str = "mesh latency"
    runs: int | None
    seed: int | None
    confidence: float | None
    risks: int
    healthy: float
    failures: int
    rest: float
    at_most: float | None
    bounds: Sequence[MissedBound]
    remarks: Sequence[MeshRemark]


def latency_result(found: Latencies, at_most: float | None) -> LatencyResult:
    """The answer to how likely bounds are missed, and whether that is no more than allowed."""
    return LatencyResult(
        subject=found.mesh.name,
        engine=found.engine,
        extent=Extent(complete=found.cut is None, cut=found.cut, seconds=found.seconds),
        runs=found.runs,
        seed=found.seed,
        confidence=found.confidence,
        risks=found.risks,
        healthy=found.healthy,
        failures=found.failures,
        rest=found.rest,
        at_most=at_most,
        bounds=[_bound(row) for row in found.rows],
        remarks=tuple(remarks_of(found.mesh)),
        verdicts=() if at_most is None else [_verdict(found, row, at_most) for row in found.rows],
    )


def _bound(row: Missing) -> MissedBound:
    return MissedBound(
        within=row.question.bound,
        demands=[Wanted(each.publisher, each.subscriber, each.topic) for each in row.question.ends],
        missed=_estimate(row.missed),
        away=_estimate(row.away),
        lost=_estimate(row.lost),
        late=_estimate(row.late),
        upper_limit_only=row.is_limit,
    )


def _estimate(chance: Probability) -> ProbabilityEstimate:
    return ProbabilityEstimate(chance.value, chance.low, chance.high)


def _verdict(found: Latencies, row: Missing, at_most: float) -> GuaranteeVerdict:
    guarantee = f"{named(row)}: missed at most {percent(at_most)} %"
    return GuaranteeVerdict(guarantee=guarantee, verdict=verdict_of(found, row, at_most))


def verdict_of(found: Latencies, row: Missing, at_most: float) -> Verdict:
    """Whether a bound is missed no more than allowed; unknown between its limits, or if left open."""
    if left_open(found.mesh):
        return Verdict.UNKNOWN
    if row.missed.high <= at_most:
        return Verdict.HOLDS
    return Verdict.VIOLATED if row.missed.low > at_most else Verdict.UNKNOWN


def named(row: Missing) -> str:
    """What is wanted by whom, and within which time."""
    ends, bound = row.question.ends, row.question.bound
    more = f" and {len(ends) - 1:,} more alike" if len(ends) > 1 else ""
    within = "no bound" if bound is None else f"{bound:g} ms"
    return f"{ends[0].topic}, {ends[0].subscriber}{more}, {within}"


def percent(probability: float) -> str:
    """A probability in per cent, in three digits."""
    return f"{100 * probability:.3g}"


# --- false alarms against detection time -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoadedLink:
    """The link that heartbeats share with data."""

    mbit_per_second: float
    packet_bytes: int
    heartbeat_bytes: int
    room_packets: int
    burst_ms: float


@dataclass(frozen=True, slots=True)
class AlarmRate:
    """How many false alarms there are in an hour, and the limits of that with 95 % confidence."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class HeartbeatPoint:
    """A scheme with one heartbeat interval under one load."""

    load: float
    scheme: str
    interval_ms: float
    hours: float
    false_alarms: int
    false_alarms_per_hour: AlarmRate
    detection_ms: float
    longest_dead_interval_ms: float
    heartbeats_per_second: float
    lost_share: float


@dataclass(frozen=True, kw_only=True)
class HeartbeatsResult(Result[GuaranteeVerdict]):
    """What was simulated."""

    kind: str = "mesh heartbeats"
    seed: int
    hours: float
    packets: int
    link: LoadedLink
    points: Sequence[HeartbeatPoint]


def heartbeats_result(found: Curves) -> HeartbeatsResult:
    """The answer to how often to send heartbeats."""
    link = found.traffic
    return HeartbeatsResult(
        subject="a link",
        extent=Extent(complete=found.cut is None, cut=found.cut, seconds=found.seconds),
        seed=found.seed,
        hours=found.hours,
        packets=found.packets,
        link=LoadedLink(link.rate, link.packet, link.heartbeat, link.room, link.burst),
        points=[_point(each) for each in found.points],
    )


def _point(point: Point) -> HeartbeatPoint:
    return HeartbeatPoint(
        load=point.load,
        scheme=point.scheme,
        interval_ms=point.interval,
        hours=point.hours,
        false_alarms=point.alarms,
        false_alarms_per_hour=AlarmRate(point.alarms_per_hour, point.low, point.high),
        detection_ms=point.detection,
        longest_dead_interval_ms=point.longest,
        heartbeats_per_second=point.heartbeats_per_second,
        lost_share=point.lost,
    )
