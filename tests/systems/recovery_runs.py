"""Random runs of the recovery protocol's code, and the model that follows them step by step.

A rehearsal is a few nodes and a network between them that is late, loses letters and is cut and healed, by a
seed. Each thing that a node does is told as events, which are actions of the model with their arguments, and
as a view, which is what can be seen of it afterwards. The model must be able to do the same, and then look
the same. A letter with several statements is several notices, and what has been sent may arrive any number
of times, or never: so the model is told to copy, and losses need no event.

Every broker begins in its first life with statement number 0, so a serial of the model is a number here. That
all is well need not be told: statements with number 0 are left out on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from angarium.checker.explore.evaluate import EvaluationError
from angarium.checker.explore.interpret import after, combinations, initial_states
from angarium.checker.explore.states import decode
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.transition import Action as ModelAction
from angarium.checker.ir.transition import Cells
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.interface import Event as Cause
from angarium.mesh.protocol.interface import State, Timing
from angarium.mesh.protocol.link_state import Pair, Stamp, Statement
from angarium.mesh.protocol.messages import Acknowledgement, Letter, Notification
from angarium.mesh.protocol.node import Action, Changed, Node, Send
from angarium.systems.registry import load

MakeNode = Callable[..., Node]
View = dict[str, object]
CHANGES = 6
"""How often a link is cut or heals in a run."""


class Event(NamedTuple):
    """An action of the model with its arguments."""

    action: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.action}({', '.join(self.arguments)})"


class Moment(NamedTuple):
    """What one step of the code is in the model, and what is to be seen after it."""

    events: list[Event]
    view: View


@dataclass(frozen=True, slots=True)
class Scenario:
    """A mesh, in the words of the code and of the model."""

    colouring: Colouring
    parameters: dict[str, str]
    loss: float = 0.2


def label(broker: str) -> str:
    return f"b{broker}"


def serial(number: int) -> str:
    return f"s{number + 1}"


# --- the code ---------------------------------------------------------------------------------------------


class Rehearsal:
    """Nodes, a clock, and the letters under way."""

    def __init__(self, scenario: Scenario, seed: int, make: MakeNode = Node) -> None:
        self.scenario, self.random = scenario, Random(seed)
        self.chart = scenario.colouring.chart
        self.now, self.cut, self.loss = 0.0, set[Pair](), 0.0
        self.letters: list[tuple[float, int, str, Letter]] = []
        self.sent = 0
        timing = Timing(0.05, tests=2)
        self.nodes = {name: make(name, scenario.colouring, timing) for name in self.chart.brokers}

    def run(self) -> Iterator[Moment]:
        """When brokers have met, links are cut and heal, and letters get lost."""
        for _ in self._pass(1.0):
            pass
        self.loss = self.scenario.loss
        for _ in range(CHANGES):
            yield self._change()
            yield from self._pass(self.random.uniform(0.0, 0.6))
        yield from self._pass(0.6)

    def _change(self) -> Moment:
        pair = self.random.choice(list(self.chart.cables))
        heals = pair in self.cut
        self.cut ^= {pair}
        self.letters = [each for each in self.letters if self._pair(each[2], each[3].sender) != pair]
        return Moment([Event("heal_link" if heals else "cut_link", tuple(map(label, pair)))], self.view())

    def _pair(self, one: str, other: str) -> Pair:
        return self.chart.pair(one, other)

    def _pass(self, seconds: float) -> Iterator[Moment]:
        end = self.now + seconds
        while (when := self._next()) <= end:
            self.now = max(self.now, when)
            if self.letters and self.letters[0][0] <= self.now:
                _, _, to, letter = heappop(self.letters)
                yield self._step(to, letter)
            else:
                yield self._step(min(self.nodes, key=lambda name: self.nodes[name].wakes), None)
        self.now = end

    def _next(self) -> float:
        return min([*(node.wakes for node in self.nodes.values()), *(each[0] for each in self.letters[:1])])

    def _step(self, name: str, letter: Letter | None) -> Moment:
        node = self.nodes[name]
        owed = {(n, o): each for n, face in node.interfaces.items() for o, each in face.owed.items()}
        actions = node.heard(self.now, letter) if letter else node.passed(self.now)
        self._post(name, actions)
        events = [
            *(self._arrived(name, letter) if letter else ()),
            *self._noticed(name, actions),
            *(() if letter else self._sent_again(name, actions, owed)),
        ]
        return Moment(events, self.view() if events else {})

    def _post(self, name: str, actions: Iterable[Action]) -> None:
        for each in actions:
            if isinstance(each, Send) and self._pair(name, each.to) not in self.cut:
                self.sent += 1
                if self.random.random() >= self.loss:
                    when = self.now + self.random.uniform(0.001, 0.12)
                    heappush(self.letters, (when, self.sent, each.to, each.letter))

    # --- what it is in the model ------------------------------------------------------------------

    def _arrived(self, name: str, letter: Letter) -> Iterator[Event]:
        match letter.message:
            case Notification(statements):
                kind, stamps = "notice_arrives", [each.stamp for each in statements]
            case Acknowledgement(acknowledged):
                kind, stamps = "ack_arrives", list(acknowledged)
            case _:
                return
        ways = label(letter.sender), label(name)
        for stamp in stamps:
            if stamp.number:
                yield Event(kind, (*ways, *_named(stamp)))

    def _noticed(self, name: str, actions: Iterable[Action]) -> Iterator[Event]:
        for each in actions:
            if isinstance(each, Changed) and each.why is Cause.DIFFERS:
                yield Event("compare", (label(name), label(each.neighbour)))
            elif isinstance(each, Changed) and State.FAILURE in (each.before, each.after):
                is_cut = self._pair(name, each.neighbour) in self.cut
                failed = "notice_failure" if is_cut else "false_alarm"
                what = failed if each.after is State.FAILURE else "notice_recovery"
                yield Event(what, (label(name), label(each.neighbour)))

    def _sent_again(
        self, name: str, actions: Iterable[Action], owed: dict[tuple[str, str], Statement]
    ) -> Iterator[Event]:
        for each in actions:
            if isinstance(each, Send) and isinstance(each.letter.message, Notification):
                for statement in each.letter.message.statements:
                    again = owed.get((each.to, statement.origin)) == statement and statement.stamp.number
                    if again and self._pair(name, each.to) not in self.cut:
                        ends = label(name), label(each.to)
                        yield Event("retransmit", (*ends, *_named(statement.stamp)))

    def view(self) -> View:
        """What is true of all nodes."""
        seen: View = {}
        for name, node in self.nodes.items():
            who, known = label(name), node.database.statements
            seen[f"held by {who}"] = {label(o): serial(known[o].stamp.number) for o in self.chart.brokers}
            seen[f"dead for {who}"] = {label(o): _names(known[o].dead) for o in self.chart.brokers}
            seen[f"table of {who}"] = sorted(node.view.dead)
            faces = node.interfaces.items()
            seen[f"failed at {who}"] = _names(n for n, face in faces if face.state is State.FAILURE)
            seen[f"owed by {who}"] = {
                (label(n), label(o)): serial(each.stamp.number)
                for n, face in faces for o, each in face.owed.items() if each.stamp.number
            }  # fmt: skip
        return seen


def _named(stamp: Stamp) -> tuple[str, str]:
    return label(stamp.origin), serial(stamp.number)


def _names(brokers: Iterable[str]) -> list[str]:
    return sorted(map(label, brokers))


# --- the model ----------------------------------------------------------------------------------------------


class Follower:
    """Follows runs of the code in the model."""

    def __init__(self, scenario: Scenario) -> None:
        plenty = dict.fromkeys(("failures", "recoveries", "alarms", "statements"), "16")
        fixed = {"network": "copying", "packets": "none", "belief": "checked"}
        self.system = load("recovery", {**scenario.parameters, **plenty, **fixed})
        self.colouring = scenario.colouring
        self.steps = self._steps()

    def departure(self, run: Iterable[Moment]) -> str | None:
        """Where the run departs from the model, if it does."""
        (cells,) = initial_states(self.system)
        for events, seen in run:
            for event in events:
                reached = self._taken(event, cells)
                if reached is None:
                    return f"{event} is not possible in the model"
                cells = reached
            if events:
                model = self.view(cells)
                different = [
                    f"{name}: {seen[name]}, not {model[name]}" for name in seen if seen[name] != model[name]
                ]
                if different:
                    return f"after {', '.join(map(str, events))} {'; '.join(different)}"
        return None

    def _taken(self, event: Event, cells: Cells) -> Cells | None:
        action, arguments = self.steps[event]
        try:
            return after(self.system, action, arguments, cells)
        except EvaluationError:
            return None

    def _steps(self) -> dict[Event, tuple[ModelAction, tuple[int, ...]]]:
        labels, found = Labels(self.system), {}
        for action in self.system.actions:
            for numbers in combinations(action.parameters):
                pairs = zip(action.parameters, numbers, strict=True)
                named = tuple(str(labels.value(parameter.type, number)) for parameter, number in pairs)
                found[Event(action.name, named)] = action, numbers
        return found

    def view(self, cells: Cells) -> View:
        """A state of the model in the words of a rehearsal."""
        state = decode(self.system, cells)
        seen: View = {}
        for who in state["held"]:
            dead = {o: sorted(names) for o, names in state["colour"][who].items()}
            seen[f"held by {who}"] = state["held"][who]
            seen[f"dead for {who}"] = dead
            seen[f"table of {who}"] = self._table(who, dead)
            seen[f"failed at {who}"] = sorted(state["down"][who])
            seen[f"owed by {who}"] = {
                (n, o): s for n, owed in state["owed"][who].items() for o, s in owed.items() if s is not None
            }
        return seen

    def _table(self, who: str, dead: dict[str, list[str]]) -> list[Pair]:
        """The links that matter to a broker and are dead because one of their ends says so."""
        pairs = {self.colouring.chart.pair(o[1:], n[1:]) for o, names in dead.items() for n in names}
        return sorted(self.colouring.view(who[1:], frozenset(pairs)).dead)
