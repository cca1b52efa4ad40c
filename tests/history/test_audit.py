"""The audit as a whole: which runs are judged, what is said of the others, and what is left on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from angarium.history import tables, written
from angarium.history.audit import Audit, audit
from angarium.history.guarantees import GUARANTEES
from angarium.history.missing import Missing
from angarium.history.parameters import Parameters
from angarium.history.profile import profiles
from angarium.history.results import Counts
from tests.history.checks.deeds import control, send, sent, settle, take
from tests.history.histories import HERE, Row, events, numbered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

END = 60_000.0


def run(name: str, *rows: Row) -> list[Row]:
    """A run in which `kept` is sent, delivered and acknowledged, and more."""
    kept = [*sent(name, 0, "kept"), take(name, 5, "kept"), settle(name, 6, "kept")]
    return numbered([*kept, *rows, control(name, END, "x")])


ROWS: list[Row] = [
    *run("right"),
    *run("lossy", *sent("lossy", 1, "lost")),
    *(row for row in run("torn", *sent("torn", 1, "lost")) if (row["recorder"], row["seq"]) != ("p", 3)),
    *run("spoilt", *sent("spoilt", 1, "lost")),
    *numbered([send("mute", 0, "m")]),
    *run("seen"),
    *({**row, "vantage": "broker"} for row in run("seen", *sent("seen", 1, "lost"))),
]
NAMES = ["lossy", "mute", "right", "seen", "seen@broker", "spoilt", "torn"]


def table(spark: SparkSession) -> DataFrame:
    return events(spark, ROWS)


@pytest.fixture(scope="module")
def audited() -> Iterator[Audit]:
    from angarium.spark.session import session

    seen: list[tuple[str, int, int]] = []
    spark = session(HERE)
    with audit(
        table(spark), Parameters(), observe=lambda *each: seen.append(each), lacking=Missing({"spoilt": 1})
    ) as found:
        assert [each[1:] for each in seen] == [(number, len(GUARANTEES)) for number in range(len(GUARANTEES))]
        yield found


def verdicts(found: Audit, run_id: str) -> dict[str, tuple[Verdict, int]]:
    return {
        each.guarantee: (each.verdict, each.violations) for each in found.judgements if each.run_id == run_id
    }


def test_every_run_has_a_judgement_on_every_guarantee(audited: Audit) -> None:
    expected = [(name, guarantee.name) for name in NAMES for guarantee in GUARANTEES if guarantee.kinds]
    assert [(each.run_id, each.guarantee) for each in audited.judgements] == expected
    assert audited.cut is None


def test_a_loss_is_a_violation_unless_the_log_is_flawed(audited: Audit) -> None:
    losses = {name: verdicts(audited, name)["no-loss"] for name in NAMES}
    assert losses == {
        "right": (Verdict.HOLDS, 0), "lossy": (Verdict.VIOLATED, 1), "seen": (Verdict.HOLDS, 0),
        "seen@broker": (Verdict.VIOLATED, 1), "spoilt": (Verdict.UNKNOWN, 1), "torn": (Verdict.UNKNOWN, 1),
        "mute": (Verdict.UNKNOWN, 0),
    }  # fmt: skip
    assert verdicts(audited, "torn")["complete-log"] == (Verdict.VIOLATED, 1)
    assert verdicts(audited, "spoilt")["no-phantom"] == (Verdict.UNKNOWN, 0)
    rows = audited.violations.where("guarantee = 'no-loss'").select("run_id").collect()
    assert sorted(row["run_id"] for row in rows) == ["lossy", "seen@broker", "spoilt", "torn"]


def test_what_cannot_be_judged_says_why(audited: Audit) -> None:
    reasons = {each.guarantee: each.reason for each in audited.judgements if each.run_id == "mute"}
    assert reasons["no-loss"] == "no send is confirmed"
    assert reasons["no-duplicates"] == "there are no deliveries"
    assert all(reason for name, reason in reasons.items() if name != "complete-log")


def test_figures_and_tables(audited: Audit) -> None:
    figures = {each.run_id: each for each in audited.figures}
    assert (figures["lossy"].attempted, figures["lossy"].lost, figures["right"].lost) == (2, 1, 0)
    messages = audited.messages.where("run_id = 'lossy'").select("message_id", "state").collect()
    assert {tuple(row) for row in messages} == {("kept", "settled"), ("lost", "lost")}
    assert {row["kind"] for row in audited.latency.collect()} == {"confirm", "deliver", "settle"}


def test_an_audit_is_written_whole(audited: Audit, spark: SparkSession, tmp_path: Path) -> None:
    quarantine = spark.createDataFrame(
        [("spoilt", "f", 1, "no phase", "phase", None, "{}")], tables.QUARANTINE
    )
    reading: Any = SimpleNamespace(events=table(spark), quarantine=quarantine)
    counts = Counts(len(ROWS) + 1, len(ROWS), 1, {"no phase": 1})
    out = tmp_path / "audited"
    written.write(audited, reading, counts, out)
    assert sorted(each.name for each in out.iterdir()) == sorted([*written.TABLES, written.MARK])
    assert json.loads((out / written.MARK).read_text())["counts"]["quarantined"] == 1
    sizes = {
        name: spark.read.parquet(str(out / name)).count() for name in ("events", "summary", "quarantine")
    }
    assert sizes == {"events": len(ROWS), "summary": len(audited.judgements), "quarantine": 1}
    assert "explanation" in spark.read.parquet(str(out / "violations")).columns
    written.check(out)  # an older audit gives way
    assert list(tmp_path.iterdir()) == [out]


def test_what_is_no_audit_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for name in ("mine", "file", "nowhere/out"):
        with pytest.raises(UsageError, match="cannot write an audit"):
            written.check(tmp_path / name)
    (tmp_path / "empty").mkdir()
    written.check(tmp_path / "empty")


def test_ctrl_c_leaves_what_was_judged(spark: SparkSession) -> None:
    def interrupt(guarantee: str, done: int, to_do: int) -> None:
        if guarantee == "no-loss":
            raise KeyboardInterrupt

    with audit(table(spark), Parameters(), observe=interrupt) as found:
        assert found.cut == "interrupted"
        assert verdicts(found, "right")["complete-log"] == (Verdict.HOLDS, 0)
        rest = [each for each in found.judgements if each.guarantee != "complete-log"]
        assert {(each.verdict, each.reason) for each in rest} == {(Verdict.UNKNOWN, "interrupted")}
        assert found.violations.select("run_id", "guarantee").collect() == [("torn", "complete-log")]


def test_only_some_guarantees(spark: SparkSession) -> None:
    with audit(table(spark), Parameters(), only=["bounded-retries"]) as found:
        assert {each.guarantee for each in found.judgements} == {"bounded-retries"}
        assert {each.verdict for each in found.judgements} == {Verdict.UNKNOWN}
        assert found.violations.count() == 0 and found.figures == []
    with pytest.raises(UsageError, match="no guarantee 'no-los'") as wrong:
        audit(table(spark), Parameters(), only=["no-los"])
    assert "did you mean no-loss" in str(wrong.value)


def test_a_profile_counts_what_is_there(spark: SparkSession) -> None:
    from angarium.history.checks.facts import normalised

    found = profiles(normalised(table(spark)))
    assert list(found) == NAMES
    right = found["right"]
    assert (right.events, right.sends, right.confirmed, right.deliveries, right.acks) == (5, 2, 1, 1, 1)
    assert (right.systems, right.recorders, right.numbered, right.attached) == (("rabbitmq",), 3, 5, False)
    assert found["mute"].deliveries == 0 and found["seen@broker"].sends == 4


def test_nothing_stays_behind(spark: SparkSession, tmp_path: Path) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    with audit(table(spark), Parameters(), only=["complete-log"], scratch=tmp_path) as found:
        assert found.violations.count() == 1 and list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir()) and spark.conf.get("spark.sql.shuffle.partitions") == before
