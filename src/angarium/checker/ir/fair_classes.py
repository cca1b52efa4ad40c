"""Which steps a guarantee's fairness speaks of: classes of action instances.

A demand groups the steps of the actions or processes that it names (all that are not optional if it names
none): all together, by process, by action, or each instance for itself. A step belongs to every process
that takes part in it, a rendezvous to the sender and to the receiver; an action that is nobody's is a
process of its own. A fault, or what an intruder does, is in a class only if the demand names that very step:
who names a process does not ask for its crashes. What a step chooses by itself tells no instances apart:
nobody owes a coin to fall on each side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.syntax import Expr
from angarium.checker.ir.transition import Action, Lifeline

Instance = tuple[str, tuple[int, ...]]
"""An action's name and its arguments."""
Group = frozenset[Instance]
Process = tuple[str, tuple[int, ...]]
"""A process's name and its arguments."""
Value = Callable[[Expr, Mapping[str, int]], int]
"""What an expression over an action's arguments is."""


@dataclass(frozen=True, slots=True)
class Owed:
    """The classes that must happen: if possible without interruption, or if possible again and again."""

    weak: tuple[Group, ...] = ()
    strong: tuple[Group, ...] = ()

    def without(self, trivial: Callable[[Group], bool]) -> Owed:
        """Only the classes of which something is really demanded."""
        return Owed(*(tuple(g for g in groups if not trivial(g)) for groups in (self.weak, self.strong)))

    @property
    def groups(self) -> tuple[Group, ...]:
        return (*self.weak, *self.strong)


@dataclass(frozen=True, slots=True)
class Step:
    """An action instance, and who takes part in it."""

    action: Action
    arguments: tuple[int, ...]
    processes: tuple[Process, ...]

    @property
    def own(self) -> tuple[int, ...]:
        """The arguments without the choices that the step makes by itself."""
        given = zip(self.action.parameters, self.arguments, strict=True)
        return tuple(value for parameter, value in given if not parameter.internal)


_KEYS: dict[str, Callable[[Step, Process], Hashable]] = {
    "all": lambda step, process: None,
    "process": lambda step, process: process,
    "action": lambda step, process: step.action.name,
    "instance": lambda step, process: (step.action.name, step.own),
}


def owed(steps: Iterable[Step], demands: tuple[Fairness, ...]) -> Owed:
    """The classes of all demands together, each once; what is owed strongly is not owed weakly as well."""
    found: dict[str, dict[Group, None]] = {"weak": {}, "strong": {}}
    known = list(steps) if demands else []
    for demand in demands:
        found[demand.strength] |= dict.fromkeys(_groups(known, demand))
    weak = tuple(group for group in found["weak"] if group not in found["strong"])
    return Owed(weak, tuple(found["strong"]))


def steps(actions: Iterable[Action], value: Value) -> Iterator[Step]:
    """Every action instance, in the order of its label."""
    for action in actions:
        for arguments in arguments_of(action):
            yield Step(action, arguments, _processes(action, arguments, value))


def arguments_of(action: Action) -> Iterator[tuple[int, ...]]:
    """All combinations of an action's arguments."""
    return product(*(range(each.type.low, each.type.high + 1) for each in action.parameters))


def _groups(steps: list[Step], demand: Fairness) -> list[Group]:
    groups: dict[Hashable, set[Instance]] = {}
    for step in steps:
        for process in step.processes:
            if _is_owed(step.action, process, demand.of):
                members = groups.setdefault(_KEYS[demand.per](step, process), set())
                members.add((step.action.name, step.arguments))
    return [frozenset(members) for members in groups.values()]


def _is_owed(action: Action, process: Process, of: tuple[str, ...]) -> bool:
    return action.name in of or (not action.optional and (not of or process[0] in of))


def _processes(action: Action, arguments: tuple[int, ...], value: Value) -> tuple[Process, ...]:
    """Who takes part in a step."""
    local = dict(zip((each.name for each in action.parameters), arguments, strict=True))
    found = dict.fromkeys(
        (each.process, tuple(value(argument, local) for argument in each.arguments))
        for each in _lifelines(action)
    )
    return tuple(found) or ((f"action {action.name}", ()),)


def _lifelines(action: Action) -> list[Lifeline]:
    ends = [end for message in action.messages for end in (message.sender, message.receiver)]
    return [each for each in (action.actor, *ends) if each is not None]
