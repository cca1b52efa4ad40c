"""Compiled objects, kept between runs in the user's cache directory.

The key of an object is a digest of everything that determines it: what it is compiled from, the
compiler's sources, the processor with its features, LLVM's version and the level of optimisation.
A file is the SHA-256 of the object followed by the object; LLVM is never given bytes whose digest
does not match, and a file that is damaged or cannot be read counts as absent. Files are written
beside their place and renamed, so concurrent runs see all or nothing. The cache is a convenience:
that it cannot be written is no error. It is pruned; see `kept`.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from angarium import files, kept

_DIGEST = 32


def directory() -> Path:
    """Where objects are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "angarium" / "kernels"


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
        content = files.read_bytes(path)
    except (OSError, RuntimeError):
        return None
    kept.note_use(path)
    digest, code = content[:_DIGEST], content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def store(name: str, code: bytes) -> None:
    """Keep an object, if possible."""
    with suppress(OSError, RuntimeError):
        folder = directory()
        folder.mkdir(parents=True, exist_ok=True)
        files.write(folder / f"{name}.o", hashlib.sha256(code).digest() + code)
        kept.prune(folder)
