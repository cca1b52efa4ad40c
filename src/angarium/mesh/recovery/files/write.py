"""Recovery tables of all brokers into a folder: one file a broker and form, and what each colour means."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from angarium.mesh.recovery.compact import packed
from angarium.mesh.recovery.files.as_json import written_colours, written_json
from angarium.mesh.recovery.files.binary import shared_part, written_binary
from angarium.mesh.recovery.files.broker_tables import tables_of
from angarium.mesh.recovery.files.folder import write_whole
from angarium.mesh.recovery.files.names import BINARY, COLOURS_FILE, JSON, file_name
from angarium.mesh.recovery.files.super_rows import rows_of
from angarium.mesh.recovery.tables import Recovery

Observer = Callable[[int, int], None]
FORMS = (BINARY, JSON)


@dataclass(frozen=True, slots=True)
class Written:
    """What is in the folder."""

    folder: Path
    files: int
    size: int
    """Bytes."""


def write_tables(
    recovery: Recovery,
    folder: Path,
    fingerprint: str,
    *,
    forms: Collection[str] = FORMS,
    observe: Observer | None = None,
) -> Written:
    """Write the files of every broker; the folder is there when all of them are.

    Who observes is told how many brokers are done, and of how many.
    """
    sizes: list[int] = []
    names = recovery.graph.names
    shared = shared_part(recovery.mesh.name, names, recovery.colours)
    content: dict[str, Callable[[int], bytes]] = {
        BINARY: lambda broker: written_binary(shared, fingerprint, packed(recovery, broker)),
        JSON: lambda broker: _json(recovery, broker, fingerprint),
    }

    def fill(beside: Path) -> None:
        sizes.append(_write(beside / COLOURS_FILE, _colours(recovery, fingerprint)))
        for broker, name in enumerate(names):
            for form in forms:
                sizes.append(_write(beside / file_name(broker, name, form), content[form](broker)))
            if observe:
                observe(broker + 1, len(names))

    write_whole(folder, fill)
    return Written(folder, len(sizes), sum(sizes))


def _colours(recovery: Recovery, fingerprint: str) -> bytes:
    return _encoded(written_colours(recovery.mesh, recovery.colours, fingerprint))


def _json(recovery: Recovery, broker: int, fingerprint: str) -> bytes:
    tables = tables_of(recovery, broker, fingerprint)
    return _encoded(written_json(tables, rows_of(recovery.of_broker(broker))))


def _encoded(text: str) -> bytes:
    """Names may have what UTF-8 alone cannot say: half of a pair of surrogates."""
    return text.encode("utf-8", "surrogatepass")


def _write(path: Path, content: bytes) -> int:
    return path.write_bytes(content)
