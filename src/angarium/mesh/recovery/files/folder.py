"""A folder of files that is written whole or not at all.

The files are written into a new folder beside the place; then the two change names. Where the system can do
that at once (Linux), the place has the old folder or the new one at every moment, also if the process is
killed. Elsewhere the old one is renamed first, and for that moment there is none. What is left behind of a
process that was killed begins with a dot and the folder's name, and is in nobody's way. Against a loss of
power nothing is promised: a binary file that was torn by one is known by its checksum.

A folder that is there is replaced only if it is empty or looks like one of ours.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from angarium.core.errors import UsageError
from angarium.core.files import head
from angarium.mesh.recovery.files.as_json import KIND
from angarium.mesh.recovery.files.names import COLOURS_FILE, is_ours

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
