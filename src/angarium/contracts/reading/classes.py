"""Classes of a proof module: their parts, and specifications as data."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from angarium.checker.language.source import Module
from angarium.contracts.module import Conjecture, Contract, Specification, Statement
from angarium.contracts.reading.expressions import (
    parameters_of,
    read_condition,
    read_expression,
    returned_by,
    sort_of_parameter,
)
from angarium.contracts.reading.scope import Scope, Sorts, word_of
from angarium.contracts.reading.statements import AFTER, AT_THE_START, BEFORE, Claims, Reader
from angarium.contracts.terms import TRUTH, Sort, Symbol, Variable


@dataclass(frozen=True, slots=True)
class Written:
    """A class, with its functions sorted by what they are."""

    module: Module
    node: ast.ClassDef
    fields: dict[str, ast.expr]
    start: ast.FunctionDef | None
    contracts: dict[str, ast.FunctionDef]
    conjectures: dict[str, ast.FunctionDef]
    others: dict[str, ast.FunctionDef]

    @property
    def description(self) -> str:
        return " ".join((ast.get_docstring(self.node) or "").split("\n\n")[0].split())


def written(module: Module, node: ast.ClassDef) -> Written:
    """Sort the parts of a class."""
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    fields = {
        each.target.id: each.annotation
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    _refuse_others(module, node)
    role = {each.name: _role(module, each) for each in functions}
    by_role: dict[str, dict[str, ast.FunctionDef]] = {"start": {}, "contract": {}, "conjecture": {}, "": {}}
    for each in functions:
        by_role[role[each.name]][each.name] = each
    start = by_role["start"].get("__init__")
    return Written(module, node, fields, start, by_role["contract"], by_role["conjecture"], by_role[""])


def _refuse_others(module: Module, node: ast.ClassDef) -> None:
    seen: set[str] = set()
    for each in node.body:
        match each:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name), value=None):
                if name in seen:
                    what = f"{name} is bound more than once in {node.name}"
                    raise module.error("ANG107", each, what, "", "rename one of them")
                seen.add(name)
            case ast.Pass():
                pass
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise module.error(
                    "ANG104", each, f"this says nothing in a proof: {ast.unparse(each).splitlines()[0]}",
                    "possible: name: sort, and functions", "remove it",
                )  # fmt: skip


def _role(module: Module, node: ast.FunctionDef) -> str:
    if node.name == "__init__":
        return "start"
    words = [word_of(module, each) for each in node.decorator_list]
    match words:
        case []:
            return ""
        case ["contract" | "conjecture" as word]:
            return word
    raise module.error(
        "ANG104", node.decorator_list[0], f"{node.name} has a decorator that means nothing here",
        "possible: contract, conjecture", "remove it",
    )  # fmt: skip


def read_specification(module: Module, node: ast.ClassDef, sorts: Sorts | None = None) -> Specification:
    """A class that derives from Specification; the sorts that it talks about are added to those given."""
    found, sorts = written(module, node), Sorts() if sorts is None else sorts
    own = {name: read_symbol(module, sorts, name, note) for name, note in found.fields.items()}
    scope = Scope(module, sorts, own, helpers={**found.others, **found.conjectures})
    for each in found.others.values():
        read_helper(scope, each)
    return Specification(
        node.name,
        found.description,
        state=tuple(own.values()),
        initially=read_start(scope, found, AT_THE_START),
        contracts=tuple(_contract(scope, each) for each in found.contracts.values()),
        conjectures=tuple(read_conjecture(scope, each) for each in found.conjectures.values()),
        sorts=tuple(sorts.by_name.values()),
        fixed=sorts.fixed(),
    )


def read_symbol(module: Module, sorts: Sorts, name: str, note: ast.expr) -> Symbol:
    match note:
        case ast.Subscript(
            value=ast.Name(id="set"), slice=ast.Subscript(value=ast.Name(id="tuple"), slice=t)
        ):
            members = t.elts if isinstance(t, ast.Tuple) else [t]
            return Symbol(name, tuple(sorts.of(module, each) for each in members), TRUTH)
        case ast.Subscript(value=ast.Name(id="set"), slice=member):
            return Symbol(name, (sorts.of(module, member),), TRUTH)
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
            return Symbol(name, (sorts.of(module, key),), sorts.of(module, value))
    return Symbol(name, (), sorts.of(module, note))


def read_start(scope: Scope, found: Written, claims: Claims) -> tuple[Statement, ...]:
    """What `__init__` does."""
    if found.start is None:
        return ()
    if parameters_of(scope, found.start):
        raise scope.error("ANG104", found.start, "__init__ takes nothing but self", "", "remove the others")
    statements, _ = Reader(claims).block(scope.running(), found.start.body)
    return tuple(statements)


def read_helper(scope: Scope, node: ast.FunctionDef) -> None:
    """See that a function that is no contract, body or conjecture makes sense, though nobody may call it."""
    if any(isinstance(each, ast.Yield) for each in ast.walk(node)):
        raise scope.error(
            "ANG107", node, f"{node.name} has a yield and is no contract", "", "write @contract"
        )
    names = {each.name: each for each in read_parameters(scope, node)}
    read_expression(replace(scope.knowing(names), steps=True), returned_by(scope, node))


def read_parameters(scope: Scope, node: ast.FunctionDef) -> tuple[Variable, ...]:
    return tuple(Variable(each.arg, sort_of_parameter(scope, each)) for each in parameters_of(scope, node))


def _contract(scope: Scope, node: ast.FunctionDef) -> Contract:
    parameters = read_parameters(scope, node)
    i, results = _yield(scope, node)
    inside = scope.knowing({each.name: each for each in parameters}).running()
    before, inside = Reader(BEFORE).block(inside, node.body[:i])
    inside = inside.knowing({each.name: each for each in results})
    after, _ = Reader(AFTER).block(inside, node.body[i + 1 :])
    text = " ".join((ast.get_docstring(node) or "").split())
    return Contract(
        node.name, text, parameters, results, tuple(before), tuple(after), scope.module.place(node)
    )


def _yield(scope: Scope, node: ast.FunctionDef) -> tuple[int, tuple[Variable, ...]]:
    """Where in a contract the call happens, and the names of its answers."""
    for i, each in enumerate(node.body):
        match each:
            case ast.Expr(value=ast.Yield(value=None)):
                return i, _answers(scope, node, None)
            case ast.Assign(targets=[target], value=ast.Yield(value=None)):
                return i, _answers(scope, node, target)
    raise scope.error(
        "ANG107", node, f"the contract of {node.name} does not say when it is called",
        "possible: answer = yield, or yield alone", "write what comes before, yield, and what comes after",
    )  # fmt: skip


def _answers(scope: Scope, node: ast.FunctionDef, target: ast.expr | None) -> tuple[Variable, ...]:
    sorts = _answered(scope, node)
    targets = target.elts if isinstance(target, ast.Tuple) else [] if target is None else [target]
    names = [each.id for each in targets if isinstance(each, ast.Name)]
    if target is None:
        names = ["answer"] if len(sorts) == 1 else [f"answer{i + 1}" for i in range(len(sorts))]
    if len(names) != len(sorts):
        raise scope.error("ANG106", node, f"{node.name} answers {len(sorts)} things", "", "name each of them")
    return tuple(Variable(name, sort) for name, sort in zip(names, sorts, strict=True))


def _answered(scope: Scope, node: ast.FunctionDef) -> Sequence[Sort]:
    """The sorts in `-> Answer[...]`."""
    match node.returns:
        case ast.Subscript(value=word, slice=ast.Constant(value=None)) if _is_answer(scope, word):
            return ()
        case ast.Subscript(
            value=word, slice=ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=elts))
        ) if _is_answer(scope, word):
            return [scope.sorts.of(scope.module, each) for each in elts]
        case ast.Subscript(value=word, slice=single) if _is_answer(scope, word):
            return [scope.sorts.of(scope.module, single)]
    raise scope.error(
        "ANG107", node, f"the contract of {node.name} does not say what it answers",
        "possible: -> Answer[bool], Answer[None], Answer[tuple[bool, Number]]", "annotate it",
    )  # fmt: skip


def _is_answer(scope: Scope, node: ast.expr) -> bool:
    return word_of(scope.module, node) == "Answer"


def read_conjecture(scope: Scope, node: ast.FunctionDef) -> Conjecture:
    parameters = read_parameters(scope, node)
    inside = scope.knowing({each.name: each for each in parameters})
    value = returned_by(scope, node)
    text = " ".join((ast.get_docstring(node) or "").split())
    name = node.name.replace("_", "-")
    condition = read_condition(inside, value)
    return Conjecture(name, text, parameters, condition, scope.text(value), scope.module.place(node))
