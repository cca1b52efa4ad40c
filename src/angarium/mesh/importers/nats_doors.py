"""Who gets into a NATS server: as whom others log in, and whether they speak TLS.

Leaf nodes are asked for a user by `leafnodes { authorization }`. Where that names none, those of the server
and of its accounts count; `no_auth_user` is who comes without a name. Where the only account is that of the
system, whoever comes without a name is of the default account. (Measured with 2.15.1. 2.9.10 lets everybody
in where only the server has users: so what is told here may be so or not.) Routes and gateways are asked by
blocks of their own, and come as the user in their urls or as the one whom their own server asks for.
A route stands if one of both ends can make it; a gateway sends over the connection that it has made itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from angarium.core.errors import Place
from angarium.mesh.importers.doors import LOOPBACK, may_refuse
from angarium.mesh.importers.nats_syntax import Node
from angarium.mesh.mesh import Remark

NAMES = ("user", "username", "nkey")
"""How a user is named."""
FIRST = ("handshake_first", "first", "immediate")
LEAF_NODES = "LEAFNODE"
SYSTEM_ACCOUNT = "$SYS"
MADE_UP = "$nobody"


@dataclass(frozen=True, slots=True)
class Guard:
    """Who is let in by a block."""

    users: frozenset[str] = frozenset()
    """Who may come, if `asks`."""
    asks: bool = False
    """Whether one must say who one is."""
    by_token: bool = False
    """Whether a token will do, which may stand where a user does."""
    anonymous: str = ""
    """The user as whom one comes who says nothing."""
    secure: bool = False
    verifies: bool = False
    """Whether one must show a certificate."""
    first: bool | None = False
    """Whether TLS begins before anybody says a word; None: either will do."""
    is_local: bool = False
    """Whether only who is on the same machine can come."""

    def admits(self, users: frozenset[str]) -> bool:
        """Whether one who may say to be any of these gets in."""
        return not self.asks or not self.users.isdisjoint(users) or (self.by_token and any(users))


OPEN = Guard()


@dataclass(frozen=True, slots=True)
class Web:
    """Where a server takes WebSockets, of leaf nodes as well as of clients."""

    port: int
    secure: bool


def guard_of_leaf_nodes(block: Node | None, top: Mapping[str, Node]) -> Guard:
    """Of the block `leafnodes`, or else of the server."""
    own = _guard(block)
    if own.asks or block is None:
        return own
    blocks = [top["authorization"].entries] if "authorization" in top else []
    blocks += [account.entries for account in top["accounts"].named.values()] if "accounts" in top else []
    users = frozenset(name for each in blocks for name in _users(each))
    by_token = any("token" in each for each in blocks)
    asks = by_token or any(key in each for each in blocks for key in ("users", "nkeys", *NAMES))
    anonymous = top["no_auth_user"].text if "no_auth_user" in top else _of_nobody(top)
    return replace(own, users=users | {MADE_UP}, asks=asks, by_token=by_token, anonymous=anonymous)


def _of_nobody(top: Mapping[str, Node]) -> str:
    """The user that a server makes up who has no account but that of the system."""
    system = next((top[key].text for key in ("system_account", "system") if key in top), SYSTEM_ACCOUNT)
    accounts = top["accounts"].named if "accounts" in top else {}
    return MADE_UP if accounts.keys() == {system} else ""


def guard_of(block: Node | None) -> Guard:
    """Of the blocks `cluster` and `gateway`."""
    return _guard(block)


def _guard(block: Node | None) -> Guard:
    if block is None:
        return OPEN
    rights = block.entries.get("authorization")
    tls = block.entries.get("tls")
    checks = (
        [tls.entries[key] for key in ("verify", "verify_and_map") if tls and key in tls.entries]
        if tls
        else []
    )
    said = rights.entries if rights else {}
    return Guard(
        users=frozenset(_users(said)),
        asks=any(key in said for key in ("users", "token", *NAMES)),
        by_token="token" in said,
        secure=tls is not None,
        verifies=any(each.is_true for each in checks),
        first=begins_with_tls(block),
        is_local=_is_local(block),
    )


def _is_local(block: Node) -> bool:
    """Whether it listens to its own machine only."""
    said = next((block.entries[key].text for key in ("listen", "host", "net") if key in block.entries), "")
    return LOOPBACK.fullmatch(said) is not None or LOOPBACK.fullmatch(said.rpartition(":")[0]) is not None


def begins_with_tls(block: Node) -> bool | None:
    """What `handshake_first` of the block `tls` says; a time, or `auto`, waits for who does otherwise."""
    tls = block.entries.get("tls")
    said = next((tls.entries[key] for key in FIRST if key in tls.entries), None) if tls else None
    if said is None or said.text.lower() in ("false", "off", "no"):
        return False
    return True if said.is_true else None


def _users(entries: Mapping[str, Node]) -> Iterator[str]:
    """Those of a block who may be leaf nodes; routes and gateways are of no other types."""
    yield from (entries[key].text for key in NAMES if key in entries)
    for user in (node.entries for key in ("users", "nkeys") if key in entries for node in entries[key].items):
        types = user.get("allowed_connection_types")
        if types is None or any(each.text.upper() == LEAF_NODES for each in types.items):
            yield from (user[key].text for key in NAMES if key in user)


def leaf_refused(who: str, hub: str, guard: Guard, user: str, secure: bool, place: Place) -> Iterator[Remark]:
    """Why a hub may not let a leaf node in that comes as a user, or as nobody."""
    if not guard.admits(frozenset((user or guard.anonymous,))):
        why = f"{user} is not among its users" if user else "it says no user"
        yield may_refuse(hub, who, why, place, "Give its url a user that the hub knows.")
    if secure and not guard.secure:
        yield may_refuse(hub, who, "it wants TLS, and the hub has none for leaf nodes", place)
    if guard.verifies and not secure:
        yield may_refuse(hub, who, "it has no certificate to show", place)


def web_refused(
    who: str, hub: str, web: Web | None, port: int, secure: bool, place: Place
) -> Iterator[Remark]:
    """Why a hub may not let a leaf node in that comes by a WebSocket."""
    if web is None:
        yield may_refuse(hub, who, "it has no block websocket", place)
    elif web.port != port:
        yield may_refuse(hub, who, f"it takes WebSockets at {web.port}, and not at {port}", place)
    elif web.secure != secure:
        yield may_refuse(hub, who, f"at {port} it {'wants' if web.secure else 'has no'} TLS", place)


@dataclass(frozen=True, slots=True)
class End:
    """One server at an end of a route or of a gateway's connection."""

    name: str
    guard: Guard
    calls: frozenset[str]
    """The servers that it would connect to."""
    users: frozenset[str]
    """As whom."""
    place: Place

    def enters(self, other: End) -> bool:
        """Whether it makes a connection to another."""
        known = other.name in self.calls and other.guard.admits(self.users | self.guard.users)
        return known and self.guard.secure == other.guard.secure


def routes_refused(ends: Sequence[End]) -> Iterator[Remark]:
    """Pairs of a cluster between which neither server can make the route."""
    for one, other in combinations(ends, 2):
        if not one.enters(other) and not other.enters(one):
            is_called = one.name in other.calls and other.name not in one.calls
            here, there = (other, one) if is_called else (one, other)
            yield may_refuse(there.name, f"the route of {here.name}", _why(here, there), here.place)


def gateways_refused(ends: Sequence[End], others: Sequence[End]) -> Iterator[Remark]:
    """Gateways that another cluster may not let in."""
    for here, there in (*product(ends, others), *product(others, ends)):
        if not here.enters(there):
            yield may_refuse(there.name, f"the gateway of {here.name}", _why(here, there), here.place)


def _why(here: End, there: End) -> str:
    if there.name not in here.calls and there.guard.is_local:
        return f"{there.name} listens to its own machine only"
    if there.name not in here.calls:
        return f"{there.name} listens for routes elsewhere"
    if here.guard.secure != there.guard.secure:
        return f"one of them has TLS there, and {(here if there.guard.secure else there).name} has not"
    return "it comes as none of the users who are asked for"
