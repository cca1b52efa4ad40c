"""Which steps a guarantee's fairness speaks of: classes of action instances.

A demand groups the steps of the actions or processes that it names (all that are no faults if it names
none): all together, by process, by action, or each instance for itself. A step belongs to every process
that takes part in it, a rendezvous to the sender and to the receiver; an action that is nobody's is a
process of its own. A fault is in a class only if the demand names the fault itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import product

from angarium.export.unroll import Env, Unroller
from angarium.model.formula import Fairness
from angarium.model.transition import Action, Const, Lifeline

Instance = tuple[str, tuple[int, ...]]
"""An action's name and its arguments."""
Group = frozenset[Instance]
Process = tuple[str, tuple[int, ...]]


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
class _Step:
    action: Action
    arguments: tuple[int, ...]
    processes: tuple[Process, ...]

    @property
    def own(self) -> tuple[int, ...]:
        """The arguments without the choices that the step makes by itself."""
        given = zip(self.action.parameters, self.arguments, strict=True)
        return tuple(value for parameter, value in given if not parameter.internal)


_KEYS: dict[str, Callable[[_Step, Process], Hashable]] = {
    "all": lambda step, process: None,
    "process": lambda step, process: process,
    "action": lambda step, process: step.action.name,
    "instance": lambda step, process: (step.action.name, step.own),
}


def owed(unroller: Unroller, demands: tuple[Fairness, ...]) -> Owed:
    """The classes of all demands together, each once; what is owed strongly is not owed weakly as well."""
    steps = (
        [step for action in unroller.system.actions for step in _steps(unroller, action)] if demands else []
    )
    found: dict[str, dict[Group, None]] = {"weak": {}, "strong": {}}
    for demand in demands:
        _refuse_unknown_names(unroller, demand, steps)
        found[demand.strength] |= dict.fromkeys(_groups(steps, demand))
    weak = tuple(group for group in found["weak"] if group not in found["strong"])
    return Owed(weak, tuple(found["strong"]))


def arguments_of(action: Action) -> Iterator[tuple[int, ...]]:
    """All combinations of an action's arguments."""
    return product(*(range(each.type.low, each.type.high + 1) for each in action.parameters))


def _groups(steps: list[_Step], demand: Fairness) -> list[Group]:
    groups: dict[Hashable, set[Instance]] = {}
    for step in steps:
        for process in step.processes:
            if _is_owed(step.action, process, demand.of):
                members = groups.setdefault(_KEYS[demand.per](step, process), set())
                members.add((step.action.name, step.arguments))
    return [frozenset(members) for members in groups.values()]


def _is_owed(action: Action, process: Process, of: tuple[str, ...]) -> bool:
    return action.name in of or (not action.fault and (not of or process[0] in of))


def _steps(unroller: Unroller, action: Action) -> Iterator[_Step]:
    for arguments in arguments_of(action):
        yield _Step(action, arguments, tuple(_processes(unroller, action, arguments)))


def _processes(unroller: Unroller, action: Action, arguments: tuple[int, ...]) -> dict[Process, None]:
    """Who takes part in a step."""
    names = [each.name for each in action.parameters]
    env = Env(dict(zip(names, map(Const, arguments), strict=True)), {})
    found: dict[Process, None] = {}
    for lifeline in _lifelines(action):
        values = [unroller.expr(each, env) for each in lifeline.arguments]
        found[lifeline.process, tuple(each.value for each in values if isinstance(each, Const))] = None
    return found or {(f"action {action.name}", ()): None}


def _lifelines(action: Action) -> list[Lifeline]:
    ends = [end for message in action.messages for end in (message.sender, message.receiver)]
    return [each for each in (action.actor, *ends) if each is not None]


def _refuse_unknown_names(unroller: Unroller, demand: Fairness, steps: list[_Step]) -> None:
    known = {step.action.name for step in steps} | {name for step in steps for name, _ in step.processes}
    for name in demand.of:
        if name not in known:
            raise unroller.refuse(f"fairness of {name}, which is neither an action nor a process,")
