"""What the users of links may do at the other end.

A link enters a broker as the user in its address, `guest` if there is none, and needs rights there: a
regular expression for each of configure, write and read, which must be found in the name. A link whose user
lacks one stays down. Definitions without any users say nothing about rights. A broker may know users of whom
they say nothing (LDAP, OAuth), so who is not in the list may do anything; and within a broker, without a
host, nobody is asked.

A queue whose name the broker makes up is called anew whenever the link tries again. An expression that fits
only some of these names (`y`) lets the link in sooner or later: some names are tried here, and where they
differ it is not known when.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import Cluster, described
from angarium.mesh.importers.rabbitmq_doors import comes_in
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.importers.rabbitmq_regexp import PatternError, found

DEFAULT_EXCHANGE = "amq.default"
"""What the default exchange is called where rights are asked for."""
OWN_QUEUE = "amq.gen-"
"""How a queue begins whose name the broker makes up."""
TRIES = 100


def _made_up(number: int) -> str:
    """A name as RabbitMQ makes them up: 16 bytes by chance, in letters, digits, - and _ (rabbit_guid.erl)."""
    by_chance = sha256(str(number).encode()).digest()[:16]
    return OWN_QUEUE + urlsafe_b64encode(by_chance).decode().rstrip("=")


MADE_UP = tuple(map(_made_up, range(TRIES)))
NOTHING = ("", "^$")


class Right(NamedTuple):
    """What a link does with something."""

    verb: str
    """`configure`, `write` or `read`."""
    name: str


def of_consumer(queue: str) -> tuple[Right, ...]:
    return (Right("read", queue),)


def of_declarer(queue: str) -> tuple[Right, ...]:
    """Who declares a queue that is not there; of one that is there, everybody may ask."""
    return (Right("configure", queue),)


def of_subscription(exchange: str, own_queue: str = OWN_QUEUE) -> tuple[Right, ...]:
    """Who binds a queue of its own to an exchange, and consumes from it."""
    own = tuple(Right(verb, own_queue) for verb in ("configure", "write", "read"))
    return (*own, Right("read", exchange))


def of_publisher(exchange: str) -> tuple[Right, ...]:
    return (Right("write", exchange or DEFAULT_EXCHANGE),)


def permitted(
    neighbours: Neighbours,
    end: tuple[str, str],
    uris: object,
    rights: Sequence[Right],
    who: str,
    place: Place,
    tell: bool = True,
) -> bool:
    """Whether a link can work at an end, a broker and its virtual host; if not, a remark says why."""
    broker, vhost = end
    there = neighbours.clusters.get(broker)
    if there is None:
        return True
    if there.vhosts and vhost not in there.vhosts:
        if not tell:
            return False
        what = f"{who} leads to virtual host {vhost}, which {broker} does not have"
        neighbours.remark(common.dangling(what, place, "The link stays down: declare the virtual host."))
        return False
    users = dict.fromkeys(address.user for address in neighbours.addresses(uris, place) if address.enters)
    refusals = [(user, why) for user in users for why in _refused(there, user, vhost, rights)]
    refused = {user for user, _ in refusals}
    works = not users or refused != set(users)
    if not tell:
        return works
    for user, why in refusals:
        what = f"{who} enters {broker} as {user}, who may not {why}"
        remedy = "The link stays down: set_permissions, or give another user."
        neighbours.remark(common.dangling(what, place, remedy))
    for user in users.keys() - refused:
        _look_at_chance(there, vhost, user, rights, neighbours, who, place)
    _look_at_unknown(there, vhost, list(users), neighbours, who, place)
    for remark in comes_in(there, neighbours.addresses(uris, place), who, place, neighbours.directory):
        neighbours.remark(remark)
    return works


def _refused(there: Cluster, user: str, vhost: str, rights: Sequence[Right]) -> Iterator[str]:
    """What a user may not do, the first only."""
    if user not in there.users:
        return
    given = there.permissions.get((vhost, user))
    if given is None:
        yield f"use virtual host {vhost}"
        return
    for verb, name in rights:
        pattern = given.text(verb, "")
        if not (_fitting(pattern) if name == OWN_QUEUE else _allowed(pattern, name)):
            yield f"{verb} {described(vhost, name)}"
            return


@lru_cache(maxsize=1000)
def _fitting(pattern: str) -> int:
    """How many of the names that RabbitMQ might make up an expression allows."""
    return sum(_allowed(pattern, name) for name in MADE_UP)


def _allowed(pattern: str, name: str) -> bool:
    try:
        return pattern not in NOTHING and found(pattern, name)
    except PatternError:
        return True


def _look_at_chance(
    there: Cluster,
    vhost: str,
    user: str,
    rights: Sequence[Right],
    neighbours: Neighbours,
    who: str,
    place: Place,
) -> None:
    """Of rights that some names have which RabbitMQ makes up, and others have not."""
    given = there.permissions.get((vhost, user))
    for verb in (verb for verb, name in rights if name == OWN_QUEUE and given):
        pattern = given.text(verb, "") if given else ""
        if _fitting(pattern) < TRIES:
            what = f"{who} enters {there.name} as {user}, who may {verb} only some of the names"
            what = f"{what} that RabbitMQ makes up for its queue ({pattern})"
            remedy = "It tries until it gets such a name: allow ^amq\\.gen, or give it a queue of its own."
            neighbours.remark(common.not_understood(what, place, remedy, DROPS_ONLY))


def _look_at_unknown(
    there: Cluster, vhost: str, users: list[str], neighbours: Neighbours, who: str, place: Place
) -> None:
    for user in users:
        if there.users and user not in there.users:
            what = f"{who} enters {there.name} as {user}, who is not among its users"
            remedy = "If no other backend knows the user, the link stays down."
            neighbours.remark(common.not_understood(what, place, remedy, DROPS_ONLY))
        for entry in there.topic_permissions:
            if (entry.vhost, entry.values.get("user")) == (vhost, user):
                what = f"{who} enters {there.name} as {user}, who has rights by topic"
                neighbours.remark(common.not_understood(what, entry.place, "", DROPS_ONLY))
        for verb in ("configure", "write", "read"):
            _look_at_pattern(there, vhost, user, verb, neighbours)


def _look_at_pattern(there: Cluster, vhost: str, user: str, verb: str, neighbours: Neighbours) -> None:
    entry = there.permissions.get((vhost, user))
    pattern = entry.text(verb, "") if entry else ""
    try:
        found(pattern, "")
    except PatternError as error:
        what = f"what {user} may {verb} in {there.name} ({pattern}): {error}"
        where = entry.place if entry else None
        neighbours.remark(common.not_understood(what, where, "It is taken to be everything.", DROPS_ONLY))
