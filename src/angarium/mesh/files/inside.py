"""Files that are inside other things, and texts that are no files at all.

    -                            standard input
    http://… or https://…        `management` of a RabbitMQ: its definitions
    *.gz                         what is compressed
    resources of Kubernetes      `kubernetes`: configuration in them, and what they say of brokers themselves
    files of docker-compose      `compose`: configuration that services mount
    values of Helm charts        `helm`: configuration that they put into resources

Each such text has a path below that of what it is in, such as `all.yaml/eu/mosquitto.conf`. So its broker is
called after the resource or service, and an error says where it stands. While a mesh is read these texts are
held here, and whoever reads a file of brokers asks `content` for it.

Variables of `--env-file` are put in where a text has `${NAME}`, `${NAME:-otherwise}`, `$(NAME)` or `$NAME`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from angarium.core import files
from angarium.core.errors import MeshError, Place, UsageError
from angarium.mesh.mesh import Remark

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
BEGINNING = 4096
LARGEST = 256 * 1024 * 1024
"""Bytes of a stream: RabbitMQ exports a million bindings in 125 MiB. Who reads it may have less."""
_YAML = (".yaml", ".yml")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_VARIABLE = re.compile(rf"\$\{{({_NAME})(?::?-([^}}\n]*))?\}}|\$\(({_NAME})\)|\$({_NAME})")
_ASSIGNED = re.compile(rf"\s*(?:export\s+)?({_NAME})\s*=\s*(.*?)\s*")

_HELD: ContextVar[Held | None] = ContextVar("held", default=None)


@dataclass(slots=True)
class Held:
    """What is held while one mesh is read."""

    variables: Mapping[str, str] = field(default_factory=dict)
    texts: dict[Path, bytes] = field(default_factory=dict)
    brokers: dict[str, list[Path]] = field(default_factory=dict)
    """Files of one broker, by its name."""
    hosts: dict[str, str] = field(default_factory=dict)
    """Who is at an address, as those that run the brokers say."""
    of_file: dict[Path, Mapping[str, str]] = field(default_factory=dict)
    """Variables that are put in where one file has them."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Brokers by other names that those have for them."""
    resources: set[tuple[str, str]] = field(default_factory=set)
    """Resources of Kubernetes in which something of a broker was found, by kind and name."""
    namespaces: dict[str, str] = field(default_factory=dict)
    """Of each cluster of RabbitMQ's operator, where its resources are."""
    edges: set[str] = field(default_factory=set)
    """Sites of Skupper at the edge."""
    remarks: list[Remark] = field(default_factory=list)
    afterwards: list[Callable[[], object]] = field(default_factory=list)
    """What is to be done when all files are unpacked: some say what others mean."""

    def hosts_known(self) -> dict[str, str]:
        """Who is at an address, if that is one of the brokers that are held."""
        called = {host: self.aliases.get(name, name) for host, name in self.hosts.items()}
        return {host: name for host, name in called.items() if name in self.brokers}

    def free(self, path: Path) -> Path:
        """The path, or one beside it where nothing is held yet."""
        beside = (path.with_name(f"{number}-{path.name}") for number in count(2))
        return next(each for each in chain((path,), beside) if each not in self.texts)

    def hold(self, path: Path, text: str | bytes, broker: str = "") -> Path:
        self.texts[path] = text.encode() if isinstance(text, str) else text
        if broker:
            self.brokers.setdefault(broker, []).append(path)
        return path


def content(path: str | Path, most: int = files.LARGEST) -> bytes:
    """What a file, or a text that is held, contains."""
    held = _HELD.get()
    found = held.texts.get(Path(path)) if held else None
    data = files.read_bytes(path, most) if found is None else found
    if len(data) > most:
        raise files.TooLargeError(most, str(path))
    if held is None or b"$" not in data:
        return data
    variables = {**held.of_file.get(Path(path), {}), **held.variables}
    return _filled_bytes(data, variables) if variables else data


def beginning(path: Path, most: int) -> bytes:
    """The first bytes of what a file, or a text that is held, contains."""
    try:
        return content(path, most)
    except files.TooLargeError:
        return content(path, LARGEST)[:most] if is_held(path) else files.head(path, most)


def is_held(path: Path) -> bool:
    held = _HELD.get()
    return held is not None and path in held.texts


@contextmanager
def holding(env_files: Sequence[str] = ()) -> Iterator[Held]:
    """Texts that are unpacked in the block are there until its end."""
    held = Held({name: value for file in env_files for name, value in variables_of(Path(file)).items()})
    token = _HELD.set(held)
    try:
        yield held
    finally:
        _HELD.reset(token)


def unpacked(word: str, held: Held, files_in: Callable[[Path], list[Path]]) -> list[Path]:
    """The files that a word stands for: itself, or what is inside; of a folder, also what is in its files."""
    if word == STANDARD_INPUT:
        return _opened(held.hold(Path("standard input"), _standard_input()), held)
    if word.startswith(("http://", "https://")):
        from angarium.mesh.files.management import definitions  # loads what talks to servers

        called, data = definitions(word, LARGEST)
        return [held.hold(Path(called, "definitions.json"), data)]
    path = Path(word)
    if not path.is_dir():
        return _opened(path, held)
    inner = [inside for file in files_in(path) for inside in _opened(file, held) if inside != file]
    return [path, *inner]


# --- streams -----------------------------------------------------------------------------------------


def _standard_input() -> bytes:
    try:
        return files.standard_input(LARGEST)
    except OSError as error:
        why = error.strerror or str(error)
        raise MeshError("ANG120", f"standard input cannot be read: {why}", remedy="give a file") from None


def _opened(path: Path, held: Held) -> list[Path]:
    """What is inside a file; the file itself, if nothing is."""
    from angarium.mesh.files import compose, helm, kubernetes

    if not is_held(path) and (not path.exists() or files.is_strange(path)):
        return [path]
    path = _decompressed(path, held)
    if path.suffix.lower() not in _YAML and not is_held(path) and not _may_be_resources(path):
        return [path]
    try:
        text = content(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return [path]
    forms = (kubernetes.inside, compose.inside, helm.inside)
    return next((found for form in forms if (found := form(path, text, held))), [path])


def _may_be_resources(path: Path) -> bool:
    """Whether JSON may be resources of Kubernetes, as `kubectl get -o json` writes them."""
    return path.suffix.lower() == ".json" and b'"apiVersion"' in files.head(path, BEGINNING)


def _decompressed(path: Path, held: Held) -> Path:
    try:
        if is_held(path):
            packed = content(path, LARGEST)
        elif files.head(path, len(_GZIP)) == _GZIP:
            packed = files.read_bytes(path, LARGEST)
        else:
            return path
    except OSError:
        return path
    if not packed.startswith(_GZIP):
        return path
    within = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    if within != path and (within.exists() or is_held(within)):
        what = f"{path.name} unpacks to {within.name}, which lies beside it"
        raise MeshError("ANG122", what, remedy="give one of them", place=Place(str(path), 1, 1))
    return held.hold(within, _inflated(path, packed))


def _inflated(path: Path, packed: bytes) -> bytes:
    """What a compressed text says, if it is whole; never more than is read of a file."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        data = unpacker.decompress(packed, LARGEST + 1)
    except zlib.error as error:
        raise _damaged(path, str(error)) from None
    if len(data) > LARGEST:
        what = f"{path} is larger than {LARGEST >> 20} MiB when it is unpacked"
        raise MeshError("ANG125", what, remedy="give the file of one broker or cluster, or split it")
    if not unpacker.eof:
        raise _damaged(path, "its end is missing")
    return data


def _damaged(path: Path, why: str) -> MeshError:
    what = f"{path} is compressed, and cannot be unpacked: {why}"
    return MeshError("ANG120", what, remedy="make it again", place=Place(str(path), 1, 1))


# --- variables ---------------------------------------------------------------------------------------


def variables_of(path: Path) -> dict[str, str]:
    """`NAME=value` in each line, as docker-compose and shells read it."""
    try:
        lines = files.read_text(path).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(
            "ANG010", f"cannot read {path}: {why}", remedy="give a file of lines NAME=value"
        ) from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        assigned = _ASSIGNED.fullmatch(line)
        if assigned:
            found[assigned[1]] = _unquoted(assigned[2])
        elif line.strip() and not line.lstrip().startswith("#"):
            what = f"{line.strip()[:40]!r} gives no variable a value"
            place = Place(str(path), number, 1)
            raise MeshError("ANG120", what, remedy="write NAME=value in each line", place=place)
    return found


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.sub(r"\s+#.*", "", value)


def filled_in(text: str, variables: Mapping[str, str]) -> str:
    """A text with the values of the variables that it has."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[3] or found[4]
        return variables.get(name, found[0] if found[2] is None else found[2])

    return _VARIABLE.sub(value, text)


def _filled_bytes(data: bytes, variables: Mapping[str, str]) -> bytes:
    try:
        return filled_in(data.decode("utf-8-sig"), variables).encode()
    except UnicodeDecodeError:
        return data
