"""From a run to its story: which step led from each state to the next, and what it did.

An engine answers with states only. The interpreter finds the steps between them again: the first
enabled step that leads to the next state, and its position among all enabled steps, which is one
number of the story's address. Following such numbers from an initial state gives the story back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from angarium.errors import AddressError
from angarium.explore.engine import Cells
from angarium.explore.interpret import Failure, Move, evaluate, expand, initial_states, judge, steps
from angarium.explore.labels import Labels
from angarium.explore.states import changes, decode, decode_value
from angarium.model.transition import (
    STAYS_IN_RANGE,
    Expr,
    Guarantee,
    Lifeline,
    Message,
    TransitionSystem,
)
from angarium.model.types import Scalar
from angarium.verdict import Exchange, Step, Story

NOTHING_HIT = "no guarantee is decided by this run"


def tell(system: TransitionSystem, run: Sequence[Cells], guarantee: str, *, subject: str) -> Story:
    """The story of a run that hits a guarantee in its last state."""
    teller = _Teller(system, Labels(system))
    choices = [_choice(system, before, after) for before, after in pairwise(run)]
    start = initial_states(system).index(run[0])
    summary = _sentences(system, run[-1])[guarantee]
    return teller.story(subject, guarantee, summary, start, run, choices)


def replay(system: TransitionSystem, path: Sequence[int], *, subject: str | None = None) -> Story:
    """The story at an address's path, about all guarantees that its last state hits."""
    states = initial_states(system)
    run = [_follow(states, path[0], "initial state")]
    for number, choice in enumerate(path[1:], 1):
        targets = [move.target for move in steps(system, run[-1])]
        run.append(_follow(targets, choice, f"step {number}"))
    sentences = _sentences(system, run[-1]) or {"": NOTHING_HIT}
    teller, guarantee = _Teller(system, Labels(system)), next(iter(sentences))
    summary = "; ".join(sentences.values())
    return teller.story(subject or system.name, guarantee, summary, path[0], run, path[1:])


def _choice(system: TransitionSystem, before: Cells, after: Cells) -> int:
    return [move.target for move in steps(system, before)].index(after)


def _follow(states: Sequence[Cells], choice: int, what: str) -> Cells:
    if choice < len(states):
        return states[choice]
    raise AddressError(
        "ANG032",
        f"the address leads nowhere: {what} is number {choice}",
        possible=f"there were {len(states)}, numbered from 0",
        remedy="check the model again: the address may be of another version",
    )


# --- steps ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Teller:
    system: TransitionSystem
    labels: Labels

    def story(
        self,
        subject: str,
        guarantee: str,
        summary: str,
        start: int,
        run: Sequence[Cells],
        choices: Sequence[int],
    ) -> Story:
        return Story(
            subject=subject,
            parameters=dict(self.system.parameters),
            model_hash=self.system.hash,
            guarantee=guarantee,
            summary=summary,
            start=start,
            initial=decode(self.system, run[0]),
            steps=[self.step(state, n) for state, n in zip(run, choices, strict=False)],
        )

    def step(self, cells: Cells, choice: int) -> Step:
        move = steps(self.system, cells)[choice]
        action, values = move.action, _arguments(move)
        before, after = decode(self.system, cells), decode(self.system, move.target)
        arguments = {p.name: self.labels.text(p.type, values[p.name]) for p in action.parameters}
        return Step(
            action=action.name,
            arguments=arguments,
            choice=choice,
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
    failures = (*expansion.failures, *judgement.failures)
    sentences = {STAYS_IN_RANGE: _failed(system, failures[0])} if failures else {}
    hit = (each for each in system.guarantees if each.name in judgement.hits)
    return sentences | {each.name: _decided(each) for each in hit}


def _decided(guarantee: Guarantee) -> str:
    says = f" ({guarantee.description})" if guarantee.description else ""
    match guarantee.kind:
        case "invariant":
            return f"{guarantee.name}{says} is false"
        case "at_rest":
            return f"nothing more can happen, but {guarantee.name}{says} is false"
        case "reaches":
            return f"{guarantee.name}{says} is reached"


def _failed(system: TransitionSystem, failure: Failure) -> str:
    position = system.positions.get(failure.at)
    source = f" ({position.file}:{position.line}: {position.text.strip()})" if position else ""
    return f"{_failing(system, failure)} fails: {failure.message}{source}"


def _failing(system: TransitionSystem, failure: Failure) -> str:
    """What failed: a step with its arguments, or a guarantee."""
    labels = Labels(system)
    for action in system.actions:
        if action.name == failure.name and len(action.parameters) == len(failure.arguments):
            pairs = zip(action.parameters, failure.arguments, strict=True)
            return f"{action.name}({', '.join(labels.text(p.type, n) for p, n in pairs)})"
    return failure.name
