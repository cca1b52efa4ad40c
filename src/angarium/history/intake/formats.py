"""Which format a file has.

The end of the name decides where it is clear; otherwise the first lines do. In a folder there may be files
that have nothing to do with a history, and they are left alone; a file that the user names, or one whose
name says that it has events, is never passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from angarium.core.errors import HistoryError, UsageError, did_you_mean
from angarium.history.intake import csv, footers, jepsen, json_lines, nats, otlp, rabbitmq
from angarium.history.intake.json_lines import Format
from angarium.history.intake.paths import File, Head, end, find, head
from angarium.history.intake.reasons import (
    BAD_COLUMN,
    BAD_HEADER,
    BROKEN_FILE,
    CUT_FILE,
    EMPTY_FILE,
    LONGEST,
    NO_FORMAT,
)
from angarium.history.intake.texts import unknown
from angarium.history.results import Counts

TEXTS = (otlp.FORMAT, jepsen.FORMAT, rabbitmq.FORMAT, nats.FORMAT, json_lines.FORMAT)
"""Formats of texts, in the order in which they are asked whether a file is theirs. The particular ones first:
JSON lines of the event schema take whatever is an object."""
_AT_ONCE = 4
"""Files that are looked at at a time."""
_SURE = {".csv": csv.NAME, ".tsv": csv.NAME, ".parquet": footers.NAME, ".parq": footers.NAME}
_JSON = (".jsonl", ".ndjson")
"""Endings of files that have a JSON object in every line, whatever the first lines look like."""
_EVENTS = {*_SURE, *_JSON, ".json"}
"""Endings of files in which somebody expects events."""
_OTHER_PACKING = {".zst", ".lz4", ".xz", ".snappy", ".sz", ".br", ".lzo", ".z", ".zip", ".7z"}
"""Endings of compressed files that nobody here can read."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a file is to be read."""

    format: str
    header: str = ""
    """Of CSV."""
    columns: footers.Columns = ()
    """Of Parquet."""
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a file as a whole."""

    file: File
    reason: str
    field: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What is said of a file."""

    file: File
    kind: Kind | None
    """None if it is not read."""
    fault: Fault | None = None
    unknown: tuple[str, ...] = ()
    """Names of columns in its first lines that nobody reads."""
    unended: str = ""
    """Of CSV: a last line that has no end. Nothing else tells whether it is whole."""


def names() -> tuple[str, ...]:
    """All formats."""
    return (*(each.name for each in TEXTS), csv.NAME, footers.NAME)


def check_name(given: str | None) -> None:
    """UsageError if there is no such format."""
    if given is not None and given not in names():
        raise UsageError(
            "ANG013",
            f"there is no format {given}",
            possible=did_you_mean(given, names()),
            remedy="name one of these, or none: files are known by their names and first lines",
        )


def look(file: File, asked: str | None, *, mapped: bool) -> Found:
    """What a file is. HistoryError if the user has named it, and it cannot be opened."""
    try:
        beginning = head(file)
    except OSError as problem:
        if file.named:
            raise _unopened(file, problem) from None
        return _broken(file, str(problem.strerror))
    chosen = asked or _format(file, beginning, (json_lines.FORMAT,) if mapped else TEXTS)
    if chosen is None or file.path.suffix.lower() in _OTHER_PACKING:  # in which lines may look like events
        return _nameless(file)
    if chosen == footers.NAME:
        return _parquet(file, mapped=mapped)
    if beginning.kind not in (None, file.packing):
        return _broken(file, f"what is in it is {beginning.kind}, and its name does not say so")
    return _csv(file, beginning, mapped=mapped) if chosen == csv.NAME else _text(file, beginning, chosen)


def _format(file: File, beginning: Head, formats: Sequence[Format]) -> str | None:
    """The format of a file; None if it cannot be known."""
    if beginning.kind == ".parquet":
        return footers.NAME
    if file.ending in _SURE:
        return _SURE[file.ending]
    recognised = (each.name for each in formats if each.recognises(beginning.lines))
    fallback = json_lines.FORMAT.name if file.ending in _JSON or not beginning.lines else None
    return next(recognised, csv.NAME if csv.recognises(beginning.lines) else fallback)


def _nameless(file: File) -> Found:
    """A file of no known format is passed over only if nothing says that it should have events."""
    wanted = file.named or file.ending == ".json" or _is_packed_otherwise(file)
    return Found(file, None, Fault(file, NO_FORMAT) if wanted else None)


def _is_packed_otherwise(file: File) -> bool:
    *before, last = ["", *(each.lower() for each in file.path.suffixes)]
    return last in _OTHER_PACKING and not _EVENTS.isdisjoint(before)


def _empty(file: File) -> Found:
    """A file without a byte: what was to be in it may be lost, unless its name says nothing of events."""
    wanted = file.named or file.ending in _EVENTS
    return Found(file, None, Fault(file, EMPTY_FILE) if wanted else None)


def _broken(file: File, why: str) -> Found:
    return Found(file, None, Fault(file, BROKEN_FILE, value=why))


def broken(found: Found, why: str | None) -> Found:
    """What is said of a file when it is known why it cannot be read, if it cannot."""
    return _broken(found.file, why) if why else found


def _unopened(file: File, problem: OSError) -> HistoryError:
    return HistoryError(
        "ANG131",
        f"the file {file.path} cannot be read: {problem.strerror}",
        possible="possible: files that this user may read",
        remedy="give yourself the right to read it, or leave it out",
    )


def _text(file: File, beginning: Head, chosen: str) -> Found:
    own = chosen == json_lines.FORMAT.name
    names = (
        dict.fromkeys(name for each in json_lines.objects(beginning.lines) for name in each) if own else ()
    )
    return _whole(file, Kind(chosen), unknown(names))


def _csv(file: File, beginning: Head, *, mapped: bool) -> Found:
    header = beginning.lines[0] if beginning.lines else ""
    given = csv.names(header)
    strange = unknown(given)
    if len(set(given)) < len(given) or (header and not given) or (len(strange) == len(given) and not mapped):
        return Found(file, None, Fault(file, BAD_HEADER, value=header[:LONGEST]))
    return _whole(file, Kind(csv.NAME, header=header), strange)


def _parquet(file: File, *, mapped: bool) -> Found:
    try:
        columns = footers.footer(file.path)
    except (OSError, ValueError, NotImplementedError) as problem:
        return _broken(file, str(problem).splitlines()[0])
    unreadable = footers.unreadable(columns)
    if unreadable and not mapped:
        return Found(file, None, Fault(file, BAD_COLUMN, unreadable))
    return Found(file, Kind(footers.NAME, columns=columns), unknown=unknown([name for name, _ in columns]))


def _whole(file: File, kind: Kind, strange: tuple[str, ...]) -> Found:
    """A text file that is read; up to where it is cut, if it is."""
    if not file.packing and not file.path.stat().st_size:
        return _empty(file)
    found = end(file)
    if found.changed:
        return _broken(file, found.changed)
    fault = Fault(file, CUT_FILE, value=found.cut) if found.cut else None
    last = found.last.decode(errors="replace").strip() if kind.format == csv.NAME else ""
    return Found(file, replace(kind, damaged=bool(found.cut)), fault, strange, last)


# --- all of them ----------------------------------------------------------------------------------------


def looked(paths: Sequence[Path], format: str | None, *, mapped: bool) -> list[Found]:  # noqa: A002
    """What the files at the paths are. HistoryError if there is none to read."""
    check_name(format)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(partial(look, asked=format, mapped=mapped), find(paths)))
    if not any(each.kind or each.fault for each in found):
        raise _nothing(paths, "there is no file of events")
    return found


def require_events(paths: Sequence[object], found: Counts) -> None:
    """HistoryError if all that was read is in quarantine, or nothing was there."""
    if found.accepted:
        return
    why = ", ".join(f"{reason} ({count})" for reason, count in found.reasons.items())
    raise _nothing(paths, f"of {found.read} rows none is an event: {why}" if why else "all files are empty")


def _nothing(paths: Sequence[object], why: str) -> HistoryError:
    return HistoryError(
        "ANG130",
        f"no events can be read from {', '.join(map(str, paths))}: {why}",
        possible=f"possible formats: {', '.join(names())}",
        remedy="give the folder of a recorded history, or a mapping for files of another shape",
    )
