"""Questions end: by effort, by a deadline, by Ctrl-C; and leave a truthful answer."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from itertools import combinations

import pytest
import z3

from angarium.contracts.obligations import Judged, Obligation
from angarium.contracts.prove import CUTS, Part, prove_parts
from angarium.contracts.solve.asking import UNLIMITED, Answer, ask
from angarium.contracts.solve.decide import Judge
from angarium.contracts.terms import TRUE, Equal
from angarium.core.errors import UsageError
from angarium.core.result import Verdict
from tests.contracts.obligations import N, obligation

PIGEONS = 11

SOLVERS = pytest.mark.parametrize(
    "make", [z3.Solver, lambda: z3.SolverFor("QF_FD")], ids=["any size", "small worlds"]
)


def crowd(make: Callable[[], z3.Solver]) -> z3.Solver:
    """Pigeons with a hole too few, which takes a solver very long."""
    solver = make()
    sits = [[z3.Bool(f"p{one}h{hole}") for hole in range(PIGEONS - 1)] for one in range(PIGEONS)]
    solver.add(*(z3.Or(holes) for holes in sits))
    pairs = list(combinations(sits, 2))
    for hole in range(PIGEONS - 1):
        solver.add(*(z3.Or(z3.Not(one[hole]), z3.Not(other[hole])) for one, other in pairs))
    return solver


@SOLVERS
def test_effort_ends_a_question_without_an_answer(make: Callable[[], z3.Solver]) -> None:
    assert ask(crowd(make), 10_000, None) is Answer.UNDECIDED


@SOLVERS
def test_a_deadline_ends_a_question(make: Callable[[], z3.Solver]) -> None:
    solver = crowd(make)

    with pytest.raises(TimeoutError):
        ask(solver, UNLIMITED, time.monotonic() + 0.1)


def test_behind_the_deadline_nothing_is_asked() -> None:
    with pytest.raises(TimeoutError):
        ask(z3.Solver(), UNLIMITED, time.monotonic() - 1)


@SOLVERS
def test_ctrl_c_reaches_the_caller(make: Callable[[], z3.Solver]) -> None:
    solver = crowd(make)

    def interrupted() -> None:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        ask(solver, UNLIMITED, None)

    with pytest.raises(KeyboardInterrupt):
        interrupted()


# --- proofs that were cut ---------------------------------------------------------------------

EASY = [obligation((), Equal(N, N), name=name) for name in ("first", "second", "third")]
PART = Part("Queue", "Holds messages.", tuple(EASY))


class Interrupting:
    """What is raised while memory is tidied is lost; Z3's objects tidy theirs, behind every question."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_that_was_lost_is_heard_before_the_next_obligation(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = Judge.judge

    def judge(self: Judge, claim: Obligation) -> Judged:
        if claim.name == "first":
            Interrupting()
        return decide(self, claim)

    monkeypatch.setattr(Judge, "judge", judge)
    (proof,) = prove_parts([PART])

    assert [each.verdict for each in proof.judged] == [Verdict.HOLDS, Verdict.UNKNOWN, Verdict.UNKNOWN]
    assert proof.judged[1].reason == CUTS[KeyboardInterrupt]


@pytest.mark.parametrize("cut", CUTS)
def test_what_was_decided_stays_and_the_rest_is_unknown(
    cut: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Judge.judge

    def judge(self: Judge, claim: Obligation) -> Judged:
        if claim.name == "second":
            raise cut
        return decide(self, claim)

    monkeypatch.setattr(Judge, "judge", judge)
    (proof,) = prove_parts([PART])

    assert [each.verdict for each in proof.judged] == [Verdict.HOLDS, Verdict.UNKNOWN, Verdict.UNKNOWN]
    assert [each.reason for each in proof.judged] == [None, CUTS[cut], CUTS[cut]]


def test_time_that_is_up_decides_nothing() -> None:
    (proof,) = prove_parts([PART], deadline=0.0)

    assert {each.reason for each in proof.judged} == {CUTS[TimeoutError]}


def test_progress_counts_the_obligations_that_were_asked_for() -> None:
    seen: list[tuple[int, int, str]] = []

    proofs = prove_parts(
        [PART, Part("Empty", "", ())],
        only=["first", "third"],
        observe=lambda *each: seen.append(each),
    )

    assert seen == [(1, 2, "first"), (2, 2, "third")]
    assert [(proof.subject, len(proof.judged)) for proof in proofs] == [("Queue", 2)]


def test_an_obligation_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no obligation, operation or conjecture named 'secnd'") as refused:
        prove_parts([PART], only=["secnd"])

    assert "did you mean second?" in str(refused.value)


def test_a_premise_that_is_shared_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    judge = Judge(shared := [obligation((TRUE,), Equal(N, N), name=name) for name in "ab"])
    monkeypatch.setattr(
        "angarium.contracts.solve.decide.is_possible", lambda *question: asked.append(question) or True
    )

    verdicts = [judge.judge(each).verdict for each in shared]

    assert verdicts == [Verdict.HOLDS] * 2
    assert len(asked) == 1
