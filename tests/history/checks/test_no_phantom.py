"""no-phantom: nothing comes from nowhere, but clocks differ and recorders come late."""

from __future__ import annotations

import pytest

from angarium.history.kernel.audit import Audited
from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.checks.deeds import control, send, sent, take
from tests.history.histories import BEGIN, Row, audit_of, counts, found, profile

SKEW = 5
PARAMETERS = Parameters(clock_skew=SKEW * MILLISECOND)

PHANTOMS: list[Row] = [
    take("never", 1, "m"), take("never", 9, "m"), *sent("never", 20, "n"),
    # sent only after it was delivered; by another clock that may be an error of clocks, up to the skew
    take("after", 1, "m"), *sent("after", 2, "m"),
    take("skewed", 1, "m"), *sent("skewed", 1 + SKEW + 0.1, "m", clock_domain="x"),
    send("failed", 0, "m"), take("failed", 5, "m"), send("failed", 30, "m", phase="fail"),
    # the recorder came late, but this came after a message that it saw being sent
    control("attached-then", 0, "recording.begin"), *sent("attached-then", 1, "m"),
    take("attached-then", 3, "m"), take("attached-then", 4, "n"),
]  # fmt: skip
LEGAL: list[Row] = [
    *sent("plain", 0, "m"), take("plain", 1, "m"),
    take("clocks", 1, "m"), *sent("clocks", 1 + SKEW, "m", clock_domain="x"),
    # two producers: the one with the same clock comes too late, the other may have been first
    take("both", 1, "m"), *sent("both", 2, "m", client_id="p1"),
    *sent("both", 3, "m", client_id="p2", clock_domain="x"),
    # one attempt failed, of another nobody knows
    send("doubtful", 0, "m"), send("doubtful", 1, "m", phase="fail"), send("doubtful", 2, "m"),
    take("doubtful", 5, "m"),
    send("info", 0, "m"), send("info", 1, "m", phase="info"), take("info", 5, "m"),
    control("attached", 0, "recording.begin"), take("attached", 1, "old"), *sent("attached", 2, "m"),
    take("attached", 3, "m"),
]  # fmt: skip


@pytest.fixture(scope="module")
def known() -> Audited:
    return audit_of([*PHANTOMS, *LEGAL], PARAMETERS)


def test_phantoms_are_found(known: Audited) -> None:
    columns = ("run_id", "kind", "message_id", "first_recorder", "last_seq", "found_at")
    assert found(known, "no-phantom", *columns) == {
        (run, kind, message, first, last, BEGIN + ms * MILLISECOND)
        for run, kind, message, first, last, ms in (
            ("never", "never-sent", "m", "c", 1, 1 + SKEW),
            ("after", "never-sent", "m", "c", 1, 1 + SKEW),
            ("skewed", "never-sent", "m", "c", 1, 1 + SKEW),
            ("failed", "failed-send", "m", "p", 1, 30),
            ("attached-then", "never-sent", "n", "c", 2, 4 + SKEW),
        )
    }


def test_what_is_older_than_the_recording_is_not_judged(known: Audited) -> None:
    judged = counts(known, "no-phantom")
    assert judged["attached"] == (1, 1) and judged["attached-then"] == (2, 0) and judged["never"] == (1, 0)


def test_what_it_lacks() -> None:
    assert lacks("no-phantom", profile(receives=1), PARAMETERS) == "there are no sends"
    assert lacks("no-phantom", profile(sends=1), PARAMETERS) == "there are no deliveries"
    assert lacks("no-phantom", profile(sends=1, processes=1), PARAMETERS) is None
