"""A model's declarations: the parts of its class, sorted by what they are.

The bodies of functions stay what Python parsed them to: the syntax tree is the model's own intermediate
form, and its nodes carry their positions. Nothing here needs the values of parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from angarium.checker.language.bindings import called_values
from angarium.checker.language.source import MOST_NESTED, Definition, Module, Word
from angarium.core.errors import ModelError, UsageError, did_you_mean

Role = Literal[
    "process", "action", "initial", "on_crash", "helper",
    "invariant", "reaches", "at_rest",
    "ltl", "ctl", "eventually", "divergence_free", "deterministic",
    "goal", "observation", "rate",
]  # fmt: skip

OF_STATES: tuple[Role, ...] = ("invariant", "reaches", "at_rest")
"""The roles of functions that claim something of states."""
OF_RUNS: tuple[Role, ...] = ("ltl", "ctl", "eventually", "divergence_free", "deterministic")
"""The roles of functions that claim something of whole runs."""
GUARANTEES = (*OF_STATES, *OF_RUNS)
OF_WALKS: tuple[Role, ...] = ("goal", "observation", "rate")
"""The roles of functions that random walks alone use."""
ROLE_OF_DECORATOR: dict[str, Role] = {
    "action": "action",
    "initial": "initial",
    "invariant": "invariant",
    "reaches": "reaches",
    "at_rest": "at_rest",
    "deadlock_free": "at_rest",
    "on_crash": "on_crash",
    **{role: role for role in (*OF_RUNS, *OF_WALKS)},
}


@dataclass(frozen=True, slots=True)
class ParameterDecl:
    """`name = param(...)`, `name = count(...)` or `name = setting(...)`."""

    name: str
    call: ast.Call
    word: str


@dataclass(frozen=True, slots=True)
class StateDecl:
    """`name = integer(...)`, `name: bool = False` and the like."""

    name: str
    node: ast.stmt
    annotation: ast.expr | None
    value: ast.expr | None


@dataclass(frozen=True, slots=True)
class FunctionDecl:
    """A method with its role; `decorator` is the call that gave it, if it has arguments."""

    name: str
    role: Role
    node: ast.FunctionDef | ast.AsyncFunctionDef
    guarantee: str = ""
    decorator: ast.Call | None = None

    @property
    def arguments(self) -> list[ast.arg]:
        return self.node.args.args[1:]

    @property
    def description(self) -> str:
        return " ".join((ast.get_docstring(self.node) or "").split())


@dataclass(frozen=True, slots=True)
class ModelDecl:
    """A model, as it was written."""

    name: str
    module: Module
    node: ast.ClassDef
    description: str
    parameters: tuple[ParameterDecl, ...]
    state: tuple[StateDecl, ...]
    functions: tuple[FunctionDecl, ...]
    visible: ast.Call | None = None
    """`visible = events(...)`."""

    def function(self, name: str) -> FunctionDecl | None:
        return next((f for f in self.functions if f.name == name), None)


def word_of(module: Module, node: ast.expr) -> str | None:
    """The word of the language that an expression names or calls, if it does."""
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return module.word_in(function.value.id, function.attr)
    if not isinstance(function, ast.Name):
        return None
    meaning = module.lookup(function.id)
    return meaning.name if isinstance(meaning, Word) else None


def base_of(module: Module, node: ast.ClassDef, behind: Sequence[ast.ClassDef] = ()) -> str | None:
    """Which word of the language a class derives from: Model, Index, Record, Enum ..."""
    if node in behind:
        raise module.error("ANG107", node, f"the class {node.name} derives from itself")
    if len(behind) > MOST_NESTED:
        what = f"the class {node.name} has more than {MOST_NESTED} classes behind it"
        raise module.error("ANG111", node, what, "", "derive it from Model or Index itself")
    for base in node.bases:
        word = word_of(module, base)
        if word is not None:
            return word
        meaning = module.lookup(base.id) if isinstance(base, ast.Name) else None
        if isinstance(meaning, Definition) and isinstance(meaning.node, ast.ClassDef):
            return base_of(meaning.module, meaning.node, (*behind, node))
    return None


def find_model(module: Module, name: str | None = None) -> ModelDecl:
    """The model of a file: the only one, or the one with this name."""
    models = {node.name: node for node in module.classes() if base_of(module, node) == "Model"}
    for each in models:
        module.lookup(each)  # a class that is bound again would be another model
    if name is not None:
        if name not in models:
            raise UsageError(
                "ANG101",
                f"{module.file} has no model named {name!r}",
                possible=did_you_mean(name, models),
            )
        return declare(module, models[name])
    if not models:
        raise ModelError(
            "ANG101",
            f"{module.file} has no model",
            possible="a model is a class that derives from angarium.Model, at the top of the file",
            remedy="write `from angarium import Model` and `class MyQueue(Model): ...`; what derives from"
            " Specification or Implementation is proved with `angarium prove`",
        )
    if len(models) > 1:
        raise ModelError(
            "ANG102",
            f"{module.file} has several models: {', '.join(models)}",
            remedy=f"name one of them: {module.file}:{next(iter(models))}",
        )
    return declare(module, next(iter(models.values())))


def declare(module: Module, node: ast.ClassDef) -> ModelDecl:
    """Sort the parts of a model's class."""
    if len(node.bases) != 1 or word_of(module, node.bases[0]) != "Model":
        raise module.error(
            "ANG104",
            node,
            f"{node.name} derives from {', '.join(ast.unparse(base) for base in node.bases)}",
            "possible: class MyQueue(Model); a model has no other bases",
            "copy what it shares with another model, or make it a parameter of one model",
        )
    parameters: list[ParameterDecl] = []
    state: list[StateDecl] = []
    functions: list[FunctionDecl] = []
    visible: ast.Call | None = None
    for part in node.body:
        match part:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.append(_function(module, part))
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as value)
            ) if word_of(module, value) in ("param", "count", "setting"):
                assert isinstance(value, ast.Call)
                parameters.append(ParameterDecl(name, value, word_of(module, value) or ""))
            case ast.Assign(value=ast.Call() as value) if word_of(module, value) == "events":
                visible = _only_visible(module, visible, value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                state.append(StateDecl(name, part, None, value))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                state.append(StateDecl(name, part, annotation, value))
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case _:
                raise _not_a_part(module, part)
    description = ast.get_docstring(node) or ""
    _refuse_twins(module, node)
    _refuse_names_of_the_file(module, parameters, functions)
    _refuse_same_guarantees(module, functions)
    return ModelDecl(
        node.name, module, node, description, tuple(parameters), tuple(state), tuple(functions), visible
    )


def _only_visible(module: Module, before: ast.Call | None, call: ast.Call) -> ast.Call:
    if before is not None:
        raise module.error(
            "ANG107", call, "the visible events are declared twice", "", "name all in one place"
        )
    return call


def _refuse_same_guarantees(module: Module, functions: list[FunctionDecl]) -> None:
    seen = {"stays-in-range"}
    for function in (f for f in functions if f.role in GUARANTEES):
        if function.guarantee in seen:
            what = f"there is already a guarantee {function.guarantee}"
            raise module.error("ANG107", function.node, what, "", "rename the function")
        seen.add(function.guarantee)


def _refuse_twins(module: Module, node: ast.ClassDef) -> None:
    seen: set[str] = set()
    for part in node.body:
        match part:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                pass
            case _:
                continue
        if name in seen:
            raise module.error("ANG107", part, f"{name!r} is declared twice", "", "rename one of them")
        seen.add(name)


def _refuse_names_of_the_file(
    module: Module, parameters: list[ParameterDecl], functions: list[FunctionDecl]
) -> None:
    """What a class or a function binds must not be a name of the file too: which is meant is unclear."""
    for parameter in parameters:
        if isinstance(module.lookup(parameter.name), Definition):
            what = f"{parameter.name} is a parameter of the model and a name of the file"
            raise module.error("ANG107", parameter.call, what, "", "rename one of them")
    for function in functions:
        shadow = module.shadow(function.node)
        if shadow is not None:
            what = f"{function.name} assigns {shadow[0]}, which is a name of the file too"
            raise module.error("ANG107", shadow[1], what, "", "rename one of them")
        for name, where in called_values(function.node):
            what = f"{name} is a value in {function.name}, which cannot be called"
            raise module.error("ANG107", where, what, "", "rename it")


def _not_a_part(module: Module, part: ast.stmt) -> ModelError:
    return module.error(
        "ANG104",
        part,
        f"{type(part).__name__} cannot stand in a model's class",
        "possible: parameters, declarations of state, functions and async functions",
        "move it into a function, or to the top of the file if it is a constant",
    )


def _function(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> FunctionDecl:
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise module.error(
            "ANG104",
            node,
            f"{node.name} has arguments of a kind that is not supported",
            "supported: plain named arguments with a type annotation",
        )
    if not arguments.args or arguments.args[0].arg != "self":
        raise module.error("ANG107", node, f"the first argument of {node.name} must be self")
    if isinstance(node, ast.AsyncFunctionDef):
        return FunctionDecl(node.name, "process", node, "", _crash_decorator(module, node))
    return _plain_function(module, node)


def _crash_decorator(module: Module, node: ast.AsyncFunctionDef) -> ast.Call | None:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and word_of(module, decorator) == "crashes":
            return decorator
        raise module.error(
            "ANG104",
            decorator,
            f"{ast.unparse(decorator)} cannot decorate a process",
            "possible: @crashes(budget, restarts=budget)",
        )
    return None


def _plain_function(module: Module, node: ast.FunctionDef) -> FunctionDecl:
    if not node.decorator_list:
        return FunctionDecl(node.name, "helper", node)
    decorator, *more = node.decorator_list
    word = word_of(module, decorator)
    if more or word is None or word not in ROLE_OF_DECORATOR:
        wrong = more[0] if more else decorator
        raise module.error(
            "ANG104",
            wrong,
            f"{ast.unparse(wrong)} cannot decorate {node.name}",
            f"possible: one of @{', @'.join(ROLE_OF_DECORATOR)}",
        )
    role = ROLE_OF_DECORATOR[word]
    name = "deadlock-free" if word == "deadlock_free" else node.name.replace("_", "-")
    call = decorator if isinstance(decorator, ast.Call) else None
    return FunctionDecl(node.name, role, node, name, call)
