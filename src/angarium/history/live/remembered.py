"""What is remembered of a stream: the kernel's events, and what names, counts and numbers they go with.

Rows are numbered densely within the memory, and `origins` says which event each is among all that were
accepted. From time to time what does not matter any more is forgotten (`matters`), and the rows are numbered
anew; what is then in memory is written down (`save`), and whoever goes on from there takes the events of the
batches since once more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.core import files
from angarium.history.intake.batch import Batch, batch_of
from angarium.history.kernel import layout as at
from angarium.history.kernel.encode_core import CHOSEN, TAKEN_, TALLY
from angarium.history.kernel.encoding import Encoder, Events, Given
from angarium.history.kernel.facts import run_of
from angarium.history.kernel.interning import Interned, Numbers, Pairs
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import Store, bits_for
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.numbering import Tables
from angarium.history.kernel.tally import Tally
from angarium.history.live.folder import replaced
from angarium.history.live.numbered import Numbered

ROOM = 1 << 16
"""Records for which a store has room at least."""
_LARGEST = 1 << 31
"""Bytes of names."""
Words = NDArray[np.uint64]


class Counts(Tally):
    """A tally without recorders' numbers, which a stream follows by itself."""

    def _watch(self, *_: object) -> None:
        pass


class Taking(Encoder):
    """An encoder that notes which messages of a batch begin, and where messages are settled."""

    def __init__(self, store: Store, settlers: Store, noted: Noted) -> None:
        super().__init__(store, settlers)
        self.noted, self.tables, self.tally = noted, noted.tables, noted.tally
        self.settling: set[int] = set()
        """Places where messages are settled; elsewhere, who got a message has finished with it."""
        self.told: list[Words] = []
        self.begun: list[Words] = []
        """Of this batch: the messages that were sent or delivered, and those that were sent first."""

    def _keep_placed(self, batch: Batch, events: Events, runs: Numbers) -> None:
        super()._keep_placed(batch, events, runs)
        keys, kind, chosen = events.words[at.KEY].view(np.uint64), events.words[at.KIND], events.are(CHOSEN)
        sent = chosen & (events.op == at.SEND)
        self.told.append(keys[sent | events.are(TAKEN_)])
        self.begun.append(keys[sent & (kind & at.AGAIN == 0)])
        settled = chosen & (events.op == at.SETTLE)
        self.settling.update(np.unique(events.place[settled]).tolist())

    def strange(self) -> Words:
        """The messages of the batch that do not begin as messages do; they are asked for once."""
        told, begun = (np.concatenate([np.zeros(0, np.uint64), *each]) for each in (self.told, self.begun))
        self.told, self.begun = [], []
        return np.setdiff1d(told, begun)

    def keys_of(self, events: Sequence[dict[str, Any]]) -> Words:
        """The messages of some events, as the kernel knows them."""
        batch = batch_of(events)
        words = self._encoded(batch, Given(batch, self.tables, self.seed, None)).words
        return words[at.KEY].view(np.uint64).copy()


def _fresh(noted: Noted) -> Taking:
    return Taking(Store(ROOM, 0), Store(ROOM, 0), noted)


@dataclass
class Remembered:
    """All that is remembered."""

    encoder: Taking = field(default_factory=lambda: _fresh(Noted(tally=Counts())))
    numbered: Numbered = field(default_factory=Numbered)
    pins: set[int] = field(default_factory=set)
    """Rows that proved something that is told once."""
    settled: int = 0
    """So many rows there were when something was forgotten last."""
    _origins: list[Numbers] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return self.encoder.noted.rows

    @property
    def origins(self) -> Numbers:
        """The number of each row among all events."""
        self._origins = [np.concatenate([np.zeros(0, np.int64), *self._origins])]
        return self._origins[0]

    # --- taking -------------------------------------------------------------------------------------

    def take(self, batch: Batch, first: int) -> None:
        """Take new events, the first of which has a number among all."""
        numbers = np.arange(first, first + batch.count)
        told = len(self.encoder.noted.others)
        self._encode(batch, numbers)
        for _, event in self.encoder.noted.others[told:]:
            self.encoder.tally.add(self.encoder.tables.runs.of(run_of(event)), event)
        self.numbered.take(batch, numbers, self.encoder.tables)

    def take_again(self, batch: Batch, numbers: Numbers) -> None:
        """Take events that were forgotten: they have been counted."""
        tally, self.encoder.tally = self.encoder.tally, Counts()
        self._encode(batch, numbers)
        self.encoder.tally = tally
        self.encoder.strange()

    def _encode(self, batch: Batch, numbers: Numbers) -> None:
        self.make_room(batch.count)
        self.encoder.add(replace(batch, first=self.rows))
        self._origins.append(numbers)

    def make_room(self, rows: int) -> None:
        """Make sure that the stores have room for so many rows more."""
        store = self.encoder.store
        chunks = rows // (at.CHUNK - 1) + (1 << store.bits) + 1
        if int(store.words[at.USED]) + chunks > int(store.words[at.ROOM]):
            kept = np.ones(self.rows, np.bool_)
            self._move(kept, 2 * (self.rows + rows), np.arange(self.rows, dtype=np.uint32))

    def _move(self, kept: NDArray[np.bool_], room: int, places: NDArray[np.uint32]) -> None:
        """Put the records of the rows that are kept into new stores."""
        encoder, bits = self.encoder, bits_for(int(np.count_nonzero(kept)))
        marks, places = kept.view(np.uint8), np.append(places, np.uint32(0))
        for name in ("store", "settlers"):
            old, new = getattr(encoder, name), Store(max(room, ROOM), bits)
            KERNEL.call("renew", old.words, new.words, marks, places)
            setattr(encoder, name, new)

    # --- forgetting ---------------------------------------------------------------------------------

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Forget all rows but some, and number these anew."""
        encoder = self.encoder
        places = (np.cumsum(kept) - 1).astype(np.uint32)
        beside = {
            name: _by_row(getattr(encoder, name), self.rows)[kept] for name in ("tags", "generations")
            if getattr(encoder, name)
        }  # fmt: skip
        self._move(kept, 2 * int(np.count_nonzero(kept)), places)
        for name, values in beside.items():
            setattr(encoder, name, {0: values})
        encoder.noted.others = [(int(places[row]), event) for row, event in encoder.noted.others if kept[row]]
        encoder.placed = [each for each in map(_kept_of(kept, places), encoder.placed) if len(each["row"])]
        self.pins = {int(places[row]) for row in self.pins if kept[row]}
        origins = self.origins[kept]
        self._origins, encoder.noted.rows = [origins], len(origins)
        self.settled = self.rows
        encoder.noted.deliveries = min(encoder.noted.deliveries, self.rows)

    # --- looking for messages -----------------------------------------------------------------------

    def rows_of(self, keys: Words) -> dict[int, int]:
        """The rows of all events of messages, each with the message's key."""
        return self.encoder.store.rows_of(keys)

    def stored_since(self, time: int) -> list[int]:
        """The rows of sends that are ok, from a time on."""
        most = 1 << 12
        while True:
            found = np.zeros(most, np.uint64)
            count = KERNEL.call("stored_since", self.encoder.store.words, max(time, 0), found, most)
            if count <= most:
                return [int(row) for row in sorted(found[:count].tolist())]
            most = count

    # --- on disk ------------------------------------------------------------------------------------

    def save(self, folder: Path, more: Mapping[str, Numbers | Words]) -> None:
        """Write everything down, and some other arrays."""
        encoder = self.encoder
        words = {f"{name}.{key}": each for name in _STORES for key, each in getattr(encoder, name).used()}
        beside = {
            name: _by_row(getattr(encoder, name), self.rows) for name in _BESIDE if getattr(encoder, name)
        }
        placed = _joined(encoder.placed)
        arrays: dict[str, Numbers | Words] = {**words, **beside}
        arrays |= {f"placed.{name}": each for name, each in placed.items()}
        arrays |= {"origins": self.origins, "pins": np.array(sorted(self.pins), np.int64)}
        arrays |= {f"numbered.{name}": each for name, each in self.numbered.arrays().items()}
        arrays.update(more)
        for name, array in arrays.items():
            _write(folder / f"{name}.npy", array)
        replaced(folder / "names.json", json.dumps(self._said()))

    def _said(self) -> dict[str, Any]:
        """What is no array."""
        encoder = self.encoder
        return {
            "tables": {
                name: each.values for name, each in vars(encoder.tables).items()
            },
            "tally": _tally_said(encoder.tally),
            "others": encoder.noted.others, "several": sorted(encoder.noted.several),
            "settling": sorted(encoder.settling),
            "may_read": sorted(encoder.noted.may_read), "deliveries": encoder.noted.deliveries,
            "logs": sorted(self.numbered.logs),
        }  # fmt: skip

    @staticmethod
    def load(folder: Path) -> tuple[Remembered, dict[str, Any]]:
        """What was written down, and the other arrays."""
        said = json.loads(files.read_text(folder / "names.json", _LARGEST))
        arrays = {path.stem: np.load(path, allow_pickle=False) for path in folder.glob("*.npy")}
        encoder = _fresh(Noted(_tables_of(said["tables"]), _tally_of(said["tally"])))
        for name in _STORES:
            setattr(encoder, name, Store.of({key: arrays[f"{name}.{key}"] for key in Store.PARTS}))
        for name in _BESIDE:
            if name in arrays:
                setattr(encoder, name, {0: arrays[name]})
        placed = {name[7:]: each for name, each in arrays.items() if name.startswith("placed.")}
        encoder.placed = [placed] if placed else []
        encoder.noted.others = [(row, event) for row, event in said["others"]]
        encoder.noted.several, encoder.settling = set(said["several"]), set(said["settling"])
        encoder.noted.may_read = {(place, subscriber) for place, subscriber in said["may_read"]}
        encoder.noted.deliveries = said["deliveries"]
        numbers = {name[9:]: each for name, each in arrays.items() if name.startswith("numbered.")}
        logs = {(source, bool(beside)) for source, beside in said["logs"]}
        found = Remembered(encoder, Numbered.of(numbers, logs), set(arrays["pins"].tolist()))
        found._origins, encoder.noted.rows = [arrays["origins"]], len(arrays["origins"])
        found.settled = found.rows
        return found, arrays


_STORES, _BESIDE = ("store", "settlers"), ("tags", "generations")


def _by_row(batches: dict[int, Numbers], rows: int) -> Numbers:
    """A number for each row."""
    found = np.zeros(rows, np.int64)
    for first, values in batches.items():
        found[first : first + len(values)] = values
    return found


def _kept_of(
    kept: NDArray[np.bool_], places: NDArray[np.uint32]
) -> Callable[[dict[str, Numbers]], dict[str, Numbers]]:
    def chosen(placed: dict[str, Numbers]) -> dict[str, Numbers]:
        there = kept[placed["row"]]
        some = {name: values[there] for name, values in placed.items()}
        return some | {"row": places[some["row"]].astype(np.int64)}

    return chosen


def _joined(placed: Sequence[dict[str, Numbers]]) -> dict[str, Numbers]:
    return {name: np.concatenate([each[name] for each in placed]) for name in placed[0]} if placed else {}


def _write(path: Path, array: NDArray[Any]) -> None:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def _tables_of(said: dict[str, list[Any]]) -> Tables:
    found = Tables()
    for name, values in said.items():
        table: Interned | Pairs = getattr(found, name)
        for value in values:
            table.of(value) if isinstance(table, Interned) else table.of(*value)
    return found


def _tally_said(tally: Tally) -> dict[str, Any]:
    return {
        "counted": tally.counted.tolist(),
        "said": {name: list(each.items()) for name, each in tally.said.items()},
        "seen": [(*key, sorted(each, key=str)) for key, each in tally.seen.items()],
    }  # fmt: skip


def _tally_of(said: dict[str, Any]) -> Tally:
    return Counts(
        counted=np.array(said["counted"], np.int64).reshape(-1, TALLY),
        said={name: Counter(dict(each)) for name, each in said["said"].items()},
        seen={(name, run): set(each) for name, run, each in said["seen"]},
    )
