"""Finding what a subject names: the specifications and implementations of a file.

A subject is `path/to/module.py` or `path/to/module.py:Class`. What an implementation rests on belongs to it:
its specification and its components have conjectures of their own, which must hold too.

Implementations: from their classes to data, with the specification and the components that they name.

A specification is a part of an implementation with its sorts chosen, and its symbols under its name there.
Without the name, state of the implementation that happens to be called as state of its specification would
be taken for the same, and much would be proved that is not true.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from angarium.checker.language.source import Definition, Module, read
from angarium.contracts.module import Body, Contract, Implementation, Let, Specification
from angarium.contracts.reading.classes import (
    Written,
    read_conjecture,
    read_helper,
    read_parameters,
    read_specification,
    read_start,
    read_symbol,
    written,
)
from angarium.contracts.reading.scope import Scope, Sorts, bases_of, meaning, word_of
from angarium.contracts.reading.statements import IN_CODE, Reader
from angarium.contracts.terms import Sort, Symbol, Variable
from angarium.core.errors import Place, UsageError, did_you_mean

Part = Specification | Implementation


def find_modules(*subjects: str) -> list[Part]:
    """Everything in some files that can be proved, each behind what it rests on, everything once."""
    return _in_order([part for subject in subjects for part in _parts(subject)])


def _parts(subject: str) -> list[Part]:
    module, name = _read(subject)
    classes = _classes(module)
    chosen = classes if name is None else {name: _chosen(module, classes, name)}
    if not chosen:
        raise _nothing(module)
    return [_part(module, node) for node in chosen.values()]


def find_specification(subject: str) -> Specification:
    """The one specification of a file, or the one with a name."""
    module, name = _read(subject)
    provable = _classes(module)
    classes = {n: node for n, node in provable.items() if "Specification" in bases_of(module, node)}
    if name is None and len(classes) == 1:
        (name,) = classes
    if name is None:
        raise _nothing(module) if not classes else _several(module, classes)
    if name in provable and name not in classes:
        raise _no_contract(module, classes, name)
    return read_specification(module, _chosen(module, classes, name))


def _read(subject: str) -> tuple[Module, str | None]:
    path, _, name = subject.partition(".py:")
    return (read(path + ".py"), name) if name else (read(subject), None)


PROVABLE = {"Specification", "Implementation"}


def _classes(module: Module) -> dict[str, ast.ClassDef]:
    for node in module.classes():
        _refuse_inheritance(module, node)
        meaning(module, node.name)  # a class that is bound again would be another one
    return {node.name: node for node in module.classes() if bases_of(module, node) & PROVABLE}


def _refuse_inheritance(module: Module, node: ast.ClassDef) -> None:
    """A class that derives from the user's own would be left out without a word."""
    for base in node.bases:
        if isinstance(base, ast.Attribute) and base.attr in PROVABLE:
            what, remedy = f"{ast.unparse(base)} is not known by this name", f"import {base.attr} by its name"
        elif (
            isinstance(base, ast.Name) and meaning(module, base.id) is None and not hasattr(builtins, base.id)
        ):
            what, remedy = f"{base.id} is not known", "correct the name, or import it"
        elif isinstance(base, ast.Name) and _is_provable(meaning(module, base.id)):
            what, remedy = f"{node.name} cannot inherit from {base.id}", "write out what it has"
        else:
            continue
        raise module.error("ANG104", node, what, "possible: Specification, Implementation", remedy)


def _is_provable(found: Definition | str | None) -> bool:
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        return False
    return bool(bases_of(found.module, found.node) & PROVABLE)


def _chosen(module: Module, classes: dict[str, ast.ClassDef], name: str) -> ast.ClassDef:
    if name in classes:
        return classes[name]
    raise UsageError(
        "ANG080",
        f"{module.file} has no specification or implementation named {name!r}",
        possible=did_you_mean(name, classes),
        remedy="give one of these names",
    )


def _no_contract(module: Module, classes: Iterable[str], name: str) -> UsageError:
    return UsageError(
        "ANG080",
        f"{name} in {module.file} is an implementation, and contracts are in a specification",
        possible=f"possible: {', '.join(classes) or 'none in this file'}",
        remedy="give the specification that it names with `spec`",
    )


def _nothing(module: Module) -> UsageError:
    return UsageError(
        "ANG080",
        f"there is nothing to prove in {module.file}",
        possible="possible: classes that derive from angarium.contracts's Specification or Implementation",
        remedy="see docs/how-to/prove.md; a model is checked with `angarium check`",
    )


def _several(module: Module, classes: dict[str, ast.ClassDef]) -> UsageError:
    return UsageError(
        "ANG080",
        f"{module.file} has several specifications",
        possible=f"possible: {', '.join(classes)}",
        remedy=f"name one: {module.file}:{next(iter(classes))}",
    )


def _part(module: Module, node: ast.ClassDef) -> Part:
    try:
        if "Specification" in bases_of(module, node):
            return read_specification(module, node)
        return read_implementation(module, node)
    except RecursionError:
        what = f"something in {node.name} is nested too deeply"
        raise module.error("ANG108", node, what, "", "give parts of it names") from None


def _in_order(parts: list[Part]) -> list[Part]:
    found: dict[object, Part] = {}
    for part in parts:
        for each in (*_ground(part), part):
            found.setdefault((each.name, *_places(each)), each)
    return list(found.values())


def _ground(part: Part) -> list[Specification]:
    """The specifications with conjectures of their own on which an implementation rests."""
    if isinstance(part, Specification):
        return []
    return [each for each in part.grounds if each.conjectures]


def _places(part: Part) -> list[Place]:
    """Where its parts stand: what is the same is not proved twice, and what only has the same name is."""
    operations = part.contracts if isinstance(part, Specification) else part.bodies
    return [each.place for each in (*operations, *part.conjectures)]


# --- implementation -------------------------------------------------------------------------------


def as_part(specification: Specification, name: str, sorts: Mapping[Sort, Sort]) -> Specification:
    """The specification over other sorts, with `name.` before the names of its state."""
    own = {symbol: f"{name}.{symbol.name}" for symbol in specification.state}
    renamed: Specification = _renamed(specification, sorts, own)
    chosen = tuple(dict.fromkeys(sorts.get(sort, sort) for sort in specification.sorts))
    return replace(renamed, sorts=chosen)


def _renamed(part: Any, sorts: Mapping[Sort, Sort], own: Mapping[Symbol, str]) -> Any:  # noqa: ANN401 (any part)
    """Any part of a specification, with its sorts and symbols exchanged."""
    match part:
        case Sort():
            return sorts.get(part, part)
        case Symbol():
            arguments = tuple(sorts.get(sort, sort) for sort in part.arguments)
            return Symbol(
                own.get(part, part.name), arguments, sorts.get(part.result, part.result), part.fixed
            )
        case tuple():
            return tuple(_renamed(each, sorts, own) for each in part)
        case Place():
            return part
    if is_dataclass(part) and not isinstance(part, type):
        changed = {each.name: _renamed(getattr(part, each.name), sorts, own) for each in fields(part)}
        return replace(part, **changed)
    return part


ABSTRACT = "spec"
"""The field that names the specification."""

IN_BODY = "body "
"""Before the names of a body's variables: a contract may have others of the same name."""

Each = TypeVar("Each")


def read_implementation(module: Module, node: ast.ClassDef) -> Implementation:
    """A class that derives from Implementation."""
    found, sorts = written(module, node), Sorts()
    named = {name: _Named(each) for name, each in _named(module, found).items()}
    parts = {name: each.here(module, sorts, name, found.fields[name]) for name, each in named.items()}
    specification = _specified(module, node, parts)
    own = {n: read_symbol(module, sorts, n, note) for n, note in found.fields.items() if n not in parts}
    operations = {contract.name for contract in specification.contracts}
    helpers = {name: each for name, each in found.others.items() if name not in operations}
    scope = Scope(module, sorts, own, parts, {**helpers, **found.conjectures}, abstract=ABSTRACT)
    for each in helpers.values():
        read_helper(scope, each)
    return Implementation(
        node.name,
        found.description,
        specification,
        state=tuple(own.values()),
        components=tuple((name, part) for name, part in parts.items() if name != ABSTRACT),
        initially=read_start(scope, found, IN_CODE),
        bodies=tuple(_body(scope, found, contract) for contract in specification.contracts),
        conjectures=tuple(read_conjecture(scope, each) for each in found.conjectures.values()),
        sorts=_together(sorts.by_name.values(), *(part.sorts for part in parts.values())),
        fixed=_together(sorts.fixed(), *(part.fixed for part in parts.values())),
        grounds=tuple(each.specification for each in named.values()),
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


def _named(module: Module, found: Written) -> dict[str, Definition]:
    """The specifications that annotations name, by the fields: `Queue`, or `OrderedMap[Number, Message]`."""
    bases = {
        name: note.value if isinstance(note, ast.Subscript) else note for name, note in found.fields.items()
    }
    meanings = {name: meaning(module, base.id) for name, base in bases.items() if isinstance(base, ast.Name)}
    return {name: each for name, each in meanings.items() if isinstance(each, Definition) and _is_part(each)}


def _is_part(found: Definition) -> bool:
    return isinstance(found.node, ast.ClassDef) and "Specification" in bases_of(found.module, found.node)


class _Named:
    """A specification as it is written, and the sorts that it talks about."""

    def __init__(self, found: Definition) -> None:
        assert isinstance(found.node, ast.ClassDef)
        self.sorts = Sorts()
        self.specification = read_specification(found.module, found.node, self.sorts)
        parameters = _sort_parameters(found.module, found.node)
        self.wanted = [self.sorts.of(found.module, each) for each in parameters]

    def here(self, module: Module, sorts: Sorts, name: str, note: ast.expr) -> Specification:
        """The specification over the sorts that it is given here, under the name that it has here."""
        chosen = [sorts.of(module, each) for each in _listed(note)]
        if [sort.kind for sort in self.wanted] != [sort.kind for sort in chosen]:
            kinds = ", ".join(f"{sort.name} ({sort.kind.value})" for sort in self.wanted) or "no sorts"
            what = f"{self.specification.name} takes {kinds}"
            raise module.error("ANG106", note, what, "", "give sorts of these kinds")
        sorts.learn(self.sorts, self.wanted, module, note)
        return as_part(self.specification, name, dict(zip(self.wanted, chosen, strict=True)))


def _listed(note: ast.expr) -> list[ast.expr]:
    """What stands in the brackets of an annotation."""
    if not isinstance(note, ast.Subscript):
        return []
    return note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]


def _sort_parameters(module: Module, node: ast.ClassDef) -> list[ast.expr]:
    """The type variables in `Generic[Key, Value]`."""
    for base in node.bases:
        if isinstance(base, ast.Subscript) and word_of(module, base.value) == "Generic":
            return _listed(base)
    return []


# ── bodies ──


def _body(scope: Scope, found: Written, contract: Contract) -> Body:
    node = found.others.get(contract.name)
    if node is None:
        raise scope.error(
            "ANG081", found.node, f"{found.node.name} has no {contract.name}",
            f"it has: {', '.join(found.others) or 'nothing'}", "write a function for every contract",
        )  # fmt: skip
    _check_parameters(scope, node, contract)
    _demand_return(scope, node, contract)
    place = scope.module.place(node)
    answers = tuple(Variable(f"returned {each.name}", each.sort) for each in contract.results)
    given = [Variable(IN_BODY + each.name, each.sort) for each in read_parameters(scope, node)]
    begin = [Let(own, theirs, place) for own, theirs in zip(given, contract.parameters, strict=True)]
    inside = scope.knowing({each.name.removeprefix(IN_BODY): each for each in given}).running()
    statements, _ = Reader(IN_CODE, answers, IN_BODY).block(inside, node.body)
    return Body(contract.name, (*begin, *statements), answers, place)


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
