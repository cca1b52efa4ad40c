"""What Spark's tasks do with blocks: fold messages, expand settles of several, follow the second level.

A task of a fold gets all blocks of a partition and gives each event a number in the order of the rows, so
that what the kernel knows by row is no larger than the task; findings go back with the numbers of the rows.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from angarium.history.hosts.pieces import Rows
from angarium.history.hosts.tasks import DEEDS, EVENTS, PLACED, SETTLERS, VIRTUALS, answer, row
from angarium.history.intake.batch import NULL
from angarium.history.kernel import layout as at
from angarium.history.kernel import lives
from angarium.history.kernel.blocks import Block, blocks_of, packed, store_of, unpacked
from angarium.history.kernel.crew import Crew, Partial
from angarium.history.kernel.facts import Facts
from angarium.history.kernel.finding import keys_of_messages
from angarium.history.kernel.folding import SECOND, expanded, watch, with_tables
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.memory import MOST_BITS, Context, Store, Stores, bits_for
from angarium.history.kernel.noted import Translation
from angarium.history.kernel.placed import judged_places

if TYPE_CHECKING:
    import pyarrow as pa

_SECOND = 16
"""The kind of a store of the second level is its place among a thread's words, and this more."""
_OF_DELIVERIES = (at.RECEIVE, at.PROCESS)


@dataclass(frozen=True)
class Known:
    """What all tasks of a fold know."""

    facts: Facts
    context: Context
    translations: Mapping[int, Translation]
    bits: int

    @property
    def runs(self) -> int:
        return len(self.facts.tables.runs.values)

    @property
    def subscribers(self) -> int:
        return len(self.facts.tables.subscribers.values)


@dataclass
class _Part:
    """The blocks of a partition."""

    part: int
    blocks: list[tuple[int, int, Block]] = field(default_factory=list)
    """Kind, piece and records."""
    others: list[bytes] = field(default_factory=list)

    def of(self, kind: int) -> list[Block]:
        return [block for each, _, block in self.blocks if each == kind]


def _gathered(rows: Rows) -> _Part | None:
    """All blocks of a task's partition; None if there are none."""
    found: list[tuple[int, int, bytes]] = []
    part = 0
    for batch in rows:
        for kind, part, piece, data in zip(*(column.to_pylist() for column in batch.columns), strict=True):  # noqa: B007
            found.append((kind, piece, data))
    if not found:
        return None
    blocks = [(kind, piece, Block.unpacked(data)) for kind, piece, data in found if kind != PLACED]
    blocks.sort(key=lambda each: each[:2])
    return _Part(part, blocks, [data for kind, _, data in found if kind == PLACED])


@dataclass
class Numbered:
    """Events of one partition whose rows have numbers of their own."""

    known: Known
    part: int
    events: Block
    rows: Numbers = field(init=False)
    """The rows that the numbers stand for; behind the events' those of the facts."""
    context: Context = field(init=False)
    crew: Crew = field(init=False)
    store: Store = field(init=False)
    taken: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        known = self.known
        own = self.events.rows
        rows = own if bool((np.diff(own) > 0).all()) else np.unique(own)
        self.context = pickle.loads(pickle.dumps(known.context))
        self.rows = np.concatenate([rows, self._renumber_facts(len(rows))])
        numbers = np.arange(len(rows)) if rows is own else np.searchsorted(rows, own)
        who = self.events.columns[at.WHO].view(np.int64)
        columns = list(self.events.columns)
        columns[at.WHO] = ((who & ~at.ROW) | numbers).view(np.uint64)
        bits = min(known.bits + bits_for(len(own)), MOST_BITS)
        self.store = store_of(Block(columns), bits)
        self.taken = np.zeros(max(len(rows), 1), np.uint8)
        with_tables(self.context, self.taken)
        for name, place in (("generation", at.GENERATIONS), ("tag", at.TAGS)):
            values = np.zeros(max(len(rows), 1), np.int64)
            if name in self.events.beside:
                values[numbers] = self.events.beside[name]
            self.context.set(place, values.view(np.uint64))
        ops = columns[at.KIND].view(np.int64) & 0xF
        deliveries = int(np.count_nonzero(np.isin(ops, _OF_DELIVERIES)))
        self.crew = Crew(self.context, known.runs, known.subscribers, known.bits, deliveries, len(own))

    def _renumber_facts(self, first: int) -> Numbers:
        """Give numbers to the rows of the facts, too."""
        tables = [self.context.table(place) for place in (at.ENDS, at.CHANGES, at.CREDITS)]
        whose = np.concatenate([each[:, at.M_WHO] for each in tables]).view(np.int64)
        rows = np.unique(whose & at.ROW)
        for each in tables:
            who = each[:, at.M_WHO].view(np.int64)
            each[:, at.M_WHO] = ((who & ~at.ROW) | (first + np.searchsorted(rows, who & at.ROW))).view(
                np.uint64
            )
        return rows

    @property
    def stores(self) -> Stores:
        return Stores([self.store], parts_of(self.part, self.known.bits, self.store.bits))

    def partial(self) -> Partial:
        """What was found, with the numbers of the rows."""
        found = self.crew.partial()
        findings = found.findings
        for place in (at.X_FIRST, at.X_LAST, at.X_ABOUT):
            findings[:, place] = self.rows[findings[:, place].astype(np.int64)]
        return replace(found, findings=findings)

    def answer(self) -> tuple[Partial, Mapping[int, int]]:
        """What was found, and the rows of all events of the messages that it is of, with their hashes."""
        partial = self.partial()
        keys = keys_of_messages(partial.findings)
        if not len(keys):
            return partial, {}
        columns = self.events.columns
        some = np.isin(columns[at.KEY], keys) & (columns[at.KIND].view(np.int64) & at.VIRTUAL == 0)
        return partial, dict(
            zip(self.events.rows[some].tolist(), columns[at.KEY][some].tolist(), strict=True)
        )

    def whole_rows(self, block: Block) -> Block:
        """Records with the numbers of the rows."""
        who = block.columns[at.WHO].view(np.int64)
        columns = list(block.columns)
        columns[at.WHO] = ((who & ~at.ROW) | self.rows[who & at.ROW]).view(np.uint64)
        return Block(columns)


def parts_of(partition: int, bits: int, finer: int) -> range:
    """The parts that a partition is divided into: the highest bits are the same."""
    return range(partition << (finer - bits), (partition + 1) << (finer - bits))


def _events(known: Known, given: _Part) -> Block:
    """The events of a partition in the numbers of the whole, and settles that were made of several."""
    moved = [
        Block(known.translations[piece].moved(block.columns), block.beside)
        for kind, piece, block in given.blocks
        if kind == EVENTS
    ]
    return Block.joined([*moved, *given.of(VIRTUALS)])


@dataclass(frozen=True)
class Marking:
    """What consumers do who settle several at a time."""

    known: Known

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        given = _gathered(rows)
        if given is None:
            return
        numbered = Numbered(self.known, given.part, _events(self.known, given))
        numbered.crew.use(numbered.stores)
        numbered.crew.over("mark", numbered.stores)
        for store in numbered.crew.filled(at.SETTLERS).each:
            for partition, block in blocks_of(store):
                yield row(DEEDS, partition, -1, self._closing(numbered, numbered.whole_rows(block)).packed())
        settles = [
            Block(self.known.translations[piece].moved_settlers(block.columns))
            for kind, piece, block in given.blocks
            if kind == SETTLERS
        ]
        for partition, block in blocks_of(store_of(Block.joined(settles), self.known.bits)):
            yield row(DEEDS, partition, -1, block.packed())

    def _closing(self, numbered: Numbered, block: Block) -> Block:
        """The delivery that a settle of one closes is told by its row."""
        columns = list(block.columns)
        closing = columns[at.V_DEED] == at.V_CLOSED
        target = columns[at.V_TARGET].copy()
        target[closing] = numbered.rows[target[closing].astype(np.int64)]
        columns[at.V_TARGET] = target
        return Block(columns)


@dataclass(frozen=True)
class Expanding:
    """A settle of each delivery that a settle of several settles."""

    known: Known

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        given = _gathered(rows)
        if given is None:
            return
        deeds = Block.joined(given.of(DEEDS))
        own = np.unique(deeds.rows)
        columns = list(deeds.columns)
        who = columns[at.WHO].view(np.int64)
        columns[at.WHO] = ((who & ~at.ROW) | np.searchsorted(own, who & at.ROW)).view(np.uint64)
        closing = columns[at.V_DEED] == at.V_CLOSED
        target = columns[at.V_TARGET].copy()
        place = np.searchsorted(own, target[closing].astype(np.int64))
        there = np.append(own, -1)[place] == target[closing].astype(np.int64)
        target[closing] = np.where(there, place, len(own))
        columns[at.V_TARGET] = target
        bits = min(self.known.bits + bits_for(len(deeds)), MOST_BITS)
        stores = Stores([store_of(Block(columns), bits)], parts_of(given.part, self.known.bits, bits))
        known = self.known
        crew = Crew(known.context, known.runs, known.subscribers, known.bits, len(deeds), 0)
        for store in expanded(crew, stores, len(own) + 1):
            for partition, block in blocks_of(store):
                made = list(block.columns)
                whose = made[at.WHO].view(np.int64)
                made[at.WHO] = ((whose & ~at.ROW) | own[whose & at.ROW]).view(np.uint64)
                yield row(VIRTUALS, partition, -1, Block(made).packed())


@dataclass(frozen=True)
class Fold:
    """Messages: what is found of them, and what they give to the second level."""

    known: Known

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        given = _gathered(rows)
        if given is None:
            return
        numbered = Numbered(self.known, given.part, _events(self.known, given))
        numbered.crew.use(numbered.stores)
        numbered.crew.over("fold", numbered.stores)
        for place in SECOND:
            for store in numbered.crew.filled(place).each:
                for partition, block in blocks_of(store):
                    yield row(_SECOND + place, partition, -1, numbered.whole_rows(block).packed())
        for partition, columns in _placed(numbered):
            yield row(PLACED, partition, -1, packed(columns))
        yield answer(numbered.answer())


@dataclass(frozen=True)
class _Afterwards(ABC):
    """What is asked of all messages when it is known who was seen first."""

    known: Known
    first: NDArray[np.uint64]
    """The first delivery to each subscriber of a message of which a send is known."""

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        given = _gathered(rows)
        if given is None:
            return
        numbered = Numbered(self.known, given.part, _events(self.known, given))
        for worker in numbered.crew.workers:
            worker.set(at.KNOWN, self.first.reshape(-1).copy())
        yield from self.told(numbered)

    @abstractmethod
    def told(self, numbered: Numbered) -> Iterator[pa.RecordBatch]:
        """What is told of the messages of a partition."""


class Arrive(_Afterwards):
    """The second pass: what was postponed."""

    def told(self, numbered: Numbered) -> Iterator[pa.RecordBatch]:
        numbered.crew.use(numbered.stores)
        numbered.crew.over("arrive", numbered.stores)
        yield answer(numbered.answer())


class Spelling(_Afterwards):
    """The words of all lives, counted."""

    def told(self, numbered: Numbered) -> Iterator[pa.RecordBatch]:
        words = lives.spelled(numbered.crew, numbered.stores, self.known.facts)
        yield answer({key: replace(each, row=int(numbered.rows[each.row])) for key, each in words.items()})


class Telling(_Afterwards):
    """Rows of the table of messages, with the numbers of the rows that name them."""

    def told(self, numbered: Numbered) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for rows in lives.told(numbered.crew, numbered.stores, "tell"):
            found = lives.columns(rows, self.known.facts)
            found["row"] = pa.array(numbered.rows[found["row"].to_numpy()])
            yield pa.record_batch(list(found.values()), list(found))


@dataclass(frozen=True)
class Times:
    """When some subscribers got something."""

    known: Known
    watched: Numbers

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        given = _gathered(rows)
        if given is None:
            return
        numbered = Numbered(self.known, given.part, _events(self.known, given))
        numbered.crew.use(numbered.stores)
        numbered.crew.over("fold", numbered.stores)
        watch(numbered.context, self.watched)
        yield answer(numbered.crew.times(numbered.stores))


@dataclass(frozen=True)
class Second:
    """The second level, and offsets and ownership."""

    known: Known
    asked: Sequence[str]

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        given = _gathered(rows)
        if given is None:
            return
        known, found = self.known, []
        with_tables(known.context, np.zeros(1, np.uint8))
        for place, fold in SECOND.items():
            if blocks := given.of(_SECOND + place):
                block = Block.joined(blocks)
                bits = min(known.bits + bits_for(len(block)), MOST_BITS)
                stores = Stores([store_of(block, bits)], parts_of(given.part, known.bits, bits))
                crew = Crew(known.context, known.runs, known.subscribers, 0, 0, 0)
                crew.over(fold, stores, stores)
                found.append(crew.partial())
        placed = judged_places([unpacked(each) for each in given.others], known.facts, self.asked)
        yield answer((found, placed))


def _placed(numbered: Numbered) -> Iterator[tuple[int, dict[str, Numbers]]]:
    """What sends and deliveries say of offsets, and all deliveries where there are groups, by place."""
    tables, context, events = numbered.known.facts.tables, numbered.context, numbered.events
    group_of = np.array(
        [tables.channels.values[channel][0] for _, channel in tables.readers.values], np.int64
    )
    who, taker, place, kind = (
        events.columns[each].view(np.int64) for each in (at.WHO, at.TAKER, at.PLACE, at.KIND)
    )
    taken = numbered.taken[np.searchsorted(numbered.rows[: len(numbered.taken)], who & at.ROW)]
    offset = events.beside.get("offset", np.zeros(len(events), np.int64)) ^ NULL
    generation = events.beside.get("generation", np.zeros(len(events), np.int64)) ^ NULL
    virtual = (kind & at.VIRTUAL) != 0
    stored = (kind & at.STORED) != 0
    delivered = np.isin(kind & 0xF, _OF_DELIVERIES) & (taken != 0)
    there = ~virtual & (stored | delivered) & (offset != NULL)
    if (group_of >= 0).any():
        there |= ~virtual & delivered
    if not there.any():
        return
    reader = place[there] >> 32
    readers = context.table(at.READERS).astype(np.int64)
    columns = {
        "offset": offset[there], "key": events.columns[at.KEY].view(np.int64)[there],
        "time": events.columns[at.AT].view(np.int64)[there],
        "seq": events.columns[at.SEQ].view(np.int64)[there], "recorder": who[there] >> 32,
        "row": who[there] & at.ROW, "place": readers[reader, at.R_PLACE],
        "partition": place[there] & at.ROW, "reader": reader, "consumer": taker[there] >> 32,
        "generation": generation[there], "stored": stored[there].astype(np.int64),
        "domain": (kind[there] >> at.DOMAIN) & at.DOMAINS, "run": readers[reader, at.R_RUN],
        "group": group_of[reader], "taken": np.where(delivered, taken, 0)[there].astype(np.int64),
    }  # fmt: skip
    partitions = columns["place"] % (1 << numbered.known.bits)
    for partition in np.unique(partitions).tolist():
        some = partitions == partition
        yield partition, {name: values[some] for name, values in columns.items()}
