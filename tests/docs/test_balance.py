"""The tables of docs/explanation/balance.md can be true: fewer walks with another seed agree with them."""

from __future__ import annotations

import re
from math import sqrt

import pytest

import angarium
from scripts import balance

Key = tuple[str, str, str]


def rows() -> dict[Key, tuple[float, float]]:
    """Mode, schedule and rule, and the mean of the releases with half of its interval."""
    text = balance.DOCUMENT.read_text(encoding="utf-8")
    found = re.findall(r"^\| (\w+) \| ([\w-]+) \| (\w+) \| ([\d.]+) ± ([\d.]+) \|", text, re.M)
    return {
        (mode, schedule, rule): (float(mean), float(reach)) for mode, schedule, rule, mean, reach in found
    }


def test_there_is_a_row_for_each_combination() -> None:
    wanted = {(m, s, r) for m in balance.MODES for s in balance.SCHEDULES for r in balance.RULES}
    assert set(rows()) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("mode", balance.MODES)
@pytest.mark.parametrize("schedule", balance.SCHEDULES)
def test_fewer_walks_agree(mode: str, schedule: str) -> None:
    for rule in balance.RULES:
        mean, reach = rows()[mode, schedule, rule]
        parameters = {**balance.SIZE, "mode": mode, "rule": rule}
        again = angarium.simulate(
            "rabbitmq-sac", parameters=parameters, runs=1000, schedule=schedule, seed=99
        )
        total = balance.named(again, balance.RELEASES)
        error = sqrt(total.sd**2 / total.walks + (reach / 1.96) ** 2)
        assert abs(total.mean - mean) < 4 * error, rule
