"""What the file of one NATS server says that decides who gets a message.

Everything else is either known to change nothing (limits, logs, TLS, JetStream's store) or listed as not
understood: a key that nobody here knows might send messages elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.nats_doors import (
    OPEN,
    SYSTEM_ACCOUNT,
    Guard,
    Web,
    begins_with_tls,
    guard_of,
    guard_of_leaf_nodes,
)
from angarium.mesh.importers.nats_keys import (
    IN_ACCOUNT,
    IN_AUTHORIZATION,
    IN_BLOCKS,
    IN_FILE,
    IN_REMOTE,
    LIKE_CLIENTS,
    MAPPING,
)
from angarium.mesh.importers.nats_limits import USUAL_PAYLOAD, limited, payload_of
from angarium.mesh.importers.nats_permissions import Permissions, permissions_of, restricted
from angarium.mesh.importers.nats_syntax import Node, read_file, together
from angarium.mesh.mesh import EFFECTS, Remark

DEFAULT_ACCOUNT = "$G"
CLUSTER_PORT, GATEWAY_PORT, LEAF_PORT, CLIENT_PORT = 6222, 7222, 7422, 4222
WEB, SECURE = ("ws", "wss"), ("tls", "wss")
ANY_HOST = frozenset(("", "0.0.0.0", "::", "[::]"))


@dataclass(frozen=True, slots=True)
class Address:
    """Where another server is said to be."""

    host: str
    port: int
    user: str
    place: Place
    secure: bool = False
    """Whether it is to be TLS."""
    by_web: bool = False
    """Whether it is to be a WebSocket."""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Gateway:
    """The block that joins a cluster with others."""

    name: str
    port: int
    remotes: Mapping[str, tuple[Address, ...]]
    strict: bool
    """Whether clusters that are not among the remotes are refused."""
    place: Place
    unknown: str = ""
    """The variable that its name is, if that cannot be known."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A connection that a server makes to a hub."""

    urls: tuple[Address, ...]
    account: str
    deny_imports: tuple[Node, ...]
    deny_exports: tuple[Node, ...]
    acts_as_hub: bool
    isolated: bool
    place: Place
    discovers: bool = True
    """Whether it goes to servers that it has heard of from its hub, too."""
    in_order: bool = False
    """Whether its urls are tried in their order; else by chance."""
    logs_in: str = ""
    """By what it logs in, if not by a user in its urls."""
    reconnects: float = 1000.0
    """Milliseconds until it tries again when it has lost its hub."""
    secure: bool = False
    """Whether it wants TLS."""
    first: bool | None = False
    """Whether that begins before the hub says a word."""


@dataclass(frozen=True, slots=True)
class Account:
    """Subjects of their own, but for what is exported and imported."""

    name: str
    exports: tuple[Node, ...]
    imports: tuple[Node, ...]
    users: frozenset[str]
    place: Place


@dataclass(frozen=True, slots=True)
class Server:
    """One server."""

    name: str
    path: Path | None
    place: Place
    server_name: str = ""
    """What it calls itself, if its file says so."""
    hosts: tuple[str, ...] = ()
    has_cluster: bool = False
    cluster: str = ""
    cluster_port: int = CLUSTER_PORT
    routes: tuple[Address, ...] = ()
    gateway: Gateway | None = None
    leaf_port: int | None = None
    isolates: bool = False
    leaf_users: Mapping[str, str] = field(default_factory=dict)
    """The account that a leaf node gets who says that it is this user; "" stands for any."""
    permissions: Mapping[str, Permissions] = field(default_factory=dict)
    """By user, what he may publish and subscribe."""
    advertises: bool = True
    """Whether it tells leaf nodes that other servers of its cluster take them, too."""
    leaves: tuple[Leaf, ...] = ()
    accounts: Mapping[str, Account] = field(default_factory=dict)
    for_leaves: Guard = OPEN
    for_routes: Guard = OPEN
    for_gateways: Guard = OPEN
    web: Web | None = None
    payload: int = USUAL_PAYLOAD
    """Bytes of the largest message that it takes."""

    @property
    def declared(self) -> tuple[str, ...]:
        """The scopes of its accounts: that of the default account if there are no others."""
        own = [scope_of(name) for name in self.accounts if name != SYSTEM_ACCOUNT]
        return tuple(own) or ("",)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Accounts of its remotes that nobody declared: each has subjects of its own all the same."""
        known = {DEFAULT_ACCOUNT, *self.accounts}
        return tuple(dict.fromkeys(leaf.account for leaf in self.leaves if leaf.account not in known))

    @property
    def scopes(self) -> tuple[str, ...]:
        return (*self.declared, *self.undeclared)


def scope_of(account: str) -> str:
    return "" if account == DEFAULT_ACCOUNT else account


@dataclass(frozen=True, slots=True)
class Described:
    """A server, what is to be remarked of its file, and which files that includes."""

    server: Server
    remarks: tuple[Remark, ...]
    included: tuple[Path, ...]


def read_server(files: common.Files) -> Described:
    """A server from its file; of several, what the last one says of a thing counts."""
    path, said = files.paths[0], together([read_file(each) for each in files.paths])
    root, remarks = said.root, list(said.remarks)
    top = root.entries
    cluster, gateway = _block(top, "cluster"), _block(top, "gateway")
    leafnodes = _block(top, "leafnodes", "leaf")
    name = files.called(_text(top, "server_name"))
    remarks += _unknown(top, said.variables)
    remarks += [*restricted(top), *limited(top)]
    elsewhere = list(_kept_elsewhere(top))
    remarks += elsewhere
    blocks = [each for each in (root, cluster, gateway, leafnodes) if each]
    server = Server(
        name=name,
        path=path,
        place=root.place,
        server_name=_text(top, "server_name"),
        hosts=tuple(dict.fromkeys(host for block in blocks for host in _hosts(block.entries))),
        has_cluster=cluster is not None,
        cluster=_text(cluster.entries, "name") if cluster else "",
        cluster_port=_port(cluster, CLUSTER_PORT) if cluster else CLUSTER_PORT,
        routes=_routes(cluster, remarks) if cluster else (),
        gateway=_gateway(gateway, remarks) if gateway else None,
        leaf_port=_leaf_port(leafnodes),
        isolates=bool(leafnodes and _flag(leafnodes.entries, "isolate", "isolate_leafnode_interest")),
        leaf_users=_leaf_users(leafnodes),
        permissions=permissions_of(top),
        advertises=not (leafnodes and _flag(leafnodes.entries, "no_advertise")),
        leaves=_leaves(leafnodes),
        accounts=_accounts(top, remarks),
        for_leaves=guard_of_leaf_nodes(leafnodes, top),
        for_routes=guard_of(cluster),
        for_gateways=guard_of(gateway),
        web=_web(_block(top, "websocket")),
        payload=payload_of(top),
    )
    remarks += [] if elsewhere else _undeclared(server)
    return Described(server, tuple(remarks), said.included)


def _undeclared(server: Server) -> Iterable[Remark]:
    """Accounts of remotes that nobody declares: nats-server does not start (measured with 2.9.10)."""
    for account in server.undeclared:
        where = next(leaf.place for leaf in server.leaves if leaf.account == account)
        what = f"account {account} of a remote is declared nowhere in {server.name}"
        yield common.dangling(what, where, "nats-server does not start: declare it in accounts", EFFECTS)


def _first(entries: Mapping[str, Node], *keys: str) -> Node | None:
    return next((entries[key] for key in keys if key in entries), None)


def _block(entries: Mapping[str, Node], *keys: str) -> Node | None:
    node = _first(entries, *keys)
    if node and node.unknown:
        return None
    if node and not isinstance(node.value, dict):
        raise MeshError(
            "ANG121",
            f"{keys[0]} is not a block",
            possible=f"{keys[0]} {{ key: value }}",
            remedy="put what belongs to it in braces",
            place=node.place,
        )
    return node


def _text(entries: Mapping[str, Node], *keys: str) -> str:
    node = _first(entries, *keys)
    return node.text if node else ""


def _flag(entries: Mapping[str, Node], *keys: str) -> bool:
    node = _first(entries, *keys)
    return bool(node and node.is_true)


def _items(entries: Mapping[str, Node], *keys: str) -> tuple[Node, ...]:
    node = _first(entries, *keys)
    return node.items if node else ()


def _hosts(entries: Mapping[str, Node]) -> list[str]:
    """Under which names a server says that it can be reached."""
    given = [_text(entries, key) for key in ("listen", "host", "net", "advertise", "client_advertise")]
    hosts = [_split(each)[0] for each in given if not each.isdecimal()]
    return [host for host in hosts if host not in ANY_HOST]


def _port(block: Node, default: int) -> int:
    node = _first(block.entries, "port", "listen")
    if not node:
        return default
    text = node.text
    port = text if text.isdecimal() else _split(text)[1]
    return _number(port, node, default)


def _number(text: str, node: Node, default: int) -> int:
    if not text or text.startswith("$") or text == "-1":
        return default
    if not text.isascii() or not text.isdecimal() or not 0 < int(text[:9]) < 65_536:
        raise MeshError(
            "ANG121",
            f"{text!r} is no port",
            possible="a number from 1 to 65535",
            remedy="write listen: host:port, or port: number",
            place=node.place,
        )
    return int(text)


def _split(text: str) -> tuple[str, str]:
    """Host and port of `host:port`."""
    host, colon, port = text.rpartition(":")
    return (host, port) if colon and not port.endswith("]") else (text, "")


def _addresses(nodes: Iterable[Node], default: int) -> tuple[Address, ...]:
    return tuple(_address(node, default) for node in nodes if node.text or node.unknown)


def _address(node: Node, default: int) -> Address:
    """Of `nats-route://user:password@host:port/path`; passwords may have any mark but `/`."""
    if node.unknown:
        return Address(node.unknown, default, "", node.place)
    scheme, _, rest = node.text.rpartition("://")
    authority = rest.partition("/")[0]
    user, _, where = authority.rpartition("@")
    host, port = _split(where)
    return Address(
        host,
        _number(port, node, default),
        user.partition(":")[0],
        node.place,
        scheme in SECURE,
        scheme in WEB,
    )


def _routes(block: Node, remarks: list[Remark]) -> tuple[Address, ...]:
    """Those that can be known: an unknown one may well lead to a server that is known."""
    nodes = _items(block.entries, "routes")
    for node in nodes:
        if node.unknown:
            remarks.append(common.not_understood(f"routes to {node.unknown}: they are left out", node.place))
    return _addresses([node for node in nodes if not node.unknown], CLUSTER_PORT)


def _gateway(block: Node, remarks: list[Remark]) -> Gateway:
    entries = block.entries
    remotes: dict[str, tuple[Address, ...]] = {}
    for node in _items(entries, "gateways"):
        name, unknown = _text(node.entries, "name"), node.unknown or _unknown_name(node)
        if unknown:
            what = f"a remote gateway whose name is {unknown}: it is left out"
            remarks.append(common.not_understood(what, node.place))
            continue
        if not name:
            raise MeshError(
                "ANG121",
                "a remote gateway has no name",
                possible="{name: US, urls: [...]}",
                remedy="give the name of the cluster that it leads to",
                place=node.place,
            )
        remotes[name] = _addresses(_items(node.entries, "urls", "url"), GATEWAY_PORT)
    strict = _flag(entries, "reject_unknown", "reject_unknown_cluster", "reject_unknown_clusters")
    own, port = _text(entries, "name"), _port(block, GATEWAY_PORT)
    return Gateway(own, port, remotes, strict, block.place, _unknown_name(block))


def _unknown_name(block: Node) -> str:
    """The variable that a name is, if it cannot be known."""
    node = block.entries.get("name")
    return node.unknown if node else ""


def _leaf_port(block: Node | None) -> int | None:
    """Where it listens for leaf nodes: nowhere, if it only makes connections itself."""
    if not block:
        return None
    listens = _first(block.entries, "listen", "port") or not _items(block.entries, "remotes")
    return _port(block, LEAF_PORT) if listens else None


def _web(block: Node | None) -> Web | None:
    """By TLS, unless it says that it does without."""
    return Web(_port(block, 0), not _flag(block.entries, "no_tls")) if block else None


def _leaf_users(block: Node | None) -> dict[str, str]:
    rights = _first(block.entries, "authorization") if block else None
    if not rights:
        return {}
    users = [node.entries for node in _items(rights.entries, "users")] or [rights.entries]
    named = {_text(user, "user", "username", "nkey"): _text(user, "account") for user in users}
    return {user: account for user, account in named.items() if account}


def _leaves(block: Node | None) -> tuple[Leaf, ...]:
    nodes = _items(block.entries, "remotes") if block else ()
    again = _seconds(block) * 1000 if block else 0.0
    return tuple(_leaf(node, again) for node in nodes if node.named and not _flag(node.entries, "disabled"))


def _seconds(block: Node) -> float:
    """After how long leaf nodes connect again; one second, if the file says nothing that can be read."""
    node = _first(block.entries, "reconnect", "reconnect_delay", "reconnect_interval")
    text = node.text.removesuffix("s") if node else "1"
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 1.0


def _leaf(node: Node, again: float) -> Leaf:
    entries = node.entries
    account = _first(entries, "account", "local") or Node("", node.place)
    urls = _addresses(_items(entries, "urls", "url"), LEAF_PORT)
    user = next(filter(None, (url.user for url in urls)), "")
    return Leaf(
        urls=tuple(replace(url, user=url.user or user) for url in urls),
        account=account.text or account.unknown or DEFAULT_ACCOUNT,
        deny_imports=_items(entries, "deny_imports", "deny_import"),
        deny_exports=_items(entries, "deny_exports", "deny_export"),
        acts_as_hub=_flag(entries, "hub"),
        isolated=_flag(entries, "request_isolation"),
        place=node.place,
        discovers=not _flag(entries, "ignore_discovered_servers"),
        in_order=_flag(entries, "no_randomize", "dont_randomize"),
        logs_in=next((key for key in ("credentials", "creds", "nkey", "seed") if key in entries), ""),
        reconnects=again,
        secure="tls" in entries,
        first=begins_with_tls(node),
    )


def _accounts(top: Mapping[str, Node], remarks: list[Remark]) -> dict[str, Account]:
    """All but the one in which servers talk among themselves."""
    block, system = _block(top, "accounts"), _text(top, "system_account", "system") or SYSTEM_ACCOUNT
    accounts: dict[str, Account] = {}
    for name, node in (block.named if block else {}).items():
        entries = node.entries
        if name == system:
            continue
        users = frozenset(
            _text(each.entries, "user", "username", "nkey") for each in _items(entries, "users")
        )
        accounts[name] = Account(
            name, _items(entries, "exports"), _items(entries, "imports"), users - {""}, node.place
        )
        remarks += _mapping(entries, f"account {name}")
        remarks += _strangers(entries, IN_ACCOUNT, f" of account {name}")
    return accounts


def _mapping(entries: Mapping[str, Node], who: str) -> Iterable[Remark]:
    mapped = _first(entries, *MAPPING)
    if mapped:
        yield common.not_understood(f"{who} maps subjects to others, which is not looked at", mapped.place)


def _unknown(top: Mapping[str, Node], variables: frozenset[str]) -> Iterable[Remark]:
    """What might decide where messages go, but not to our knowledge."""
    yield from _mapping(top, "the default account")
    yield from _strangers(top, IN_FILE | variables, "")
    for key, known in IN_BLOCKS.items():
        block = top.get(key)
        yield from _strangers(block.entries if block else {}, known | variables, f" of {key}")
    leafnodes = _first(top, "leafnodes", "leaf")
    for remote in _items(leafnodes.entries, "remotes") if leafnodes else ():
        yield from _strangers(remote.entries, IN_REMOTE | variables, " of a remote")
    for entries in (top, *(top[key].entries for key in IN_BLOCKS if key in top)):
        rights = entries.get("authorization")
        yield from _strangers(
            rights.entries if rights else {}, IN_AUTHORIZATION | variables, " of authorization"
        )
    for key in sorted(LIKE_CLIENTS.keys() & top.keys()):
        yield common.note(LIKE_CLIENTS[key], top[key].place)


def _strangers(entries: Mapping[str, Node], known: frozenset[str], whose: str) -> Iterable[Remark]:
    for key in sorted(entries.keys() - known):
        yield common.not_understood(f"{key}{whose} is not known here", entries[key].place)


def _kept_elsewhere(top: Mapping[str, Node]) -> Iterable[Remark]:
    """Accounts in signed tokens: what they import, export, map and allow."""
    node = _first(top, "operator", "operators", "resolver", "trusted", "trusted_keys")
    if node:
        what = (
            "accounts are kept elsewhere, signed by an operator: what they import, map and allow is not known"
        )
        yield common.not_understood(what, node.place)
