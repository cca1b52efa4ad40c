"""The checks on Spark and their plain-Python twin find the same: two readings of one page of rules.

One Spark job goes over some hundred small histories: of correct brokers, with faults put into them, and soups
of events that no broker would ever make.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from angarium.history.audit import audit
from angarium.history.parameters import Parameters
from angarium.history.tables import COMPARED
from angarium.history.twin.audit import RULES
from angarium.history.twin.audit import audit as twin
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history
from tests.history.histories import events
from tests.history.soup import soup

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
Findings = Counter[tuple[Any, ...]]

HISTORIES = 12
SOUPS = 300


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


@pytest.fixture(scope="module")
def on_spark() -> dict[str, Findings]:
    from angarium.spark.session import Place, session

    spark: SparkSession = session(Place("local[2]"))
    with audit(events(spark, rows()), Parameters()) as audited:
        found = audited.violations.select(*COMPARED).collect()
    return by_guarantee([tuple(row) for row in found])


@pytest.fixture(scope="module")
def in_python() -> dict[str, Findings]:
    return by_guarantee([tuple(getattr(each, name) for name in COMPARED) for each in twin(rows())])


def by_guarantee(findings: list[tuple[Any, ...]]) -> dict[str, Findings]:
    column = COMPARED.index("guarantee")
    return {name: Counter(each for each in findings if each[column] == name) for name in RULES}


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", RULES)
def test_spark_and_python_find_the_same(
    guarantee: str, on_spark: dict[str, Findings], in_python: dict[str, Findings]
) -> None:
    assert in_python[guarantee], "no history breaks it, so nothing is compared"
    assert on_spark[guarantee] - in_python[guarantee] == Counter()
    assert in_python[guarantee] - on_spark[guarantee] == Counter()
