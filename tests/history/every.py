"""All random histories of the tests in one table: of correct brokers, with faults in them, and soups."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from angarium.history.results import Figures, Violation
from angarium.history.tables import COMPARED
from tests.history.checks.deeds import control, sent, settle, take
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history
from tests.history.histories import numbered
from tests.history.soup import soup
from tests.oracles.history.audit import RULES, lives
from tests.oracles.history.latency import latency
from tests.oracles.history.messages import figures

Row = dict[str, Any]
Findings = Counter[tuple[Any, ...]]


SYSTEM = {"system": "nats"}
RARE: dict[str, list[Row]] = {
    "came again after its time": [
        control("", 0, "declare", destination="q", ack_wait_ms=1000, **SYSTEM),
        *sent("", 1, "m"), take("", 5, "m", **SYSTEM), take("", 1500, "m", **SYSTEM),
        settle("", 1510, "m", **SYSTEM),
    ],
    "came again while its acknowledgement was on its way": [
        control("", 0, "x"), *sent("", 1, "m"), take("", 5, "m"), settle("", 100, "m", phase="ok"),
        take("", 110, "m"),
    ],
    "came again after its acknowledgement had failed": [
        control("", 0, "x"), *sent("", 1, "m"), take("", 5, "m"), settle("", 6, "m"),
        settle("", 7, "m", phase="fail"), take("", 9000, "m"),
    ],
    "asked for more time": [
        control("", 0, "declare", destination="q", ack_wait_ms=1000, **SYSTEM),
        *sent("", 1, "m"), take("", 5, "m", **SYSTEM), settle("", 905, "m", "extend"),
        *sent("", 11_500, "n"), take("", 11_600, "n", **SYSTEM), control("", 60_000, "x", **SYSTEM),
    ],
    "two active at one time": [
        control("", 0, "declare", destination="q", single_active=True),
        take("", 1, "m", "z"), take("", 9, "n", "a"), take("", 9, "o", "z"),
    ],
}  # fmt: skip
"""What chance does not bring about: a rule that only such a history shows."""


@dataclass(frozen=True)
class Said:
    """What an audit says of all histories."""

    findings: dict[str, Findings]
    """By guarantee."""
    judged: Counter[tuple[str, str]]
    """How much was judged of each run, for each guarantee."""
    latency: dict[tuple[str, str, int], tuple[int, int, int]]
    """How many times are in each bucket of each run and kind, the shortest and the longest."""
    figures: dict[str, Figures]


@cache
def rows(histories: int, soups: int) -> list[Row]:
    """So many histories of each system, with faults in them, and so many soups, all of them named."""
    clean = {
        system: [history(system, seed, "", skewed=bool(seed % 2)) for seed in range(histories)]
        for system in SYSTEMS
    }
    named = {f"{system}-{seed}": run for system in SYSTEMS for seed, run in enumerate(clean[system])}
    named |= {
        f"{fault.name}-{number}": fault.rows
        for injector in INJECTORS
        for number, fault in enumerate(faults(injector, clean, each=2))
    }
    named |= {f"soup-{seed}": soup(seed, "") for seed in range(soups)}
    named |= {name: numbered(run) for name, run in RARE.items()}
    return [row | {"run_id": name} for name, run in named.items() for row in run]


@cache
def in_python(histories: int, soups: int) -> Said:
    """What the oracle says of them."""
    told = lives(rows(histories, soups))
    outcomes = {(run, name): rule(life) for run, life in told.items() for name, rule in RULES.items()}
    found = [each for outcome in outcomes.values() for each in outcome.violations]
    return Said(
        by_guarantee(found),
        Counter({key: outcome.judged for key, outcome in outcomes.items()}),
        {(run, *key): numbers for run, life in told.items() for key, numbers in latency(life).items()},
        {run: figures(life) for run, life in told.items()},
    )


def by_guarantee(violations: list[Violation]) -> dict[str, Findings]:
    """Violations by guarantee, as far as two audits must agree."""
    told = [tuple(getattr(each, name) for name in COMPARED) for each in violations]
    column = COMPARED.index("guarantee")
    return {name: Counter(each for each in told if each[column] == name) for name in RULES}
