"""The key that the brokers of a mesh share: in a file, never on a command line, and never shown."""

from __future__ import annotations

import os
import stat
from binascii import unhexlify
from string import hexdigits

from angarium.core.errors import UsageError
from angarium.core.files import bounded, opened

DIGITS = 64
"""Of a key: 32 bytes, as many as its hash has."""
MOST_KEYS = 2
LARGEST_FILE = 4096
READABLE_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_keys(path: str) -> tuple[bytes, ...]:
    """The keys in a file, one in a line: datagrams are signed by the first, and may be signed by any."""
    lines = [line.strip() for line in _text(path).splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST_KEYS or not all(map(_is_key, lines)):
        raise _wrong(
            f"{path} has no key, or something else as well",
            f"{DIGITS} hexadecimal digits in a line; a second such line while the key is changed",
            f"make one with `(umask 077; openssl rand -hex {DIGITS // 2} > FILE)`",
        )
    return tuple(map(unhexlify, lines))


def _is_key(line: str) -> bool:
    return len(line) == DIGITS and {*line} <= {*hexdigits}


def _text(path: str) -> str:
    """What is in a file, if it is one that only its owner can read."""
    try:
        with opened(path) as file:
            _check(path, os.fstat(file.fileno()))
            return bounded(file, LARGEST_FILE, path).decode("ascii", errors="replace")
    except OSError as problem:
        possible = "a regular file of a line or two"
        raise _wrong(f"cannot read {path}: {problem.strerror}", possible, "check the path") from None


def _check(path: str, status: os.stat_result) -> None:
    if stat.S_IMODE(status.st_mode) & READABLE_BY_OTHERS:
        raise _wrong(
            f"{path} can be read by others (mode {stat.S_IMODE(status.st_mode):04o})",
            "a file that only its owner can read, such as mode 0600",
            f"chmod 600 {path}, and make a new key if anybody may have read it",
        )
    if status.st_uid not in (os.geteuid(), 0):
        raise _wrong(
            f"{path} belongs to another user", "a file of this user, or of root", "make a key of your own"
        )


def _wrong(what: str, possible: str, remedy: str) -> UsageError:
    return UsageError("ANG013", f"--key: {what}", possible=possible, remedy=remedy)
