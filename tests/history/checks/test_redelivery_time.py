"""redelivery-time: what must come again, by when, and who can be blamed."""

from __future__ import annotations

from functools import partial

from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.checks.deeds import control, settle, take
from tests.history.histories import BEGIN, Row, audit_of, counts, found, profile

WITHIN = 100
PARAMETERS = Parameters(redelivery_within=WITHIN * MILLISECOND, clock_skew=0)
END = 1000


def run(name: str, *rows: Row, busy: float | None = 60, end: float = END) -> list[Row]:
    """A message taken at 0 ms; what follows; something that the subscriber gets meanwhile; and the end."""
    others = [] if busy is None else [take(name, busy, "other", "d"), settle(name, busy, "other", client="d")]
    return [take(name, 0, "m"), *rows, *others, control(name, end, "x")]


LATE: list[list[Row]] = [
    run("ended", control("ended", 10, "kill", client_id="c")),
    run("requeued", settle("requeued", 10, "m", "requeue")),
    run("delayed", settle("delayed", 10, "m", "requeue", delay_ms=50), busy=70),
    run("timeout", control("timeout", 0, "declare", destination="q", ack_wait_ms=10)),
    # the retry limit of another subscriber is not its own
    run("limited-other", control("limited-other", 0, "declare", destination="q", max_deliveries=1,
                                 subscription="s"), settle("limited-other", 10, "m", "requeue")),
    run("came-late", settle("came-late", 10, "m", "requeue"), take("came-late", 111, "m", "d"),
        settle("came-late", 112, "m", client="d")),
]  # fmt: skip
LEGAL: list[list[Row]] = [
    run("held"),
    run("came", settle("came", 10, "m", "requeue"), take("came", 110, "m", "d")),
    run("acked", settle("acked", 10, "m"), control("acked", 20, "kill", client_id="c")),
    run("rejected", settle("rejected", 10, "m", "reject"), control("rejected", 20, "kill", client_id="c")),
    # another consumer has it, too, and acknowledges it
    run("acked-by-other", take("acked-by-other", -1, "m", "d"), settle("acked-by-other", 10, "m", "requeue"),
        settle("acked-by-other", 50, "m", client="d")),
    # nobody takes anything: there may be nobody
    run("idle", settle("idle", 10, "m", "requeue"), busy=None),
    run("idle-then", settle("idle-then", 10, "m", "requeue"), busy=111),
    run("too-early", settle("too-early", 10, "m", "requeue"), end=109),
    # an extend that came late may have counted
    run("extended", control("extended", 0, "declare", destination="q", ack_wait_ms=10),
        settle("extended", 9, "m", "extend"), settle("extended", 30, "m", "extend"),
        take("extended", 140, "m", "d"), settle("extended", 141, "m", client="d")),
    # the last delivery that is allowed
    run("given-up", control("given-up", 0, "declare", destination="q", max_deliveries=1),
        settle("given-up", 10, "m", "requeue")),
]  # fmt: skip
LAST = {
    "ended": ("ctl", 1),
    "delayed": ("c", 2),
    "timeout": ("c", 1),
    "requeued": ("c", 2),
    "came-late": ("c", 2),
    "limited-other": ("c", 2),
}
DUE = {"delayed": 60}


def test_what_is_not_delivered_again_in_time_is_late() -> None:
    known = audit_of([row for rows in (*LATE, *LEGAL) for row in rows], PARAMETERS)
    columns = ("run_id", "message_id", "first_seq", "last_recorder", "last_seq", "found_at", "measure")
    expected = {
        (name, "m", 1, *LAST[name], BEGIN + (DUE.get(name, 10) + WITHIN) * MILLISECOND, WITHIN * MILLISECOND)
        for name in LAST
    }
    assert found(known, "redelivery-time", *columns) == expected
    judged = counts(known, "redelivery-time")
    assert judged["requeued"] == judged["acked-by-other"] == (1, 0)
    assert judged["too-early"] == (0, 1) and judged["held"] == judged["given-up"] == (0, 0)


def test_what_it_lacks() -> None:
    lacking = partial(lacks, "redelivery-time")
    assert lacking(profile(), PARAMETERS) == "there are no deliveries"
    settled = profile(receives=1, settles=1)
    assert "requeued" in (lacking(settled, PARAMETERS) or "")
    assert lacking(profile(receives=1, settles=1, closings=1), PARAMETERS) is None
    assert lacking(settled, Parameters(message_timeout=1)) is None
