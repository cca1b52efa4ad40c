"""The arguments of a function that has one instance for each combination of their values."""

from __future__ import annotations

from angarium.checker.frontend.context import Context
from angarium.checker.ir import types
from angarium.checker.ir.transition import Parameter
from angarium.checker.language.declarations import FunctionDecl


def parameters_of(context: Context, function: FunctionDecl) -> list[Parameter]:
    """What an action, a process or an observation has an instance for."""
    parameters = []
    for arg in function.arguments:
        type_ = context.model.annotated(arg.annotation, context.module).type if arg.annotation else None
        if type_ is None or not types.is_scalar(type_):
            raise context.module.error(
                "ANG107",
                arg,
                f"the argument {arg.arg} does not say which values it can have",
                "possible: an Index, an Enum, bool, or one of these with | None",
                f"write {arg.arg}: App",
            )
        parameters.append(Parameter(arg.arg, types.scalar(type_)))
    return parameters
