"""From batches of rows to the kernel's events: names become numbers, and what is no message is set aside.

What clients saw and what a broker saw of a run are two histories: the broker's is audited as `RUN@broker`.
While rows pass by, everything is counted by which it is decided what can be judged (`Profile`), and the
numbers of recorders are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import HistoryError
from angarium.history import schema
from angarium.history.intake.batch import NULL, Batch, Names
from angarium.history.kernel import encode_core as into
from angarium.history.kernel import layout as at
from angarium.history.kernel.hashing import hash_table, of_texts
from angarium.history.kernel.interning import Numbers, Pairs
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import Store, address
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.numbering import Tables, Truths
from angarium.history.kernel.numbers import by_broker
from angarium.history.schema import BROKER

_OBSERVED = schema.OP_TYPES.index("observe")
_NO_OP = 15
_NAMED = {
    into.I_DESTINATION: "destination", into.I_CLIENT: "client_id", into.I_CONSUMER: "consumer_id",
    into.I_RECORDER: "recorder", into.I_GROUP: "consumer_group", into.I_SUBSCRIPTION: "subscription",
    into.I_PARTITION: "partition_id", into.I_CLOCK: "clock_domain", into.I_SYSTEM: "system",
    into.I_RUN_NAME: "run_id",
}  # fmt: skip
"""Columns of names that stand for themselves."""
_PLACED = {
    into.I_OP: ("op_type", schema.OP_TYPES, _NO_OP), into.I_PHASE: ("phase", schema.PHASES, 0),
    into.I_WAY: ("settle", schema.SETTLES, into.NO_WAY),
    into.I_UNORDERED: ("system", schema.UNORDERED, -1),
    into.I_NAMELESS: ("error_type", [schema.NAMELESS], -1),
}  # fmt: skip
"""Columns of names of which a few are known, by their places among these, and what all others are."""
_FLAGS = (into.I_UNORDERED, into.I_NAMELESS)
"""Those of which only matters whether a name is known."""
_NUMBERS = {
    into.I_SEQ: "seq", into.I_NUMBER: "producer_seq", into.I_DELAY: "delay_ms",
    into.I_COUNT: "delivery_count", into.I_ATTEMPT: "attempt", into.I_TAG: "delivery_tag",
    into.I_OFFSET: "offset",
}  # fmt: skip
_TRUTHS = {
    into.I_MARKED: "redelivered", into.I_REPEATED: "deduplicated", into.I_MULTIPLE: "settle_multiple",
}  # fmt: skip


class Given:
    """A batch as the kernel is given it."""

    def __init__(self, batch: Batch, tables: Tables, seed: int, times: Numbers | None) -> None:
        self.words = np.zeros(into.INPUT, np.uint64)
        self._kept: list[NDArray[np.generic]] = []
        for column, name in _NAMED.items():
            self._name(column, batch.names.get(name), tables.names.table)
        self._name(into.I_WHO, batch.names["recorder"], tables.recorders.table)
        self._name(into.I_DOMAIN, batch.names.get("clock_domain"), tables.domains.table)
        self._name(into.I_MESSAGE, batch.names.get("message_id"), lambda values: hash_table(values, seed))
        for column, (name, known, otherwise) in _PLACED.items():
            among = _Among(known, otherwise, column not in _FLAGS)
            self._name(column, batch.names.get(name), among, among.none)
        self.times = batch.numbers["time_unix_nano"] if times is None else times
        self.runs = _runs(batch, tables)
        self._column(into.I_TIME, self.times)
        self._column(into.I_RUN, self.runs)
        self._column(into.I_FIT, batch.events)
        for column, name in _NUMBERS.items():
            self._column(column, batch.numbers.get(name))
        for column, name in _TRUTHS.items():
            self._column(column, batch.truths.get(name))

    def _keep(self, values: NDArray[np.generic]) -> int:
        self._kept.append(np.ascontiguousarray(values))
        return address(self._kept[-1])

    def _column(self, column: int, values: NDArray[np.generic] | None) -> None:
        self.words[column] = 0 if values is None else self._keep(values)

    def _name(
        self,
        column: int,
        names: Names | None,
        table: Callable[[Sequence[str]], NDArray[np.generic]],
        none: int = -1,
    ) -> None:
        if names is None:
            self.words[2 * column + 1] = self._keep(np.array([none], np.int64))
        else:
            self.words[2 * column] = self._keep(names.codes)
            self.words[2 * column + 1] = self._keep(table(names.values))


@dataclass(frozen=True)
class _Among:
    """A table of places among a few names that are known."""

    known: Sequence[str]
    otherwise: int
    plain: bool

    def __call__(self, values: Sequence[str]) -> Numbers:
        places = {name: place for place, name in enumerate(self.known)}
        found = [places.get(str(each), self.otherwise) for each in values]
        table = np.array([self.otherwise, *found], np.int64)
        return table if self.plain else (table >= 0).astype(np.int64)

    @property
    def none(self) -> int:
        """What no name stands for."""
        return self.otherwise if self.plain else 0


class Events:
    """What the kernel makes of a batch's rows; the memory is used again for the next batch."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._words = np.zeros((into.O_OP, room), np.int64)
        self._bytes = np.zeros((into.OUTPUT - into.O_OP, room), np.uint8)
        each = [*self._words, *self._bytes]
        self.addresses = np.array([address(column) for column in each], np.uint64)
        self.count = 0

    @property
    def words(self) -> list[Numbers]:
        return [self._words[column, : self.count] for column in range(at.RECORD)]

    @property
    def place(self) -> Numbers:
        return self._words[into.O_PLACE, : self.count]

    @property
    def reader(self) -> Numbers:
        return self._words[into.O_READER, : self.count]

    @property
    def op(self) -> NDArray[np.uint8]:
        return self._bytes[0, : self.count]

    @property
    def flags(self) -> NDArray[np.uint8]:
        return self._bytes[1, : self.count]

    def are(self, flag: int) -> Truths:
        """Which rows are something."""
        found: Truths = (self.flags & flag) != 0
        return found


class Encoder:
    """Puts the events of messages into a store, and keeps the others."""

    def __init__(self, store: Store, settlers: Store, seed: int = 0, *, apart: bool = False) -> None:
        self.store, self.settlers, self.seed, self.apart = store, settlers, seed, apart
        self.offsets: dict[int, Numbers] = {}
        """The same of offsets, if events are folded apart: then nothing is `placed` here."""
        self.noted = Noted()
        self.tables, self.tally = self.noted.tables, self.noted.tally
        self._of_places = np.zeros(0, np.uint64)
        """A word for each place, made of its names."""
        self.tags: dict[int, Numbers] = {}
        """Delivery tags by the first row of their batch."""
        self.generations: dict[int, Numbers] = {}
        self.placed: list[dict[str, Numbers]] = []
        """Events with an offset, and all deliveries where there are groups: see `offsets`."""
        self._reading = Pairs()
        """Readers that have taken something, each with none."""
        self._events = Events(0)

    def add(self, batch: Batch, times: Numbers | None = None) -> None:
        """Take a batch; `times`: other times than it has, where clocks went back."""
        self.noted.rows += batch.count
        given = Given(batch, self.tables, self.seed, times)
        events = self._encoded(batch, given)
        self._keep_others(batch, events)
        self.tally.count(batch, given.words, given.times, events.flags, self.tables)
        several = events.are(into.SEVERAL)
        if several.any():
            self._settle_several(batch, events, several)
        chosen = events.are(into.CHOSEN)
        self.store.scatter([each.view(np.uint64) for each in events.words], chosen)
        taken = events.are(into.TAKEN_)
        self.noted.deliveries += int(np.count_nonzero(taken))
        self._keep_beside(batch, bool(taken.any()))
        self._keep_placed(batch, events, given.runs)

    def _encoded(self, batch: Batch, given: Given) -> Events:
        """The words of a batch's events."""
        tables, count = self.tables, batch.count
        if self._events.room < count:
            self._events = Events(count)
        events = self._events
        events.count = count
        pairs = (tables.places, tables.people, tables.channels, tables.readers, self._reading)
        each_table = [address(each.table(most * count)) for each, most in zip(pairs, _MOST, strict=True)]
        numbered = np.array(each_table, np.uint64)
        if KERNEL.call("encode", given.words, numbered, count, batch.first, events.addresses):
            raise too_large("clock domains or delivery counts above 16,777,215")
        for each in pairs[:-1]:
            each.fresh()
        for reader, _ in self._reading.fresh():
            self.noted.may_read.add((tables.readers.values[reader][0], tables.subscriber_of(reader)))
        if tables.places.values:
            key = events.words[at.KEY]
            key ^= self._places()[events.place].view(np.int64)
        return events

    def _places(self) -> NDArray[np.uint64]:
        """The words of all places: the same wherever, and in whatever order, a history is read."""
        tables, known = self.tables, len(self._of_places)
        if known < len(tables.places.values):
            new = [
                tables.runs.values[run] + (f"\0{tables.names.values[name]}" if name >= 0 else "")
                for run, name in tables.places.values[known:]
            ]
            self._of_places = np.append(self._of_places, of_texts(new, self.seed))
        return self._of_places

    # --- settles of several -------------------------------------------------------------------------

    def _settle_several(self, batch: Batch, events: Events, several: Truths) -> None:
        _, time, seq, who, number, people, _, kind = events.words
        consumer = people >> 32
        self.noted.several.update(consumer[several].tolist())
        deed = np.full(batch.count, at.V_SETTLED)
        words = [consumer, time, seq, who, number, batch.numbers["delivery_tag"] ^ NULL, deed, kind]
        self.settlers.scatter([each.view(np.uint64) for each in words], several)

    # --- what is kept beside ------------------------------------------------------------------------

    def _keep_others(self, batch: Batch, events: Events) -> None:
        others = (events.op > at.SETTLE) & (events.op < _OBSERVED)
        chosen = set(np.flatnonzero(others).tolist()) | {
            place for place in batch.lists.get("isr", {}) if batch.events is None or batch.events[place]
        }
        self.noted.others += [(batch.first + place, batch.row(place)) for place in sorted(chosen)]

    def _keep_beside(self, batch: Batch, taken: bool) -> None:
        for name, kept in (("delivery_tag", self.tags), ("generation", self.generations)):
            if name in batch.numbers and taken:
                kept[batch.first] = batch.numbers[name] ^ NULL
        if self.apart and "offset" in batch.numbers:
            self.offsets[batch.first] = batch.numbers["offset"] ^ NULL

    def _keep_placed(self, batch: Batch, events: Events, runs: Numbers) -> None:
        """Keep what sends and deliveries say of offsets, and all deliveries where there are groups."""
        group = batch.names.get("consumer_group")
        if self.apart or (group is None and "offset" not in batch.numbers):
            return
        chosen, stored, taken = (events.are(flag) for flag in (into.CHOSEN, into.STORING, into.TAKEN_))
        offset = _numbers(batch, "offset")
        there = chosen & (stored | taken) & (offset != NULL)
        if group is not None:
            there |= taken
        if not there.any():
            return
        key, time, seq, who, _, people, place, kind = (each[there] for each in events.words)
        self.placed.append(
            {
                "offset": offset[there], "key": key, "time": time, "seq": seq,
                "recorder": who >> 32, "row": who & at.ROW, "place": events.place[there],
                "partition": place & at.ROW, "reader": events.reader[there], "consumer": people >> 32,
                "generation": _numbers(batch, "generation")[there], "stored": stored[there],
                "domain": (kind >> at.DOMAIN) & at.DOMAINS, "run": runs[there],
                "group": self.tables.names.column(group, batch.count)[there],
            }
        )  # fmt: skip


_MOST = (1, 2, 2, 1, 1)
"""So many pairs of each kind a row has, at most."""


def _runs(batch: Batch, tables: Tables) -> Numbers:
    """The history of each row."""
    names, beside = batch.names["run_id"], by_broker(batch)
    if not beside.any():
        return tables.runs.column(names, batch.count)
    runs = np.empty(batch.count, np.int64)
    runs[~beside] = tables.runs.column(_some(names, ~beside), 0)
    runs[beside] = tables.runs.column(_some(names, beside, BROKER), 0)
    return runs


def _numbers(batch: Batch, name: str) -> Numbers:
    found = batch.numbers.get(name)
    return np.full(batch.count, NULL, np.int64) if found is None else found


def _some(names: Names, chosen: Truths, ending: str = "") -> Names:
    """The chosen rows of a column, with an ending to their names."""
    codes = names.codes[chosen]
    used = np.unique(codes).tolist()
    table = np.full(len(names.values) + 1, -1, np.int32)
    table[used] = np.arange(len(used))
    return Names(table[codes], [f"{names.values[each]}{ending}" for each in used])


def too_large(what: str) -> HistoryError:
    """What does not fit into the words of the kernel."""
    return HistoryError(
        "ANG136",
        f"this history cannot be audited in the process: {what}",
        possible="possible: what an event's eight words can hold",
        remedy="use --engine spark",
    )
