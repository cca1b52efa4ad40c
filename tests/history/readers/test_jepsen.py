from __future__ import annotations

from angarium.history.intake import jepsen
from angarium.history.intake.reasons import CUT_LINE
from tests.history.readers.foreign import Row, events, faults, rows, told

LOG, QUEUE = "jepsen-log.jsonl", "jepsen-queue.jsonl"
SECOND = 1_000_000_000


def _of(file: str, op_type: str) -> list[Row]:
    return [row for row in events(jepsen.FORMAT, file) if row["op_type"] == op_type]


def test_sends_have_a_message_for_every_part_and_the_offset_once_it_is_known() -> None:
    sends = [told(row, "seq", "phase", "message_id", "partition_id", "offset") for row in _of(LOG, "send")]
    assert sends == [
        (3, "invoke", "5:140", "5", None),
        (3, "invoke", "6:1", "6", None),
        (4, "ok", "5:140", "5", 272),
        (4, "ok", "6:1", "6", None),
        (10, "invoke", "5:143", "5", None),
        (11, "fail", "5:143", "5", None),
    ]


def test_a_poll_gives_a_delivery_for_every_message_in_the_order_of_the_poll() -> None:
    polls = [row for row in _of(LOG, "receive") if row["phase"] == "ok"]
    assert [told(row, "seq", "message_id", "offset", "time_unix_nano") for row in polls] == [
        (6, "5:140", 272, SECOND + 5997),
        (6, "5:142", 273, SECOND + 5998),
        (6, "6:1", 9, SECOND + 6000),
        (12, None, None, SECOND + 11_000),
    ]


def test_polls_begin_a_generation_when_partitions_are_placed_anew() -> None:
    received = _of(LOG, "receive")
    generations = {row["seq"]: row["generation"] for row in received}
    assert generations[5] == generations[6]
    assert generations[6] < generations[10] == generations[11]  # assigned
    assert generations[11] < generations[12]  # rebalanced


def test_what_places_partitions_and_what_crashes_is_no_message() -> None:
    control = [told(row, "op_name", "phase", "partitions") for row in _of(LOG, "control")]
    assert control == [
        ("subscribe", "invoke", ["5", "6"]),
        ("subscribe", "ok", ["5", "6"]),
        ("kill", "invoke", None),
        ("kill", "info", None),
    ]
    assert [told(row, "op_name", "partitions") for row in _of(LOG, "group")] == [("assign", ["5"])] * 2
    assert [told(row, "op_name", "client_id") for row in _of(LOG, "observe")] == [
        ("start-partition", "nemesis")
    ]


def test_no_index_is_left_out() -> None:
    """What is in quarantine is told by its line."""
    for file, last, missing in ((LOG, 17, {15, 16, 17}), (QUEUE, 9, set())):
        numbers = {row["seq"] for row in events(jepsen.FORMAT, file)}
        assert numbers == set(range(1, last + 1)) - missing
        assert missing <= {row["line"] + 1 for row in rows(jepsen.FORMAT, file) if "reason" in row}


def test_values_of_another_shape_are_told() -> None:
    polled = '[[":poll",{"5":[[272,140],[273,142]],"7":null,"6":[[9,1]]}]]'
    assert faults(jepsen.FORMAT, LOG) == [
        (6, jepsen.NO_VALUE, "value", polled),
        (15, jepsen.NO_VALUE, "value", "what"),
        (16, jepsen.NO_VALUE, "value", '[[":send",5]]'),
        (17, jepsen.NO_OPERATION, "type", "perhaps"),
        (18, CUT_LINE, None, None),
    ]
    [(line, _, _, _)] = faults(jepsen.FORMAT, QUEUE)
    assert line == 10  # two operations on one line


def test_queues_are_enqueued_dequeued_and_drained() -> None:
    sends = [told(row, "phase", "message_id", "error_type") for row in _of(QUEUE, "send")]
    assert sends == [("invoke", "7", None), ("info", "7", "timeout")]
    received = _of(QUEUE, "receive")
    assert [told(row, "op_name", "phase", "message_id", "client_id") for row in received] == [
        ("dequeue", "invoke", None, "process 1"),
        ("dequeue", "fail", None, "process 1"),
        ("dequeue", "invoke", None, "process 1"),
        ("dequeue", "ok", "7", "process 1"),
        ("drain", "invoke", None, "process 1"),
        ("drain", "ok", "8", "process 1"),
        ("drain", "ok", "9", "process 1"),
        ("drain", "ok", None, "process 2"),
    ]
    assert {row["destination"] for row in received} == {"queue"}
    assert {told(row, "system", "recorder") for row in received} == {("jepsen", "jepsen")}
