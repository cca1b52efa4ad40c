"""The folder of results: whose it is, what is kept of a run, and the trend over runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from angarium.errors import PipelineError
from angarium.pipeline import store
from angarium.pipeline.files import claim_folder
from angarium.pipeline.trends import shrunk, trends_of
from angarium.report.job import AS_EXPECTED, ClaimResult, JobResult
from angarium.report.job_text import render_trends

STORY = {"address": "nsq@1:x:0", "summary": "it is lost", "steps": []}
RECORD = {
    "states": 100, "complete": True, "model_hash": "1",
    "verdicts": [{"guarantee": "no-loss", "verdict": "violated", "description": "d", "story": STORY}],
}  # fmt: skip
CLAIM = ClaimResult("a", "check", "nsq", "violated", "violated", AS_EXPECTED, 1.5, RECORD)
JOB = JobResult(
    "p", "20261116-100000-aaaa", "2026-11-16T10:00:00Z", 2.0, "local[2]", "0.1.0", (CLAIM,), ("b",)
)


def _later(states: int, model_hash: str = "1", **more: object) -> ClaimResult:
    return replace(CLAIM, record={**RECORD, "states": states, "model_hash": model_hash, **more})


def test_a_job_is_kept_whole(tmp_path: Path) -> None:
    store.save(tmp_path, JOB)

    assert store.runs(tmp_path) == [JOB]
    assert store.load(tmp_path, JOB.run_id) == JOB
    assert store.load(tmp_path, "../runs/" + JOB.run_id) is None


def test_the_newest_run_comes_first_and_broken_files_are_passed_over(tmp_path: Path) -> None:
    later = replace(JOB, run_id="20261117-100000-bbbb")
    store.save(tmp_path, JOB)
    store.save(tmp_path, later)
    (tmp_path / "runs" / "20261118-000000-cccc.json").write_text("{", encoding="utf-8")

    assert [job.run_id for job in store.runs(tmp_path)] == [later.run_id, JOB.run_id]


def test_tables_are_read_over_all_runs(tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    store.save(tmp_path, JOB)
    store.save(tmp_path, replace(JOB, run_id="20261117-100000-bbbb"))

    def rows(name: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = dataset.dataset(tmp_path / "tables" / name).to_table().to_pylist()
        return found

    assert {row["run_id"] for row in rows("claims")} == {JOB.run_id, "20261117-100000-bbbb"}
    assert rows("verdicts")[0]["verdict"] == "violated"
    assert rows("stories")[0]["summary"] == "it is lost"
    assert {row["figure"]: row["value"] for row in rows("figures")} == {"states": 100.0}


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("mine", encoding="utf-8")

    with pytest.raises(PipelineError, match=r"files of something else \(thesis.doc\)"):
        claim_folder(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.doc"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine", encoding="utf-8")

    with pytest.raises(PipelineError, match="it is a file"):
        claim_folder(tmp_path / "out")


def test_our_own_folder_is_taken_again(tmp_path: Path) -> None:
    claim_folder(tmp_path / "out")
    (tmp_path / "out" / "report.html").write_text("x", encoding="utf-8")

    claim_folder(tmp_path / "out")


@pytest.mark.parametrize(
    ("later", "words"),
    [
        (_later(60), "40 of 100 states are gone though its model is the same"),
        (_later(60, "2"), "40 of 100 states are gone since its model was changed"),
        (_later(100), None),
        (_later(101), None),
        (_later(60, complete=False), None),
        (replace(_later(60), about="nsq with messages=1"), None),
    ],
)
def test_a_state_space_that_shrinks_is_told(later: ClaimResult, words: str | None) -> None:
    found = shrunk(later, [JOB])

    assert found is None if words is None else found is not None and words in found


def test_a_trend_shows_verdicts_and_states() -> None:
    later = replace(JOB, run_id="20261117-100000-bbbb", claims=(_later(60),))

    text = render_trends(trends_of([later, JOB]))

    assert text.splitlines() == [
        "a",
        "  20261116-100000-aaaa  violated  100 states",
        "  20261117-100000-bbbb  violated  60 states (-40: is less tried?)",
    ]
