"""Folders of files that are kept between runs to save time, and that may be lost at any moment.

Such a folder must not grow for ever. What was not used for two months goes, and if the rest is still too
large, then what was used longest ago. The time of a file says when it was used, to the day, so that reading
one hardly ever writes. Several runs may prune a folder at once, and what one of them may not remove stays.

What is kept is believed later: compiled code is even run. So nobody else may have written it. A folder is the
user's own and nobody else may enter it, and each file has a seal: a keyed digest (BLAKE2) of its name and its
content. The key is made at first use and is in no project, so files that came with a checkout, an archive or
another machine's disk have no seal of ours, however they are made, and count as absent. Without a key nothing
is kept and nothing believed.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import tempfile
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
SEAL = 32
"""Bytes of a seal."""
_KEY, _OTHERS = 32, 0o077
"""Bytes of a key, and the rights that others would have."""


def place() -> Path:
    """The folder of everything that is kept for a user. RuntimeError or OSError if there can be none."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "angarium"


def seal(name: str, content: bytes) -> bytes | None:
    """What only this user can say of a file; None without a key."""
    key = _key()
    told = name.encode()
    return key and hashlib.blake2b(len(told).to_bytes(8) + told + content, key=key, digest_size=SEAL).digest()


def is_sealed(name: str, content: bytes, given: bytes) -> bool:
    """Whether a seal is this user's, of this file."""
    own = seal(name, content)
    return own is not None and hmac.compare_digest(own, given)


def make_own(folder: Path) -> None:
    """See that a folder is there, is the user's, and that nobody else may enter it; or PermissionError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not is_own(folder):
        raise PermissionError(0, f"{folder} is somebody else's, or a link")
    if folder.lstat().st_mode & _OTHERS:  # of an earlier version, or of another umask
        folder.chmod(0o700)


def is_own(folder: Path) -> bool:
    """Whether a folder is there and is the user's."""
    try:
        about = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid()


def _key() -> bytes | None:
    """The user's key, which is made at first use; None where it cannot be kept."""
    try:
        path = place() / "key"
        return _key_in(path) or _new_key(path)
    except (OSError, RuntimeError):  # no home, or nobody may write there
        return None


def _key_in(path: Path) -> bytes | None:
    """The key of a file that nobody else can have written or read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        own = about.st_uid == os.geteuid() and not about.st_mode & _OTHERS
        key = file.read(_KEY + 1) if own and stat.S_ISREG(about.st_mode) else b""
    return key if len(key) == _KEY else None


def _new_key(path: Path) -> bytes | None:
    """A new key, or that of another run which was quicker; one that others may know is replaced."""
    make_own(path.parent)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".key.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_KEY))
        if path.exists() and _key_in(path) is None:
            path.unlink()
        with suppress(FileExistsError):
            os.link(beside, path)
    finally:
        os.unlink(beside)
    return _key_in(path)


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
