"""A condition that is false is false for somebody."""

from __future__ import annotations

import pytest

from angarium.checker.explore.culprits import Culprit, culprits, named
from angarium.checker.explore.interpret import initial_states, steps
from tests.models import system

READER = """
class Reader(Index):
    "Somebody who reads."
"""
STATE = """
readers = count(Reader, 2)
seen = setof(Item)
tries = array(Item, integer(0, 2))
got = array(Reader, setof(Item))
queue = seq(Item, 3)
number = integer(0, 3)

def is_seen(self, item: Item) -> bool:
    return item in self.seen

@action
def go(self) -> None:
    self.seen.add(Item(1 % self.items))
    self.tries[Item(2 % self.items)] = 2
    self.got[Reader(self.readers - 1)].add(Item(0))
    self.queue.append(Item(1 % self.items))

@invariant
def good(self) -> bool:
    return CONDITION
"""


def blame(condition: str, **settings: object) -> tuple[Culprit, ...]:
    """Who is to blame, behind the only step, that a condition is false."""
    compiled = system(STATE.replace("CONDITION", condition), head=READER, **settings)
    (start,) = initial_states(compiled)
    (move,) = [each for each in steps(compiled, start) if each.action.name == "go"]
    return culprits(compiled, compiled.guarantees[0].condition, move.target)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("all(item in self.seen for item in Item)", ("i1", "i3")),
        ("all(self.tries[item] < 2 for item in Item)", ("i3",)),
        ("all(self.tries[item] < 2 for item in Item if item not in self.seen)", ("i3",)),
        ("not any(item in self.seen for item in Item)", ("i2",)),
        ("len(self.queue) < 3 and all(item in self.seen for item in Item)", ("i1", "i3")),
        ("all(self.is_seen(item) for item in Item)", ("i1", "i3")),
        ("all(self.tries[i] < 2 if i in self.seen else i in self.seen for i in Item)", ("i1", "i3")),
        ("all(item not in self.queue and item not in self.seen for item in Item)", ("i2",)),
        ("self.number == 1", ()),
        ("any(self.tries[item] == 1 for item in Item)", ()),
        ("all(n < 2 for n in range(3))", ()),
    ],
)
def test_those_are_named_for_whom_it_is_false(condition: str, found: tuple[str, ...]) -> None:
    assert blame(condition) == tuple((label,) for label in found)


def test_two_comprehensions_name_pairs() -> None:
    pairs = "not any(item in self.got[reader] for reader in Reader for item in Item)"
    assert blame(pairs) == (("r2", "i1"),)
    nested = "all(all(item not in self.got[reader] for item in Item) for reader in Reader)"
    assert blame(nested) == (("r2", "i1"),)


def test_a_kind_of_which_there_is_one_is_not_taken_for_its_neighbour() -> None:
    condition = "all(item in self.got[reader] for item in Item for reader in Reader)"
    assert blame(condition, readers=1) == (("i2", "r1"), ("i3", "r1"))
    assert blame(condition, readers=2)[:2] == (("i1", "r1"), ("i2", "r1"))


def test_what_cannot_be_told_by_one_place_is_told_by_another() -> None:
    only = {"items": 1, "readers": 1}
    assert blame("all(item not in self.got[reader] for reader in Reader for item in Item)", **only) == ()
    also = "all(item not in self.got[reader] or self.tries[item] < 2 for reader in Reader for item in Item)"
    assert blame(also, **only) == (("i1",),)


def test_nobody_is_named_where_the_condition_cannot_be_evaluated() -> None:
    assert blame("all(6 // self.tries[item] > 2 for item in Item)") == ()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((), ""),
        ((("m1",),), " for m1"),
        ((("m1",), ("m3",)), " for m1 and m3"),
        ((("m1", "c1"), ("m2", "c1")), " for (m1, c1) and (m2, c1)"),
        (tuple((f"m{n}",) for n in range(1, 8)), " for m1, m2, m3, m4 and 3 more"),
    ],
)
def test_culprits_end_a_sentence(found: tuple[Culprit, ...], words: str) -> None:
    assert named(found) == words
