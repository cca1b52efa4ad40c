"""The verdict on an obligation, its counterexample, and why it may be unknown."""

from __future__ import annotations

from itertools import combinations

import pytest

from angarium.contracts.obligations import Judged, Lambda, Moment, Obligation
from angarium.contracts.solve import decide
from angarium.contracts.solve.decide import Judge
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
    Less,
    Next,
    Not,
    Or,
    Sort,
    Symbol,
    Variable,
    at_most,
    implies,
)
from angarium.core.result import Verdict
from tests.contracts.obligations import (
    BEFORE,
    CONTENTS,
    KEYED,
    MESSAGE,
    NUM,
    NUMBER,
    SEQ,
    SLOT,
    M,
    N,
    S,
    delete_all,
    every,
    obligation,
    some,
)

A, B, C = (Variable(name, SLOT) for name in "abc")
K, L = Variable("k", NUMBER), Variable("l", NUMBER)
LAST = Symbol("last", (NUMBER,), MESSAGE)
OTHER = Variable("other", MESSAGE)
WITHOUT_END = every((N,), Less(N, NUM(LAST(N))))
"""True only where there are infinitely many numbers."""


def judge(claim: Obligation, *others: Obligation) -> Judged:
    return Judge([claim, *others]).judge(claim)


def is_proved(goal: Expr, *premises: Expr, sorts: tuple[Sort, ...] = (MESSAGE, NUMBER, SLOT)) -> bool:
    verdict = judge(obligation(premises, goal, sorts=sorts)).verdict
    assert verdict is not Verdict.UNKNOWN
    return verdict is Verdict.HOLDS


# --- for any size -----------------------------------------------------------------------------


def test_what_follows_holds() -> None:
    judged = judge(delete_all())

    assert (judged.verdict, judged.counterexample, judged.reason) == (Verdict.HOLDS, None, None)
    assert judged.seconds > 0


@pytest.mark.parametrize(
    "goal",
    [
        Not(Less(N, N)),
        Or((Less(N, K), Equal(N, K), Less(K, N))),
        implies(And((Less(N, K), Less(K, L))), Less(N, L)),
        at_most(First(NUMBER), N),
    ],
    ids=["irreflexive", "total", "transitive", "first"],
)
def test_an_order_is_total_and_has_a_first(goal: Expr) -> None:
    assert is_proved(goal)


@pytest.mark.parametrize(
    "goal",
    [
        some((N,), Less(K, N)),
        some((N,), Less(N, K)),
        implies(Less(K, L), some((N,), And((Less(K, N), Less(N, L))))),
    ],
    ids=["no last", "no first", "something between"],
)
def test_an_order_has_nothing_else(goal: Expr) -> None:
    assert not is_proved(goal)


@pytest.mark.parametrize(
    "goal",
    [
        Equal(Between(A, S, Next(B)), Or((Between(A, S, B), Equal(S, B)))),
        Equal(Between(Next(A), S, B), And((Between(A, S, B), Not(Equal(S, A))))),
        implies(Equal(Next(S), Next(A)), Equal(S, A)),
        Not(Between(A, S, A)),
        Or((Equal(A, B), Between(A, A, B))),
        implies(And((Between(A, B, C), Between(A, S, B))), Between(A, S, C)),
    ],
    ids=["up to the next", "from the next", "one before", "none", "the start", "further"],
)
def test_a_ring_goes_round(goal: Expr) -> None:
    assert is_proved(goal, Not(Equal(Next(B), A)), Not(Equal(A, B)))


def test_a_full_ring_looks_empty() -> None:
    """A ring of one slot would do as well, but is shown only if no other does."""
    judged = judge(obligation((), Equal(Between(A, B, Next(B)), TRUE), sorts=(SLOT,), arguments=(A, B)))

    assert judged.verdict is Verdict.VIOLATED
    assert judged.counterexample and judged.counterexample.sorts == {"Slot": ("0", "1")}


def test_a_ring_of_one_slot_is_shown_if_only_it_will_do() -> None:
    judged = judge(obligation((), Not(Equal(A, Next(A))), sorts=(SLOT,), arguments=(A,)))

    assert judged.verdict is Verdict.VIOLATED
    assert judged.counterexample and judged.counterexample.sorts == {"Slot": ("0",)}


def test_a_symbol_and_a_variable_may_have_the_same_name() -> None:
    seq = Symbol("seq", (), NUMBER)

    assert not is_proved(Equal(SEQ, seq()))


def test_a_bound_name_hides_a_free_one() -> None:
    assert not is_proved(CONTENTS(M), some((M,), CONTENTS(M)))
    assert is_proved(some((M,), CONTENTS(M)), CONTENTS(M))


def test_what_is_said_of_members_is_said_of_members_only() -> None:
    every_member, some_member = every((M,), FALSE, CONTENTS), some((M,), TRUE, CONTENTS)

    assert is_proved(every((M,), CONTENTS(M), CONTENTS))
    assert is_proved(Not(some_member), every_member)
    assert not is_proved(FALSE, every_member)
    assert not is_proved(some_member)


# --- counterexamples --------------------------------------------------------------------------


def test_the_smallest_counterexample_to_deleting_too_little() -> None:
    found = judge(delete_all(end=SEQ)).counterexample

    assert found
    assert (found.operation, found.arguments) == ("delete_all", {"seq": "0"})
    assert found.sorts == {"Message": ("m",), "Number": ("0", "1")}
    assert found.facts == {"num": {"m": "0"}}
    before, after = found.snapshots
    assert (before.name, before.symbols) == ("before", {"contents": ["m"], "map.pairs": [["0", "m"]]})
    assert (after.name, after.symbols) == ("after", {"contents": [], "map.pairs": [["0", "m"]]})


def test_no_member_is_there_without_need() -> None:
    claim = obligation((CONTENTS(M), Not(Equal(M, OTHER))), FALSE, arguments=(M, OTHER), moments=(BEFORE,))

    found = judge(claim).counterexample

    assert found and found.arguments == {"m": "m0", "other": "m1"}
    assert found.snapshots[0].symbols == {"contents": ["m0"], "map.pairs": []}


def test_the_conjecture_that_is_missing_shows_in_the_state_before() -> None:
    found = judge(delete_all(conjectures=(KEYED,))).counterexample

    assert found
    assert found.snapshots[0].symbols == {"contents": [], "map.pairs": [["1", "m"]]}


def test_the_same_obligation_has_the_same_counterexample() -> None:
    first, second = (judge(delete_all(end=SEQ)).counterexample for _ in range(2))

    assert first == second


def test_every_kind_of_symbol_can_be_read() -> None:
    item, head = Symbol("item", (SLOT,), MESSAGE), Symbol("head", (), SLOT)
    full, urgent = Symbol("full", (), TRUTH), Symbol("urgent", (MESSAGE,), TRUTH, fixed=True)
    limit = Symbol("limit", (), NUMBER, fixed=True)
    shown = {item: Lambda((S,), item(S)), head: Lambda((), Next(head())), full: Lambda((), Not(full()))}
    claim = obligation(
        (Not(Equal(item(A), item(B))), urgent(item(A)), full(), Less(First(NUMBER), limit())),
        Equal(head(), A),
        sorts=(MESSAGE, NUMBER, SLOT),
        results=(("ok", full()), ("res", Choice(full(), item(A), item(B)))),
        moments=(Moment("after", shown),),
    )

    found = judge(claim).counterexample

    assert found
    assert found.sorts == {"Message": ("m0", "m1"), "Number": ("0", "1"), "Slot": ("0", "1")}
    assert found.facts["limit"] == {"": "1"}
    assert sorted(found.facts["urgent"].values()) == ["false", "true"]
    assert found.results["ok"] == "true"
    (state,) = found.snapshots
    assert set(state.symbols["item"]) == {"0", "1"}
    assert set(state.symbols["item"].values()) == {"m0", "m1"}
    assert state.symbols["head"] in {"0", "1"}
    assert state.symbols["full"] is False


def test_sorts_with_the_same_first_letter_are_told_apart() -> None:
    box, bag = Sort("Box"), Sort("Bag")
    inside = Symbol("inside", (box, bag), TRUTH)
    b, c = Variable("b", box), Variable("c", bag)

    found = judge(obligation((), inside(b, c), sorts=(box, bag), arguments=(b, c))).counterexample

    assert found and found.arguments == {"b": "box", "c": "bag"}


# --- what is proved of nothing ----------------------------------------------------------------


def test_contradictory_assumptions_prove_nothing() -> None:
    judged = judge(obligation((Less(N, N),), CONTENTS(M), operation="enqueue"))

    assert judged.verdict is Verdict.UNKNOWN
    assert judged.reason == "enqueue can never be called: what it assumes contradicts itself"


def test_where_a_run_never_comes_nothing_is_proved() -> None:
    dead = obligation((Less(N, N),), CONTENTS(M), operation="enqueue")
    alive = obligation((), Equal(N, N), operation="enqueue")

    judged = judge(dead, alive)

    assert judged.verdict is Verdict.UNKNOWN
    assert judged.reason == "the run of enqueue never comes here, so nothing is said of any call"
    assert judge(alive, dead).verdict is Verdict.HOLDS


def test_an_impossible_start_proves_nothing() -> None:
    judged = judge(obligation((FALSE,), CONTENTS(M), operation=None, kind="initial"))

    assert judged.verdict is Verdict.UNKNOWN
    assert judged.reason == "what is assumed of the start contradicts itself, so nothing is said of any start"


def test_premises_that_are_true_only_in_a_larger_world_are_possible() -> None:
    assert judge(obligation(five_messages(), Equal(N, N))).verdict is Verdict.HOLDS


def five_messages() -> tuple[Expr, ...]:
    things = [Variable(f"m{number}", MESSAGE) for number in range(5)]
    return tuple(Not(Equal(one, other)) for one, other in combinations(things, 2))


# --- what is not decided ----------------------------------------------------------------------


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "QUICK", 30_000)
    monkeypatch.setattr(decide, "PATIENT", 60_000)
    monkeypatch.setattr(decide, "LARGEST", 2)


@pytest.mark.usefixtures("_impatient")
def test_without_proof_and_counterexample_it_is_unknown() -> None:
    judged = judge(obligation((WITHOUT_END,), FALSE))

    assert judged.verdict is Verdict.UNKNOWN
    assert judged.reason and judged.reason.startswith("no proof was found within the limits")


@pytest.mark.usefixtures("_impatient")
def test_a_proof_from_what_may_be_impossible_is_no_proof() -> None:
    judged = judge(obligation((WITHOUT_END,), some((N,), Less(First(NUMBER), N))))

    assert judged.verdict is Verdict.UNKNOWN
    assert judged.reason and "whether what it assumes can be true at all" in judged.reason


def test_what_only_a_large_world_refutes_is_unknown() -> None:
    judged = judge(obligation(five_messages(), FALSE))

    assert judged.verdict is Verdict.UNKNOWN
    assert judged.reason and judged.reason.startswith("it does not follow from what is assumed")
