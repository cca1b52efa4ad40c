"""Obligations written by hand: a queue over an ordered map, and a ring, with mistakes on request."""

from __future__ import annotations

from angarium.contracts.obligations import Lambda, Moment, Obligation, Sides
from angarium.contracts.terms import (
    TRUTH,
    And,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Not,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
    at_most,
    implies,
)
from angarium.core.errors import Place

MESSAGE, NUMBER, SLOT = Sort("Message"), Sort("Number", Kind.ORDER), Sort("Slot", Kind.RING)
NUM = Symbol("num", (MESSAGE,), NUMBER, fixed=True)
CONTENTS = Symbol("contents", (MESSAGE,), TRUTH)
PAIRS = Symbol("map.pairs", (NUMBER, MESSAGE), TRUTH)
M, N, S = Variable("m", MESSAGE), Variable("n", NUMBER), Variable("s", SLOT)
SEQ, END = Variable("seq", NUMBER), Variable("end", NUMBER)
PLACE = Place("queue.py", 7, 5)


def every(variables: tuple[Variable, ...], body: Expr, domain: Symbol | None = None) -> Expr:
    return Quantified(Quantifier.ALL, variables, domain, body)


def some(variables: tuple[Variable, ...], body: Expr, domain: Symbol | None = None) -> Expr:
    return Quantified(Quantifier.SOME, variables, domain, body)


def follows(end: Expr, number: Expr) -> Expr:
    """Whether `end` is the next number."""
    nothing_between = every((N,), Not(And((Less(number, N), Less(N, end)))))
    return And((Less(number, end), nothing_between))


def obligation(
    premises: tuple[Expr, ...],
    goal: Expr,
    *,
    name: str = "it is kept",
    kind: Sides = "preserved",
    operation: str | None = "operate",
    text: str = "what must be true",
    sorts: tuple[Sort, ...] = (MESSAGE, NUMBER),
    arguments: tuple[Variable, ...] = (),
    results: tuple[tuple[str, Expr], ...] = (),
    moments: tuple[Moment, ...] = (),
) -> Obligation:
    return Obligation(name, kind, operation, text, premises, goal, sorts, arguments, results, moments, PLACE)


KEYED = every((N, M), implies(PAIRS(N, M), Equal(N, NUM(M))))
REPRESENTS = every((M,), Equal(CONTENTS(M), PAIRS(NUM(M), M)))
BEFORE = Moment(
    "before",
    {CONTENTS: Lambda((M,), CONTENTS(M)), PAIRS: Lambda((N, M), PAIRS(N, M)), NUM: Lambda((M,), NUM(M))},
)


def delete_all(
    *, start: Expr | None = None, end: Expr = END, conjectures: tuple[Expr, ...] = (KEYED, REPRESENTS)
) -> Obligation:
    """Deleting all up to a number keeps that the map has what the queue has; `end` is where it ends."""
    is_erased = And((at_most(start or First(NUMBER), NUM(M)), Less(NUM(M), end)))
    contents = And((CONTENTS(M), Not(at_most(NUM(M), SEQ))))
    erased = And((at_most(start or First(NUMBER), N), Less(N, end)))
    after = Moment(
        "after",
        {
            CONTENTS: Lambda((M,), contents),
            PAIRS: Lambda((N, M), And((PAIRS(N, M), Not(erased)))),
            NUM: Lambda((M,), NUM(M)),
        },
    )
    return obligation(
        (*conjectures, follows(END, SEQ)),
        every((M,), Equal(contents, And((PAIRS(NUM(M), M), Not(is_erased))))),
        name="delete_all keeps represents",
        operation="delete_all",
        text="(y in self.spec.contents) == ((y.num, y) in self.map.pairs)",
        arguments=(SEQ,),
        moments=(BEFORE, after),
    )
