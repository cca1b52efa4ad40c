"""Messages that come back after they were forgotten: their events are looked up in those that were written.

What is settled and old is not kept in memory, and nearly always rightly so. If such a message is delivered
once more, there is a delivery of which nobody has seen the send. Then all that is known of it is read from
the table of events, so that it is judged as if nothing had been forgotten.

What begins like a new message, with a first attempt to send it, is taken for one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from angarium.history.intake.batch import batch_of
from angarium.history.kernel.facts import consumer_of
from angarium.history.live.remembered import Remembered
from angarium.history.live.written import Events

Event = Mapping[str, Any]
_MESSAGE = ("run_id", "destination", "message_id")


def recall(remembered: Remembered, events: Events, before: int) -> None:
    """Take the events of messages that have come back: of those with numbers before one."""
    strange = remembered.encoder.strange()
    if not len(strange) or remembered.rows == events.count:
        return
    names = _suspects(remembered, events, strange, before)
    if not names:
        return
    own = _fetched(remembered, events, events.of_messages({name for _, _, name in names}), before)
    own = {number: event for number, event in own.items() if _message(event) in names}
    if remembered.encoder.noted.several:
        several = _fetched(remembered, events, events.of_several(), before)
        own |= _of_consumers(several, own)
    if own:
        numbers = sorted(own)
        remembered.take_again(batch_of([own[number] for number in numbers]), np.array(numbers, np.int64))


def _suspects(
    remembered: Remembered, events: Events, strange: np.ndarray, before: int
) -> set[tuple[str, str, str]]:
    """The names of the messages of which only new events are remembered."""
    origins, rows = remembered.origins, remembered.rows_of(strange)
    known = {key for row, key in rows.items() if origins[row] < before}
    new = {int(origins[row]) for row, key in rows.items() if key not in known}
    return {_message(event) for event in events.fetch(new, _MESSAGE).values()}


def _fetched(
    remembered: Remembered, events: Events, numbers: Collection[int], before: int
) -> dict[int, Event]:
    """Events that are not remembered, by their numbers."""
    forgotten = np.setdiff1d(
        np.array([each for each in numbers if each < before], np.int64), remembered.origins
    )
    return events.fetch(forgotten.tolist())


def _message(event: Event) -> tuple[str, str, str]:
    return event["run_id"], event.get("destination", ""), event["message_id"]


def _of_consumers(several: Mapping[int, Event], own: Mapping[int, Event]) -> dict[int, Event]:
    """The settles of several messages by consumers that got some messages."""
    consumers = {
        (event["run_id"], consumer_of(event))
        for event in own.values()
        if event["op_type"] in ("receive", "process")
    }
    return {
        number: event
        for number, event in several.items()
        if (event["run_id"], consumer_of(event)) in consumers
    }
