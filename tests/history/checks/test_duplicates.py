"""no-duplicates and duplicates-after-ack: what must be found, and what looks like it and is legal."""

from __future__ import annotations

from typing import Any

import pytest

from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.checks.deeds import control, settle, take
from tests.history.histories import Row, audit_of, counts, found, profile, row

PARAMETERS = Parameters(
    grace=2 * MILLISECOND, clock_skew=5 * MILLISECOND, ack_doubt=20 * MILLISECOND
)  # fmt: skip


def twice(run: str, *between: Row, again: float = 100, client: str = "d", **fields: object) -> list[Row]:
    """A RabbitMQ queue that delivers a message at 0 ms to c, and again; and what happens between."""
    rabbit = control(run, -1, "queue.declare", destination="q")
    return [rabbit, take(run, 0, "m", "c"), *between, take(run, again, "m", client, **fields)]


HELD: list[list[Row]] = [
    twice("held"),
    twice("held-extended", settle("held-extended", 5, "m", "extend")),
    # its end comes after the second delivery, by more than clocks may differ
    twice("ended-later", control("ended-later", 106, "kill", client_id="c", clock_domain="x")),
    twice("requeued-later", settle("requeued-later", 100.001, "m", "requeue")),
    # extended in time: the timeout of 60 ms begins again
    twice("still-held", control("still-held", 0, "declare", destination="q", ack_wait_ms=60),
          settle("still-held", 55, "m", "extend")),
    twice("other-ended", control("other-ended", 50, "kill", client_id="x")),
]  # fmt: skip
AFTER_ACK: list[list[Row]] = [
    twice("acked", settle("acked", 10, "m")),
    twice("acked-late", settle("acked-late", 98, "m")),
    twice("confirmed", settle("confirmed", 97, "m"), settle("confirmed", 98, "m", phase="ok")),
    # given back, but the broker confirms that it took the acknowledgement
    twice("took-it", settle("took-it", 5, "m", "requeue"), settle("took-it", 10, "m", phase="ok")),
    # the client died, but long after its word
    twice("died-later", settle("died-later", 10, "m"), control("died-later", 31, "kill", client_id="c")),
    # the client died at once, but the broker had confirmed
    twice("died-confirmed", settle("died-confirmed", 10, "m", phase="ok"),
          control("died-confirmed", 11, "kill", client_id="c")),
    # an acknowledgement of the delivery before the one before counts, too
    twice("acked-once", settle("acked-once", 10, "m"), take("acked-once", 40, "m", "c"),
          settle("acked-once", 50, "m", "requeue")),
]  # fmt: skip
LEGAL: list[list[Row]] = [
    twice("requeued", settle("requeued", 10, "m", "requeue")),
    twice("rejected", settle("rejected", 10, "m", "reject")),
    twice("ended", control("ended", 50, "basic.cancel", client_id="c", consumer_id="c")),
    # who kills notes it later than the broker notices it
    twice("noted-late", control("noted-late", 105, "kill", client_id="c", clock_domain="x", phase="invoke")),
    twice("broker-died", control("broker-died", 50, "kill_broker")),
    # an ack that is logged just before the client's death may be lost
    twice("doubtful", settle("doubtful", 10, "m"), control("doubtful", 30, "kill", client_id="c")),
    twice("broker-doubt", settle("broker-doubt", 10, "m"), control("broker-doubt", 12, "leader_elected")),
    # who kills says so a little before: the client's last word came after it
    twice("last-word", control("last-word", 9, "kill", client_id="c"), settle("last-word", 10, "m")),
    # the broker answers that it did not take the acknowledgement
    twice("refused", settle("refused", 10, "m"), settle("refused", 20, "m", phase="fail")),
    # an acknowledgement after a requeue may be meant for an earlier delivery, which is over
    twice("given-back", settle("given-back", 10, "m", "requeue"), settle("given-back", 20, "m")),
    # the delivery was under way already
    twice("on-its-way", settle("on-its-way", 99, "m")),
    twice("just-confirmed", settle("just-confirmed", 99, "m", phase="ok")),
    # seen by two clocks: which came first is not known
    twice("two-clocks", again=4, clock_domain="x"),
    # a group's partitions were dealt out anew
    [event | {"consumer_group": "g"} for event in twice("dealt", row("dealt", 50, "group", op_name="lost"))],
    twice("other-clock", settle("other-clock", 94, "m", clock_domain="x")),
    twice("ack-failed", settle("ack-failed", 10, "m", phase="fail"),
          settle("ack-failed", 20, "m", "requeue")),
    # a timeout of 40 ms: the broker took it back, and an ack after that, or nearly, comes too late
    twice("timeout", control("timeout", 0, "declare", destination="q", ack_wait_ms=40)),
    twice("too-late", control("too-late", 0, "declare", destination="q", ack_wait_ms=40),
          settle("too-late", 39, "m")),
    # an extend that may have come too late does not make it last longer; an acknowledgement after it neither
    twice("revived", control("revived", 0, "declare", destination="q", ack_wait_ms=60),
          settle("revived", 59, "m", "extend")),
    twice("acked-revived", control("acked-revived", 0, "declare", destination="q", ack_wait_ms=60),
          settle("acked-revived", 70, "m", "extend"), settle("acked-revived", 72, "m")),
    # another system, whose timeout nobody knows
    [event | {"system": "nsq"} for event in twice("unknown")],
    # other subscribers get it as well
    [event | {"subscription": f"s{number}"} for number, event in enumerate(twice("two-readers"))],
    [take("once", 0, "m")],
]  # fmt: skip


Judged = tuple[set[tuple[Any, ...]], set[tuple[Any, ...]], dict[str, tuple[int, int]]]


@pytest.fixture(scope="module")
def judged() -> Judged:
    known = audit_of([event for run in (*HELD, *AFTER_ACK, *LEGAL) for event in run], PARAMETERS)
    columns = ("run_id", "kind", "consumer_id", "first_recorder", "first_seq", "last_recorder", "last_seq")
    held = found(known, "no-duplicates", *columns)
    after = found(known, "duplicates-after-ack", *columns)
    return held, after, counts(known, "no-duplicates")


def test_what_is_held_is_not_delivered_again(judged: Judged) -> None:
    assert judged[0] == {(run[0]["run_id"], "held", "d", "c", 1, "d", 1) for run in HELD}


def test_what_was_acknowledged_is_not_delivered_again(judged: Judged) -> None:
    expected = {(run[0]["run_id"], "after-ack", "d", "c", 2, "d", 1) for run in AFTER_ACK}
    confirmed = ("confirmed", "took-it")  # the `ok` counts
    expected -= {(run, "after-ack", "d", "c", 2, "d", 1) for run in confirmed}
    expected |= {(run, "after-ack", "d", "c", 3, "d", 1) for run in confirmed}
    expected |= {("acked-once", "after-ack", "c", "c", 2, "c", 3)}
    assert judged[1] == expected


def test_deliveries_are_judged_where_the_timeout_is_known(judged: Judged) -> None:
    counted = judged[2]
    assert counted["held"] == (2, 0) and counted["unknown"] == (0, 2) and counted["once"] == (0, 1)


def many_acks(run: str, acks: int) -> list[Row]:
    """A message that was acknowledged in doubt, again and again, and then beyond doubt."""
    doubtful = [
        each
        for ms in range(0, 10 * acks, 10)
        for each in (
            take(run, ms, "m"),
            settle(run, ms + 1, "m"),
            control(run, ms + 2, "kill", client_id="c"),
        )
    ]
    end = 10 * acks
    certain = [take(run, end, "m"), settle(run, end + 1, "m", phase="ok")]
    return [control(run, -1, "queue.declare", destination="q"), *doubtful, *certain, take(run, end + 50, "m")]


@pytest.mark.thorough
def test_of_many_acknowledgements_the_first_count() -> None:
    known = audit_of([*many_acks("63", 63), *many_acks("64", 64)], PARAMETERS)
    assert found(known, "duplicates-after-ack", "run_id") == {("63",)}
    assert found(known, "no-duplicates", "run_id") == set()


def test_what_they_lack() -> None:
    assert lacks("no-duplicates", profile(), PARAMETERS) == "there are no deliveries"
    assert lacks("no-duplicates", profile(receives=1, settles=1), PARAMETERS) is None
    requeued = profile(receives=1, settles=1)
    assert lacks("duplicates-after-ack", requeued, PARAMETERS) == "there are no acknowledgements"
    assert lacks("duplicates-after-ack", profile(processes=1, settles=1, acks=1), PARAMETERS) is None
