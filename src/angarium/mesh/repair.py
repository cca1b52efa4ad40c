"""The smallest change that makes a broken guarantee hold, found by trying, and verified.

A repair is taken only if the whole verification says that the guarantee holds now, and that nothing broke
which held before. All single changes that are worth trying are tried before pairs of them. Where no pair is
enough, changes are added one by one, each time that which leaves the fewest violations: such a repair is
verified as well, but a smaller one may exist, and that is said.

What may mend it is tried with the most helpful first. Each kind of fault suggests its own changes: a message
that goes round or arrives twice wants a link less or a lower hop limit; one that is dropped wants another
table entry, a higher hop limit, or a link more. A new link can help only if it leads from where the message
still comes to where the subscriber can still be reached from: links that help more of the violations are
tried first.

Some changes an operator can write into his brokers' own files, instead of taking a link away. Each is a
change of the rules of links that stand in the model, so it is verified as any other is, with the words of the
file that it is written in and the place where. What a file cannot say is not offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations
from typing import NamedTuple

from angarium.core.control import Control, Cut, CutBy, Stopped
from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.change import (
    AddLink,
    Change,
    RemoveLink,
    Rules,
    SetEntry,
    SetHopLimit,
    SetPathLimit,
    SetRules,
    applied,
)
from angarium.mesh.mesh import FORWARD, TABLES, Failures, Link, Mesh, Pattern, Rename
from angarium.mesh.remarks import trusting
from angarium.mesh.routing.graph import neighbours, reached
from angarium.mesh.verify.budget import Budget, Size
from angarium.mesh.verify.difference import Difference, compare
from angarium.mesh.verify.doubts import Doubts
from angarium.mesh.verify.verify import verify
from angarium.mesh.verify.violations import Verification, Violation


class _Limit(NamedTuple):
    """What limits the hops of messages."""

    setting: str
    entry: str
    """Where it is set."""
    kind: str
    """Of its links."""
    alone: bool = True
    """Whether one entry can be changed alone. That of an Artemis cluster is how far away its members know of
    queues: it does what a limit of hops does only if all say the same."""


HOPS_BY = {
    "rabbitmq": (_Limit("max-hops", "upstream", "federation"),),
    "artemis": (
        _Limit("max-hops", "address-policy", "federation"),
        _Limit("max-hops", "cluster-connection", "cluster", alone=False),
    ),
    "hivemq": (_Limit("hop-count-limit", "bridge", "bridge"),),
}
MOST_PLACES = 4
_RECONNECTS = 1000.0
"""Milliseconds until NATS tries the next server of a remote (`reconnect_interval`)."""


def settings(mesh: Mesh, violation: Violation) -> Iterator[SetRules]:
    """Settings that may help, in the language of the brokers; none for a mesh file."""
    concerned = _concerned(mesh, violation)
    for limit in HOPS_BY.get(mesh.form, ()):
        yield from _hops(mesh, limit, {*violation.round, *violation.path})
    if violation.guarantee in ("loop-free", "no-duplicates"):
        if mesh.form == "mosquitto":
            yield from _private(mesh, concerned)
            yield from _directions(concerned)
        elif mesh.form == "nats":
            yield from _one_remote(mesh)
        elif mesh.form == "mirrormaker":
            yield from _default_policy(mesh)
            yield from _fewer_topics(concerned)


def _concerned(mesh: Mesh, violation: Violation) -> list[Link]:
    """The links of a round; of what arrives twice, or not at all, any."""
    return [link for link in mesh.links if not violation.round or link.name in violation.round]


def _rules(links: Iterable[Link], **fields: object) -> tuple[Rules, ...]:
    return tuple((link.name, tuple(fields.items())) for link in links)


def _at(link: Link) -> str:
    return str(link.place) if link.place else link.name


def _some(links: Sequence[Link]) -> str:
    more = f" and {len(links) - MOST_PLACES:,} more" if len(links) > MOST_PLACES else ""
    return ", ".join(map(_at, links[:MOST_PLACES])) + more


def _grouped(links: Iterable[Link]) -> list[list[Link]]:
    """Links by the entry of a file that they come of."""
    groups: dict[str, list[Link]] = {}
    for link in links:
        groups.setdefault(_at(link), []).append(link)
    return list(groups.values())


# --- RabbitMQ and Artemis: hops -----------------------------------------------------------------------


def _hops(mesh: Mesh, by: _Limit, path: Set[str]) -> Iterator[SetRules]:
    """Another limit in all entries, or in one on the path."""
    setting, entry, kind, alone = by
    limited = [link for link in mesh.links if link.kind == kind and link.hop_limit is not None]
    entries = _grouped(limited)
    own = _grouped(link for link in limited if link.name in path and alone)
    for limit in range(1, len(mesh.brokers)):
        if len(entries) > 1:
            words = f"set {setting} = {limit} in every {entry}: {_some([links[0] for links in entries])}"
            yield SetRules(words, _rules(limited, hop_limit=limit))
        for links in own:
            yield SetRules(
                f"set {setting} = {limit} in the {entry} {_at(links[0])}", _rules(links, hop_limit=limit)
            )


# --- Mosquitto: what comes back over a bridge, and topics -----------------------------------------------


def _private(mesh: Mesh, concerned: Sequence[Link]) -> Iterator[SetRules]:
    """A bridge whose other end does not know it for one gets back what it has sent."""
    public = [link for link in concerned if link.cable and not link.connection]
    for cable in dict.fromkeys(link.cable for link in public):
        its = [link for link in mesh.links if link.cable == cable]
        rules = _rules(its, connection=cable, kind="bridge", not_after=frozenset())
        words = (
            f"write try_private true in the connection of {_at(its[0])}: if the other end is Mosquitto, too"
        )
        yield SetRules(words, rules)


def _directions(links: Sequence[Link]) -> Iterator[SetRules]:
    """A topic line that goes one way only, or is left out."""
    for its in _grouped(link for link in links if link.cable):
        by_direction = {each: [link for link in its if _goes(link) == each] for each in ("out", "in")}
        for gone, kept in (("in", "out"), ("out", "in")):
            if by_direction[gone] and by_direction[kept]:
                yield SetRules(
                    f"write {kept} instead of both in the topic line {_at(its[0])}",
                    _rules(by_direction[gone]),
                )


def _goes(link: Link) -> str:
    """`out` or `in`, as the topic line says."""
    return link.name.removeprefix(link.cable).split()[0]


# --- NATS: remotes -------------------------------------------------------------------------------------


def _one_remote(mesh: Mesh) -> Iterator[SetRules]:
    """Several remotes of a server to servers of one cluster each bring a copy; several urls of one do not."""
    routes = {frozenset((link.source, link.target)) for link in mesh.links if link.kind == "route"}
    remotes = _grouped(link for link in mesh.links if link.cable.startswith("leaf ") and not link.failover)
    for one, other in combinations(remotes, 2):
        ends, others = ({end for link in each for end in (link.source, link.target)} for each in (one, other))
        both = ends & others
        if len(both) == 1 and ends ^ others in routes:
            name = f"urls of {_at(one[0])}"
            later = _rules(other, failover=name, rank=1, takes_over=_RECONNECTS)
            words = f"write the urls of the remote {_at(other[0])} into that of {_at(one[0])}: one with both"
            yield SetRules(words, (*_rules(one, failover=name), *later))


# --- MirrorMaker: names and topics ---------------------------------------------------------------------


def _default_policy(mesh: Mesh) -> Iterator[SetRules]:
    """Names that tell where a topic comes from, so that no flow takes it back."""
    from angarium.mesh.importers.mirrormaker_flows import cycle_of

    same = [link for link in mesh.links if link.kind == "mirror" and link.rename is None]
    rules: list[Rules] = []
    for link in same:
        back = Pattern(cycle_of(link.target, ".") or "", "mirrormaker")
        fields = {"rename": Rename(add=f"{link.source}."), "refuses": (*link.refuses, back)}
        rules += _rules([link], **fields)
    if same:
        words = (
            "write DefaultReplicationPolicy instead of IdentityReplicationPolicy for the flows"
            f" {_some(same)}; copies are then called {same[0].source}.TOPIC, and consumers have to ask"
            " for that"
        )
        yield SetRules(words, tuple(rules))


def _fewer_topics(links: Sequence[Link]) -> Iterator[SetRules]:
    """A flow with one topic less."""
    for link in links:
        for pattern in link.accepts if len(link.accepts) > 1 else ():
            left = tuple(each for each in link.accepts if each != pattern)
            words = f"take {pattern.text} out of the topics of {link.name} at {_at(link)}"
            yield SetRules(words, _rules([link], accepts=left))


GENTLE = (SetRules, SetHopLimit, SetPathLimit, SetEntry, AddLink, RemoveLink)
"""Kinds of changes, those first that operators make more lightly."""


def candidates(mesh: Mesh, violations: Sequence[Violation]) -> list[Change]:
    """Changes worth trying, those first that help most of the violations."""
    helped: Counter[Change] = Counter()
    for violation in violations:
        for suggest in SUGGESTIONS.get(violation.guarantee, ()):
            helped.update(set(suggest(mesh, violation)))
    return sorted(helped, key=lambda change: _order(change, helped[change]))


def _order(change: Change, helped: int) -> tuple[bool, int, int, str]:
    """What an operator writes into a file of his comes before what takes a link from him."""
    return not isinstance(change, SetRules), -helped, GENTLE.index(type(change)), str(change)


def _hop_limits(mesh: Mesh, violation: Violation) -> Iterator[Change]:
    """Another limit for all links that have one, or for one of these on the path; some brokers know none."""
    limited = [link.name for link in mesh.links if link.hop_limit is not None]
    if mesh.routing.kind != FORWARD or not limited or mesh.form in HOPS_BY:
        return
    on_path = {*violation.round, *violation.path} & set(limited)
    for limit in range(1, len(mesh.brokers)):
        yield SetHopLimit(None, limit)
        for cable in _cables(mesh, on_path):
            yield SetHopLimit(cable, limit)


def _fewer_links(mesh: Mesh, violation: Violation) -> Iterator[Change]:
    """The mesh without a link on the path, or on any way to a subscriber that gets too much."""
    suspects = violation.round or tuple(link.name for link in mesh.links)
    yield from (RemoveLink(cable) for cable in _cables(mesh, suspects))


def _entries(mesh: Mesh, violation: Violation) -> Iterator[Change]:
    """Another next broker for one of those on the path."""
    if mesh.routing.kind != TABLES or violation.need is None:
        return
    links = {link.name: link for link in mesh.links}
    on_path = {violation.need.origin} | {links[name].target for name in (*violation.path, *violation.round)}
    for link in mesh.links:
        if (
            link.source in on_path
            and mesh.routing.tables.get(link.source, {}).get(violation.need.at) != link.target
        ):
            yield SetEntry(link.source, violation.need.at, link.target)


def _more_links(mesh: Mesh, violation: Violation) -> Iterator[Change]:
    """A link from where the message still comes to where the subscriber can still be reached from."""
    if mesh.routing.kind == TABLES or violation.need is None:
        return
    living = _living(mesh, violation.failures)
    near = reached(neighbours((link.source, link.target) for link in living), violation.need.origin)
    far = reached(neighbours((link.target, link.source) for link in living), violation.need.at)
    like = next((link.fails_as for link in mesh.links if link.source != link.target), None)
    both_ways = len([link for link in mesh.links if link.fails_as == like]) > 1
    order = [broker.name for broker in mesh.brokers]
    linked = {(link.source, link.target) for link in mesh.links}
    for a in near:
        for b in far:
            if a != b and (a, b) not in linked and not {a, b} & violation.failures.brokers:
                source, target = sorted((a, b), key=order.index) if both_ways else (a, b)
                yield AddLink(source, target, both_ways, like)


def _path_limit(mesh: Mesh, violation: Violation) -> Iterator[Change]:
    """Another limit for routed messages."""
    if mesh.routing.kind != FORWARD and mesh.routing.hop_limit is not None:
        yield from (SetPathLimit(limit) for limit in range(1, len(mesh.brokers)))


SUGGESTIONS: Mapping[str, tuple[Callable[[Mesh, Violation], Iterable[Change]], ...]] = {
    "reachability": (settings, _entries, _hop_limits, _path_limit, _more_links),
    "no-black-hole": (settings, _entries, _hop_limits, _path_limit, _more_links),
    "hop-limit": (settings, _hop_limits, _path_limit),
    "loop-free": (settings, _entries, _fewer_links, _hop_limits),
    "no-duplicates": (settings, _fewer_links, _hop_limits),
    "latency": (_more_links, _entries),
}
"""Which changes each guarantee suggests when it is broken."""


def _cables(mesh: Mesh, path: Iterable[str]) -> list[str]:
    wanted = set(path)
    return list(dict.fromkeys(link.fails_as for link in mesh.links if link.name in wanted))


def _living(mesh: Mesh, failures: Failures) -> list[Link]:
    return [
        link
        for link in mesh.links
        if link.fails_as not in failures.cables and not {link.source, link.target} & failures.brokers
    ]


MOST_ALTERNATIVES = 3
"""Repairs of equal size that are offered."""
MOST_WEIGHED = 8
"""Changes that nearly mend it, of which that is told which loses least."""
MOST_PAIRS = 2_000
MOST_STEPS = 12
"""How many changes one after the other are worth offering."""

Broken = frozenset[tuple[str, Size]]


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes after which a guarantee holds."""

    guarantee: str
    changes: tuple[Change, ...]
    mesh: Mesh
    smallest: bool
    """Whether nothing smaller was overlooked among the changes worth trying."""


@dataclass(frozen=True, slots=True)
class Miss:
    """Changes that mend a guarantee and break something else."""

    changes: tuple[Change, ...]
    breaks: tuple[tuple[str, Size], ...]
    lost: tuple[Difference, ...] = ()
    """What arrives now, and does not after it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What can be mended, and what cannot."""

    repairs: tuple[Repair, ...]
    unmended: Mapping[str, Miss | None]
    """Broken guarantees for which no repair was found, with what comes nearest."""
    unsure: frozenset[str] = frozenset()
    """Guarantees that may not be broken at all, because of what the files leave open."""
    cut: Cut | None = None
    """Why not all was tried that is worth it."""


@dataclass(frozen=True, slots=True)
class Search:
    """Looks for repairs of one mesh, as the files tell it: nothing mends what they leave open."""

    mesh: Mesh
    budget: Budget
    only: tuple[str, ...] = ()
    """The guarantees to mend; all if there is none."""
    control: Control = field(default_factory=Control)
    tried: dict[tuple[Change, ...], Verification] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        """The smallest repairs of each broken guarantee."""
        now, doubts = self._verified(()), Doubts(self.mesh)
        broken = [each for each in now.guarantees if each.violations and self._is_wanted(each.guarantee)]
        found: dict[str, list[Repair]] = {each.guarantee: [] for each in broken}
        missed: dict[str, Miss | None] = {}
        with self.control.stopping():
            for each in broken:
                found[each.guarantee] = self._of(each.guarantee, each.violations, _broken(now))
            for name in [name for name, several in found.items() if not several]:
                missed[name] = self._nearest(name, _broken(now))
                found[name] = self._tried_for_another(name, missed[name])
        repairs = tuple(repair for several in found.values() for repair in several)
        unmended = {name: missed.get(name) for name, several in found.items() if not several}
        unsure = (each.guarantee for each in broken if all(map(doubts.undo, each.violations)))
        return Outcome(repairs, unmended, frozenset(unsure), self.control.cut)

    def _nearest(self, guarantee: str, broken: Broken) -> Miss | None:
        """Of all that was tried, the changes that mend it and break least."""
        after = {changes: _broken(verification) for changes, verification in self.tried.items()}
        misses = [
            Miss(changes, tuple(sorted(now - broken, key=str)))
            for changes, now in after.items()
            if changes and all(name != guarantee for name, _ in now)
        ]
        near = sorted(misses, key=lambda miss: (len(miss.breaks), len(miss.changes)))[:MOST_WEIGHED]
        weighed = [replace(miss, lost=self._losses(miss.changes)) for miss in near]
        return min(weighed, key=lambda miss: (len(miss.breaks), len(miss.lost)), default=None)

    def _tried_for_another(self, guarantee: str, miss: Miss | None) -> list[Repair]:
        """What was tried to mend another guarantee, and mends this one without breaking anything."""
        if miss is None or miss.breaks or miss.lost:
            return []
        return [Repair(guarantee, miss.changes, self._changed(miss.changes), len(miss.changes) == 1)]

    def _is_wanted(self, guarantee: str) -> bool:
        return not self.only or guarantee in self.only

    def _of(self, guarantee: str, violations: Sequence[Violation], broken: Broken) -> list[Repair]:
        worth = candidates(self.mesh, violations)
        found = list(self._mending(guarantee, [(change,) for change in worth], broken))
        if found:
            return found
        few = len(worth) * (len(worth) - 1) // 2 <= MOST_PAIRS
        pairs = [pair for pair in combinations(worth, 2) if self._fits(pair)] if few else []
        found = list(self._mending(guarantee, pairs, broken))
        return found or self._step_by_step(guarantee, violations, broken, 3 if few else 2)

    def _fits(self, changes: tuple[Change, ...]) -> bool:
        """Whether changes can be made together: a link that is gone has no hop limit."""
        try:
            self._changed(changes)
        except MeshError:
            return False
        return True

    def _mending(
        self, guarantee: str, proposals: Sequence[tuple[Change, ...]], broken: Broken
    ) -> Iterator[Repair]:
        count = 0
        for number, changes in enumerate(proposals):
            if self.control.is_over() or count == MOST_ALTERNATIVES:
                return
            self.control.report(f"changes tried for {guarantee}", number, len(proposals))
            if self._mends(guarantee, changes, broken):
                count += 1
                yield Repair(guarantee, changes, self._changed(changes), True)

    def _mends(self, guarantee: str, changes: tuple[Change, ...], broken: Broken) -> bool:
        after = _broken(self._verified(changes))
        mended = not any(name == guarantee for name, _ in after) and after <= broken
        return mended and self._loses_nothing(changes)

    def _loses_nothing(self, changes: tuple[Change, ...]) -> bool:
        """Whether all that arrived still does: probes expect only what the links that are left bring."""
        return not self._losses(changes)

    def _losses(self, changes: tuple[Change, ...]) -> tuple[Difference, ...]:
        found = compare(self.mesh, self._changed(changes))
        return tuple(each for each in found if each.kind == "lost")

    def _step_by_step(
        self, guarantee: str, violations: Sequence[Violation], broken: Broken, least: int
    ) -> list[Repair]:
        """Change after change; not fewer than `least` are enough."""
        changes: tuple[Change, ...] = ()
        while violations and len(changes) < MOST_STEPS and not self.control.is_over():
            proposals = candidates(self._changed(changes), violations)[:MOST_STEPS]
            if not proposals:
                return []
            longer = [(*changes, change) for change in proposals]
            changes = min(filter(self._fits, longer), key=lambda each: self._left(guarantee, each, broken))
            violations = self._violations(guarantee, changes)
        mended = bool(changes) and self._mends(guarantee, changes, broken)
        return [Repair(guarantee, changes, self._changed(changes), len(changes) <= least)] if mended else []

    def _left(self, guarantee: str, changes: tuple[Change, ...], broken: Broken) -> tuple[int, int]:
        """What broke that held before, and what is left to mend."""
        worse = _broken(self._verified(changes)) - broken
        return len(worse), len(self._violations(guarantee, changes))

    def _violations(self, guarantee: str, changes: tuple[Change, ...]) -> list[Violation]:
        return [each for each in self._verified(changes).violations if each.guarantee == guarantee]

    def _verified(self, changes: tuple[Change, ...]) -> Verification:
        """What is known of the mesh with changes. Stopped if that is not all: what was not looked at may be
        broken."""
        if changes not in self.tried:
            found = verify(self._changed(changes), self.budget)
            if found.looked.cut and found.looked.cut.by in (CutBy.TIME, CutBy.INTERRUPT):
                raise Stopped(found.looked.cut)
            self.tried[changes] = found
        return self.tried[changes]

    def _changed(self, changes: tuple[Change, ...]) -> Mesh:
        return reduce(applied, changes, trusting(self.mesh))


def _broken(verification: Verification) -> Broken:
    """Every guarantee that does not hold, with the size of failures."""
    return frozenset(
        (verdicts.guarantee, size)
        for verdicts in verification.guarantees
        for size, verdict in verdicts.verdicts.items()
        if verdict is not Verdict.HOLDS
    )
