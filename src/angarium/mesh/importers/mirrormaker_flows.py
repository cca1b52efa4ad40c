r"""What MirrorMaker 2 carries from cluster to cluster, whichever kind of file says so.

A flow `eu->us` copies topics of the cluster `eu` into `us`, those that some item of `topics` matches as a
whole and none of `topics.exclude`. Its replication policy decides two things more:

    DefaultReplicationPolicy    `orders` becomes `eu.orders`, and what comes from the target does not go
                                back: a topic one of whose parts before the last is the target's alias
    IdentityReplicationPolicy   `orders` stays `orders`, and nothing keeps flows from feeding each other

Policies go by the last part of their class's name: Strimzi had an identity policy of its own. What a policy
that is not known does nobody can say; it is read as the second one, with which most can go wrong.

The first is a rename and a refused pattern `(.*\.)?us\..*[^.].*`. It goes by aliases, and a flow may be told
others than its clusters have (`source.cluster.alias`, `target.cluster.alias`): one cluster that has two
aliases is not recognised (KAFKA-9914). Here it is one broker, under its first alias, so that the loop can be
seen. Alias and separator may be empty. Then names stay as they are under this policy, too, and it sees no
cycle; with an empty separator alone it takes every character for an alias, and an alias with the separator in
it, such as `dc.eu`, it never sees. Under the second policy a flow
whose two aliases are equal takes all topics for the target's own, and copies nothing.

Topics of Kafka and of MirrorMaker itself (`__…`, `.…`, `…-internal`, `….internal`, and with another separator
`…_internal`) are never copied, whatever the files say; therefore it does not matter that the default of
`topics.exclude` differs between versions.
Heartbeats are copied always; they are of no interest here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Remark, Rename

DIALECT = "mirrormaker"
DEFAULT_POLICY, IDENTITY_POLICY = "DefaultReplicationPolicy", "IdentityReplicationPolicy"
DEFAULT_SEPARATOR = "."
EVERYTHING = ".*"
DEFAULT_EXCLUDES = (r"mm2.*\.internal", r".*\.replica", r"__.*")
NEVER_COPIED = (r"(__|\.).*", r".*[.\-]internal")
MOST_FLOWS = 10_000
_SPECIAL = frozenset(".^$*+?()[]{}|\\-")


@dataclass(frozen=True, slots=True)
class Words:
    """A list that a file gives, and where."""

    items: tuple[str, ...]
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Kafka:
    """A cluster, as a file names it."""

    alias: str
    bootstrap: frozenset[str]
    place: Place


@dataclass(frozen=True, slots=True)
class Flow:
    """What is copied from one cluster to another."""

    source: str
    target: str
    topics: Words
    excludes: Words
    policy: str
    separator: str
    place: Place
    written_to: str = ""
    """The cluster that copies are written to, if it is not the target: Strimzi's `connectCluster`."""
    source_alias: str | None = None
    """What the source is called in names of topics, if not by its own alias."""
    target_alias: str | None = None
    """What the flow takes the target to be called in names of topics, if not by its own alias."""
    internal_separator: bool = True
    """Whether another separator than the usual one stands in names of internal topics, too."""

    @property
    def prefix(self) -> str:
        """What the default policy puts before names."""
        return (self.source if self.source_alias is None else self.source_alias) + self.separator

    @property
    def cycle(self) -> str | None:
        """The expression for topics that the default policy takes for the target's own."""
        return cycle_of(self.target if self.target_alias is None else self.target_alias, self.separator)

    @property
    def never_copied(self) -> tuple[str, ...]:
        own = self.separator if self.internal_separator else DEFAULT_SEPARATOR
        return (
            NEVER_COPIED if own in (DEFAULT_SEPARATOR, "-") else (*NEVER_COPIED, f".*{escaped(own)}internal")
        )

    @property
    def copies_nothing(self) -> bool:
        """Without names to go by, the identity policy takes every topic for one from its own source."""
        aliases = [self.source_alias, self.target_alias]
        source, target = (a or b for a, b in zip(aliases, (self.source, self.target), strict=True))
        return _called(self.policy) == IDENTITY_POLICY and source == target


@dataclass(slots=True)
class Said:
    """All that the files say."""

    clusters: list[Kafka] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def words_of(text: str, place: Place | None = None) -> Words:
    """The items of a list with commas, as Kafka reads it."""
    return Words(tuple(item for each in text.split(",") if (item := each.strip())), place)


def servers_of(text: str) -> frozenset[str]:
    return frozenset(each.lower() for each in words_of(text).items)


def mesh_of(name: str, said: Said) -> Mesh:
    """Clusters as brokers, flows as links."""
    if len(said.flows) > MOST_FLOWS:
        raise MeshError(
            "ANG125",
            f"the files have {len(said.flows):,} flows",
            possible=f"at most {MOST_FLOWS:,}",
            remedy="give fewer files",
        )
    brokers = _brokers(said)
    links = [link for flow in said.flows for link in _link(flow, brokers, said.remarks)]
    kept = {brokers[kafka.alias]: kafka for kafka in reversed(said.clusters)}
    ordered = dict.fromkeys(brokers[kafka.alias] for kafka in said.clusters)
    return Mesh(
        name,
        tuple(Broker(each, DIALECT, place=kept[each].place) for each in ordered),
        tuple(_numbered(links)),
        remarks=tuple(dict.fromkeys(said.remarks)),
    )


def _brokers(said: Said) -> dict[str, str]:
    """The broker of each alias: one for all aliases that share a bootstrap server."""
    brokers: dict[str, str] = {}
    owners: dict[str, str] = {}
    known: dict[str, frozenset[str]] = {}
    for kafka in said.clusters:
        alias = kafka.alias
        other = next((owners[server] for server in sorted(kafka.bootstrap) if server in owners), None)
        if alias not in brokers:
            brokers[alias] = other or alias
            if other:
                said.remarks.append(_second_alias(kafka, other))
        elif kafka.bootstrap and known[alias] and not kafka.bootstrap & known[alias]:
            said.remarks.append(
                common.assumed(
                    f"{alias} has other bootstrap servers here: it is taken to be the same", kafka.place
                )
            )
        known[alias] = known.get(alias, frozenset()) | kafka.bootstrap
        owners |= {server: brokers[alias] for server in kafka.bootstrap if server not in owners}
    return brokers


def _second_alias(kafka: Kafka, other: str) -> Remark:
    return common.note(
        f"{kafka.alias} has the bootstrap servers of {other}: it is the same cluster under a second alias, "
        "which MirrorMaker does not recognise when it looks for cycles",
        kafka.place,
        f"call it {other} everywhere",
    )


def _link(flow: Flow, brokers: dict[str, str], remarks: list[Remark]) -> Iterator[Link]:
    written_to = flow.written_to or flow.target
    unknown = [each for each in dict.fromkeys((flow.source, flow.target, written_to)) if each not in brokers]
    for alias in unknown:
        remarks.append(
            common.dangling(
                f"the flow {flow.source}->{flow.target} names a cluster {alias} that is not there",
                flow.place,
                f"add {alias} to the clusters, or correct the name",
            )
        )
    if flow.copies_nothing:
        remarks.append(_of_its_own(flow))
    renames = _called(flow.policy) == DEFAULT_POLICY
    if not unknown and flow.topics.items and not flow.copies_nothing:
        yield Link(
            name=f"{flow.source}->{flow.target}",
            source=brokers[flow.source],
            target=brokers[written_to],
            accepts=_patterns(flow.topics.items, flow.topics.place),
            refuses=(
                *_patterns(flow.excludes.items, flow.excludes.place),
                *_patterns(flow.never_copied, flow.place),
                *_patterns([flow.cycle] if renames and flow.cycle else [], flow.place),
            ),
            rename=Rename(add=flow.prefix) if renames and flow.prefix else None,
            kind="mirror",
            place=flow.place,
        )


def _of_its_own(flow: Flow) -> Remark:
    return common.dangling(
        f"{flow.source}->{flow.target} calls both clusters the same: {IDENTITY_POLICY} takes every topic for "
        "one of the target's own, and copies nothing",
        flow.place,
        "give the flow two different aliases",
    )


def cycle_of(target: str, separator: str) -> str | None:
    """The expression for topics that come from the target: one part but the last is its alias.

    Parts are Java's: empty ones at the end do not count, and without a separator each character is one. An
    alias that has the separator in it is never a part, so there is no such topic: the rule cannot see it.
    """
    if not separator:
        return f".*{escaped(target)}.+" if len(target) == 1 else None
    if separator in target:
        return None
    mark = escaped(separator)
    rest = f".*[^{mark}].*" if len(separator) == 1 else ".+"
    return f"(.*{mark})?{escaped(target)}{mark}{rest}"


def escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in _SPECIAL else each for each in text)


def _patterns(texts: Iterable[str], place: Place | None) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, DIALECT, place=place) for text in texts)


def _numbered(links: Sequence[Link]) -> Iterator[Link]:
    """Several flows between the same clusters are told apart: topics that both match arrive twice."""
    seen: dict[str, int] = {}
    for link in links:
        seen[link.name] = seen.get(link.name, 0) + 1
        yield replace(link, name=f"{link.name} #{seen[link.name]}") if seen[link.name] > 1 else link


def policy_remarks(policy: str, place: Place | None) -> Iterator[Remark]:
    """A policy of somebody's own may do anything."""
    if _called(policy) not in (DEFAULT_POLICY, IDENTITY_POLICY):
        yield common.not_understood(
            f"replication.policy.class {policy} is not known: it is taken to keep names and to have no rule "
            "against cycles",
            place,
            f"if it renames, look at the mesh with {DEFAULT_POLICY} too",
        )


def _called(policy: str) -> str:
    """What a class is called within its package."""
    return policy.rpartition(".")[2]
