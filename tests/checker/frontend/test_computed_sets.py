"""Sets that are computed: algebra, comprehensions and subsets, as Python means them."""

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
from tests.models import only_step, source, system
from tests.tlc import distinct_states, needs_tlc, run_tlc

START = """
a = setof(Item)
b = setof(Item)
numbers = setof(integer(0, 3))
parcels = setof(Parcel)
@initial
def begin(self) -> None:
    self.a = {0, 1}
    self.b = {1, 2}
    self.numbers = {1, 3}
    self.parcels = {Parcel(0, Colour.RED, True), Parcel(2, Colour.RED, False)}
@action
def act(self) -> None:
    require(0 in self.a and Item(1) in self.b)
"""
VOTES = """
voted = setof(Item)
chosen = setof(Item)
@action
def vote(self, i: Item) -> None:
    self.voted |= {i}
@action
def choose_quorum(self) -> None:
    quorum = choose(q for q in subsets(Item) if 2 * len(q) > self.items and q <= self.voted)
    self.chosen = quorum
    self.voted -= quorum
@action
def turn_round(self) -> None:
    self.chosen = {i for i in Item if i not in self.voted and len(self.chosen) < 2}
@invariant
def quorums_meet(self) -> bool:
    return all(q & p for q in subsets(Item) for p in subsets(Item) if len(q) > 1 and len(p) > 1)
@invariant
def apart(self) -> bool:
    return not self.voted & self.chosen
"""


@pytest.mark.parametrize(
    ("statement", "field", "expected"),
    [
        ("self.a = self.a | self.b", "a", ("i1", "i2", "i3")),
        ("self.a = self.a & self.b", "a", ("i2",)),
        ("self.a = self.a - self.b", "a", ("i1",)),
        ("self.a = {2} | self.a", "a", ("i1", "i2", "i3")),
        ("self.a -= {0, 2}", "a", ("i2",)),
        ("self.a = {x for x in Item if x not in self.a}", "a", ("i3",)),
        ("self.a = {x for x in Item if all(y < x for y in self.a)}", "a", ("i3",)),
        ("self.a = {p.item for p in self.parcels}", "a", ("i1", "i3")),
        ("self.numbers = {x for x in self.numbers | {0} if x < 2}", "numbers", (0, 1)),
        ("self.numbers = {x for x in range(2)}", "numbers", (0, 1)),
        ("self.numbers &= {x for x in range(2)}", "numbers", (1,)),
    ],
)
def test_a_computed_set_is_assigned(statement: str, field: str, expected: object) -> None:
    assert only_step(f"{START}    {statement}\n")[field] == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("self.a <= {0, 1}", True),
        ("self.a < {0, 1}", False),
        ("self.a < self.a | self.b", True),
        ("self.a >= self.b", False),
        ("self.a | self.b == {0, 1, 2}", True),
        ("{0, 1} == self.a", True),
        ("self.a != {0, 1}", False),
        ("Item(2) in self.a | self.b", True),
        ("len(self.a & self.b) == 1", True),
        ("not self.a - self.a", True),
        ("sum(1 for q in subsets(Item) if q <= self.a) == 4", True),
        ("sum(len(q) for q in subsets(self.b)) == 4", True),
        ("any(p.fragile for p in {p for p in self.parcels if p.item == Item(2)})", False),
    ],
)
def test_a_computed_set_is_asked(condition: str, expected: bool) -> None:
    assert only_step(f"done: bool = False\n{START}    self.done = {condition}\n")["done"] is expected


def test_quorums_are_chosen_as_python_chooses_them() -> None:
    assert compare(source(VOTES)).differences == ()
    found = [each.search(system(VOTES)) for each in (NativeEngine(), ReferenceEngine())]
    assert found[0].coverage.states == found[1].coverage.states
    assert set(found[0].runs) == set(found[1].runs) == {"apart"}


@needs_tlc
def test_tlc_counts_what_we_count(tmp_path: Path) -> None:
    model = system(VOTES)
    said = run_tlc(tla(model, initial_states(model)), tmp_path)
    assert distinct_states(said) == NativeEngine().search(model).coverage.states


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("for x in self.a | self.b:\n        self.a.discard(x)", "self.a | self.b cannot be looped over"),
        ("x = self.a | self.b", "x would be a set of Item, which cannot be given a name"),
        ("self.a = self.a | self.numbers", "setof(Item) and setof(integer(0, 3)) have elements of different"),
        ("self.numbers = {x + 1 for x in self.numbers}", "x + 1 is a number, whose values are not known"),
        ("self.a = self.a ^ self.b", "uses an operator that is not part of the language"),
        ("require(any(len(q) > 1 for q in subsets(self.parcels)))", "there are too many subsets of Parcel"),
        ("require(any(len(q) > 1 for q in subsets(range(len(self.a)))))", "there are too many subsets"),
        ("require(any(len(q) > 1 for q in subsets((3, 5))))", "(3, 5) is no type and no set"),
        ("require(any(len(q) > 1 for q in subsets(range(0))))", "range(0) is no type and no set"),
        (
            "self.a = self.a if 0 in self.a else self.a | self.b",
            "one side is setof(Item), the other a set of",
        ),
        ("require(subsets(Item))", "subsets can only stand behind in"),
        ("require({1} <= {2})", "{1} is a set, where a set is needed whose elements are known"),
    ],
)
def test_what_cannot_be_is_refused(statement: str, error: str) -> None:
    with pytest.raises(ModelError, match=re.escape(error)):
        system(f"{START}    {statement}\n")
