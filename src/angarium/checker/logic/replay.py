"""Following a story's address, and judging the run by the guarantees over time.

A run without end breaks a formula of LTL or keeps it, and that is judged here by what formulas and fairness
mean (`semantics`), without a search: an unfair run breaks nothing. It shows a divergence if none of the
steps that it repeats is seen. A formula of CTL speaks of all runs at once, so one run does not decide it;
neither does it decide whether the system is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.explore.graph import combination, first_labels
from angarium.checker.explore.interpret import Move, expand
from angarium.checker.explore.stories import NOTHING_HIT, Followed, Taken, follow, told
from angarium.checker.ir.formula import Atom, TemporalGuarantee, fairness_text
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.logic.events import Alphabet
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.semantics import Letter, Moment, is_fair, true_on_lasso
from angarium.checker.logic.sentences import for_whom, how_broken
from angarium.core.result import Story

BREAKS_NONE = "this run breaks none of the guarantees along runs"
DECIDES_NOTHING = (NOTHING_HIT, BREAKS_NONE)
"""Summaries of runs that show nothing by themselves."""


def replay(system: TransitionSystem, path: Sequence[int], cycle: int | None, *, subject: str) -> Story:
    """The story at an address's path, about everything that the run decides by itself."""
    run = follow(system, path, cycle)
    story = told(system, run, cycle, subject=subject)
    along = [each for each in system.temporal if each.logic in ("ltl", "divergence")]
    if cycle is None or not along:
        return story
    lasso = _Lasso(system, run, cycle)
    broken = {each.name: lasso.broken(each) for each in along if lasso.breaks(each)}
    unfair = [] if broken else [lasso.unfair(each) for each in along if lasso.is_unfair(each)]
    at_the_end = [] if story.summary == NOTHING_HIT else [story.summary]
    said = [*(broken.values() or [BREAKS_NONE]), *unfair, *at_the_end]
    guarantee = next(iter(broken), story.guarantee)
    return replace(story, guarantee=guarantee, summary="; ".join(said))


@dataclass(frozen=True, slots=True)
class _Lasso:
    """A run without end, with what the meaning of formulas needs to know of it."""

    system: TransitionSystem
    run: Followed
    cycle: int

    @property
    def repeated(self) -> Sequence[Taken]:
        """The steps that are repeated; none if the run stands still."""
        return self.run.taken[self.cycle :]

    # --- what it breaks ---------------------------------------------------------------------

    def breaks(self, guarantee: TemporalGuarantee) -> bool:
        if guarantee.logic == "divergence":
            seen = Alphabet(self.system).seen
            return bool(self.repeated) and all(each.move.action.name not in seen for each in self.repeated)
        return self.is_false(guarantee) and self.is_fair(guarantee)

    def is_unfair(self, guarantee: TemporalGuarantee) -> bool:
        """Whether it would break a guarantee, but does not count."""
        return self.is_false(guarantee) and not self.is_fair(guarantee)

    def broken(self, guarantee: TemporalGuarantee) -> str:
        says = f" ({guarantee.description})" if guarantee.description else ""
        if guarantee.logic == "divergence":
            return f"{guarantee.name}{says} is broken: what is repeated is never seen"
        assert guarantee.formula is not None
        how = how_broken(guarantee.formula, self.letters, self.cycle)
        whom = for_whom(self.system, guarantee.formula, self.run.states[self.cycle :])
        fair = f", and the run is fair ({fairness_text(guarantee.fairness)})" if guarantee.fairness else ""
        return f"{guarantee.name}{says} is false along this run: {how}{whom}{fair}"

    def unfair(self, guarantee: TemporalGuarantee) -> str:
        demanded = fairness_text(guarantee.fairness)
        return f"{guarantee.name} is false along it, but the run is not fair ({demanded})"

    # --- what formulas and fairness mean of it ------------------------------------------------

    @property
    def letters(self) -> list[Letter]:
        """What is true at each moment; the last state of a repetition is the one with which it begins."""
        states = self.run.states[: len(self.run.taken)] if self.repeated else self.run.states
        return [partial(_is_true, self.system, cells) for cells in states]

    def is_false(self, guarantee: TemporalGuarantee) -> bool:
        if guarantee.formula is None:
            return False
        try:
            return not true_on_lasso(guarantee.formula, self.letters, self.cycle)
        except EvaluationError:
            return False  # what cannot be evaluated is for stays-in-range to say

    def is_fair(self, guarantee: TemporalGuarantee) -> bool:
        return is_fair(classes(self.system, guarantee.fairness), list(self.moments()))

    def moments(self) -> Iterator[Moment]:
        first = first_labels(self.system.actions)
        for taken in self.repeated:
            changing = (move for move in taken.possible if move.target != taken.before)
            possible = frozenset(_label(first, move) for move in changing)
            own = None if taken.move.target == taken.before else _label(first, taken.move)
            yield Moment(possible, own)
        if not self.repeated:
            faults = expand(self.system, self.run.states[-1]).moves
            yield Moment(frozenset(_label(first, move) for move in faults), None)


def _is_true(system: TransitionSystem, cells: Cells, atom: Atom) -> bool:
    return bool(evaluate(system, atom.condition, cells, {}))


def _label(first: Mapping[str, int], move: Move) -> int:
    return first[move.action.name] + combination(move.action.parameters, move.arguments)
