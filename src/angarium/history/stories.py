"""The shortest story of each violated guarantee: the few events that prove it, in order.

Of all violations of a guarantee the one with the shortest evidence is told: the fewest events, then the
shortest time, then the first. A few candidates are taken that are proved within the shortest time, and what
belongs to them is fetched. A story has at most `MOST_ROWS` rows; what is cut is counted. Its address says
where it is: run, guarantee, and the event at which it is proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from angarium.history.deeds import Event, deed, detail, is_delivery
from angarium.history.explanations import explanation
from angarium.history.results import Violation
from angarium.history.story_events import Found

MOST_ROWS = 12
CANDIDATES = 3
"""Violations of a guarantee whose events are fetched; the shortest story of them is told."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, slots=True)
class StoryRow:
    """One event of a story, or a row that says how many were cut."""

    after: int
    """Nanoseconds after the story's first event."""
    text: str
    source: str
    """Who does it."""
    target: str | None = None
    """To whom; None: it concerns nobody else."""
    failed: bool = False
    proof: bool = False
    """Whether it is one of the two events that prove the violation."""
    cut: int = 0
    """How many events stand for this row."""
    event: Mapping[str, Any] | None = None
    """The event's fields that are not null; None for a row that was cut."""


@dataclass(frozen=True, slots=True)
class HistoryStory:
    """Why a guarantee does not hold, as plain data."""

    address: str
    run_id: str
    guarantee: str
    kind: str
    explanation: str
    begins: int
    """The time of the first row, in nanoseconds since 1970."""
    rows: Sequence[StoryRow]
    others: int
    """How many other violations of this guarantee there are, in all runs."""


def shortest(
    chosen: Sequence[Violation], found: Mapping[int, Sequence[Found]], counts: Mapping[str, int]
) -> list[HistoryStory]:
    """Of the stories of some violations the shortest of each guarantee.

    `found`: the events that belong to each; `counts`: how many violations each guarantee has in all.
    """
    told = [story(violation, found[number], counts) for number, violation in enumerate(chosen)]
    return [min(each, key=_length) for each in _by_guarantee(told)]


def story(violation: Violation, found: Sequence[Found], counts: Mapping[str, int]) -> HistoryStory:
    """The story of one violation, from the events that belong to it."""
    kept = sorted(_kept(violation, found), key=lambda each: _when(each.event))
    begins = kept[0].event["at"] if kept else violation.found_at
    return HistoryStory(
        address(violation), violation.run_id, violation.guarantee, violation.kind, explanation(violation),
        begins, _cut(_rows(violation, kept, begins)), counts[violation.guarantee] - 1,
    )  # fmt: skip


def address(violation: Violation) -> str:
    """Where a violation is: `run/guarantee/recorder:seq` of its last event, or `recorder@time`."""
    seq, time = violation.last_seq, violation.last_time
    event = f"{violation.last_recorder}@{time}" if seq is None else f"{violation.last_recorder}:{seq}"
    return f"{violation.run_id}/{violation.guarantee}/{event}"


def _by_guarantee(told: Iterable[HistoryStory]) -> Iterator[list[HistoryStory]]:
    ordered = sorted(told, key=lambda each: each.guarantee)
    yield from (list(each) for _, each in groupby(ordered, key=lambda each: each.guarantee))


def _length(told: HistoryStory) -> tuple[int, int, int, str]:
    events = sum(max(1, row.cut) for row in told.rows)
    return events, told.rows[-1].after if told.rows else 0, told.begins, told.address


def _when(event: Event) -> tuple[int, str, int]:
    return event["at"], event["recorder"] or "", event["seq"] or 0


# --- which events -----------------------------------------------------------------------------------


def _kept(violation: Violation, found: Sequence[Found]) -> Iterator[Found]:
    """Without what others did with the message, and what was no longer in flight."""
    takers = {each.event["consumer"] for each in found if is_delivery(each.event)}
    flying = _in_flight([each.event for each in found if each.circumstance != "message"])
    for each in found:
        event = each.event
        others = event["op_type"] == "settle" and event["consumer"] not in takers
        if each.circumstance == "flight" and id(event) not in flying:
            continue
        if each.circumstance == "proof" or not others:
            yield each


def _in_flight(events: Sequence[Event]) -> set[int]:
    """The deliveries, by identity, that nobody had settled at the end of the events."""
    open_: dict[tuple[str, str], int] = {}
    for event in sorted(events, key=_when):
        key = (event["consumer"], event["message_id"])
        if is_delivery(event):
            open_[key] = id(event)
        elif event["op_type"] == "settle" and event["settle"] not in ("extend", "none"):
            open_.pop(key, None)
    return set(open_.values())


# --- rows -------------------------------------------------------------------------------------------


def _rows(violation: Violation, kept: Sequence[Found], begins: int) -> list[StoryRow]:
    place = violation.destination or "broker"
    rows = []
    for each, again in zip(kept, _repetitions(violation, kept), strict=True):
        done = deed(each.event, place)
        text = done.text + again + detail(each.event, violation.guarantee)
        after, proves = each.event["at"] - begins, each.circumstance == "proof"
        event = {name: value for name, value in each.event.items() if value is not None and name not in _OURS}
        rows.append(StoryRow(after, text, done.source, done.target, done.failed, proves, event=event))
    return rows


_OURS = ("story", "circumstance", "at", "producer", "consumer", "subscriber", "consumer_group")
"""What is not in the event itself."""


def _repetitions(violation: Violation, kept: Sequence[Found]) -> Iterator[str]:
    """For each event: which delivery of the message it is; a `process` behind its `receive` is none."""
    taken = 0
    before: dict[str, str] = {}
    for event in (each.event for each in kept):
        if not is_delivery(event) or event["message_id"] != violation.message_id:
            yield ""
            continue
        paired = event["op_type"] == "process" and before.get(event["consumer"]) == "receive"
        before[event["consumer"]] = event["op_type"]
        if not paired:
            taken = max(taken + 1, event["delivery_count"] or 0)
        yield " (its handler)" if paired else _again(taken)


def _again(number: int) -> str:
    """Which delivery of the message it is, if it is not the first."""
    if number < 2:
        return ""
    return f" ({_ORDINALS[number - 1]} delivery)" if number <= len(_ORDINALS) else f" (delivery {number})"


def _cut(rows: Sequence[StoryRow]) -> list[StoryRow]:
    """At most so many rows: those that prove it, then the last ones; a row for each gap says what is cut."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    order = sorted(range(len(rows)), key=lambda n: (not rows[n].proof, -n))
    told: list[StoryRow] = []
    for most in range(MOST_ROWS - 1, 0, -1):
        keep = set(order[:most])
        told = [
            row
            for here, part in groupby(range(len(rows)), keep.__contains__)
            for row in _part(rows, here, part)
        ]
        if len(told) <= MOST_ROWS:
            break
    return told


def _part(rows: Sequence[StoryRow], kept: bool, numbers: Iterable[int]) -> list[StoryRow]:
    part = [rows[number] for number in numbers]
    if kept:
        return part
    deliveries = all(row.event is not None and is_delivery({"message_id": "", **row.event}) for row in part)
    noun = "delivery" if deliveries else "event"
    plural = "deliveries" if deliveries else "events"
    text = f"… {len(part)} more {noun if len(part) == 1 else plural}"
    return [StoryRow(part[0].after, text, part[0].source, cut=len(part))]
