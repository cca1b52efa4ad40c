"""Where a stream comes from: what is new there, and how far it was read.

How far that is stands in the progress of a batch, which is written last of all. So what a batch that was not
finished has read is new once more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from angarium.core import files
from angarium.history.live.arrivals import new_files
from angarium.history.live.intake import FilePiece, Piece
from angarium.history.live.settings import END

_NAMES = 1 << 32
"""Bytes of the names of all files."""
_READ = "files"


@dataclass(frozen=True)
class Fresh:
    """What is new."""

    pieces: Iterable[Piece]
    position: Mapping[str, int]
    """How far the source is read with them."""


class Source(Protocol):
    """Where a stream comes from."""

    def fresh(self) -> Fresh | None:
        """What is new; None if nothing is. All of it is one batch, so that nothing in it is late."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""

    def close(self) -> None:
        """Let go of it."""


@dataclass
class FolderSource:
    """A folder, and the folders in it: each file is read once."""

    folder: Path
    journal: Path
    """Where the names of files are noted that were read: one a line."""
    most: int | None
    position: int = 0
    _read: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.position:
            names = files.read_bytes(self.journal, _NAMES)[: self.position]
            self._read = {json.loads(line) for line in names.splitlines()}

    def fresh(self) -> Fresh | None:
        """Files that were not read; their names are noted behind those of the last batch."""
        found = new_files(self.folder, self._read)[: self.most]
        names = [str(path) for path in found]
        self._read.update(names)
        if not names:
            return None
        self._note("".join(json.dumps(name) + "\n" for name in names).encode())
        return Fresh([FilePiece(path) for path in found], {_READ: self.position})

    def _note(self, names: bytes) -> None:
        with self.journal.open("r+b" if self.journal.exists() else "w+b") as file:
            file.truncate(self.position)
            file.seek(self.position)
            file.write(names)
            file.flush()
            os.fsync(file.fileno())
        self.position += len(names)

    @property
    def ended(self) -> bool:
        return (self.folder / END).exists()

    def close(self) -> None:
        pass
