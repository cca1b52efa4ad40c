"""Proving modules: every obligation of every part of a subject gets its verdict.

A time-out or Ctrl-C leaves what was decided so far; the rest is unknown, and says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from angarium.contracts.conditions.duties import obligations_of
from angarium.contracts.module import Implementation, Specification
from angarium.contracts.monitor.signals import heeding_signals
from angarium.contracts.obligations import Judged, Obligation, Proof
from angarium.contracts.reading.subject import find_modules
from angarium.contracts.solve.decide import Judge
from angarium.core.control import Cut, CutBy, cut_of
from angarium.core.errors import LimitError, UsageError, did_you_mean
from angarium.core.result import Verdict

Observer: TypeAlias = Callable[[int, int, str], None]
"""Called before an obligation is decided: its number, how many there are, and its name."""

CUTS = {
    TimeoutError: Cut(CutBy.TIME, "the time that --timeout gives was up before it was decided"),
    KeyboardInterrupt: Cut(CutBy.INTERRUPT, "interrupted before it was decided"),
}
"""Why obligations were not looked at."""


@dataclass(frozen=True, slots=True)
class Part:
    """A specification or an implementation, and what must be proved of it."""

    name: str
    description: str
    obligations: tuple[Obligation, ...]


def prove(
    *subjects: str,
    only: Sequence[str] = (),
    timeout: float | None = None,
    observe: Observer | None = None,
) -> tuple[Proof, ...]:
    """Decide the obligations of subjects, FILE or FILE:CLASS; or only those obligations with these names."""
    deadline = None if timeout is None else time.monotonic() + timeout
    parts = [part_of(each) for each in find_modules(*subjects)]
    return prove_parts(parts, only, deadline, observe)


def part_of(module: Specification | Implementation) -> Part:
    """What must be proved of a specification or an implementation."""
    try:
        return Part(module.name, module.description, obligations_of(module))
    except RecursionError:
        raise _too_much(module.name) from None


def _too_much(name: str) -> LimitError:
    return LimitError(
        "ANG055",
        f"what must be proved of {name} is nested too deeply",
        possible="a body may change the state some hundred times in a row",
        remedy="do less in one operation, or in fewer statements",
    )


def prove_parts(
    parts: Sequence[Part],
    only: Sequence[str] = (),
    deadline: float | None = None,
    observe: Observer | None = None,
) -> tuple[Proof, ...]:
    """The same of parts that are at hand; a part of which nothing is asked is left out."""
    _refuse_unknown(only, parts)
    chosen = [[each for each in part.obligations if not only or _is_asked(each, only)] for part in parts]
    with heeding_signals() as again:
        run = _Run(sum(map(len, chosen)), deadline, observe, again)
        return tuple(run.proof(part, asked) for part, asked in zip(parts, chosen, strict=True) if asked)


class _Run:
    """One obligation after the other, until something cuts it."""

    def __init__(
        self, total: int, deadline: float | None, observe: Observer | None, again: Callable[[], None]
    ) -> None:
        self._total = total
        self._again = again
        self._deadline = deadline
        self._observe = observe
        self._number = 0
        self._cut: Cut | None = None

    def proof(self, part: Part, obligations: Sequence[Obligation]) -> Proof:
        judge = Judge(part.obligations, self._deadline)
        return Proof(part.name, part.description, tuple(self._judged(judge, each) for each in obligations))

    def _judged(self, judge: Judge, obligation: Obligation) -> Judged:
        try:
            if self._cut is None:
                self._again()
                self._tell(obligation)
                return judge.judge(obligation)
        except RecursionError:
            raise _too_much(f"{obligation.name!r}") from None
        except TimeoutError:
            self._cut = CUTS[TimeoutError]
        except KeyboardInterrupt as problem:
            self._cut = CUTS[TimeoutError if cut_of(problem).by is CutBy.TIME else KeyboardInterrupt]
        return Judged(obligation, Verdict.UNKNOWN, 0.0, reason=self._cut)

    def _tell(self, obligation: Obligation) -> None:
        self._number += 1
        if self._observe:
            self._observe(self._number, self._total, obligation.name)


def _is_asked(obligation: Obligation, only: Sequence[str]) -> bool:
    """By its name, by its operation, or by its conjecture."""
    return any(word in (obligation.name, obligation.operation, obligation.conjecture) for word in only)


def _refuse_unknown(only: Sequence[str], parts: Sequence[Part]) -> None:
    every = [each for part in parts for each in part.obligations]
    for word in only:
        if not any(_is_asked(each, [word]) for each in every):
            short = {word for each in every for word in (each.operation, each.conjecture) if word}
            raise UsageError(
                "ANG012",
                f"there is no obligation, operation or conjecture named {word!r}",
                possible=did_you_mean(word, short, also=[each.name for each in every]),
                remedy="leave out --only to see all obligations with their names",
            )
