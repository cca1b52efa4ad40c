"""Constant tables: looked up, gone through and asked as Python does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.export.tla import tla
from angarium.core.errors import ModelError
from tests.meaning.compare import compare
from tests.models import source, system
from tests.tlc import distinct_states, needs_tlc, run_tlc

HEAD = """
LEAST = 1
COST = (3, LEAST, 2)
GRID = ((0, 2), (1, -1))
TURN = (Colour.GREEN, Colour.RED)
"""
BODY = """
n = integer(-1, 3)
m = integer(0, max(COST) - len(TURN) + COST[-1])
line = seq(integer(1, 3), capacity=len(COST))
colour: Colour
@action
def look_up(self, i: Item) -> None:
    self.n = GRID[self.n % 2][i % 2]
@action
def put(self, i: Item) -> None:
    require(len(self.line) < len(COST))
    self.line.append(COST[i])
@action
def turn(self) -> None:
    self.colour = TURN[self.n // 2]
@invariant
def known(self) -> bool:
    return all(x in COST for x in self.line) and self.n in (0, 1, 2, -1)
@invariant
def light(self) -> bool:
    return sum(self.line) < sum(COST) or max(self.line) < max(COST) or min(GRID[1]) == 0
@reaches
def green(self) -> bool:
    return self.colour == TURN[0] and any(c == self.n for c in COST)
"""


def test_tables_mean_what_python_makes_of_them() -> None:
    assert compare(source(BODY, HEAD)).differences == ()
    found = [each.search(system(BODY, head=HEAD)) for each in (NativeEngine(), ReferenceEngine())]
    assert found[0].coverage.states == found[1].coverage.states == 160
    assert set(found[0].runs) == set(found[1].runs) == {"light", "green", "stays-in-range"}


@needs_tlc
def test_tlc_counts_what_we_count(tmp_path: Path) -> None:
    model = system(BODY.replace("self.n // 2", "0"), head=HEAD)
    said = run_tlc(tla(model, initial_states(model)), tmp_path)
    assert distinct_states(said) == NativeEngine().search(model).coverage.states


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("self.n = COST[3]", "COST has no item 3"),
        ("self.n = COST[-4]", "COST has no item -4"),
        ("self.n = COST", "COST is a table"),
        ("COST[0] = 1", "COST[0] is not a part of the state"),
        ("self.n = COST[t]", "t tells interchangeable values apart"),
        ("require(Colour.RED in COST)", "Colour cannot be compared with integer(1, 3)"),
        ("require(COST == GRID)", "a table and a table cannot be compared"),
        ("self.n = MIXED[0]", "Colour.RED does not fit the first value of the table"),
        ("self.n = RAGGED[0][0]", "(2,) is no row of 2 values"),
        ("self.n = OPEN[0]", "self.n is not known before the search starts"),
        ("self.n = sum(3)", "sum(3) is not part of the language"),
    ],
)
def test_what_cannot_be_is_refused_at_its_line(statement: str, error: str) -> None:
    head = HEAD + "MIXED = (1, Colour.RED)\nRAGGED = ((0, 1), (2,))\nOPEN = (self.n, 1)\n"
    body = f"n = integer(0, 3)\n@action\ndef act(self, t: Twin) -> None:\n    {statement}\n"
    with pytest.raises(ModelError, match=re.escape(error)):
        system(body, head=head)
