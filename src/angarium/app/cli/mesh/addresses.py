"""Where brokers are: words such as 127.0.0.1:7001 and b2=127.0.0.1:7002."""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterable
from ipaddress import ip_address

from angarium.core.errors import UsageError, did_you_mean

Address = tuple[str, int]
LARGEST_PORT = 65535


def read_address(text: str, *, option: str, lowest_port: int = 1, before: str = "") -> Address:
    """A host and a port; the host as the IPv4 address that its name stands for.

    `before` is what stands before the address in the word.
    """
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal() and lowest_port <= int(port) <= LARGEST_PORT):
        raise UsageError(
            "ANG013",
            f"{option} {before + text!r} has no address",
            possible=f"HOST:PORT, with a port from {lowest_port} to {LARGEST_PORT}",
            remedy=f"for example {option} {before}127.0.0.1:7001",
        )
    try:
        found = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise UsageError(
            "ANG013",
            f"{option} {before + text!r}: no host is called {host}",
            possible="an IPv4 address, or a name that leads to one",
            remedy="check the name, or give the address",
        ) from None
    return str(found[0][4][0]), int(port)


def check_exposure(listen: Address, exposed: bool, has_key: bool) -> None:
    """Refuse to listen to other machines, unless that was said explicitly and datagrams are signed."""
    if exposed and not has_key:
        raise UsageError(
            "ANG013",
            "--expose without --key: whoever can send datagrams could cut links and divert packets",
            possible="--expose together with --key FILE; without a key, 127.0.0.1",
            remedy="make a key with `(umask 077; openssl rand -hex 32 > FILE)` and give it to all brokers",
        )
    if not exposed and not ip_address(listen[0]).is_loopback:
        raise UsageError(
            "ANG013",
            f"--listen {listen[0]}:{listen[1]} is open to other machines",
            possible="127.0.0.1, or any address together with --expose and --key FILE",
            remedy="say --expose and --key if other machines are to reach it",
        )


def read_peers(words: Iterable[str], neighbours: Collection[str]) -> dict[str, Address]:
    """The address of every neighbour, from words such as b2=127.0.0.1:7002."""
    found: dict[str, Address] = {}
    for word in words:
        name, equals, address = word.rpartition("=")
        if not equals or name not in neighbours:
            raise _wrong(f"--peer {word!r} names no neighbour", name, neighbours)
        if name in found:
            raise _wrong(f"--peer gives {name} twice", "", neighbours)
        found[name] = read_address(address, option="--peer", before=f"{name}=")
    missing = [name for name in neighbours if name not in found]
    if missing:
        raise _wrong(f"no --peer says where {', '.join(missing)} is", "", neighbours)
    if len(set(found.values())) < len(found):
        raise _wrong("two peers have the same address", "", neighbours)
    return found


def _wrong(what: str, name: str, neighbours: Collection[str]) -> UsageError:
    return UsageError(
        "ANG013",
        what,
        possible=did_you_mean(name, neighbours),
        remedy="say --peer NAME=HOST:PORT once for each neighbour",
    )
