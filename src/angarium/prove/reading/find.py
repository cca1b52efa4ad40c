"""Finding what a subject names: the specifications and implementations of a file.

A subject is `path/to/module.py` or `path/to/module.py:Class`. What an implementation rests on belongs to it:
its specification and its components have conjectures of their own, which must hold too.
"""

from __future__ import annotations

import ast

from angarium.errors import UsageError, did_you_mean
from angarium.model.source import Module, read
from angarium.prove.module import Implementation, Specification
from angarium.prove.reading.classes import read_specification
from angarium.prove.reading.implementation import read_implementation
from angarium.prove.reading.names import bases_of
from angarium.prove.reading.rename import alone

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
    classes = {n: node for n, node in _classes(module).items() if "Specification" in bases_of(module, node)}
    if name is None and len(classes) == 1:
        (name,) = classes
    if name is None:
        raise _nothing(module) if not classes else _several(module, classes)
    return read_specification(module, _chosen(module, classes, name))


def _read(subject: str) -> tuple[Module, str | None]:
    path, _, name = subject.partition(".py:")
    return (read(path + ".py"), name) if name else (read(subject), None)


def _classes(module: Module) -> dict[str, ast.ClassDef]:
    wanted = {"Specification", "Implementation"}
    return {node.name: node for node in module.classes() if bases_of(module, node) & wanted}


def _chosen(module: Module, classes: dict[str, ast.ClassDef], name: str) -> ast.ClassDef:
    if name in classes:
        return classes[name]
    raise UsageError(
        "ANG080",
        f"{module.file} has no specification or implementation named {name!r}",
        possible=did_you_mean(name, classes),
        remedy="give one of these names",
    )


def _nothing(module: Module) -> UsageError:
    return UsageError(
        "ANG080",
        f"there is nothing to prove in {module.file}",
        possible="possible: classes that derive from angarium.prove's Specification or Implementation",
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
    if "Specification" in bases_of(module, node):
        return read_specification(module, node)
    return read_implementation(module, node)


def _in_order(parts: list[Part]) -> list[Part]:
    found: dict[object, Part] = {}
    for part in parts:
        for each in (*_ground(part), part):
            found.setdefault((each.name, *(conjecture.place for conjecture in each.conjectures)), each)
    return list(found.values())


def _ground(part: Part) -> list[Specification]:
    """The specifications with conjectures of their own on which an implementation rests."""
    if isinstance(part, Specification):
        return []
    components = [each for _, each in part.components]
    return [alone(each) for each in (part.specification, *components) if each.conjectures]
