"""Both routes against the textbook, on random formulas in worlds that are small enough to try them all."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.contracts.solve.asking import Answer
from angarium.contracts.solve.decide import Judge, Unbounded
from angarium.contracts.solve.smallest import Structure, sizes_up_to, smallest
from angarium.contracts.terms import (
    FALSE,
    TRUE,
    TRUTH,
    And,
    Between,
    Choice,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Next,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
)
from angarium.core.result import Verdict
from tests.contracts.brute_force import value, worlds
from tests.contracts.obligations import obligation
from tests.effort import examples

PLAIN, ORDER, RING = Sort("Thing"), Sort("Number", Kind.ORDER), Sort("Slot", Kind.RING)
NUMBER_OF = Symbol("number", (PLAIN,), ORDER, fixed=True)
MEMBERS = Symbol("members", (PLAIN,), TRUTH)
SLOTS = Symbol("slots", (RING,), TRUTH)
FLAG, HEAD = Symbol("flag", (), TRUTH), Symbol("head", (), RING)
FREE = [Variable("p", PLAIN), Variable("n", ORDER), Variable("s", RING), Variable("b", TRUTH)]
IN_A_LINE = ([PLAIN, ORDER], [NUMBER_OF, MEMBERS, FLAG])
IN_A_RING = ([PLAIN, RING], [MEMBERS, SLOTS, HEAD])
LARGEST = 2
"""Elements of a sort: all worlds are tried, and there are few."""


@cache
def things(sort: Sort, bound: tuple[Variable, ...], depth: int) -> st.SearchStrategy[Expr]:
    """Expressions of a sort."""
    variables = [each for each in (*FREE, *bound) if each.sort == sort]
    simple: list[st.SearchStrategy[Expr]] = [st.sampled_from(variables)]
    if sort == ORDER:
        simple += [st.just(First(ORDER)), st.deferred(lambda: things(PLAIN, bound, 0).map(NUMBER_OF))]
    if sort == RING:
        simple += [st.just(HEAD()), st.sampled_from(variables).map(Next)]
    if depth == 0:
        return st.one_of(simple)
    inner = things(sort, bound, 0)
    return st.one_of(*simple, st.builds(Choice, truths((sort,), bound, 0), inner, inner))


@cache
def truths(sorts: tuple[Sort, ...], bound: tuple[Variable, ...], depth: int) -> st.SearchStrategy[Expr]:
    """Formulas that talk about these sorts."""
    atoms: list[st.SearchStrategy[Expr]] = [st.sampled_from([TRUE, FALSE, FREE[3], FLAG()])]
    less = min(depth, 1)
    for sort in sorts:
        one = things(sort, bound, less)
        atoms.append(st.builds(Equal, one, one))
        if sort == PLAIN:
            atoms.append(one.map(MEMBERS))
        elif sort == ORDER:
            atoms.append(st.builds(Less, one, one))
        else:
            atoms += [one.map(SLOTS), st.builds(Between, one, one, one)]
    if depth == 0:
        return st.one_of(atoms)
    parts = truths(sorts, bound, depth - 1)
    several = st.lists(parts, max_size=3).map(tuple)
    quantified = st.sampled_from(sorts).flatmap(lambda sort: quantifieds(sorts, sort, bound, depth))
    return st.one_of(
        *atoms,
        parts.map(Not),
        several.map(And),
        several.map(Or),
        st.builds(Equal, parts, parts),
        quantified,
        quantified,
    )


@cache
def quantifieds(
    sorts: tuple[Sort, ...], sort: Sort, bound: tuple[Variable, ...], depth: int
) -> st.SearchStrategy[Expr]:
    """The same name is bound again inside and hides a free one, as in source code."""
    domains = {PLAIN: [None, MEMBERS], RING: [None, SLOTS]}.get(sort, [None])
    names = st.sampled_from(["x", "y", sort.name[0].lower(), "p", "n", "s"])

    def of(name: str) -> st.SearchStrategy[Expr]:
        variable = Variable(name, sort)
        return st.builds(
            Quantified,
            st.sampled_from(Quantifier),
            st.just((variable,)),
            st.sampled_from(domains),
            truths(sorts, (*bound, variable), depth - 1),
        )

    return names.flatmap(of)


def is_true_somewhere(formula: Expr, kind: tuple[list[Sort], list[Symbol]], sizes: dict[Sort, int]) -> bool:
    sorts, symbols = kind
    free = [each for each in FREE if each.sort in sorts or each.sort == TRUTH]
    return any(
        value(formula, sizes, tables, values) for tables, values in worlds([*symbols, FLAG], free, sizes)
    )


KINDS = pytest.mark.parametrize("kind", [IN_A_LINE, IN_A_RING], ids=["order", "ring"])


@KINDS
@settings(max_examples=examples(150))
@given(data=st.data())
def test_small_worlds_are_found_exactly_where_there_are_some(
    kind: tuple[list[Sort], list[Symbol]], data: st.DataObject
) -> None:
    sorts = kind[0]
    formula = data.draw(truths(tuple(sorts), (), 3))

    found = smallest([formula], sorts, [], LARGEST, None)

    possible = (dict(sizes) for sizes in sizes_up_to(sorts, LARGEST))
    expected = next((sizes for sizes in possible if is_true_somewhere(formula, kind, sizes)), None)
    assert (found and found.sizes) == expected
    assert not found or is_true_in(formula, found)


def is_true_in(formula: Expr, structure: Structure) -> bool:
    """Whether the textbook agrees; cells that are not mentioned may be anything."""
    tables = {symbol: _Table(symbol, structure) for symbol in (NUMBER_OF, MEMBERS, SLOTS, FLAG, HEAD)}
    values = {variable: structure.contents.get((variable, ()), 0) for variable in FREE}
    return bool(value(formula, structure.sizes, tables, values))


class _Table(dict[tuple[int, ...], int]):
    def __init__(self, symbol: Symbol, structure: Structure) -> None:
        super().__init__({cell[1]: each for cell, each in structure.contents.items() if cell[0] == symbol})

    def __missing__(self, arguments: tuple[int, ...]) -> int:
        return 0


@KINDS
@settings(max_examples=examples(100))
@given(data=st.data())
def test_what_is_true_in_a_small_world_is_never_called_impossible(
    kind: tuple[list[Sort], list[Symbol]], data: st.DataObject
) -> None:
    sorts = kind[0]
    formula = data.draw(truths(tuple(sorts), (), 3))

    answer = Unbounded().ask([formula], sorts, 100_000, None)

    if answer is Answer.IMPOSSIBLE:
        assert not any(is_true_somewhere(formula, kind, dict(each)) for each in sizes_up_to(sorts, LARGEST))


@KINDS
@settings(max_examples=examples(60))
@given(data=st.data())
def test_verdicts_agree_with_the_textbook(kind: tuple[list[Sort], list[Symbol]], data: st.DataObject) -> None:
    sorts = kind[0]
    premise, goal = (data.draw(truths(tuple(sorts), (), 2)) for _ in range(2))
    claim = obligation((premise,), goal, sorts=tuple(sorts))

    judged = Judge([claim]).judge(claim)

    broken = And((premise, Not(goal)))
    is_broken = any(is_true_somewhere(broken, kind, dict(each)) for each in sizes_up_to(sorts, LARGEST))
    assert not is_broken or judged.verdict is Verdict.VIOLATED
    assert (judged.verdict is Verdict.VIOLATED) == (judged.counterexample is not None)
    assert (judged.verdict is Verdict.UNKNOWN) == (judged.reason is not None)
