"""Who gets into a RabbitMQ cluster: where its nodes listen, and who may come from other machines.

Both are said in `rabbitmq.conf` or `advanced.config`. Without these a cluster is taken to listen where
addresses lead; but `guest`, if it has this user, may come from its own machine only unless `loopback_users`
says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.doors import LOOPBACK, Door, Knock, may_refuse, refused
from angarium.mesh.importers.rabbitmq_cluster import Cluster
from angarium.mesh.importers.rabbitmq_uri import PORTS, Address
from angarium.mesh.mesh import Remark

LISTENS = re.compile(r"listeners\.(tcp|ssl)(?:\..+)?")
LOOPBACK_USERS = re.compile(r"loopback_users(?:\.(.+))?")
GUEST = "guest"


def comes_in(
    there: Cluster, addresses: Sequence[Address], who: str, place: Place, directory: common.Directory
) -> Iterator[Remark]:
    """Why a link may not get in, the first reason."""
    asked = [each for each in addresses if each.enters]
    knocks = [Knock(who, each.host, each.port, each.secure) for each in asked]
    doors = _doors(there)
    yield from refused(doors, there.name, knocks, place, directory) if doors is not None else ()
    strangers = [each for each in asked if not LOOPBACK.fullmatch(each.host)]
    if strangers and all(each.user == GUEST for each in strangers) and _keeps_guest_out(there):
        why = "it comes as guest, who may come from its own machine only"
        remedy = "Give another user; or say loopback_users.guest = false in its rabbitmq.conf."
        yield may_refuse(there.name, who, why, place, remedy)


def _keeps_guest_out(there: Cluster) -> bool:
    if GUEST not in there.users:
        return False
    said = [(LOOPBACK_USERS.fullmatch(key), value) for key, value in there.settings]
    kept = True
    for found, value in said:
        if found and (found[1] == GUEST or (found[1] is None and value == "none")):
            kept = value == "true"
    return kept


def _doors(there: Cluster) -> list[Door] | None:
    """Where it listens; None if no file says how its nodes run."""
    if not there.settings:
        return None
    said = [(found[1], value) for key, value in there.settings if (found := LISTENS.fullmatch(key))]
    if not any(kind == "tcp" for kind, _ in said):
        said.append(("tcp", str(PORTS["amqp"])))
    return [door for kind, value in said for door in _door(kind, value)]


def _door(kind: str, value: str) -> Iterator[Door]:
    host, _, port = value.rpartition(":")
    if port.isascii() and port.isdecimal() and len(port) < 6:
        yield Door(int(port), host, kind == "ssl")
