"""Files, as every room reads and writes them: what is read has a bound, and what is written is whole.

A path comes from somebody else: from a command's words, from a configuration that includes others, from a
folder that is looked through. What is no regular file is refused before it is opened, for a pipe would keep
its reader waiting for ever, an endless device would fill the memory, and some devices do something when they
are opened. Whatever is refused is an `OSError` whose `strerror` says why, so that every room reports it as it
reports any file that cannot be read. A test looks that nobody reads files in another way.

A file is written beside its place and renamed to it. What a link leads to is replaced, and not the link; into
a pipe or a character device, such as /dev/stdout, is written, for it is somebody who listens and no place.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from glob import escape
from io import BufferedReader
from pathlib import Path
from typing import IO

LARGEST = 64 * 2**20
"""Bytes that are read of a file, if nobody says otherwise. Brokers' definitions may have 20 MiB."""
_MOST_OF_A_NAME = 40
"""Characters of a file's name in that of the one beside it: with all of them it may be too long."""
_confined: ContextVar[str] = ContextVar("confined", default="")
_MARK = re.compile(r"\.[0-9a-f]{8}")
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class TooLargeError(OSError):
    """A file or a stream has more than is read of one."""

    def __init__(self, most: int, name: str) -> None:
        size = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most:,} bytes"
        super().__init__(errno.EFBIG, f"it is larger than {size}", name)


# --- reading -----------------------------------------------------------------------------------------


def opened(path: str | Path) -> BufferedReader:
    """A regular file that is read in pieces: whoever reads it sets the bound."""
    try:
        _refuse_outside(path)
        _refuse_strange(path, os.stat(path))
        return open(path, "rb", opener=_opener)
    except ValueError:
        raise OSError(errno.EINVAL, "its name has a NUL character", str(path)) from None


def read_bytes(path: str | Path, most: int = LARGEST) -> bytes:
    """What is in a file. TooLargeError if that is more than `most` bytes."""
    with opened(path) as file:
        return bounded(file, most, str(path))


def read_text(path: str | Path, most: int = LARGEST, *, encoding: str = "utf-8") -> str:
    """The text in a file; its lines end with a line feed, whatever ends them there."""
    return read_bytes(path, most).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def head(path: str | Path, most: int) -> bytes:
    """The first bytes of a file, however large it is."""
    with opened(path) as file:
        return _there(file.read(most), str(path))


def bounded(stream: IO[bytes], most: int = LARGEST, name: str = "the input") -> bytes:
    """All that a stream has. TooLargeError if that is more than `most` bytes."""
    content = _there(stream.read(most + 1), name)
    if len(content) > most:
        raise TooLargeError(most, name)
    return content


def _there(content: bytes | None, name: str) -> bytes:
    """What was read. Some files of the system, such as its log, have nothing yet, and would have us wait."""
    if content is None:
        raise OSError(errno.EAGAIN, "there is nothing in it yet", name)
    return content


def standard_input(most: int = LARGEST) -> bytes:
    """All that comes on standard input, which may be a pipe; nothing if it is closed."""
    return bounded(sys.stdin.buffer, most, "standard input") if sys.stdin else b""


def is_strange(path: str | Path) -> bool:
    """Whether something is there that is neither a file nor a folder; who looks through one passes it."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def confined(folder: Path | None) -> Iterator[None]:
    """Open nothing outside of a folder in the block, wherever links and files that name others lead: who
    answers questions of others wants no file to say what else is read. None: anything may be opened."""
    token = _confined.set(os.path.realpath(folder) if folder else "")
    try:
        yield
    finally:
        _confined.reset(token)


def _refuse_outside(path: str | Path) -> None:
    folder = _confined.get()
    if folder and not Path(os.path.realpath(path)).is_relative_to(folder):
        raise PermissionError(errno.EACCES, "it lies outside of the folder", str(path))


def _opener(path: str, flags: int) -> int:
    """Opens what cannot keep us waiting, also if it became something else since it was looked at."""
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _refuse_strange(path, os.fstat(handle))
    except OSError:
        os.close(handle)
        raise
    return handle


def _refuse_strange(path: str | Path, about: os.stat_result) -> None:
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, f"it is {_kind(about)}, and no file", str(path))


def _kind(about: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(about.st_mode), "something else")


# --- writing -----------------------------------------------------------------------------------------


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file whole, or leave what was there. OSError if that cannot be."""
    with replacing(path) as beside:
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """An empty file beside a path; what the block writes to it is put there when the block ends well."""
    about = _about(path)
    if about is not None and _listens(path, about):
        with tempfile.TemporaryDirectory(prefix="angarium-out-") as folder:
            filled = Path(folder, "out")
            yield filled
            _pour(filled, path)
        return
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".{place.name[:_MOST_OF_A_NAME]}.{os.getpid()}.{os.urandom(4).hex()}")
    _tidy(place)
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666))
        yield beside
        if about is not None:
            os.chmod(beside, stat.S_IMODE(about.st_mode))
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def _tidy(place: Path) -> None:
    """Remove what processes that were killed while they wrote a file have left beside it."""
    with suppress(OSError):
        for left in place.parent.glob(f".{escape(place.name[:_MOST_OF_A_NAME])}.*.*"):
            writer = left.name.split(".")[-2]
            if writer.isdecimal() and _MARK.fullmatch(left.suffix) and not _writes(writer):
                left.unlink(missing_ok=True)


def _writes(process: str) -> bool:
    """Whether a process may still write. One that was killed stays in the table until its end is noted."""
    try:
        state = Path("/proc", process, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def _about(path: str | Path) -> os.stat_result | None:
    """What is at a path, if something is that can be replaced or that listens."""
    try:
        about = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if stat.S_ISBLK(about.st_mode) or stat.S_ISSOCK(about.st_mode):
        raise OSError(errno.EINVAL, f"it is {_kind(about)}, and no file", str(path))
    return about


def _listens(path: str | Path, about: os.stat_result) -> bool:
    """Whether something is to be written into: a pipe, a device, or an open file without a name."""
    return not stat.S_ISREG(about.st_mode) or not os.path.exists(os.path.realpath(path))


def _pour(source: Path, target: str | Path) -> None:
    """Write what is in a file into what listens. Without a reader, a pipe would keep us waiting."""
    try:
        handle = os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as problem:
        why = "nobody reads from this pipe" if problem.errno == errno.ENXIO else problem.strerror
        raise OSError(problem.errno, why, str(target)) from None
    os.set_blocking(handle, True)
    with source.open("rb") as file, os.fdopen(handle, "wb") as listener:
        shutil.copyfileobj(file, listener)
