"""How many releases until balance: the tables of docs/explanation/balance.md, `python -m scripts.balance`.

It makes 100,000 walks for each combination of mode, schedule and rule at 10 queues and 10 apps, which takes
minutes, so no test does; a test makes fewer walks and asks whether the tables can be true.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from math import sqrt
from pathlib import Path

import angarium
from angarium.checker.walks.results import Simulation, Statistic

DOCUMENT = Path(__file__).parent.parent / "docs" / "explanation" / "balance.md"
RUNS = 100_000
SIZE = {"queues": 10, "apps": 10}
MODES, SCHEDULES, RULES = ("random", "sequential"), ("by-action", "uniform"), ("always", "poorer", "nearest")
RELEASES, EACH, STEPS = "releases-to-balance", "releases-per-queue", "steps-to-balance"

INDEPENDENT = {
    ("random", "by-action"): (50.69, 0.09),
    ("random", "uniform"): (55.52, 0.12),
    ("sequential", "by-action"): (18.32, 0.14),
    ("sequential", "uniform"): (43.83, 0.17),
}
"""Mean and standard error of 4,000 runs each of a simulation that shares nothing with ours."""
TLC = {"random": 1000 / 39, "sequential": 1000 / 32}
"""Behaviours that TLC simulates in a CPU second, of the specification that our model follows, by action."""


@cache
def simulated(mode: str, schedule: str, rule: str, runs: int = RUNS) -> Simulation:
    """The walks of one row."""
    parameters = {**SIZE, "mode": mode, "rule": rule}
    return angarium.simulate("rabbitmq-sac", parameters=parameters, runs=runs, schedule=schedule)


def named(one: Simulation, observation: str) -> Statistic:
    """The statistic of an observation."""
    return next(each for each in one.statistics if each.observation == observation)


def rules() -> Iterator[str]:
    """One row for each combination."""
    yield "| mode | schedule | rule | releases | sd | min | median | 95 % | max | a queue | sd | steps |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for mode, schedule, rule in ((m, s, r) for m in MODES for s in SCHEDULES for r in RULES):
        one = simulated(mode, schedule, rule)
        total, each, steps = (named(one, name) for name in (RELEASES, EACH, STEPS))
        reach = (total.high - total.low) / 2
        spread = f"{total.minimum} | {total.quantiles[0.5]} | {total.quantiles[0.95]} | {total.maximum}"
        figures = f"{total.mean:.2f} ± {reach:.2f} | {total.sd:.2f} | {spread}"
        others = f"{each.mean:.2f} | {each.sd:.2f} | {steps.mean:.1f}"
        yield f"| {mode} | {schedule} | {rule} | {figures} | {others} |"


def agreement() -> Iterator[str]:
    """Our means beside those of the independent simulation, and our speed beside TLC's."""
    yield "| mode | schedule | ours | independent | standard errors apart | walks a CPU second | times TLC |"
    yield "|---|---|---|---|---|---|---|"
    for (mode, schedule), (mean, error) in INDEPENDENT.items():
        one = simulated(mode, schedule, "always")
        total = named(one, RELEASES)
        ours = total.sd / sqrt(total.walks)
        apart = (total.mean - mean) / sqrt(ours**2 + error**2)
        speed = one.walks / one.extent.cpu_seconds
        means = f"{total.mean:.2f} ({ours:.2f}) | {mean:.2f} ({error:.2f}) | {apart:+.1f}"
        times = f"{speed / TLC[mode]:.0f}" if schedule == "by-action" else ""
        yield f"| {mode} | {schedule} | {means} | {speed:,.0f} | {times} |"


def with_table(text: str, name: str, rows: str) -> str:
    """A document with one of its tables made anew."""
    part = re.compile(rf"(<!-- made by scripts\.balance: {name} -->\n).*?(?=<!-- end -->)", re.S)
    return part.sub(lambda found: f"{found[1]}\n{rows}\n\n", text)


def main() -> int:
    """Make the walks and write the tables."""
    tables = {name: "\n".join(table()) for name, table in (("rules", rules), ("agreement", agreement))}
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, rows in tables.items():
        text = with_table(text, name, rows)
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
