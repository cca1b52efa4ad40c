"""What Python evaluates is evaluated: where that fails, the step fails, and only there."""

from __future__ import annotations

import pytest

from angarium.checker.ir.transition import STAYS_IN_RANGE
from angarium.core.errors import ModelError
from tests.models import system
from tests.verdicts import hit

STATE = """
    q = seq(integer(0, 3), 2)
    items_line = seq(Item, 2)
    one = seq(integer(0, 3), 2)
    n = integer(0, 3)
    numbers = array(Item, integer(0, 3))
    table = array(Item, array(Item, integer(0, 3)))
    nothing = option(integer(0, 3))
    slot = option(Parcel)
    parcel: Parcel
    rows = array(Item, seq(integer(0, 3), 2))
    sets = array(Item, setof(integer(0, 3)))
    done: bool = False
    told: bool = False
    @initial
    def fill(self) -> None:
        self.one = [0]
    def same(self, a: int, b: int) -> bool:
        return a == a
    def unused(self) -> bool:
        x = self.q[0]
        return True
    def unused_constant(self) -> bool:
        x = self.numbers[3]
        return True
    def on_one_way(self) -> bool:
        if self.n == 0:
            x = self.q[0]
        return True
    def overwritten(self) -> bool:
        x = 1
        if self.n == 0:
            x = self.q[0]
            x = 2
        return x == 2
    def asked(self) -> bool:
        if self.q[0] == 0:
            pass
        return True
    def size(self, p: Parcel) -> bool:
        return True
    """


def fails(statement: str) -> bool:
    body = statement.replace("\n", "\n        ")
    return STAYS_IN_RANGE in hit(f"""{STATE}
    @action
    def act(self) -> None:
        require(not self.done)
        self.done = True
        {body}
    """)


@pytest.mark.parametrize(
    "condition",
    [
        "self.q[0] in self.q",
        "self.q[0] not in self.rows[Item(0)]",
        "self.q[0] in ()",
        "self.n in (0, self.q[0])",
        "self.n in (0, self.numbers[3])",
        "self.n in (0, self.table[3][Item(1)])",
        "self.n in [0, 1 // self.n]",
        "self.nothing == self.q[0]",
        "self.q[0] == self.nothing",
        "self.parcel == Parcel(Item(1), Colour.RED, self.q[0] == 0)",
        "self.slot == Parcel(self.items_line[0], Colour.RED, True)",
        "Parcel(self.items_line[0], Colour.RED, True) == self.slot",
        "Parcel(self.items_line[0], Colour.RED, True).fragile",
        "self.size(Parcel(self.items_line[0], Colour.RED, True))",
        "any(x == 0 for x in (self.n, self.q[0]))",
        "any(x == 0 for i in Item for x in (self.n, self.q[0]))",
        "any([self.one[i] == 0 for i in range(2)])",
        "not all([self.one[i] == 1 for i in range(2)])",
        "any([self.one[i] == 0 for j in range(1) for i in range(2)])",
        "min((i for i in range(3)), default=self.q[0]) == 0",
        "self.same(0, self.q[0])",
        "self.unused()",
        "self.unused_constant()",
        "self.on_one_way()",
        "self.overwritten()",
        "self.asked()",
        "self.n < 1 < self.q[0]",
        "self.n == (self.q[0] if self.n == 0 else 1)",
        "self.q[0] == 0 or self.n == 0",
        "Item(self.n + 3) in (Item(0), Item(1))",
        "self.n + 4 in self.sets[Item(self.n + 3)]",
    ],
)
@pytest.mark.parametrize("use", ["self.told = {}", "if {}:\n    pass", "require({})"])
def test_what_python_evaluates_may_fail(condition: str, use: str) -> None:
    assert fails(use.format(condition))


@pytest.mark.parametrize(
    "statement",
    [
        "x = choose(self.n, self.q[0])",
        "x = choose(self.n, self.table[3][Item(1)])",
        "x = choose(self.q[0], self.n)",
        "for x in (self.n, self.q[0]):\n    pass",
        "for x in range(self.q[0]):\n    pass",
        "for x in self.rows[self.n + 7]:\n    pass",
        "for x in self.sets[self.n + 7]:\n    pass",
        "if self.n == 1:\n    pass\nelif self.q[0] == 1:\n    pass",
        "self.sets[Item(0)].discard(self.q[0])",
        "self.one.discard(self.q[0])",
        "self.rows[self.n + 7].clear()",
    ],
)
def test_what_python_evaluates_in_a_statement_may_fail(statement: str) -> None:
    assert fails(statement)


@pytest.mark.parametrize(
    "condition",
    [
        "self.n == 1 and self.q[0] == 1",
        "self.n == 0 or self.q[0] == 1",
        "1 < self.n < self.q[0]",
        "self.n == (self.q[0] if self.n == 1 else 1)",
        "any(self.one[i] == 0 for i in range(2))",
        "not all(self.one[i] == 1 for i in range(2))",
        "len(self.q) > 0 and self.q[0] in self.q",
        "self.q and self.nothing == self.q[0]",
        "any(x == self.q[0] for x in self.q)",
        "7 in self.sets[Item(0)]",
    ],
)
def test_what_python_does_not_evaluate_cannot_fail(condition: str) -> None:
    assert not fails(f"if {condition}:\n    self.told = True")


def test_none_cannot_be_returned_behind_what_may_fail_and_is_not_used() -> None:
    with pytest.raises(ModelError, match="none returns None behind a value that may fail and is not used"):
        system("""
            q = seq(Item, 2)
            told: bool = False
            def none(self) -> Item | None:
                x = self.q[0]
                return None
            @action
            def act(self) -> None:
                self.told = self.none() is None
            """)


def test_what_is_bound_on_the_way_to_an_optional_record_is_known_there() -> None:
    body = """
        slots = array(Item, option(Parcel))
        n = integer(0, 2)
        told: bool = False
        def find(self, i: int) -> Parcel | None:
            k = i % 3
            return self.slots[k]
        @action
        def act(self, i: Item) -> None:
            self.told = self.find(i + 1) is None
        @reaches
        def found_nothing(self) -> bool:
            return self.told
        """
    assert hit(body) == {"found-nothing"}
