"""Small histories for tests: rows as dictionaries, many runs of them in one table.

A row is written as `row("run", 12.5, "send", …)`, its time in milliseconds after a beginning. Who records
it is its client, unless something else is said, and each recorder of a run counts from 1 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields as fields_of
from typing import Any
from unittest.mock import patch

import pytest

from angarium.history import tabled
from angarium.history.intake.batch import Batch, batch_of
from angarium.history.intake.files import Files
from angarium.history.intake.formats import looked
from angarium.history.intake.source import Kept
from angarium.history.kernel.audit import Audited, audited
from angarium.history.kernel.lives import columns
from angarium.history.kernel.process import InProcess, audit
from angarium.history.needs import LACKS
from angarium.history.parameters import MILLISECOND, Parameters
from angarium.history.profile import Profile
from angarium.spark.place import Place
from tests.needs import HISTORIES as RECORDED
from tests.needs import NEEDS

Row = dict[str, Any]
HERE = Place("local[2]")
BEGIN = 1_794_719_060_000_000_000


def row(run: str, ms: float, op_type: str, **fields: object) -> Row:
    """One event; its phase is ok and its recorder the client, unless fields say something else."""
    time = BEGIN + round(ms * MILLISECOND)
    recorder = fields.get("client_id") or "ctl"
    defaults = {
        "run_id": run,
        "time_unix_nano": time,
        "op_type": op_type,
        "phase": "ok",
        "recorder": recorder,
    }
    return defaults | fields


def numbered(rows: Iterable[Row]) -> list[Row]:
    """The rows with a seq for each recorder of a run, where they have none."""
    last: dict[tuple[str, str], int] = {}
    found = []
    for each in rows:
        key = (each["run_id"], each["recorder"])
        last[key] = last.get(key, 0) + 1
        found.append({"seq": last[key]} | each)
    return found


def audit_of(rows: Iterable[Row], parameters: Parameters | None = None) -> Audited:
    """What the kernel finds in rows, numbered, whatever its runs may lack: the rules themselves are asked."""
    return asked([batch_of(numbered(rows))], parameters)


def asked(batches: Sequence[Batch], parameters: Parameters | None = None) -> Audited:
    """What the kernel finds in batches."""
    able = dict.fromkeys(LACKS, lambda profile, parameters: None)
    with patch.dict(LACKS, able), patch.object(Profile, "unsettled", None):
        return audit(Kept(batches), parameters or Parameters(), mend=False)


def found(known: Audited, guarantee: str, *columns: str) -> set[tuple[Any, ...]]:
    """Violations of a guarantee as tuples of some of their columns."""
    mine = [each for each in known.violations if each.guarantee == guarantee]
    rows = [tuple(getattr(each, name) for name in columns) for each in mine]
    assert len(set(rows)) == len(rows), "a violation is there twice"
    return set(rows)


def messages_of(rows: Iterable[Row]) -> list[Row]:
    """The table of messages of rows, numbered."""
    batch = batch_of(numbered(rows))
    steps = InProcess(Kept([batch]))
    audited(steps, Parameters(), mend=False)
    lives = steps.lives()
    told = columns(lives, steps.folding.facts)
    table = tabled.messages(told, tabled.message_ids(batch, told["row"].to_numpy()))
    rows_: list[Row] = table.to_pylist()
    return rows_


def profile(**known: object) -> Profile:
    """A profile in which nothing was counted but what is said."""
    nothing: dict[str, Any] = dict.fromkeys((each.name for each in fields_of(Profile)), 0) | {
        "run_id": "r",
        "systems": (),
        "attached": False,
    }
    return Profile(**nothing | known)


def counts(known: Audited, guarantee: str) -> dict[str, tuple[int, int]]:
    """How many of each run were judged, and how many were not."""
    mine = [each for each in known.judgements if each.guarantee == guarantee]
    return {each.run_id: (each.judged, each.unjudged) for each in mine}


def recorded(*names: str) -> list[Batch]:
    """Recorded histories of real brokers."""
    paths = [RECORDED / f"{name}.jsonl.gz" for name in names]
    if not all(path.exists() for path in paths):
        pytest.skip(NEEDS["histories"].reason)
    return list(Files(looked(paths, None, mapped=False)).batches())
