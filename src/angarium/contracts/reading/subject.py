"""Finding what a subject names: the specifications and implementations of a file.

A subject is `path/to/module.py` or `path/to/module.py:Class`. What an implementation rests on belongs to it:
its specification and its components have conjectures of their own, which must hold too.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from angarium.checker.language.source import Definition, Module, read
from angarium.contracts.module import Implementation, Specification
from angarium.contracts.reading.classes import read_specification
from angarium.contracts.reading.implementation import read_implementation
from angarium.contracts.reading.scope import bases_of, meaning
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
