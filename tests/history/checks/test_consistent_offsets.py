"""consistent-offsets: what a log must not do, and gaps and replays that it may have."""

from __future__ import annotations

import pytest

from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.histories import Row, asked, audit_of, counts, found, profile, recorded, row

LOG = {"destination": "t", "partition_id": "0"}


def _sent(run: str, at: float, message: str, offset: int | None, **fields: object) -> Row:
    return row(run, at, "send", **LOG | {"message_id": message, "offset": offset, "client_id": "p"} | fields)


def _log(run: str, *offsets: int) -> list[Row]:
    return [_sent(run, at, f"m{offset}", offset) for at, offset in enumerate(offsets)]


def _polls(run: str, *offsets: int, group: str | None = "g", **fields: object) -> list[Row]:
    names = LOG | {"consumer_group": group, "client_id": "c"}
    return [
        row(run, 100 + at, "receive", **names | {"message_id": f"m{offset}", "offset": offset} | fields)
        for at, offset in enumerate(offsets)
    ]


def _histories() -> list[Row]:
    again = [_polls("polls anew", 0, 1, 2, generation=1), _polls("polls anew", 1, 2, 3, generation=2)]
    return [
        *_log("all is well", 0, 1, 2), *_polls("all is well", 0, 1, 2),
        *_log("markers between", 0, 2, 5, 900), *_polls("markers between", 0, 2, 5, 900),
        *_log("two values", 4), _sent("two values", 5, "other", 4), _sent("two values", 6, "other", 4),
        _sent("two values", 7, "third", 4),
        *_log("two partitions", 0), _sent("two partitions", 5, "other", 0, partition_id="1"),
        *_log("deduplicated", 0, 1), _sent("deduplicated", 5, "m0", 1, deduplicated=True),
        _sent("not confirmed", 0, "m0", 0), _sent("not confirmed", 5, "other", 0, phase="info"),
        *_log("two offsets", 0), _sent("two offsets", 5, "m0", 7), *_polls("two offsets", 7, message_id="m0"),
        *_polls("goes back", 0, 3, 2, group=None), *_polls("replays", 0, 1, 2, 1, 2, 3),
        *_polls("says that it goes back", 3, group=None),
        *_polls("says that it goes back", 2, group=None, redelivered=True),
        *again[0], *again[1],
        *_log("skips", 0, 1, 2, 3), *_polls("skips", 0, 1, 3),
        *_log("skips far", 0, 500, 1000), *_polls("skips far", 0, 1000),
        *_log("another got it", 0, 1, 2), *_polls("another got it", 0, 2),
        *_polls("another got it", 1, client_id="d"),
        *_log("another group got it", 0, 1, 2), *_polls("another group got it", 0, 2),
        *_polls("another group got it", 1, group="h", client_id="d"),
        *_log("no group", 0, 1, 2), *_polls("no group", 0, 2, group=None),
        *_polls("confirmed later", 0, 2), _sent("confirmed later", 900, "m1", 1),
        *_log("in a new generation", 0, 1, 2), *_polls("in a new generation", 0, generation=1),
        *_polls("in a new generation", 2, generation=2),
    ]  # fmt: skip


def test_every_inconsistency_is_found_and_nothing_else() -> None:
    known = audit_of(_histories())
    who = ("run_id", "kind", "message_id", "subscriber", "consumer_id")
    assert found(known, "consistent-offsets", *who, "first_seq", "last_seq", "measure", "bound") == {
        ("two values", "two-values", "other", None, None, 1, 2, 4, None),
        ("two values", "two-values", "third", None, None, 1, 4, 4, None),
        ("two offsets", "two-offsets", "m0", None, None, 1, 2, 7, 0),
        ("goes back", "nonmonotonic-poll", "m2", "t", "c", 2, 3, 2, 3),
        ("skips", "skip", "m2", "g", "c", 2, 3, 2, None),
        ("skips far", "skip", "m500", "g", "c", 1, 2, 500, None),
        ("another group got it", "skip", "m1", "g", "c", 1, 2, 1, None),
    }
    assert counts(known, "consistent-offsets")["all is well"] == (6, 0)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_real_log_is_consistent() -> None:
    known = asked(recorded("nats-r3"))
    assert found(known, "consistent-offsets", "kind", "message_id") == set()


def test_without_offsets_nothing_is_known() -> None:
    assert lacks("consistent-offsets", profile(), Parameters()) == "no send and no delivery has an offset"
    assert lacks("consistent-offsets", profile(placed=1), Parameters()) is None
