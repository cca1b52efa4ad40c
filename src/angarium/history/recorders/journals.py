"""Files of a recorder, by their names, and how an unfinished one becomes a finished one.

Events are first written to a journal: JSON lines, whatever they end as, in a file whose name begins with a
dot, which readers leave alone. A finished file appears by one rename, whole. Only then is its journal
removed: if a journal and the finished file of its number are both there, the journal is in it. So a crash at
any point loses nothing and doubles nothing.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from angarium.core.files import is_strange, opened
from angarium.history import schema

JSONL, GZIP, PARQUET = "jsonl", "jsonl.gz", "parquet"
FORMS = (JSONL, GZIP, PARQUET)
CUT = "recorder.cut"
"""A control event: the end of an unfinished file could not be read. One number is left out before it."""
_FINISHED = re.compile(r"(?P<name>.+)-(?P<number>\d{6,})\.(?P<form>jsonl|jsonl\.gz|parquet)")
_JOURNAL = re.compile(r"\.(?P<name>.+)-(?P<number>\d{6,})\.jsonl")


@dataclass(frozen=True, slots=True)
class Named:
    """A file of a recorder."""

    path: Path
    name: str
    number: int
    form: str = JSONL


@dataclass(frozen=True, slots=True)
class Last:
    """Where the files of a recorder end."""

    file: int = 0
    seq: int = 0


def file_name(recorder: str) -> str:
    """A recorder's name as the beginning of its files' names."""
    return re.sub(r"[^\w.@+-]", "_", recorder).lstrip("._") or "recorder"


def journal_of(folder: Path, name: str, number: int) -> Path:
    return folder / f".{name}-{number:06}.jsonl"


def lock_of(folder: Path, name: str) -> Path:
    """Whoever writes under a name holds the lock of this file."""
    return folder / f".{name}.lock"


def finished(folder: Path, name: str) -> list[Named]:
    """The finished files of a name, in their order."""
    return [each for each in _found(folder, _FINISHED) if each.name == name]


def locked(folder: Path, name: str) -> BinaryIO | None:
    """The lock of a name, which closing gives back; none if somebody has it."""
    file = lock_of(folder, name).open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def recover(folder: Path) -> list[Path]:
    """Finish the files of recorders that died; those of recorders that are alive are left alone."""
    done: list[Path] = []
    for name in sorted({each.name for each in _found(folder, _JOURNAL)}):
        lock = locked(folder, name)
        if lock is not None:
            with lock:
                done += recover_name(folder, name)
    return done


def abandoned(folder: Path) -> list[Path]:
    """What `recover` would finish: journals of recorders that died, whose events are in no finished file."""
    left = _found(folder, _JOURNAL)
    dead = {name for name in {each.name for each in left} if not _is_alive(folder, name)}
    whole = {(name, each.number) for name in dead for each in finished(folder, name)}
    return [each.path for each in left if each.name in dead and (each.name, each.number) not in whole]


def _is_alive(folder: Path, name: str) -> bool:
    """Whether somebody writes under a name. Nothing is changed by asking."""
    try:
        with opened(lock_of(folder, name)) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def recover_name(folder: Path, name: str) -> list[Path]:
    """Finish what a name's last writer has left; the caller holds its lock."""
    for rest in folder.glob(f".{name}-*.sealing"):
        rest.unlink()
    numbers = {each.number for each in finished(folder, name)}
    done: list[Path] = []
    for each in _found(folder, _JOURNAL):
        if each.name == name and each.number in numbers:
            each.path.unlink()
        elif each.name == name:
            _mend(each.path)
            done.append(seal(each, JSONL))
    return done


def seal(journal: Named, form: str) -> Path:
    """Give a journal's events their finished file; plain lines if another form is not possible."""
    final = journal.path.with_name(f"{journal.name}-{journal.number:06}.{form}")
    if form != JSONL:
        aside = journal.path.with_suffix(".sealing")
        try:
            (_compress if form == GZIP else _to_parquet)(journal.path, aside)
        except (OSError, ValueError):
            aside.unlink(missing_ok=True)
            return seal(journal, JSONL)
        os.replace(aside, final)
        journal.path.unlink()
    else:
        os.replace(journal.path, final)
    return final


def last_of(folder: Path, name: str) -> Last:
    """The number of the last finished file, and the last number of an event in it or in those before."""
    files = finished(folder, name)
    for each in reversed(files):
        if seq := max((event.get("seq") or 0 for event in _events(each)), default=0):
            return Last(files[-1].number, seq)
    return Last(files[-1].number if files else 0, 0)


def _found(folder: Path, pattern: re.Pattern[str]) -> list[Named]:
    matches = [(path, pattern.fullmatch(path.name)) for path in folder.iterdir() if not is_strange(path)]
    found = [
        Named(path, match["name"], int(match["number"]), match.groupdict().get("form") or JSONL)
        for path, match in matches
        if match
    ]
    return sorted(found, key=lambda each: (each.name, each.number))


def _events(file: Named) -> Iterator[dict[str, Any]]:
    if file.form == PARQUET:
        from pyarrow import parquet

        with opened(file.path) as stream, parquet.ParquetFile(stream) as table:
            for batch in table.iter_batches(columns=["seq"]):
                yield from batch.to_pylist()
    else:
        with opened(file.path) as stream:
            lines = gzip.GzipFile(fileobj=stream) if file.form == GZIP else stream
            yield from (event for event in map(_event, lines) if event is not None)


def _event(line: bytes) -> dict[str, Any] | None:
    """What a line says, if it is whole."""
    try:
        event = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _mend(journal: Path) -> None:
    """Cut a journal behind its last whole line, and say so in it; one without a whole line stays as it is."""
    size, last, seq = 0, None, 0
    with journal.open("r+b") as file:
        for line in file:
            if (event := _event(line)) is None:
                break
            size, last, seq = size + len(line), event, max(seq, event.get("seq") or 0)
        if last is None or size == file.seek(0, os.SEEK_END):
            return
        file.seek(size)
        file.truncate()
        file.write(json.dumps(_cut(last, seq + 2)).encode() + b"\n")


def _cut(last: dict[str, Any], seq: int) -> dict[str, Any]:
    kept = "run_id recorder time_unix_nano clock_domain vantage system client_id".split()
    said = {name: last[name] for name in kept if name in last}
    return {**said, "seq": seq, "op_type": "control", "op_name": CUT, "phase": "info"}


def _compress(journal: Path, aside: Path) -> None:
    with opened(journal) as source, gzip.open(aside, "wb", compresslevel=5) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    _to_disk(aside)


def _to_parquet(journal: Path, aside: Path) -> None:
    """A journal is in memory for a moment; how large it may become is limited (`Rotation.bytes`)."""
    import pyarrow
    from pyarrow import json as json_files
    from pyarrow import parquet

    types = {
        schema.LONG: pyarrow.int64(), schema.INT: pyarrow.int32(), schema.TEXT: pyarrow.string(),
        schema.TRUTH: pyarrow.bool_(), schema.TEXTS: pyarrow.list_(pyarrow.string()),
    }  # fmt: skip
    columns = pyarrow.schema([(column.name, types[column.type]) for column in schema.COLUMNS])
    options = json_files.ParseOptions(explicit_schema=columns, unexpected_field_behavior="ignore")
    table = json_files.read_json(journal, parse_options=options)
    parquet.write_table(table, aside, compression="zstd", write_page_checksum=True)
    _to_disk(aside)


def _to_disk(path: Path) -> None:
    with opened(path) as file:
        os.fsync(file.fileno())
