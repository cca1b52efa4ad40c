"""An audit in the process: no Java, and of Arrow only what reads Parquet.

It is chosen for what fits into memory, if it can answer all that is asked. Asked for by name, it does also
what does not fit: the events of tables are then kept in files, of which little is in memory at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from errno import ENOSPC
from pathlib import Path
from shutil import rmtree

from angarium.core.errors import HistoryError
from angarium.core.units import size_of
from angarium.history.asked import Asked, Conducted
from angarium.history.automaton.words import lived
from angarium.history.evidence.search import evidence
from angarium.history.hosts.local_tables import LocalTables
from angarium.history.hosts.telling import Answers, conducted
from angarium.history.intake import parquet
from angarium.history.intake.files import Files, NoRoomError, is_plain_table, without
from angarium.history.intake.footers import NAME as PARQUET
from angarium.history.intake.formats import Found, require_events
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.parquet import DamagedError
from angarium.history.kernel.audit import audited
from angarium.history.kernel.process import InProcess
from angarium.history.missing import Missing
from angarium.history.remarks import unfinished
from angarium.spark.place import Place
from angarium.spark.scratch import new_scratch

Say = Callable[[str], None]
AN_EVENT = 160
"""Bytes of memory for an event, its file's aside."""
ON_DISK = 4
"""The same, if events are kept in files."""
_UNPACKED = 12
"""So many times as long a text is, at most, as its compressed file."""
_A_LINE = 150
"""Bytes of a line of text, at least."""
_WITH_TABLES = 1.5
"""So many times as much memory an audit takes that writes its tables."""
THREADS = 4
LARGE = 1_000_000
"""Events for which more than one thread is used."""


# --- whether it can be done here ------------------------------------------------------------------------


def is_local(asked: Asked, found: Sequence[Found], memory: str | None) -> bool:
    """Whether an audit is made in the process. HistoryError if it is to be, and cannot."""
    if asked.engine == "spark":
        return False
    why = _refuses(asked, found, memory)
    if why and asked.engine == "local":
        raise _not_here(why)
    return why is None


def _not_here(why: str) -> HistoryError:
    return HistoryError(
        "ANG136",
        f"this cannot be audited in the process: {why}",
        possible="possible: files that fit into memory, and larger Parquet without --out and --model",
        remedy="leave out --engine local: Spark does it",
    )


def _refuses(asked: Asked, found: Sequence[Found], memory: str | None) -> str | None:
    """Why an audit is Spark's."""
    if asked.uris or asked.tables:
        return f"only Spark can open {[*asked.uris, *asked.tables][0]}"
    wanted, room = sum(map(_size, found)) * (_WITH_TABLES if asked.out else 1), _room(memory)
    if wanted > room and _may_lie_in_files(asked):
        wanted = sum(_least(each, asked) for each in found)
    if wanted > room:
        return f"it takes about {wanted / 2**30:.1f} GiB of memory, and {room / 2**30:.1f} GiB are allowed"
    return None


def _size(found: Found) -> float:
    """About how much memory a file's events take."""
    if found.kind is None:
        return 0
    if found.kind.format == PARQUET:
        return parquet.count(found.file.path) * AN_EVENT
    length = found.file.path.stat().st_size * (_UNPACKED if found.file.packing else 1)
    return 2 * length / _A_LINE * AN_EVENT


def _may_lie_in_files(asked: Asked) -> bool:
    """Whether events may be kept in files: if it is asked for, and nothing else is made of them."""
    return asked.engine == "local" and not asked.out and not asked.model


def _least(found: Found, asked: Asked) -> float:
    """The same, if the events of tables are kept in files: what is read once is kept in memory."""
    read_again = not asked.mapping and is_plain_table(found, None)
    return _size(found) / AN_EVENT * ON_DISK if read_again else _size(found)


def _room(memory: str | None) -> float:
    """How much memory an audit may take."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2
    return (size_of(memory) if memory else None) or half


# --- doing it -------------------------------------------------------------------------------------------


def conduct_locally(
    asked: Asked, found: Sequence[Found], mapping: Columns | None, place: Place, say: Say, begin: float
) -> Conducted:
    """Audit files in the process, without those that turn out to be damaged.

    NoRoomError if more is in them than could be seen from outside, and Spark may be asked.
    """
    room = _room(place.memory)
    files = Files(found, mapping, asked.run_id, room=room)
    large = sum(map(_size, found)) > room and _may_lie_in_files(asked)
    while True:
        try:
            with _folder(place.scratch) if large else nullcontext() as folder:
                return _conducted(asked, files, folder, say, begin)
        except DamagedError as problem:
            files = without(files, problem)
        except NoRoomError:
            if asked.engine == "local":
                raise _not_here(f"it takes more than {room / 2**30:.1f} GiB of memory") from None
            raise


@contextmanager
def _folder(parent: Path | None) -> Iterator[Path]:
    """A folder for events that do not fit into memory. HistoryError if the disk is full."""
    folder = new_scratch("events", parent)
    try:
        yield folder
    except OSError as problem:
        if problem.errno != ENOSPC:
            raise
        raise _not_here(f"there is no room for its events in {folder.parent}") from None
    finally:
        rmtree(folder, ignore_errors=True)


def _conducted(asked: Asked, files: Files, folder: Path | None, say: Say, begin: float) -> Conducted:
    say("reading")
    rows = files.rows
    require_events(asked.paths, files.counts())
    say("judging")
    threads = min(THREADS, os.cpu_count() or 1) if rows > LARGE else 1
    left = Missing(anywhere=unfinished(asked.paths))
    steps = InProcess(files, threads, folder)
    found = audited(steps, asked.parameters, only=asked.only or None, lacking=lambda: files.lacking() + left)
    counts = files.counts(len(found.repeats))
    require_events(asked.paths, counts)
    say("telling what was found")
    answers = Answers(
        evidence=lambda chosen: evidence(steps.corrected, chosen),
        lived=lambda: lived(steps.spelled(), steps.folding.facts.tables, steps.fetch),
        tables=LocalTables(files, steps, found),
    )
    return conducted(asked, files.found, counts, found, answers, begin)
