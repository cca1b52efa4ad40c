"""Folders of files that are kept between runs to save time, and that may be lost at any moment.

Such a folder must not grow for ever. What was not used for two months goes, and if the rest is still too
large, then what was used longest ago. The time of a file says when it was used, to the day, so that reading
one hardly ever writes. Several runs may prune a folder at once, and what one of them may not remove stays.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

DAY = 86_400.0
OLDEST = 60 * DAY
"""Seconds after which a file that nobody uses goes."""
LARGEST = 256 * 2**20
"""Bytes that a folder may hold."""
MARK = ".pruned"
"""The file whose time says when a folder was last pruned."""


def note_use(path: Path) -> None:
    """Remember that a file is used."""
    with suppress(OSError):
        if abs(time.time() - path.stat().st_mtime) > DAY:
            os.utime(path)


def prune(folder: Path) -> None:
    """Remove what is too old or too much, unless that was done today."""
    with suppress(OSError):
        if not _pruned_today(folder / MARK):
            (folder / MARK).touch()
            _remove(folder)


def _pruned_today(mark: Path) -> bool:
    return mark.exists() and abs(time.time() - mark.stat().st_mtime) < DAY


def _remove(folder: Path) -> None:
    """Go through the files, the last used first, and keep them while there is room."""
    now, total = time.time(), 0
    for used, size, path in sorted(_files(folder), reverse=True):
        total += size
        if total > LARGEST or now - used > OLDEST:
            with suppress(OSError):
                path.unlink()


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When each file was used, and how large it is; another run may be removing it just now."""
    for path in folder.iterdir():
        with suppress(OSError):
            about = path.stat()
            if path.is_file() and path.name != MARK:
                yield about.st_mtime, about.st_size, path
