"""The random numbers are as they should be; the native ones are the same (`test_reference`)."""

from __future__ import annotations

import numpy as np

from angarium.checker.ir.syntax import Const, Require, Write
from angarium.checker.ir.transition import Action, Parameter
from angarium.checker.ir.types import Int
from angarium.checker.walks.native_walks import walk
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.reference import Stream, mix
from tests.checker.walks.observed import observed
from tests.zoo import ZERO, Local, op, read, system


def test_mixing_is_splitmix64() -> None:
    """The first numbers of SplitMix64 from the state 0, as its authors' program prints them."""
    golden = 0x9E3779B97F4A7C15

    found = [mix(golden * n % 2**64) for n in (1, 2, 3)]

    assert found == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_exponential_variates() -> None:
    stream = Stream(3, 0)

    drawn = np.array([stream.exponential() for _ in range(40_000)]) / 2**32

    assert abs(drawn.mean() - 1) < 4 * 1 / 200
    assert abs((drawn > 1).mean() - np.exp(-1)) < 4 * 0.48 / 200
    assert abs((drawn > 3).mean() - np.exp(-3)) < 4 * 0.22 / 200
    assert abs(drawn.std() - 1) < 0.05


def test_numbers_below_are_equally_likely() -> None:
    stream = Stream(3, 1)

    counts = np.bincount([stream.below(7) for _ in range(35_000)], minlength=7)

    assert ((counts - 5000) ** 2 / 5000).sum() < 27.9, "a thousandth of fair dice are worse: chi square, 6"


def test_neighbouring_walks_have_nothing_in_common() -> None:
    first = np.array([Stream(1, walk).draw() >> 11 for walk in range(20_000)]) / 2**53

    assert abs(first.mean() - 0.5) < 4 * 0.289 / 141
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 4 / 141


def test_schedules_choose_as_they_say() -> None:
    """From the only state with a choice `one` leads to 1, and `two(b)` for b = 1, 2, 3 to b + 1."""
    begin = Require(op(read("n"), "==", 0))
    one = Action("one", (), (begin, Write("n", ZERO, Const(1))))
    parameter = Parameter("b", Int(1, 3))
    two = Action("two", (parameter,), (begin, Write("n", ZERO, op(Local("b"), "+", 1))))
    fork = observed(system("fork", [("n", Int(0, 4))], [one, two]), rates=[("one", Const(7))])
    expected = {"by-action": 1 / 2, "uniform": 1 / 4, "rates": 7 / 10}

    for schedule, share in expected.items():
        sample = walk(fork, Plan(schedule=schedule), 0, 10_000).sample
        ones = sample.values[:, 0]
        assert abs(ones.mean() - share) < 4 * 0.5 / 100, schedule


def test_time_passes_as_rates_say() -> None:
    """A step of rate 4 takes a quarter of a unit of time on average."""
    tick = Action("tick", (), (Require(op(read("n"), "<", 1)), Write("n", ZERO, Const(1))))
    once = observed(system("once", [("n", Int(0, 1))], [tick]), rates=[("tick", Const(4))])

    sample = walk(once, Plan(schedule="rates"), 0, 40_000).sample
    times = sample.values[:, [name for name, _ in sample.columns].index("time")] / 1e6

    assert abs(times.mean() - 0.25) < 4 * 0.25 / 200
    assert abs(times.std() - 0.25) < 0.02
