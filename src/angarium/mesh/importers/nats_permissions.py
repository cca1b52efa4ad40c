"""What the users of a NATS server may publish and subscribe.

A leaf node that logs in as a user may send only what that user may publish, and gets only what that user may
subscribe; both ends see to that. So these are filters of its links. What clients may do is not known here, as
no file says which client is which user: that is remarked.

    permissions: { publish: "a.>", subscribe: { allow: ["b.>"], deny: "b.secret" } }

Where something is allowed, everything else is not; what is denied is not, whatever is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.nats_syntax import Node
from angarium.mesh.mesh import DROPS, Remark

ONE, REST = "*", ">"
PUBLISH, SUBSCRIBE = ("publish", "pub", "import"), ("subscribe", "sub", "export")
GIVEN = ("permissions", "default_permissions", "permission")


@dataclass(frozen=True, slots=True)
class Subjects:
    """What may pass one way: some subjects, or all, without others."""

    allowed: tuple[Node, ...] = ()
    denied: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a user may do."""

    publish: Subjects = Subjects()
    subscribe: Subjects = Subjects()


ANYTHING = Permissions()


def permissions_of(top: Mapping[str, Node]) -> dict[str, Permissions]:
    """By user; what a user is not given are the defaults of his account, or of the server."""
    found: dict[str, Permissions] = {}
    for block in _blocks(top):
        usual = _given(block) or ANYTHING
        if "user" in block:
            found[block["user"].text] = usual
        for user in _users(block):
            name = next((user[key].text for key in ("user", "username", "nkey") if key in user), "")
            found[name] = _given(user) or usual
    return found


def restricted(top: Mapping[str, Node]) -> Iterator[Remark]:
    """What clients, or other servers of the cluster, may be kept from."""
    for block in _blocks(top):
        for place in [_place(block), *map(_place, _users(block))]:
            if place:
                what = "permissions: what clients may not publish or subscribe is not looked at"
                yield replace(common.not_understood(what, place, effects=frozenset({DROPS})))
    cluster = top.get("cluster")
    place = _place(cluster.entries) if cluster else None
    if place:
        what = "permissions of a cluster: what its routes may not carry is not looked at"
        yield common.not_understood(what, place, effects=frozenset({DROPS}))


def _blocks(top: Mapping[str, Node]) -> Iterator[Mapping[str, Node]]:
    if "authorization" in top:
        yield top["authorization"].entries
    accounts = top.get("accounts")
    for account in accounts.named.values() if accounts else ():
        yield account.entries


def _users(block: Mapping[str, Node]) -> list[Mapping[str, Node]]:
    return [node.entries for key in ("users", "nkeys") if key in block for node in block[key].items]


def _place(entries: Mapping[str, Node]) -> Place | None:
    return next((entries[key].place for key in GIVEN if key in entries), None)


def _given(entries: Mapping[str, Node]) -> Permissions | None:
    node = next((entries[key] for key in GIVEN if key in entries), None)
    return Permissions(_subjects(node, PUBLISH), _subjects(node, SUBSCRIBE)) if node else None


def _subjects(node: Node, keys: tuple[str, ...]) -> Subjects:
    said = next((node.entries[key] for key in keys if key in node.entries), None)
    if said is None:
        return Subjects()
    if not said.entries:
        return Subjects(allowed=tuple(said.items))
    allowed, denied = (said.entries[key].items if key in said.entries else () for key in ("allow", "deny"))
    return Subjects(tuple(allowed), tuple(denied))


def covers(pattern: str, narrower: str) -> bool:
    """Whether every subject of the narrower pattern is one of the wider."""
    wide, narrow = pattern.split("."), narrower.split(".")
    for index, token in enumerate(wide):
        if token == REST:
            return len(narrow) > index
        if index >= len(narrow) or narrow[index] == REST or token not in (ONE, narrow[index]):
            return False
    return len(wide) == len(narrow)
