"""Shovels: they consume at one end and publish at the other, and know no rule against loops.

From a queue, a shovel moves what comes into it, and shares that with all others who do. From an exchange, it
has a queue of its own that lives only while the shovel does, so what is published meanwhile is lost. It
publishes to a queue by its name, to an exchange with a key of its own or the old one, or, if neither is
said, to the exchange of the old name. It leaves no trace in the history that federation looks at, so it is
no hop, wherever it leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import Cluster, described, scope_of
from angarium.mesh.importers.rabbitmq_definitions import Entry, shown
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY, of_setting, wildcards_of_direct
from angarium.mesh.importers.rabbitmq_federation import ACK_MODES, buffering
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.importers.rabbitmq_queues import (
    declared,
    given_to,
    look_for_older_exchanges,
    places,
    shares,
    taken_from,
)
from angarium.mesh.importers.rabbitmq_rights import (
    Right,
    of_consumer,
    of_declarer,
    of_publisher,
    of_subscription,
    permitted,
)
from angarium.mesh.mesh import Link, Pattern, Rename

UNDERSTOOD = frozenset(
    """src-protocol src-uri src-queue src-exchange src-exchange-key src-queue-args src-consumer-args
    src-prefetch-count prefetch-count dest-protocol dest-uri dest-queue dest-exchange
    dest-exchange-key dest-queue-args ack-mode reconnect-delay add-forward-headers
    dest-add-forward-headers add-timestamp-header dest-add-timestamp-header publish-properties
    dest-publish-properties src-predeclared dest-predeclared""".split()
)
PROTOCOLS = ("amqp091", "local")


@dataclass(frozen=True, slots=True)
class Shovel:
    """What a shovel says, with the brokers and virtual hosts at its ends."""

    name: str
    entry: Entry
    own: Cluster
    source: str
    source_vhost: str
    target: str
    target_vhost: str

    def word(self, key: str) -> str:
        return Entry(self.entry.table("value"), self.entry.place).text(key, "")

    @property
    def keeps_exchange(self) -> bool:
        values = self.entry.table("value")
        return "dest-queue" not in values and "dest-exchange" not in values

    def works(self, neighbours: Neighbours) -> bool:
        """Whether it carries anything."""
        return self.starts(neighbours) and self.publishes(neighbours)

    def starts(self, neighbours: Neighbours, *, tell: bool = True) -> bool:
        """Whether it finds or declares what it needs at both ends."""
        queue, exchange, to = (self.word(key) for key in ("src-queue", "src-exchange", "dest-queue"))
        there = neighbours.clusters.get(self.source)
        if there and exchange and there.exchange(self.source_vhost, exchange) is None:
            return False
        taking = of_consumer(queue) if queue else of_subscription(exchange)
        source, target = (self.source, self.source_vhost), (self.target, self.target_vhost)
        rights = (*taking, *_declaring(neighbours, *source, queue)), _declaring(neighbours, *target, to)
        ends = ("src", source, rights[0]), ("dest", target, rights[1])
        return all(self._may(neighbours, name, end, needs, tell) for name, end, needs in ends)

    def declares(self, neighbours: Neighbours) -> bool:
        """Whether it declares its target: it does so before it asks for its source (measured)."""
        target = self.target, self.target_vhost
        needs = _declaring(neighbours, *target, self.word("dest-queue"))
        comes = self._may(neighbours, "src", (self.source, self.source_vhost), (), False)
        return comes and self._may(neighbours, "dest", target, needs, False)

    def publishes(self, neighbours: Neighbours) -> bool:
        """Whether it may publish, to an exchange that is there: that turns out with the first message."""
        there, exchange = neighbours.clusters.get(self.target), self.word("dest-exchange")
        if there and exchange and there.exchange(self.target_vhost, exchange) is None:
            return False
        names = self._kept(neighbours) if self.keeps_exchange else [exchange]
        refused = [name for name in names if not self._publishes_to(neighbours, name)]
        if 0 < len(refused) < len(names):
            what = (
                f"{self.called} cannot publish to {', '.join(refused)} what has come by it, and gives it back"
            )
            remedy = "What is behind it waits: give the shovel a dest-exchange."
            neighbours.remark(common.not_understood(what, self.entry.place, remedy, DROPS_ONLY))
        return len(refused) < len(names)

    def _kept(self, neighbours: Neighbours) -> list[str]:
        """The exchanges by which messages come to it; it publishes them to those of the same names."""
        there, queue = neighbours.clusters.get(self.source), self.word("src-queue")
        if not queue:
            return [self.word("src-exchange")]
        bindings = there.bindings if there else []
        came = (self.source_vhost, queue)
        found = (each.source for each in bindings if (each.vhost, each.destination) == came and each.to_queue)
        return list(dict.fromkeys(found)) or [""]

    def _publishes_to(self, neighbours: Neighbours, name: str) -> bool:
        """Whether it may, and the exchange is there."""
        there, end = neighbours.clusters.get(self.target), (self.target, self.target_vhost)
        if there and name and there.exchange(self.target_vhost, name) is None:
            what = (
                f"{self.called} publishes to exchange {described(self.target_vhost, name)} what came by it,"
            )
            remedy = "Declare it, or give the shovel a dest-exchange."
            neighbours.remark(common.dangling(f"{what} and {self.target} has none", self.entry.place, remedy))
            return False
        return self._may(neighbours, "dest", end, of_publisher(name), True)

    def _may(
        self,
        neighbours: Neighbours,
        name: str,
        end: tuple[str, str],
        rights: tuple[Right, ...],
        tell: bool,
    ) -> bool:
        uris = self.entry.table("value").get(f"{name}-uri", "amqp://")
        return permitted(neighbours, end, uris, rights, self.called, self.entry.place, tell)

    @property
    def called(self) -> str:
        return f"shovel {self.name} of {self.own.name}"

    @property
    def cable(self) -> str:
        return f"{self.source}->{self.target} (shovel {self.name})"


def shovel_links(cluster: Cluster, neighbours: Neighbours) -> Iterator[Link]:
    """What the shovels of a cluster carry."""
    for shovel in _followed(cluster, neighbours):
        _look_at(shovel, neighbours)
        yield from _links(shovel, neighbours)


def feed_shovelled_queues(clusters: Iterable[Cluster], neighbours: Neighbours) -> None:
    """Say which queues get messages by their names, and which lose them to a shovel."""
    shovels = [shovel for cluster in clusters for shovel in _followed(cluster, neighbours)]
    for shovel in shovels:
        if (queue := shovel.word("dest-queue")) and shovel.declares(neighbours):
            key = shovel.target_vhost, queue
            declared(neighbours, shovel.target, key, shovel.called, shovel.entry.place)
    starting = [each for each in shovels if each.starts(neighbours, tell=False)]
    while starting:
        for shovel in starting:
            shovels.remove(shovel)
            _feed(shovel, neighbours)
        starting = [each for each in shovels if each.starts(neighbours, tell=False)]


def _feed(shovel: Shovel, neighbours: Neighbours) -> None:
    """Declare its queues, which others may have waited for."""
    who, place = shovel.called, shovel.entry.place
    if queue := shovel.word("dest-queue"):
        given_to(neighbours, shovel.target, (shovel.target_vhost, queue), who, place)
    if not (queue := shovel.word("src-queue")):
        if not shovel.publishes(neighbours):
            exchange = shovel.source_vhost, shovel.word("src-exchange")
            neighbours.losing[shovel.source, exchange] = who
        return
    key = shovel.source_vhost, queue
    if shovel.publishes(neighbours):
        taken_from(neighbours, shovel.source, key, who, place, keeps=shovel.keeps_exchange)
    else:
        what = f"{who} takes from queue {described(*key)} what it cannot publish, and gives it back"
        remedy = "Messages wait, or are lost if its ack-mode is not on-confirm."
        neighbours.remark(common.not_understood(what, place, remedy, DROPS_ONLY))


def _declaring(neighbours: Neighbours, broker: str, vhost: str, queue: str) -> tuple[Right, ...]:
    there = neighbours.clusters.get(broker)
    absent = there and queue and (vhost, queue) not in there.queues
    return of_declarer(queue) if absent else ()


def _followed(cluster: Cluster, neighbours: Neighbours) -> Iterator[Shovel]:
    for (vhost, name), entry in cluster.shovels.items():
        if _is_followed(cluster, described(vhost, name), entry, neighbours):
            yield _shovel(cluster, name, entry, neighbours)


def _is_followed(cluster: Cluster, name: str, entry: Entry, neighbours: Neighbours) -> bool:
    values = entry.table("value")
    for key in ("src-protocol", "dest-protocol"):
        protocol = values.get(key, PROTOCOLS[0])
        if protocol not in PROTOCOLS:
            what = f"shovel {name} of {cluster.name}, which has {key} {shown(protocol)}"
            neighbours.remark(common.not_understood(what, entry.place, "It is left out."))
            return False
    if ("src-queue" in values) == ("src-exchange" in values):
        raise entry.wrong(f"shovel {name} does not say whence", "possible: either src-queue or src-exchange")
    if "dest-queue" in values and "dest-exchange" in values:
        raise entry.wrong(f"shovel {name} has two targets", "possible: either dest-queue or dest-exchange")
    return True


def _shovel(cluster: Cluster, name: str, entry: Entry, neighbours: Neighbours) -> Shovel:
    values = entry.table("value")
    ends = (
        neighbours.at(cluster, values.get(key, "amqp://"), entry.place, "/")
        for key in ("src-uri", "dest-uri")
    )
    (source, source_vhost), (target, target_vhost) = ends
    return Shovel(name, entry, cluster, source, source_vhost, target, target_vhost)


def _look_at(shovel: Shovel, neighbours: Neighbours) -> None:
    """Remarks on what leads nowhere or is not followed."""
    values, where = shovel.entry.table("value"), shovel.entry.place
    who = shovel.called
    for key in sorted(values.keys() - UNDERSTOOD):
        if values[key] != "never":
            neighbours.remark(common.not_understood(f"{key} of {who}", where))
    for key, effects in _of_arguments(values):
        neighbours.remark(common.not_understood(f"{key} of {who}", where, effects=effects))
    if shovel.own.name not in {shovel.source, shovel.target}:
        what = f"{who} runs on {shovel.own.name}: it stops when that fails, which is not followed"
        neighbours.remark(common.not_understood(what, where))
    ends = (("src", shovel.source, shovel.source_vhost), ("dest", shovel.target, shovel.target_vhost))
    for end, broker, vhost in ends:
        there = neighbours.clusters.get(broker)
        exchange = shovel.word(f"{end}-exchange")
        if there and exchange and there.exchange(vhost, exchange) is None:
            what = f"{who} names exchange {described(vhost, exchange)}, which {broker} does not have"
            neighbours.remark(
                common.dangling(what, where, "The shovel does not start: declare the exchange.")
            )


def _of_arguments(values: dict[str, Any]) -> Iterator[tuple[str, frozenset[str]]]:
    """What a shovel says of the queues that it declares, and of the messages that it publishes."""
    for end in ("src-queue-args", "dest-queue-args"):
        said = values.get(end) or {}
        for key in sorted(said) if isinstance(said, dict) else ():
            if effects := of_setting(key.removeprefix("x-")):
                yield f"{key} of {end}", effects
    for key in ("publish-properties", "dest-publish-properties"):
        if "expiration" in (values.get(key) or {}):
            yield f"expiration of {key}", DROPS_ONLY


def _links(shovel: Shovel, neighbours: Neighbours) -> Iterator[Link]:
    """One link; or one for every exchange that messages come from, if they keep its name."""
    if not shovel.works(neighbours):
        return
    taken = _taken(shovel, neighbours)
    source = neighbours.part(shovel.source, shovel.source_vhost)
    target = neighbours.part(shovel.target, shovel.target_vhost)
    for scope, pattern in taken.items():
        yield Link(
            name=shovel.cable + (f" from {scope or 'its name'}" if len(taken) > 1 else ""),
            source=source,
            target=target,
            cable=shovel.cable,
            accepts=(pattern,),
            rename=_rename(shovel, scope),
            counts=False,
            kind="shovel",
            shares=_shared(shovel, neighbours),
            buffering=_buffering(shovel),
            place=shovel.entry.place,
        )


def _shared(shovel: Shovel, neighbours: Neighbours) -> str:
    """Its queue; of an exchange, a queue that nobody else has."""
    if queue := shovel.word("src-queue"):
        found = shares(neighbours, shovel.source, (shovel.source_vhost, queue))
        return found or f"stream {queue} for {shovel.called}"
    return f"queue of {shovel.called}"


def _taken(shovel: Shovel, neighbours: Neighbours) -> dict[str, Pattern]:
    there = neighbours.clusters.get(shovel.source)
    if queue := shovel.word("src-queue"):
        return places(neighbours, shovel.source, (shovel.source_vhost, queue))
    name, key = shovel.word("src-exchange"), shovel.word("src-exchange-key")
    exchange = there.exchange(shovel.source_vhost, name) if there else None
    scope = scope_of(shovel.source_vhost, name)
    if there and shovel.keeps_exchange:
        look_for_older_exchanges(
            there, f"exchange {described(shovel.source_vhost, name)}", {scope}, neighbours
        )
    if exchange:
        if remark := wildcards_of_direct(key, exchange.type, shovel.entry.place):
            neighbours.remark(remark)
        return {scope: exchange.takes(key, shovel.entry.place)}
    return {scope: Pattern(key or "#", "amqp", scope, shovel.entry.place)}


def _rename(shovel: Shovel, scope: str) -> Rename | None:
    vhost, values = shovel.target_vhost, shovel.entry.table("value")
    if queue := shovel.word("dest-queue"):
        return Rename(whole=queue, scope=scope_of(vhost, ""))
    key = shovel.word("dest-exchange-key") if "dest-exchange-key" in values else None
    if "dest-exchange" in values:
        return Rename(whole=key, scope=scope_of(vhost, shovel.word("dest-exchange")))
    name = scope if shovel.source_vhost == "/" else scope.removeprefix(shovel.source_vhost).lstrip()
    return Rename(whole=key, scope=scope_of(vhost, name))


def _buffering(shovel: Shovel) -> str:
    mode = shovel.word("ack-mode") or ACK_MODES[0]
    return "lost" if shovel.word("src-exchange") else buffering(mode)
