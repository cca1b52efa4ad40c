"""The verdict on an obligation, by two routes that do not know of each other.

The solver looks for a proof for any size; if it finds none at once, small worlds are searched for a
counterexample, and only if there is none does the solver get more time. So `holds` always rests on a proof,
and `violated` always on a counterexample that can be looked at; anything else is `unknown` and says why.

What follows from premises that contradict each other is proved of nothing. So a proof counts only if the
premises were seen to be possible.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from angarium.contracts.obligations import Counterexample, Judged, Obligation
from angarium.contracts.solve.asking import Answer
from angarium.contracts.solve.smallest import is_possible, show, smallest
from angarium.contracts.solve.unbounded import Unbounded
from angarium.contracts.terms import Expr, Not, Sort
from angarium.core.result import Verdict

QUICK, PATIENT = 300_000, 5_000_000
"""Steps of the solver: first, and when no small counterexample was found."""
LARGEST = 4
"""Elements of each sort in the largest world that is searched for a counterexample."""
LARGEST_TO_BEGIN = 3
"""The same for a world in which the premises are true."""


class Judge:
    """Decides obligations of one part, which are known to it all."""

    def __init__(self, obligations: Sequence[Obligation], deadline: float | None = None) -> None:
        self._obligations = obligations
        self._deadline = deadline
        self._unbounded = Unbounded()
        self._premises: dict[tuple[int, ...], Answer] = {}
        """By the premises' ids: obligations share them, and keep them."""

    def judge(self, obligation: Obligation) -> Judged:
        """The verdict; raises TimeoutError at the deadline."""
        begin = time.perf_counter()
        verdict, counterexample, reason = self._decide(obligation)
        return Judged(obligation, verdict, time.perf_counter() - begin, counterexample, reason)

    def _decide(self, obligation: Obligation) -> tuple[Verdict, Counterexample | None, str | None]:
        answer = self._prove(obligation, QUICK)
        if answer is not Answer.IMPOSSIBLE:
            found = self._refute(obligation)
            if found:
                return Verdict.VIOLATED, found, None
        if answer is Answer.UNDECIDED:
            answer = self._prove(obligation, PATIENT)
        reason = _NO_ANSWER[answer] if answer in _NO_ANSWER else self._why_it_says_nothing(obligation)
        return (Verdict.UNKNOWN if reason else Verdict.HOLDS), None, reason

    def _prove(self, obligation: Obligation, effort: int) -> Answer:
        claims = (*obligation.premises, Not(obligation.goal))
        return self._unbounded.ask(claims, obligation.sorts, effort, self._deadline)

    def _refute(self, obligation: Obligation) -> Counterexample | None:
        claims = (*obligation.premises, Not(obligation.goal))
        found = smallest(claims, obligation.sorts, obligation.arguments, LARGEST, self._deadline)
        return show(obligation, found) if found else None

    # --- whether something was proved of anything -----------------------------------------------

    def _why_it_says_nothing(self, obligation: Obligation) -> str | None:
        """Why a proof counts for nothing, if so."""
        match self._can_begin(obligation):
            case Answer.POSSIBLE:
                return None
            case Answer.UNDECIDED:
                return "it is proved, but whether what it assumes can be true at all was not found out"
            case Answer.IMPOSSIBLE if obligation.operation is None:
                return "what is assumed of the start contradicts itself, so nothing is said of any start"
            case Answer.IMPOSSIBLE if self._can_be_called(obligation.operation):
                return f"the run of {obligation.operation} never comes here, so nothing is said of any call"
            case Answer.IMPOSSIBLE:
                return f"{obligation.operation} can never be called: what it assumes contradicts itself"

    def _can_begin(self, obligation: Obligation) -> Answer:
        """Whether the premises can be true; many obligations share them."""
        question = tuple(map(id, obligation.premises))
        if question not in self._premises:
            self._premises[question] = self._are_possible(obligation.premises, obligation.sorts)
        return self._premises[question]

    def _are_possible(self, premises: tuple[Expr, ...], sorts: tuple[Sort, ...]) -> Answer:
        if is_possible(premises, sorts, LARGEST_TO_BEGIN, self._deadline):
            return Answer.POSSIBLE
        return self._unbounded.ask(premises, sorts, PATIENT, self._deadline)

    def _can_be_called(self, operation: str | None) -> bool:
        of_the_same = (each for each in self._obligations if each.operation == operation)
        return any(self._can_begin(each) is Answer.POSSIBLE for each in of_the_same)


_LOOKED = f"no counterexample with up to {LARGEST} elements of each sort was found"
_NO_ANSWER = {
    Answer.UNDECIDED: f"no proof was found within the limits, and {_LOOKED}",
    Answer.POSSIBLE: f"it does not follow from what is assumed, but {_LOOKED}",
}
