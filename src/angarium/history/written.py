"""An audit on disk: a folder with its tables as Parquet, and `angarium.json`, which says what they are.

The folder is written beside its place and renamed to it when it is whole. An older audit that is there gives
way; anything else is left alone.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium import __version__
from angarium.core import files
from angarium.core.errors import UsageError
from angarium.history import schema
from angarium.history.parameters import Parameters
from angarium.history.results import Counts

if TYPE_CHECKING:
    import pyarrow as pa

MARK = "angarium.json"
KIND = "audit"
TABLES = ("events", "quarantine", "messages", "violations", "summary", "latency")


def check(out: Path) -> None:
    """Say that an audit cannot be written there before anything takes time."""
    if not out.absolute().parent.is_dir():
        raise _refused(out, f"there is no folder {out.absolute().parent}")
    if out.is_dir() and any(out.iterdir()) and not _is_ours(out):
        raise _refused(out, "the folder has something else in it")
    if out.exists() and not out.is_dir():
        raise _refused(out, "it is a file")


def write(out: Path, parameters: Parameters, counts: Counts, tables: Callable[[Path], None]) -> None:
    """Write an audit; `tables` writes all of them into a folder."""
    check(out)
    beside = out.absolute().with_name(f".{out.name}.{os.getpid()}")
    try:
        beside.mkdir()
        tables(beside)
        (beside / MARK).write_text(json.dumps(_mark(parameters, counts), indent=2) + "\n", encoding="utf-8")
        _put(beside, out)
    except OSError as problem:
        raise _refused(out, problem.strerror or str(problem)) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def write_table(folder: Path, tables: Iterable[pa.Table], columns: pa.Schema) -> None:
    """Write a table whose rows come in several."""
    from pyarrow import parquet

    folder.mkdir()
    with parquet.ParquetWriter(folder / "part-0.parquet", columns) as writer:
        for each in tables:
            writer.write_table(each)


def _mark(parameters: Parameters, counts: Counts) -> dict[str, Any]:
    return {
        "angarium": __version__,
        "kind": KIND,
        "schema": schema.VERSION,
        "parameters": asdict(parameters),
        "counts": {**asdict(counts), "reasons": dict(counts.reasons)},
        "tables": list(TABLES),
    }


def _is_ours(folder: Path) -> bool:
    try:
        mark = json.loads(files.read_text(folder / MARK))
    except (OSError, ValueError):
        return False
    return isinstance(mark, dict) and mark.get("kind") == KIND


def _put(beside: Path, out: Path) -> None:
    """Rename a whole folder to its place; what was there goes only when the new one is there."""
    old = beside.with_name(f"{beside.name}.old")
    if out.exists():
        out.replace(old)
    beside.replace(out)
    shutil.rmtree(old, ignore_errors=True)


def _refused(out: Path, why: str) -> UsageError:
    return UsageError(
        "ANG014",
        f"cannot write an audit to {out}: {why}",
        possible="a new folder, an empty one, or that of an older audit",
        remedy="give another folder with --out",
    )
