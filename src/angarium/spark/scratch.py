"""Folders for what is written for a while, and what became of those whose process was killed.

A process removes its folders when it has done with them. One that is killed cannot, and what it had written
may be gigabytes. So each folder has a file that its process holds locked. The system lets go of a lock
however a process ends; whoever makes a folder beside removes those whose lock nobody holds. A number of a
process would not do: other machines and containers may share the place, and have the same numbers.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "angarium-"
LOCK = ".in-use"

_held: dict[Path, int] = {}
"""The folders of this process, and the descriptors by which their locks are held."""


def new_scratch(kind: str, parent: Path | None = None) -> Path:
    """A new folder `angarium-KIND-…`, in a folder or where the system has its temporary files."""
    place = parent or Path(tempfile.gettempdir())
    _let_go()
    for folder in place.glob(f"{PREFIX}*/{LOCK}"):
        _remove_if_left(folder.parent)
    made = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-", dir=place))
    _held[made] = _locked(made)
    return made


def _locked(folder: Path) -> int:
    """The descriptor of the folder's lock, which gets its name when it is locked: nobody finds it open."""
    unnamed = folder / f"{LOCK}.new"
    descriptor = os.open(unnamed, os.O_CREAT | os.O_RDWR, 0o600)
    with suppress(OSError):  # a disk without locks: the folder has no lock then, and is left alone
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(folder / LOCK)
    return descriptor


def _let_go() -> None:
    """Close the locks of our folders that are gone."""
    for folder in [each for each in _held if not each.exists()]:
        os.close(_held.pop(folder))


def _remove_if_left(folder: Path) -> None:
    """Remove a folder if nobody holds its lock."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR)
    except OSError:  # it has just gone, or is somebody else's
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # somebody is at work in it
        pass
    finally:
        os.close(descriptor)
