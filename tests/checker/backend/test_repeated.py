"""Loops that several steps share become functions: nothing else changes."""

from __future__ import annotations

import pytest

from angarium.checker.backend.kernel_expressions import repeated_loops
from angarium.checker.backend.kernel_text import kernel_text
from angarium.checker.backend.layout import Layout
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.result import Coverage
from tests.models import system

STATE = "grid = array(Item, array(Colour, integer(0, 3)))\ntimes = integer(0, 3)\n"
RAISE = "for i in Item:\n        for c in Colour:\n            self.grid[i][c] = self.grid[i][c] + {by}\n"


def steps(*bodies: str) -> TransitionSystem:
    """A model whose actions count up, and then do what each body says."""
    head = (
        "\n@action\ndef act_{n}(self) -> None:\n    require(self.times < 3)\n    self.times += 1\n    {body}"
    )
    return system(STATE + "".join(head.format(n=n, body=body) for n, body in enumerate(bodies)))


def counts(coverage: Coverage) -> tuple[int, int, int]:
    return coverage.states, coverage.transitions, coverage.depth


def agree(model: TransitionSystem) -> None:
    native, slow = NativeEngine().search(model), ReferenceEngine().search(model)
    assert counts(native.coverage) == counts(slow.coverage)
    assert native.runs.keys() == slow.runs.keys()


def test_a_loop_in_two_steps_is_compiled_once() -> None:
    model = steps(RAISE.format(by=1), RAISE.format(by=1))
    assert len(repeated_loops(model.actions)) == 1
    text = kernel_text(model, Layout(model.variables))
    assert text.count("define internal i64 @loop.") == 1
    assert text.count("call i64 @loop.0(") == 2
    agree(model)


def test_loops_that_differ_stay_where_they_are() -> None:
    model = steps(RAISE.format(by=1), RAISE.format(by=0))
    assert not repeated_loops(model.actions)
    agree(model)


def test_a_shared_loop_that_fails_fails_the_step() -> None:
    model = steps(RAISE.format(by=2), RAISE.format(by=2))
    assert len(repeated_loops(model.actions)) == 1
    assert "stays-in-range" in NativeEngine().search(model).runs
    agree(model)


@pytest.mark.parametrize(
    "body",
    [
        "n = self.times\n    " + RAISE.format(by="n"),
        RAISE.format(by="1") + "            require(self.grid[i][c] < 3)\n",
        "for c in Colour:\n        self.grid[0][c] = 1\n",
    ],
    ids=["a name from around it", "it can end the step", "no loop inside"],
)
def test_a_loop_that_cannot_stand_alone_is_not_shared(body: str) -> None:
    model = steps(body, body)
    assert not repeated_loops(model.actions)
    agree(model)
