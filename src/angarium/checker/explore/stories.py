"""From a run to its story: which step led from each state to the next, and what it did.

A search answers with states only. The interpreter finds the steps between them again: the first
enabled step that leads to the next state, and its position among all enabled steps, which is one
number of the story's address. An analysis of the explored graph answers with such numbers at once. Following
them from an initial state gives the story back.

A run without end is told up to where it repeats itself. It must: after the repeated steps it is again in
the state in which they began, or, if there are none, nothing but faults can happen in the last state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from angarium.checker.explore.addresses import model_address
from angarium.checker.explore.arguments import told as told_arguments
from angarium.checker.explore.culprits import blamed
from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.explore.interpret import Failure, Move, expand, initial_states, judge
from angarium.checker.explore.states import changes, decode, decode_value
from angarium.checker.ir.formula import atoms
from angarium.checker.ir.labels import Labels, Value, kinds_of_records
from angarium.checker.ir.syntax import Expr
from angarium.checker.ir.transition import (
    STAYS_IN_RANGE,
    Cells,
    Guarantee,
    Lifeline,
    Message,
    TransitionSystem,
)
from angarium.checker.ir.types import Scalar
from angarium.core.errors import AddressError
from angarium.core.result import Exchange, State, Step, Story

NOTHING_HIT = "no guarantee is decided by this run"


@dataclass(frozen=True, slots=True)
class Taken:
    """One step of a run: which of what could be done in a state was done."""

    before: Cells
    choice: int
    possible: tuple[Move, ...]

    @property
    def move(self) -> Move:
        return self.possible[self.choice]


@dataclass(frozen=True, slots=True)
class Followed:
    """A run: the state in which it begins, and its steps."""

    start: int
    initial: Cells
    taken: tuple[Taken, ...]

    @property
    def states(self) -> tuple[Cells, ...]:
        """Every state of the run; one more than there are steps."""
        return (self.initial, *(each.move.target for each in self.taken))


def tell(system: TransitionSystem, run: Sequence[Cells], guarantee: str, *, subject: str) -> Story:
    """The story of a run, given by its states, that hits a guarantee in its last state."""
    taken = tuple(_between(system, before, after) for before, after in pairwise(run))
    followed = Followed(initial_states(system).index(run[0]), run[0], taken)
    summary = _sentences(system, run[-1])[guarantee]
    return _story(system, followed, None, guarantee, summary, subject)


def tell_run(
    system: TransitionSystem,
    start: Cells,
    choices: Sequence[int],
    cycle: int | None,
    guarantee: str,
    summary: str,
    subject: str,
) -> Story:
    """The story of a run, given by an initial state and the position of each step among the enabled ones."""
    number = initial_states(system).index(start)
    followed = follow(system, (number, *choices), cycle)
    return _story(system, followed, cycle, guarantee, summary, subject)


def replay(
    system: TransitionSystem, path: Sequence[int], cycle: int | None = None, *, subject: str | None = None
) -> Story:
    """The story at an address's path, about all guarantees that its last state hits."""
    return told(system, follow(system, path, cycle), cycle, subject=subject or system.name)


def told(system: TransitionSystem, run: Followed, cycle: int | None, *, subject: str) -> Story:
    """The story of a run that was followed, about all guarantees that its last state hits."""
    sentences = _sentences(system, run.states[-1]) or {"": NOTHING_HIT}
    return _story(system, run, cycle, next(iter(sentences)), "; ".join(sentences.values()), subject)


# --- following --------------------------------------------------------------------------


def follow(system: TransitionSystem, path: Sequence[int], cycle: int | None = None) -> Followed:
    """The run along a path; an AddressError if there is none, or if it does not repeat as it should."""
    states = initial_states(system)
    _must_be_possible(path[0], len(states), "initial state")
    taken = tuple(_along(system, states[path[0]], path[1:]))
    followed = Followed(path[0], states[path[0]], taken)
    if cycle is not None:
        _must_repeat(system, followed.states, cycle)
    return followed


def _along(system: TransitionSystem, cells: Cells, choices: Sequence[int]) -> Iterator[Taken]:
    for number, choice in enumerate(choices, 1):
        possible = expand(system, cells).moves
        _must_be_possible(choice, len(possible), f"step {number}")
        yield Taken(cells, choice, possible)
        cells = possible[choice].target


def _between(system: TransitionSystem, before: Cells, after: Cells) -> Taken:
    possible = expand(system, before).moves
    return Taken(before, [move.target for move in possible].index(after), possible)


def _must_be_possible(choice: int, count: int, what: str) -> None:
    if choice >= count:
        raise _nowhere(f"{what} is number {choice}", f"there were {count}, numbered from 0")


def _must_repeat(system: TransitionSystem, states: Sequence[Cells], cycle: int) -> None:
    """The run comes back to where its repetition began, or nothing but faults can happen at its end."""
    if cycle == len(states) - 1:
        expansion = expand(system, states[-1])
        could = dict.fromkeys(each.action.name for each in expansion.moves if not each.action.optional)
        if could or expansion.failures:
            what = "it should stand still at the end, but more must happen there"
            raise _nowhere(what, f"possible there: {', '.join(could)}" if could else "a step fails there")
    elif states[cycle] != states[-1]:
        where = f"the state after step {cycle}" if cycle else "the initial state"
        raise _nowhere(f"what it repeats does not come back to {where}", "")


def _nowhere(what: str, possible: str) -> AddressError:
    return AddressError(
        "ANG032",
        f"the address leads nowhere: {what}",
        possible=possible,
        remedy="check the model again: the address may be of another version",
    )


# --- steps ------------------------------------------------------------------------------


def _story(
    system: TransitionSystem,
    run: Followed,
    cycle: int | None,
    guarantee: str,
    summary: str,
    subject: str,
) -> Story:
    teller = _Teller(system, Labels(system))
    readable = [decode(system, cells) for cells in run.states]
    steps = [teller.step(*each) for each in zip(run.taken, readable, readable[1:], strict=False)]
    path = [run.start, *(step.choice for step in steps)]
    return Story(
        subject=subject,
        address=model_address(subject, system.hash, dict(system.parameters), path, cycle),
        guarantee=guarantee,
        summary=summary,
        initial=readable[0],
        steps=steps,
        cycle=cycle,
        records=kinds_of_records([readable[0], *_values(steps)]),
    )


def _values(steps: Iterable[Step]) -> Iterator[Value]:
    """All values that steps hold."""
    for step in steps:
        yield step.state
        yield from (each.value for each in step.exchanges)
        yield from (value for each in step.changes for value in (each.before, each.after))


@dataclass(frozen=True, slots=True)
class _Teller:
    system: TransitionSystem
    labels: Labels

    def step(self, taken: Taken, before: State, after: State) -> Step:
        action, cells, values = taken.move.action, taken.before, _arguments(taken.move)
        return Step(
            action=action.name,
            arguments=told_arguments(self.labels, action, taken.move.arguments, cells),
            choice=taken.choice,
            actor=self.lifeline(action.actor, cells, values),
            exchanges=[self.exchange(message, cells, values) for message in action.messages],
            changes=changes(before, after),
            state=after,
            fault=action.fault,
        )

    def exchange(self, message: Message, cells: Cells, values: Mapping[str, int]) -> Exchange:
        indices = self.texts(message.indices, message.keys, cells, values)
        channel = message.channel + "".join(f"[{index}]" for index in indices)
        numbers = [evaluate(self.system, each, cells, values) for each in message.value]
        value = decode_value(self.labels, message.type, numbers) if message.type else None
        sender = self.lifeline(message.sender, cells, values)
        return Exchange(channel, value, sender, self.lifeline(message.receiver, cells, values))

    def lifeline(self, lifeline: Lifeline | None, cells: Cells, values: Mapping[str, int]) -> str | None:
        if lifeline is None:
            return None
        arguments = self.texts(lifeline.arguments, lifeline.types, cells, values)
        return f"{lifeline.process}({', '.join(arguments)})" if arguments else lifeline.process

    def texts(
        self,
        exprs: Sequence[Expr],
        types: Sequence[Scalar],
        cells: Cells,
        values: Mapping[str, int],
    ) -> list[str]:
        numbers = (evaluate(self.system, expr, cells, values) for expr in exprs)
        return [self.labels.text(type_, n) for type_, n in zip(types, numbers, strict=True)]


def _arguments(move: Move) -> dict[str, int]:
    names = (parameter.name for parameter in move.action.parameters)
    return dict(zip(names, move.arguments, strict=True))


# --- what is wrong at the end -----------------------------------------------------------


def _sentences(system: TransitionSystem, cells: Cells) -> dict[str, str]:
    """For each guarantee that a state hits, one sentence that says so."""
    expansion = expand(system, cells)
    judgement = judge(system, cells, at_rest=expansion.at_rest)
    failures = (*expansion.failures, *judgement.failures, *_failing_conditions(system, cells))
    sentences = {STAYS_IN_RANGE: _failed(system, failures[0], cells)} if failures else {}
    hit = (each for each in system.guarantees if each.name in judgement.hits)
    return sentences | {each.name: _decided(system, each, cells) for each in hit}


def _failing_conditions(system: TransitionSystem, cells: Cells) -> Iterator[Failure]:
    """The conditions of formulas that cannot be evaluated in a state."""
    for guarantee in system.temporal:
        for atom in atoms(guarantee.formula) if guarantee.formula else ():
            try:
                evaluate(system, atom.condition, cells, {})
            except EvaluationError as error:
                yield Failure(guarantee.name, (), error.message, error.at)


def _decided(system: TransitionSystem, guarantee: Guarantee, cells: Cells) -> str:
    says = f" ({guarantee.description})" if guarantee.description else ""
    if guarantee.kind == "reaches":
        return f"{guarantee.name}{says} is reached"
    whom = blamed(system, guarantee.condition, cells)
    wrong = f"{guarantee.name}{says} is false{whom}"
    return f"nothing more can happen, but {wrong}" if guarantee.kind == "at_rest" else wrong


def _failed(system: TransitionSystem, failure: Failure, cells: Cells) -> str:
    position = system.positions.get(failure.at)
    source = f" ({position.file}:{position.line}: {position.text.strip()})" if position else ""
    return f"{_failing(system, failure, cells)} fails: {failure.message}{source}"


def _failing(system: TransitionSystem, failure: Failure, cells: Cells) -> str:
    """What failed: a step with its arguments, or a guarantee."""
    for action in system.actions:
        if action.name == failure.name and len(action.parameters) == len(failure.arguments):
            words = told_arguments(Labels(system), action, failure.arguments, cells)
            return f"{action.name}({', '.join(words.values())})"
    return failure.name
