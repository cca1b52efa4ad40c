"""Addresses of what goes wrong in a mesh: `mesh:WORDS@HASH:GUARANTEE:DEAD:NUMBER`.

The words are the names of the files, and what is said beside them, as on a command line. The hash is of the
mesh that they describe: an address of another is refused. What is dead is named with its kind. The number is
that of the sentence which says what is wrong: it is found again by looking at that failure alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote
from zlib import crc32

from angarium.core.errors import AddressError, shortened
from angarium.core.escaping import json_text
from angarium.core.records import write
from angarium.mesh.files.given import NOTHING_SAID, Given, brokers_by_host, files_by_name
from angarium.mesh.files.inside import STANDARD_INPUT
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.verify.findings import Finding

PREFIX = "mesh"
_ADDRESS = re.compile(rf"{PREFIX}:([^@]+)@([0-9a-f]{{12}}):([a-z-]+):([^:]*):([0-9a-f]{{8}})", re.ASCII)
_SAFE = "/.-_>*"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a mesh is from: files, and what is said beside them."""

    files: Sequence[str]
    given: Given = NOTHING_SAID

    @property
    def is_lasting(self) -> bool:
        """Whether it can be read again."""
        return bool(self.files or self.given.brokers) and STANDARD_INPUT not in self.files

    @property
    def words(self) -> str:
        """All of it in one word."""
        return "+".join(quote(each, _SAFE) for each in (*self.given.words(), *self.files))


def version_of(mesh: Mesh) -> str:
    """Twelve hexadecimal digits of all that its files say."""
    import hashlib

    return hashlib.sha256(json_text(write(mesh)).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Address:
    """Where something that goes wrong is to be found."""

    source: Source
    version: str
    guarantee: str
    dead: tuple[str, ...]
    """`broker b1` or `link b1-b2`."""
    number: str


@dataclass(frozen=True)
class Addresses:
    """The addresses of what goes wrong in a mesh."""

    source: Source
    mesh: Mesh

    @cached_property
    def _begin(self) -> str:
        return f"{PREFIX}:{self.source.words}@{version_of(self.mesh)}"

    def of(self, finding: Finding) -> str:
        """Where to find it again."""
        dead = "+".join(quote(name, _SAFE) for name in _dead(finding.failures))
        return f"{self._begin}:{finding.guarantee}:{dead}:{number_of(finding)}"


def number_of(finding: Finding) -> str:
    """Which of the findings under one failure it is."""
    return f"{crc32(finding.what.encode()):08x}"


def parse_address(text: str) -> Address:
    """The parts of an address."""
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise AddressError(
            "ANG030",
            f"this is not the address of a story of a mesh: {shortened(text)!r}",
            possible="such an address looks like mesh:a.yaml@0123456789ab:reachability:link%20a-b:01234567",
            remedy="copy it from what angarium mesh verify finds",
        )
    words, version, guarantee, dead, number = match.groups()
    named = tuple(unquote(each) for each in dead.split("+") if each)
    return Address(_source([unquote(each) for each in words.split("+")]), version, guarantee, named, number)


def _source(words: Sequence[str]) -> Source:
    """From the words of a command, as `Given.words` writes them."""
    said: dict[str, list[str]] = {}
    files, waiting = [], iter(words)
    for word in waiting:
        if word.startswith("--"):
            said.setdefault(word, []).append("" if word == "--strict" else next(waiting, ""))
        else:
            files.append(word)
    given = Given(
        assume=tuple(said.get("--assume", ())),
        strict="--strict" in said,
        form=next(iter(said.get("--format", ())), None),
        brokers=files_by_name(tuple(said.get("--broker", ()))),
        hosts=brokers_by_host(tuple(said.get("--host", ()))),
        env_files=tuple(said.get("--env-file", ())),
    )
    return Source(tuple(files), given)


def _dead(failures: Failures) -> Iterator[str]:
    yield from (f"broker {name}" for name in sorted(failures.brokers))
    yield from (f"link {name}" for name in sorted(failures.cables))
