"""Where a page looks for runs when nobody told it: in its folder, and then below."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from angarium.app.pipeline.store import claim_folder
from angarium.app.web.settings import below, place_of_runs
from tests.app.web.asking import Page


def results(out: Path, *runs: str) -> Path:
    """A results folder as `angarium run` makes it."""
    claim_folder(out)
    (out / "runs").mkdir()
    for name in runs:
        (out / "runs" / f"{name}.json").write_text("{}", encoding="utf-8")
    return out


def test_without_any_it_is_the_folders_own(tmp_path: Path) -> None:
    assert place_of_runs(tmp_path) == tmp_path / ".angarium"


def test_runs_of_a_project_below_are_found_the_newest_first(tmp_path: Path) -> None:
    old = results(tmp_path / "a" / ".angarium", "20261116-0001", "20261118-0001")
    new = results(tmp_path / "b" / "out", "20261119-0001")
    results(tmp_path / "empty")

    assert below(tmp_path) == [old, new]
    assert place_of_runs(tmp_path) == new


def test_the_folders_own_runs_come_before_all_others(tmp_path: Path) -> None:
    results(tmp_path / "a" / ".angarium", "20261119-0001")
    own = results(tmp_path / ".angarium", "20261101-0001")

    assert place_of_runs(tmp_path) == own


def test_a_folder_without_the_mark_is_somebody_elses(tmp_path: Path) -> None:
    out = results(tmp_path / "a", "20261119-0001")
    (out / ".angarium-results").unlink()

    assert below(tmp_path) == []


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    results(tmp_path / "elsewhere" / "a" / "out", "20261119-0001")
    (tmp_path / "here").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "here" / "link")

    assert below(tmp_path / "here") == []


@pytest.mark.parametrize("inside", [True, False])
def test_a_page_without_runs_says_where_it_looked_and_where_there_are_some(
    tmp_path: Path, inside: bool
) -> None:
    results(tmp_path / "five" / ".angarium", "20261119-0001")
    out = tmp_path / "out" if inside else Path("/nowhere")

    told = Page(tmp_path, out=out).get("/api/report/place").json()

    assert told == {"place": "out" if inside else "/nowhere", "others": ["five/.angarium"]}
