"""What a recovery daemon reports, in words: a line for each thing that happens, and an account at the end."""

from __future__ import annotations

from collections.abc import Mapping

from angarium.app.report.layout import amount, printable
from angarium.mesh.protocol.colouring import View
from angarium.mesh.protocol.daemon import Daemon, Stream
from angarium.mesh.protocol.interface import State
from angarium.mesh.protocol.node import Changed, Switched
from angarium.mesh.recovery.tables import HEALTHY

MOST_GAPS = 5


def event_line(event: Changed | Switched) -> str | None:
    """In words; nothing about what happens all the time."""
    if isinstance(event, Switched):
        return printable(f"switched: {seen(event.view)}")
    if State.FAILURE not in (event.before, event.after):
        return None
    return printable(f"{event.neighbour}: {event.before} -> {event.after}, {event.why}")


def seen(view: View) -> str:
    """What a broker sees of the mesh."""
    if view.colour == HEALTHY:
        return f"colour {HEALTHY}, nothing has failed"
    if len(view.component) == 1:
        return "cut off from all other brokers"
    dead = "is dead" if len(view.failures) == 1 else "are dead"
    if view.colour is None:
        return f"not precalculated, calculated now: {view.failures} {dead}"
    return f"colour {view.colour}, {view.failures} {dead}"


def account_lines(daemon: Daemon) -> list[str]:
    """What the daemon has done until it ended."""
    tally, probing = daemon.tally, daemon.probing
    lines = [f"ended: {seen(daemon.node.view)}"]
    if probing:
        lines.append(f"sent {amount(probing.sent, 'probe')} to {probing.to}")
    if tally.forwarded:
        lines.append(f"handed on {amount(tally.forwarded, 'packet')}")
    lines += [_arrived(source, stream) for (source, _), stream in tally.arrived.streams.items()]
    lines += _counts("lost", "packet", tally.lost) + _counts("refused", "datagram", tally.refused)
    lines += [f"ignored {why}: {count:,} times" for why, count in daemon.node.ignored.items()]
    return [printable(line) for line in lines]


def _arrived(source: str, stream: Stream) -> str:
    gaps = [f"{first}-{last}" if first < last else f"{first}" for first, last in stream.gaps]
    shown = ", ".join(gaps[:MOST_GAPS]) + (", ..." if len(gaps) > MOST_GAPS else "")
    which = f" ({shown})" if gaps else ""
    received = amount(stream.received, "probe")
    return f"{received} came from {source}: {stream.missing:,} missing{which}, {stream.doubled:,} doubled"


def _counts(what: str, noun: str, counts: Mapping[str, int]) -> list[str]:
    return [f"{what} {amount(count, noun)}: {why}" for why, count in counts.items()]
