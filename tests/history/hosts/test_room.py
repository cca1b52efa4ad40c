"""Small files that have very much in them: an audit in the process takes no more memory than it may."""

from __future__ import annotations

import errno
import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.core.errors import HistoryError
from angarium.history.asked import Asked
from angarium.history.auditing import conduct
from angarium.history.intake import text
from angarium.history.intake.json_lines import row_of
from angarium.history.intake.reasons import TOO_LONG
from angarium.history.told import Told
from angarium.spark.place import Place
from tests.history.readers.inputs import line, write


class StartedError(Exception):
    """Spark was to be started."""


@pytest.fixture
def bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of some kilobytes with 400,000 rows that are no events."""

    def started(*_: object) -> None:
        raise StartedError

    monkeypatch.setattr("angarium.history.auditing.session", started)
    (path := tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(f"{line()}\n".encode() + b"{}\n" * 400_000))
    return path


def test_what_takes_more_memory_than_was_seen_from_outside_is_sparks(bomb: Path) -> None:
    with pytest.raises(StartedError):
        conduct(Asked([bomb], engine="auto"), Place(memory="20m"))


def test_who_wants_no_spark_is_told_that_there_is_no_room(bomb: Path) -> None:
    with pytest.raises(HistoryError, match=r"takes more than 0\.0 GiB of memory"):
        conduct(Asked([bomb], engine="local"), Place(memory="20m"))


def test_a_line_without_an_end_is_no_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gigabyte of it was put together anew for each piece that was read."""
    monkeypatch.setattr(text, "LONGEST_LINE", 10_000)
    monkeypatch.setattr(text, "_PIECE", 1_000)
    long = line(message_id="m" * 200_000)
    path = write(tmp_path / "a.jsonl", line(), long, line(seq=2), long[:-1])

    assert max(map(len, text.lines_of(path))) < 13_000
    told = conduct(Asked([path], engine="local"), Place()).told
    assert (told.counts.accepted, told.counts.reasons) == (2, {TOO_LONG: 2})


def test_long_lines_are_not_all_kept_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST_LINE", 1_000)
    path = write(tmp_path / "a.jsonl", *(line(seq=seq, client_id="c" * 500) for seq in range(1, 11)))
    sizes: list[int] = []
    plain = text.batch_of

    def noted(rows: list[dict[str, object]], *rest: int) -> object:
        sizes.append(len(rows))
        return plain(rows, *rest)

    monkeypatch.setattr(text, "batch_of", noted)
    assert sum(batch.count for batch, _ in text.Lines(path, 0, 0, row_of).batches()) == 10
    assert sum(sizes) == 10 and max(sizes) <= 2


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Parquet of which is thought that it takes ten gigabytes of memory when it is audited."""
    import pyarrow as pa
    from pyarrow import parquet

    shop = (Path(__file__).parents[3] / "examples" / "histories" / "shop.jsonl").read_text().splitlines()
    events = [json.loads(each) for each in shop]
    many = [event | {"run_id": f"{event['run_id']}-{number}"} for number in range(60) for event in events]
    monkeypatch.setattr("angarium.history.hosts.local.AN_EVENT", 1 << 20)
    parquet.write_table(pa.Table.from_pylist(many), tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def told_of(table: Path, place: Place, engine: str) -> Told:
    return replace(conduct(Asked([table], engine=engine), place).told, seconds=0)


def test_events_that_do_not_fit_into_memory_are_kept_in_files(table: Path, tmp_path: Path) -> None:
    (scratch := tmp_path / "scratch").mkdir()
    little, much = Place(memory="1g", scratch=scratch), Place(memory="1000g")
    assert told_of(table, little, "local") == told_of(table, much, "local")
    assert not list(scratch.iterdir())


def test_a_full_disk_is_told(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(HistoryError, match="there is no room for its events in"):
        conduct(Asked([table], engine="local"), Place(memory="1g", scratch=tmp_path))
