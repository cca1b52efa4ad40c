"""Every bundled system: exact counts, verdicts, an independent peer, and mutants that are noticed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import WORTH_SHARING, NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.export.promela import promela
from angarium.checker.export.smv import smv
from angarium.checker.export.tla import tla
from angarium.checker.ir.transition import STAYS_IN_RANGE, TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.logic.check import check
from angarium.checker.logic.mutate import MutationTable, check_mutants
from angarium.core.result import Report
from angarium.systems.registry import Scenario, System, find, load, systems
from tests.effort import also
from tests.needs import needs
from tests.scenarios import case, largest, telling
from tests.spin import needs_spin, run_spin
from tests.tlc import distinct_states, needs_tlc, run_tlc

pytestmark = pytest.mark.slow

QUICK = 30_000
"""States: the default run searches scenarios that have fewer, enough of them to see every verdict."""


def _scenarios(system: System) -> list[ParameterSet]:
    quick = telling([each for each in system.scenarios if each.states < QUICK])
    return [case(system, each, only_thorough=each not in quick) for each in system.scenarios]


SCENARIOS = [each for system in systems().values() for each in _scenarios(system)]
SMALL = largest(400, 8)
WORTH_TWO_THREADS = [each for each in SCENARIOS if each.values[1].states > WORTH_SHARING]  # type: ignore[union-attr]
"""In smaller ones no level has so many states that a second thread gets some."""
HAS_ITS_OWN_PEER = ("kafka-security", "recovery")
"""An intruder's deduction, or shortest ways in all colours, written out: translators are busy for minutes."""
EXPORTED = [each for each in systems() if each not in HAS_ITS_OWN_PEER]
FOR_SPIN = largest(12_000, 3, EXPORTED)
FOR_TLC = largest(1_000, 2, [each for each in EXPORTED if each != "kafka-delivery"])
QUICKLY = ("nsq", "queue", "rabbitmq-sac")
"""Systems that the default run gives to the other tools."""


def verdicts(report: Report) -> dict[str, str]:
    return {each.guarantee: each.verdict.value for each in report.verdicts}


def of_states(system: TransitionSystem, scenario: Scenario) -> dict[str, str]:
    """What is expected of the guarantees that are about single states."""
    names = {STAYS_IN_RANGE, *(guarantee.name for guarantee in system.guarantees)}
    return {name: verdict for name, verdict in scenario.verdicts.items() if name in names}


def assert_as_expected(report: Report, scenario: Scenario) -> None:
    coverage = report.coverage
    assert (coverage.states, coverage.transitions, coverage.depth) == (
        scenario.states,
        scenario.transitions,
        scenario.depth,
    )
    assert coverage.complete
    assert verdicts(report) == dict(scenario.verdicts)


@pytest.mark.parametrize(("system", "scenario"), SCENARIOS)
def test_native_engine_finds_the_expected_counts(system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)

    report = check(compiled, engine=NativeEngine(), subject=system.name, threads=1)

    assert_as_expected(report, scenario)


@pytest.mark.parametrize(("system", "scenario"), WORTH_TWO_THREADS)
def test_two_threads_find_the_expected_counts(system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)

    report = check(compiled, engine=NativeEngine(), subject=system.name, threads=2)

    assert_as_expected(report, scenario)


@pytest.mark.sample(6)
@pytest.mark.parametrize(("system", "scenario"), SCENARIOS)
def test_an_emulated_card_finds_the_expected_counts(system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)

    assert_as_expected(check(compiled, engine=GpuEngine(EmulatedGrid), subject=system.name), scenario)


@needs("card")
@pytest.mark.parametrize(("system", "scenario"), SCENARIOS)
def test_a_card_finds_the_expected_counts(system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)

    assert_as_expected(check(compiled, engine=GpuEngine(), subject=system.name), scenario)


@pytest.mark.sample(8)
@pytest.mark.parametrize(("system", "scenario"), SMALL)
def test_reference_engine_finds_the_expected_counts(system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)

    assert_as_expected(check(compiled, engine=ReferenceEngine(), subject=system.name), scenario)


@pytest.mark.sample(2)
@pytest.mark.parametrize(("system", "scenario"), [s for s in SCENARIOS if s.values[1].symmetric_states])  # type: ignore[union-attr]
def test_symmetry_merges_states_and_keeps_verdicts(system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)

    expected = of_states(compiled, scenario)
    report = check(compiled, engine=NativeEngine(), subject=system.name, symmetry=True, only=list(expected))

    assert report.coverage.states == scenario.symmetric_states
    assert verdicts(report) == expected


@needs_spin
@pytest.mark.parametrize(("system", "scenario"), [*largest(1_000, 1, QUICKLY), *also(FOR_SPIN)])
def test_spin_finds_the_same_on_the_exported_model(
    system: System, scenario: Scenario, tmp_path: Path
) -> None:
    compiled = load(system.name, scenario.parameters)

    found = run_spin(promela(compiled, initial_states(compiled)), tmp_path)

    if set(of_states(compiled, scenario).values()) == {"holds"}:
        assert (found.states, found.transitions) == (scenario.states, scenario.transitions)
        assert found.errors == 0
    else:
        assert found.errors > 0  # and there the search ended


@needs_tlc
@pytest.mark.parametrize(("system", "scenario"), [*largest(400, 1, QUICKLY), *also(FOR_TLC)])
def test_tlc_finds_the_same_on_the_exported_model(system: System, scenario: Scenario, tmp_path: Path) -> None:
    compiled = load(system.name, scenario.parameters)
    text = tla(compiled, initial_states(compiled))
    claims = [line.split()[0] for line in text.splitlines() if line.startswith(("Inv_", "Rest_"))]

    said = run_tlc(text, tmp_path, "StaysInRange", *claims)

    assert len(claims) == sum(each.kind != "reaches" for each in compiled.guarantees)
    if set(of_states(compiled, scenario).values()) == {"holds"}:
        assert distinct_states(said) == scenario.states
        assert "is violated" not in said
    else:
        assert "is violated" in said  # and there the search ended


@pytest.mark.parametrize("name", [*QUICKLY, *also(each for each in EXPORTED if each not in QUICKLY)])
def test_every_bundled_model_goes_out_to_the_other_tools(name: str) -> None:
    compiled = load(name)
    initial = initial_states(compiled)

    assert "active proctype" in promela(compiled, initial)
    assert "Next ==" in tla(compiled, initial)
    assert "MODULE main" in smv(compiled, initial)


@cache
def mutation_table(name: str, **settings: str) -> MutationTable:
    return check_mutants(find(name), settings, engine=NativeEngine())


@pytest.mark.thorough
def test_every_guarantee_of_rabbitmq_sac_notices_a_mutant() -> None:
    table = mutation_table("rabbitmq-sac", queues="2", apps="2", restarts="1")

    assert table.guarantees == (
        "stays-in-range",
        "type-ok",
        "sequential-safety",
        "eventually-balanced",
    )
    assert table.idle == ()


def test_mutants_of_rabbitmq_sac_are_noticed_where_they_should_be() -> None:
    table = mutation_table("rabbitmq-sac", queues="2", apps="2", restarts="1")
    noticed = {(row.name, row.description): row.noticed for row in table.rows}

    assert "sequential-safety" in noticed["drop action", "release never happens"]
    assert "type-ok" in noticed["drop guard", "without the guard not subscribed(a, q)"]
    assert "stays-in-range" in noticed["drop guard", "without the guard not started(a)"]


def test_statistics_counters_are_states_only_on_request() -> None:
    """TLC has 91,400 states with the counters and 81,464 without, in random mode at 3 x 3."""
    settings = {"mode": "random", "queues": "3", "apps": "3", "stats": "true"}

    with_counters = NativeEngine().search(load("rabbitmq-sac", settings)).coverage.states

    assert with_counters == 91_400


def test_without_stop_the_counts_are_those_of_the_published_promela_model() -> None:
    coverage = NativeEngine().search(load("rabbitmq-sac", {"stops": "false"})).coverage

    assert (coverage.states, coverage.transitions) == (183_202, 817_113)


def test_every_system_says_where_it_comes_from() -> None:
    for system in systems().values():
        assert system.source
        assert find_model(system.decl.module).description
