"""Who gets into a Mosquitto broker: its listeners, and whom they ask for what.

A `listener` begins a block of settings, as `connection` does; what stands before the first one is of the
default listener, which is there if `port` or `bind_address` is, or if there is no other. Without any,
Mosquitto 2 listens to its own machine only, and lets everybody in; with one, nobody without a name. Settings
of who may come are of all listeners, whichever they follow, unless `per_listener_settings` is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from angarium.mesh.importers import common
from angarium.mesh.importers.doors import DROPS_ONLY, Door, Knock, may_refuse, refused
from angarium.mesh.importers.mosquitto_bridges import Ends
from angarium.mesh.importers.mosquitto_conf import Conf, Line, port_of
from angarium.mesh.mesh import Remark

DEFAULT = frozenset(("port", "bind_address"))
"""What makes the default listener."""
WITH_TLS = frozenset(("certfile", "psk_hint"))
BRIDGE_WITH_TLS = frozenset(
    "bridge_cafile bridge_capath bridge_psk bridge_identity bridge_certfile bridge_tls_use_os_certs".split()
)
LIMITS = ("max_connections", "global_max_connections", "global_max_clients")


@dataclass(slots=True)
class Listener:
    """A place where clients come in, and its settings."""

    port: int
    host: str = ""
    lines: list[Line] = field(default_factory=list)

    def last(self, word: str) -> Line | None:
        return next((line for line in reversed(self.lines) if line.word == word), None)

    def flag(self, word: str, default: bool) -> bool:
        line = self.last(word)
        return line.is_true if line else default

    @property
    def door(self) -> Door:
        protocol = self.last("protocol")
        other = protocol is not None and protocol.values[:1] not in ((), ("mqtt",))
        shut = f"at {self.port} it speaks {protocol.values[0]}" if protocol and other else ""
        return Door(self.port, self.host, any(line.word in WITH_TLS for line in self.lines), shut)


def listeners(conf: Conf) -> list[Listener]:
    """All of a broker, the default one first; none on a socket of the file system."""
    found = [Listener(0)]
    for line in conf.lines:
        if line.word == "listener":
            host = line.values[1] if len(line.values) > 1 else ""
            found.append(Listener(port_of(line, line.values[:1]), host))
        found[-1].lines.append(line)
    _default(found[0], alone=len(found) == 1)
    return [each for each in found if each.port]


def _default(listener: Listener, alone: bool) -> None:
    """Where the default listener is, if it is there."""
    port, bound = listener.last("port"), listener.last("bind_address")
    listener.host = bound.values[0] if bound else ""
    if port:
        listener.port = port_of(port, port.values[:1])
    elif bound or alone:
        listener.port = 1883
        listener.host = listener.host or "localhost"


def comes_in(ends: Ends, directory: common.Directory) -> Iterator[Remark]:
    """Why the other broker of a bridge may not let it in, the first reason."""
    if ends.remote is not None:
        yield from list(_reasons(ends, ends.remote, directory))[:1]


def _reasons(ends: Ends, there: Conf, directory: common.Directory) -> Iterator[Remark]:
    secure = any(line.word in BRIDGE_WITH_TLS for line in ends.bridge.lines)
    knocks = [Knock(ends.who, host, port, secure) for host, port in ends.addresses]
    place, known = ends.bridge.line.place, listeners(there)
    yield from refused([each.door for each in known], ends.remote_name, knocks, place, directory)
    ports = {port for _, port in ends.addresses}
    for listener in [each for each in known if each.port in ports]:
        yield from _asks(ends, there, listener)


def _asks(ends: Ends, there: Conf, listener: Listener) -> Iterator[Remark]:
    """What a listener asks of who comes in, and the bridge does not say."""
    place, name = ends.bridge.line.place, ends.remote_name
    own = listener if there.flag("per_listener_settings", False) else there
    if own.flag("require_certificate", False) and ends.bridge.last("bridge_certfile") is None:
        yield may_refuse(name, ends.who, "it has no bridge_certfile", place)
    if not ends.user and not _is_anonymous(there, own):
        remedy = (
            "Give one, or say allow_anonymous true there: since Mosquitto 2 it is false beside a listener."
        )
        yield may_refuse(name, ends.who, "it gives no remote_username", place, remedy)
    prefix = own.last("clientid_prefixes")
    if prefix and not ends.client_id.startswith(prefix.values[0]):
        why = f"its remote_clientid does not begin with {prefix.values[0]}"
        yield may_refuse(name, ends.who, why, place)


def _is_anonymous(conf: Conf, own: Conf | Listener) -> bool:
    """Whether who comes in need not say a name of his own."""
    if own.flag("use_identity_as_username", False) or own.flag("use_subject_as_username", False):
        return True
    local_only = all(line.word not in {"listener", *DEFAULT} for line in conf.lines)
    return own.flag("allow_anonymous", local_only) and not own.flag("use_username_as_clientid", False)


def known_users(all_ends: Sequence[Ends]) -> Iterator[Remark]:
    """That users of bridges are known where names are asked for."""
    for ends in all_ends:
        if ends.remote and ends.user and not _is_anonymous(ends.remote, ends.remote):
            user = ends.bridge.last("remote_username", "username")
            what = f"{ends.remote_name} knows the user {ends.user} of {ends.who}, and its password"
            yield common.assumed(what, user.place if user else ends.bridge.line.place)


def crowded(confs: Sequence[Conf], all_ends: Sequence[Ends]) -> Iterator[Remark]:
    """Limits of how many may come in: they keep bridges out, or are far away."""
    for conf in confs:
        coming = sum(ends.remote_name == conf.name for ends in all_ends)
        for line in (line for line in conf.lines if line.word in LIMITS):
            most = line.values[0] if line.values else "-1"
            if most.isdecimal() and int(most[:9]) <= coming:
                what = f"{line.word} of {conf.name} is {most}, and {coming} bridges come to it"
                yield common.not_understood(what, line.place, effects=DROPS_ONLY)
            elif most.isdecimal():
                yield common.assumed(
                    f"no more than {most} clients come to {conf.name} ({line.word})", line.place
                )


def rivals(all_ends: Sequence[Ends]) -> Iterator[Remark]:
    """Two bridges with the same client id throw each other out of the broker that they connect to."""
    first: dict[tuple[str, str], Ends] = {}
    for ends in all_ends:
        by_user = ends.remote is not None and ends.remote.flag("use_username_as_clientid", False)
        called = ends.user if by_user else ends.client_id
        other = first.setdefault((ends.remote_name, called), ends)
        if called and other is not ends:
            what = f"{other.cable} and {ends.cable} both call themselves {called} at {ends.remote_name}"
            remedy = "Each ends the other's connection: give them different remote_clientids."
            if by_user:
                remedy = (
                    "Each ends the other's connection: give them different users (use_username_as_clientid)."
                )
            yield common.dangling(what, ends.bridge.line.place, remedy, DROPS_ONLY)
