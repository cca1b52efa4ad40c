"""The rules on simulated histories: a correct broker is not accused, and every fault put in is found."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from angarium.history.guarantees import GUARANTEES
from angarium.history.results import Violation
from tests.history.faults import INJECTORS, Fault, Injector, faults
from tests.history.generated import SYSTEMS, history
from tests.oracles.history.audit import RULES, audit, outcomes

Row = dict[str, Any]

RETRACTED = ("lost", "failed-send", "skip")
"""What may still be put right later: by a delivery, or by another send."""


@cache
def clean(system: str, skewed: bool = False, seeds: int = 25) -> list[list[Row]]:
    return [history(system, seed, f"{system}-{seed}", skewed) for seed in range(seeds)]


def findings(rows: list[Row]) -> list[tuple[str, str, str | None, str | None]]:
    return [(each.guarantee, each.kind, each.message_id, each.consumer_id) for each in audit(rows)]


@pytest.mark.parametrize("skewed", [False, True], ids=["one clock", "many clocks"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_correct_broker_is_not_accused(system: str, skewed: bool) -> None:
    for rows in clean(system, skewed):
        assert findings(rows) == []


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("skewed", [False, True], ids=["one clock", "many clocks"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_correct_broker_is_never_accused(system: str, skewed: bool) -> None:
    for seed in range(1000, 1300):
        assert findings(history(system, seed, f"{system}-{seed}", skewed)) == []


def test_simulated_histories_are_judged_by_every_rule() -> None:
    judged = dict.fromkeys(RULES, 0)
    for system in SYSTEMS:
        for rows in clean(system):
            for (_, guarantee), outcome in outcomes(rows).items():
                judged[guarantee] += outcome.judged
    assert all(judged.values()), judged


def made(injector: Injector, skewed: bool) -> list[Fault]:
    histories = {system: clean(system, skewed) for system in injector.systems}
    return faults(injector, histories, each=5)


def proves(violation: Violation, fault: Fault) -> bool:
    is_such = (violation.guarantee, violation.kind) == (fault.guarantee, fault.kind)
    about = fault.message in (None, violation.message_id) and fault.consumer in (None, violation.consumer_id)
    return is_such and about


@pytest.mark.parametrize("skewed", [False, True], ids=["one clock", "many clocks"])
@pytest.mark.parametrize("injector", INJECTORS, ids=lambda injector: injector.name)
def test_a_fault_is_found_and_nothing_that_it_does_not_imply(injector: Injector, skewed: bool) -> None:
    made_faults = made(injector, skewed)
    assert made_faults, "no history has a place for it"
    for fault in made_faults:
        found = audit(fault.rows)
        assert any(proves(violation, fault) for violation in found), (fault.message, found)
        assert {violation.guarantee for violation in found} <= {injector.guarantee, *injector.implies}


def test_there_is_a_fault_for_every_kind_of_violation() -> None:
    kinds = {(guarantee.name, kind) for guarantee in GUARANTEES for kind in guarantee.kinds}
    assert {(injector.guarantee, injector.kind) for injector in INJECTORS} == kinds


@pytest.mark.parametrize("injector", INJECTORS, ids=lambda injector: injector.name)
def test_what_is_found_early_is_found_in_the_end(injector: Injector) -> None:
    """The events up to a time give the findings of the whole history that can be known by then."""
    for fault in made(injector, skewed=False)[:2]:
        in_the_end = [each for each in audit(fault.rows) if each.kind not in RETRACTED]
        times = sorted({row["time_unix_nano"] for row in fault.rows})
        told = {next(time for time in times if time >= each.found_at) for each in in_the_end}
        for now in {*times[:: len(times) // 5], *told}:
            early = audit([row for row in fault.rows if row["time_unix_nano"] <= now])
            known = [each for each in early if each.found_at <= now and each.kind not in RETRACTED]
            assert set(known) == {each for each in in_the_end if each.found_at <= now}


def test_what_a_broker_saw_is_a_history_of_its_own() -> None:
    rows = clean("rabbitmq")[0]
    seen = [row | {"vantage": "broker"} for row in rows]
    assert {run for run, _ in outcomes([*rows, *seen])} == {"rabbitmq-0", "rabbitmq-0@broker"}
    assert findings([*rows, *seen]) == []


def test_the_order_in_which_rows_are_given_does_not_matter() -> None:
    for rows in clean("kafka")[:3]:
        spoiled = [row for row in rows if row.get("message_id") != "p0-3" or row["op_type"] == "send"]
        assert audit(spoiled) == audit(spoiled[::-1]) != []
