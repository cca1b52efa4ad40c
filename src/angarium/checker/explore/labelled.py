"""A system whose successors tell which step leads to them.

Two variables more, kept apart from the state: the *label*, the number of the action instance, and the
*event*, if any are asked for. Each step writes them last, so nothing else about it changes, and what it
costs to see that a step is not enabled stays the same. The event is computed in the state before the step,
once the guards in front of the first write have let it through: what they protect may be read. Both are
computed before a parameter's name is bound to something else.

The wish's conditions become guarantees that some state reaches, behind those of the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from angarium.checker.backend.kernel import Kernel, compile_system
from angarium.checker.explore.graph import Wish, first_labels, instances
from angarium.checker.ir.syntax import Binary, Block, Const, Expr, For, If, Let, Local, Stmt, Write
from angarium.checker.ir.transition import Action, Guarantee, Parameter, TransitionSystem, Variable
from angarium.checker.ir.types import Int

LABEL, EVENT = "(label)", "(event)"
"""No model can use these names."""
_LAST_EVENT = 2**63 - 1


def compile_labelled(system: TransitionSystem, wish: Wish) -> Kernel:
    """The kernel of the labelled system."""
    return compile_system(labelled(system, wish), apart=2 if wish.events else 1)


def labelled(system: TransitionSystem, wish: Wish) -> TransitionSystem:
    """The same states and steps; each step writes its label and its event."""
    first = first_labels(system.actions)
    told = [Variable(LABEL, Int(0, instances(system.actions)))]
    if wish.events:
        told.append(Variable(EVENT, Int(0, _LAST_EVENT)))
    return replace(
        system,
        variables=(*system.variables, *told),
        actions=tuple(_labelled(action, first[action.name], wish) for action in system.actions),
        guarantees=(*system.guarantees, *_atoms(wish.conditions)),
    )


def _atoms(conditions: Sequence[Expr]) -> Iterator[Guarantee]:
    for number, condition in enumerate(conditions):
        yield Guarantee(f"({number})", "reaches", condition)


def _labelled(action: Action, first: int, wish: Wish) -> Action:
    told: dict[str, Expr] = {LABEL: Binary("+", Const(first), _combination(action.parameters))}
    if wish.events:
        told[EVENT] = wish.events.get(action.name, Const(0))
    place = _place(action)
    computed = (Let(name, value) for name, value in told.items())
    written = (Write(name, Const(0), Local(name)) for name in told)
    return replace(action, body=(*action.body[:place], *computed, *action.body[place:], *written))


def _combination(parameters: Sequence[Parameter]) -> Expr:
    """The number of the arguments among all combinations; see `graph.combination`."""
    number: Expr = Const(0)
    for each in parameters:
        scaled = Binary("*", number, Const(each.type.high - each.type.low + 1))
        number = Binary("+", scaled, Binary("-", Local(each.name), Const(each.type.low)))
    return number


def _place(action: Action) -> int:
    """The first statement that changes the state or a parameter's name."""
    names = {parameter.name for parameter in action.parameters}
    return next((n for n, each in enumerate(action.body) if _changes(each, names)), len(action.body))


def _changes(statement: Stmt, names: set[str]) -> bool:
    match statement:
        case Write():
            return True
        case Let(name) | For(name) if name in names:
            return True
        case If(_, then, otherwise):
            return _any_changes((*then, *otherwise), names)
        case For(_, _, _, body):
            return _any_changes(body, names)
        case _:
            return False


def _any_changes(block: Block, names: set[str]) -> bool:
    return any(_changes(each, names) for each in block)
