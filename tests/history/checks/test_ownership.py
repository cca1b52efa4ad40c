"""ownership: deliveries to whom a partition does not belong, and rebalances as they should be."""

from __future__ import annotations

from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.histories import Row, audit_of, counts, found, profile, row


def _given(run: str, at: float, who: str, generation: int, *partitions: str, **fields: object) -> Row:
    told = {"op_name": "assign", "partitions": list(partitions), "generation": generation}
    return row(run, at, "group", **told | {"consumer_group": "g", "client_id": who} | fields)


def _revoked(run: str, at: float, partitions: list[str] | None, **fields: object) -> Row:
    told = {"op_name": "revoke", "partitions": partitions, "consumer_group": "g", "client_id": "a"}
    return row(run, at, "group", **told | fields)


def _got(run: str, at: float, who: str, partition: str = "0", **fields: object) -> Row:
    place = {"destination": "t", "partition_id": partition, "consumer_group": "g", "message_id": f"m{at}"}
    return row(run, at, "receive", **place | {"client_id": who} | fields)


def _histories() -> list[Row]:
    stale, behind = "stale", "stale, the clock is behind"
    return [
        _given("its own", 0, "a", 1, "0", "1"), _got("its own", 1, "a"), _got("its own", 2, "a", "1"),
        _given("with its topic", 0, "a", 1, "t/0", "u/1"), _got("with its topic", 1, "a"),
        _got("with its topic", 2, "a", "1"),
        _given("before any", 5, "a", 1, "0"), _got("before any", 1, "a"),
        _given("of another", 0, "a", 1, "0"), _given("of another", 0, "b", 1, "1"),
        _got("of another", 1, "b"),
        _given("revoked", 0, "a", 1, "0"), _revoked("revoked", 1, None), _got("revoked", 2, "a"),
        # members that keep what they do not give back
        _given("in part", 0, "a", 1, "0", "t/1"), _revoked("in part", 1, ["t/1"]),
        _revoked("in part", 2, ["1"]), _got("in part", 3, "a"), _got("in part", 4, "a", "1"),
        _given("of nothing", 0, "a", 1, "0"), _revoked("of nothing", 1, []), _got("of nothing", 2, "a"),
        _given("given anew", 0, "a", 1, "0"), _revoked("given anew", 1, ["0"]),
        _given("given anew", 2, "a", 1, "0"), _got("given anew", 3, "a"),
        _given("of others", 0, "a", 1, "0"), _revoked("of others", 1, None, client_id="b"),
        _got("of others", 2, "a"),
        _given("later", 0, "a", 1, "0"), _got("later", 2, "a"), _revoked("later", 3, ["0"]),
        _revoked("only revoked", 0, None), _got("only revoked", 1, "a"),
        _given("only revoked", 2, "b", 1, "0"),
        _given("taken away", 0, "a", 1, "0", "1"), _given("taken away", 1, "a", 2, "1"),
        _got("taken away", 2, "a"),
        _given("failed", 0, "a", 1, "0"), _given("failed", 1, "a", 2, phase="fail"), _got("failed", 2, "a"),
        _given(stale, 0, "a", 1, "0"), _given(stale, 1, "b", 2, "0"), _got(stale, 2, "a"),
        _given(stale, 3, "c", 3, "0"), _got(stale, 4, "a"),
        _given("its own old one", 0, "a", 1, "0"), _given("its own old one", 1, "a", 2, "0"),
        _got("its own old one", 2, "a", generation=1),
        _given("another partition", 0, "a", 1, "0"), _given("another partition", 1, "b", 2, "1"),
        _got("another partition", 2, "a"),
        _given(behind, 0, "a", 1, "0"), _given(behind, 1, "b", 2, "0", clock_domain="x"),
        _got(behind, 101, "a"), _got(behind, 102, "a"),
        _got("no assignments", 1, "a"),
        _given("no partition", 0, "a", 1, "0"), _got("no partition", 1, "b", partition_id=None),
    ]  # fmt: skip


def test_deliveries_to_others_are_found() -> None:
    known = audit_of(_histories())
    columns = ("run_id", "kind", "consumer_id", "first_recorder", "first_seq", "last_seq", "message_id")
    assert found(known, "ownership", *columns) == {
        ("with its topic", "not-assigned", "a", "a", 1, 3, "m2"),
        ("before any", "not-assigned", "a", "a", 2, 2, "m1"),
        ("of another", "not-assigned", "b", "b", 1, 2, "m1"),
        ("revoked", "not-assigned", "a", "a", 2, 3, "m2"),
        ("in part", "not-assigned", "a", "a", 2, 5, "m4"),
        ("only revoked", "not-assigned", "a", "a", 2, 2, "m1"),
        ("taken away", "not-assigned", "a", "a", 2, 3, "m2"),
        ("stale", "stale-generation", "a", "b", 1, 2, "m2"),
        ("stale", "stale-generation", "a", "b", 1, 3, "m4"),
        ("stale, the clock is behind", "stale-generation", "a", "b", 1, 3, "m102"),
    }
    judged = counts(known, "ownership")
    assert judged["its own"] == (2, 0)
    assert judged["no assignments"] == (0, 0)


def test_what_is_missing_is_said() -> None:
    assert "no assignments" in (lacks("ownership", profile(grouped=1), Parameters()) or "")
    assert "no group" in (lacks("ownership", profile(shares=1), Parameters()) or "")
    assert lacks("ownership", profile(shares=1, grouped=1), Parameters()) is None
