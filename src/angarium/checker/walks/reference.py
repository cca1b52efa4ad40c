"""The reference: random walks in plain Python, obvious and slow.

The native walks are compared with this file, figure for figure: it draws the same random numbers in the same
order. Steps and states come from the interpreter, `explore.interpret`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.explore.interpret import Move, expand, initial_states, judge
from angarium.checker.ir.syntax import Expr
from angarium.checker.ir.transition import STAYS_IN_RANGE, Tally, TransitionSystem
from angarium.checker.walks.figures import Hit, Observing, Walked
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.questions import MOST_RATE, NEVER, Questions
from angarium.checker.walks.results import End, Sample

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


class Stream:
    """The random numbers of one walk."""

    def __init__(self, seed: int, walk: int) -> None:
        self._state = mix(mix((seed + GOLDEN) % WORD) ^ mix(walk))
        self._gamma = mix((self._state + GOLDEN) % WORD) | 1

    def draw(self) -> int:
        """A number of 64 bits."""
        self._state = (self._state + self._gamma) % WORD
        return mix(self._state)

    def below(self, count: int) -> int:
        """One of so many numbers from 0, all equally likely."""
        while True:
            drawn = self.draw()
            if drawn - drawn % count + count <= WORD:
                return drawn % count

    def exponential(self) -> int:
        """A variate of mean 1, in 2^-32, by von Neumann's comparisons."""
        whole = 0
        while True:
            run = [self.draw()]
            while (following := self.draw()) < run[-1]:
                run.append(following)
            if len(run) % 2 == 1:
                return (whole << 32) + (run[0] >> 32)
            whole += 1


def mix(word: int) -> int:
    """A word whose bits all depend on all bits of the given one."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


# --- choosing -------------------------------------------------------------------------


@dataclass(slots=True)
class Clock:
    """Time in 2^-32 millionths of the unit in which rates are given."""

    ticks: int = 0

    @property
    def millionths(self) -> int:
        return self.ticks >> 32


def choose(
    stream: Stream, clock: Clock, schedule: str, actions: Sequence[int], rates: Sequence[int]
) -> int | None:
    """The position of the next step, given each step's action and rate; None if nothing happens any more."""
    match schedule:
        case "uniform":
            return stream.below(len(actions))
        case "by-action":
            runs = [list(run) for _, run in groupby(range(len(actions)), lambda position: actions[position])]
            run = runs[stream.below(len(runs))]
            return run[stream.below(len(run))]
        case _:
            return _choose_by_rate(stream, clock, rates)


def _choose_by_rate(stream: Stream, clock: Clock, rates: Sequence[int]) -> int | None:
    total = sum(rates)
    if total == 0:
        return None
    clock.ticks += stream.exponential() * 1_000_000 // total
    left = stream.below(total)
    for position, rate in enumerate(rates):
        if left < rate:
            return position
        left -= rate
    raise AssertionError("a number below the sum is below some partial sum")


# --- walking --------------------------------------------------------------------------


def walk(system: TransitionSystem, plan: Plan, first: int, count: int) -> Walked:
    """The walks of a plan from the number `first` on, so many of them."""
    questions = Questions(system, plan.schedule)
    observing = Observing(questions)
    walks = [_Walk(questions, plan, number) for number in range(first, first + count)]
    for each in walks:
        each.go()
    figures = [observing.evaluate(each.cells, each.tallies) for each in walks]
    shape = (count, len(observing.columns))
    sample = Sample(
        first=first,
        ends=np.array([each.end for each in walks], np.uint8),
        steps=np.array([each.steps for each in walks], np.int64),
        columns=observing.columns,
        values=np.array([[value or 0 for value in row] for row in figures], np.int64).reshape(shape),
        known=np.array([[value is not None for value in row] for row in figures], np.bool_).reshape(shape),
    )
    return Walked(sample, _least_hits(walks))


def _least_hits(walks: Sequence[_Walk]) -> dict[str, Hit]:
    found = [(name, Hit(steps, each.number)) for each in walks for name, steps in each.hits.items()]
    return {name: min(hit for other, hit in found if other == name) for name, _ in found}


@dataclass
class _Walk:
    """One walk."""

    questions: Questions
    plan: Plan
    number: int
    steps: int = 0
    hits: dict[str, int] = field(default_factory=dict)
    end: End = End.LIMIT

    def __post_init__(self) -> None:
        self.system = self.questions.system
        self.stream, self.clock = Stream(self.plan.seed, self.number), Clock()
        states = initial_states(self.system)
        self.cells = states[self.stream.below(len(states)) if len(states) > 1 else 0]
        self.tallies = [0 if each.kind == "times" else NEVER for each in self.questions.walks.tallies]

    def go(self) -> None:
        """Take step after step, to the end."""
        while True:
            moves, rates = self._look()
            ended = self._ending(moves)
            chosen = None if ended is not None else self._choose(moves, rates)
            if chosen is None:
                self.end = End.REST if ended is None else ended
                self._write({None})
                return
            self._take(moves[chosen])

    def _look(self) -> tuple[Sequence[Move], Sequence[int]]:
        """What is true of the present state, and which steps it has, with their rates."""
        expansion = expand(self.system, self.cells)
        judged = judge(self.system, self.cells, at_rest=expansion.at_rest)
        rates = [self._rate(move) for move in expansion.moves]
        self.truths = {condition: self._truth(condition) for condition in self.questions.conditions}
        failed = expansion.failures or judged.failures or None in (*rates, *self.truths.values())
        for name in (*judged.hits, *([STAYS_IN_RANGE] if failed else [])):
            self.hits.setdefault(name, self.steps)
        self._write({condition for condition, true in self.truths.items() if true})
        possible = zip(expansion.moves, rates, strict=True)
        counted = [(move, rate) for move, rate in possible if rate is not None]
        return [move for move, _ in counted], [rate for _, rate in counted]

    def _rate(self, move: Move) -> int | None:
        """The rate of a step; None if it is none that can be: the step fails."""
        if not self.questions.by_rates:
            return 1
        names = (parameter.name for parameter in move.action.parameters)
        arguments = dict(zip(names, move.arguments, strict=True))
        rate = self._value(self.questions.rates[move.action.name], arguments)
        return rate if rate is not None and 0 <= rate <= MOST_RATE else None

    def _truth(self, condition: Expr) -> bool | None:
        value = self._value(condition, {})
        return None if value is None else bool(value)

    def _value(self, expr: Expr, local: Mapping[str, int]) -> int | None:
        try:
            return evaluate(self.system, expr, self.cells, local)
        except EvaluationError:
            return None

    def _write(self, happened: Container[Expr | None]) -> None:
        """Note the steps and the time until something that has happened, if it is for the first time."""
        now = {"steps": self.steps, "time": self.clock.millionths if self.questions.by_rates else NEVER}
        for number, tally in enumerate(self.questions.walks.tallies):
            if tally.kind != "times" and self.tallies[number] == NEVER and tally.condition in happened:
                self.tallies[number] = now[tally.kind]

    def _ending(self, moves: Sequence[Move]) -> End | None:
        goal = self.questions.walks.goal
        if goal is not None and self.truths[goal]:
            return End.GOAL
        if not moves:
            return End.REST
        return End.LIMIT if self.steps == self.plan.steps else None

    def _choose(self, moves: Sequence[Move], rates: Sequence[int]) -> int | None:
        numbers = {action.name: number for number, action in enumerate(self.system.actions)}
        actions = [numbers[move.action.name] for move in moves]
        return choose(self.stream, self.clock, self.plan.schedule, actions, rates)

    def _take(self, move: Move) -> None:
        for number, tally in enumerate(self.questions.walks.tallies):
            self.tallies[number] += _counts(tally, move)
        self.cells = move.target
        self.steps += 1


def _counts(tally: Tally, move: Move) -> bool:
    """Whether a tally counts a step."""
    if tally.kind != "times" or tally.action != move.action.name:
        return False
    pairs = zip(tally.arguments, move.arguments, strict=False)
    return all(wanted is None or wanted == given for wanted, given in pairs)
