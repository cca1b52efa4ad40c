"""What became of every packet, as a file."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from angarium.core.errors import UsageError
from angarium.mesh.packets.experiment import COLUMNS, Experiment, Flow, Run, write_packets
from angarium.mesh.packets.links import SECOND
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import OSPF, PCRT
from tests.mesh.packets.nets import cable, cut, net


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    mesh = net(cable("a", "b", latency=400), cable("b", "c"))
    flows = Flow("a", "b", 2), Flow("c", "a", 1)
    experiment = Experiment(mesh, flows, (cut("a-b", 3.2),), 4 * SECOND)
    return [simulate(experiment, scheme) for scheme in (PCRT, OSPF)]


def test_both_forms_have_the_same_rows(runs: list[Run], tmp_path: Path) -> None:
    write_packets(tmp_path / "packets.csv", runs)
    write_packets(tmp_path / "packets.parquet", runs)

    rows = list(csv.reader((tmp_path / "packets.csv").read_text(encoding="utf-8").splitlines()))
    table = pq.read_table(tmp_path / "packets.parquet")
    assert rows[0] == list(COLUMNS) == table.column_names
    whole = ["" if cell is None else str(cell) for row in table.to_pylist() for cell in row.values()]
    assert whole == [cell for row in rows[1:] for cell in row]


def test_a_row_says_what_became_of_a_packet(runs: list[Run], tmp_path: Path) -> None:
    write_packets(tmp_path / "packets.csv", runs)

    rows = list(csv.DictReader((tmp_path / "packets.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * (8 + 4)
    assert list(rows[0].values()) == ["pcrt", "0", "a", "b", "0", "arrived", "400000000", "1"]
    assert {row["fate"] for row in rows} == {"arrived", "on a link that was cut", "at a dead link"}


def test_a_file_that_cannot_be_written_leaves_nothing(runs: list[Run], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write_packets(tmp_path / "missing" / "packets.csv", runs)

    assert not list(tmp_path.iterdir())
