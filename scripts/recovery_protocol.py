"""The parts of the page about the recovery protocol that are made from its code."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from angarium.mesh.protocol.daemon import ENVELOPE, SIGNATURE
from angarium.mesh.protocol.interface import TRANSITIONS, Deed, Event, State, Timing
from angarium.mesh.protocol.messages import HEADER, HEARTBEAT, KINDS, PACKET, STAMP, TEST, Field

_BODIES: dict[str, str] = {
    "Heartbeat": "a fingerprint of the statements that its sender holds",
    "Notification": "how many statements (2 bytes); of each its stamp, and a bit for each neighbour",
    "Acknowledgement": "how many stamps (2 bytes), and the stamps",
    "LinkTest": "the number of the test",
    "Answer": "the number of the test that it answers",
    "Packet": "the fields below, and up to 1,024 bytes of payload",
}


def _table(*rows: Iterable[str]) -> str:
    head, *others = (f"| {' | '.join(row)} |" for row in rows)
    columns = head.count(" | ") + 1
    return "\n".join([head, "|" + "---|" * columns, *others])


def recovery_states() -> str:
    """What an interface does about each event, in each state."""
    rows = [("event", *(f"in `{state}`" for state in State))]
    return _table(*rows, *((str(event), *(_step(state, event) for state in State)) for event in Event))


def _step(state: State, event: Event) -> str:
    step = TRANSITIONS.get((state, event))
    if step is None:
        return "-"
    deeds = "; ".join(_short(deed) for deed in step.deeds)
    return f"`{step.state}`{': ' + deeds if deeds else ''}"


def _short(deed: Deed) -> str:
    return deed.name.lower()


def recovery_deeds() -> str:
    """What the words for what is done stand for."""
    return "\n".join(f"- {_short(deed)}: {deed}" for deed in Deed)


def recovery_timing() -> str:
    """The times and counts, with their defaults."""
    timing = Timing()
    words = {
        "heartbeat": f"{timing.heartbeat * 1000:g} ms",
        "dead interval": f"{timing.missed} heartbeats",
        "first wait for an acknowledgement": "1 heartbeat",
        "longest wait, after doubling": f"{timing.longest_wait} heartbeats",
        "tries without any acknowledgement until the interface has failed": str(timing.tries),
        "tests in a row that must be answered": str(timing.tests),
        "heartbeats in a row that differ until everything is told": str(timing.differing),
    }
    return _table(("what", "default"), *words.items())


def recovery_messages() -> str:
    """How letters are written."""
    names = [kind.__name__ for kind in KINDS]
    kinds = ((f"{number}", f"`{name}`", _BODIES[name]) for number, name in enumerate(names, 1))
    parts = {
        "Every datagram begins with:": _fields(HEADER),
        "The kind says what follows:": _table(("kind", "message", "what follows the header"), *kinds),
        "A heartbeat:": _fields(HEARTBEAT),
        "A stamp:": _fields(STAMP),
        "A test, and its answer:": _fields(TEST),
        "A packet:": _fields(PACKET),
    }
    return "\n\n".join(f"{title}\n\n{table}" for title, table in parts.items())


def recovery_envelope() -> str:
    """What stands before and behind a letter that is sealed."""
    return f"{_fields(ENVELOPE)}\n\nThen follows the letter, and behind it the signature, {SIGNATURE} bytes."


def _fields(fields: tuple[Field, ...]) -> str:
    rows = ((f"`{field.name}`", str(struct.calcsize(f">{field.form}")), field.meaning) for field in fields)
    return _table(("field", "bytes", "meaning"), *rows)
