"""Damaged histories: no damage makes a guarantee hold that is broken, or break one that holds.

All damaged files are read and audited together, in the process and on Spark. Each has runs of its
own, two a file, whose names are not the file's. What the whole says is what the plain-Python oracle finds.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from angarium.core.result import Verdict
from angarium.history import schema
from angarium.history.asked import Asked
from angarium.history.auditing import conduct
from angarium.history.guarantees import GUARANTEES
from angarium.history.intake import reasons as why
from angarium.history.results import Judgement
from angarium.history.told import Told
from tests.effort import also, is_thorough
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history
from tests.history.histories import HERE
from tests.history.readers.inputs import read
from tests.history.soup import soup
from tests.oracles.history.audit import audit as in_python

Row = dict[str, Any]
EACH, FILES = (3, 60) if is_thorough() else (1, 4)
"""Faults of each kind; files that are damaged in one way."""


@cache
def whole() -> dict[str, list[Row]]:
    """Histories of correct brokers, and such with a fault."""
    clean = {system: [history(system, seed, "") for seed in range(2)] for system in SYSTEMS}
    broken = {
        f"{fault.name}-{number}": fault.rows
        for injector in INJECTORS
        for number, fault in enumerate(faults(injector, clean, each=EACH))
    }
    return {
        f"{system}-{seed}": rows for system in SYSTEMS for seed, rows in enumerate(clean[system])
    } | broken


# --- damages --------------------------------------------------------------------------------------


def text(rows: list[Row]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def table(rows: list[Row]) -> bytes:
    """CSV whose last column is a name, so that a part of it is a name, too."""
    names = [*(name for name in schema.NAMES if name != "message_id"), "message_id"]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue().encode()


def _cell(value: object) -> object:
    return ";".join(value) if isinstance(value, list) else value


def cut(data: bytes, at: float) -> bytes:
    return data[: max(200, int(len(data) * at))]


def in_line(data: bytes, at: float) -> bytes:
    """Cut in the middle of a line."""
    place = data.index(b"\n", int(len(data) * at))
    return data[: place - 3]


def with_line(data: bytes, at: float, line: bytes) -> bytes:
    """With a line put into it."""
    place = data.index(b"\n", int(len(data) * at)) + 1
    return data[:place] + line + b"\n" + data[place:]


def without_end_of_line(data: bytes, at: float) -> bytes:
    """With two lines become one."""
    place = data.index(b"\n", int(len(data) * at))
    return data[:place] + data[place + 1 :]


def spoilt(data: bytes, at: float) -> bytes:
    """With a line of which some bytes were overwritten."""
    place = data.index(b"\n", int(len(data) * at)) + 20
    return data[:place] + b"\xff\xfe\0\0" + data[place + 4 :]


DAMAGES: dict[str, Callable[[list[Row], float], bytes]] = {
    "a.jsonl.gz": lambda rows, at: cut(gzip.compress(text(rows)), at),
    "b.jsonl.bz2": lambda rows, at: cut(bz2.compress(text(rows), 1), at),
    "c.jsonl": lambda rows, at: in_line(text(rows), at),
    "d.jsonl": lambda rows, at: with_line(text(rows), at, b"%%% no event"),
    "e.jsonl": lambda rows, at: without_end_of_line(text(rows), at),
    "f.jsonl": lambda rows, at: spoilt(text(rows), at),
    "g.csv": lambda rows, at: in_line(table(rows), at),
    "h.csv": lambda rows, at: with_line(table(rows), at, b"1,2,3"),
    "i.jsonl.gz": lambda rows, at: gzip.compress(with_line(text(rows), at, b'{"run_id": "r", "phase')),
    "j.csv.gz": lambda rows, at: cut(gzip.compress(table(rows)), at),
}
"""By the end of the file's name: rows, as they are when the file was damaged at a part of its length."""
NOTHING_READ = {"b.jsonl.bz2"}
"""Small files of this kind are one block: nothing can be read of one that is cut."""


# --- what is said of them -------------------------------------------------------------------------


def written(folder: Path) -> dict[str, list[Row]]:
    """Damaged files; the rows of each run as they were."""
    chance, names, runs = random.Random(5), sorted(whole()), {}
    for damage, damaged in DAMAGES.items():
        if damage in NOTHING_READ:
            continue
        for number in range(FILES):
            pair = [names[len(runs) // 2 % len(names)], chance.choice(names)]
            own = {f"{place}-{number}-{damage[0]}-{name}": whole()[name] for place, name in enumerate(pair)}
            runs |= own
            rows = [row | {"run_id": run} for run, each in own.items() for row in each]
            rows.sort(key=lambda row: int(row["time_unix_nano"]))
            (folder / f"{number}-{damage}").write_bytes(damaged(rows, chance.uniform(0.2, 0.95)))
    return runs


Said = tuple[dict[str, list[Row]], list[Judgement]]


@pytest.fixture(scope="module", params=["local", *also(["spark"])])
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Said:
    folder = tmp_path_factory.mktemp("damaged")
    runs = written(folder)
    if request.param == "spark":
        pytest.importorskip("pyspark")
    return runs, list(told_by(request.param, folder).judgements)


def told_by(engine: str, folder: Path) -> Told:
    """What an audit says of a folder."""
    return conduct(Asked([folder], engine=engine), HERE).told


def in_process(folder: Path) -> Told:
    return told_by("local", folder)


def broken(rows: list[Row], run_id: str) -> set[str]:
    return {each.guarantee for each in in_python([row | {"run_id": run_id} for row in rows])}


@pytest.mark.slow
def test_nothing_of_a_damaged_file_holds_and_nothing_is_violated_that_was_not(said: Said) -> None:
    runs, judgements = said
    violated = {run: broken(rows, run) for run, rows in runs.items()}
    assert {each.run_id for each in judgements} <= set(runs)
    assert len({each.run_id for each in judgements}) > 0.9 * len(runs)
    assert [each for each in judgements if each.verdict is Verdict.HOLDS] == []
    certain = [each for each in judgements if each.verdict is Verdict.VIOLATED]
    assert certain, "nothing is compared"
    assert [each for each in certain if each.guarantee not in violated[each.run_id]] == []
    assert all(each.doubtful and each.reason for each in judgements if each.verdict is Verdict.UNKNOWN)


NOTHING: dict[str, Callable[[list[Row]], bytes]] = {
    "b.jsonl.bz2": lambda rows: cut(bz2.compress(text(rows)), 0.5),
    "half.parquet": lambda rows: b"PAR1 half",
    "empty.jsonl": lambda rows: b"",
    "other.jsonl.zst": lambda rows: b"\x28\xb5\x2f\xfd" + text(rows),
}
"""Files of which nothing can be read."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTHING)
def test_a_file_of_which_nothing_is_read_leaves_nothing_certain_beside_it(tmp_path: Path, name: str) -> None:
    rows = [row | {"run_id": "whole"} for row in whole()["rabbitmq-0"]]
    (tmp_path / "good.jsonl").write_bytes(text(rows))
    (tmp_path / name).write_bytes(NOTHING[name](rows))
    found = read(tmp_path).lacking()
    assert (found.anywhere, found.stray(["whole"])["whole"]) == (1, 1)
    assert {each.verdict for each in in_process(tmp_path).judgements} == {Verdict.UNKNOWN}


def parquet_of(rows: list[Row], *, checksums: bool = True) -> bytes:
    """As recorders write it: each page with a checksum."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    types = {schema.LONG: pa.int64(), schema.INT: pa.int32(), schema.TEXT: pa.string(),
             schema.TRUTH: pa.bool_(), schema.TEXTS: pa.list_(pa.string())}  # fmt: skip
    columns, out = [(column.name, types[column.type]) for column in schema.COLUMNS], io.BytesIO()
    table = pa.Table.from_pylist(rows, pa.schema(columns))
    parquet.write_table(table, out, row_group_size=20, compression="none", write_page_checksum=checksums)
    return out.getvalue()


@pytest.mark.parametrize(("checksums", "byte"), [(True, b"?"), (False, b"\xff")])
def test_a_damaged_page_of_parquet_takes_its_file_out_of_an_audit_in_the_process(
    tmp_path: Path, checksums: bool, byte: bytes
) -> None:
    """Without a checksum it is seen only that what is no text is none."""
    rows = [row | {"run_id": "bad"} for row in whole()["rabbitmq-0"]]
    data = parquet_of(rows, checksums=checksums)
    place = data.index(str(rows[-1]["recorder"]).encode())
    (tmp_path / "bad.parquet").write_bytes(data[:place] + byte + data[place + 1 :])
    (tmp_path / "good.jsonl").write_bytes(text([row | {"run_id": "good"} for row in rows]))
    told = in_process(tmp_path)
    assert told.counts.reasons == {why.BROKEN_FILE: 1}
    assert {(each.run_id, each.verdict) for each in told.judgements} == {("good", Verdict.UNKNOWN)}


def test_a_damaged_name_of_a_column_takes_its_file_out_of_an_audit_in_the_process(tmp_path: Path) -> None:
    """But for the name of a column's chunk, which the schema has as well: with that one all is read."""
    rows = [row | {"run_id": "bad"} for row in whole()["rabbitmq-0"]]
    (tmp_path / "bad.parquet").write_bytes(parquet_of(rows))
    (tmp_path / "good.jsonl").write_bytes(text([row | {"run_id": "good"} for row in rows]))
    undamaged = in_process(tmp_path).judgements
    before, name, after = parquet_of(rows).rpartition(b"time_unix_nano")
    unknown = 0
    for number in range(before.count(name)):
        place = before.replace(name, b"-" * len(name), number).index(name)
        (tmp_path / "bad.parquet").write_bytes(before[:place] + b"\xb8" + before[place + 1 :] + name + after)
        found = in_process(tmp_path).judgements
        assert found == undamaged or {each.verdict for each in found} == {Verdict.UNKNOWN}
        unknown += found != undamaged
    assert unknown


def test_a_garbage_line_leaves_a_file_of_parquet_beside_it_as_it_is(tmp_path: Path) -> None:
    """Of all files those runs are asked for of which the line may be: the rows are judged once more."""
    rows = whole()["rabbitmq-0"]
    (tmp_path / "good.parquet").write_bytes(parquet_of([row | {"run_id": "good"} for row in rows]))
    (tmp_path / "bad.jsonl").write_bytes(
        with_line(text([row | {"run_id": "bad"} for row in rows]), 0.5, b"?")
    )
    told = in_process(tmp_path)
    assert (told.counts.accepted, told.counts.reasons) == (2 * len(rows), {why.NOT_JSON: 1})
    assert {each.run_id for each in told.judgements if each.verdict is Verdict.HOLDS} == {"good"}


def test_a_file_without_an_event_has_no_columns_that_an_audit_needs(tmp_path: Path) -> None:
    rows = [row | {"run_id": "good"} for row in whole()["rabbitmq-0"]]
    (tmp_path / "bad.csv").write_bytes(table(rows).replace(b"time_unix_nano", b"\0" * 14, 1))
    (tmp_path / "good.jsonl").write_bytes(text(rows))
    told = in_process(tmp_path)
    assert told.counts.reasons == {why.MISSING: len(rows)}
    assert Verdict.HOLDS not in {each.verdict for each in told.judgements}


# --- what a violation proves ----------------------------------------------------------------------


def partial(rows: list[Row], chance: random.Random) -> Iterator[list[Row]]:
    """What is left of a history if some of it is missing: here and there, a stretch, or one's last part."""
    for share in (0.03, 0.3):
        yield [row for row in rows if chance.random() > share]
    place = chance.randrange(len(rows))
    yield rows[:place] + rows[place + chance.randrange(1, 40) :]
    recorder, place = chance.choice(rows)["recorder"], chance.randrange(len(rows))
    yield [row for at, row in enumerate(rows) if at < place or row["recorder"] != recorder]


def test_a_violation_that_is_called_proved_is_one_of_the_whole_history() -> None:
    """And for most others there is a history without a violation of which a part seems to have one."""
    chance = random.Random(7)
    proved = {(each.name, kind) for each in GUARANTEES for kind in each.proved}
    soups = {f"soup-{seed}": soup(seed, "") for seed in range(200 if is_thorough() else 40)}
    seeming, certain = set(), 0
    for rows in (whole() | soups).values():
        true = {each.guarantee for each in in_python(rows)}
        for part in filter(None, partial(rows, chance)):
            kinds = {(each.guarantee, each.kind) for each in in_python(part)}
            seeming |= {(guarantee, kind) for guarantee, kind in kinds if guarantee not in true}
            certain += len(kinds & proved)
    assert certain and not seeming & proved
    assert {name for name, _ in seeming} >= {"no-loss", "no-phantom", "consistent-offsets", "complete-log"}
