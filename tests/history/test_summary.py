"""From findings to verdicts: what a flawed log allows to be said, and what not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.core.result import Verdict
from angarium.history.guarantees import GUARANTEES
from angarium.history.missing import Missing
from angarium.history.results import Judgement
from angarium.history.summary import Log, Outcome, doubted, judgement, logs_of

BY_NAME = {guarantee.name: guarantee for guarantee in GUARANTEES}
WHOLE, GAP, QUARANTINE, STRAY = Log(), Log(gaps=1), Log(quarantined=2), Log(strays=1)
EXPLAINS = "what is missing may be the reason for what looks like a violation"


@pytest.mark.parametrize(
    ("name", "outcome", "log", "verdict", "reason"),
    [
        ("no-loss", Outcome(judged=5), WHOLE, Verdict.HOLDS, None),
        ("no-loss", Outcome(5, 2, reason="too early"), WHOLE, Verdict.HOLDS, "too early"),
        ("no-loss", Outcome(5, violations=1), WHOLE, Verdict.VIOLATED, None),
        (
            "no-loss",
            Outcome(5, violations=1),
            GAP,
            Verdict.UNKNOWN,
            f"the log has a gap: {EXPLAINS}",
        ),
        (
            "no-loss",
            Outcome(5, violations=1),
            QUARANTINE,
            Verdict.UNKNOWN,
            f"2 rows are in quarantine: {EXPLAINS}",
        ),
        ("order", Outcome(5, violations=1), GAP, Verdict.UNKNOWN, f"the log has a gap: {EXPLAINS}"),
        ("consistent-offsets", Outcome(5, violations=2, proved=1), GAP, Verdict.VIOLATED, None),
        ("consistent-offsets", Outcome(5, violations=2), STRAY, Verdict.UNKNOWN, "1 row or file that may be"),
        ("complete-log", Outcome(5, violations=1), GAP, Verdict.VIOLATED, None),
        (
            "complete-log",
            Outcome(5, violations=1),
            Log(1, 1),
            Verdict.UNKNOWN,
            "1 row is in quarantine: what",
        ),
        ("complete-log", Outcome(5), STRAY, Verdict.UNKNOWN, "1 row or file that may be of this run was not"),
        ("order", Outcome(judged=5), GAP, Verdict.UNKNOWN, "the log has a gap: what is missing may be"),
        (
            "order",
            Outcome(judged=5),
            QUARANTINE,
            Verdict.UNKNOWN,
            "2 rows are in quarantine: what is missing",
        ),
        ("order", Outcome(), WHOLE, Verdict.UNKNOWN, "nothing could be judged; it needs producer_seq"),
        ("order", Outcome(0, 3, reason="no send"), WHOLE, Verdict.UNKNOWN, "no send"),
    ],
)
def test_verdicts(name: str, outcome: Outcome, log: Log, verdict: Verdict, reason: str | None) -> None:
    found = judgement("r", BY_NAME[name], outcome, log)
    assert found.verdict is verdict
    assert found.reason is None if reason is None else (found.reason or "").startswith(reason)
    assert (found.judged, found.violations) == (outcome.judged, outcome.violations)


def test_rows_in_quarantine_count_for_every_run_that_they_may_be_of() -> None:
    lacking, seen = Missing({"a": 1, "b": 10}, {"a": 2}, 100), ["a", "a@broker", "b"]
    found = logs_of(seen, {"a": 3}, lacking)
    assert found == {"a": Log(3, 1, 102), "a@broker": Log(0, 1, 102), "b": Log(0, 10, 100)}
    assert Log(2, 1).flaw == "the log has 2 gaps and 1 row is in quarantine"


def test_a_judgement_without_regard_to_the_log_is_doubted_where_that_has_a_flaw() -> None:
    found = Judgement("r", "model nsq", Verdict.VIOLATED, 3, 0, 1, None)
    assert doubted(found, WHOLE) is found
    assert doubted(found, GAP).verdict is Verdict.UNKNOWN and doubted(found, GAP).doubtful
    holds = replace(found, verdict=Verdict.HOLDS, violations=0)
    assert doubted(holds, STRAY).reason == f"{STRAY.flaw}: what is missing may be a violation"
    unknown = replace(holds, verdict=Verdict.UNKNOWN, reason="too many lives")
    assert str(doubted(unknown, GAP).reason).startswith("too many lives; the log has a gap")
