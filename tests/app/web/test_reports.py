"""The report view's part of the JSON interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.app.pipeline import store
from tests.app.web.asking import Page
from tests.app.web.jobs import HOSTILE, MODEL, claim, save

FIRST, SECOND = "20261115-183000-0001", "20261116-183000-0002"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Two runs, the second of which breaks something."""
    out = tmp_path_factory.mktemp("out")
    kept, broken = claim("every message arrives", "no-loss", "holds"), claim("once", "no-duplicates", "holds")
    save(out, FIRST, kept)
    save(out, SECOND, kept, broken)
    (out / "runs" / "20261117-000000-ffff.json").write_text("{")
    return Page(Path("examples"), out=out)


def test_runs_are_listed_newest_first_without_broken_files(page: Page) -> None:
    runs = page.get("/api/report/runs").json()["runs"]

    assert [each["run"] for each in runs] == [SECOND, FIRST]
    assert "unexpected" in runs[0]["outcome"] and "as expected" in runs[1]["outcome"]
    assert (runs[0]["claims"], runs[0]["unchecked"]) == (2, 1)


def test_a_run_is_read_once_however_often_the_list_is_asked_for(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = page.get("/api/report/runs").json()
    monkeypatch.setattr(store, "read", lambda path: pytest.fail(f"{path} is read again"))

    assert page.get("/api/report/runs").json() == first


def test_without_runs_the_list_is_empty(tmp_path: Path) -> None:
    assert Page(tmp_path).get("/api/report/runs").json() == {"runs": []}


def test_a_run_tells_its_claims_the_worst_first_with_their_trend(page: Page) -> None:
    told = page.get(f"/api/report/run?run={SECOND}").json()

    assert [each["name"] for each in told["rows"]] == ["once", "every message arrives"]
    assert "Over the last runs" in told["html"]
    assert "later" in told["html"], "what was not looked at"


def test_the_first_run_has_no_trend_yet(page: Page) -> None:
    assert "Over the last runs" not in page.get(f"/api/report/run?run={FIRST}").json()["html"]


def test_a_claim_has_its_verdicts_its_story_and_the_way_to_step_through_it(page: Page) -> None:
    shown = page.get(f"/api/report/claim?run={SECOND}&claim=once").json()

    assert "<svg" in shown["html"] and "no-duplicates" in shown["html"]
    (story,) = shown["stories"]
    assert story["guarantee"] == "no-duplicates"
    assert story["path"] == [0, 0, 0, 0, 0, 0, 1]
    assert story["subject"] == f"examples/{MODEL}"


def test_texts_of_a_claim_are_escaped(page: Page) -> None:
    shown = page.get(f"/api/report/claim?run={SECOND}&claim=once").json()

    assert HOSTILE not in shown["html"]
    assert "&lt;img src=x" in shown["html"]


@pytest.mark.parametrize(
    "asked",
    [
        "run?run=no",
        "run",
        "run?run=../secret",
        "claim?run=no&claim=once",
        f"claim?run={SECOND}&claim=no",
        "claim",
    ],
)
def test_what_is_not_there_is_said(page: Page, asked: str) -> None:
    answer = page.get(f"/api/report/{asked}")

    assert (answer.status_code, answer.json()["code"]) == (404, "ANG153")


def test_no_file_beside_the_runs_can_be_asked_for(page: Page) -> None:
    out = page.app.state.settings.out
    (out / "secret.json").write_text((out / "runs" / f"{FIRST}.json").read_text())

    assert page.get("/api/report/run?run=../secret").status_code == 404


def test_the_style_is_the_one_of_the_report(page: Page) -> None:
    style = page.get("/report.css")

    assert style.headers["content-type"].startswith("text/css")
    assert ".badge" in style.text
