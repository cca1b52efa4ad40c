"""What `angarium mesh simulate` answers, as data: what became of packets, by scheme, in nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from angarium.core.control import Cut
from angarium.core.records import FLAT, decimals, key
from angarium.core.result import Extent, GuaranteeVerdict, Result
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import FATES, Experiment, Flow, Response, Run, responses
from angarium.mesh.packets.links import Happening
from angarium.mesh.results import MeshRemark, remarks_of

QUANTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class SimulatedFlow:
    """Who sends packets to whom."""

    origin: str = field(metadata=key("from"))
    destination: str = field(metadata=key("to"))
    packets_per_second: float
    bits: int
    arrivals: str


@dataclass(frozen=True, slots=True)
class SimulatedEvent:
    """What fails or heals, and when."""

    what: str
    heals: bool
    time_ns: int


@dataclass(frozen=True, slots=True)
class SchemeResponse:
    """How a scheme answers an event; None: it did not happen."""

    event: str
    noticed_ns: int | None
    settled_ns: int | None
    lost: int
    delivers_again_ns: int | None
    used_again_ns: int | None


@dataclass(frozen=True, slots=True)
class SchemeRun:
    """What became of the packets in a scheme."""

    scheme: str
    heartbeat_ns: int
    dead_interval_ns: int
    sent: int
    arrived: int
    arrived_again: int
    under_way: int
    lost: int
    lost_by_cause: Mapping[str, int]
    most_hops: int
    latency_ns: Mapping[str, int] | None
    """Mean, quantiles and longest, if a packet has arrived."""
    responses: Sequence[SchemeResponse]
    switches: int
    events: int
    seconds: float = field(metadata=decimals(3))
    cut: Cut | None = field(metadata=FLAT)
    until_ns: int


@dataclass(frozen=True, kw_only=True)
class SimulationResult(Result[GuaranteeVerdict]):
    """The same packets and failures, in every scheme."""

    kind: str = "mesh simulate"
    seed: int
    duration_ns: int
    buffering: str
    flows: Sequence[SimulatedFlow]
    events: Sequence[SimulatedEvent]
    schemes: Sequence[SchemeRun]
    remarks: Sequence[MeshRemark]


def simulation_result(experiment: Experiment, runs: Sequence[Run]) -> SimulationResult:
    """The answer to what becomes of packets."""
    cut = next((run.cut for run in runs if run.cut), None)
    return SimulationResult(
        subject=experiment.mesh.name,
        extent=Extent(complete=cut is None, cut=cut, seconds=sum(run.seconds for run in runs)),
        seed=experiment.seed,
        duration_ns=experiment.duration,
        buffering=experiment.buffering,
        flows=[_flow(each) for each in experiment.flows],
        events=[_event(each) for each in experiment.happenings],
        schemes=[_run(each) for each in runs],
        remarks=tuple(remarks_of(experiment.mesh)),
    )


def _flow(flow: Flow) -> SimulatedFlow:
    return SimulatedFlow(flow.origin, flow.destination, flow.rate, flow.size, flow.arrivals)


def _event(each: Happening) -> SimulatedEvent:
    return SimulatedEvent(str(each.what), each.heals, each.time)


def _run(run: Run) -> SchemeRun:
    timers, latencies = run.scheme.timers, latencies_of(run)
    names = ("mean", *(f"quantile_{round(100 * share)}" for share in QUANTILES), "longest")
    return SchemeRun(
        scheme=run.scheme.name,
        heartbeat_ns=timers.heartbeat,
        dead_interval_ns=timers.dead,
        sent=len(run.sent),
        arrived=run.count(core.ARRIVED),
        arrived_again=run.copies,
        under_way=run.count(core.UNDER_WAY),
        lost=run.lost,
        lost_by_cause={FATES[cause]: count for cause, count in run.losses.items()},
        most_hops=int(run.hops.max(initial=0)),
        latency_ns=None if latencies is None else dict(zip(names, latencies, strict=True)),
        responses=[_response(each) for each in responses(run)],
        switches=len(run.timeline.switches),
        events=run.events,
        seconds=run.seconds,
        cut=run.cut,
        until_ns=run.until,
    )


def _response(each: Response) -> SchemeResponse:
    return SchemeResponse(str(each.happening), each.noticed, each.settled, each.lost, each.again, each.used)


def latencies_of(run: Run) -> list[int] | None:
    """Mean, quantiles and maximum of the latencies, if a packet has arrived."""
    if not len(run.latencies):
        return None
    quantiles = np.quantile(run.latencies, QUANTILES, method="inverted_cdf")
    return [round(float(run.latencies.mean())), *map(int, quantiles), int(run.latencies.max())]
