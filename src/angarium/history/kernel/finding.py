"""A finding: a violation that is told by the rows of its events, before names are looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.facts import consumer_of, run_of, subscriber_of
from angarium.history.kernel.numbering import Tables
from angarium.history.results import Violation

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found."""

    guarantee: str
    kind: str
    first: int
    """The rows of the two events that prove it."""
    last: int
    about: int | None
    """The row whose place and message it concerns; None: it is of a run only."""
    found_at: int | None = None
    """None: the time of the last event."""
    measure: int | None = None
    bound: int | None = None
    names: tuple[str, ...] = ("subscriber", "consumer_id")
    """Which of its columns are those of the row that it is about."""
    given: Mapping[str, str | None] | None = None
    """Columns that are something else than that row says."""
    whose: int | None = None
    """The row of whose subscriber and consumer it is, if it is another."""

    @property
    def rows(self) -> tuple[int, ...]:
        others = (self.about, self.whose)
        return (self.first, self.last, *(row for row in others if row is not None))


def violation(finding: Finding, events: Mapping[int, Event]) -> Violation:
    """The violation that a finding is, from the events of its rows."""
    first, last = events[finding.first], events[finding.last]
    about = last if finding.about is None else events[finding.about]
    place = ("destination", "partition_id", "message_id")
    named: dict[str, Any] = {} if finding.about is None else {name: about.get(name) for name in place}
    other = about if finding.whose is None else events[finding.whose]
    whose = {"subscriber": subscriber_of(other), "consumer_id": consumer_of(other)}
    named |= {name: whose[name] for name in finding.names} | dict(finding.given or {})
    columns: dict[str, Any] = dict.fromkeys((*place, "run_id", "subscriber", "broker_id", "consumer_id"))
    return Violation(
        **columns
        | {"run_id": run_of(about), "guarantee": finding.guarantee, "kind": finding.kind}
        | named
        | _event("first", first)
        | _event("last", last)
        | {
            "found_at": last["time_unix_nano"] if finding.found_at is None else finding.found_at,
            "measure": finding.measure, "bound": finding.bound,
        }
    )  # fmt: skip


def _event(which: str, event: Event) -> dict[str, Any]:
    return {
        f"{which}_recorder": event["recorder"],
        f"{which}_seq": event.get("seq"),
        f"{which}_time": event["time_unix_nano"],
    }


# --- from the kernel's words ----------------------------------------------------------------------------

KINDS: dict[int, tuple[str, str]] = {
    at.LOST: ("no-loss", "lost"), at.NEVER_SENT: ("no-phantom", "never-sent"),
    at.FAILED_SEND: ("no-phantom", "failed-send"), at.HELD: ("no-duplicates", "held"),
    at.AFTER_ACK: ("duplicates-after-ack", "after-ack"), at.TOO_MANY: ("bounded-retries", "too-many"),
    at.LATE: ("redelivery-time", "late"), at.INVERSION: ("order", "inversion"),
    at.OVER_CREDIT: ("flow-control", "over-credit"), at.TWO_ACTIVE: ("one-active-consumer", "two-active"),
}  # fmt: skip
OF_ONE_MESSAGE = (at.LOST, at.NEVER_SENT, at.FAILED_SEND, at.HELD, at.AFTER_ACK, at.TOO_MANY, at.LATE)
"""Kinds for which the kernel has put the events of one message together, by its hash."""
MOST_COMPARED = 20_000
"""Messages of which something was found, and all of whose events' names are compared."""
NAMING = (
    "run_id", "recorder", "seq", "time_unix_nano", "op_type", "vantage", "destination", "partition_id",
    "message_id", "consumer_group", "subscription", "client_id", "consumer_id",
)  # fmt: skip
"""The columns from which a finding is named."""
_MEASURED = (at.TOO_MANY, at.INVERSION, at.OVER_CREDIT)


def keys_of_messages(findings: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The messages, by their hashes, of which something was found: so many as names can be compared of."""
    of_one = np.isin(findings[:, at.X_KIND], OF_ONE_MESSAGE)
    return np.unique(findings[of_one, at.X_KEY])[:MOST_COMPARED]


def told(findings: NDArray[np.uint64], tables: Tables, wanted: Callable[[str], bool]) -> Iterator[Finding]:
    """The kernel's findings of the guarantees that are wanted."""
    for words in findings.tolist():
        kind = words[at.X_KIND]
        if wanted(KINDS[kind][0]):
            yield _finding(kind, words, tables)


def _finding(kind: int, words: Sequence[int], tables: Tables) -> Finding:
    guarantee, name = KINDS[kind]
    measure, bound = (words[each] for each in (at.X_MEASURE, at.X_BOUND))
    if kind == at.INVERSION:
        measure, bound = _signed(measure), _signed(bound)
    given: dict[str, str | None] = {}
    names: tuple[str, ...] = ("subscriber", "consumer_id")
    if kind == at.LOST:
        names = ()
        given["subscriber"] = tables.names.values[tables.subscribers.values[words[at.X_SUBSCRIBER] - 1][1]]
    elif kind == at.OVER_CREDIT and not words[at.X_CONSUMER]:
        names = ("subscriber",)
    elif kind == at.TWO_ACTIVE:
        given = {"message_id": None, "partition_id": tables.names.values[measure - 1] if measure else None}
    return Finding(
        guarantee, name, words[at.X_FIRST], words[at.X_LAST], words[at.X_ABOUT],
        words[at.X_FOUND_AT],
        measure if kind in _MEASURED or kind == at.LATE else None,
        bound if kind in _MEASURED else None,
        names, given,
    )  # fmt: skip


def _signed(word: int) -> int:
    """A number whose sign was turned so that it compares as a word."""
    return word - (1 << 63)


def rows_of(findings: Iterable[Finding]) -> set[int]:
    return {row for finding in findings for row in finding.rows}
