"""Compound values and helpers: records, options, copies, branches, numbers that are too large."""

from __future__ import annotations

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.core.errors import ModelError
from tests.models import explore, only_step, system


def test_optional_records_in_arrays_and_sequences() -> None:
    state = only_step("""
        slots = array(Item, option(Parcel))
        line = seq(Parcel, 2)
        same: bool = False
        empty: bool = False
        @action
        def act(self) -> None:
            require(self.slots[Item(0)] is None)
            self.slots[Item(0)] = Parcel(Item(2), Colour.GREEN, True)
            self.slots[Item(1)] = self.slots[Item(0)]
            self.slots[Item(1)] = None
            self.slots[Item(2)] = self.slots[Item(0)]
            self.line.append(Parcel(Item(2), Colour.GREEN, True))
            self.same = self.slots[Item(2)] == self.line[0] and self.slots[Item(0)] == self.slots[Item(2)]
            self.empty = self.slots[Item(1)] == self.slots[Item(0)] or self.slots[Item(1)] == self.line[0]
        """)

    assert (state["same"], state["empty"]) == (True, False)
    assert state["slots"] == {
        "i1": {"item": "i3", "colour": "GREEN", "fragile": True},
        "i2": None,
        "i3": {"item": "i3", "colour": "GREEN", "fragile": True},
    }


def test_whole_sequences_sets_and_arrays_are_copied_and_compared() -> None:
    state = only_step("""
        a = seq(Item, 2)
        b = seq(Item, 2)
        s = setof(Colour)
        t = setof(Colour)
        x = array(Item, array(bool, integer(0, 5)))
        y = array(Item, array(bool, integer(0, 5)))
        verdict = seq(integer(0, 1), 4)
        @initial
        def fill(self) -> None:
            self.a = [Item(1), Item(0)]
            self.s = {Colour.RED}
            self.x[Item(2)][True] = 4
        @action
        def act(self) -> None:
            require(len(self.verdict) == 0)
            self.verdict.append(int(self.a == self.b or self.s == self.t or self.x == self.y))
            self.b = self.a
            self.t = self.s
            self.y = self.x
            self.verdict.append(int(self.a == self.b and self.s == self.t and self.x == self.y))
            self.a.pop(0)
            self.verdict.append(int(self.a == self.b))
            self.y[Item(2)] = self.x[Item(0)]
        """)

    assert state["verdict"] == [0, 1, 0]
    assert (state["a"], state["b"], state["t"]) == (["i1"], ["i2", "i1"], ("RED",))
    assert state["y"]["i3"] == {"False": 0, "True": 0}  # type: ignore[index]


def test_helpers_take_and_return_records() -> None:
    state = only_step("""
        p: Parcel
        done: bool = False
        def repainted(self, parcel: Parcel, c: Colour) -> Parcel:
            hue = c
            if parcel.fragile:
                return parcel
            else:
                hue = Colour.BLUE if hue == Colour.RED else hue
            return Parcel(parcel.item, hue, True)
        def colour_of(self, parcel: Parcel | None) -> Colour:
            if parcel is None:
                return Colour.RED
            return Colour.GREEN
        @action
        def act(self) -> None:
            require(not self.done)
            self.done = True
            first = self.repainted(self.p, Colour.RED)
            self.p = self.repainted(first, Colour.GREEN)
            if self.colour_of(None) == Colour.GREEN or self.colour_of(first) == Colour.RED:
                self.p.item = Item(2)
        """)

    assert state["p"] == {"item": "i1", "colour": "BLUE", "fragile": True}


def test_values_of_an_if_expression_may_be_none_or_records() -> None:
    state = only_step(
        """
        x: Item | None = None
        p: Parcel
        n = integer(0, 9)
        @action
        def act(self) -> None:
            require(self.n == 0)
            self.n = 4
            self.x = Item(1) if self.n == 4 else None
            old = self.p
            self.p = Parcel(Item(1), Colour.BLUE, True) if self.x is not None else old
            self.x = None if self.p.fragile else self.x
        """
    )

    assert (state["x"], state["p"]["colour"]) == (None, "BLUE")  # type: ignore[index]


def test_records_with_optional_fields_are_sides_of_an_if_expression() -> None:
    state = only_step(
        """
        p: Slip
        done: bool = False
        same: bool = False
        @action
        def act(self) -> None:
            require(not self.done)
            self.same = self.p == (self.p if self.done else Slip(Item(1)))
            self.done = True
            self.p = Slip(Item(1)) if self.done else self.p
        """,
        head="class Slip(Record):\n    item: Item | None\n",
    )

    assert (state["p"], state["same"]) == ({"item": "i2"}, False)


@pytest.mark.parametrize("capacity", [0, 1])
@pytest.mark.parametrize("target", ["wires", "wires[Item(0)]"])
def test_a_channel_cannot_be_assigned(capacity: int, target: str) -> None:
    with pytest.raises(ModelError, match="is a channel, which cannot be assigned"):
        system(f"""
            wires = array(Item, channel(Item, {capacity}))
            @action
            def act(self) -> None:
                self.{target} = self.{target}
            """)


def test_lists_are_changed_in_place_by_position() -> None:
    state = only_step("""
        line = seq(Colour, 4)
        @action
        def act(self) -> None:
            require(not self.line)
            self.line = [Colour.RED, Colour.BLUE]
            self.line.insert(1, Colour.GREEN)
            self.line[-1] = Colour.RED
            last = self.line[-1]
            self.line.insert(0, last)
        """)

    assert state["line"] == ["RED", "RED", "GREEN", "RED"]


def test_optional_index_is_used_where_it_is_known() -> None:
    state = only_step("""
        owner: Item | None = None
        held = array(Item, integer(0, 3))
        @action
        def act(self) -> None:
            require(self.owner is None)
            self.owner = Item(1)
            self.held[self.owner] += 2
            other: Item = Item(0)
            self.held[other] = 1
        """)

    assert state["held"] == {"i1": 1, "i2": 2, "i3": 0}


@pytest.mark.parametrize("given", range(4))
def test_helper_branches_in_every_way_that_python_can(given: int) -> None:
    state = only_step(f"""
        n = integer(0, 20, start={given})
        done: bool = False
        def f(self, x: int) -> int:
            y = x
            y += 1
            if x > 0:
                pass
            else:
                return y
            if x == 1:
                y += 5
                z: int = 2
            elif x == 2:
                y *= 2
                z = 1
            else:
                z = 2
            if y > 7:
                y = y + 4
            return y + z if x < 3 else y + 2
        @action
        def act(self) -> None:
            require(not self.done)
            self.done = True
            self.n = self.f(self.n)
        """)

    def f(x: int) -> int:
        y = x + 1
        if not x > 0:
            return y
        y, z = (y + 5, 2) if x == 1 else (y * 2, 1) if x == 2 else (y, 2)
        if y > 7:
            y = y + 4
        return y + z if x < 3 else y + 2

    assert f(given) == state["n"]


def test_none_is_none_in_every_range() -> None:
    state = only_step("""
        narrow = array(bool, option(integer(2, 3)))
        wide = option(integer(0, 9))
        same: bool = False
        done: bool = False
        @action
        def act(self) -> None:
            require(not self.done)
            self.done = True
            self.wide = 1 if self.done else None
            self.wide = self.narrow[True]
            self.same = self.wide == self.narrow[False] and self.wide is None
        """)

    assert (state["wide"], state["same"]) == (None, True)


def test_method_and_function_of_one_name_are_two_helpers() -> None:
    state = only_step(
        """
        n = integer(0, 9)
        def f(self, c: Colour) -> int:
            return 2
        @action
        def act(self) -> None:
            require(self.n == 0)
            self.n = self.f(Colour.RED) + f(Colour.RED)
        """,
        head="def f(c: Colour) -> int:\n    return 5\n",
    )

    assert state["n"] == 7


def test_two_initial_functions_choose_independently() -> None:
    compiled = system("""
        x: Item
        y: Item
        @initial
        def one(self) -> None:
            self.x = choose(Item)
        @initial
        def two(self) -> None:
            self.y = choose(Item)
        @action
        def act(self) -> None:
            self.x = self.y
        """)

    assert len(initial_states(compiled)) == 9


def test_optional_record_can_be_used_as_if_it_were_there() -> None:
    body = """
        held: Parcel | None = None
        given: Parcel
        n = integer(0, 1)
        @action
        def act(self) -> None:
            require(self.n == 0)
            self.n = 1
            FILL
            self.given = self.held
        """
    state = only_step(body.replace("FILL", "self.held = Parcel(Item(2), Colour.BLUE, True)"))

    assert state["given"] == {"item": "i3", "colour": "BLUE", "fragile": True}
    assert set(explore(body.replace("FILL", "pass")).runs) == {"stays-in-range"}


def test_the_fields_of_a_record_that_is_assigned_again_change_at_once() -> None:
    state = only_step(
        """
        q: Pair
        done: bool = False
        @action
        def act(self) -> None:
            require(not self.done)
            self.done = True
            p = Pair(1, 2)
            if self.done:
                p = Pair(p.y, p.x)
            self.q = p
        """,
        head="class Pair(Record):\n    x: int = integer(0, 3)\n    y: int = integer(0, 3)\n",
    )

    assert state["q"] == {"x": 2, "y": 1}
