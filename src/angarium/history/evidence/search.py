"""The events of stories, searched for in batches: the conditions of `story_events`, without Spark.

Every batch is first looked at by its numbers, in the few columns that tell whether a row may belong to a
story. Those few rows are then fetched whole, and asked one by one. Names are compared by their hashes, for a
history may have a name for every message; those that are alike are looked at as texts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import Batch
from angarium.history.kernel.facts import consumer_of, run_of, subscriber_of
from angarium.history.kernel.hashing import of_texts
from angarium.history.kernel.interning import Numbers
from angarium.history.results import Violation
from angarium.history.schema import BROKER
from angarium.history.story_events import CIRCUMSTANCES, FIELDS, MOST, Found

Event = dict[str, Any]
Truths = NDArray[np.bool_]
_ENOUGH = 2 * max(MOST.values())
"""So many of the newest events of a consumer are looked at closely, in each batch."""


class Corrected(Protocol):
    """Where the events are searched for: see `kernel.process`."""

    def batches(self, columns: Collection[str] | None = None) -> Iterator[tuple[Batch, Numbers | None]]:
        """All rows that count, with other times than they have, where clocks went back."""

    def fetch(self, rows: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
        """Some rows."""


def candidates(violations: Sequence[Violation], most: int) -> list[Violation]:
    """Of each guarantee so many violations as are proved within the shortest time."""
    chosen: list[Violation] = []
    for guarantee in dict.fromkeys(each.guarantee for each in violations):
        mine = [each for each in violations if each.guarantee == guarantee]
        chosen += sorted(mine, key=_nearness)[:most]
    return chosen


def _nearness(violation: Violation) -> tuple[Any, ...]:
    first, last = violation.first_time, violation.last_time
    span = 0 if first is None or last is None else abs(last - first)
    names = ("last_recorder", "last_seq", "message_id", "kind", "subscriber", "consumer_id")
    values = (getattr(violation, name) for name in ("found_at", "run_id", *names))
    return (span, *(_nulls_first(value) for value in values))


def _nulls_first(value: Any) -> tuple[bool, Any]:  # noqa: ANN401 (text or number)
    return (value is not None, 0 if value is None else value)


def evidence(source: Corrected, chosen: Sequence[Violation]) -> dict[int, list[Found]]:
    """The events that belong to each of some violations, by their places."""
    found: dict[int, list[Found]] = {number: [] for number in range(len(chosen))}
    rows = [
        batch.first + place
        for batch, times in source.batches(_needed(chosen))
        for place in np.flatnonzero(_possible(batch, times, chosen)).tolist()
    ]
    for _, row in sorted(source.fetch(rows).items()):
        event = _event(row)
        for number, violation in enumerate(chosen):
            if circumstance := _circumstance(event, violation):
                found[number].append(Found(circumstance, event))
    return nearest(found)


def nearest(found: Mapping[int, Sequence[Found]]) -> dict[int, list[Found]]:
    """Of the events of each violation those that a story is told from."""
    return {number: list(_nearest(each)) for number, each in found.items()}


def _nearest(found: Sequence[Found]) -> Iterator[Found]:
    """The last events of each circumstance."""
    for name, most in MOST.items():
        mine = [each for each in found if each.circumstance == name]
        yield from sorted(mine, key=lambda each: _when(each.event), reverse=True)[:most]


def _when(event: Mapping[str, Any]) -> tuple[int, str, tuple[bool, int]]:
    return event["at"], event["recorder"], (event["seq"] is not None, event["seq"] or 0)


def _event(row: Mapping[str, Any]) -> Event:
    """A row with the fields that stories are told from."""
    ours = {
        "run_id": run_of(row),
        "at": row["time_unix_nano"],
        "producer": row.get("client_id", row["recorder"]),
        "consumer": consumer_of(row),
        "subscriber": subscriber_of(row),
    }
    whole = {**row, **ours}
    kept = (*FIELDS, "consumer_group")
    return {name: whole.get(name) for name in kept}


# --- exactly ------------------------------------------------------------------------------------------


def _circumstance(event: Event, violation: Violation) -> str | None:
    """Why an event belongs to a story; the first reason counts."""
    if event["run_id"] != violation.run_id:
        return None
    wanted = CIRCUMSTANCES[violation.kind]
    for name, belongs in _BELONGS.items():
        if (name == "proof" or name in wanted) and belongs(event, violation):
            return name
    return None


def _is_delivered(event: Event) -> bool:
    return event["op_type"] in ("receive", "process") and event["phase"] == "ok"


def _proves(event: Event, violation: Violation) -> bool:
    mine = (event["recorder"], event["at"], event["seq"])
    first = (violation.first_recorder, violation.first_time, violation.first_seq)
    return mine in (first, (violation.last_recorder, violation.last_time, violation.last_seq))


def _is_of_message(event: Event, violation: Violation) -> bool:
    if event["message_id"] is None or event["message_id"] != violation.message_id:
        return False
    meant = violation.subscriber in (None, event["subscriber"])
    return event["destination"] == violation.destination and (meant or not _is_delivered(event))


def _is_credit(event: Event, violation: Violation) -> bool:
    if violation.consumer_id is not None:
        whose = event["consumer"] == violation.consumer_id
    else:
        whose = event["destination"] == violation.destination and event["op_type"] == "control"
    said = event["credit"] is not None or event["prefetch"] is not None
    return said and whose and _is_not_later(event, violation)


def _is_in_flight(event: Event, violation: Violation) -> bool:
    if violation.consumer_id is not None:
        whose = event["consumer"] == violation.consumer_id
    else:
        whose = event["destination"] == violation.destination
    held = event["op_type"] == "settle" or _is_delivered(event)
    return held and whose and _is_not_later(event, violation)


def _is_before(event: Event, violation: Violation) -> bool:
    place = (event["consumer"], event["destination"], event["partition_id"])
    same = place == (violation.consumer_id, violation.destination, violation.partition_id)
    return same and _is_delivered(event) and event["at"] < (violation.first_time or 0)


def _is_own(event: Event, violation: Violation) -> bool:
    mine = event["op_type"] == "group" and event["consumer"] == violation.consumer_id
    return mine and _is_not_later(event, violation)


def _is_of_group(event: Event, violation: Violation) -> bool:
    mine = event["op_type"] == "group" and event["consumer_group"] == violation.subscriber
    return mine and (violation.first_time or 0) <= event["at"] and _is_not_later(event, violation)


def _is_not_later(event: Event, violation: Violation) -> bool:
    return violation.last_time is not None and bool(event["at"] <= violation.last_time)


_BELONGS: dict[str, Callable[[Event, Violation], bool]] = {
    "proof": _proves,
    "message": _is_of_message,
    "credit": _is_credit,
    "flight": _is_in_flight,
    "before": _is_before,
    "own": _is_own,
    "group": _is_of_group,
}
"""How an event belongs to a violation, in the order in which reasons count."""

# --- roughly ------------------------------------------------------------------------------------------

_BY_CONSUMER = {"credit", "flight", "own", "before"}
_ALWAYS = ("run_id", "time_unix_nano")
_OF_CONSUMERS = ("consumer_id", "client_id", "recorder", "destination", "op_type")


def _needed(chosen: Sequence[Violation]) -> set[str]:
    """The columns that `_possible` looks at."""
    wanted = {name for each in chosen for name in CIRCUMSTANCES[each.kind]}
    found = {*_ALWAYS}
    if "message" in wanted:
        found.add("message_id")
    if _BY_CONSUMER & wanted:
        found.update(_OF_CONSUMERS)
    if "group" in wanted:
        found.update(("consumer_group", "op_type"))
    return found


def _possible(batch: Batch, times: Numbers | None, chosen: Sequence[Violation]) -> Truths:
    """Which rows of a batch may belong to a story: cheap enough to be asked of every event."""
    time = batch.numbers["time_unix_nano"] if times is None else times
    runs = {name for each in chosen for name in (each.run_id, each.run_id.removesuffix(BROKER))}
    moments = [t for each in chosen for t in (each.first_time, each.last_time) if t is not None]
    found = np.isin(time, moments)
    found |= _named(batch, "message_id", {v.message_id for v in chosen if "message" in CIRCUMSTANCES[v.kind]})
    for violation in chosen:
        wanted = CIRCUMSTANCES[violation.kind]
        if _BY_CONSUMER & set(wanted):
            whose = _whose(batch, violation)
            found |= _newest(whose, whose & _told(batch), time, violation)
        if "group" in wanted:
            found |= _named(batch, "consumer_group", {violation.subscriber}) & _told(batch)
    found &= _named(batch, "run_id", runs)
    return found if batch.events is None else found & batch.events


def _whose(batch: Batch, violation: Violation) -> Truths:
    """The rows of a violation's consumer, or of its destination."""
    if violation.consumer_id is None:
        return _named(batch, "destination", {violation.destination})
    found, unknown = np.zeros(batch.count, np.bool_), np.ones(batch.count, np.bool_)
    for column in ("consumer_id", "client_id", "recorder"):
        if column in batch.names:
            found |= unknown & _named(batch, column, {violation.consumer_id})
            unknown &= batch.names[column].codes < 0
    return found


def _told(batch: Batch) -> Truths:
    """The events of no message: they are few."""
    return _named(batch, "op_type", {"control", "group", "flow"})


def _newest(rows: Truths, told: Truths, time: Numbers, violation: Violation) -> Truths:
    """The last of some rows before each end of a violation, and of those that are of no message."""
    until, before = time <= (violation.last_time or 0), time < (violation.first_time or 0)
    found = np.zeros(len(rows), np.bool_)
    for some in (rows & until, rows & before, told & until):
        places = np.flatnonzero(some)
        if len(places) > _ENOUGH:
            least = np.partition(time[places], -_ENOUGH)[-_ENOUGH]
            places = places[time[places] >= least]
        found[places] = True
    return found


def _named(batch: Batch, column: str, wanted: Iterable[str | None]) -> Truths:
    """Which rows have one of some names in a column."""
    names = batch.names.get(column)
    some = {name for name in wanted if name is not None}
    if names is None or not some:
        return np.zeros(batch.count, np.bool_)
    known = _LAST.get(column)
    if known is None or known[0] is not names.values or known[1] != some:
        known = _LAST[column] = (names.values, some, np.append(_among(names.values, some), False))
    return known[2][names.codes]


def _among(values: Sequence[str], some: Collection[str]) -> Truths:
    """Which of some values are among others, which are few."""
    found = np.isin(of_texts(values, 0), of_texts([*some], 0))
    for place in np.flatnonzero(found).tolist():
        found[place] = str(values[place]) in some
    return found


_LAST: dict[str, tuple[Sequence[str], set[str], Truths]] = {}
"""Which names of a column were wanted last: batches of one file share their names."""
