"""Recovery tables from the files of a folder, as a broker process loads them when it starts."""

from __future__ import annotations

from pathlib import Path

from angarium.core.errors import MeshError, did_you_mean
from angarium.core.files import head
from angarium.mesh.recovery.files.as_json import known_brokers, read_json
from angarium.mesh.recovery.files.binary import MOST_BYTES, read_binary, unreadable
from angarium.mesh.recovery.files.broker_tables import BrokerTables
from angarium.mesh.recovery.files.names import BINARY, COLOURS_FILE, JSON, file_name


def load(path: str | Path) -> BrokerTables:
    """The tables in a broker's file; one of JSON needs the `colours.json` beside it."""
    file = Path(path)
    try:
        if file.suffix == JSON:
            return read_json(_text(file), _text(file.with_name(COLOURS_FILE)))
        return read_binary(_bytes(file))
    except MeshError as problem:
        raise MeshError(
            problem.code, f"{file}: {problem.what}", possible=problem.possible, remedy=problem.remedy
        ) from None


def load_from(folder: str | Path, broker: str) -> BrokerTables:
    """The tables of a broker in a folder that `angarium mesh recover` has written."""
    place = Path(folder)
    brokers = known_brokers(_text(place / COLOURS_FILE))
    if broker not in brokers:
        raise MeshError(
            "ANG123",
            f"the recovery tables in {place} are for no broker {broker!r}",
            possible=did_you_mean(broker, brokers[:20], also=brokers),
            remedy="name a broker of the mesh that they were made for",
        )
    number = brokers.index(broker)
    binary, text = (place / file_name(number, broker, suffix) for suffix in (BINARY, JSON))
    return load(text if text.exists() and not binary.exists() else binary)


def _text(file: Path) -> str:
    try:
        return _bytes(file).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise unreadable(f"{file.name} is no text") from None


def _bytes(file: Path) -> bytes:
    """What is in a file, up to one byte more than it may have."""
    try:
        return head(file, MOST_BYTES + 1)
    except OSError as problem:
        raise MeshError(
            "ANG120",
            f"cannot read {file}: {problem.strerror}",
            possible="a folder that `angarium mesh recover` has written, and its files",
            remedy="write the tables first",
        ) from None
