"""Runs of the code are runs of the model: each event of a rehearsal is taken as a step of the model.

The model of the transport is explored to the last state, but it is not what carries messages; the code
is. This file ties the one to the other. It follows a run of the code in the model with the reference
interpreter: every event must be a step that is possible there, and after it everything that can be seen
of the code must be as the model says. Then whatever the model's guarantees forbid did not happen in that
run. It is a test, not a proof: it speaks of the runs that were made. Code with a mistake departs from the
model; where, and in what, is the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from angarium.checker.explore.evaluate import EvaluationError
from angarium.checker.explore.interpret import after, combinations, expand, initial_states
from angarium.checker.explore.states import decode
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.transition import Action, Cells, TransitionSystem
from angarium.core.result import State
from angarium.systems.queue.sans_io.host import Host
from angarium.systems.queue.sans_io.rehearsal import Event, MakeHost, Moment, Rehearsal, Scenario, View
from angarium.systems.queue.transport_kinds import Kind
from angarium.systems.registry import load

MODEL = Path(__file__).parent.with_name("transport.py")


@dataclass(frozen=True, slots=True)
class Departure:
    """Where a run of the code stops being one of the model."""

    before: tuple[Event, ...]
    """What had happened until then, all of it possible in the model."""
    event: Event
    why: str

    def __str__(self) -> str:
        so_far = ", ".join(map(str, self.before)) or "nothing"
        return f"after {so_far}: {self.event} {self.why}"


def departures(
    scenario: Scenario, seeds: Iterable[int], *, length: int = 80, host: MakeHost = Host
) -> Iterator[Departure]:
    """Where random runs of the code depart from the model; nothing if all are runs of it."""
    follower = Follower(scenario)
    runs = (Rehearsal(scenario, Random(seed), host).run(length) for seed in seeds)
    return filter(None, map(follower.departure, runs))


class Follower:
    """Follows runs of the code in the model of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.system = load(str(MODEL), parameters(scenario))
        self._steps = _steps(self.system)

    def departure(self, run: Iterable[Moment]) -> Departure | None:
        """Where the run departs from the model, if it does."""
        (cells,) = initial_states(self.system)
        before: list[Event] = []
        for event, seen in run:
            reached = self._taken(event, cells)
            if reached is None:
                return Departure(tuple(before), event, self._impossible(cells))
            differences = _differences(seen, view(decode(self.system, reached)))
            if differences:
                return Departure(tuple(before), event, f"leads elsewhere: {'; '.join(differences)}")
            before.append(event)
            cells = reached
        return None

    def _taken(self, event: Event, cells: Cells) -> Cells | None:
        found = self._steps.get(event)
        if found is None:
            return None
        action, arguments = found
        try:
            return after(self.system, action, arguments, cells)
        except EvaluationError:
            return None

    def _impossible(self, cells: Cells) -> str:
        names = {(action.name, arguments): event for event, (action, arguments) in self._steps.items()}
        moves = expand(self.system, cells).moves
        possible = ", ".join(str(names[move.action.name, move.arguments]) for move in moves)
        return f"is not possible in the model; possible there: {possible}"


def parameters(scenario: Scenario) -> dict[str, str]:
    """The parameters of the model that make a scenario of it."""
    return {
        "messages": str(scenario.messages),
        "capacity": str(scenario.capacity),
        "under_way": str(scenario.under_way),
        "duplicates": str(scenario.duplicates),
        "when_full": scenario.when_full.name.lower(),
        "unsure": scenario.unsure.name.lower(),
        "incarnations": str(scenario.incarnations).lower(),
        "sender_lives": str(scenario.sender_restarts + 1),
        "receiver_lives": str(scenario.receiver_restarts + 1),
    }


def _steps(system: TransitionSystem) -> dict[Event, tuple[Action, tuple[int, ...]]]:
    """Every step of the model by the event that it is."""
    labels = Labels(system)
    found = {}
    for action in system.actions:
        for numbers in combinations(action.parameters):
            pairs = zip(action.parameters, numbers, strict=True)
            arguments = tuple(labels.value(parameter.type, number) for parameter, number in pairs)
            found[Event(action.name, arguments)] = action, numbers
    return found


# --- what can be seen of the model ------------------------------------------------------------------


def view(state: State) -> View:
    """A state of the model in the words in which a rehearsal tells of the code."""
    same = """asked fate next_number sender_life peer expected receiver_life sender_known
        doubled disordered""".split()
    return {
        **{name: state[name] for name in same},
        "queue": [(packet["number"], packet["message"]) for packet in state["queue"]],
        "data": sorted(map(_header, state["data"]), key=repr),
        "answers": sorted(map(_answer, state["answers"]), key=repr),
        "delivered": list(state["delivered"]),
    }


def _header(datagram: State) -> tuple[object, ...]:
    return tuple(datagram[field] for field in ("message", "number", "source", "target"))


def _answer(answer: State) -> tuple[object, ...]:
    """A notice says nothing but the receiver's life."""
    about = _header(answer) if answer["kind"] == Kind.ACK.name else (answer["target"],)
    return (answer["kind"], *about)


def _differences(code: View, model: View) -> list[str]:
    assert code.keys() == model.keys()
    return [
        f"{name} is {code[name]} in the code and {model[name]} in the model"
        for name in code
        if code[name] != model[name]
    ]
