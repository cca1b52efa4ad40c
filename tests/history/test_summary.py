"""From findings to verdicts: what a flawed log allows to be said, and what not."""

from __future__ import annotations

import pytest

from angarium.history.guarantees import GUARANTEES
from angarium.history.summary import Log, Outcome, judgement, log_of
from angarium.verdict import Verdict

BY_NAME = {guarantee.name: guarantee for guarantee in GUARANTEES}
WHOLE, GAP, QUARANTINE = Log(), Log(gaps=1), Log(quarantined=2)


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
            "the log has a gap: what seems to be missing",
        ),
        (
            "no-loss",
            Outcome(5, violations=1),
            QUARANTINE,
            Verdict.UNKNOWN,
            "2 rows are in quarantine: what seems",
        ),
        ("order", Outcome(5, violations=1), GAP, Verdict.VIOLATED, None),
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
    quarantined = {"a": 1, "b": 10, None: 100}
    assert log_of("a", {"a": 3}, quarantined) == Log(3, 101)
    assert log_of("a@broker", {"a": 3}, quarantined) == Log(0, 101)
    assert Log(2, 1).flaw == "the log has 2 gaps and 1 row is in quarantine"
