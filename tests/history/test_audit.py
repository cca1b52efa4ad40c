"""The audit as a whole: which runs are judged, what is said of the others, and what is left on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from angarium.history import schema, written
from angarium.history.asked import Asked
from angarium.history.auditing import conduct
from angarium.history.guarantees import GUARANTEES
from angarium.history.intake.batch import batch_of
from angarium.history.intake.reasons import NOT_JSON
from angarium.history.intake.source import Kept
from angarium.history.kernel.audit import Audited
from angarium.history.kernel.process import audit
from angarium.history.missing import Missing
from angarium.history.parameters import Parameters
from angarium.spark.place import Place
from tests.history.checks.deeds import control, send, sent, settle, take
from tests.history.histories import Row, numbered
from tests.history.readers.inputs import write

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


@pytest.fixture(scope="module")
def audited() -> Audited:
    return audit(Kept([batch_of(ROWS)]), Parameters(), lacking=lambda: Missing({"spoilt": 1}))


def verdicts(found: Audited, run_id: str) -> dict[str, tuple[Verdict, int]]:
    return {
        each.guarantee: (each.verdict, each.violations) for each in found.judgements if each.run_id == run_id
    }


def test_every_run_has_a_judgement_on_every_guarantee(audited: Audited) -> None:
    expected = [(name, guarantee.name) for name in NAMES for guarantee in GUARANTEES if guarantee.kinds]
    assert sorted((each.run_id, each.guarantee) for each in audited.judgements) == sorted(expected)


def test_a_loss_is_a_violation_unless_the_log_is_flawed(audited: Audited) -> None:
    losses = {name: verdicts(audited, name)["no-loss"] for name in NAMES}
    assert losses == {
        "right": (Verdict.HOLDS, 0), "lossy": (Verdict.VIOLATED, 1), "seen": (Verdict.HOLDS, 0),
        "seen@broker": (Verdict.VIOLATED, 1), "spoilt": (Verdict.UNKNOWN, 1), "torn": (Verdict.UNKNOWN, 1),
        "mute": (Verdict.UNKNOWN, 0),
    }  # fmt: skip
    assert verdicts(audited, "torn")["complete-log"] == (Verdict.VIOLATED, 1)
    assert verdicts(audited, "spoilt")["no-phantom"] == (Verdict.UNKNOWN, 0)
    lost = sorted(each.run_id for each in audited.violations if each.guarantee == "no-loss")
    assert lost == ["lossy", "seen@broker", "spoilt", "torn"]


def test_what_cannot_be_judged_says_why(audited: Audited) -> None:
    reasons = {each.guarantee: each.reason for each in audited.judgements if each.run_id == "mute"}
    assert reasons["no-loss"] == "no send is confirmed"
    assert reasons["no-duplicates"] == "there are no deliveries"
    assert all(reason for name, reason in reasons.items() if name != "complete-log")


def test_figures_and_times(audited: Audited) -> None:
    figures = {each.run_id: each for each in audited.figures}
    assert (figures["lossy"].attempted, figures["lossy"].lost, figures["right"].lost) == (2, 1, 0)
    assert {kind for _, kind, *_ in audited.latency} == {"confirm", "deliver", "settle"}


def test_an_audit_is_written_whole(tmp_path: Path) -> None:
    given, out = write(tmp_path / "given.jsonl", *map(json.dumps, ROWS), "oops"), tmp_path / "audited"
    found = conduct(Asked([given], engine="local", out=out), Place())
    assert sorted(each.name for each in out.iterdir()) == sorted([*written.TABLES, written.MARK])
    assert json.loads((out / written.MARK).read_text())["counts"]["quarantined"] == 1
    tables = {name: parquet.read_table(out / name).to_pylist() for name in written.TABLES}
    assert tables["events"] == [{name: row.get(name) for name in schema.NAMES} for row in ROWS]
    assert [(row["line"], row["reason"], row["raw"]) for row in tables["quarantine"]] == [
        (len(ROWS) + 1, NOT_JSON, "oops")
    ]
    assert len(tables["summary"]) == len(found.told.judgements)
    lost = [row for row in tables["violations"] if row["guarantee"] == "no-loss"]
    assert {row["explanation"] for row in lost} >= {
        "message lost was confirmed at 05:04:20.002 and never delivered to q"
    }
    states = {(row["run_id"], row["message_id"]): row["state"] for row in tables["messages"]}
    assert states["lossy", "kept"] == "settled" and states["lossy", "lost"] == "lost"
    written.check(out)  # an older audit gives way
    assert sorted(tmp_path.iterdir()) == [out, given]


def test_what_is_no_audit_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for name in ("mine", "file", "nowhere/out"):
        with pytest.raises(UsageError, match="cannot write an audit"):
            written.check(tmp_path / name)
    (tmp_path / "empty").mkdir()
    written.check(tmp_path / "empty")


def test_only_some_guarantees() -> None:
    found = audit(Kept([batch_of(ROWS)]), Parameters(), only=["bounded-retries"])
    assert {each.guarantee for each in found.judgements} == {"bounded-retries"}
    assert {each.verdict for each in found.judgements} == {Verdict.UNKNOWN}
    assert found.violations == [] and found.figures == []
    with pytest.raises(UsageError, match="no guarantee 'no-los'") as wrong:
        audit(Kept([batch_of(ROWS)]), Parameters(), only=["no-los"])
    assert "did you mean no-loss" in str(wrong.value)


def test_a_history_of_no_message_is_audited_all_the_same() -> None:
    """Nobody reads anything there."""
    found = audit(Kept([batch_of([row for row in ROWS if row["op_type"] == "control"])]), Parameters())
    assert found.violations == [] and found.figures == []
    assert "holds" in {each.verdict.value for each in found.judgements if each.guarantee == "complete-log"}


def test_a_profile_counts_what_is_there(audited: Audited) -> None:
    assert sorted(audited.profiles) == NAMES
    right = audited.profiles["right"]
    assert (right.events, right.sends, right.confirmed, right.deliveries, right.acks) == (5, 2, 1, 1, 1)
    assert (right.systems, right.recorders, right.numbered, right.attached) == (("rabbitmq",), 3, 5, False)
    assert audited.profiles["mute"].deliveries == 0 and audited.profiles["seen@broker"].sends == 4
