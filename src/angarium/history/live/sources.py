"""Where a stream comes from: what is new there, and how far it was read.

How far that is stands in the progress of a batch, which is written last of all. So what a batch that was not
finished has read is new once more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from angarium.core import files
from angarium.history.live.arrivals import new_files
from angarium.history.live.intake import FilePiece, Piece
from angarium.history.live.settings import END

_NAMES = 1 << 32
"""Bytes of the names of all files."""
READ = "files"
"""How many bytes of the journal are of batches that are finished: in a position."""


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
class Journal:
    """The names of files that were read, one a line; those of the last batch are behind the others."""

    path: Path
    position: int = 0
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.position:
            lines = files.read_bytes(self.path, _NAMES)[: self.position].splitlines()
            self.names = {json.loads(line) for line in lines}

    def fresh(self, names: Sequence[str], piece: Callable[[str], Piece]) -> Fresh | None:
        """Files that were not read, which are noted now."""
        if not names:
            return None
        self.names.update(names)
        self._note("".join(json.dumps(name) + "\n" for name in names).encode())
        return Fresh([piece(name) for name in names], {READ: self.position})

    def _note(self, names: bytes) -> None:
        with self.path.open("r+b" if self.path.exists() else "w+b") as file:
            file.truncate(self.position)
            file.seek(self.position)
            file.write(names)
            file.flush()
            os.fsync(file.fileno())
        self.position += len(names)


@dataclass
class FolderSource:
    """A folder, and the folders in it: each file is read once."""

    folder: Path
    journal: Journal
    most: int | None

    def fresh(self) -> Fresh | None:
        """Files that were not read, the oldest first."""
        found = new_files(self.folder, self.journal.names)[: self.most]
        return self.journal.fresh([str(path) for path in found], lambda name: FilePiece(Path(name)))

    @property
    def ended(self) -> bool:
        return (self.folder / END).exists()

    def close(self) -> None:
        """Nothing is held."""
