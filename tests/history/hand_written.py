"""Histories that a test writes by hand: a few words an event, the rest filled in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MILLISECOND = 1_000_000
BEGIN = 1_794_719_060_000_000_000
Event = dict[str, Any]

_KINDS = {
    "send": {"op_type": "send", "phase": "invoke"},
    "sent": {"op_type": "send", "phase": "ok"},
    "failed": {"op_type": "send", "phase": "fail"},
    "take": {"op_type": "receive", "phase": "ok", "subscription": "billing"},
    "ack": {"op_type": "settle", "phase": "invoke", "settle": "ack"},
    "acked": {"op_type": "settle", "phase": "ok", "settle": "ack"},
    "requeue": {"op_type": "settle", "phase": "invoke", "settle": "requeue"},
    "reject": {"op_type": "settle", "phase": "invoke", "settle": "reject"},
    "kill": {"op_type": "control", "phase": "invoke", "op_name": "kill"},
    "killed": {"op_type": "control", "phase": "ok", "op_name": "kill"},
    "credit": {"op_type": "flow", "phase": "invoke", "op_name": "RDY"},
}


def event(at: float, kind: str, who: str, message: str | None = None, **more: object) -> Event:
    """One event, `at` milliseconds after the beginning; `who` records it and does it."""
    about = {} if message is None else {"message_id": message, "destination": "orders"}
    who_ = {"recorder": who, "client_id": who}
    time = BEGIN + round(at * MILLISECOND)
    return {"run_id": "r", "time_unix_nano": time, **who_, **_KINDS[kind], **about, **more}


def numbered(events: Iterable[Event]) -> list[Event]:
    """The events with a seq for each recorder of a run."""
    last: dict[tuple[str, str], int] = {}
    found = []
    for each in events:
        key = (each["run_id"], each["recorder"])
        last[key] = last.get(key, 0) + 1
        found.append({"seq": last[key], **each})
    return found
