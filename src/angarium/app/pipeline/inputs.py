"""What a claim depends on, as a hash: if it is the same, so is the answer.

That is the claim itself, the contents of all files that it names, and Angarium's own code. Of a folder all
files in it count that are neither hidden nor results of ours; beside a model all Python files there, which it
may import; beside and below a `.conf` all that it may include. A task gets the very contents that were
hashed: a file that is changed while Spark starts must not give its answer to the old one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

import angarium
from angarium.app.pipeline.claims import MESHES, Claim
from angarium.app.pipeline.store import is_ours
from angarium.core import files

_PIECE = 1 << 20
_BESIDE = {".py": "*.py", ".conf": "**/*.conf"}
"""What may belong to a file, by how its name ends."""


def contents_of(claim: Claim, folder: Path) -> dict[str, bytes]:
    """All that a claim may read, by its path from the project's folder."""
    return {relative(path, folder): files.read_bytes(path) for path in files_of(claim, folder)}


def key_of_contents(claim: Claim, folder: Path, contents: Mapping[str, bytes]) -> str:
    """The hash of a claim, from the contents of its files."""
    return _key(claim, folder, ((name, _hash([content])) for name, content in contents.items()))


def key_of(claim: Claim, folder: Path) -> str:
    """The same of files that are too large to be held."""
    named = files_of(claim, folder)
    return _key(claim, folder, ((relative(path, folder), _hash(_pieces(path))) for path in named))


def _key(claim: Claim, folder: Path, hashes: Iterable[tuple[str, str]]) -> str:
    told = {**asdict(claim), "line": 0, "name": "", "expect": "", "folder": _names(claim, folder)}
    parts = [json.dumps(told, sort_keys=True, default=str), _code(), *(f"{n}\0{h}" for n, h in hashes)]
    return _hash(part.encode(errors="surrogateescape") + b"\0" for part in parts)


def _names(claim: Claim, folder: Path) -> str:
    """The folder, if its name may be a broker's: then the same files elsewhere are another mesh."""
    return str(folder) if claim.kind in MESHES or "mesh" in claim.options else ""


def files_of(claim: Claim, folder: Path) -> list[Path]:
    """All files that a claim may read, in order."""
    named = [folder / name for name in claim.files()]
    found = {file for path in named for file in _all(path)}
    beside = ((path.parent, _BESIDE[path.suffix]) for path in found if path.suffix in _BESIDE)
    found |= {file for place, pattern in set(beside) for file in place.glob(pattern) if file.is_file()}
    return sorted({Path(os.path.normpath(path)) for path in found})


def relative(path: Path, folder: Path) -> str:
    """The path of a file from the project's folder, as a claim would say it."""
    return Path(os.path.relpath(path, folder)).as_posix()


def _all(path: Path) -> Iterator[Path]:
    """A file, or all in a folder that verbs read: nothing hidden, and no results of earlier runs."""
    if not path.is_dir():
        yield path
        return
    for name, folders, names in os.walk(path):
        folder = Path(name)
        folders[:] = [each for each in folders if not _is_hidden(each) and not is_ours(folder / each)]
        found = (folder / each for each in names if not _is_hidden(each))
        yield from (each for each in found if each.is_file())


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _pieces(path: Path) -> Iterator[bytes]:
    with files.opened(path) as file:
        while piece := file.read(_PIECE):
            yield piece


def _hash(pieces: Iterable[bytes]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _code() -> str:
    """The hash of Angarium's own code and data."""
    root = Path(angarium.__file__).parent
    found = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".toml"))
    return _hash(files.read_bytes(path) for path in found)
