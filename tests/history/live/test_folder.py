"""The folder of a followed history: whose it is, how far it came, and that nothing is written twice."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from angarium.core.errors import HistoryError
from angarium.history.live.folder import ALERTS, Folder, claimed
from angarium.history.live.progress import Progress, added, from_text, to_text
from angarium.history.live.settings import Live
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile


def profile(**given: object) -> Profile:
    values: dict[str, object] = dict.fromkeys((each.name for each in fields(Profile)), 0)
    values |= {"run_id": "r", "systems": (), "attached": False}
    return Profile(**(values | given))  # type: ignore[arg-type]


PROGRESS = Progress(
    batch=3,
    watermark=5,
    quarantined={"late: x": 2},
    found=(("a", "order", "inversion", 1),),
    profiles=(profile(systems=("nsq",), events=4),),
    judged=(("r", "order"),),
    position={"files": 17},
    pins=(8, 9),
)


def test_progress_is_read_as_it_was_written() -> None:
    assert from_text(to_text(PROGRESS)) == PROGRESS


def test_the_last_progress_counts_and_one_before_it_is_kept(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.progress() == Progress()
    for number in range(4):
        folder.write_progress(replace(PROGRESS, batch=number))
    assert folder.progress().batch == 3
    assert folder.progress(before=3).batch == 2
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["batch=2", "batch=3"]


def test_a_batch_without_progress_was_not_finished(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write_progress(PROGRESS)
    (tmp_path / "state" / "batch=4").mkdir()
    assert folder.progress().batch == 3


def test_alerts_of_a_batch_that_is_repeated_are_there_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first = folder.write_alerts(0, [{"id": 1}])
    folder.write_alerts(first, [{"id": 2}, {"id": 3}])
    with (tmp_path / ALERTS).open("ab") as torn:
        torn.write(b'{"id": 4, "half')
    end = folder.write_alerts(first, [{"id": 2}, {"id": 3}])
    lines = (tmp_path / ALERTS).read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3]
    assert end == (tmp_path / ALERTS).stat().st_size


def test_alerts_go_on_in_a_new_file_if_the_old_one_was_taken_away(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    length = folder.write_alerts(0, [{"id": 1}])
    (tmp_path / ALERTS).rename(tmp_path / "old")
    assert folder.write_alerts(length, [{"id": 2}]) == length
    assert (tmp_path / ALERTS).read_text("utf-8") == '{"id": 2}\n'


@pytest.mark.parametrize(
    ("parameters", "live", "what"),
    [
        (Parameters(retry_limit=3), Live(), "it has retry_limit = None, and this one has 3"),
        (Parameters(), Live(lateness=1), "it has lateness = "),
    ],
)
def test_another_audit_does_not_go_on_with_it(
    tmp_path: Path, parameters: Parameters, live: Live, what: str
) -> None:
    with claimed(tmp_path / "c", "in", Parameters(), Live()):
        pass
    with pytest.raises(HistoryError, match=what), claimed(tmp_path / "c", "in", parameters, live):
        pass


def test_the_same_audit_goes_on_with_it_whatever_it_remembers(tmp_path: Path) -> None:
    with claimed(tmp_path / "c", "in", Parameters(), Live()):
        pass
    with claimed(tmp_path / "c", "in", Parameters(), Live(remember=1, every=9)) as folder:
        assert folder.root == tmp_path / "c"


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", "utf-8")
    with (
        pytest.raises(HistoryError, match="it holds other things"),
        claimed(tmp_path, "in", Parameters(), Live()),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_two_do_not_follow_with_one_checkpoint(tmp_path: Path) -> None:
    asked = (tmp_path / "c", "in", Parameters(), Live())
    with (
        claimed(*asked),
        pytest.raises(HistoryError, match="another process is at work"),
        claimed(*asked),
    ):
        pass


def test_counts_of_two_parts_are_put_together() -> None:
    assert added({"a": 1}, {"a": 2, "b": 3}) == {"a": 3, "b": 3}


def test_what_was_remembered_stays_as_long_as_somebody_may_go_on_from_it(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in range(4):
        folder.memory(number).mkdir(parents=True)
        folder.write_progress(replace(PROGRESS, batch=number, snapshot=max(0, number - 1)))
    assert folder.oldest_snapshot() == 1
    assert sorted(path.name for path in (tmp_path / "memory").iterdir()) == ["batch=1", "batch=2", "batch=3"]


def test_what_was_begun_after_the_last_batch_is_removed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for name in ("batch=0-3", "batch=4"):
        (tmp_path / "events" / name).mkdir(parents=True)
    folder.forget_after(3)
    assert [path.name for path in (tmp_path / "events").iterdir()] == ["batch=0-3"]
