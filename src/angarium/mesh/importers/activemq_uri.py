"""Where a network connector of ActiveMQ Classic leads, as its URI says.

    static:(tcp://a:61616,tcp://b:61616)     a connection to each
    masterslave:(tcp://a:61616,tcp://b:61616)  one connection, to the first that is there
    static:(failover:(tcp://a,tcp://b)?…)    the same; `masterslave:` is written out as such, with
                                             randomize=false and maxReconnectAttempts=0
    multicast://default                      to whoever announces himself in the group

(SimpleDiscoveryAgent.java, MasterSlaveDiscoveryAgent.java.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

DEFAULT_PORT = 61616
TRANSPORTS = re.compile(r"(?:auto\+)?(?:tcp|nio|ssl|nio\+ssl|http|https|auto|ws|wss)")
_AUTHORITY = re.compile(r"//(?:[^/?#@]*@)?(\[[^\]]*\]|[^:/?#\[\]]*)(?::([0-9]{1,5}))?(?:[/?#].*)?")


class Address(NamedTuple):
    """Where somebody listens, or is called."""

    host: str
    port: int
    secure: bool
    """Whether with TLS."""


@dataclass(frozen=True, slots=True)
class Way:
    """One connection: the addresses that are tried in turn."""

    addresses: tuple[Address, ...]
    in_order: bool = True
    """Whether the first is tried first, and the connection begins anew with each."""


@dataclass(frozen=True, slots=True)
class Leads:
    """Connections, or a group in which brokers find each other; with neither, it is not understood."""

    ways: tuple[Way, ...] = ()
    group: str = ""


def leads(uri: str) -> Leads:
    """What a URI says; an unresolved variable, or a part of another kind, is not understood."""
    scheme, _, rest = uri.strip().partition(":")
    if "${" in uri:
        return Leads()
    if scheme == "multicast":
        return Leads(group=rest.strip("/").partition("?")[0])
    parts = _parts(rest)[0]
    if scheme == "masterslave":
        found = [address(part) for part in parts]
        known = tuple(each for each in found if each)
        return Leads((Way(known),)) if known and len(known) == len(found) else Leads()
    ways = [_way(part) for part in parts] if scheme == "static" else []
    known_ways = tuple(way for way in ways if way)
    return Leads(known_ways) if len(known_ways) == len(ways) else Leads()


def address(text: str) -> Address | None:
    """Host and port of `tcp://host:port?…`."""
    scheme, _, rest = text.strip().partition(":")
    found = _AUTHORITY.fullmatch(rest) if TRANSPORTS.fullmatch(scheme) else None
    if found is None or int(found[2] or 1) > 65_535:
        return None
    secure = "ssl" in scheme or scheme in ("https", "wss")
    return Address(found[1], int(found[2] or DEFAULT_PORT), secure)


def _way(part: str) -> Way | None:
    if not part.startswith("failover:"):
        one = address(part)
        return Way((one,)) if one else None
    parts, options = _parts(part.removeprefix("failover:"))
    found = [address(each) for each in parts]
    known = tuple(each for each in found if each)
    in_order = {"randomize=false", "maxReconnectAttempts=0"} <= set(re.split("[&;]", options))
    return Way(known, in_order) if known and len(known) == len(found) else None


def _parts(text: str) -> tuple[list[str], str]:
    """What `(a,b)?options` lists, or the only one, and the options."""
    text = text.removeprefix("//") if text.startswith("//(") else text
    if not text.startswith("("):
        return [text], ""
    depth, parts, start = 0, [], 1
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 or (depth == 1 and letter == ","):
            parts.append(text[start:at].strip())
            start = at + 1
        if depth == 0:
            return parts, text[start:].lstrip("?")
    return [], ""
