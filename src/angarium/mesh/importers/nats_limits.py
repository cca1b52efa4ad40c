"""How much a NATS server takes: limits of accounts, of connections and of the size of messages.

What an account may have bounds its leaf nodes and what these subscribe, so it may keep messages back. A
server that takes smaller messages than another one ends the connection over which a larger one comes
(measured with 2.9.10). Other limits are taken to be far away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.doors import DROPS_ONLY
from angarium.mesh.importers.nats_syntax import Node
from angarium.mesh.mesh import Remark

FAR_AWAY = "max_connections max_conn max_subscriptions max_subs max_sub_tokens max_pending".split()
USUAL_PAYLOAD = 1024 * 1024
"""Bytes of a message at most, if a file says nothing."""
_SIZE = re.compile(r"(\d{1,15})\s*([kmgt]?)(i?b?)", re.I)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def limited(top: Mapping[str, Node]) -> Iterator[Remark]:
    """What the limits of a server and of its accounts may do."""
    for key in FAR_AWAY:
        if key in top:
            yield common.assumed(f"there are no more than {key} allows ({top[key].text})", top[key].place)
    yield from _of_leaf_nodes(top)
    yield from _by_chance(top)
    accounts = top["accounts"].named if "accounts" in top else {}
    for name, account in accounts.items():
        for limit, node in (account.entries["limits"].entries if "limits" in account.entries else {}).items():
            if not node.text.startswith("-"):
                what = f"{limit} of account {name} may keep leaf nodes and what they subscribe out"
                yield common.not_understood(what, node.place, effects=DROPS_ONLY)


def _of_leaf_nodes(top: Mapping[str, Node]) -> Iterator[Remark]:
    block = next((top[key].entries for key in ("leafnodes", "leaf") if key in top), {})
    if "min_version" in block:
        what = f"leaf nodes are of version {block['min_version'].text} or later (min_version)"
        yield common.assumed(what, block["min_version"].place)
    for remote in block["remotes"].items if "remotes" in block else ():
        if "proxy" in remote.entries:
            yield common.assumed("a proxy lets its remote through", remote.entries["proxy"].place)


def _by_chance(top: Mapping[str, Node]) -> Iterator[Remark]:
    """Blocks that listen at port -1: at whichever is free."""
    for block in filter(top.__contains__, ("cluster", "gateway", "leafnodes", "leaf")):
        for key in filter(top[block].entries.__contains__, ("listen", "port")):
            node = top[block].entries[key]
            if node.text.rpartition(":")[2] == "-1":
                what = f"where {block} listens is chance ({key}: {node.text}): nobody may find it"
                yield common.not_understood(what, node.place, "Say a port.", DROPS_ONLY)


def payload_of(top: Mapping[str, Node]) -> int:
    """The size of the largest message that a server takes; k is 1000, kb is 1024."""
    said = _SIZE.fullmatch(top["max_payload"].text.strip()) if "max_payload" in top else None
    if said is None:
        return USUAL_PAYLOAD
    unit: int = (1024 if said[3] else 1000) ** _POWERS[said[2].lower()]
    return int(said[1]) * unit


def unequal_payloads(servers: Sequence[tuple[str, int, Place]]) -> Iterator[Remark]:
    """Servers that take less than others do, with the size that these may send them."""
    largest = max((size for _, size, _ in servers), default=0)
    for name, size, place in servers:
        if size < largest:
            what = f"{name} takes messages of {size:,} bytes at most, and another server larger ones"
            remedy = "A larger one may not be taken: say the same max_payload."
            yield common.not_understood(what, place, remedy, DROPS_ONLY, [name])
