"""Proofs as people read them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.proof_text import render
from angarium.contracts.obligations import Counterexample, Judged, Sides, Snapshot
from angarium.contracts.prove import CUTS
from angarium.contracts.terms import TRUE
from angarium.core.result import Verdict
from tests.app.report.proofs import HOLDS, REFUTED, VIOLATED, proved, unknown
from tests.contracts.obligations import obligation


def test_what_must_be_true_stands_above_those_who_must_keep_it() -> None:
    other = replace(HOLDS, obligation=replace(HOLDS.obligation, name="empty keeps represents"))

    assert render(proved(HOLDS, other)).splitlines() == [
        "MapQueue: Keeps messages in a map.",
        "",
        "  verdict   obligation",
        "  " + "-" * 78,
        "            (y in self.spec.contents) == ((y.num, y) in self.map.pairs)",
        "  holds       enqueue keeps represents",
        "  holds       empty keeps represents",
        "",
        "Proved all of 2 obligations, for sorts of any size.",
        "Took 0.25 s (z3 engine).",
    ]


def test_a_counterexample_shows_the_call_and_the_states_side_by_side() -> None:
    lines = render(proved(HOLDS, VIOLATED)).splitlines()

    begin = lines.index("Proved 1 of 2 obligations, for sorts of any size; 1 violated.")
    assert lines[begin + 3 :] == [
        "MapQueue: delete_all keeps represents violated: a call of delete_all can make it",
        "false.",
        "  must be true  (y in self.spec.contents) == ((y.num, y) in self.map.pairs)",
        "  elements      Message m0, m1; Number 0",
        "  where         m0.num = 0; m1.num = 0",
        "  call          delete_all(seq=0)",
        "  written in    queue.py:7",
        "",
        "  state      before     after",
        "  contents   {m0}       {}",
        "  map.pairs  {(0, m0)}  {(0, m0)}",
        "  full       true       false",
        "",
        "A counterexample is one call from a state in which every conjecture holds, but",
        "perhaps no run leads to that state. If one does, the code or the contract is",
        "wrong. If none does, a conjecture is missing that rules the state out.",
    ]


def shown(found: Counterexample, kind: Sides = "preserved") -> str:
    claim = obligation((), TRUE, kind=kind, operation=found.operation)
    return render(proved(Judged(claim, Verdict.VIOLATED, 0.1, found)))


def test_answers_functions_and_facts_of_any_kind_are_shown() -> None:
    found = replace(
        REFUTED,
        results={"ok": "true"},
        facts={"limit": {"": "1"}, "older": {"m0, m1": "true"}},
        snapshots=(Snapshot("after", {"item": {"0": "m0", "1": "m1"}, "head": "0"}),),
    )

    text = shown(found)

    assert "call          delete_all(seq=0), which answers ok=true" in text
    assert "where         limit = 1; older(m0, m1) = true" in text
    assert "item   {0: m0, 1: m1}" in text
    assert "head   0" in text


def test_at_the_start_there_is_no_call_and_no_induction() -> None:
    text = shown(replace(REFUTED, operation=None, arguments={}, snapshots=()), kind="initial")

    assert "violated: it is false at the start." in text
    assert "  call " not in text
    assert "every conjecture holds" not in text


def test_behind_a_loop_is_what_its_invariants_allow() -> None:
    assert "Behind a loop there is any state" in " ".join(shown(REFUTED, kind="kept").split())
    assert "Behind a loop" not in shown(REFUTED)


def test_large_states_are_broken_in_their_columns() -> None:
    members = [f"message{number}" for number in range(12)]
    before, after = (Snapshot(name, {"contents": members}) for name in ("before", "after"))

    text = shown(replace(REFUTED, snapshots=(before, after)))

    assert max(map(len, text.splitlines())) <= 80
    assert text.count("message11}") == 2


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        (CUTS[TimeoutError], "Raise --timeout."),
        (CUTS[KeyboardInterrupt], "Let it run to the end."),
        ("empty can never be called: what it assumes contradicts itself", "requirements and conjectures."),
        ("no proof was found within the limits, and no counterexample", "Add conjectures that help"),
    ],
)
def test_what_is_unknown_says_why_and_what_to_do(reason: str, advice: str) -> None:
    text = render(proved(HOLDS, unknown(reason)))

    assert "  unknown     empty ensures\n" in text
    assert reason in " ".join(text.split())
    assert "Proved 1 of 2 obligations, for sorts of any size; 1 unknown." in text
    last = " ".join(text.split("\n\n")[-1].split())
    assert last.startswith("Unknown is not holds.")
    assert advice in last


def test_where_there_is_nothing_to_prove_it_says_so() -> None:
    assert render(proved()).startswith("There is nothing to prove in queue:")


def test_colours_are_never_the_only_way_to_say_it() -> None:
    plain = render(proved(HOLDS, VIOLATED))
    colourful = render(proved(HOLDS, VIOLATED), colourful=True)

    assert "\x1b[1;31mviolated\x1b[0m" in colourful
    for code in ("\x1b[32m", "\x1b[1;31m", "\x1b[1m", "\x1b[0m"):
        colourful = colourful.replace(code, "")
    assert colourful == plain


def test_a_long_claim_and_a_long_name_fit_the_page() -> None:
    claim = obligation((), TRUE, name="an operation " * 9, text="implies(left, right) and " * 9)

    text = render(proved(Judged(claim, Verdict.HOLDS, 0.1)))

    assert max(map(len, text.splitlines())) <= 80
