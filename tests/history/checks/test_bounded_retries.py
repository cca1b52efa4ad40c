"""bounded-retries: by our count and by the broker's."""

from __future__ import annotations

from functools import partial

from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.checks.deeds import control, take
from tests.history.histories import Row, audit_of, counts, found, profile


def declared(run: str, limit: int, **fields: object) -> Row:
    return control(run, 0, "declare", destination="q", max_deliveries=limit, **fields)


ROWS: list[Row] = [
    declared("ours", 2), *(take("ours", ms, "m") for ms in (1, 2, 3, 4)),
    # the broker counts deliveries that nobody recorded
    declared("brokers", 2), take("brokers", 1, "m", delivery_count=1),
    take("brokers", 2, "m", delivery_count=3),
    # of two limits the larger one counts
    declared("raised", 1), declared("raised", 3), *(take("raised", ms, "m") for ms in (1, 2, 3)),
    # each subscriber has its own deliveries
    declared("readers", 1), *(take("readers", ms, "m", subscription=f"s{ms}") for ms in (1, 2)),
    # a limit of one subscriber is not that of another
    declared("its own", 1, subscription="s"), declared("its own", 3, consumer_group="g"),
    *(take("its own", ms, "m", subscription=name) for ms in (1, 2) for name in ("s", "t")),
    *(take("its own", 3 + ms, "m", consumer_group="g") for ms in (1, 2, 3, 4)),
    # of its own limit and that of all the larger one counts
    declared("both", 1, subscription="s"), declared("both", 2),
    *(take("both", ms, "m", subscription="s") for ms in (1, 2, 3)),
    declared("elsewhere", 1), *(take("elsewhere", ms, "m", destination="r") for ms in (1, 2)),
]  # fmt: skip


def test_the_first_delivery_beyond_the_limit_is_one_too_many() -> None:
    known = audit_of(ROWS)
    columns = ("run_id", "first_seq", "last_seq", "measure", "bound")
    assert found(known, "bounded-retries", *columns) == {
        ("ours", 1, 3, 3, 2),
        ("brokers", 1, 2, 3, 2),
        ("its own", 1, 3, 2, 1),
        ("its own", 5, 8, 4, 3),
        ("both", 1, 3, 3, 2),
    }
    judged = counts(known, "bounded-retries")
    assert judged["ours"] == (4, 0) and judged["elsewhere"] == (0, 2) and judged["its own"] == (6, 2)


def test_a_parameter_is_a_limit_for_all() -> None:
    known = audit_of(ROWS, Parameters(retry_limit=1))
    too_many = found(known, "bounded-retries", "run_id", "subscriber")
    assert {run for run, _ in too_many} == {"ours", "brokers", "raised", "elsewhere", "its own", "both"}
    assert {name for run, name in too_many if run == "its own"} == {"s", "t", "g"}


def test_what_it_lacks() -> None:
    lacking = partial(lacks, "bounded-retries")
    assert lacking(profile(), Parameters(retry_limit=1)) == "there are no deliveries"
    assert "--retry-limit" in (lacking(profile(receives=1), Parameters()) or "")
    assert lacking(profile(receives=1), Parameters(retry_limit=1)) is None
    assert lacking(profile(receives=1, retry_limits=1), Parameters()) is None
