"""The links between NATS servers, with the rules by which a message is handed on.

A server hands a message on by what kind of connection it came over:

    came from            to routes   to gateways   to its leaf nodes   to its hubs
    a client             yes         yes           yes                 yes
    a route              no          no            yes                 no
    a gateway            yes         no            yes                 yes
    its leaf node        yes         yes           the others          yes
    its hub              no          yes           yes                 the others

so that in a cluster or supercluster that is fully joined everybody gets one copy. A server sends to one
server of each other cluster, whichever it is connected to, and that one hands it on by routes. Which one is
chance, and another one takes over if it dies; so here every server of the other cluster that has a gateway
gets it directly, and routes do not hand it on to these: who gets how many copies is the same, with any choice
and after any failure. All gateway links between two clusters are one cable.

Each server of a cluster of leaf nodes has to have a connection to the hub of its own. The hub's cluster
remembers that a message comes from that cluster of leaf nodes and does not send it there again; gateways
forget it. Therefore leaf nodes of one cluster at one hub cluster share an identity here, which their hubs
avoid; at two clusters that gateways join they do not, and every message arrives twice (nats-server issue
8339). A server without a cluster is a cluster by itself, called as it is. So several remotes to one cluster
are no loop: each connection carries a copy, and the leaf node hands nothing from one to the other. (Measured
with 2.15.1; 2.9.10 takes them for a loop and closes them.)

What a remote denies as an export, or its user may not publish, does not go to its hub; what it denies as an
import, or its user may not subscribe, does not come from there. But once somebody at the leaf node subscribes
to a wildcard that has a subject which is denied as an import, all that is so denied does not go out either
(measured with 2.9.10): so whether it does is not known. Who comes without a name, and has no other account to
be of, is of the default one.

A remote is one connection, whatever urls it has. When it is lost, the leaf node goes to those servers of the
hub's cluster that the hub has told it of, and then to the next of its urls. At urls without a user it logs in
as the first user that another of its urls names (measured with 2.9.10).

Nothing is kept while a connection is down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product

from angarium.mesh.importers import common
from angarium.mesh.importers.doors import DROPS_ONLY, LOOPBACK, may_refuse
from angarium.mesh.importers.nats_clusters import Cluster, Fleet
from angarium.mesh.importers.nats_doors import leaf_refused, web_refused
from angarium.mesh.importers.nats_permissions import ANYTHING, REST, Permissions, Subjects, covers
from angarium.mesh.importers.nats_server import DEFAULT_ACCOUNT, Address, Leaf, Server, scope_of
from angarium.mesh.importers.nats_syntax import Node
from angarium.mesh.mesh import REROUTES, Link, Pattern, Rename

ROUTE, GATEWAY, TO_HUB, FROM_HUB, IMPORT = "route", "gateway", "leaf to hub", "leaf from hub", "import"
DIALECT = "nats"


def everything(scopes: Sequence[str]) -> tuple[Pattern, ...]:
    """All subjects of these accounts; no filter is needed where there is only the default account."""
    return tuple(Pattern(">", DIALECT, scope) for scope in scopes) if tuple(scopes) != ("",) else ()


def shared_scopes(one: Server, other: Server) -> tuple[str, ...]:
    """The accounts that both have; a server whose file was not given has those of the other.

    Where neither declares any, they are kept elsewhere, and both have all.
    """
    if one.path is None or other.path is None:
        return (other if one.path is None else one).scopes
    if not one.accounts and not other.accounts:
        return tuple(dict.fromkeys((*one.scopes, *other.scopes)))
    theirs = frozenset(other.scopes)
    return tuple(scope for scope in one.scopes if scope in theirs)


def routes(cluster: Cluster) -> Iterator[Link]:
    """From each server of a cluster to each."""
    for one, other in permutations(cluster.servers, 2):
        scopes = shared_scopes(one, other)
        spread_here = cluster.spreads(one) and not other.gateway
        kept = {ROUTE, FROM_HUB, IMPORT} | (set() if spread_here else {GATEWAY})
        if scopes:
            yield Link(
                name=f"route {one.name} > {other.name}",
                source=one.name,
                target=other.name,
                cable="route " + " - ".join(sorted((one.name, other.name))),
                accepts=everything(scopes),
                kind=ROUTE,
                not_after=frozenset(kept),
                buffering="lost",
                place=one.routes[0].place if one.routes else one.place,
            )


def gateways(fleet: Fleet, pairs: Sequence[tuple[str, str]]) -> Iterator[Link]:
    """From each server of a cluster to each of the other that has a gateway, both ways."""
    called: dict[str, list[Server]] = {}
    for server in fleet.servers.values():
        if server.gateway:
            called.setdefault(server.gateway.name, []).append(server)
    for pair in pairs:
        for near, far in (pair, pair[::-1]):
            for one, other in product(called.get(near, ()), called.get(far, ())):
                if shared_scopes(one, other):
                    yield _gateway(one, other, "gateway " + " - ".join(pair))


def _gateway(one: Server, other: Server, cable: str) -> Link:
    return Link(
        name=f"gateway {one.name} > {other.name}",
        source=one.name,
        target=other.name,
        cable=cable,
        accepts=everything(shared_scopes(one, other)),
        kind=GATEWAY,
        not_after=frozenset((ROUTE, GATEWAY, IMPORT)),
        buffering="lost",
        place=one.gateway.place if one.gateway else None,
    )


@dataclass(frozen=True, slots=True)
class _Ends:
    """One of the two ways of a leaf node's connection."""

    source: Server
    target: Server
    near: str
    """The scope at the source."""
    far: str
    denied: tuple[Node, ...]
    may: Subjects
    """What the user as whom the leaf node logs in may send this way."""
    suffix: str


@dataclass(frozen=True, slots=True)
class _Way:
    """One of the servers that a remote may be connected to, in the order in which it tries them."""

    leaf: Leaf
    cable: str
    connection: str
    hub: Server
    failover: str
    rank: int


@dataclass(slots=True)
class Leaves:
    """The connections of leaf nodes to their hubs."""

    fleet: Fleet
    clusters: Sequence[Cluster]
    links: list[Link] = field(default_factory=list)
    homes: list[tuple[Server, Server]] = field(default_factory=list)
    """Leaf node and hub of each connection."""

    def cluster_of(self, server: Server) -> Cluster:
        own = next((cluster for cluster in self.clusters if server in cluster.servers), None)
        return own or Cluster(server.name, (server,))

    def join(self) -> None:
        for server in list(self.fleet.servers.values()):
            for number, leaf in enumerate(server.leaves):
                self._connect(server, leaf, number)

    def _connect(self, server: Server, leaf: Leaf, number: int) -> None:
        suffix = f" #{number + 1}" if number else ""
        ways = self._remotes(server, leaf)
        for rank, (remote, address) in enumerate(ways):
            near, far = scope_of(leaf.account), scope_of(self._account_at(remote, leaf, address))
            hub, spoke = (server, remote) if leaf.acts_as_hub else (remote, server)
            if rank == 0:
                self.homes.append((spoke, hub))
            may = self._permissions(remote, leaf, address)
            self._knock(server, leaf, remote, address)
            self._look_at_denied(server, leaf, may)
            there = _Ends(server, remote, near, far, leaf.deny_exports, may.publish, suffix)
            back = _Ends(remote, server, far, near, leaf.deny_imports, may.subscribe, suffix)
            failover = f"leaf {server.name}{suffix}" if len(ways) > 1 else ""
            cable = f"leaf {server.name} - {remote.name}{suffix}"
            way = _Way(leaf, cable, self._joins(server, remote, near, far), hub, failover, rank)
            self.links += [self._link(ends, way) for ends in (there, back)]

    def _joins(self, server: Server, remote: Server, near: str, far: str) -> str:
        """Which clusters a connection joins: from one of them to the other nothing is handed back."""
        ends = (self.cluster_of(each).servers[0].name for each in (server, remote))
        scopes = f" ({near} - {far})" if near != far else f" {near}" if near else ""
        return f"leaf {' - '.join(ends)}{scopes}"

    def _knock(self, server: Server, leaf: Leaf, remote: Server, address: Address) -> None:
        """Remark why the other server may not let it in. Whom credentials name is not known."""
        guard = replace(remote.for_leaves, asks=remote.for_leaves.asks and not leaf.logs_in)
        who, secure = f"a remote of {server.name}", leaf.secure or address.secure
        if remote.path is None:
            return
        if address.by_web:
            guard = replace(guard, secure=secure, verifies=False)
            if not self.fleet.for_leaves.vouched(address.host, address.port):
                self.fleet.remarks += web_refused(
                    who, remote.name, remote.web, address.port, secure, leaf.place
                )
        elif None not in (leaf.first, guard.first) and leaf.first != guard.first:
            ends = (who, remote.name) if leaf.first else (remote.name, who)
            why = f"{ends[0]} begins with TLS (handshake_first), and {ends[1]} does not"
            self.fleet.remarks.append(may_refuse(remote.name, who, why, leaf.place))
        self.fleet.remarks += leaf_refused(who, remote.name, guard, address.user, secure, leaf.place)
        meant = self.fleet.for_leaves.meant(address.host, address.port)
        vouched = self.fleet.for_leaves.vouched(address.host, address.port)
        is_its_own = meant is not None and meant.broker == remote.name and not vouched
        if is_its_own and remote.leaf_port not in (None, address.port) and not address.by_web:
            why = f"it listens for leaf nodes at {remote.leaf_port}, and not at {address.port}"
            remedy = f"Mend the url, or say --host {address}={remote.name}."
            self.fleet.remarks.append(may_refuse(remote.name, who, why, leaf.place, remedy))
        if guard.is_local and not (vouched or address.by_web or LOOPBACK.fullmatch(address.host)):
            why = "it listens for leaf nodes to its own machine only"
            self.fleet.remarks.append(may_refuse(remote.name, who, why, leaf.place))

    def _look_at_denied(self, server: Server, leaf: Leaf, may: Permissions) -> None:
        """What is denied as an import, and may not go out because of that."""
        outwards = [node.text for node in (*leaf.deny_exports, *may.publish.denied)]
        inwards = [node.text for node in (*leaf.deny_imports, *may.subscribe.denied)]
        kept = [each for each in inwards if each != REST and not any(covers(wide, each) for wide in outwards)]
        if kept:
            what = f"{', '.join(dict.fromkeys(kept))} may not come into {server.name}, and does not go out"
            what = f"{what} either while somebody there subscribes to a wildcard that has it"
            remedy = "Deny it as an export, too, if it is not to go out."
            self.fleet.remarks.append(common.not_understood(what, leaf.place, remedy, DROPS_ONLY))

    def _permissions(self, remote: Server, leaf: Leaf, address: Address) -> Permissions:
        """What the user may do as whom a leaf node logs in, unless the hub has users just for leaf nodes."""
        if remote.leaf_users:
            return ANYTHING
        if leaf.logs_in and remote.permissions:
            what = f"what the leaf node may do at {remote.name}, which logs in by {leaf.logs_in}"
            remark = common.not_understood(what, leaf.place, effects=DROPS_ONLY)
            self.fleet.remarks.append(remark)
        return remote.permissions.get(address.user or remote.for_leaves.anonymous, ANYTHING)

    def _link(self, ends: _Ends, way: _Way) -> Link:
        up, leaf = ends.target is way.hub, way.leaf
        allowed = tuple(Pattern(node.text, DIALECT, ends.near, node.place) for node in ends.may.allowed)
        everything = (Pattern(">", DIALECT, ends.near),) if self._has_accounts() else ()
        return Link(
            name=f"leaf {ends.source.name} > {ends.target.name}{ends.suffix}",
            source=ends.source.name,
            target=ends.target.name,
            cable=way.cable,
            accepts=allowed or everything,
            refuses=_denied((*ends.denied, *ends.may.denied), ends.near),
            rename=Rename(scope=ends.far) if ends.near != ends.far else None,
            connection=way.connection,
            kind=TO_HUB if up else FROM_HUB,
            not_after=self._not_up(ends.source) if up else frozenset(),
            buffering="lost",
            failover=way.failover,
            rank=way.rank,
            takes_over=leaf.reconnects if way.rank else 0.0,
            place=leaf.place,
        )

    def _has_accounts(self) -> bool:
        return any(server.accounts or server.undeclared for server in self.fleet.servers.values())

    def _not_up(self, spoke: Server) -> frozenset[str]:
        cluster = self.cluster_of(spoke)
        by_gateway = () if cluster.spreads(spoke) else (GATEWAY,)
        return frozenset((ROUTE, *by_gateway))

    def _remotes(self, server: Server, leaf: Leaf) -> list[tuple[Server, Address]]:
        """The servers that a leaf node may connect to, in order: none of its own cluster by a guess."""
        near = {each.name for each in self.cluster_of(server).servers}
        if not leaf.urls:
            self.fleet.remarks.append(
                common.dangling("a remote of leaf nodes has no urls", leaf.place, "add one")
            )
            return []
        found = [
            (self.fleet.find(url, self.fleet.for_leaves, "leafnodes", lambda name: name not in near), url)
            for url in leaf.urls
        ]
        given = [(hub or self._outside(url), url) for hub, url in found if hub is None or hub.leaf_port]
        known = {hub.name: (hub, url) for hub, url in reversed(given)}
        ways = [known[name] for name in dict.fromkeys(hub.name for hub, _ in given)]
        self._note_chance(leaf, [hub for hub, _ in ways])
        taken = self._taken_by_others(server, leaf)
        others = (*self._heard_of(leaf, ways), *ways[1:])
        return ways[:1] + [each for each in others if each[0].name not in taken]

    def _taken_by_others(self, server: Server, leaf: Leaf) -> frozenset[str]:
        """Where other remotes of the same account are connected: a second connection closes the first."""
        others = (each for each in server.leaves if each is not leaf and each.account == leaf.account)
        found = (
            self.fleet.for_leaves.meant(each.urls[0].host, each.urls[0].port) for each in others if each.urls
        )
        return frozenset(meant.broker for meant in found if meant)

    def _heard_of(self, leaf: Leaf, ways: Sequence[tuple[Server, Address]]) -> list[tuple[Server, Address]]:
        """Others of the hub's cluster, which the first server tells of."""
        if not ways or not leaf.discovers or not ways[0][0].advertises:
            return []
        (first, address), known = ways[0], {hub.name for hub, _ in ways}
        others = (each for each in self.cluster_of(first).servers if each.leaf_port and each.advertises)
        return [(each, address) for each in others if each.name not in known]

    def _outside(self, url: Address) -> Server:
        name = self.fleet.anywhere.outside(url.host, url.port)
        known = self.fleet.servers.get(name)
        return known or self.fleet.outside(name, url.place, leaf_port=url.port, address=str(url))

    def _note_chance(self, leaf: Leaf, hubs: Sequence[Server]) -> None:
        """Which url comes first is chance; that matters only where they lead to different clusters."""
        clusters = dict.fromkeys(self.cluster_of(hub).servers[0].name for hub in hubs)
        if len(clusters) > 1 and not leaf.in_order:
            what = f"which of {', '.join(each.name for each in hubs)} the leaf node is connected to is chance"
            remedy = f"taken to be {hubs[0].name} while that lives; dont_randomize: true makes it so"
            effects = frozenset({REROUTES})
            self.fleet.remarks.append(common.not_understood(what, leaf.place, remedy, effects))

    def _account_at(self, hub: Server, leaf: Leaf, address: Address) -> str:
        """The account of the hub that the connection belongs to: that of the user as whom it logs in."""
        user = address.user or hub.for_leaves.anonymous
        listed = hub.leaf_users.get(user) or hub.leaf_users.get("")
        owners = [account.name for account in hub.accounts.values() if user and user in account.users]
        if listed or owners:
            return listed or owners[0]
        if not hub.accounts:
            return leaf.account if hub.path is None else DEFAULT_ACCOUNT
        if not leaf.logs_in:
            return DEFAULT_ACCOUNT
        taken = leaf.account if leaf.account in hub.accounts else DEFAULT_ACCOUNT
        what = f"which account of {hub.name} the leaf node is of, which logs in by {leaf.logs_in}"
        self.fleet.remarks.append(common.not_understood(what, leaf.place, f"It is taken to be {taken}."))
        return taken


def _denied(nodes: Sequence[Node], scope: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(node.text, DIALECT, scope, node.place) for node in nodes if node.text)


def identities(leaves: Leaves) -> Mapping[str, str]:
    """What leaf nodes of one cluster at one hub cluster are called together, by their names."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for spoke, hub in leaves.homes:
        own, home = leaves.cluster_of(spoke), leaves.cluster_of(hub)
        key = (own.name, own.servers[0].name, home.servers[0].name)
        groups.setdefault(key, []).append(spoke.name)
    return {
        name: f"{key[0]} at {key[2]}"
        for key, names in reversed(groups.items())
        if len(names) > 1
        for name in names
    }
