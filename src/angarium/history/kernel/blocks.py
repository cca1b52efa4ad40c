"""Records of a part as a block of bytes: to be kept in a file, or sent to whoever folds them.

A block is a batch of Arrow: eight columns of words, and beside them what only some histories have (delivery
tags, generations, offsets). Columns compress well, by LZ4: most of them hardly change from row to row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import Store

Words = NDArray[np.uint64]
Beside = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Block:
    """Some records."""

    columns: Sequence[Words]
    beside: Beside = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def rows(self) -> NDArray[np.int64]:
        """The numbers of their rows."""
        return self.columns[at.WHO].view(np.int64) & at.ROW

    def packed(self) -> bytes:
        words = {str(column): each.view(np.int64) for column, each in enumerate(self.columns)}
        return packed({**words, **self.beside})

    @classmethod
    def unpacked(cls, given: bytes | memoryview) -> Block:
        values = unpacked(given)
        columns = [values.pop(str(column)).view(np.uint64) for column in range(at.RECORD)]
        return cls(columns, values)

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """One of several, in their order; what some have not beside is 0 there."""
        names = dict.fromkeys(name for block in blocks for name in block.beside)
        beside = {
            name: np.concatenate([block.beside.get(name, np.zeros(len(block), np.int64)) for block in blocks])
            for name in names
        }
        if not blocks:
            return cls([np.zeros(0, np.uint64)] * at.RECORD)
        columns = [np.concatenate([block.columns[each] for block in blocks]) for each in range(at.RECORD)]
        return cls(columns, beside)


def packed(columns: Beside) -> bytes:
    """Columns of numbers, as long as each other, as bytes."""
    import pyarrow as pa

    batch = pa.record_batch([pa.array(each) for each in columns.values()], list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression=_codec())) as to:
        to.write_batch(batch)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def unpacked(given: bytes | memoryview) -> dict[str, NDArray[np.int64]]:
    import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(given)) as stream:
        batch = stream.read_next_batch()
    return {name: batch.column(name).to_numpy() for name in batch.schema.names}


@cache
def _codec() -> str | None:
    import pyarrow as pa

    return "lz4" if pa.Codec.is_available("lz4") else None


def blocks_of(store: Store, beside: Beside | None = None) -> Iterator[tuple[int, Block]]:
    """The parts of a store that have records; `beside`: columns by row."""
    for part in range(1 << store.bits):
        if count := store.count(part):
            columns = np.empty((at.RECORD, count), np.uint64)
            KERNEL.call("export", store.words, part, count, columns)
            block = Block(list(columns))
            given = {name: values[block.rows] for name, values in (beside or {}).items()}
            yield part, Block(block.columns, given)


def store_of(block: Block, bits: int) -> Store:
    """A store with the records of a block."""
    store = Store(len(block), bits)
    store.scatter(block.columns, np.ones(len(block), np.bool_))
    return store
