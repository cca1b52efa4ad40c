"""`angarium mesh node`: one broker's recovery daemon, over UDP.

Where brokers are: words such as 127.0.0.1:7001 and b2=127.0.0.1:7002.

The key that the brokers of a mesh share: in a file, never on a command line, and never shown.
"""

from __future__ import annotations

import json
import os
import socket
import stat
from binascii import unhexlify
from collections.abc import Callable, Collection, Iterable
from functools import partial
from ipaddress import ip_address
from string import hexdigits
from time import monotonic, time
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import failures_option, files_argument
from angarium.app.cli.options import Number, json_option, quiet_option, timeout_option
from angarium.core.errors import UsageError, did_you_mean
from angarium.core.files import bounded, opened

if TYPE_CHECKING:
    from angarium.mesh.mesh import Mesh
    from angarium.mesh.protocol.daemon import Daemon, Probing
    from angarium.mesh.protocol.node import Changed, Switched
    from angarium.mesh.protocol.results import NodeEvent
    from angarium.mesh.recovery.files import BrokerTables

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


# --- keys -----------------------------------------------------------------------------------------


DIGITS = 64
"""Of a key: 32 bytes, as many as its hash has."""
MOST_KEYS = 2
LARGEST_FILE = 4096
READABLE_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_keys(path: str) -> tuple[bytes, ...]:
    """The keys in a file, one in a line: datagrams are signed by the first, and may be signed by any."""
    lines = [line.strip() for line in _text(path).splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST_KEYS or not all(map(_is_key, lines)):
        raise _wrong_key(
            f"{path} has no key, or something else as well",
            f"{DIGITS} hexadecimal digits in a line; a second such line while the key is changed",
            f"make one with `(umask 077; openssl rand -hex {DIGITS // 2} > FILE)`",
        )
    return tuple(map(unhexlify, lines))


def _is_key(line: str) -> bool:
    return len(line) == DIGITS and {*line} <= {*hexdigits}


def _text(path: str) -> str:
    """What is in a file, if it is one that only its owner can read."""
    try:
        with opened(path) as file:
            _check(path, os.fstat(file.fileno()))
            return bounded(file, LARGEST_FILE, path).decode("ascii", errors="replace")
    except OSError as problem:
        possible = "a regular file of a line or two"
        raise _wrong_key(f"cannot read {path}: {problem.strerror}", possible, "check the path") from None


def _check(path: str, status: os.stat_result) -> None:
    if stat.S_IMODE(status.st_mode) & READABLE_BY_OTHERS:
        raise _wrong_key(
            f"{path} can be read by others (mode {stat.S_IMODE(status.st_mode):04o})",
            "a file that only its owner can read, such as mode 0600",
            f"chmod 600 {path}, and make a new key if anybody may have read it",
        )
    if status.st_uid not in (os.geteuid(), 0):
        raise _wrong_key(
            f"{path} belongs to another user", "a file of this user, or of root", "make a key of your own"
        )


def _wrong_key(what: str, possible: str, remedy: str) -> UsageError:
    return UsageError("ANG013", f"--key: {what}", possible=possible, remedy=remedy)


# --- node -----------------------------------------------------------------------------------------


MOST_PROBES = 10_000
"""A second."""


@click.command()
@files_argument
@click.option("--broker", required=True, metavar="NAME", help="Which broker of the mesh this is.")
@click.option("--listen", default="127.0.0.1:0", show_default=True, metavar="HOST:PORT", help="Where it is.")
@click.option(
    "--peer", "peers", multiple=True, metavar="NAME=HOST:PORT", help="Where a neighbour is; once for each."
)
@click.option("--expose", is_flag=True, help="Let --listen be an address that other machines reach.")
@click.option(
    "--key",
    metavar="FILE",
    help="Sign datagrams by the key in this file, and take only signed ones; needed for --expose.",
)
@click.option("--tables", metavar="DIR", help="Load its tables from here; see `angarium mesh recover`.")
@failures_option
@click.option(
    "--heartbeat",
    default="50 ms",
    show_default=True,
    metavar="TIME",
    help="Between two heartbeats; after four without one, a link has failed.",
)
@click.option("--probe-to", metavar="NAME", help="Send numbered packets to this broker.")
@click.option(
    "--rate",
    type=Number(0, MOST_PROBES, min_open=True),
    default=100.0,
    show_default=True,
    metavar="NUMBER",
    help="Such packets a second.",
)
@partial(timeout_option, times=10)  # it counts from when it listens; a busy machine is slow to start
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    broker: str,
    listen: str,
    peers: tuple[str, ...],
    expose: bool,
    key: str | None,
    tables: str | None,
    failures: str,
    heartbeat: str,
    probe_to: str | None,
    rate: float,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run the recovery daemon of one broker.

    It watches the links to its neighbours by heartbeats over UDP, tells all brokers what has failed and what
    is healed, and switches to the tables that were calculated for it; packets are forwarded by them. Without
    --tables they are calculated at the start, for --failures. All brokers need the same mesh and the same
    failures, or tables that were written together.

    All brokers of a mesh need the same key, 64 hexadecimal digits in a file that nobody else can read; to
    change it, put the new one into a second line, at first behind and later before the old one.

    It ends on Ctrl-C, SIGTERM or after --timeout, with an account of the packets. With --json every line is a
    record of its own.

    \b
    Examples:
      angarium mesh node triangle.yaml --broker b1 --listen 127.0.0.1:7001 \\
          --peer b2=127.0.0.1:7002 --peer b3=127.0.0.1:7003
      angarium mesh node triangle.yaml --broker b2 --listen 127.0.0.1:7002 \\
          --peer b1=127.0.0.1:7001 --peer b3=127.0.0.1:7003 \\
          --tables tables --heartbeat 100ms --probe-to b3
      (umask 077; openssl rand -hex 32 > mesh.key)
      angarium mesh node line.yaml --broker b1 --listen 10.0.0.1:7001 --expose \\
          --key mesh.key --peer b2=10.0.0.2:7001

    Exit codes: 0 it has ended as it was told to, 2 wrong usage or input.
    """
    from angarium.app.cli.watching import stopping, telling
    from angarium.core.units import read_time
    from angarium.mesh.files.find import load
    from angarium.mesh.protocol.daemon import Daemon, Probing, bound
    from angarium.mesh.protocol.forwarding import started
    from angarium.mesh.protocol.interface import LONGEST_HEARTBEAT, SHORTEST_HEARTBEAT, Timing
    from angarium.mesh.protocol.link_state import chart_of

    limits = SHORTEST_HEARTBEAT * 1000, LONGEST_HEARTBEAT * 1000
    timing = Timing(read_time("--heartbeat", heartbeat, *limits) / 1000)
    mesh = load(*files)
    chart = chart_of(mesh)
    place = read_address(listen, option="--listen", lowest_port=0)
    check_exposure(place, expose, has_key=key is not None)
    keys = read_keys(key) if key is not None else ()
    places = read_peers(peers, chart.neighbours[chart.check(broker)])
    with telling(quiet) as progress:
        prepared = _tables(mesh, broker, tables, failures, progress)
    with bound(place) as line, stopping(timeout) as stopped:
        now = monotonic()
        probing = Probing(chart.check(probe_to), 1 / rate, due=now) if probe_to else None
        node, forwarder = started(mesh, prepared, timing, life=int(time() * 1000), now=now)
        teller = _Teller(broker, probing, as_json)
        daemon = Daemon(node, forwarder, line, places, tell=teller.happened, probing=probing, keys=keys)
        teller.began(line.getsockname())
        daemon.run(stopped=stopped)
        teller.ended(daemon)
    return 0


def _tables(
    mesh: Mesh, broker: str, folder: str | None, failures: str, progress: Callable[[str], None] | None
) -> BrokerTables:
    from angarium.app.cli.output import note
    from angarium.mesh.protocol.forwarding import are_just_so, calculated_tables, loaded_tables
    from angarium.mesh.verify.budget import read_budget

    if folder is None:
        return calculated_tables(mesh, broker, read_budget(failures), tell=progress)
    tables = loaded_tables(mesh, broker, folder)
    if not are_just_so(mesh, tables):
        note(f"note: the tables in {folder} have overrides, or the mesh has changed since they were made")
    return tables


class _Teller:
    """Says what happens, when it happens; but packets are forwarded whether anybody listens or not."""

    def __init__(self, broker: str, probing: Probing | None, as_json: bool) -> None:
        from angarium.app.cli.speaking import Speaker

        self._broker, self._probing, self._as_json = broker, probing, as_json
        self._start = monotonic()
        self._speaker = Speaker(self._left_out)

    def began(self, address: tuple[str, int]) -> None:
        from angarium.mesh.protocol.results import Listening

        where = f"{address[0]}:{address[1]}"
        self._say([f"listening at {where}"], Listening(address=where))

    def happened(self, event: Changed | Switched) -> None:
        from angarium.app.report.mesh_node import event_line
        from angarium.mesh.protocol.results import event_of

        line = event_line(event)
        self._say([line] if line else [], event_of(event))

    def ended(self, daemon: Daemon) -> None:
        from angarium.app.report.mesh_node import account_lines
        from angarium.mesh.protocol.results import account_of

        self._say(account_lines(daemon), account_of(daemon))
        self._speaker.end()

    def _say(self, lines: list[str], event: NodeEvent) -> None:
        for line in [self._as_record(event)] if self._as_json else map(self._as_text, lines):
            self._speaker.say(line)

    def _as_record(self, event: NodeEvent) -> str:
        from angarium.core.records import write

        sent = self._probing.sent if self._probing else 0
        return json.dumps({"at": time(), "broker": self._broker, **write(event), "probes_sent": sent})

    def _as_text(self, line: str) -> str:
        from angarium.app.report.layout import printable

        return f"{monotonic() - self._start:7.3f} s  {printable(self._broker)}  {line}"

    def _left_out(self, lines: int) -> str:
        if self._as_json:
            from angarium.mesh.protocol.results import LinesLeftOut

            return self._as_record(LinesLeftOut(lines=lines))
        from angarium.app.report.layout import amount

        return self._as_text(f"left out {amount(lines, 'line')}, since nobody read them")
