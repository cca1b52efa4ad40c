"""What becomes of a need in a spread, and which guarantees that breaks.

A copy counts if it arrives at the subscriber's broker under a name that is wanted. Where several compete for
a copy, what is not sure to arrive is lost, and what can arrive twice arrives twice. Each judge looks at one
fate for one guarantee and says in a sentence what is wrong, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from angarium.core.units import in_words
from angarium.mesh.delivery.choices import ALONE, Rival
from angarium.mesh.delivery.outcome import Drop, Loop, Path, Spread
from angarium.mesh.mesh import Failures, Link, takes
from angarium.mesh.verify.budget import Size
from angarium.mesh.verify.demands import Demand, Need
from angarium.mesh.verify.violations import FAILOVER, Violation


@dataclass(frozen=True, slots=True)
class Fate:
    """What arrives of a need."""

    need: Need
    at: str
    """Where the subscriber is, perhaps at a substitute."""
    spread: Spread
    copies: int | None
    """At most; None: without end."""
    path: Path
    latency: float
    """Milliseconds to the first copy, whoever takes what is shared."""
    drop: Drop | None = None
    """If it is lost: where, on a path that leads there, a copy came farthest."""
    before: Path | None = None
    """Over which way it arrived when nothing was dead; None: nothing is dead now, or it never arrived."""
    rival: Rival | None = None
    """Who may take it so that it does not arrive."""

    @property
    def lost(self) -> bool:
        """Whether it need not arrive."""
        return self.copies == 0 or self.rival is not None


Leads = Callable[[str, str], bool]
"""Whether links lead from a broker to another."""


def fate(
    need: Need, at: str, spread: Spread, before: Path | None = None, leads: Leads = lambda here, there: True
) -> Fate:
    """What arrives for a need whose subscriber is at a broker."""
    good = [each for each in spread.arrivals if each.broker == at and each.renamed in need.names]
    if not good:
        drops = [drop for drop in spread.drops if leads(drop.broker, at)]
        drop = max(drops, key=lambda each: len(each.path), default=None)
        return Fate(need, at, spread, 0, (), 0.0, drop, before)
    group = (at, need.shares) if at == need.at else ALONE
    copies, rival = spread.copies_at(at, need.names, group), spread.rival(at, need.names, group)
    first = min(good, key=lambda each: (each.latency, len(each.path)))
    latest = None if rival else spread.latest(at, need.names, group)
    latency = first.latency if latest is None else latest
    return Fate(need, at, spread, copies, first.path, latency, None, before, rival)


Broken = tuple[str, Path, Path]
"""What is wrong, in a sentence; how far a message comes; where it goes round."""


def _unreached(fate: Fate) -> Broken | None:
    if not fate.lost:
        return None
    if fate.rival:
        return f"{_pair(fate)} need not arrive: {fate.rival}", fate.rival.path, ()
    if fate.spread.loops:
        loop = fate.spread.loops[0]
        return f"{_pair(fate)} is lost: it goes round", loop.before, loop.round
    renamed = next((each for each in fate.spread.arrivals if each.broker == fate.at), None)
    if renamed and fate.before is None:
        return f"{_pair(fate)} arrives as {renamed.topic}, which is not what is wanted", renamed.path, ()
    drop = fate.drop
    if fate.before is not None and (drop is None or drop.is_design):
        return f"{_pair(fate)} is lost with its path", fate.before, ()
    reason = f"it ends at {drop.broker}: {drop.reason}" if drop else "no link leads there"
    return f"{_pair(fate)} is lost: {reason}", drop.path if drop else (), ()


def _doubled(fate: Fate) -> Broken | None:
    if fate.copies is not None and fate.copies <= 1:
        return None
    count = "copies without end" if fate.copies is None else f"{fate.copies} copies"
    return f"{_pair(fate)} {'may arrive' if fate.spread.choices else 'arrives'} in {count}", fate.path, ()


def _swallowed(fate: Fate) -> Broken | None:
    """Where no path is left because something is dead, or none ever was, nobody swallows anything."""
    drop = None if fate.spread.loops else fate.drop
    if drop is None or (drop.is_design and (fate.before is not None or not drop.path)):
        return None
    return f"{drop.broker} drops what is for {fate.at}: {drop.reason}", drop.path, ()


def _late_demands(fate: Fate) -> tuple[Demand, ...]:
    """Those whose bound is not kept: subscribers at one broker may have different ones, or none."""
    demands = () if fate.lost else fate.need.demands
    return tuple(each for each in demands if each.bound is not None and each.bound < fate.latency)


def _late(fate: Fate) -> Broken | None:
    bounds = [demand.bound for demand in _late_demands(fate) if demand.bound is not None]
    if not bounds:
        return None
    return f"{_pair(fate)} takes {fate.latency:g} ms, the bound is {min(bounds):g} ms", fate.path, ()


JUDGES: dict[str, Callable[[Fate], Broken | None]] = {
    "reachability": _unreached,
    "no-duplicates": _doubled,
    "no-black-hole": _swallowed,
    "latency": _late,
}
"""Who says what is wrong with a fate."""


def violations_of(fate: Fate, failures: Failures, size: Size) -> Iterator[Violation]:
    """Every guarantee that a fate breaks."""
    for guarantee, judge in JUDGES.items():
        broken = judge(fate)
        if broken:
            what, path, round_ = broken
            late = guarantee == "latency"
            need = replace(fate.need, demands=_late_demands(fate)) if late else fate.need
            yield Violation(guarantee, what, failures, size, need, path, round_, fate.copies)


def looped(loop: Loop, origin: str, failures: Failures, size: Size) -> Violation:
    """A message that goes round."""
    growth = ", each time under a longer name" if loop.grows else ""
    what = f"{loop.topic} of {origin} goes round for ever{growth}"
    return Violation("loop-free", what, failures, size, None, loop.before, loop.round, None)


def taken_over(
    fate: Fate, failures: Failures, size: Size, links: Mapping[str, Link], resting: Set[str]
) -> Violation:
    """What arrives only over links that have taken over: after the longest of their times."""
    time = takes(links[name] for name in fate.path if name in resting)
    what = f"{_pair(fate)} arrives after failover{within(time)}"
    return Violation(FAILOVER, what, failures, size, fate.need, fate.path, (), fate.copies, takes=time)


def within(time: float) -> str:
    """In which time links take over, if that is known."""
    return f", within {in_words(time)}" if time else ""


def _pair(fate: Fate) -> str:
    """From where to where, and where the clients have moved to."""
    need, origin = fate.need, fate.spread.origin
    publishers = f" (now at {origin})" if origin != need.origin else ""
    subscribers = f" (now at {fate.at})" if fate.at != need.at else ""
    return f"{need.origin}{publishers} to {need.at}{subscribers}"
