"""A value that a place cannot hold is out of range, and never another value: not None, not a neighbour's."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.evaluate import evaluate
from angarium.checker.explore.interpret import expand, initial_states
from angarium.checker.export.promela import promela
from angarium.checker.export.smv import smv
from angarium.checker.export.tla import tla
from angarium.checker.ir.formula import atoms
from angarium.checker.ir.transition import STAYS_IN_RANGE
from tests.models import only_step, system
from tests.spin import needs_spin, run_spin
from tests.tlc import needs_tlc, run_tlc
from tests.verdicts import hit


def fails(declared: str, statement: str) -> bool:
    """Whether the only step of a model with one statement goes out of range, for every engine."""
    return STAYS_IN_RANGE in hit(
        f"""
        {declared}
        done: bool = False
        @action
        def act(self) -> None:
            require(not self.done)
            self.done = True
            {statement}
        """
    )


@pytest.mark.parametrize(
    ("declared", "statement"),
    [
        ("slot = option(integer(1, 3)); zero = integer(0, 3)", "self.slot = 0"),
        ("slot = option(integer(1, 3)); zero = integer(0, 3)", "self.slot = self.zero"),
        ("slot = option(Item); zero = integer(0, 3)", "self.slot = self.zero - 1"),
        ("slot = option(Item)", "self.slot = -1"),
        ("slots = array(Item, option(integer(1, 3)))", "self.slots[Item(1)] = 0"),
        ("line = seq(option(integer(1, 3)), 2)", "self.line.append(0)"),
        ("line = seq(option(integer(1, 3)), 2)", "self.line.insert(0, 0)"),
        ("line = seq(option(integer(1, 3)), 2)", "self.line = [2, 0]"),
        ("slot = option(integer(1, 3)); o = option(integer(0, 3))", "self.o = 0; self.slot = self.o"),
        (
            "slot = option(integer(1, 3)); zero = integer(0, 3)",
            "self.slot = self.zero if self.done else None",
        ),
        ("slot = option(integer(1, 3)); zero = integer(0, 3)", "x = choose(self.zero, 1); self.slot = x"),
    ],
)
def test_a_number_below_the_range_of_an_option_is_not_none(declared: str, statement: str) -> None:
    declared = "\n        ".join(declared.split("; "))
    assert fails(declared, "\n            ".join(statement.split("; ")))


def test_a_number_below_the_range_of_an_option_is_not_none_in_a_record() -> None:
    head = "class Slip(Record):\n    number: int | None = option(integer(1, 3))\n"
    body = """
        slip: Slip
        zero = integer(0, 3)
        @action
        def act(self) -> None:
            self.slip{}
        """
    for change in (".number = self.zero", " = Slip(self.zero)"):
        assert STAYS_IN_RANGE in hit(body.format(change), head=head)


def test_a_number_below_the_range_of_an_option_is_not_none_on_a_channel() -> None:
    for capacity in (0, 1):
        body = f"""
            line = channel(option(integer(1, 3)), {capacity})
            got = option(integer(1, 3))
            zero = integer(0, 3)
            async def giver(self) -> None:
                await self.line.send(self.zero)
            async def taker(self) -> None:
                x = await self.line.receive()
                self.got = x
            """
        assert STAYS_IN_RANGE in hit(body)


def test_none_and_every_number_of_the_range_can_be_stored() -> None:
    body = """
        slot = option(integer(1, 3))
        wide = option(integer(0, 9))
        nothing = option(integer(-1, 0))
        done: bool = False
        @action
        def act(self) -> None:
            require(not self.done)
            self.done = True
            self.wide = 3
            self.slot = self.wide
            self.wide = self.nothing
        """
    state = only_step(body)

    assert (state["slot"], state["wide"]) == (3, None)
    assert STAYS_IN_RANGE not in hit(body)


OPTIONS = """
    low = option(integer(1, 3))
    high = option(integer(5, 7))
    zero = option(integer(0, 3))
    none = setof(integer(0, 2))
    seen = setof(integer(0, 9))
    done: bool = False
    @initial
    def fill(self) -> None:
        self.high = 6
        self.zero = 0
    """


@pytest.mark.parametrize(
    "statements",
    [
        "for x in (self.low, self.high, self.zero):\n    {}",
        "for i in range(3):\n    x = self.low if i == 0 else self.high if i == 1 else self.zero\n    {}",
    ],
)
def test_none_of_one_option_is_none_among_others(statements: str) -> None:
    note = "if x is None:\n        self.none.add(0)\n    else:\n        self.seen.add(x)"
    inner = statements.format(note).replace("\n", "\n        ")
    state = only_step(f"""{OPTIONS}
    @action
    def act(self) -> None:
        require(not self.done)
        self.done = True
        {inner}
        """)

    assert (state["none"], state["seen"]) == ((0,), (0, 6))


def test_none_of_one_option_is_none_when_it_is_chosen() -> None:
    compiled = system(f"""{OPTIONS}
    @action
    def act(self) -> None:
        require(not self.done)
        self.done = True
        x = choose(self.low, self.high, self.zero)
        if x is None:
            self.none.add(0)
        else:
            self.seen.add(x)
        """)
    (start,) = initial_states(compiled)
    found = [
        sorted(i for i in range(10) if move.target[compiled.offset["seen.has"] + i])
        for move in expand(compiled, start).moves
    ]

    assert sorted(found) == [[], [0], [6]]


@pytest.mark.parametrize("element", ["3", "self.minus", "self.n + 1"])
@pytest.mark.parametrize("statement", ["self.sets[Item(1)].add({})", "self.sets[Item(1)] = {{0, {}}}"])
def test_what_cannot_be_in_a_set_is_not_put_into_its_neighbour(element: str, statement: str) -> None:
    declared = """sets = array(Item, setof(integer(0, 2)))
        n = integer(0, 2, 2)
        minus = integer(-1, 0, -1)"""
    assert fails(declared, statement.format(element))


@pytest.mark.parametrize("element", ["3", "-1", "self.n + 1", "self.nothing"])
def test_what_cannot_be_in_a_set_is_not_taken_from_its_neighbour(element: str) -> None:
    body = f"""
        sets = array(Item, setof(integer(0, 2)))
        n = integer(0, 2, 2)
        nothing = option(integer(0, 2))
        had: bool = True
        @initial
        def fill(self) -> None:
            for i in Item:
                self.sets[i] = {{0, 1, 2}}
        @action
        def act(self) -> None:
            require(self.had)
            self.had = {element} in self.sets[Item(1)]
            self.sets[Item(1)].discard({element})
        """
    state = only_step(body)

    assert state["had"] is False
    assert state["sets"] == dict.fromkeys(("i1", "i2", "i3"), (0, 1, 2))
    assert STAYS_IN_RANGE not in hit(body)


NEXT = """
    at = integer(0, 5)
    seen: bool = False
    rows = array(Item, integer(0, 3))
    def after(self, i: int) -> Item:
        return Item(i + 1)
    @action
    def act(self) -> None:
        require(self.at < 4)
        {}
        self.at += 1
    @invariant
    def is_an_item(self) -> bool:
        return not self.seen
    """


@pytest.mark.parametrize(
    "use",
    [
        "self.seen = Item(self.at) == Item(3)",
        "self.seen = self.after(self.at) == self.at",
        "i = Item(self.at)",
        "for i in (Item(0), Item(self.at)):\n            self.seen = False",
        "self.at = Item(self.at)",
        "self.rows[Item(self.at)] = 1",
    ],
)
def test_an_index_that_does_not_exist_is_out_of_range(use: str) -> None:
    assert STAYS_IN_RANGE in hit(NEXT.format(use))


def test_an_index_that_exists_is_in_range() -> None:
    assert not hit(NEXT.format("i = Item(self.at % 3)\n        self.rows[i] = 1"))
    assert not hit(NEXT.format("i = Item((self.at + 1) % self.items)"))


def test_exports_say_that_an_index_may_not_exist() -> None:
    compiled = system(NEXT.format("i = Item(self.at)"))
    starts = initial_states(compiled)

    assert "StaysInRange == TRUE" not in tla(compiled, starts)
    assert "stays_in_range := TRUE" not in smv(compiled, starts)
    assert "assert" in promela(compiled, starts)


def test_a_failed_conversion_says_what_was_converted() -> None:
    compiled = system(NEXT.format("i = Item(self.at + 7)"))
    (start,) = initial_states(compiled)
    (failure,) = expand(compiled, start).failures

    assert failure.message == "Item(self.at + 7) is 7, outside 0 .. 2"


@pytest.mark.parametrize(
    "statement",
    [
        "self.same = Slip(3, None) == self.slip",
        "self.same = Slip(3, None).other is None",
        "slip = Slip(self.n + 1, None)",
        "slip = Slip(self.n, self.n + 1)",
        "slip = Slip(self.other, 1)",
    ],
)
def test_a_record_cannot_be_made_of_what_its_fields_cannot_be(statement: str) -> None:
    head = """
class Slip(Record):
    number: int = integer(0, 2)
    other: int | None = option(integer(0, 2))
"""
    assert STAYS_IN_RANGE in hit(
        f"""
        slip: Slip
        n = integer(0, 2, 2)
        other = option(integer(0, 2))
        same: bool = False
        @action
        def act(self) -> None:
            {statement}
        """,
        head=head,
    )


def test_an_instance_that_does_not_exist_has_not_crashed_either() -> None:
    for word in ("crashed", "finished"):
        body = f"""
            nobody: Item | None = None
            told: bool = False
            async def worker(self, i: Item) -> None:
                await until(self.told)
            @action
            def act(self) -> None:
                self.told = {word}(self.worker, self.nobody)
            """
        assert STAYS_IN_RANGE in hit(body)


def test_a_conversion_in_a_formula_is_protected_by_what_stands_before_it() -> None:
    compiled = system("""
        n = integer(0, 5)
        @action
        def act(self) -> None:
            require(self.n < 5)
            self.n += 1
        @ltl
        def are_items(self) -> bool:
            return always(implies(self.n < 3, Item(self.n) != Item(2) or self.n == 2))
        """)
    (claim,) = compiled.temporal
    assert claim.formula is not None
    for atom in atoms(claim.formula):
        assert [evaluate(compiled, atom.condition, (n,), {}) in (0, 1) for n in range(6)]


SLIP = "class Slip(Record):\n    tag: int | None = option(integer(1, 2))\n"


@pytest.mark.parametrize(
    "statement",
    [
        "self.s = Slip(True) if self.flag else self.s",
        "self.s = Slip(self.one) if self.flag else self.s",
        "p = Slip(1)\nif not self.flag:\n    p = Slip(None)\nself.s = p",
        "p = Slip(1)\nif not self.flag:\n    p = self.s\nself.told = p.tag is None",
    ],
)
def test_an_optional_field_is_encoded_as_it_is_declared(statement: str) -> None:
    statement = statement.replace("\n", "\n            ")
    body = f"""
        s: Slip
        flag: bool = False
        told: bool = True
        one = integer(0, 2, 1)
        @action
        def act(self) -> None:
            {statement}
        @invariant
        def nothing(self) -> bool:
            return self.s.tag is None and self.told
        """
    assert not hit(body, head=SLIP)


def test_none_in_a_record_that_is_assigned_again_is_no_number() -> None:
    body = """
        n = integer(0, 3)
        flag: bool = False
        @action
        def act(self) -> None:
            p = Slip(1)
            if not self.flag:
                p = Slip(None)
            self.n = p.tag
        """
    assert STAYS_IN_RANGE in hit(body, head=SLIP)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("use", "wrong"),
    [
        ("i = Item(self.at)", True),
        ("if Item(self.at) == Item(0):\n            pass", True),
        ("i = Item(self.at % 3)", False),
    ],
)
@pytest.mark.parametrize(
    "checker", [pytest.param("spin", marks=needs_spin), pytest.param("tlc", marks=needs_tlc)]
)
def test_other_checkers_find_that_an_index_does_not_exist(
    use: str, wrong: bool, checker: str, tmp_path: Path
) -> None:
    compiled = system(NEXT.format(use))
    starts = initial_states(compiled)
    if checker == "spin":
        assert bool(run_spin(promela(compiled, starts), tmp_path).errors) == wrong
    else:
        assert ("is violated" in run_tlc(tla(compiled, starts), tmp_path, "StaysInRange")) == wrong
