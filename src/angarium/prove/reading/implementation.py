"""Implementations: from their classes to data, with the specification and the components that they name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TypeVar

from angarium.errors import did_you_mean
from angarium.model.source import Definition, Module
from angarium.prove.module import Body, Contract, Implementation, Specification
from angarium.prove.reading.classes import (
    Written,
    in_code,
    read_conjecture,
    read_parameters,
    read_specification,
    read_start,
    read_symbol,
    written,
)
from angarium.prove.reading.names import Sorts, bases_of, meaning, word_of
from angarium.prove.reading.rename import as_part
from angarium.prove.reading.scope import Scope
from angarium.prove.reading.statements import IN_CODE, Reader
from angarium.prove.terms import Sort, Variable

ABSTRACT = "spec"
"""The field that names the specification."""

Each = TypeVar("Each")


def read_implementation(module: Module, node: ast.ClassDef) -> Implementation:
    """A class that derives from Implementation."""
    found, sorts = written(module, node), Sorts()
    parts = _parts(module, sorts, found)
    specification = _specified(module, node, parts)
    own = {n: read_symbol(module, sorts, n, note) for n, note in found.fields.items() if n not in parts}
    operations = {contract.name for contract in specification.contracts}
    helpers = {name: each for name, each in found.others.items() if name not in operations}
    scope = Scope(module, sorts, own, parts, {**helpers, **found.conjectures}, abstract=ABSTRACT)
    return Implementation(
        node.name,
        found.description,
        specification,
        state=tuple(own.values()),
        components=tuple((name, part) for name, part in parts.items() if name != ABSTRACT),
        initially=read_start(scope, found),
        bodies=tuple(_body(scope, found, contract) for contract in specification.contracts),
        conjectures=tuple(read_conjecture(scope, each) for each in found.conjectures.values()),
        sorts=_together(sorts.by_name.values(), *(part.sorts for part in parts.values())),
        fixed=_together(sorts.fixed(), *(part.fixed for part in parts.values())),
    )


def _together(*groups: Iterable[Each]) -> tuple[Each, ...]:
    return tuple(dict.fromkeys(each for group in groups for each in group))


def _specified(module: Module, node: ast.ClassDef, parts: Mapping[str, Specification]) -> Specification:
    if ABSTRACT in parts:
        return parts[ABSTRACT]
    raise module.error(
        "ANG081", node, f"{node.name} does not say what it implements",
        "possible: spec: Name, with a class that derives from Specification", "declare the field spec",
    )  # fmt: skip


# ── the specification and the components ──


def _parts(module: Module, sorts: Sorts, found: Written) -> dict[str, Specification]:
    parts = {name: _part(module, sorts, name, note) for name, note in found.fields.items()}
    return {name: part for name, part in parts.items() if part is not None}


def _part(module: Module, sorts: Sorts, name: str, note: ast.expr) -> Specification | None:
    """The specification that an annotation names, `Queue` or `OrderedMap[Number, Message]`, if it does."""
    base = note.value if isinstance(note, ast.Subscript) else note
    found = meaning(module, base.id) if isinstance(base, ast.Name) else None
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        return None
    if "Specification" not in bases_of(found.module, found.node):
        return None
    if name == ABSTRACT:
        return as_part(read_specification(found.module, found.node, sorts), name, {})
    given = note.slice if isinstance(note, ast.Subscript) else None
    return _component(module, sorts, name, note, found.module, found.node, given)


def _component(
    module: Module,
    sorts: Sorts,
    name: str,
    note: ast.expr,
    there: Module,
    node: ast.ClassDef,
    given: ast.expr | None,
) -> Specification:
    theirs = Sorts()
    specification = read_specification(there, node, theirs)
    wanted = [theirs.of(there, each) for each in _sort_parameters(there, node)]
    chosen = [sorts.of(module, each) for each in _listed(given)]
    if [sort.kind for sort in wanted] != [sort.kind for sort in chosen]:
        kinds = ", ".join(f"{sort.name} ({sort.kind.value})" for sort in wanted) or "no sorts"
        raise module.error("ANG106", note, f"{node.name} takes {kinds}", "", "give sorts of these kinds")
    exchange: dict[Sort, Sort] = dict(zip(wanted, chosen, strict=True))
    sorts.learn(theirs, but=wanted)
    return as_part(specification, name, exchange)


def _listed(given: ast.expr | None) -> list[ast.expr]:
    if given is None:
        return []
    return given.elts if isinstance(given, ast.Tuple) else [given]


def _sort_parameters(module: Module, node: ast.ClassDef) -> list[ast.expr]:
    """The type variables in `Generic[Key, Value]`."""
    for base in node.bases:
        if isinstance(base, ast.Subscript) and word_of(module, base.value) == "Generic":
            return _listed(base.slice)
    return []


# ── bodies ──


def _body(scope: Scope, found: Written, contract: Contract) -> Body:
    node = found.others.get(contract.name)
    if node is None:
        raise scope.error(
            "ANG081", found.node, f"{found.node.name} has no {contract.name}",
            did_you_mean(contract.name, found.others), "write a function for every contract",
        )  # fmt: skip
    _check_parameters(scope, node, contract)
    answers = tuple(Variable(f"returned.{each.name}", each.sort) for each in contract.results)
    names = {
        each.arg: variable for each, variable in zip(node.args.args[1:], contract.parameters, strict=True)
    }
    inside = in_code(scope.knowing(names))
    _demand_return(scope, node, contract)
    statements, _ = Reader(IN_CODE, answers).block(inside, node.body)
    return Body(contract.name, tuple(statements), answers, scope.module.place(node))


def _check_parameters(scope: Scope, node: ast.FunctionDef, contract: Contract) -> None:
    given = [each.sort for each in read_parameters(scope, node)]
    if given != [each.sort for each in contract.parameters]:
        wanted = ", ".join(f"{each.name}: {each.sort.name}" for each in contract.parameters)
        raise scope.error(
            "ANG081", node, f"{node.name} does not take what its contract says", f"it takes ({wanted})",
            "give the function the same parameters",
        )  # fmt: skip


def _demand_return(scope: Scope, node: ast.FunctionDef, contract: Contract) -> None:
    """A function that owes an answer must give one on every way through it."""
    if contract.results and not _always_returns(node.body):
        raise scope.error(
            "ANG081", node, f"{node.name} may end without an answer", "", "return one at its end"
        )


def _always_returns(nodes: list[ast.stmt]) -> bool:
    match nodes:
        case [*_, ast.Return()]:
            return True
        case [*_, ast.If(body=body, orelse=orelse)]:
            return _always_returns(body) and _always_returns(orelse)
    return False
