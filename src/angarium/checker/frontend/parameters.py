"""First pass: fill in the parameters, so that every type has its size.

Settings come as text, as a command line or a file gives them, or as Python's numbers and truths; what is not
set has the model's default.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from angarium.checker.frontend.declared import Shape, Static
from angarium.checker.frontend.elaborate import Elaboration
from angarium.checker.frontend.static import evaluate_number
from angarium.checker.ir import types
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import ModelDecl, ParameterDecl, word_of
from angarium.checker.language.source import Definition
from angarium.core.errors import ParameterError, did_you_mean
from angarium.core.result import Parameters, setting_text


def elaborate(decl: ModelDecl, settings: Parameters) -> Elaboration:
    """Fill in the parameters from settings and defaults."""
    unknown = set(settings) - {p.name for p in decl.parameters}
    if unknown:
        name = min(unknown)
        raise ParameterError(
            "ANG020",
            f"{decl.name} has no parameter {name!r}",
            possible=did_you_mean(name, [p.name for p in decl.parameters]),
        )
    model = Elaboration(decl)
    for parameter in decl.parameters:
        given = parameter.name in settings
        _set(model, parameter, setting_text(settings[parameter.name]) if given else None)
    for state in decl.state:
        if isinstance(state.value, ast.Call) and word_of(decl.module, state.value) == "budget":
            model.budgets.add(state.name)
            _starts_at(model, state.name, state.value)
        model.state[state.name] = model.shape(state)
    return model


def _starts_at(model: Elaboration, budget: str, call: ast.Call) -> None:
    """Note which setting a budget starts at, if it does."""
    for node in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(node, ast.Name) and node.id in model.settings:
            model.settings[node.id].append(budget)


def vary(system: TransitionSystem, changes: Parameters) -> TransitionSystem:
    """The same system with other values of its settings: what building it anew would give, at once."""
    starts = dict(system.settings)
    present, variables = dict(system.parameters), dict(system.variable)
    for name, changed in changes.items():
        if name not in starts:
            possible = did_you_mean(name, starts)
            raise ParameterError("ANG020", f"{system.name} has no setting {name!r}", possible=possible)
        value = _value(name, setting_text(changed), variables[name].type)
        present[name] = as_setting(value)
        variables |= {each: replace(variables[each], initial=(value.value,)) for each in starts[name]}
    return replace(
        system, parameters=tuple(present.items()), variables=tuple(variables.values()), known_hash=""
    )


def _value(name: str, text: str, type_: types.Type) -> Static:
    assert isinstance(type_, types.Bool | types.Int | types.Enumeration), type_
    value = Static(type_, _parse(name, text, type_))
    _check_range(name, value)
    return value


def _set(model: Elaboration, parameter: ParameterDecl, text: str | None) -> None:
    arguments = _parameter_arguments(model, parameter)
    default = model.static(arguments["default"])
    if isinstance(default.type, types.Int):
        low, high = (
            evaluate_number(model, arguments[each], model.module) if each in arguments else None
            for each in ("low", "high")
        )
        counting = parameter.word == "count"
        bounds = types.Int(
            low if low is not None else int(counting),
            high if high is not None else (64 if counting else 1_000_000),
        )
        default = Static(bounds, default.value)
    value = default if text is None else Static(default.type, _parse(parameter.name, text, default.type))
    _check_range(parameter.name, value)
    model.parameters[parameter.name] = value
    if parameter.word == "setting":
        model.settings[parameter.name] = [parameter.name]
        model.state[parameter.name] = Shape(value.type, ((value.value,),))
    if parameter.word == "count" and isinstance(arguments["index"], ast.Name):
        name = _class_name(model, arguments["index"])
        if name in model.index_sizes:
            raise model.module.error("ANG107", parameter.call, f"{name} is counted twice")
        model.index_sizes[name] = value.value


def _class_name(model: Elaboration, node: ast.Name) -> str:
    meaning = model.module.lookup(node.id)
    if isinstance(meaning, Definition) and isinstance(meaning.node, ast.ClassDef):
        return meaning.node.name
    raise model.module.error("ANG105", node, f"there is no index named {node.id!r}")


def _parameter_arguments(model: Elaboration, parameter: ParameterDecl) -> dict[str, ast.expr]:
    names = ("index", "default") if parameter.word == "count" else ("default",)
    given = dict(zip(names, parameter.call.args, strict=False))
    given |= {k.arg: k.value for k in parameter.call.keywords if k.arg}
    if set(names) - set(given) or set(given) - {*names, "low", "high"}:
        raise model.module.error(
            "ANG107",
            parameter.call,
            f"{parameter.word} takes {', '.join(names)}, low and high",
            "",
            f"for example {parameter.name} = {'count(Queue, 3)' if len(names) == 2 else 'param(1)'}",
        )
    return given


def _parse(name: str, text: str, type_: types.Scalar) -> int:
    if isinstance(type_, types.Enumeration):
        names = [_plain(member) for member in type_.members]
        if _plain(text) in names:
            return names.index(_plain(text))
        raise _impossible(name, text, did_you_mean(_plain(text), names))
    if isinstance(type_, types.Bool):
        words = {"true": 1, "yes": 1, "on": 1, "1": 1, "false": 0, "no": 0, "off": 0, "0": 0}
        if text.lower() in words:
            return words[text.lower()]
        raise _impossible(name, text, "possible: true, false")
    try:
        return int(text)
    except ValueError:
        raise _impossible(name, text, f"possible: a whole number, {type_.low} .. {type_.high}") from None


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _impossible(name: str, text: str, possible: str) -> ParameterError:
    return ParameterError("ANG021", f"{name} cannot be {text!r}", possible=possible)


def _check_range(name: str, value: Static) -> None:
    if not value.type.low <= value.value <= value.type.high:
        raise _impossible(name, str(value.value), f"possible: {value.type.low} .. {value.type.high}")


def as_setting(value: Static) -> bool | int | str:
    """A parameter's value as results have it; of an enumeration, the name of its member."""
    if isinstance(value.type, types.Enumeration):
        return _plain(value.type.members[value.value])
    return bool(value.value) if isinstance(value.type, types.Bool) else value.value
