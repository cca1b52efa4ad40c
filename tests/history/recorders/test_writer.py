"""Writers: numbers without a gap, files that appear whole, and crashes at any point."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.history.recorders.journals import FORMS, abandoned, journal_of, recover
from angarium.history.recorders.writer import NameTakenError, Rotation, Writer
from tests.effort import examples
from tests.history.recorders.reading import events, files, numbers

COMMON = {"run_id": "run", "system": "test"}


def writer(folder: Path, *, form: str = "jsonl", rotation: Rotation | None = None) -> Writer:
    return Writer(folder, "r", COMMON, form=form, rotation=rotation or Rotation())


def write(to: Writer, count: int) -> None:
    for each in range(count):
        to.write("send", "send", "ok", message_id=f"m{each}", destination="q")


def die(of: Writer) -> None:
    """What is left of a process that was killed: its files."""
    of.abandon()


@contextmanager
def a_full_disk(size: int) -> Iterator[None]:
    """No file may become larger than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("form", FORMS)
def test_what_was_written_is_there_in_files_of_the_wanted_size(tmp_path: Path, form: str) -> None:
    to = writer(tmp_path, form=form, rotation=Rotation(events=3))
    write(to, 7)
    to.close()

    found = events(tmp_path)

    assert files(tmp_path) == [f"r-00000{number}.{form}" for number in (1, 2, 3)]
    assert numbers(found) == list(range(1, 8))
    assert [event["message_id"] for event in found] == [f"m{each}" for each in range(7)]
    assert {(event["run_id"], event["recorder"], event["op_type"]) for event in found} == {
        ("run", "r", "send")
    }
    assert (to.events, to.files) == (7, 3)


def test_an_unfinished_file_is_not_seen(tmp_path: Path) -> None:
    to = writer(tmp_path)
    write(to, 2)

    assert files(tmp_path) == []
    to.rotate()
    assert files(tmp_path) == ["r-000001.jsonl"]
    to.close()


def test_a_file_ends_by_its_size_and_by_its_time_though_nothing_comes(tmp_path: Path) -> None:
    by_size = writer(tmp_path / "size", rotation=Rotation(bytes=100))
    write(by_size, 2)
    by_time = writer(tmp_path / "time", rotation=Rotation(seconds=0.0))
    write(by_time, 1)
    late = writer(tmp_path / "late", rotation=Rotation(seconds=3600.0))
    write(late, 1)
    late.tick()
    assert files(tmp_path / "late") == []
    late._due = 0.0
    late.tick()

    assert [len(files(tmp_path / name)) for name in ("size", "time", "late")] == [2, 1, 1]
    for each in (by_size, by_time, late):
        each.close()


@pytest.mark.parametrize("form", FORMS)
def test_another_one_goes_on_with_the_numbers(tmp_path: Path, form: str) -> None:
    first = writer(tmp_path, form=form)
    write(first, 3)
    first.close()
    second = writer(tmp_path, form=form)
    write(second, 2)
    second.close()

    assert (first.resumed, second.resumed) == (False, True)
    assert numbers(events(tmp_path)) == [1, 2, 3, 4, 5]


def test_a_number_that_is_left_out_is_a_gap(tmp_path: Path) -> None:
    to = writer(tmp_path)
    write(to, 1)
    to.skip()
    write(to, 1)
    to.close()

    assert numbers(events(tmp_path)) == [1, 3]


def test_what_is_concluded_has_no_number_and_another_recorder(tmp_path: Path) -> None:
    to = writer(tmp_path)
    to.conclude("receive", "deliver", "ok", at=5, message_id="m", destination="q")
    write(to, 1)
    to.close()

    concluded, numbered = events(tmp_path)

    assert (concluded["recorder"], concluded.get("seq"), concluded["time_unix_nano"]) == (
        "r/concluded",
        None,
        5,
    )
    assert (numbered["recorder"], numbered["seq"]) == ("r", 1)


def test_two_do_not_write_under_one_name(tmp_path: Path) -> None:
    first = writer(tmp_path)
    with pytest.raises(NameTakenError):
        writer(tmp_path)
    first.close()
    writer(tmp_path).close()


@pytest.mark.parametrize("form", FORMS)
def test_one_that_was_killed_loses_nothing(tmp_path: Path, form: str) -> None:
    killed = writer(tmp_path, form=form, rotation=Rotation(events=3))
    write(killed, 5)
    die(killed)
    after = writer(tmp_path, form=form)
    write(after, 1)
    after.close()

    assert numbers(events(tmp_path)) == [1, 2, 3, 4, 5, 6]


@settings(max_examples=examples(30))
@given(cut=st.integers(0, 400), trash=st.binary(max_size=20))
def test_whole_lines_survive_wherever_a_file_is_cut(
    tmp_path_factory: pytest.TempPathFactory, cut: int, trash: bytes
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    killed = writer(folder)
    write(killed, 3)
    die(killed)
    journal = journal_of(folder, "r", 1)
    data = journal.read_bytes()[:cut] + trash.replace(b"\n", b"")
    journal.write_bytes(data)
    lines = data.count(b"\n")
    if lines == 0:
        return  # what has no whole line stays as it is, for readers to put into quarantine

    recover(folder)
    found = events(folder)

    whole = data.endswith(b"\n")
    assert numbers(found) == [*range(1, lines + 1), *([] if whole else [lines + 2])]
    assert [event["op_name"] for event in found[lines:]] == ([] if whole else ["recorder.cut"])


def test_a_journal_whose_file_is_finished_is_not_read_twice(tmp_path: Path) -> None:
    killed = writer(tmp_path, form="jsonl.gz", rotation=Rotation(events=2))
    write(killed, 2)
    line = events(tmp_path)[0]
    journal_of(tmp_path, "r", 1).write_text(f"{line}\n", encoding="utf-8")
    (tmp_path / ".r-000002.sealing").write_bytes(b"half")
    die(killed)

    after = writer(tmp_path)
    after.close()

    assert numbers(events(tmp_path)) == [1, 2]
    assert not list(tmp_path.glob(".r-*"))


def test_recovering_leaves_alone_who_is_alive(tmp_path: Path) -> None:
    alive, dead = Writer(tmp_path, "alive", COMMON), Writer(tmp_path, "dead", COMMON)
    write(alive, 1)
    write(dead, 2)
    die(dead)

    assert [path.name for path in abandoned(tmp_path)] == [".dead-000001.jsonl"]
    assert [path.name for path in recover(tmp_path)] == ["dead-000001.jsonl"]
    assert abandoned(tmp_path) == []
    alive.close()
    assert len(events(tmp_path)) == 3


def test_what_is_in_a_finished_file_is_not_left_behind(tmp_path: Path) -> None:
    killed = writer(tmp_path, rotation=Rotation(events=2))
    write(killed, 2)
    die(killed)
    before = sorted(tmp_path.iterdir())
    journal_of(tmp_path, "r", 1).touch()

    assert abandoned(tmp_path) == []
    journal_of(tmp_path, "r", 2).touch()
    journal_of(tmp_path, "without a lock", 1).touch()
    assert [path.name for path in abandoned(tmp_path)] == [".r-000002.jsonl", ".without a lock-000001.jsonl"]
    assert len(list(tmp_path.iterdir())) == len(before) + 3, "asking makes no file"


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_ends_it_with_a_last_word_behind_a_gap(tmp_path: Path, form: str) -> None:
    to = writer(tmp_path, form=form)
    with a_full_disk(8192):
        with pytest.raises(OSError, match="File too large") as caught:
            write(to, 1000)
        to.give_up(str(caught.value))

    found = events(tmp_path)

    *written, last = numbers(found)
    assert written == list(range(1, to.seq + 1)) and to.seq > 10
    assert last == to.seq + 2
    assert (found[-1]["op_name"], found[-1]["phase"]) == ("recorder.stopped", "info")


def test_names_that_are_no_file_names(tmp_path: Path) -> None:
    to = Writer(tmp_path, "../a b/c:1", COMMON)
    write(to, 1)
    to.close()

    assert files(tmp_path) == ["a_b_c_1-000001.jsonl"]
    assert events(tmp_path)[0]["recorder"] == "../a b/c:1"
    assert not [name for name in os.listdir(tmp_path.parent) if name.endswith(".jsonl")]
