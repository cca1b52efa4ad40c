"""An audit on Spark: tasks read and scatter, Spark moves blocks, tasks fold.

Rows never pass through Spark one by one. A task reads a piece of the history as it is read in the process
and gives blocks of events by partition; Spark brings all blocks of a partition together, and other tasks fold
them. What tasks note and count comes back and is put together here, as it is from threads.

Only the public interface of data frames is used, so any session will do, also one that is given, and one that
is far away (Spark Connect). Blocks are kept by Spark, in memory and on disk; where a worker dies, Spark has
what it had computed again, and the numbers of rows are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.hosts import folds, tasks
from angarium.history.hosts.folds import Known
from angarium.history.hosts.pieces import Input
from angarium.history.hosts.tasks import SCHEMA, Asking, Read, answered
from angarium.history.intake.batch import Batch
from angarium.history.kernel import layout as at
from angarium.history.kernel.crew import Partial
from angarium.history.kernel.facts import Facts, context_of
from angarium.history.kernel.folding import Folded, see, settled
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.lives import Words, added
from angarium.history.kernel.memory import joined
from angarium.history.kernel.noted import Noted, Translation
from angarium.history.kernel.numbers import Odd, odd_of
from angarium.history.kernel.placed import Placed
from angarium.history.results import Violation
from angarium.history.story_events import Found

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Event = Mapping[str, Any]
EVENTS_A_PART = 1_250_000
"""About so many events a task folds."""
MOST_BITS = 12


class DamagedPieceError(Exception):
    """A piece of which something cannot be read."""

    def __init__(self, piece: int, why: str) -> None:
        super().__init__(why)
        self.piece, self.why = piece, why


@dataclass
class OnSpark:
    """The steps of an audit, as jobs."""

    spark: SparkSession
    inputs: Sequence[Input]
    reads: dict[int, Read] = field(default_factory=dict)
    """What was read, by piece."""
    corrected: Odd = field(default_factory=Odd)
    _first: list[int] = field(default_factory=list)
    """The number of the first row of each piece, and how many rows there are."""
    _pieces: list[int] = field(default_factory=list)
    _translations: dict[int, Translation] = field(default_factory=dict)
    _rows: dict[int, int] = field(default_factory=dict)
    """The rows of messages of which something was found, with their hashes."""
    _kept: list[DataFrame] = field(default_factory=list)
    _events: DataFrame | None = None
    _folded: tuple[Known, NDArray[np.uint64], DataFrame] | None = None
    """What is known, who was seen first, and all events, when these are folded."""

    @property
    def bits(self) -> int:
        """How many bits number the partitions."""
        rows = sum(each.rows for each in self.inputs)
        return min(max(0, rows // EVENTS_A_PART).bit_length(), MOST_BITS)

    def name(self, piece: int) -> str:
        """The file or table that a piece is of."""
        place, first = self._input_of(piece)
        return self.inputs[place].name(piece - first)

    def _input_of(self, piece: int) -> tuple[int, int]:
        """The input that a piece is of, and the number of its first piece."""
        first = 0
        for place, each in enumerate(self.inputs):
            if piece < first + each.count:
                return place, first
            first += each.count
        raise ValueError(piece)

    def close(self) -> None:
        """Let go of what Spark has kept."""
        for each in self._kept:
            each.unpersist()
        self._kept.clear()

    # --- reading ------------------------------------------------------------------------------------

    def read(self, seed: int, odd: Odd) -> Noted:
        self.close()
        self._rows.clear()
        self.corrected = odd
        blocks = self._keep(self.over(tasks.Reading(seed, self.bits, self.by_piece(odd))))
        found = dict(_answers(blocks))
        for piece, each in sorted(found.items()):
            if isinstance(each, str):
                raise DamagedPieceError(piece, each)
        before = {piece: each.runs for piece, each in self.reads.items()}  # also of rows that repeat others
        self._events, self.reads = blocks, found
        noted = Noted()
        self._pieces, self._first = sorted(found), []
        for piece in self._pieces:
            self._first.append(noted.rows)
            self._translations[piece] = noted.add(found[piece].noted)
            runs = found[piece].runs | before.get(piece, frozenset())
            found[piece] = replace(found[piece], noted=Noted(rows=found[piece].noted.rows), runs=runs)
        self._first.append(noted.rows)
        return noted

    @property
    def firsts(self) -> dict[int, int]:
        """The number of the first row of each piece."""
        return dict(zip(self._pieces, self._first, strict=False))

    def by_piece(self, odd: Odd) -> dict[int, Odd]:
        """What is wrong with rows, by piece, whose rows are numbered from 0 on."""
        found: dict[int, Odd] = {}
        for piece, rows in self._divided(odd.repeats).items():
            first = self._first[self._pieces.index(piece)]
            found.setdefault(piece, Odd()).repeats = {row - first for row in rows}
        for piece, rows in self._divided(odd.times).items():
            first = self._first[self._pieces.index(piece)]
            found.setdefault(piece, Odd()).times = {row - first: odd.times[row] for row in rows}
        return found

    def _divided(self, rows: Collection[int]) -> dict[int, list[int]]:
        """Rows by the piece that they are of."""
        wanted = np.array(sorted(rows), np.int64)
        places = np.searchsorted(self._first, wanted, "right") - 1
        return {self._pieces[place]: wanted[places == place].tolist() for place in np.unique(places).tolist()}

    def odd(self, noted: Noted, sources: Sequence[int]) -> Odd:
        columns = ("run_id", "recorder", "seq", "time_unix_nano", "vantage", "op_type")
        found = sorted(self._ask(tasks.batches, columns))
        return odd_of(self._numbered(found), noted.tables, sources, self._fetched)

    def _numbered(self, found: Sequence[tuple[int, list[Batch]]]) -> Iterator[Batch]:
        for piece, batches in found:
            first = self._first[self._pieces.index(piece)]
            yield from (replace(batch, first=batch.first + first) for batch in batches)

    # --- asking pieces ------------------------------------------------------------------------------

    def over(
        self, work: tasks.OfPieces, some: Collection[int] | None = None, columns: str = SCHEMA
    ) -> DataFrame:
        """What tasks make of all pieces, or of some."""
        found, first = [], 0
        for each in self.inputs:
            mine = None if some is None else [n - first for n in sorted(some) if 0 <= n - first < each.count]
            if mine is None or mine:
                task = replace(work, input=each, first=first)
                found.append(each.frame(self.spark, mine).mapInArrow(task, columns))
            first += each.count
        return reduce(lambda one, other: one.unionByName(other), found)

    def _ask(self, ask: Any, whole: Any) -> list[tuple[int, Any]]:  # noqa: ANN401
        """The answers of all pieces."""
        return _answers(self.over(Asking(ask, None, whole)))

    def _ask_some(self, ask: Any, given: Mapping[int, Any]) -> list[tuple[int, Any]]:  # noqa: ANN401
        """The answers of some pieces."""
        return _answers(self.over(Asking(ask, given), given)) if given else []

    def _fetched(self, rows: Collection[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        """Some rows, as they are in the files."""
        found: dict[int, Event] = {}
        given: dict[int, tuple[list[int], Collection[str] | None]] = {}
        firsts = self.firsts
        for piece, mine in self._divided(rows).items():
            given[piece] = [row - firsts[piece] for row in mine], columns
        for piece, events in sorted(self._ask_some(tasks.fetch, given)):
            found |= {firsts[piece] + row: event for row, event in events.items()}
        return found

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> Mapping[int, Event]:
        found = self._fetched(rows, columns)
        for row in self.corrected.times.keys() & found.keys():
            found[row] = {**found[row], "time_unix_nano": self.corrected.times[row]}
        return found

    def confirmed(self) -> Sequence[tuple[int, Event]]:
        firsts = self.firsts
        return [
            (firsts[piece] + row, self._in_time(firsts[piece] + row, event))
            for piece, events in sorted(self._ask(tasks.confirmed, None))
            for row, event in events.items()
            if "message_id" in event and firsts[piece] + row not in self.corrected.repeats
        ]

    def _in_time(self, row: int, event: Event) -> Event:
        time = self.corrected.times.get(row)
        return event if time is None else {**event, "time_unix_nano": time}

    def evidence(self, chosen: Sequence[Violation]) -> dict[int, list[Found]]:
        """The events of stories, by the places of their violations."""
        odd = self.by_piece(self.corrected)
        given = {piece: (chosen, odd.get(piece, Odd())) for piece in self._pieces}
        found: dict[int, list[Found]] = {number: [] for number in range(len(chosen))}
        for _, each in sorted(self._ask_some(tasks.found_evidence, given)):
            for number, events in each.items():
                found[number] += events
        return found

    # --- folding ------------------------------------------------------------------------------------

    def fold(self, facts: Facts, asked: Collection[str]) -> tuple[Folded, Placed]:
        known = Known(facts, context_of(facts), self._translations, self.bits)
        events = self._of(tasks.EVENTS)
        if facts.several:
            events = events.unionByName(self._virtuals(known))
        folded = self._keep(self._by_part(events, folds.Fold(known)))
        partials = self._partials(folded)
        self._folded = known, np.zeros((known.subscribers, at.MOMENT), np.uint64), events
        if not partials:
            return _nothing(known), Placed()
        ranks = known.context.table(at.RANKS).astype(np.uint64)
        partial = Partial.sum(partials, ranks)
        if partial.postponed:
            see(facts, known.context, partial)
            self._folded = known, partial.known, events
            late = self._by_part(events, folds.Arrive(known, partial.known))
            partial = Partial.sum([partial, *self._partials(late)], ranks)
        placed = Placed()
        for _, (found, mine) in _answers(
            self._by_part(folded.where("kind <> 0"), folds.Second(known, [*asked]))
        ):
            placed.add(mine)
            partial = _with(partial, found)

        def times(watched: Numbers) -> NDArray[np.uint64]:
            asked = self._by_part(events, folds.Times(known, watched))
            return np.concatenate([each for _, each in _answers(asked)])

        return settled(partial, times), placed

    def _partials(self, folded: DataFrame) -> list[Partial]:
        """What was found, while the rows of messages of which something was found are kept."""
        partials = []
        for _, (partial, rows) in _answers(folded):
            partials.append(partial)
            self._rows.update(rows)
        return partials

    def _virtuals(self, known: Known) -> DataFrame:
        given = self._of(tasks.EVENTS, tasks.SETTLERS)
        deeds = self._by_part(given, folds.Marking(known))
        return self._keep(self._by_part(deeds, folds.Expanding(known)))

    def _of(self, *kinds: int) -> DataFrame:
        assert self._events is not None
        return self._events.where(f"kind IN ({', '.join(map(str, kinds))})")

    def _by_part(self, blocks: DataFrame, work: Any, columns: str = SCHEMA) -> DataFrame:  # noqa: ANN401
        """What tasks make of blocks, all of a partition together."""
        return blocks.repartitionById(1 << self.bits, "part").mapInArrow(work, columns)

    # --- what is told of every message --------------------------------------------------------------

    @property
    def facts(self) -> Facts:
        """What was known when everything was folded."""
        assert self._folded is not None
        return self._folded[0].facts

    def spelled(self) -> Words:
        """The words of all lives."""
        assert self._folded is not None
        known, first, events = self._folded
        return added(each for _, each in _answers(self._by_part(events, folds.Spelling(known, first))))

    def lives(self, columns: str) -> DataFrame:
        """What the table of messages tells, as some columns."""
        assert self._folded is not None
        known, first, events = self._folded
        return self._by_part(events, folds.Telling(known, first), columns)

    def rows_of(self, keys: NDArray[np.uint64]) -> Mapping[int, int]:
        wanted = set(keys.tolist())
        return {row: key for row, key in self._rows.items() if key in wanted}

    def _keep(self, blocks: DataFrame) -> DataFrame:
        from pyspark.storagelevel import StorageLevel

        self._kept.append(blocks.persist(StorageLevel.MEMORY_AND_DISK))
        return self._kept[-1]

    # --- what was read ------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        return self._first[-1]

    def refused(self) -> Iterator[tuple[int, Counter[tuple[str, str | None]]]]:
        """Rows in quarantine, by piece."""
        yield from ((piece, each.refused) for piece, each in self.reads.items())


def _answers(blocks: DataFrame) -> list[tuple[int, Any]]:
    """What tasks have answered, with the piece that it is about."""
    table = blocks.where("kind = 0").select("piece", "data").toArrow()
    pieces, data = (table.column(name).to_pylist() for name in ("piece", "data"))
    return [(piece, answered(each)) for piece, each in zip(pieces, data, strict=True)]


def _with(partial: Partial, found: Sequence[Partial]) -> Partial:
    """The findings of the second level beside those of messages, and what it judges more."""
    return replace(
        partial,
        judged=sum((each.judged for each in found), partial.judged),
        findings=joined([partial.findings, *(each.findings for each in found)]),
        collided=partial.collided or any(each.collided for each in found),
    )


def _nothing(known: Known) -> Folded:
    """What is found where there are no events of messages."""
    return Folded(
        np.zeros((0, at.FINDING), np.uint64),
        np.zeros((known.runs, at.COUNTED, 2), np.int64),
        np.zeros((known.runs, at.FIGURE), np.int64),
        np.zeros((0, 1 + at.BUCKET), np.int64),
    )
