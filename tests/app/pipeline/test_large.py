"""Claims that are jobs of their own: their budget ends them wherever they are at work."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.app.pipeline import large
from angarium.app.pipeline.claims import Claim
from angarium.core.control import Stopped, time_limit
from angarium.spark.place import Place


def for_ever(*_: object) -> dict[str, object]:
    while True:
        pass


@pytest.fixture(autouse=True)
def _an_audit_that_has_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(large._KINDS, "audit", for_ever)
    monkeypatch.setattr(large, "GRACE", 0.0)


def answered(budget: float, folder: Path) -> large.Answer:
    claim = Claim("endless", "audit", ("h.jsonl",), budget=budget)
    return large.answer_of(claim, folder, Place("local[1]"), lambda _: None)


def test_a_budget_ends_what_is_at_work_in_the_process(tmp_path: Path) -> None:
    answer = answered(0.05, tmp_path)

    assert (answer.over, answer.problem) == (True, "its budget of 0.05 s is over")


def test_the_time_of_the_whole_run_is_not_taken_for_a_budget(tmp_path: Path) -> None:
    with pytest.raises(Stopped) as ended, time_limit(0.05):
        answered(300, tmp_path)

    assert ended.value.cut == "time limit of 0.05 s"
