"""Random implementations: what is proved of them, no call from a small state breaks, and the reverse."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from angarium.contracts.conditions.duties import obligations_of
from angarium.contracts.module import (
    Body,
    Branch,
    Call,
    Collect,
    Conjecture,
    Contract,
    Ensure,
    Implementation,
    Let,
    Put,
    Specification,
    Statement,
)
from angarium.contracts.prove import Part, prove_parts
from angarium.contracts.terms import (
    TRUE,
    TRUTH,
    And,
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
from angarium.core.errors import Place
from angarium.core.result import Verdict
from tests.contracts.every_call import Judge
from tests.effort import examples

HERE = Place("random", 1, 1)
WORLDS = [{"Thing": things, "Number": numbers} for things in (1, 2) for numbers in (1, 2)]
THING, NUMBER = Sort("Thing"), Sort("Number", Kind.ORDER)
NUM = Symbol("num", (THING,), NUMBER, fixed=True)
ABSTRACT = Symbol("inside", (THING,), TRUTH)
BELOW = Symbol("below.marked", (THING,), TRUTH)
HELD, TOP, LIMIT = Symbol("held", (THING,), TRUTH), Symbol("top", (), THING), Symbol("limit", (), NUMBER)
THING_GIVEN, OK, X = Variable("thing", THING), Variable("ok", TRUTH), Variable("x", THING)
MET = Variable("met", THING)


def things(*names: Variable) -> st.SearchStrategy[Expr]:
    return st.sampled_from([*names, TOP()])


def numbers(*names: Variable) -> st.SearchStrategy[Expr]:
    return st.one_of(things(*names).map(NUM), st.sampled_from([LIMIT(), First(NUMBER)]))


def atoms(symbols: list[Symbol], *names: Variable) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(lambda symbol, thing: symbol(thing), st.sampled_from(symbols), things(*names)),
        st.builds(Equal, things(*names), things(*names)),
        st.builds(Less, numbers(*names), numbers(*names)),
    )


def conditions(symbols: list[Symbol], *names: Variable) -> st.SearchStrategy[Expr]:
    inside = st.recursive(
        atoms(symbols, *names),
        lambda part: st.one_of(
            part.map(Not),
            st.tuples(part, part).map(And),
            st.tuples(part, part).map(Or),
            st.tuples(part, part).map(lambda pair: Equal(*pair)),
        ),
        max_leaves=3,
    )
    walked = st.builds(
        lambda quantifier, domain, body: Quantified(quantifier, (X,), domain, body),
        st.sampled_from(Quantifier),
        st.sampled_from([None, *symbols]),
        atoms(symbols, X, *names),
    )
    return st.one_of(inside, walked)


OWN = [HELD, BELOW]


def simple() -> st.SearchStrategy[Statement]:
    return st.one_of(
        st.builds(
            lambda t, c: Put(HELD, (t,), c, HERE), things(THING_GIVEN, MET), conditions(OWN, THING_GIVEN, MET)
        ),
        st.builds(lambda t: Put(TOP, (), t, HERE), things(THING_GIVEN, MET)),
        st.builds(lambda n: Put(LIMIT, (), n, HERE), numbers(THING_GIVEN)),
        st.builds(lambda n: Put(LIMIT, (), Next(n), HERE), numbers(THING_GIVEN)),
        st.builds(
            lambda domain, c: Collect(HELD, (X,), domain, c, HERE),
            st.sampled_from([None, *OWN]),
            conditions(OWN, X, THING_GIVEN),
        ),
        st.builds(lambda t: Let(MET, t, HERE), things(THING_GIVEN, MET)),
        st.builds(lambda t: Call("below", "mark", (t,), (MET,), HERE), things(THING_GIVEN, MET)),
    )


def statements() -> st.SearchStrategy[tuple[Statement, ...]]:
    branch = st.builds(
        lambda c, then, otherwise: Branch(c, tuple(then), tuple(otherwise), HERE),
        conditions(OWN, THING_GIVEN, MET),
        st.lists(simple(), max_size=2),
        st.lists(simple(), max_size=2),
    )
    return st.lists(st.one_of(simple(), branch), min_size=1, max_size=3).map(tuple)


def conjectures() -> st.SearchStrategy[Conjecture]:
    return conditions([ABSTRACT, HELD, BELOW], X).map(
        lambda condition: Conjecture("true", "", (X,), condition, "...", HERE)
    )


MARKED = Variable("marked", THING)
BELOW_SPECIFICATION = Specification(
    "Below",
    "",
    (THING,),
    (),
    (BELOW,),
    (),
    (
        Contract(
            "mark",
            "",
            (THING_GIVEN,),
            (MARKED,),
            (Put(BELOW, (THING_GIVEN,), TRUE, HERE),),
            (Ensure(BELOW(MARKED), "", HERE),),
            HERE,
        ),
    ),
    (),
)
SPECIFICATION = Specification(
    "Above",
    "",
    (THING, NUMBER),
    (NUM,),
    (ABSTRACT,),
    (),
    (
        Contract(
            "add",
            "",
            (THING_GIVEN,),
            (OK,),
            (),
            (Branch(OK, (Put(ABSTRACT, (THING_GIVEN,), TRUE, HERE),), (), HERE),),
            HERE,
        ),
    ),
    (),
)


@st.composite
def implementations(draw: st.DrawFn) -> Implementation:
    begin = Let(MET, THING_GIVEN, HERE)
    body = Body("add", (begin, *draw(statements())), (draw(conditions(OWN, THING_GIVEN)),), HERE)
    contract = replace(
        SPECIFICATION.contracts[0],
        after=(
            Ensure(draw(conditions([ABSTRACT], THING_GIVEN)), "", HERE),
            *SPECIFICATION.contracts[0].after,
        ),
    )
    specification = replace(SPECIFICATION, contracts=(contract,))
    return Implementation(
        "Random",
        "",
        specification,
        (THING, NUMBER),
        (NUM,),
        (HELD, TOP, LIMIT),
        (("below", BELOW_SPECIFICATION),),
        (),
        (body,),
        (draw(conjectures()),),
    )


@given(implementations())
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
def test_the_solver_and_the_runs_of_every_call_agree(part: Implementation) -> None:
    obligations = [each for each in obligations_of(part) if each.operation is not None]
    (proof,) = prove_parts([Part("Random", "", tuple(obligations))])
    verdicts = {each.obligation.name: each.verdict for each in proof.judged}

    broken = set().union(*(Judge(part, sizes).broken() for sizes in WORLDS))

    assert {verdicts[name] for name in broken} <= {Verdict.VIOLATED}
    for each in proof.judged:
        if each.counterexample is not None and fits(each.counterexample.sorts):
            assert each.obligation.name in broken


def fits(sorts: object) -> bool:
    """Whether a counterexample is small enough for the runs to have seen it."""
    assert isinstance(sorts, dict)
    return {name: len(elements) for name, elements in sorts.items()} in WORLDS
