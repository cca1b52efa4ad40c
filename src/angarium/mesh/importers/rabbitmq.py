"""RabbitMQ: the definitions of each cluster, as `rabbitmqctl export_definitions` writes them, and settings.

A cluster is called as its `cluster_name` is, or else after its file or folder. Its queues are the
subscribers. Nobody says in such a file who publishes, so there are no publishers. The parts, each a module
of its own:

    definitions   the JSON, with places           cluster      what it describes
    policies      which upstreams apply           neighbours   who is meant by an address
    federation    exchanges and queues that pull  shovels      what is moved
    routing       bindings within a cluster       queues       which several take from
    alternates    what no binding takes           effects      what is not modelled, and may do
    rights        what users may                  regexp, uri  patterns of policies, addresses
    files         which are of one cluster        conf, advanced   its settings, static shovels
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.importers import common, rabbitmq_routing
from angarium.mesh.importers.rabbitmq_alternates import alternate_links
from angarium.mesh.importers.rabbitmq_cluster import Cluster, cluster_of
from angarium.mesh.importers.rabbitmq_federation import (
    federation_links,
    feed_federated_queues,
    look_at_internal,
)
from angarium.mesh.importers.rabbitmq_files import declare_for_shovels, grouped, read_all, recognises
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours, said_once
from angarium.mesh.importers.rabbitmq_policies import Policies
from angarium.mesh.importers.rabbitmq_shovels import feed_shovelled_queues, shovel_links
from angarium.mesh.mesh import Broker, Link, Mesh, Remark, SharedRisk

NAME = "rabbitmq"
__all__ = ["NAME", "read", "recognises"]


def read(paths: Sequence[Path], hand: common.ByHand = common.NOTHING_BY_HAND) -> Mesh:
    """The mesh of the clusters that these files define."""
    clusters = {cluster.name: cluster for cluster in _clusters(list(grouped(paths, hand)))}
    neighbours = Neighbours(clusters, hand.directory())
    declare_for_shovels(list(clusters.values()), neighbours)
    policies = [Policies(cluster) for cluster in clusters.values()]
    for each in policies:
        feed_federated_queues(each.cluster, each, neighbours)
    feed_shovelled_queues(clusters.values(), neighbours)
    links = [link for each in policies for link in _links(each, neighbours)]
    for each in policies:
        look_at_internal(each, neighbours)
    links += [link for each in policies for link in alternate_links(each, tuple(links), neighbours)]
    queues = [
        queue for cluster in clusters.values() for queue in rabbitmq_routing.subscribers(cluster, neighbours)
    ]
    return Mesh(
        name=common.name_of(paths[0]) if len(paths) == 1 else paths[0].absolute().parent.name,
        brokers=(*neighbours.parts(), *_outside(neighbours)),
        links=_told_apart(links),
        subscribers=tuple(queues),
        shared_risks=tuple(_risks(neighbours)),
        remarks=said_once(_remarks(policies, neighbours)),
    )


def _clusters(groups: Sequence[common.Files]) -> Iterator[Cluster]:
    """Clusters of the same name cannot be told apart by it, so they are called after their files."""
    read_so = [read_all(files.paths) for files in groups]
    times = Counter(each.cluster_name for each in read_so)
    said = (each.cluster_name if times[each.cluster_name] == 1 else "" for each in read_so)
    names = [files.called(name) for files, name in zip(groups, said, strict=True)]
    common.unique((name, files.paths[0]) for name, files in zip(names, groups, strict=True))
    yield from (cluster_of(each, name) for each, name in zip(read_so, names, strict=True))


def _links(policies: Policies, neighbours: Neighbours) -> Iterator[Link]:
    cluster = policies.cluster
    yield from federation_links(cluster, policies, neighbours)
    yield from shovel_links(cluster, neighbours)
    yield from rabbitmq_routing.links_within(cluster, neighbours)


def _told_apart(links: list[Link]) -> tuple[Link, ...]:
    """Refuses links of the same name, which only names made to be confused can have."""
    names = Counter(link.name for link in links)
    for link in links:
        if names[link.name] > 1:
            raise MeshError(
                "ANG122",
                f"two links would be called {link.name}",
                possible="a link is called by both brokers, its upstream and its exchange",
                remedy="Give the upstreams, shovels or virtual hosts names that tell them apart.",
                place=link.place,
            )
    return tuple(links)


def _outside(neighbours: Neighbours) -> Iterator[Broker]:
    for name, place in neighbours.outside.items():
        yield Broker(name, dialect="amqp", place=place)


def _risks(neighbours: Neighbours) -> Iterator[SharedRisk]:
    """Virtual hosts fail with their cluster."""
    for cluster, vhosts in neighbours.vhosts.items():
        parts = tuple(dict.fromkeys(neighbours.part(cluster, vhost) for vhost in vhosts))
        if len(parts) > 1:
            yield SharedRisk(cluster, parts, place=common.place(neighbours.clusters[cluster].path, 1))


def _remarks(policies: list[Policies], neighbours: Neighbours) -> Iterator[Remark]:
    yield from neighbours.remarks
    if neighbours.splits:
        what = "virtual hosts of a cluster are brokers that fail alone, and together as a shared risk"
        remedy = "Something pulls from one virtual host into another; ask with --failures one,risks, too."
        yield common.assumed(what, None, remedy)
    yield from _namesakes(list(neighbours.clusters.values()))
    for each in policies:
        yield from each.cluster.remarks
        yield from each.remarks
        yield from each.left_over()
        yield from rabbitmq_routing.remarks(each)


def _namesakes(clusters: list[Cluster]) -> Iterator[Remark]:
    """RabbitMQ tells clusters apart by their names alone."""
    called: dict[str, list[Cluster]] = {}
    for cluster in clusters:
        called.setdefault(cluster.identity or cluster.name, []).append(cluster)
    for name, same in called.items():
        if len(same) > 1:
            who = " and ".join(cluster.name for cluster in same)
            what = f"{who} have the same cluster_name {name}: to federation they are one, and share queues"
            remedy = "Give each a name: rabbitmqctl set_cluster_name NAME."
            yield common.dangling(what, common.place(same[1].path, 1), remedy)
