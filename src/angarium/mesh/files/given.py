"""What is said beside the names of files: what they are, who is who, who takes responsibility for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Mesh
from angarium.mesh.remarks import assuming, refuse_any


@dataclass(frozen=True, slots=True)
class Given:
    """What is said beside the names of the files."""

    assume: tuple[str, ...] = ()
    """Entries that files leave open, for which somebody takes responsibility."""
    strict: bool = False
    """Whether files may leave nothing open."""
    form: str | None = None
    """What the files are, where that is ambiguous."""
    brokers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The files, or folders, of a broker by its name."""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """Who is at an address: `HOST` or `HOST:PORT`."""
    env_files: tuple[str, ...] = ()
    """Files of variables that are put in where texts have them."""

    def words(self) -> Iterator[str]:
        """The same as options of a command."""
        brokers = {name: ",".join(files) for name, files in self.brokers.items()}
        yield from ("--strict",) if self.strict else ()
        yield from ("--format", self.form) if self.form else ()
        for entry in self.assume:
            yield from ("--assume", entry)
        for file in self.env_files:
            yield from ("--env-file", file)
        for option, pairs in (("--broker", brokers), ("--host", self.hosts)):
            for left, right in pairs.items():
                yield from (option, f"{left}={right}")

    def taken(self, *meshes: Mesh) -> list[Mesh]:
        """The meshes with responsibility taken; refused, if they leave more open than they may."""
        found = assuming(meshes, self.assume)
        for mesh in found if self.strict else ():
            refuse_any(mesh)
        return found


NOTHING_SAID = Given()


def files_by_name(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """From `eu=eu.json,eu-federation.json`."""
    return {
        name: tuple(files.split(",")) for name, files in _pairs("--broker", words, "eu=eu.json,more.json")
    }


def brokers_by_host(words: tuple[str, ...]) -> dict[str, str]:
    """From `10.0.0.1=eu` or `10.0.0.1:1884=eu`."""
    return {host.lower().rstrip("."): name for host, name in _pairs("--host", words, "10.0.0.1=eu")}


def _pairs(option: str, words: tuple[str, ...], example: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for word in words:
        left, equals, right = (part.strip() for part in word.partition("="))
        if not (left and equals and right and all(right.split(","))):
            raise _wrong(option, word, "does not say both sides", example)
        if left in found:
            raise _wrong(option, word, f"is about {left}, as another one is", example)
        found[left] = right
    return list(found.items())


def _wrong(option: str, word: str, what: str, example: str) -> MeshError:
    return MeshError("ANG127", f"{option} {word!r} {what}", remedy=f"for example {option} {example}")
