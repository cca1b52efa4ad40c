"""`verify`: every guarantee of a mesh, healthy and under every failure within a budget.

    mesh -> classes of topics -> demands -> needs -> spreads, healthy -> spreads under each failure

Guarantees that the files leave open are not judged: without publishers and subscribers nobody can say who is
missing, and a mesh without bounds has no latency to keep.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.verify.budget import HEALTHY, ONE, Budget, Size
from angarium.mesh.verify.carriers import carrier
from angarium.mesh.verify.carry import carried
from angarium.mesh.verify.clients import is_probed, with_probes
from angarium.mesh.verify.configuration import dangling, unserved, unwanted
from angarium.mesh.verify.demands import Need, needs
from angarium.mesh.verify.findings import (
    GUARANTEES,
    UNDER_FAILURES,
    Finding,
    Judgement,
    Looked,
    Verification,
)
from angarium.mesh.verify.hop_limits import Hops, smallest_limit, too_few_hops
from angarium.mesh.verify.sweep import Observer, Sweep
from angarium.verdict import Verdict


def verify(
    mesh: Mesh, budget: Budget = ONE, *, observe: Observer | None = None, timeout: float | None = None
) -> Verification:
    """Judge every guarantee of a mesh."""
    begin = time.monotonic()
    deadline = None if timeout is None else begin + timeout
    probed = with_probes(mesh)
    topics = universe(probed)
    wanted = needs(probed, topics, carried(probed, topics), is_probed(mesh))
    sweep = Sweep(probed, carrier(probed, topics), wanted)
    sweep.healthy()
    sweep.broken(budget, observe, deadline)
    hops = smallest_limit(probed, topics, wanted)
    lost = [each for each in sweep.findings if each.guarantee == "reachability"]
    findings = [
        *sweep.findings,
        *_of_configuration(mesh, topics, wanted),
        *too_few_hops(probed, lost, hops),
    ]
    judgements = tuple(_judgements(mesh, budget, sweep, findings, topics.cut))
    judgements = tuple(_with_hops(each, hops) for each in judgements)
    return Verification(mesh, is_probed(mesh), judgements, _looked(topics, sweep, time.monotonic() - begin))


def found_under(mesh: Mesh, failures: Failures) -> list[Finding]:
    """What goes wrong with messages while something is dead, whatever else goes wrong when nothing is."""
    probed = with_probes(mesh)
    topics = universe(probed)
    sweep = Sweep(
        probed, carrier(probed, topics), needs(probed, topics, carried(probed, topics), is_probed(mesh))
    )
    sweep.all_of(sweep.needs, failures)
    return sweep.findings


def _of_configuration(mesh: Mesh, topics: Universe, wanted: Sequence[Need]) -> Iterator[Finding]:
    yield from dangling(mesh)
    if not is_probed(mesh):
        yield from unwanted(mesh, topics, wanted)
        yield from unserved(mesh, wanted)


def _judgements(
    mesh: Mesh, budget: Budget, sweep: Sweep, findings: Sequence[Finding], cut: str | None
) -> Iterator[Judgement]:
    for guarantee in _applicable(mesh):
        mine = tuple(each for each in findings if each.guarantee == guarantee)
        sizes = (HEALTHY, *budget.sizes) if guarantee in UNDER_FAILURES else (HEALTHY,)
        verdicts = {size: _verdict(size, mine, sweep, budget, cut) for size in sizes}
        yield Judgement(guarantee, verdicts, mine, cut or "")


def _with_hops(judgement: Judgement, hops: Hops | None) -> Judgement:
    return replace(judgement, note=str(hops)) if judgement.guarantee == "hop-limit" and hops else judgement


def _applicable(mesh: Mesh) -> Iterable[str]:
    """The guarantees about which the files say enough."""
    left_out = set()
    if is_probed(mesh):
        left_out |= {"publishers-have-subscribers", "subscribers-have-publishers"}
    if all(subscriber.latency_bound is None for subscriber in mesh.subscribers):
        left_out.add("latency")
    if mesh.routing.hop_limit is None and all(link.hop_limit is None for link in mesh.links):
        left_out.add("hop-limit")
    return (guarantee for guarantee in GUARANTEES if guarantee not in left_out)


def _verdict(
    size: Size, findings: Iterable[Finding], sweep: Sweep, budget: Budget, cut: str | None
) -> Verdict:
    """Violated by a failure of this size or by none at all; holds only if all of them were looked at."""
    if any(each.size in (size, HEALTHY) for each in findings):
        return Verdict.VIOLATED
    complete = sweep.tried.get(size, 0) == size.count(sweep.mesh)
    return Verdict.HOLDS if complete and cut is None else Verdict.UNKNOWN


def _looked(topics: Universe, sweep: Sweep, seconds: float) -> Looked:
    demands = sum(len(need.demands) for need in sweep.needs)
    return Looked(
        len(topics.classes),
        demands,
        len(sweep.needs),
        sweep.tried,
        sweep.out_of_service,
        sweep.moved,
        seconds,
        cut=sweep.cut,
    )
