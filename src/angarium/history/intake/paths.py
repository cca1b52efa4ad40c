"""Which files there are, what they hold, and whether they are whole: all that the driver looks at itself.

A file's format is known by the end of its name, or else by its first lines. Compressed files are unpacked
once, a piece at a time and only to see whether they end as they should: Spark would notice in the middle of a
job that one is cut off, and give up all others for it. Unpacking costs a small part of what parsing does.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from angarium.core import files
from angarium.core.errors import UsageError

PACKED = (".gz", ".bz2")
"""The endings of compressed text files that Spark can read."""
_MAGIC = {b"PAR1": ".parquet", b"\x1f\x8b": ".gz", b"BZh": ".bz2"}
_PIECE = 1 << 16
_LONGEST_HEAD = 1 << 22
"""Some formats have all of a file in one line; if its beginning does not tell what it is, nothing does."""
_LINES = 64
MOST = 100_000
"""Files of a folder, so that a whole disk is not taken for a history."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that may hold events."""

    path: Path
    named: bool
    """Whether the user has named the file itself, and not a folder above it."""

    @property
    def ending(self) -> str:
        """The end of its name that tells the format, without that of the compression."""
        names = [each.lower() for each in self.path.suffixes]
        return next((each for each in reversed(names) if each not in PACKED), "")

    @property
    def packing(self) -> str:
        """The end of its name that tells the compression."""
        last = self.path.suffix.lower()
        return last if last in PACKED else ""


def is_uri(path: str) -> bool:
    """Whether something is a URI, which only Spark can open, and no path."""
    return "://" in path


def find(paths: Sequence[Path]) -> list[File]:
    """All files at the paths, each once. UsageError if there is nothing at one of them, or far too much."""
    found: dict[Path, File] = {}
    for path in paths:
        for file in _files_at(path):
            found.setdefault(file.path, file)
    return sorted(found.values(), key=lambda file: file.path)


def folders(paths: Sequence[Path]) -> list[Path]:
    """All folders at the paths whose files are looked at."""
    return [folder for path in paths if path.is_dir() for folder, _ in _walked(path)]


def _walked(path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder and all below it, each with the names of its files."""
    for folder, below, names in os.walk(path):
        below[:] = sorted(each for each in below if not _hidden(each))
        yield Path(folder).absolute(), names


def _inside(path: Path) -> Iterator[Path]:
    """What lies in a folder, or below it, and may be read."""
    for folder, names in _walked(path):
        seen = (folder / name for name in names if not _hidden(name))
        yield from (each for each in seen if not files.is_strange(each))


def _files_at(path: Path) -> Iterator[File]:
    if path.is_dir():
        for number, seen in enumerate(_inside(path)):
            if number == MOST:
                raise UsageError(
                    "ANG010",
                    f"{path} has more than {MOST:,} files",
                    remedy="give the folder of the recorded history itself",
                )
            yield File(seen, named=False)
    elif path.exists():
        yield File(path.absolute(), named=True)
    else:
        raise UsageError(
            "ANG010",
            f"there is no file {path}",
            possible="possible: files of events, and folders with such files",
            remedy="give the path of a recorded history",
        )


def _hidden(name: str) -> bool:
    """Spark, and whoever writes beside it, gives such names to what is no data, or is not finished."""
    return name.startswith((".", "_"))


# --- the beginning of a file --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file."""

    lines: tuple[str, ...]
    """Its first lines, without blank ones; the last may be a part of one."""
    kind: str | None
    """What its first bytes say that it is: an ending, or None for text."""


def head(file: File) -> Head:
    """The beginning of a file, as far as it is not damaged. OSError if it cannot be opened."""
    magic = files.head(file.path, 4)
    kind = next((kind for start, kind in _MAGIC.items() if magic.startswith(start)), None)
    text = b"" if kind and kind != file.packing else _beginning(file)
    lines = text.removeprefix(codecs.BOM_UTF8).decode(errors="replace").splitlines()
    return Head(tuple(line for line in lines[:_LINES] if line.strip()), kind)


def _beginning(file: File) -> bytes:
    """Enough for some lines, or for one if that is long."""
    text = b""
    with suppress(*_DAMAGE):
        for piece in _pieces(file):
            text += piece
            if b"\n" in text or len(text) >= _LONGEST_HEAD:
                break
    return text


# --- its end ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class End:
    """How a text file ends."""

    cut: str | None = None
    """Where a compressed file is cut off: what was before that is as it was written."""
    changed: str | None = None
    """How a compressed file is damaged: what is in it may be anything, before the place as well, for a
    checksum comes behind what it is of."""
    last: bytes = b""
    """What is behind the last end of a line: a line that was not ended, or a part of one."""


def end(file: File) -> End:
    """How a text file ends. Of one that is not compressed, only the last line can be seen to be cut."""
    if not file.packing:
        return End(last=_last_of_plain(file))
    lines, last = 0, bytearray()
    try:
        for piece in _pieces(file):
            lines += piece.count(b"\n")
            last[:] = _behind_line(last, piece)
    except EOFError:
        return End(cut=f"after line {lines}")
    except (zlib.error, OSError) as problem:
        return End(changed=str(problem))
    return End(last=bytes(last)) if file.path.stat().st_size else End(cut="after line 0")


def _last_of_plain(file: File) -> bytes:
    with files.opened(file.path) as stream:
        stream.seek(max(0, file.path.stat().st_size - _PIECE))
        return _behind_line(b"", stream.read(_PIECE) or b"")


def _behind_line(before: bytes | bytearray, piece: bytes) -> bytes:
    """What is behind the last end of a line, after another piece; its end only, if that is long."""
    place = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
    return piece[place + 1 :] if place >= 0 else (bytes(before) + piece)[-_PIECE:]


_DAMAGE = (EOFError, zlib.error, OSError)
"""What the standard library's unpacking says of a file that is cut off or was changed."""


def _pieces(file: File) -> Iterator[bytes]:
    """What is in a file, a piece at a time; as much as there is before a damage."""
    with files.opened(file.path) as packed, _unpacked(packed, file.packing) as stream:
        while piece := stream.read1(_PIECE):
            yield piece


def _unpacked(stream: BufferedReader, packing: str) -> gzip.GzipFile | bz2.BZ2File | BufferedReader:
    if packing == ".gz":
        return gzip.GzipFile(fileobj=stream)
    return bz2.BZ2File(stream) if packing == ".bz2" else stream
