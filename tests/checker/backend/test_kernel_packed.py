"""A value is sought in all cells of a row at once: the interpreter, which looks at each, agrees."""

from __future__ import annotations

import random
from typing import Literal

import pytest

from angarium.checker.backend.kernel import compile_system
from angarium.checker.backend.kernel_flat import row_of
from angarium.checker.backend.kernel_text import kernel_text
from angarium.checker.backend.layout import Layout
from angarium.checker.explore.interpret import Cells, hits
from angarium.checker.ir.syntax import Const, Expr, Local, Reduce
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.ir.types import Array, Index, Int, Option
from tests.zoo import ONE, ZERO, Action, guarantee, op, read, system

P, Q = Local("p"), Local("q")


def searched(op_: Literal["any", "sum"], rows: int, cells: int, low: int, high: int) -> TransitionSystem:
    """Rows of cells, each with a length; how often 0 .. 3 stand in a row, or whether they do, is asked."""
    state = [("at", Array(Index("Row", rows), Array(Int(0, cells - 1), Int(low, high))))]
    lengths = [("len", Array(Index("Row", rows), Int(0, cells))), ("other", Int(0, 2**30))]
    asked = [
        guarantee(f"{row} {value}", "reaches", op(found(op_, row, cells, value), "==", 1))
        for row in range(rows)
        for value in range(max(low, 0), min(high, 3) + 1)
    ]
    return system("searched", [*state, *lengths], [Action("nothing", (), ())], asked[:60])


def found(op_: Literal["any", "sum"], row: int, cells: int, value: int) -> Reduce:
    """As the front end writes it: `in`, and a sum over a sequence."""
    cell = read("at", op(Const(row * cells), "+", P))
    same, counts = op(cell, "==", value), op(P, "<", read("len", Const(row)))
    if op_ == "any":
        return Reduce("any", "p", ZERO, Const(cells), ONE, op(counts, "and", same))
    return Reduce("sum", "p", ZERO, Const(cells), counts, same)


def chosen(given: TransitionSystem, generator: random.Random) -> Cells:
    """Any state, most of whose values are small."""
    return tuple(
        min(variable.high, max(variable.low, generator.randint(variable.low, variable.low + 5)))
        if generator.random() < 0.8
        else generator.randint(variable.low, variable.high)
        for variable in given.variables
        for _ in range(variable.cells)
    )


@pytest.mark.parametrize("kind", ["any", "sum"])
@pytest.mark.parametrize(
    ("rows", "cells", "low", "high"),
    [
        (10, 10, 0, 9),  # 4 bits, in rows that begin anywhere in a word
        (7, 20, 0, 19),  # 5 bits, 12 to a word of which 4 bits stay free, in two parts
        (2, 16, -1, 14),  # a row fills a word
        (1, 16, 0, 14),  # the only row fills a word
        (3, 5, 0, 3),  # all rows in one word, with other things behind
        (9, 33, 0, 1),  # single bits
        (3, 8, 0, 200),  # 8 bits
        (2, 3, 0, 2**40),  # one to a word
        (2, 2, 0, 3),  # too short to be worth it
    ],
)
def test_the_interpreter_agrees(
    kind: Literal["any", "sum"], rows: int, cells: int, low: int, high: int
) -> None:
    generator = random.Random(rows * cells)
    given = searched(kind, rows, cells, low, high)
    states = [chosen(given, generator) for _ in range(60)]

    for thorough in (False, True):
        kernel = compile_system(given, thorough=thorough)
        masks = kernel.successors(kernel.layout.pack_all(states)).masks
        names = [
            {name for name, bit in kernel.bits.items() if int(mask) >> bit & 1} for mask in masks.tolist()
        ]
        assert names == [hits(given, cells_) for cells_ in states]


def test_cells_are_compared_all_at_once() -> None:
    given = searched("sum", 10, 10, 0, 9)

    text = kernel_text(given, Layout(given.variables))

    assert text.count("call i64 @llvm.ctpop.i64") == len(given.guarantees)


CELL = op(read("at", P), "==", Q)
BELOW = op(P, "<", read("len"))


@pytest.mark.parametrize(
    "node",
    [
        Reduce("any", "p", ZERO, read("len"), ONE, CELL),
        Reduce("any", "p", ZERO, read("len"), BELOW, CELL),
        Reduce("sum", "p", ZERO, read("len"), ONE, op(Q, "==", read("at", op(Q, "+", P)))),
    ],
)
def test_what_is_recognised(node: Reduce) -> None:
    assert row_of(node)


@pytest.mark.parametrize(
    "node",
    [
        Reduce("all", "p", ZERO, read("len"), ONE, CELL),
        Reduce("any", "p", ONE, read("len"), ONE, CELL),
        Reduce("any", "p", ZERO, read("len"), ONE, op(read("at", P), "==", P)),
        Reduce("any", "p", ZERO, read("len"), ONE, op(read("at", op(P, "*", 2)), "==", Q)),
        Reduce("any", "p", ZERO, read("len"), op(P, "<", P), CELL),
        Reduce("any", "p", ZERO, read("len"), op(P, ">", Q), CELL),
        Reduce("any", "p", ZERO, read("len"), CELL, CELL),
        Reduce("sum", "p", ZERO, read("len"), ONE, read("at", P)),
        Reduce("sum", "p", ZERO, read("len"), CELL, Const(5)),
    ],
)
def test_what_is_left_to_a_loop(node: Reduce) -> None:
    assert row_of(node) is None


def test_a_value_that_no_cell_can_have_is_looked_for_one_by_one() -> None:
    """None is one less than what a cell of the row can be."""
    nobody: Expr = read("owner")
    looking = Reduce("any", "p", ZERO, read("len"), ONE, op(read("at", P), "==", nobody))
    given = system(
        "absent",
        [
            ("at", Array(Int(0, 9), Index("App", 8))),
            ("len", Int(0, 10)),
            ("owner", Option(Index("App", 8))),
        ],
        [Action("nothing", (), ())],
        [guarantee("there", "reaches", looking)],
        len=(10,),
        owner=(-1,),
    )
    kernel = compile_system(given)

    masks = kernel.successors(kernel.layout.pack_all([given.default_state])).masks

    assert masks.tolist() == [0]
