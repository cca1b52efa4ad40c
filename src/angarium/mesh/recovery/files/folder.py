"""A folder of files that is written whole or not at all.

The files are written into a new folder beside the place; then the two change names. Where the system can do
that at once (Linux), the place has the old folder or the new one at every moment, also if the process is
killed. Elsewhere the old one is renamed first, and for that moment there is none. What is left behind of a
process that was killed begins with a dot and the folder's name, and is in nobody's way. Against a loss of
power nothing is guaranteed: a binary file that was torn by one is known by its checksum.

A folder that is there is replaced only if it is empty or looks like one of ours.

Recovery tables of all brokers into a folder: one file a broker and form, and what each colour means.

Recovery tables from the files of a folder, as a broker process loads them when it starts.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from angarium.core.control import Control
from angarium.core.errors import MeshError, UsageError, did_you_mean
from angarium.core.files import head
from angarium.mesh.recovery.compact import packed
from angarium.mesh.recovery.files.as_json import (
    KIND,
    known_brokers,
    read_json,
    rows_of,
    written_colours,
    written_json,
)
from angarium.mesh.recovery.files.binary import (
    BINARY,
    COLOURS_FILE,
    JSON,
    MOST_BYTES,
    BrokerTables,
    file_name,
    is_ours,
    read_binary,
    shared_part,
    tables_of,
    unreadable,
    written_binary,
)
from angarium.mesh.recovery.tables import Recovery

_HERE, _EXCHANGE = -100, 2
"""Linux: relative to the working folder; both names change their folders."""
_LOOK = 4096
"""Characters of colours.json that tell whose it is."""


def check_place(folder: Path) -> None:
    """UsageError if a folder must not be replaced, or cannot be made."""
    if folder.is_dir():
        strange = _strange(folder)
        if strange:
            raise _refused(folder, f"it has {strange}, which is not ours", "give another folder, or empty it")
    elif folder.exists() or folder.is_symlink():
        raise _refused(folder, "it is no folder", "give a new folder, or one that an earlier run has written")
    elif not folder.absolute().parent.is_dir():
        raise _refused(folder, f"there is no folder {folder.parent}", "make it first")


def _strange(folder: Path) -> str:
    """Something in a folder that we have not written; empty if there is nothing such."""
    names = sorted(os.listdir(folder))
    others = [name for name in names if not is_ours(name) or not (folder / name).is_file()]
    if others or not names:
        return others[0] if others else ""
    return "" if _is_marked(folder / COLOURS_FILE) else names[0]


def _is_marked(path: Path) -> bool:
    return path.is_file() and f'"kind": {json.dumps(KIND)}' in head(path, _LOOK).decode("utf-8", "replace")


def write_whole(folder: Path, fill: Callable[[Path], None]) -> None:
    """Fill a new folder, and put it into its place when it is complete."""
    check_place(folder)
    try:
        place = folder.resolve()  # what a symbolic link points to is replaced, and not the link
        beside = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
        try:
            fill(beside)
            os.chmod(beside, 0o777 & ~_umask())
            _put(beside, place)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as problem:
        raise _refused(
            folder, problem.strerror or str(problem), "give a folder that you may write to"
        ) from None


def _put(beside: Path, place: Path) -> None:
    """The new folder into its place; an old one that was there is then beside it."""
    if not place.exists():
        os.rename(beside, place)
    elif not _exchanged(beside, place):
        old = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
        os.rename(place, old / place.name)
        os.rename(beside, place)
        shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Whether the system has changed the names of two folders at once."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _umask() -> int:
    """The permissions that new folders do not get; it can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refused(folder: Path, why: str, remedy: str) -> UsageError:
    return UsageError("ANG014", f"cannot write {folder}: {why}", remedy=remedy)


FORMS = (BINARY, JSON)


@dataclass(frozen=True, slots=True)
class Written:
    """What is in the folder."""

    folder: Path
    files: int
    size: int
    """Bytes."""


def write_tables(
    recovery: Recovery,
    folder: Path,
    fingerprint: str,
    *,
    forms: Collection[str] = FORMS,
    control: Control | None = None,
) -> Written:
    """Write the files of every broker; the folder is there when all of them are."""
    control = control or Control()
    sizes: list[int] = []
    names = recovery.graph.names
    shared = shared_part(recovery.mesh.name, names, recovery.colours)
    content: dict[str, Callable[[int], bytes]] = {
        BINARY: lambda broker: written_binary(shared, fingerprint, packed(recovery, broker)),
        JSON: lambda broker: _json(recovery, broker, fingerprint),
    }

    def fill(beside: Path) -> None:
        sizes.append(_write(beside / COLOURS_FILE, _colours(recovery, fingerprint)))
        for broker, name in enumerate(names):
            for form in forms:
                sizes.append(_write(beside / file_name(broker, name, form), content[form](broker)))
            control.report("brokers have their files", broker + 1, len(names))

    write_whole(folder, fill)
    return Written(folder, len(sizes), sum(sizes))


def _colours(recovery: Recovery, fingerprint: str) -> bytes:
    return _encoded(written_colours(recovery.mesh, recovery.colours, fingerprint))


def _json(recovery: Recovery, broker: int, fingerprint: str) -> bytes:
    tables = tables_of(recovery, broker, fingerprint)
    return _encoded(written_json(tables, rows_of(recovery.of_broker(broker))))


def _encoded(text: str) -> bytes:
    """Names may have what UTF-8 alone cannot say: half of a pair of surrogates."""
    return text.encode("utf-8", "surrogatepass")


def _write(path: Path, content: bytes) -> int:
    return path.write_bytes(content)


def load(path: str | Path) -> BrokerTables:
    """The tables in a broker's file; one of JSON needs the `colours.json` beside it."""
    file = Path(path)
    try:
        if file.suffix == JSON:
            return read_json(_text(file), _text(file.with_name(COLOURS_FILE)))
        return read_binary(_bytes(file))
    except MeshError as problem:
        raise MeshError(
            problem.code, f"{file}: {problem.what}", possible=problem.possible, remedy=problem.remedy
        ) from None


def load_from(folder: str | Path, broker: str) -> BrokerTables:
    """The tables of a broker in a folder that `angarium mesh recover` has written."""
    place = Path(folder)
    brokers = known_brokers(_text(place / COLOURS_FILE))
    if broker not in brokers:
        raise MeshError(
            "ANG123",
            f"the recovery tables in {place} are for no broker {broker!r}",
            possible=did_you_mean(broker, brokers[:20], also=brokers),
            remedy="name a broker of the mesh that they were made for",
        )
    number = brokers.index(broker)
    binary, text = (place / file_name(number, broker, suffix) for suffix in (BINARY, JSON))
    return load(text if text.exists() and not binary.exists() else binary)


def _text(file: Path) -> str:
    try:
        return _bytes(file).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise unreadable(f"{file.name} is no text") from None


def _bytes(file: Path) -> bytes:
    """What is in a file, up to one byte more than it may have."""
    try:
        return head(file, MOST_BYTES + 1)
    except OSError as problem:
        raise MeshError(
            "ANG120",
            f"cannot read {file}: {problem.strerror}",
            possible="a folder that `angarium mesh recover` has written, and its files",
            remedy="write the tables first",
        ) from None
