"""Who gets in: where a broker listens for links, and for which, as its own file says.

A link that nobody lets in carries nothing, whatever its filters say: the port is another one, the listener is
for the machine itself, one end wants TLS and the other has none. What is between two brokers files do not
tell: ports are mapped, addresses translated, TLS ends at a proxy. So a link before a closed door is not taken
away: it may drop everything, and `--host HOST:PORT=BROKER` says that the broker is there all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.mesh import DROPS, Remark

LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|\[?::1\]?")
MOST_TOLD = 4
DROPS_ONLY = frozenset((DROPS,))


@dataclass(frozen=True, slots=True)
class Door:
    """One listener."""

    port: int
    host: str = ""
    """The address that it is bound to; empty: any."""
    secure: bool | None = None
    """Whether it speaks TLS; None: it can do both, or nobody knows."""
    shut: str = ""
    """Why it lets no link in, whichever it is: `port 80 is for browsers`."""

    @property
    def is_local(self) -> bool:
        """Whether only who is on the same machine gets in."""
        return LOOPBACK.fullmatch(self.host) is not None


@dataclass(frozen=True, slots=True)
class Knock:
    """A link before a broker, at one of its addresses."""

    who: str
    host: str
    port: int
    secure: bool | None = None
    """Whether it speaks TLS; None: as the listener likes."""

    @property
    def is_local(self) -> bool:
        return LOOPBACK.fullmatch(self.host) is not None


def refused(
    doors: Sequence[Door],
    broker: str,
    knocks: Iterable[Knock],
    place: Place,
    directory: common.Directory | None = None,
) -> Iterator[Remark]:
    """A remark if a link gets in at none of the addresses that it has of a broker."""
    knocks = list(knocks)
    reasons = [
        why_not(doors, each) for each in knocks if not (directory and directory.vouched(each.host, each.port))
    ]
    if reasons and len(reasons) == len(knocks) and all(reasons):
        first = knocks[0]
        said = f"--host {first.host}:{first.port}={broker}"
        remedy = f"Mend the address or the listener; or say that it leads there: {said}."
        yield may_refuse(broker, first.who, reasons[0], place, remedy)


def knocked(
    doors: Mapping[str, Sequence[Door]],
    broker: str,
    knock: Knock,
    place: Place,
    directory: common.Directory,
) -> Iterator[Remark]:
    """The same of one link, if the broker's file says where it listens."""
    known = doors.get(broker)
    yield from refused(known, broker, [knock], place, directory) if known else ()


def why_not(doors: Sequence[Door], knock: Knock) -> str:
    """Why a link does not get in; empty if it may."""
    here = [door for door in doors if door.port == knock.port]
    reasons = [_shut(door, knock) for door in here]
    if here:
        return "" if "" in reasons else reasons[0]
    ports = [str(port) for port in dict.fromkeys(door.port for door in doors)]
    if not ports:
        return "it listens for no links"
    more = " …" if len(ports) > MOST_TOLD else ""
    return f"it listens at {', '.join(ports[:MOST_TOLD])}{more}, and not at {knock.port}"


def _shut(door: Door, knock: Knock) -> str:
    if door.shut:
        return door.shut
    if door.is_local and not knock.is_local:
        return f"at {door.port} it listens to its own machine only"
    if door.secure is None or knock.secure is None or door.secure == knock.secure:
        return ""
    return f"at {door.port} it {'wants' if door.secure else 'has no'} TLS"


def may_refuse(broker: str, who: str, why: str, place: Place | None, remedy: str = "") -> Remark:
    """Of a broker that may not let a link in, and why."""
    return common.not_understood(f"{broker} may refuse {who}: {why}", place, remedy, DROPS_ONLY)
