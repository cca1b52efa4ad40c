"""An audit in the process: no Java, and of Arrow only what reads Parquet.

It is chosen for what fits into memory, if it can answer all that is asked.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from angarium.core.errors import HistoryError
from angarium.core.units import size_of
from angarium.history.asked import Asked, Conducted
from angarium.history.evidence.search import candidates, evidence
from angarium.history.explanations import explanation
from angarium.history.guarantees import NAMES
from angarium.history.intake import parquet
from angarium.history.intake.files import Files, NoRoomError, refuses, without
from angarium.history.intake.parquet import DamagedError
from angarium.history.kernel.audit import Audited
from angarium.history.kernel.numbers import Odd
from angarium.history.kernel.process import Corrected, audit
from angarium.history.missing import Missing
from angarium.history.readers.formats import Found
from angarium.history.readers.mapping import Mapping as Columns
from angarium.history.readers.parquet import NAME as PARQUET
from angarium.history.readers.reading import require_events
from angarium.history.remarks import MOST_JUMPS, jump, remarks, unfinished
from angarium.history.results import Violation
from angarium.history.stories import CANDIDATES, HistoryStory, shortest
from angarium.history.told import Told, times_of

Say = Callable[[str], None]
AN_EVENT = 160
"""Bytes of memory for an event, its file's aside."""
_UNPACKED = 12
"""So many times as long a text is, at most, as its compressed file."""
_A_LINE = 150
"""Bytes of a line of text, at least."""
THREADS = 4
LARGE = 1_000_000
"""Events for which more than one thread is used."""
MOST_EXAMPLES = 5
"""Violations of a guarantee that are told by a sentence."""


# --- whether it can be done here ------------------------------------------------------------------------


def is_local(asked: Asked, found: Sequence[Found], mapping: Columns | None, memory: str | None) -> bool:
    """Whether an audit is made in the process. HistoryError if it is to be, and cannot."""
    if asked.engine == "spark":
        return False
    why = _refuses(asked, found, mapping, memory)
    if why and asked.engine == "local":
        raise _not_here(why)
    return why is None


def _not_here(why: str) -> HistoryError:
    return HistoryError(
        "ANG136",
        f"this cannot be audited in the process: {why}",
        possible="possible: JSON lines, CSV, and Parquet of the schema's own types",
        remedy="leave out --engine local: Spark does it",
    )


def _refuses(asked: Asked, found: Sequence[Found], mapping: Columns | None, memory: str | None) -> str | None:
    """Why an audit is Spark's."""
    if asked.out:
        return "the tables of --out are written by Spark"
    if asked.model:
        return "lives are compared with a model by Spark"
    if why := refuses(found, mapping):
        return why
    wanted, room = sum(map(_size, found)), _room(memory)
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


def _room(memory: str | None) -> float:
    """How much memory an audit may take."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2
    return (size_of(memory) if memory else None) or half


# --- doing it -------------------------------------------------------------------------------------------


def conduct_locally(
    asked: Asked, found: Sequence[Found], mapping: Columns | None, memory: str | None, say: Say, begin: float
) -> Conducted:
    """Audit files in the process, without those that turn out to be damaged.

    NoRoomError if more is in them than could be seen from outside, and Spark may be asked.
    """
    files = Files(found, mapping, asked.run_id, room=_room(memory))
    while True:
        try:
            return _conducted(asked, files, say, begin)
        except DamagedError as problem:
            files = without(files, problem)
        except NoRoomError:
            if asked.engine == "local":
                raise _not_here(f"it takes more than {_room(memory) / 2**30:.1f} GiB of memory") from None
            raise


def _conducted(asked: Asked, files: Files, say: Say, begin: float) -> Conducted:
    say("reading")
    rows = files.rows
    require_events(asked.paths, files.counts())
    say("judging")
    threads = min(THREADS, os.cpu_count() or 1) if rows > LARGE else 1
    left = Missing(anywhere=unfinished(asked.paths))
    audited = audit(
        files,
        asked.parameters,
        only=asked.only or None,
        lacking=lambda: files.lacking() + left,
        threads=threads,
    )
    counts = files.counts(len(audited.repeats))
    require_events(asked.paths, counts)
    say("telling what was found")
    return Conducted(
        Told(
            files=tuple(str(each.file.path) for each in files.found if each.kind or each.fault),
            counts=counts,
            judgements=audited.judgements,
            figures=audited.figures,
            examples=_examples(audited.violations),
            times=times_of(audited.latency),
            remarks=_remarks(asked, files, audited),
            seconds=time.monotonic() - begin,
        ),
        _stories(files, audited),
        None,
    )


def _remarks(asked: Asked, files: Files, audited: Audited) -> list[str]:
    strange = (
        dict.fromkeys(name for each in files.found for name in each.unknown) if not files.mapping else ()
    )
    ignored = [str(each.file.path) for each in files.found if not each.kind and not each.fault]
    jumps = sorted(audited.jumps, key=lambda each: (each.run_id, each.recorder, each.seq))[:MOST_JUMPS]
    told = [jump(each.run_id, each.recorder, each.seq, each.back_by) for each in jumps]
    return [*told, *remarks(asked.paths, list(strange), ignored, audited.profiles.values())]


def _examples(violations: Sequence[Violation]) -> list[Violation]:
    """The first violations of each guarantee, with a sentence."""

    def order(violation: Violation) -> tuple[object, ...]:
        seq = violation.last_seq
        return violation.found_at, violation.run_id, violation.last_recorder, seq is not None, seq or 0

    found: list[Violation] = []
    for name in NAMES:
        mine = sorted((each for each in violations if each.guarantee == name), key=order)
        found += [replace(each, explanation=explanation(each)) for each in mine[:MOST_EXAMPLES]]
    return found


def _stories(files: Files, audited: Audited) -> list[HistoryStory]:
    chosen = candidates(audited.violations, CANDIDATES)
    if not chosen:
        return []
    corrected = Corrected(files, Odd(repeats=set(audited.repeats), times=dict(audited.times)))
    counts = Counter(each.guarantee for each in audited.violations)
    return shortest(chosen, evidence(corrected.batches(), chosen), counts)
