"""What models mean: each construct of the language, by what the reference finds."""

from __future__ import annotations

import pytest

from angarium.checker.explore.interpret import initial_states, steps
from angarium.checker.explore.native import NativeEngine
from tests.models import explore, only_step, system

COUNTER = """
n = integer(0, 3)
@action
def tick(self) -> None:
    require(self.n < 3)
    self.n += 1
"""


def test_counter_has_one_state_for_each_value() -> None:
    coverage = explore(COUNTER).coverage

    assert (coverage.states, coverage.transitions, coverage.depth) == (4, 3, 4)


def test_value_out_of_range_is_a_violation_with_the_run_that_leads_there() -> None:
    outcome = explore("""
        n = integer(0, 3)
        @action
        def tick(self) -> None:
            self.n += 1
        """)

    assert len(outcome.runs["stays-in-range"]) == 4
    assert outcome.coverage.states == 4


@pytest.mark.parametrize(
    ("declaration", "statement", "expected"),
    [
        ("x = integer(-2, 9)", "self.x = 7 // 2 + -7 % 3", 5),
        ("x = integer(-9, 9)", "self.x = -7 // 2", -4),
        ("x = integer(-9, 9)", "self.x = abs(-3) + min(4, 2) - max(1, 5)", 0),
        ("x: bool = False", "self.x = 1 < 2 <= 2 and not (3 != 3)", True),
        ("x: Colour = Colour.RED", "self.x = Colour.BLUE if self.x == Colour.RED else Colour.GREEN", "BLUE"),
        ("x: Item | None = None", "self.x = Item(2)", "i3"),
        ("x = array(Item, integer(0, 5))", "self.x[Item(1)] = 5", {"i1": 0, "i2": 5, "i3": 0}),
        ("x = array(bool, integer(0, 5, start=2))", "self.x[True] = 5", {"False": 2, "True": 5}),
        ("x = seq(Colour, 2)", "self.x = [Colour.RED, Colour.BLUE]", ["RED", "BLUE"]),
        ("x = setof(Item)", "self.x = {Item(0), Item(2)}", ("i1", "i3")),
        ("x: bool = False", "self.x = Colour.RED in (Colour.RED, Colour.BLUE)", True),
        ("x = integer(0, 9)", "self.x = sum(i for i in range(1, 4) if i != 2)", 4),
        ("x = integer(0, 9)", "self.x = sum(1 for a in Item for b in Item if a != b)", 6),
        ("x = integer(-1, 9)", "self.x = min((i for i in range(9) if i * i > 10), default=-1)", 4),
        ("x = integer(-1, 9)", "self.x = max((i for i in range(0)), default=-1)", -1),
        (
            "x: bool = True",
            "self.x = any(i > 2 for i in range(3)) or all(c == Colour.RED for c in Colour)",
            False,
        ),
    ],
)
def test_expressions_mean_what_they_mean_in_python(
    declaration: str, statement: str, expected: object
) -> None:
    body = f"""
{declaration}
done: bool = False
@action
def act(self) -> None:
    require(not self.done)
    {statement}
    self.done = True
"""
    assert expected == only_step(body)["x"]


def test_records_are_copied_not_shared() -> None:
    state = only_step("""
        a: Parcel
        b: Parcel
        def again(self) -> bool:
            return self.a == self.b and self.a.fragile
        @action
        def act(self) -> None:
            require(not self.again())
            self.a = Parcel(Item(1), Colour.GREEN, fragile=True)
            self.b = self.a
            self.b.colour = Colour.BLUE
        """)

    assert state["a"]["colour"] == "GREEN"  # type: ignore[index]
    assert state["b"]["colour"] == "BLUE"  # type: ignore[index]


def test_optional_record_is_none_or_whole() -> None:
    state = only_step("""
        held: Parcel | None = None
        colour: Colour | None = None
        @action
        def act(self) -> None:
            require(self.held is None)
            self.held = Parcel(item=Item(2), colour=Colour.BLUE, fragile=False)
            self.colour = self.held.colour
        """)

    assert state["colour"] == "BLUE"


def test_field_of_none_is_out_of_range() -> None:
    outcome = explore("""
        held: Parcel | None = None
        seen: Colour = Colour.RED
        @action
        def act(self) -> None:
            self.seen = self.held.colour
        """)

    assert {"stays-in-range"} == set(outcome.runs)


@pytest.mark.parametrize(
    "statement",
    [
        "self.items_of[self.chosen] = 1",
        "self.rows[Item(0)][Item(3 - self.zero)] = 1",
        "self.number = self.order[0]",
        "self.number = self.order.pop()",
        "self.order.remove(1)",
        "self.number = 1 // self.zero",
        "self.number = 1 % self.zero",
        "self.number = min(i for i in range(self.zero))",
        "self.number = 10",
        "self.order = [1, 1]\n    self.order.append(1)",
    ],
)
def test_what_cannot_be_done_is_a_violation_and_not_silent(statement: str) -> None:
    outcome = explore(f"""
zero = integer(0, 0)
number = integer(0, 9)
chosen: Item | None = None
items_of = array(Item, integer(0, 1))
rows = array(Item, array(Item, integer(0, 1)))
order = seq(integer(0, 9), 2)
@action
def act(self) -> None:
    {statement}
""")

    assert {"stays-in-range"} == set(outcome.runs)
    assert outcome.coverage.transitions == 0


def test_guard_protects_what_stands_behind_it() -> None:
    outcome = explore("""
        n = integer(0, 3)
        @action
        def act(self) -> None:
            require(self.n != 0 and 6 // self.n > 2)
            self.n -= 1
        """)

    assert outcome.runs == {}


def test_helper_with_branches_and_names_is_one_expression() -> None:
    state = only_step("""
        n = integer(0, 20)
        def grade(self, c: Colour, extra: int) -> int:
            base = 3
            if c == Colour.RED:
                return base
            if extra > 2:
                base = base + 10
            else:
                base = base + 1
            return base * 1
        @action
        def act(self) -> None:
            require(self.n == 0)
            self.n = self.grade(Colour.BLUE, 5) + self.grade(Colour.RED, 0) + self.grade(Colour.GREEN, 0)
        """)

    assert state["n"] == 13 + 3 + 4


def test_function_that_changes_the_state_is_expanded_where_it_is_called() -> None:
    state = only_step("""
        n = integer(0, 9)
        def add(self, amount: int) -> None:
            if amount > 1:
                self.n += amount
        @action
        def act(self) -> None:
            require(self.n == 0)
            self.add(1)
            self.add(2)
            self.add(self.n)
        """)

    assert state["n"] == 4


def test_static_parameters_switch_parts_of_a_model_off() -> None:
    body = """
        fast = param(False)
        n = integer(0, 4 if fast else 2)
        @action
        def tick(self) -> None:
            require(self.n < (4 if self.fast else 2))
            self.n += 2 if self.fast else 1
        @action
        def jump(self) -> None:
            require(self.fast)
            self.n = 0
        @reaches
        def far(self) -> bool:
            require(self.fast)
            return self.n == 4
        """

    assert [a.name for a in system(body).actions] == ["tick"]
    assert [a.name for a in system(body, fast=True).actions] == ["tick", "jump"]
    assert list(system(body).guarantees) == []
    assert [g.name for g in system(body, fast=True).guarantees] == ["far"]
    assert {"far"} == set(explore(body, fast=True).runs)


def test_choose_explores_every_option_once() -> None:
    outcome = explore("""
        x: Colour | None = None
        y: Item | None = None
        @action
        def act(self) -> None:
            require(self.x is None)
            self.x = choose(Colour)
            if self.x == Colour.RED:
                self.y = choose(i for i in Item if i != Item(1))
        """)

    # RED with two items; GREEN and BLUE, in which the second choice is never come to, once each.
    assert outcome.coverage.transitions == 4
    assert outcome.coverage.states == 5


def test_choose_from_values_and_collections() -> None:
    compiled = system("""
        bag = setof(Item)
        line = seq(Colour, 3)
        x = integer(0, 9)
        y: Item | None = None
        z: Colour | None = None
        @initial
        def fill(self) -> None:
            self.bag = {Item(0), Item(2)}
            self.line = [Colour.GREEN, Colour.RED]
        @action
        def act(self) -> None:
            require(self.x == 0)
            self.x = choose(3, 5)
            self.y = choose(self.bag)
            self.z = choose(self.line)
        """)
    (start,) = initial_states(compiled)

    assert len({move.target for move in steps(compiled, start)}) == 2 * 2 * 2


def test_initial_choices_make_several_initial_states() -> None:
    compiled = system("""
        leader: Item
        done: bool = False
        @initial
        def elect(self) -> None:
            self.leader = choose(Item)
        @action
        def act(self) -> None:
            self.done = True
        """)

    assert len(initial_states(compiled)) == 3


def test_loops_over_everything_bounded() -> None:
    state = only_step("""
        n = integer(0, 99)
        line = seq(integer(0, 9), 3)
        bag = setof(Item)
        @initial
        def fill(self) -> None:
            self.line = [4, 5]
            self.bag = {Item(2)}
        @action
        def act(self) -> None:
            require(self.n == 0)
            for x in self.line:
                self.n += x
            for i in self.bag:
                self.n += 10
            for c in Colour:
                if c != Colour.RED:
                    self.n += 1
            total = 0
            for k in range(3):
                total += k
            self.n += total
        """)

    assert state["n"] == 9 + 10 + 2 + 3


def test_deadlock_is_only_where_the_end_is_not_intended() -> None:
    body = """
        n = integer(0, 2)
        @action
        def tick(self) -> None:
            require(self.n < 2)
            self.n += 1
        @deadlock_free
        def intended(self) -> bool:
            return self.n == LAST
        """

    assert explore(body.replace("LAST", "2")).runs == {}
    assert len(explore(body.replace("LAST", "1")).runs["deadlock-free"]) == 3


def test_budget_is_spent_and_then_gone() -> None:
    outcome = explore("""
        faults = budget(2)
        n = integer(0, 5)
        @action
        def fail(self) -> None:
            spend(self.faults)
            self.n += 1
        """)

    assert (outcome.coverage.states, outcome.coverage.transitions) == (3, 2)


@pytest.mark.parametrize(
    "value",
    ["BIG * BIG", "-BIG * BIG", "BIG + BIG + BIG", "sum(BIG for i in range(9))", "0 - BIG - BIG - BIG"],
)
def test_computation_that_needs_more_than_64_bits_is_a_violation_in_every_engine(value: str) -> None:
    body = f"""
n = integer(0, 4000000000000000000, start=4000000000000000000)
x: bool = False
@action
def act(self) -> None:
    self.x = ({value.replace("BIG", "self.n")}) % 2 == 0
"""
    slow, fast = explore(body), NativeEngine().search(system(body))

    assert list(slow.runs) == list(fast.runs) == ["stays-in-range"]


def test_state_in_which_a_step_fails_is_not_at_rest() -> None:
    body = """
        n = integer(0, 1)
        @action
        def tick(self) -> None:
            self.n += 1
        @deadlock_free
        def never(self) -> bool:
            return False
        """

    assert list(explore(body).runs) == list(NativeEngine().search(system(body)).runs) == ["stays-in-range"]
