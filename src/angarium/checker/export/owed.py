"""The fairness of a guarantee as classes of steps (`fair_classes`), for a target that has names of its
own."""

from __future__ import annotations

from collections.abc import Mapping

from angarium.checker.export.unroll import Env, Unroller
from angarium.checker.ir import fair_classes as classes
from angarium.checker.ir.fair_classes import Group as Group
from angarium.checker.ir.fair_classes import Instance as Instance
from angarium.checker.ir.fair_classes import Owed as Owed
from angarium.checker.ir.fair_classes import Step
from angarium.checker.ir.fair_classes import arguments_of as arguments_of
from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.syntax import Const, Expr


def owed(unroller: Unroller, demands: tuple[Fairness, ...]) -> Owed:
    """The classes of all demands together."""

    def value(expr: Expr, local: Mapping[str, int]) -> int:
        known = {name: Const(number) for name, number in local.items()}
        found = unroller.expr(expr, Env(dict(known), {}))
        assert isinstance(found, Const), found
        return found.value

    steps = list(classes.steps(unroller.system.actions, value)) if demands else []
    for demand in demands:
        _refuse_unknown_names(unroller, demand, steps)
    return classes.owed(steps, demands)


def _refuse_unknown_names(unroller: Unroller, demand: Fairness, steps: list[Step]) -> None:
    known = {step.action.name for step in steps} | {name for step in steps for name, _ in step.processes}
    for name in demand.of:
        if name not in known:
            raise unroller.refuse(f"fairness of {name}, which is neither an action nor a process,")
