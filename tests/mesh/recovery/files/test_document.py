"""The reference page of recovery tables: whoever writes a reader from it reads what we write."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

from angarium.mesh.recovery.files import binary, write_tables
from angarium.mesh.recovery.files.binary import CHECKSUM_BYTES, HEADER
from tests.mesh.recovery.files.sample import RING, mark, random_recovery, recovered

PAGE = (Path(__file__).parents[4] / "docs" / "reference" / "recovery-tables.md").read_text(encoding="utf-8")


class Tables(Protocol):
    """What the reader of the page gives."""

    broker: int
    colours: list[tuple[list[int], list[int]]]

    def next(self, colour: int, destination: str) -> str | None: ...


def reader_of_the_page() -> Callable[[bytes], Tables]:
    (source,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(source, names)
    return cast(Callable[[bytes], Tables], names["Tables"])


def test_the_reader_of_the_page_finds_every_next_hop(tmp_path: Path) -> None:
    reader = reader_of_the_page()
    for seed, recovery in enumerate([recovered(RING), *map(random_recovery, range(12))]):
        place = tmp_path / str(seed)
        write_tables(recovery, place, mark(recovery), forms=(".tables",))
        for number, name in enumerate(recovery.graph.names, start=1):
            tables = reader((place / f"{number}-{name}.tables").read_bytes())

            assert (tables.broker, len(tables.colours)) == (number - 1, len(recovery.colours))
            for colour in recovery.colours:
                for to in recovery.graph.names:
                    assert tables.next(colour, to) == recovery.next_broker(colour, name, to)


def test_the_header_is_as_the_page_says() -> None:
    at = HEADER.size, HEADER.size + CHECKSUM_BYTES

    assert f"| {at[0]} | {CHECKSUM_BYTES} | checksum: the SHA-256 of bytes 0 to {at[0] - 1} " in PAGE
    assert f"| {at[1]} | | the name of the mesh" in PAGE
    assert binary.MAGIC.hex(" ").upper() in PAGE
    assert f"files of more than {binary.MOST_BYTES >> 20} MiB" in " ".join(PAGE.split())
