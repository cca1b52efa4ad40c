"""A search that was stopped goes on where it was, and mixes nothing up."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.engine import Progress
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.spark.engine import check_folder, opened
from angarium.checker.explore.spark.levels import Levels
from angarium.core.control import Limits
from angarium.core.errors import UsageError
from angarium.spark.session import Place
from tests.checker.backend.systems import counters
from tests.checker.explore.spark.here import HereEngine
from tests.checker.explore.test_engines_agree import summary
from tests.zoo import overflow

GRID = counters(3, 9)
S3 = Path("s3://bucket/search")


def stopped_at(depth: int, folder: Path, wish: Wish | None = None) -> None:
    def stop(progress: Progress) -> None:
        if progress.depth == depth:
            raise KeyboardInterrupt

    outcome = HereEngine(checkpoint=folder).search(GRID, observe=stop, graph=wish)
    assert outcome.coverage.cut == "interrupted"
    assert outcome.coverage.depth == depth


@pytest.mark.parametrize("wish", [None, Wish()], ids=["states", "graph"])
def test_it_goes_on_behind_its_last_complete_level(wish: Wish | None, tmp_path: Path) -> None:
    expected = HereEngine().search(GRID, graph=wish)
    stopped_at(7, tmp_path, wish)
    done = {path: path.stat().st_mtime_ns for path in tmp_path.glob("level-0000[0-6]/part-*/states.parquet")}

    found = HereEngine(checkpoint=tmp_path).search(GRID, graph=wish)

    assert summary(found) == summary(expected)
    assert done and {path: path.stat().st_mtime_ns for path in done} == done
    assert (found.graph is None) == (wish is None)


def test_what_an_unfinished_round_left_is_removed(tmp_path: Path) -> None:
    stopped_at(7, tmp_path)
    (tmp_path / "level-00007" / "done.json").unlink()

    found = HereEngine(checkpoint=tmp_path).search(GRID)

    assert summary(found) == summary(HereEngine().search(GRID))


def test_it_keeps_to_the_owners_that_it_began_with(tmp_path: Path) -> None:
    stopped_at(7, tmp_path)

    found = HereEngine(owners=5, checkpoint=tmp_path).search(GRID)

    assert summary(found) == summary(HereEngine().search(GRID))
    assert len(list((tmp_path / "level-00008").glob("part-*"))) == 3


def test_a_finished_search_answers_at_once(tmp_path: Path) -> None:
    first = HereEngine(checkpoint=tmp_path).search(GRID)
    seen: list[Progress] = []

    again = HereEngine(checkpoint=tmp_path).search(GRID, observe=seen.append)

    assert summary(again) == summary(first)
    assert seen == []


def test_the_folder_of_another_search_is_refused(tmp_path: Path) -> None:
    stopped_at(7, tmp_path)

    with pytest.raises(UsageError, match="another system, another hash") as error:
        HereEngine(checkpoint=tmp_path).search(overflow())
    assert error.value.code == "ANG016"
    with pytest.raises(UsageError, match="another wish"):
        HereEngine(checkpoint=tmp_path).search(GRID, graph=Wish())
    with pytest.raises(UsageError, match="another symmetry"):
        HereEngine(checkpoint=tmp_path).search(GRID, symmetry=True)


def test_a_folder_with_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text("chapter 1")

    with pytest.raises(UsageError, match="none of a search"):
        HereEngine(checkpoint=tmp_path).search(GRID)

    assert [each.name for each in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("text", ["", "[1]", "{"])
def test_a_damaged_note_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "search.json").write_text(text)

    with pytest.raises(UsageError, match="cannot be read"):
        HereEngine(checkpoint=tmp_path).search(GRID)


def test_two_searches_at_once_are_refused(tmp_path: Path) -> None:
    refused: list[str] = []

    def begin_another(progress: Progress) -> None:
        if progress.depth == 3:
            with pytest.raises(UsageError, match="another one is going on there") as error:
                HereEngine(checkpoint=tmp_path).search(GRID)
            refused.append(error.value.code)

    found = HereEngine(checkpoint=tmp_path).search(GRID, observe=begin_another)

    assert refused == ["ANG016"]
    assert summary(found) == summary(HereEngine().search(GRID))


def test_workers_are_told_where_the_folder_is_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with opened(GRID, 2, None, False, Place(), Path("kept")) as job:
        assert job.folder == tmp_path / "kept"


def test_the_last_level_is_the_one_with_the_greatest_number(tmp_path: Path) -> None:
    for level in (9, 99_999, 100_000):
        Levels(tmp_path).finish(level, {"sizes": [level]})

    assert Levels(tmp_path).last() == (100_000, {"sizes": [100_000]})


def test_limits_cut_at_the_end_of_a_level() -> None:
    cut = HereEngine().search(GRID, limits=Limits(max_states=100)).coverage

    assert cut.cut == "limit of 100 states"
    assert not cut.complete
    assert cut.states == 120
    assert cut.frontier == 36


def test_memory_is_limited_too() -> None:
    cut = HereEngine().search(GRID, limits=Limits(max_bytes=1000)).coverage

    assert (cut.cut, cut.complete) == ("limit of 1,000 bytes", False)


def test_time_is_limited_too() -> None:
    cut = HereEngine().search(GRID, limits=Limits(timeout=1e-9)).coverage

    assert (cut.cut, cut.complete, cut.states) == ("time limit of 1e-09 s", False, 1)


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    HereEngine().search(GRID)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_name_spark_would_misread_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="for a pattern"):
        check_folder(tmp_path / "run[1]")

    assert list(tmp_path.iterdir()) == []


def test_what_is_no_folder_is_refused_before_spark_starts(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")

    for folder, why in ((file, "File exists"), (file / "below", "Not a directory"), (S3, "it is an address")):
        with pytest.raises(UsageError, match=why) as error:
            check_folder(folder)
        assert error.value.code == "ANG016"
