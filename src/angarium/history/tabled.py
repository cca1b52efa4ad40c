"""The tables that an audit gives, as tables of Arrow: of what was read, and of what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from angarium.history import schema, tables
from angarium.history.explanations import explanation
from angarium.history.intake.batch import KINDS, NULL, Batch, Names
from angarium.history.intake.parquet import Dictionary, types
from angarium.history.intake.reasons import LONGEST
from angarium.history.intake.rules import Refused
from angarium.history.kernel.audit import Audited

if TYPE_CHECKING:
    import pyarrow as pa

_PLAIN = ("message_id",)
"""Columns whose names differ in nearly every row."""


def schema_of(ddl: str) -> pa.Schema:
    """The columns of a table that `tables` describes."""
    import pyarrow as pa

    kinds = {"string": pa.string(), "bigint": pa.int64(), "int": pa.int32(), "boolean": pa.bool_()}
    return pa.schema([(name, kinds[kind]) for name, kind in (each.split() for each in ddl.split(","))])


def table(ddl: str, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """A table of rows."""
    import pyarrow as pa

    wanted = schema_of(ddl)
    columns = list(zip(*rows, strict=True)) or [()] * len(wanted)
    arrays = [pa.array(column, each.type) for column, each in zip(columns, wanted, strict=True)]
    return pa.Table.from_arrays(arrays, schema=wanted)


# --- what was found -----------------------------------------------------------------------------------


def found(audited: Audited) -> dict[str, pa.Table]:
    """The tables of what was found, by their names."""
    summary = [
        (
            each.run_id,
            each.guarantee,
            each.verdict.value,
            each.judged,
            each.unjudged,
            each.violations,
            each.reason,
        )
        for each in audited.judgements
    ]
    violations = (astuple(replace(each, explanation=explanation(each))) for each in audited.violations)
    return {
        "violations": table(tables.EXPLAINED, violations),
        "summary": table(tables.SUMMARY, summary),
        "latency": table(tables.LATENCY, audited.latency),
    }


# --- what was read ------------------------------------------------------------------------------------


def schema_of_events(*, plain: bool = True) -> pa.Schema:
    """The columns of events; names as numbers with a dictionary where they are not to be plain."""
    import pyarrow as pa

    coded = {} if plain else {schema.TEXT: pa.dictionary(pa.int32(), pa.string())}
    kinds = types() | coded
    return pa.schema([(name, pa.string() if name in _PLAIN else kinds[kind]) for name, kind in KINDS.items()])


def table_of(batch: Batch, wanted: pa.Schema) -> pa.Table:
    """A batch with all columns of the schema."""
    import pyarrow as pa

    return pa.Table.from_arrays([_column(batch, each.name, each.type) for each in wanted], schema=wanted)


def events(batch: Batch) -> pa.Table:
    """The events of a batch."""
    import pyarrow as pa

    whole = table_of(batch, schema_of_events())
    return whole if batch.events is None else whole.filter(pa.array(batch.events))


def _column(batch: Batch, name: str, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if name in batch.names:
        return _named(batch.names[name], plain=kind == pa.string())
    if name in batch.numbers:
        numbers = batch.numbers[name]
        return pa.array(np.where(numbers == NULL, 0, numbers), kind, mask=numbers == NULL)
    if name in batch.truths:
        return pa.array(batch.truths[name] > 0, kind, mask=batch.truths[name] < 0)
    if listed := batch.lists.get(name):
        return pa.array([listed.get(place) for place in range(batch.count)], kind)
    return pa.nulls(batch.count, kind)


def _named(names: Names, *, plain: bool) -> pa.Array:
    import pyarrow as pa

    values = names.values
    known = values.names if isinstance(values, Dictionary) else pa.array(list(values), pa.string())
    codes = pa.array(names.codes, pa.int32(), mask=names.codes < 0)
    return known.take(codes) if plain else pa.DictionaryArray.from_arrays(codes, known)


def messages(told: Mapping[str, pa.Array], names: pa.Array) -> pa.Table:
    """The table of messages, from what the kernel tells of them and their names."""
    import pyarrow as pa

    wanted = schema_of(tables.MESSAGES)
    return pa.table({**told, "message_id": names}).select(wanted.names).cast(wanted)


def message_ids(batch: Batch, rows: NDArray[np.int64]) -> pa.Array:
    """The names of messages in some rows of a batch."""
    names = batch.names["message_id"]
    return _named(Names(names.codes[rows - batch.first], names.values), plain=True)


def quarantine(refused: Iterable[tuple[str, Refused]]) -> pa.Table:
    """Rows that are no events, each with the name of its file."""
    rows = (
        (each.run_id, file, each.line, each.reason, each.field, _short(each.value), _short(each.raw))
        for file, each in refused
    )
    return table(tables.QUARANTINE, rows)


def _short(text: str | None) -> str | None:
    return None if text is None else text[:LONGEST]
