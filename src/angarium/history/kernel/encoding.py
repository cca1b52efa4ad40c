"""From batches of rows to the kernel's events: names become numbers, and what is no message is set aside.

What clients saw and what a broker saw of a run are two histories: the broker's is audited as `RUN@broker`.
While rows pass by, everything is counted by which it is decided what can be judged (`Profile`), and the
numbers of recorders are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import HistoryError
from angarium.history import schema
from angarium.history.checks.facts import BROKER
from angarium.history.intake.batch import NULL, Batch, Names
from angarium.history.kernel import layout as at
from angarium.history.kernel.hashing import hashes, of_texts
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.memory import Store
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.numbering import Columns, Truths

_CLOSING = at.DEAD_LETTER
_OBSERVED = schema.OP_TYPES.index("observe")
_NO_WAY = 7
"""The code of a settle that does not say how."""


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

    def add(self, batch: Batch, times: Numbers | None = None) -> None:
        """Take a batch; `times`: other times than it has, where clocks went back."""
        tables, count = self.tables, batch.count
        self.noted.rows += count
        fit = np.ones(count, np.bool_) if batch.events is None else batch.events
        time = batch.numbers["time_unix_nano"] if times is None else times
        columns = self._columns(batch)
        self._keep_others(batch, fit & (columns.op > at.SETTLE) & (columns.op < _OBSERVED))
        self.tally.count(batch, columns, fit, time, tables)
        domain = tables.domains.column(batch.names.get("clock_domain"), count) + 1
        recorder = tables.recorders.column(batch.names["recorder"], count)
        people = self._people(batch, columns)
        seq = _numbers(batch, "seq")
        rows = np.arange(batch.first, batch.first + count)
        moment = [time, np.where(seq == NULL, 0, seq + 1), (recorder << 32) | rows]
        kind = self._kind(batch, columns, domain)
        several = self._several(batch, columns, fit)
        if several.any():
            self._settle_several(batch, columns, moment, people, kind, several)
        chosen = fit & _followed(columns) & ~several
        reader = self._readers(batch, columns, chosen)
        partition = tables.names.column(batch.names.get("partition_id"), count) + 1
        key = self._keys(batch, columns)
        words = [key, *moment, self._number(batch, columns), people, (reader << 32) | partition, kind]
        self.store.scatter([each.view(np.uint64) for each in words], chosen)
        self.noted.deliveries += int(np.count_nonzero(chosen & columns.taken))
        self._keep_beside(batch, columns, chosen)
        self._keep_placed(batch, columns, chosen, words, reader, domain)

    # --- names as numbers ---------------------------------------------------------------------------

    def _columns(self, batch: Batch) -> Columns:
        tables, count = self.tables, batch.count
        op = _coded(batch, "op_type", schema.OP_TYPES, -1)
        phase = _coded(batch, "phase", schema.PHASES, -1)
        way = _coded(batch, "settle", schema.SETTLES, _NO_WAY)
        run = self._runs(batch, op)
        named = _there(batch.names.get("message_id"), count)
        destination = tables.names.column(batch.names.get("destination"), count)
        taken = named & ((op == at.RECEIVE) | (op == at.PROCESS)) & (phase == at.OK)
        return Columns(run, op, phase, way, tables.places.column(run, destination), named, taken)

    def _runs(self, batch: Batch, op: Numbers) -> Numbers:
        """The history of each row."""
        names = batch.names["run_id"]
        seen = batch.names.get("vantage")
        if seen is None or "broker" not in seen.values:
            return self.tables.runs.column(names, batch.count)
        by_broker = seen.codes == list(seen.values).index("broker")
        beside = by_broker & (op != schema.OP_TYPES.index("replica"))
        runs = np.empty(batch.count, np.int64)
        runs[~beside] = self.tables.runs.column(_some(names, ~beside), 0)
        runs[beside] = self.tables.runs.column(_some(names, beside, BROKER), 0)
        return runs

    def _people(self, batch: Batch, columns: Columns) -> Numbers:
        """Who takes or settles, or of a send its producer, with the client beside."""
        names, count = self.tables.names, batch.count
        client = names.column(batch.names.get("client_id"), count)
        own = names.column(batch.names.get("consumer_id"), count)
        recorder = names.column(batch.names["recorder"], count)
        other = np.where(client >= 0, client, recorder)
        consumer = np.where((own >= 0) & (columns.op != at.SEND), own, other)
        known = client >= 0
        clients = np.zeros(count, np.int64)
        clients[known] = self.tables.people.column(columns.run[known], client[known]) + 1
        return (self.tables.people.column(columns.run, consumer) << 32) | clients

    def _readers(self, batch: Batch, columns: Columns, chosen: Truths) -> Numbers:
        """Who reads: for all but deliveries, whoever reads the place without a name."""
        tables, count = self.tables, batch.count
        group = tables.names.column(batch.names.get("consumer_group"), count)
        subscription = tables.names.column(batch.names.get("subscription"), count)
        taken = columns.taken & chosen
        channel = tables.channels.column(np.where(taken, group, -1), np.where(taken, subscription, -1))
        readers = tables.readers.column(columns.place, channel)
        if taken.any():
            for reader in np.unique(readers[taken]).tolist():
                place, _ = tables.readers.values[reader]
                self.noted.may_read.add((place, tables.subscriber_of(reader)))
        return readers

    def _keys(self, batch: Batch, columns: Columns) -> NDArray[np.uint64]:
        """A hash of each message's run, destination and name."""
        names = batch.names.get("message_id")
        if names is None:
            return np.zeros(batch.count, np.uint64)
        return hashes(names.values, self.seed)[names.codes] ^ self._places()[columns.place]

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

    # --- words --------------------------------------------------------------------------------------

    def _kind(self, batch: Batch, columns: Columns, domain: Numbers) -> Numbers:
        """Op, phase, settle, flags, clock domain and count in one word."""
        count = np.maximum(_numbers(batch, "delivery_count"), 0)
        if int(domain.max(initial=0)) > at.DOMAINS or int(count.max(initial=0)) > at.DOMAINS:
            raise too_large("clock domains or delivery counts above 16,777,215")
        marked = (_truths(batch, "redelivered") == 1) | (count > 1)
        group, part = (_there(batch.names.get(name), batch.count) for name in _GROUPED)
        kind = columns.op | (columns.phase << at.PHASE) | (columns.way << at.WAY)
        kind |= marked * at.MARKED | (_numbers(batch, "attempt") > 1) * at.AGAIN
        kind |= (columns.taken & group & part) * at.GROUPED | _stored(batch, columns) * at.STORED
        kind |= _is_one_of(batch.names.get("system"), schema.UNORDERED, batch.count) * at.UNORDERED
        return kind | (domain << at.DOMAIN) | (count << at.COUNT)

    def _number(self, batch: Batch, columns: Columns) -> Numbers:
        """The producer's number, or the delay of a settle."""
        sequence = _numbers(batch, "producer_seq") ^ NULL
        if "delay_ms" not in batch.numbers:
            return np.where(columns.op == at.SETTLE, 0, sequence)
        return np.where(columns.op == at.SETTLE, np.maximum(_numbers(batch, "delay_ms"), 0), sequence)

    # --- settles of several -------------------------------------------------------------------------

    def _several(self, batch: Batch, columns: Columns, fit: Truths) -> Truths:
        """Which rows settle all deliveries up to a tag."""
        closing = fit & (columns.op == at.SETTLE) & (columns.way <= _CLOSING)
        found: Truths = (
            closing & (_truths(batch, "settle_multiple") == 1) & (_numbers(batch, "delivery_tag") != NULL)
        )
        return found

    def _settle_several(
        self,
        batch: Batch,
        columns: Columns,
        moment: Sequence[Numbers],
        people: Numbers,
        kind: Numbers,
        several: Truths,
    ) -> None:
        consumer = people >> 32
        self.noted.several.update(consumer[several].tolist())
        deed = np.full(batch.count, at.V_SETTLED)
        words = [consumer, *moment, self._number(batch, columns), _numbers(batch, "delivery_tag") ^ NULL]
        self.settlers.scatter([each.view(np.uint64) for each in (*words, deed, kind)], several)

    # --- what is kept beside ------------------------------------------------------------------------

    def _keep_others(self, batch: Batch, others: Truths) -> None:
        chosen = set(np.flatnonzero(others).tolist()) | {
            place for place in batch.lists.get("isr", {}) if batch.events is None or batch.events[place]
        }
        self.noted.others += [(batch.first + place, batch.row(place)) for place in sorted(chosen)]

    def _keep_beside(self, batch: Batch, columns: Columns, chosen: Truths) -> None:
        for name, kept in (("delivery_tag", self.tags), ("generation", self.generations)):
            if name in batch.numbers and bool((chosen & columns.taken).any()):
                kept[batch.first] = batch.numbers[name] ^ NULL
        if self.apart and "offset" in batch.numbers:
            self.offsets[batch.first] = batch.numbers["offset"] ^ NULL

    def _keep_placed(
        self,
        batch: Batch,
        columns: Columns,
        chosen: Truths,
        words: Sequence[Numbers],
        reader: Numbers,
        domain: Numbers,
    ) -> None:
        """Keep what sends and deliveries say of offsets, and all deliveries where there are groups."""
        stored = _stored(batch, columns)
        offset, group = _numbers(batch, "offset"), batch.names.get("consumer_group")
        there = chosen & (stored | columns.taken) & (offset != NULL)
        if group is not None:
            there |= chosen & columns.taken
        if self.apart or not there.any():
            return
        key, time, seq, who, _, people, place, _ = (each[there] for each in words)
        self.placed.append(
            {
                "offset": offset[there], "key": key.view(np.int64), "time": time, "seq": seq,
                "recorder": who >> 32, "row": who & at.ROW, "place": columns.place[there],
                "partition": place & at.ROW, "reader": reader[there], "consumer": people >> 32,
                "generation": _numbers(batch, "generation")[there], "stored": stored[there],
                "domain": domain[there], "run": columns.run[there],
                "group": self.tables.names.column(group, batch.count)[there],
            }
        )  # fmt: skip


_GROUPED = ("consumer_group", "partition_id")


def _stored(batch: Batch, columns: Columns) -> Truths:
    """Which rows are sends that have stored something."""
    found: Truths = (columns.op == at.SEND) & (columns.phase == at.OK) & (_truths(batch, "deduplicated") != 1)
    return found


def _followed(columns: Columns) -> Truths:
    """Which rows are events of a message that rules look at."""
    settles = (columns.op == at.SETTLE) & (columns.way != _NO_WAY)
    known: Truths = columns.named & ((columns.op == at.SEND) | columns.taken | settles)
    return known


def _numbers(batch: Batch, name: str) -> Numbers:
    found = batch.numbers.get(name)
    return np.full(batch.count, NULL, np.int64) if found is None else found


def _truths(batch: Batch, name: str) -> NDArray[np.int8]:
    found = batch.truths.get(name)
    return np.full(batch.count, -1, np.int8) if found is None else found


def _there(names: Names | None, count: int) -> Truths:
    return np.zeros(count, np.bool_) if names is None else names.codes >= 0


def _coded(batch: Batch, name: str, known: Sequence[str], otherwise: int) -> Numbers:
    """A column whose names are among a few, as their places."""
    names = batch.names.get(name)
    if names is None:
        return np.full(batch.count, otherwise, np.int64)
    places = [known.index(str(each)) if str(each) in known else otherwise for each in names.values]
    return np.array([*places, otherwise], np.int64)[names.codes]


def _is_one_of(names: Names | None, some: Sequence[str], count: int) -> Truths:
    """Which rows have one of some names."""
    if names is None:
        return np.zeros(count, np.bool_)
    return np.array([*(str(each) in some for each in names.values), False])[names.codes]


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
