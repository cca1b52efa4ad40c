"""Which NATS servers find each other: clusters by routes, superclusters by gateways.

A route in one server's file is enough: servers tell each other whom they know, and in the end each of a
cluster has a route to each. Clusters that gateways join tell each other likewise. So what a file says is only
a beginning, and what counts is which servers hang together. A server that is named but whose file was not
given becomes one without a file.

Part of a host stands for a server only where its cluster fits: every cluster of Kubernetes has a `nats-0`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.doors import LOOPBACK
from angarium.mesh.importers.nats_doors import End, Guard, gateways_refused, routes_refused
from angarium.mesh.importers.nats_pods import Pods
from angarium.mesh.importers.nats_server import Address, Gateway, Server
from angarium.mesh.mesh import Remark

MOST_SERVERS = 5_000


@dataclass(slots=True)
class Fleet:
    """All servers, with the directories in which addresses are looked up, and the remarks made so far."""

    hand: common.ByHand = common.NOTHING_BY_HAND
    servers: dict[str, Server] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    anywhere: common.Directory = field(init=False)
    for_routes: common.Directory = field(init=False)
    for_gateways: common.Directory = field(init=False)
    for_leaves: common.Directory = field(init=False)
    pods: Pods = field(default_factory=Pods)
    guessed: set[str] = field(default_factory=set)
    """Hosts of which it was remarked who they are taken to be."""

    def __post_init__(self) -> None:
        self.anywhere, self.for_routes = self.hand.directory(), self.hand.directory()
        self.for_gateways, self.for_leaves = self.hand.directory(), self.hand.directory()

    def add(self, server: Server) -> None:
        self.servers[server.name] = server
        if len(self.servers) > MOST_SERVERS:
            raise MeshError(
                "ANG125",
                f"the files name more than {MOST_SERVERS:,} servers",
                possible=f"at most {MOST_SERVERS:,}, those without a file included",
                remedy="give the files of one supercluster, or of a part of it",
                place=server.place,
            )
        names = [*server.hosts, *([common.name_of(server.path)] if server.path else [])]
        has_file = server.path is not None
        if has_file:
            self.pods.add(server.name)
        self.anywhere.add(server.name, names, by_part=has_file)
        if server.has_cluster:
            self.for_routes.add(server.name, names, [server.cluster_port], by_part=has_file)
        if server.gateway:
            self.for_gateways.add(server.name, names, [server.gateway.port], by_part=has_file)
        if server.leaf_port:
            self.for_leaves.add(server.name, names, [server.leaf_port], by_part=has_file)

    def find(
        self, address: Address, directory: common.Directory, what: str, fits: Callable[[str], bool]
    ) -> Server | None:
        """Who listens for this at an address; a remark if someone is there who does not."""
        meant = directory.meant(address.host, address.port, fits) or self._pod(address, directory, fits)
        if meant:
            self._remark_part(address, meant)
            return self.servers[meant.broker]
        other = self.anywhere.meant(address.host, address.port, fits)
        if other is None:
            return None
        self.remarks.append(
            common.dangling(
                f"{address} is server {other.broker}, which has no block {what}",
                address.place,
                f"give {other.broker} a block {what}, or correct the address",
            )
        )
        return self.servers[other.broker]

    def _pod(
        self, address: Address, directory: common.Directory, fits: Callable[[str], bool]
    ) -> common.Meant | None:
        candidates = self.pods.at(address.host, lambda name: directory.has(name) and fits(name))
        if len(candidates) == 1:
            return common.Meant(candidates[0], address.host.partition(".")[0])
        if candidates and address.host not in self.guessed:
            self.guessed.add(address.host)
            what = f"{address.host} may be {' or '.join(candidates)}: it is taken to be another server"
            self.remarks.append(common.note(what, address.place, "give the servers their hosts as names"))
        return None

    def _remark_part(self, address: Address, meant: common.Meant) -> None:
        if meant.part and address.host not in self.guessed:
            self.guessed.add(address.host)
            self.remarks.append(common.taken_for(address.host, meant.broker, address.place))

    def outside(
        self,
        name: str,
        place: Place,
        *,
        cluster: str | None = None,
        gateway: Gateway | None = None,
        leaf_port: int | None = None,
        address: str = "",
    ) -> Server:
        """A server whose file was not given."""
        free = name if name not in self.servers else f"{name} (outside)"
        server = Server(
            free,
            None,
            place,
            has_cluster=cluster is not None,
            cluster=cluster or "",
            gateway=gateway,
            leaf_port=leaf_port,
        )
        self.add(server)
        self.remarks.append(self.anywhere.unknown(free, place, address or free))
        return server


@dataclass(frozen=True, slots=True)
class Cluster:
    """Servers that have routes to each other; a server without routes is one alone."""

    name: str
    servers: tuple[Server, ...]

    @property
    def with_gateway(self) -> tuple[Server, ...]:
        return tuple(server for server in self.servers if server.gateway)

    def spreads(self, server: Server) -> bool:
        """Whether it is the one that we let hand on what comes by gateway: any one does, but only one."""
        return server in self.with_gateway[:1]


def clusters_of(fleet: Fleet) -> list[Cluster]:
    """The clusters, in the order of their first servers; routes that lead nowhere are remarked."""
    groups = _Groups(list(fleet.servers))
    for server in list(fleet.servers.values()):
        for address in server.routes:
            _follow(fleet, groups, server, address)
    clusters = [_cluster([fleet.servers[name] for name in names]) for names in groups.parts()]
    fleet.remarks += _torn(clusters)
    return [_with_gateway_name(fleet, cluster) for cluster in clusters]


def _with_gateway_name(fleet: Fleet, cluster: Cluster) -> Cluster:
    """The cluster, with one name for all gateways whose own cannot be known."""
    unknown = [server for server in cluster.with_gateway if server.gateway and server.gateway.unknown]
    if not unknown:
        return cluster
    name = _likely_gateway_name(fleet, cluster) or f"gateway of {unknown[0].name}"
    for server in unknown:
        if server.gateway:
            fleet.servers[server.name] = replace(
                server, gateway=replace(server.gateway, name=name, unknown="")
            )
    others = ", ".join(unknown[0].gateway.remotes if unknown[0].gateway else ())
    what = f"what the gateway of {unknown[0].name} is called is not known: taken to be {name}"
    remedy = f"give it a name; if it is one of {others}, that is counted twice" if others else ""
    fleet.remarks.append(common.assumed(what, unknown[0].place, remedy))
    return Cluster(cluster.name, tuple(fleet.servers[server.name] for server in cluster.servers))


def _likely_gateway_name(fleet: Fleet, cluster: Cluster) -> str:
    """As other gateways of the cluster are called, or the cluster is, or others call the way there."""
    own = [server.gateway.name for server in cluster.servers if server.gateway]
    names = [*own, *(server.cluster for server in cluster.servers)]
    inside = {server.name for server in cluster.servers}
    for gateway in [server.gateway for server in fleet.servers.values() if server.gateway]:
        for name, urls in gateway.remotes.items():
            found = (fleet.for_gateways.meant(url.host, url.port) for url in urls)
            if any(meant and not meant.part and meant.broker in inside for meant in found):
                names.append(name)
    return next(filter(None, names), "")


def _follow(fleet: Fleet, groups: _Groups, server: Server, address: Address) -> None:
    def fits(name: str) -> bool:
        return fleet.servers[name].cluster in ("", server.cluster) or not server.cluster

    other = fleet.find(address, fleet.for_routes, "cluster", fits)
    if other is None:
        name = fleet.anywhere.outside(address.host, address.port)
        other = fleet.outside(
            name, address.place, cluster=server.cluster, gateway=server.gateway, address=str(address)
        )
        groups.add(other.name)
    if not other.has_cluster:
        return
    if other.cluster and server.cluster and other.cluster != server.cluster:
        fleet.remarks.append(
            common.dangling(
                f"{server.name} of cluster {server.cluster} has a route to {other.name}, which refuses it: "
                f"that is of cluster {other.cluster}",
                address.place,
                "give both the same cluster name, or join clusters by gateways",
            )
        )
        return
    groups.join(server.name, other.name)


class _Groups:
    """Names that hang together."""

    def __init__(self, names: Iterable[str]) -> None:
        self.leader = {name: name for name in names}

    def add(self, name: str) -> None:
        self.leader.setdefault(name, name)

    def join(self, one: str, other: str) -> None:
        kept, gone = self.leader[one], self.leader[other]
        for name, leader in self.leader.items():
            if leader == gone:
                self.leader[name] = kept

    def parts(self) -> list[list[str]]:
        parts: dict[str, list[str]] = {}
        for name, leader in self.leader.items():
            parts.setdefault(leader, []).append(name)
        return list(parts.values())


def _cluster(servers: Sequence[Server]) -> Cluster:
    named = [server.cluster for server in servers if server.cluster]
    return Cluster(named[0] if named else servers[0].name, tuple(servers))


def _torn(clusters: Sequence[Cluster]) -> Iterator[Remark]:
    """Servers that say that they are of a cluster whose others they do not know."""
    several = sum(len(cluster.servers) for cluster in clusters) > 1
    by_name: dict[str, list[Cluster]] = {}
    for cluster in clusters:
        if cluster.servers[0].has_cluster:
            by_name.setdefault(cluster.servers[0].cluster, []).append(cluster)
    for name, parts in by_name.items():
        alone = len(parts) > 1 if name else several
        for part in parts[0 if not name else 1 :] if alone else ():
            if name or len(part.servers) == 1:
                yield _no_route(name, part)


def _no_route(name: str, part: Cluster) -> Remark:
    which = ", ".join(server.name for server in part.servers)
    others = f"the other servers of cluster {name}" if name else "any other server"
    return common.dangling(
        f"no route leads between {which} and {others}",
        part.servers[0].place,
        f"add a route to one of them to the cluster block of {part.servers[0].name}",
    )


def refusals(fleet: Fleet, clusters: Sequence[Cluster], pairs: Sequence[tuple[str, str]]) -> Iterator[Remark]:
    """Why servers whose files were given may not let each other in."""
    for cluster in clusters:
        yield from routes_refused(
            [_end_of_route(fleet, each, cluster) for each in cluster.servers if each.path]
        )
    ends: dict[str, list[End]] = {}
    for server in fleet.servers.values():
        if server.gateway and server.path:
            ends.setdefault(server.gateway.name, []).append(_end_of_gateway(server, server.gateway, fleet))
    for one, other in pairs:
        yield from gateways_refused(ends.get(one, []), ends.get(other, []))


def _end_of_route(fleet: Fleet, server: Server, cluster: Cluster) -> End:
    """Of more than two, each hears of the others; an address that stands for nobody may be anyone's."""
    directory, others = fleet.for_routes, {each.name: each for each in cluster.servers}
    meant = [(each, directory.meant(each.host, each.port)) for each in server.routes]
    calls = {
        found.broker for each, found in meant if found and _is_door(directory, each, others.get(found.broker))
    }
    if len(others) > 2 or any(found is None for _, found in meant):
        is_here = _is_here(server.for_routes, server.routes)
        calls |= {name for name, each in others.items() if is_here or not each.for_routes.is_local}
    users = frozenset(each.user for each in server.routes)
    return End(server.name, server.for_routes, frozenset(calls), users, server.place)


def _is_door(directory: common.Directory, address: Address, server: Server | None) -> bool:
    """Whether a server listens for routes at an address, by its file or by hand."""
    is_open = server is None or not server.for_routes.is_local or LOOPBACK.fullmatch(address.host)
    listens = server is None or address.port == server.cluster_port
    return bool(listens and is_open) or directory.vouched(address.host, address.port)


def _is_here(guard: Guard, calls: Iterable[Address]) -> bool:
    """Whether a server is on the machine of those that listen to that only: it does, or calls some there."""
    return guard.is_local or any(LOOPBACK.fullmatch(each.host) for each in calls)


def _end_of_gateway(server: Server, gateway: Gateway, fleet: Fleet) -> End:
    """Gateways hear of all others."""
    urls = [url for each in gateway.remotes.values() for url in each]
    known = [url for url in urls if fleet.for_gateways.vouched(url.host, url.port)]
    is_here = bool(known) or _is_here(server.for_gateways, urls)
    calls = frozenset(
        name for name, each in fleet.servers.items() if is_here or not each.for_gateways.is_local
    )
    users = frozenset(url.user for url in urls)
    return End(server.name, server.for_gateways, calls, users, gateway.place)


def gateway_pairs(fleet: Fleet, clusters: Sequence[Cluster]) -> list[tuple[str, str]]:
    """The names of clusters that gateways join, each pair once."""
    gateways = {server.name: server.gateway for server in fleet.servers.values() if server.gateway}
    fleet.remarks += [remark for cluster in clusters for remark in _unlike(cluster)]
    groups = _Groups(dict.fromkeys(gateway.name for gateway in gateways.values()))
    for gateway in gateways.values():
        for name, urls in gateway.remotes.items():
            if name != gateway.name and _leads_to(fleet, name, urls, gateway):
                groups.add(name)
                groups.join(gateway.name, name)
    pairs = [(a, b) for part in groups.parts() for i, a in enumerate(part) for b in part[i + 1 :]]
    return [pair for pair in pairs if not _refused(fleet, list(gateways.values()), *pair)]


def _leads_to(fleet: Fleet, name: str, urls: Sequence[Address], gateway: Gateway) -> bool:
    """Whether a remote gateway leads to the cluster that it names."""

    def fits(candidate: str) -> bool:
        there = fleet.servers[candidate].gateway
        return there is not None and there.name == name

    right = False
    for url in urls:
        server = fleet.find(url, fleet.for_gateways, "gateway", fits)
        called = server.gateway.name if server and server.gateway else None
        if server and called is not None and called != name:
            fleet.remarks.append(
                common.dangling(
                    f"gateway {name} leads to {server.name}, whose gateway is called {called or 'nothing'}",
                    url.place,
                    f"call it {called} here, or correct the address",
                )
            )
        right = right or server is None or called == name
    if not urls:
        fleet.remarks.append(common.dangling(f"gateway {name} has no urls", gateway.place, "add one"))
    given = any(server.gateway and server.gateway.name == name for server in fleet.servers.values())
    if right and not given:
        own = Gateway(name, gateway.port, {}, False, urls[0].place)
        fleet.outside(name, urls[0].place, cluster=name, gateway=own, address=str(urls[0]))
    return right


def _refused(fleet: Fleet, gateways: Sequence[Gateway], one: str, other: str) -> bool:
    """Whether one of them takes only clusters that it lists, and does not list the other."""
    for mine, theirs in ((one, other), (other, one)):
        for gateway in gateways:
            if gateway.name == mine and gateway.strict and theirs not in gateway.remotes:
                fleet.remarks.append(
                    common.dangling(
                        f"gateway {mine} refuses {theirs}, which is not among its gateways",
                        gateway.place,
                        f"add {theirs} to them, or remove reject_unknown_cluster",
                    )
                )
                return True
    return False


def _unlike(cluster: Cluster) -> Iterator[Remark]:
    """Servers of a cluster whose gateway blocks differ: nats-server wants the same in each."""
    gateways = [server.gateway for server in cluster.servers if server.gateway]
    for server in cluster.servers if gateways else ():
        if server.gateway is None:
            yield common.dangling(
                f"{server.name} has no gateway block, unlike others of cluster {cluster.name}: what is "
                "published there does not leave the cluster",
                server.place,
                f"give it the gateway block of {cluster.with_gateway[0].name}",
            )
        elif server.gateway.name != (server.cluster or gateways[0].name):
            yield common.dangling(
                f"the gateway of {server.name} is called {server.gateway.name or 'nothing'}, "
                f"its cluster {server.cluster or gateways[0].name}",
                server.gateway.place,
                "give both the same name in all servers of the cluster",
            )
