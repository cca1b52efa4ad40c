"""The checks on Spark and their plain-Python oracle find the same: two readings of one page of rules.

One Spark job goes over some hundred small histories: of correct brokers, with faults put into them, and soups
of events that no broker would ever make.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from angarium.history.audit import audit
from angarium.history.parameters import Parameters
from angarium.history.tables import COMPARED
from tests.effort import is_thorough
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history
from tests.history.histories import HERE, events
from tests.history.soup import soup
from tests.oracles.history.audit import RULES, lives
from tests.oracles.history.latency import latency

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
Findings = Counter[tuple[Any, ...]]

HISTORIES, SOUPS = (12, 300) if is_thorough() else (3, 30)
COUNTED = [name for name in RULES if name != "flow-control"]
"""There, Spark counts all deliveries to who has a limit at some time, and Python those while he has one."""


@dataclass(frozen=True)
class Said:
    """What an audit says of all histories."""

    findings: dict[str, Findings]
    """By guarantee."""
    judged: Counter[tuple[str, str]]
    """How much was judged of each run, for each guarantee."""
    latency: dict[tuple[str, str, int], tuple[int, int, int]]
    """How many times are in each bucket of each run and kind, the shortest and the longest."""


@cache
def rows() -> list[Row]:
    """All histories, each with a name of its own."""
    clean = {
        system: [history(system, seed, "", skewed=bool(seed % 2)) for seed in range(HISTORIES)]
        for system in SYSTEMS
    }
    named = {f"{system}-{seed}": run for system in SYSTEMS for seed, run in enumerate(clean[system])}
    named |= {
        f"{fault.name}-{number}": fault.rows
        for injector in INJECTORS
        for number, fault in enumerate(faults(injector, clean, each=2))
    }
    named |= {f"soup-{seed}": soup(seed, "") for seed in range(SOUPS)}
    return [row | {"run_id": name} for name, run in named.items() for row in run]


LOOKS = [
    pytest.param(True, id="all but the plain"),
    pytest.param(False, id="all", marks=pytest.mark.thorough),
]


@pytest.fixture(scope="module", params=LOOKS)
def on_spark(request: pytest.FixtureRequest) -> Said:
    """By looking at all messages, and by looking at those only that are not plain."""
    from angarium.spark.session import session

    spark: SparkSession = session(HERE)
    with audit(events(spark, rows()), Parameters(), screen=request.param) as audited:
        found = audited.violations.select(*COMPARED).collect()
        times = audited.latency.collect()
        judged = {(each.run_id, each.guarantee): each.judged for each in audited.judgements}
    return Said(
        by_guarantee([tuple(row) for row in found]),
        Counter(judged),
        {(run, kind, bucket): tuple(numbers) for run, kind, bucket, *numbers in times},
    )


@pytest.fixture(scope="module")
def in_python() -> Said:
    told = lives(rows())
    outcomes = {(run, name): rule(life) for run, life in told.items() for name, rule in RULES.items()}
    found = [each for outcome in outcomes.values() for each in outcome.violations]
    return Said(
        by_guarantee([tuple(getattr(each, name) for name in COMPARED) for each in found]),
        Counter({key: outcome.judged for key, outcome in outcomes.items()}),
        {(run, *key): numbers for run, life in told.items() for key, numbers in latency(life).items()},
    )


def by_guarantee(findings: list[tuple[Any, ...]]) -> dict[str, Findings]:
    column = COMPARED.index("guarantee")
    return {name: Counter(each for each in findings if each[column] == name) for name in RULES}


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", RULES)
def test_spark_and_python_find_the_same(guarantee: str, on_spark: Said, in_python: Said) -> None:
    found, told = on_spark.findings[guarantee], in_python.findings[guarantee]
    assert told, "no history breaks it, so nothing is compared"
    assert found - told == Counter()
    assert told - found == Counter()


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", COUNTED)
def test_spark_and_python_judge_as_much(guarantee: str, on_spark: Said, in_python: Said) -> None:
    of_spark, of_python = (
        {run: count for (run, name), count in said.judged.items() if name == guarantee}
        for said in (on_spark, in_python)
    )
    assert any(of_python.values())
    assert of_spark == of_python


@pytest.mark.slow
def test_spark_and_python_measure_the_same_times(on_spark: Said, in_python: Said) -> None:
    assert {kind for _, kind, _ in in_python.latency} == {"confirm", "deliver", "settle"}
    assert on_spark.latency == in_python.latency
