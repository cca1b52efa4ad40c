"""Which verdicts could be otherwise, because of what the files leave open.

What is left out of a mesh may carry messages, drop, copy, rename or reroute them, or declare a name. Each of
these can break some guarantees that seem to hold, and undo what seems to break others:

                                  breaks              undoes
    reachability                  drops               carries
    no-black-hole                 carries, drops      carries, drops
    loop-free                     carries             drops
    no-duplicates                 carries, copies     drops
    latency                       drops               carries
    hop-limit                     carries             carries, drops
    clients and counterparts      drops               carries
    no-dangling-references        declares            declares

Renaming and rerouting can do all of it but the last: a message under another name passes other filters. Where
routers choose the paths, one more link changes the paths of others, so carrying is rerouting. Where probes
stand for clients that nobody names, what must arrive is what links carry, so with one link more, more must
arrive, and less with one that drops.

A broker that takes a message and drops it is worse than one that never gets it: so both carrying and dropping
can make a black hole, and undo one.

A copy is not taken back by another link, nor is a loop: `carries` undoes neither. And what acts at some
brokers only drops nothing that does not pass them. Whatever is left over is as true as the files are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from angarium.mesh.mesh import CARRIES, COPIES, DECLARES, DROPS, FORWARD, RENAMES, REROUTES, Mesh, Remark
from angarium.mesh.remarks import Numbered, left_open
from angarium.mesh.verify.demands import is_probed
from angarium.mesh.verify.violations import Violation

Effects = frozenset[str]
_OTHERWISE = frozenset((RENAMES, REROUTES))
_LOST = (frozenset((DROPS, *_OTHERWISE)), frozenset((CARRIES, *_OTHERWISE)))
_REFERENCE = (frozenset((DECLARES,)), frozenset((DECLARES,)))
_CHANGED: dict[str, tuple[Effects, Effects]] = {
    "reachability": _LOST,
    "loop-free": (frozenset((CARRIES, *_OTHERWISE)), frozenset((DROPS, *_OTHERWISE))),
    "no-duplicates": (frozenset((CARRIES, COPIES, *_OTHERWISE)), frozenset((DROPS, *_OTHERWISE))),
    "no-black-hole": (frozenset((CARRIES, DROPS, *_OTHERWISE)), frozenset((CARRIES, DROPS, *_OTHERWISE))),
    "hop-limit": (frozenset((CARRIES, *_OTHERWISE)), frozenset((CARRIES, DROPS, *_OTHERWISE))),
    "latency": _LOST,
    "publishers-have-subscribers": _LOST,
    "subscribers-have-publishers": _LOST,
    "no-dangling-references": _REFERENCE,
}
"""Of each guarantee: the effects that can break it, and those that can undo what breaks it."""
_OF_PROBES = ("reachability", "no-black-hole", "latency")
"""What asks for something else if probes expect what links carry, and links are left out or drop more."""
_BY_PROBES = frozenset((CARRIES, DROPS))


@dataclass(frozen=True)
class Doubts:
    """What is left open in the files of a mesh."""

    mesh: Mesh
    _led: dict[tuple[str, bool], frozenset[str]] = field(default_factory=dict)
    _acts: dict[str, tuple[bool, frozenset[str]]] = field(default_factory=dict)

    @cached_property
    def entries(self) -> tuple[Numbered, ...]:
        return tuple(left_open(self.mesh))

    def breaking(self, guarantee: str) -> tuple[Numbered, ...]:
        """The entries that could break a guarantee that seems to hold."""
        effects = _CHANGED[guarantee][0] | (_BY_PROBES if self._of_probes(guarantee) else frozenset())
        return tuple(each for each in self.entries if effects & self._effects(each[1]))

    def undoing(self, guarantee: str) -> tuple[Numbered, ...]:
        """The entries that could undo something that seems to break a guarantee."""
        effects = self._undo_effects(guarantee)
        return tuple(each for each in self.entries if effects & self._effects(each[1]))

    def _undo_effects(self, guarantee: str) -> Effects:
        return _CHANGED[guarantee][1] | (_BY_PROBES if self._of_probes(guarantee) else frozenset())

    def _of_probes(self, guarantee: str) -> bool:
        return guarantee in _OF_PROBES and is_probed(self.mesh)

    def undo(self, violation: Violation) -> bool:
        """Whether some entry could mean that what was found is not so."""
        everywhere, brokers = self._acting(violation.guarantee)
        return everywhere or (bool(brokers) and not brokers.isdisjoint(self._passed(violation)))

    def _acting(self, guarantee: str) -> tuple[bool, frozenset[str]]:
        """Whether what undoes violations acts anywhere, or else at which brokers.

        What is carried besides may come from anywhere, and go there, wherever the entry is that says so.
        """
        if guarantee not in self._acts:
            undoing = [each for _, each in self.undoing(guarantee)]
            effects = self._undo_effects(guarantee) & {CARRIES, REROUTES, DECLARES}
            everywhere = any(not each.brokers or effects & self._effects(each) for each in undoing)
            self._acts[guarantee] = everywhere, frozenset(name for each in undoing for name in each.brokers)
        return self._acts[guarantee]

    def _effects(self, remark: Remark) -> Effects:
        reroutes = CARRIES in remark.effects and self.mesh.routing.kind != FORWARD
        return remark.effects | {REROUTES} if reroutes else remark.effects

    def _passed(self, violation: Violation) -> frozenset[str]:
        """The brokers that the messages of a violation may pass."""
        everyone = frozenset(broker.name for broker in self.mesh.brokers)
        if violation.round:
            return self._on((*violation.path, *violation.round))
        if not violation.need or violation.failures.brokers:
            return everyone  # substitutes may stand in
        return self._leads(violation.need.origin, True) & self._leads(violation.need.at, False)

    def _on(self, names: Iterable[str]) -> frozenset[str]:
        links = {link.name: link for link in self.mesh.links}
        return frozenset(end for name in names for end in (links[name].source, links[name].target))

    def _leads(self, broker: str, forward: bool) -> frozenset[str]:
        """The brokers that links lead to from one, or from which they lead to it; itself among them."""
        if (broker, forward) not in self._led:
            ends = [(link.source, link.target) for link in self.mesh.links]
            next_to: dict[str, list[str]] = {}
            for source, target in ends:
                here, there = (source, target) if forward else (target, source)
                next_to.setdefault(here, []).append(there)
            found, waiting = {broker}, [broker]
            while waiting:
                new = set(next_to.get(waiting.pop(), ())) - found
                found |= new
                waiting += new
            self._led[broker, forward] = frozenset(found)
        return self._led[broker, forward]
