"""NATS: clusters, gateways, leaf nodes and accounts, one nats.conf for each server.

A server is called `server_name`, or else as its file or folder is. Routes, gateways and leaf nodes lead to
other servers by host and port; see `common.Directory` for who is meant. What servers do with messages is told
in `nats_links`, what accounts do in `nats_accounts`. A given file that another one includes is no server.

The default account `$G` has the empty scope, others their names. Queue groups share one copy: this is not
looked at, every subscriber gets its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.importers import common
from angarium.mesh.importers.nats_accounts import imports
from angarium.mesh.importers.nats_clusters import Cluster, Fleet, clusters_of, gateway_pairs, refusals
from angarium.mesh.importers.nats_keys import IN_BLOCKS, IN_FILE
from angarium.mesh.importers.nats_limits import unequal_payloads
from angarium.mesh.importers.nats_links import DIALECT, FROM_HUB, Leaves, gateways, identities, routes
from angarium.mesh.importers.nats_server import Described, Server, read_server
from angarium.mesh.importers.nats_syntax import Node, outline
from angarium.mesh.mesh import DROPS, Broker, Link, Mesh, Remark
from angarium.mesh.topics.dialects import topic_of
from angarium.mesh.topics.topic import IDENTITY

NAME = "nats"
MOST_LINKS = 200_000

SUFFIXES = (".conf", ".config", ".cfg")
TELLING = frozenset(
    """server_name listen client_advertise cluster gateway leafnodes leaf accounts authorization jetstream
    max_payload http_port monitor_port system_account operator resolver""".split()
)
_OTHERS = re.compile(r"^[ \t]*(?:listeners|node|dashboard|router|connection)\b", re.M)
"""Of EMQX, Qpid Dispatch and Mosquitto."""
_TELLING = re.compile(
    r"^[ \t]*(?:server_name|leafnodes|gateway|jetstream|max_payload"
    r"|(?:cluster|accounts|authorization)[ \t]*[:=]?[ \t]*\{"
    r"|(?:listen|client_advertise|monitor_port|http_port|system_account)[ \t]*[:=])",
    re.M | re.I,
)


def recognises(path: Path, text: str) -> bool:
    """Whether a text is a configuration of nats-server: most keys of its map and of its blocks are.

    Other brokers have files of the same syntax and with some of the same keys, such as EMQX with its
    `cluster`. A file that is broken is ours if it is called like one.
    """
    root = outline(path, text)
    if root is None:
        return path.suffix in SUFFIXES and bool(_TELLING.search(text)) and not _OTHERS.search(text)
    blocks = ((root.entries[name], known) for name, known in IN_BLOCKS.items() if name in root.entries)
    return (
        not root.entries.keys().isdisjoint(TELLING)
        and _is_ours(root, IN_FILE)
        and all(_is_ours(block, known) for block, known in blocks if block.named)
    )


def _is_ours(block: Node, known: frozenset[str]) -> bool:
    """Keys in capitals may be variables, which are called as one likes; but no key of NATS has a dot."""
    keys = [key.lower() for key in block.named if not key.isupper()]
    return sum(key not in known for key in keys) * 2 < len(keys) and not any("." in key for key in keys)


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the servers whose files are given."""
    fleet = Fleet(hand)
    found = [(files.paths[0], read_server(files)) for files in hand.grouped(paths)]
    parts = {included for _, described in found for included in described.included}
    servers = [(path, described) for path, described in found if path.resolve() not in parts]
    servers = _told_apart(servers)
    common.unique((described.server.name, path) for path, described in servers)
    for _, described in servers:
        fleet.add(described.server)
        fleet.remarks += described.remarks
    clusters = clusters_of(fleet)
    pairs = gateway_pairs(fleet, clusters)
    leaves = Leaves(fleet, clusters)
    leaves.join()
    _bounded(fleet, clusters, pairs)
    within = [each for server in fleet.servers.values() for each in imports(server)]
    links = [link for cluster in clusters for link in routes(cluster)]
    links += [
        *gateways(fleet, pairs),
        *_avoiding(leaves),
        *(each for each in within if isinstance(each, Link)),
    ]
    remarks = [*fleet.remarks, *(each for each in within if isinstance(each, Remark))]
    called = identities(leaves)
    brokers = [_broker(server, called.get(server.name, "")) for server in fleet.servers.values()]
    mesh = Mesh(NAME, tuple(brokers), tuple(links))
    remarks += [*_unequal_accounts(clusters), *_without_hub(leaves), *_isolated(fleet), *_namesakes(fleet)]
    remarks += refusals(fleet, clusters, pairs)
    given = [server for server in fleet.servers.values() if server.path]
    remarks += unequal_payloads([(each.name, each.payload, each.place) for each in given])
    remarks += [
        *_going_round(mesh, leaves),
        *_both_roles(leaves),
        *_denying_hubs(fleet),
        *_hubs_of_clusters(leaves),
    ]
    return replace(mesh, remarks=tuple(dict.fromkeys(remarks)))


def _told_apart(servers: list[tuple[Path, Described]]) -> list[tuple[Path, Described]]:
    """Servers of the same name in different folders are called after these, too."""
    folders: dict[str, list[str]] = {}
    for path, described in servers:
        folders.setdefault(described.server.name, []).append(common.folder_of(path))
    return [
        (path, _in_folder(path, described) if len(set(others)) == len(others) > 1 else described)
        for path, described in servers
        for others in [folders[described.server.name]]
    ]


def _in_folder(path: Path, described: Described) -> Described:
    old = described.server
    new = replace(old, name=f"{common.folder_of(path)}/{old.name}", hosts=(*old.hosts, old.name))
    what = f"several servers are called {old.name}: that of {path} is called {new.name} here"
    remedy = "give each a server_name"
    return replace(described, server=new, remarks=(*described.remarks, common.note(what, new.place, remedy)))


def _broker(server: Server, identity: str) -> Broker:
    return Broker(server.name, DIALECT, identity=identity, place=server.place)


def _bounded(fleet: Fleet, clusters: Sequence[Cluster], pairs: Sequence[tuple[str, str]]) -> None:
    sizes: dict[str, int] = {}
    for server in fleet.servers.values():
        if server.gateway:
            sizes[server.gateway.name] = sizes.get(server.gateway.name, 0) + 1
    links = sum(len(cluster.servers) ** 2 for cluster in clusters)
    links += sum(2 * sizes.get(one, 0) * sizes.get(other, 0) for one, other in pairs)
    if links > MOST_LINKS:
        raise MeshError(
            "ANG125",
            f"full meshes of these servers have about {links:,} links",
            possible=f"at most {MOST_LINKS:,}",
            remedy="give the files of fewer servers of each cluster",
        )


def _avoiding(leaves: Leaves) -> Iterator[Link]:
    """The links of leaf nodes; those to nodes with a common identity avoid it."""
    called = identities(leaves)
    for link in leaves.links:
        avoids = link.kind == FROM_HUB and link.target in called
        yield replace(link, avoids_visited=True) if avoids else link


def _unequal_accounts(clusters: Sequence[Cluster]) -> Iterator[Remark]:
    for cluster in clusters:
        given = [server for server in cluster.servers if server.path]
        scopes = dict.fromkeys(scope for server in given for scope in server.declared)
        for server in given:
            own = frozenset(server.declared)
            missing = [scope or "$G" for scope in scopes if scope not in own]
            if missing:
                yield common.dangling(
                    f"{server.name} lacks account {', '.join(missing)}, which others of its cluster have",
                    server.place,
                    "give all servers of a cluster the same accounts",
                )


def _without_hub(leaves: Leaves) -> Iterator[Remark]:
    """Servers of a cluster of leaf nodes that have no connection to the hub of their own."""
    spokes = {spoke.name for spoke, _ in leaves.homes}
    for cluster in leaves.clusters:
        names = [server.name for server in cluster.servers]
        for server in cluster.servers if spokes.intersection(names) else ():
            if server.name not in spokes and server.path:
                yield common.note(
                    f"{server.name} has no connection to the hub, unlike others of its cluster: routes hand "
                    "on neither what comes from the hub nor what should go there",
                    server.place,
                    "give it the same remotes",
                )


def _going_round(mesh: Mesh, leaves: Leaves) -> Iterator[Remark]:
    """Servers whose own messages come back to them over leaf nodes, by which nats-server knows a loop."""
    if not _may_go_round(leaves):
        return
    forwarding, back = Forwarding(mesh), []
    for server in dict.fromkeys(spoke.name for spoke, _ in leaves.homes):
        topics = (topic_of("x", DIALECT, scope) for scope in leaves.fleet.servers[server].scopes)
        if any(forwarding.spread(server, topic).copies_at(server, {IDENTITY}) != 1 for topic in topics):
            back.append(server)
    if back:
        what = (
            f"leaf nodes go round: what {', '.join(back)} sends comes back to it; nats-server closes such a"
        )
        what += " connection when it notices, and makes it again after 30 s"
        remedy = "remove one of the remotes: leaf nodes must not form a cycle"
        yield common.not_understood(what, leaves.fleet.servers[back[0]].place, remedy)


def _may_go_round(leaves: Leaves) -> bool:
    """Whether clusters are joined in a circle by leaf nodes, or by gateways besides."""
    leader: dict[str, str] = {}

    def top(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    called: dict[str, str] = {}
    for server in leaves.fleet.servers.values():
        if server.gateway:
            own = leaves.cluster_of(server).servers[0].name
            leader[top(own)] = top(called.setdefault("gateways", own))
    pairs = (
        (leaves.cluster_of(one).servers[0].name, leaves.cluster_of(other).servers[0].name)
        for one, other in leaves.homes
    )
    for one, other in dict.fromkeys(pairs):
        if top(one) == top(other):
            return True
        leader[top(one)] = top(other)
    return False


def _both_roles(leaves: Leaves) -> Iterator[Remark]:
    """Clusters each of which is the other's hub: measured, but not to a rule that we know."""
    pairs = {
        (leaves.cluster_of(spoke).servers[0].name, leaves.cluster_of(hub).servers[0].name): spoke
        for spoke, hub in leaves.homes
    }
    for (below, above), spoke in pairs.items():
        if (above, below) in pairs and below <= above:
            what = (
                f"{below} and {above} are each other's hub (hub: true): who gets how many copies is not known"
            )
            yield common.not_understood(what, spoke.place, "give all remotes between them the same role")


def _denying_hubs(fleet: Fleet) -> Iterator[Remark]:
    """Measured: where the one that connects is the hub, what it denies is sent, and ends the connection."""
    for server in fleet.servers.values():
        for leaf in server.leaves:
            if leaf.acts_as_hub and (leaf.deny_imports or leaf.deny_exports):
                what = (
                    f"{server.name} is the hub of a remote (hub: true) and denies subjects: the connection is"
                )
                what += " closed whenever one of them is published"
                yield common.not_understood(what, leaf.place, "deny them at the other end")


def _hubs_of_clusters(leaves: Leaves) -> Iterator[Remark]:
    """Measured: a hub that connects to one server of a cluster does not get what came there by routes, and
    which one it is after a failure is chance; several hubs of one cluster are taken for a loop."""
    for spoke, hub in leaves.homes:
        connects = any(leaf.acts_as_hub for leaf in hub.leaves)
        if connects and any(len(leaves.cluster_of(each).servers) > 1 for each in (spoke, hub)):
            what = f"{hub.name} is the hub of {spoke.name} (hub: true), and one of them is of a cluster"
            remedy = "let the servers of the cluster connect to their hub"
            yield common.not_understood(f"{what}: who gets what is not known", hub.place, remedy)


def _namesakes(fleet: Fleet) -> Iterator[Remark]:
    """Measured with 2.9.10: servers of one name close the routes and gateways between them."""
    called: dict[str, list[Server]] = {}
    for server in fleet.servers.values():
        if server.server_name and (server.has_cluster or server.gateway):
            called.setdefault(server.server_name, []).append(server)
    for name, (first, *others) in called.items():
        for other in others:
            what = f"{first.name} and {other.name} have one server_name, {name}: neither makes a route or a"
            remedy = "give each server a name of its own"
            yield common.not_understood(
                f"{what} gateway to the other", other.place, remedy, frozenset({DROPS})
            )


def _isolated(fleet: Fleet) -> Iterator[Remark]:
    """Interest that is kept from other leaf nodes: measured, they get what the hub is sent for others."""
    for server in fleet.servers.values():
        if server.isolates or any(leaf.isolated for leaf in server.leaves):
            what = f"leaf nodes of {server.name} are isolated: one gets what another sends"
            what += " only if somebody at the hub wants it, too"
            yield common.not_understood(what, server.place, effects=frozenset({DROPS}))
