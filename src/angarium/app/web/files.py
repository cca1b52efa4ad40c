"""The folder that the page is of: no file outside it is read or written.

A path comes from a browser, so it is taken to be hostile. It must be relative, without `..`, NUL or
backslash, and what it leads to when every symbolic link is followed must lie in the folder. Only kinds of
files that the page needs are read. Only mesh files are written, and never over something that is none; what
is written is whole, or not there at all, and under a name that looks like what it is: no line break, nothing
that turns the direction of the text, nothing that cannot be seen, and no leading dot, which would hide it.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from angarium.core import files
from angarium.core.errors import InputError, WebError

MODELS, MESHES = (".py",), (".yaml", ".yml")
READABLE = (*MODELS, *MESHES, ".json", ".conf", ".jsonl")
LARGEST = 1 << 20
"""Bytes of a file that is read or written."""
MOST_NAMES = 500
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Unicode's categories: control, format (such as direction marks), no text, ends of lines and paragraphs."""
_DEEPEST = 6
"""Folders within folders in which names are looked for."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, with all links in its own path resolved."""

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.root.resolve())

    def read(self, path: str) -> str:
        """The text of a file."""
        file = self.file(path)
        try:
            return files.read_text(file, LARGEST)
        except files.TooLargeError as problem:
            raise _refused(path, str(problem.strerror), status=413) from None
        except OSError as problem:
            raise _refused(path, problem.strerror or "it cannot be read", status=404) from None
        except UnicodeDecodeError:
            raise _refused(path, "it is not UTF-8 text") from None

    def write(self, path: str, text: str) -> None:
        """Make a mesh file of the text; one that is there already is replaced by a whole new one."""
        _must_be_plain(path)
        file = self._place(path, MESHES)
        if len(text.encode()) > LARGEST:
            raise _refused(path, f"it would be larger than {LARGEST >> 20} MiB", status=413)
        if file.exists():
            _must_be_mesh(path, file)
        try:
            files.write(file, text)
        except OSError as problem:
            raise _refused(path, problem.strerror or "it cannot be written") from None

    def names(self, suffixes: Sequence[str]) -> list[str]:
        """The files with such endings, as paths in the folder; hidden ones are left out."""
        found = sorted(self._found(self.root, tuple(suffixes), 0))
        return [path.relative_to(self.root).as_posix() for path in found[:MOST_NAMES]]

    def file(self, path: str, suffixes: Sequence[str] = READABLE) -> Path:
        """Where a file of the folder is."""
        file = self._place(path, suffixes)
        if not file.is_file():
            raise _refused(path, "there is no such file", status=404)
        return file

    def _place(self, path: str, suffixes: Sequence[str]) -> Path:
        """Where a path leads, whether or not something is there."""
        parts = PurePosixPath(path).parts
        if not parts or path.startswith(("/", "~")) or ".." in parts or set(path) & {"\0", "\\"}:
            raise _refused(path, "it is not a path in the folder", status=403)
        try:
            place = self.root.joinpath(*parts).resolve()
            place.exists()
        except (OSError, RuntimeError, ValueError):  # a circle of links, a name that is too long
            raise _refused(path, "it leads nowhere", status=403) from None
        if not place.is_relative_to(self.root):
            raise _refused(path, "it leads out of the folder", status=403)
        if not {place.suffix.lower(), PurePosixPath(path).suffix.lower()} <= set(suffixes):
            raise _refused(path, f"only files that end in {', '.join(suffixes)}", status=403)
        return place

    def _found(self, folder: Path, suffixes: tuple[str, ...], depth: int) -> Iterator[Path]:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith((".", "__")) or entry.is_symlink():
                    continue
                if entry.is_dir() and depth < _DEEPEST:
                    yield from self._found(Path(entry.path), suffixes, depth + 1)
                elif entry.is_file() and entry.name.lower().endswith(suffixes):
                    yield Path(entry.path)


def _must_be_plain(path: str) -> None:
    """Refuse a name that people, or other programs, would take for another one."""
    for part in PurePosixPath(path).parts:
        strange = next((each for each in part if unicodedata.category(each) in _UNSEEN), None)
        if strange is not None:
            name = unicodedata.name(strange, f"U+{ord(strange):04X}")
            raise _refused(path, f"its name has a character that cannot be seen: {name}")
        if part.startswith(".") or part != part.strip():
            raise _refused(path, "a name may not begin with a dot, nor begin or end with a blank")


def _must_be_mesh(path: str, file: Path) -> None:
    from angarium.mesh.files.find import load

    try:
        load(str(file))
    except InputError:
        raise _refused(path, "something that is no mesh file is there already", status=409) from None


def _refused(path: str, why: str, status: int = 400) -> WebError:
    return WebError(
        "ANG152",
        f"the page cannot use the file {path!r}: {why}",
        possible="a file in the folder that the page was started for",
        remedy="start the page for another folder: angarium serve FOLDER",
        status=status,
    )
