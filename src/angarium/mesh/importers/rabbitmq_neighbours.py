"""Which cluster is meant by the addresses of an upstream or a shovel.

All addresses of one upstream are nodes of one cluster; RabbitMQ connects to any. They are joined to the
given files by the rule of `common.Directory`: a cluster is called as its `cluster_name` is, as the host in
that name is (`rabbit@eu1`), or as its file or folder is. Clusters that no file describes are brokers, too:
outside ones. If there is only one file, the usual port of this very machine is the cluster itself.

Federation knows who was visited by cluster and virtual host. A cluster is one broker, its virtual hosts are
scopes; but where something pulls from one virtual host into another, each is a broker of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import Cluster, Key
from angarium.mesh.importers.rabbitmq_definitions import Entry
from angarium.mesh.importers.rabbitmq_uri import PORTS, Address, address_of
from angarium.mesh.mesh import Broker, Remark


@dataclass(slots=True)
class Neighbours:
    """All clusters, and what turned up while they were joined."""

    clusters: dict[str, Cluster]
    directory: common.Directory = field(default_factory=common.Directory)
    outside: dict[str, Place] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    """Of each host outside, the broker that it is a node of."""
    remarks: dict[Remark, None] = field(default_factory=dict)
    """Each once, in order."""
    fed: set[tuple[str, Key]] = field(default_factory=set)
    """Queues that something publishes to by their names, through the default exchange."""
    taken: dict[tuple[str, Key], bool] = field(default_factory=dict)
    """Queues that something takes from, and whether it republishes messages under their old exchange."""
    losing: dict[tuple[str, Key], str] = field(default_factory=dict)
    """Exchanges from which a shovel takes what it cannot publish, and so loses, while it comes and goes."""
    internal: dict[tuple[str, str, str], None] = field(default_factory=dict)
    """Queues that federation has at its upstreams: cluster, virtual host, name."""
    guessed: set[str] = field(default_factory=set)
    """Hosts that were taken for others because the names are only alike."""
    splits: bool = False
    """Whether virtual hosts are brokers of their own."""
    vhosts: dict[str, dict[str, None]] = field(default_factory=dict)
    """Of each cluster, those that are, in order."""

    def __post_init__(self) -> None:
        self.splits = any(_joins_virtual_hosts(cluster) for cluster in self.clusters.values())
        for cluster in self.clusters.values():
            host = cluster.identity.rpartition("@")[2]
            names = (cluster.identity, host, host.partition(".")[0], common.name_of(cluster.path))
            self.directory.add(cluster.name, filter(None, names))

    def remark(self, remark: Remark) -> None:
        self.remarks.setdefault(remark)

    def feed(self, broker: str, vhost: str, queue: str) -> None:
        self.fed.add((broker, (vhost, queue)))

    def part(self, cluster: str, vhost: str) -> str:
        """The broker that a virtual host of a cluster is."""
        if not self.splits or cluster not in self.clusters:
            return cluster
        self.vhosts.setdefault(cluster, {}).setdefault(vhost)
        return _part(cluster, vhost)

    def parts(self) -> Iterator[Broker]:
        """The brokers that files describe; of virtual hosts, those with an exchange or anything asked of."""
        for cluster in self.clusters.values():
            for each in cluster.exchanges.values():
                self.part(cluster.name, each.vhost)
            for vhost in self.vhosts.get(cluster.name, ["/"]):
                identity = cluster.identity and _part(cluster.identity, vhost)
                place = common.place(cluster.path, 1)
                yield Broker(_part(cluster.name, vhost), "amqp", identity=identity, place=place)

    def at(self, own: Cluster, uris: object, place: Place, vhost: str) -> tuple[str, str]:
        """The broker and the virtual host at these addresses."""
        addresses = self.addresses(uris, place)
        said = next((each.vhost for each in addresses if each.vhost is not None), None)
        found = dict.fromkeys(self.broker(own, each, place) for each in addresses)
        known = [name for name in found if name is not None]
        if len(known) > 1:
            what = f"addresses of one link lead to {' and '.join(known)}; {known[0]} is taken"
            self.remark(common.not_understood(what, place, "Give addresses of nodes of one cluster."))
        name = known[0] if known else self.stranger(own, addresses, place)
        return name, vhost if said is None else said

    def addresses(self, uris: object, place: Place) -> list[Address]:
        texts = uris if isinstance(uris, list) else [uris]
        found = [address_of(text) if isinstance(text, str) else None for text in texts]
        addresses = [address for address in found if address is not None]
        if not addresses or None in found:
            what = "a uri is missing or not one of AMQP"
            raise Entry({}, place).wrong(
                what, "possible: amqp://user:password@host:port/vhost, or a list of such"
            )
        return addresses

    def broker(self, own: Cluster, address: Address, place: Place) -> str | None:
        if not address.host:
            return own.name
        if self._is_here(address):
            remedy = "If another broker listens there, give its definitions too."
            self.remark(common.assumed(f"{address} is taken to be {own.name} itself", place, remedy))
            return own.name
        meant = self.directory.meant(address.host, address.port, lambda name: name != own.name)
        if meant and meant.part:
            self._guess(address.host, meant.broker, place)
        return meant.broker if meant else None

    def _is_here(self, address: Address) -> bool:
        only_one = len(self.clusters) == 1 and address.port in PORTS.values()
        return only_one and common.HERE.fullmatch(address.host) is not None

    def _guess(self, host: str, broker: str, place: Place) -> None:
        if host not in self.guessed:
            self.guessed.add(host)
            self.remark(common.taken_for(host, broker, place))

    def stranger(self, own: Cluster, addresses: list[Address], place: Place) -> str:
        """A cluster that no file describes, called after the first of its hosts that was met."""
        hosts = [self.directory.outside(each.host, each.port) for each in addresses]
        name = next((self.aliases[host] for host in hosts if host in self.aliases), self._free(hosts[0]))
        for host in hosts:
            self.aliases.setdefault(host, name)
        if name not in self.outside:
            self.outside[name] = place
            self.remark(self.directory.unknown(name, place, str(addresses[0]), own.name))
        return name

    def _free(self, host: str) -> str:
        """A name for a broker outside: what fits several clusters may be called as one of them is."""
        return f"{host} (outside)" if host in self.clusters else host


def _part(cluster: str, vhost: str) -> str:
    return cluster if vhost == "/" else f"{cluster}/{vhost}"


def _joins_virtual_hosts(cluster: Cluster) -> bool:
    """Whether it pulls into one virtual host from another one."""
    for (vhost, _), entry in cluster.upstreams.items():
        uris = entry.table("value").get("uri")
        found = (
            address_of(uri) for uri in (uris if isinstance(uris, list) else [uris]) if isinstance(uri, str)
        )
        if any(address and address.vhost not in {None, vhost} for address in found):
            return True
    return False


def said_once(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(dict.fromkeys(remarks))
