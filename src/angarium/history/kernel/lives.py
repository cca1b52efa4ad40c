"""Lives of messages as they are told: rows for the table of messages, and words to be held against a model.

Both are asked of the stores of events once more, part by part, after the folds. Rows have numbers for names;
of each word it is counted how many messages have it, and one of them is kept as an example.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.crew import Crew
from angarium.history.kernel.facts import Facts
from angarium.history.kernel.library import LIVES
from angarium.history.kernel.memory import Stores

if TYPE_CHECKING:
    import pyarrow as pa

Rows = NDArray[np.uint64]
Key = tuple[int, str, bool, bool, bool]
"""A run and a word; whether its order is not certain, it was sent more than once, and it is cut off."""
_ALPHABET = " adefjqsux"
_OUTCOMES = ("confirmed", "failed", "unknown", "never")
_STATES = ("settled", "delivered", "unseen", "lost", "unconfirmed", "phantom")


@dataclass(frozen=True)
class Spelled:
    """How many lives have a word, and one of them."""

    count: int
    row: int
    """The first delivery of the first of them, in the order of reading."""
    reader: int

    def __add__(self, other: Spelled) -> Spelled:
        first = min(self, other, key=lambda each: each.row)
        return Spelled(self.count + other.count, first.row, first.reader)


Words = dict[Key, Spelled]


def told(crew: Crew, stores: Stores, what: str) -> Iterator[Rows]:
    """What is told of all messages of stores: `tell` or `spell`, by parts."""
    crew.use(stores)
    worker = crew.workers[0]
    for part in stores.parts:
        count, room = stores.count(part), 0
        while count:
            worker.thread.prepare(count, room)
            LIVES.call(what, crew.context.words, worker.words, part)
            if not worker.thread.is_cramped:
                yield worker.thread.findings()
                break
            room = 2 * worker.thread.found


def spelled(crew: Crew, stores: Stores, facts: Facts) -> Words:
    """The words of all messages that have reached somebody."""
    unsent = {run for run, each in facts.profiles.items() if each.attached or not each.sends}
    return added(_counted(rows, unsent) for rows in told(crew, stores, "spell"))


def added(some: Iterable[Words]) -> Words:
    """The words of several parts together."""
    found: Words = {}
    for words in some:
        for key, each in words.items():
            found[key] = found[key] + each if key in found else each
    return found


def _counted(rows: Rows, unsent: set[int]) -> Words:
    """The words of a part; those that fit into a row are compared as numbers."""
    counts = rows[:, at.WORD_COUNT].view(np.int64) & at.ROW
    short = rows[counts <= at.LETTERS_A_ROW]
    short = short[np.argsort(short[:, at.WORD_ROW] & np.uint64(at.ROW), kind="stable")]
    alike = np.delete(short, at.WORD_ROW, axis=1)
    _, first, many = np.unique(alike, axis=0, return_index=True, return_counts=True)
    whole = [([short[place]], int(count)) for place, count in zip(first, many, strict=True)]
    found = added(_word(each, count, unsent) for each, count in whole)
    return added([found, *(_word(each, 1, unsent) for each in _long(rows[counts > at.LETTERS_A_ROW]))])


def _long(rows: Rows) -> Iterator[list[Rows]]:
    """The rows of each word that has several."""
    begins = np.flatnonzero(rows[:, at.WORD_COUNT] >> np.uint64(32) == 0)
    for some in np.split(rows, begins[1:]) if len(rows) else ():
        yield list(some)


def _word(rows: list[Rows], count: int, unsent: set[int]) -> Words:
    first = [int(each) for each in rows[0]]
    run, flags = first[at.WORD_RUN] & at.ROW, first[at.WORD_RUN] >> 32
    letters = [
        _letter(code) for row in rows for code in row[at.WORD_LETTERS :].view(np.uint16).tolist() if code
    ]
    if flags & at.IS_UNSENT and run in unsent:
        letters.insert(0, "s")
    blurred, resent, cut = (bool(flags & bit) for bit in (at.IS_BLURRED, at.IS_RESENT, at.IS_CUT))
    key = run, " ".join(letters), blurred, resent, cut
    return {key: Spelled(count, first[at.WORD_ROW] & at.ROW, first[at.WORD_ROW] >> 32)}


def _letter(code: int) -> str:
    consumer = code >> 4
    return f"{_ALPHABET[code & 15]}{consumer or ''}"


# --- the table of messages ----------------------------------------------------------------------------


def columns(rows: Rows, facts: Facts) -> dict[str, pa.Array]:
    """The columns of `tables.MESSAGES` but for `message_id`, and the `row` that has it."""
    import pyarrow as pa

    tables = facts.tables
    told = rows.view(np.int64)
    reader = told[:, at.Y_ROW] >> 32
    place = np.array([each for each, _ in tables.readers.values], np.int64)[reader]
    run = np.array([each for each, _ in tables.places.values], np.int64)[place]
    destination = np.array([each for _, each in tables.places.values], np.int64)[place]
    subscribers = np.array([*(each for _, each in tables.subscribers.values), -1], np.int64)
    people = np.array([*(each for _, each in tables.people.values), -1], np.int64)
    names = [*tables.names.values, None]
    number = rows[:, at.Y_NUMBER]
    deliveries = told[:, at.Y_COUNT]
    return {
        "row": pa.array(told[:, at.Y_ROW] & at.ROW),
        "run_id": _chosen(tables.runs.values, run),
        "destination": _chosen(names, destination),
        "subscriber": _chosen(names, subscribers[told[:, at.Y_SUBSCRIBER] - 1]),
        "partition_id": _chosen(names, told[:, at.Y_PARTITION] - 1),
        "producer": _chosen(names, people[told[:, at.Y_PRODUCER] - 1]),
        "producer_seq": _known((number ^ np.uint64(at.SIGN)).view(np.int64), number != 0),
        "sent_at": _known(told[:, at.Y_SENT], told[:, at.Y_SENT] != 0),
        "confirmed_at": _known(told[:, at.Y_CONFIRMED], told[:, at.Y_CONFIRMED] != 0),
        "send_outcome": _chosen(_OUTCOMES, told[:, at.Y_STATE] >> 8),
        "first_delivered_at": _known(told[:, at.Y_DELIVERED], told[:, at.Y_DELIVERED] != 0),
        "deliveries": pa.array(deliveries & at.ROW),
        "consumers": pa.array(deliveries >> 32),
        "requeues": pa.array(told[:, at.Y_REQUEUES]),
        "acked_at": _known(told[:, at.Y_ACKED], told[:, at.Y_ACKED] != 0),
        "state": _chosen(_STATES, told[:, at.Y_STATE] & 0xFF),
    }


def _chosen(values: Sequence[str | None], places: NDArray[np.int64]) -> pa.Array:
    """Names by their places; the last of all where there is none."""
    import pyarrow as pa

    return pa.array(np.array(values, np.object_)[places], pa.string())


def _known(numbers: NDArray[np.int64], there: NDArray[np.bool_]) -> pa.Array:
    """Numbers, where there are some."""
    import pyarrow as pa

    return pa.array(numbers, mask=~there)
