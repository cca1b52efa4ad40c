"""Compiled objects, kept between runs in the user's cache directory.

The key of an object is a digest of everything that determines it: what it is compiled from, the
compiler's sources, the processor with its features, LLVM's version and the level of optimisation.
A file is the user's seal followed by the object; LLVM is never given bytes whose seal does not match,
and a file that is damaged, somebody else's or cannot be read counts as absent: see `kept`, which also
prunes. Files are written beside their place and renamed, so concurrent runs see all or nothing. The
cache is a convenience: that it cannot be written is no error.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from angarium.core import cache as kept
from angarium.core import files


def directory() -> Path:
    """Where objects are kept."""
    return kept.place() / "kernels"


def key(*parts: str) -> str:
    """The name of an object that is determined by the parts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """The object of that name, if there is an undamaged one."""
    try:
        path = directory() / f"{name}.o"
        content = files.read_bytes(path) if kept.is_own(path.parent) else b""
    except (OSError, RuntimeError):
        return None
    given, code = content[: kept.SEAL], content[kept.SEAL :]
    if not kept.is_sealed(name, code, given):
        return None
    kept.note_use(path)
    return code


def store(name: str, code: bytes) -> None:
    """Keep an object, if possible."""
    with suppress(OSError, RuntimeError):
        folder = directory()
        kept.make_own(folder)
        if sealed := kept.seal(name, code):
            files.write(folder / f"{name}.o", sealed + code)
        kept.prune(folder)
