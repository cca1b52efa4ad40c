"""Everything that is written from the bundled systems and the low-level modules: its name and a digest.

This is a program, so that it can be run with several seeds of Python's hashes.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from angarium.checker.backend import symmetry
from angarium.checker.backend.kernel_text import kernel_text
from angarium.checker.backend.layout import Layout
from angarium.checker.backend.symmetry import Symmetry, renamings, symmetric_types
from angarium.checker.explore.gpu.program import STARTED, Program
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.labelled import labelled
from angarium.checker.explore.native import core_library
from angarium.checker.explore.spark import job
from angarium.checker.export.promela import promela
from angarium.checker.export.smv import smv
from angarium.checker.export.tla import tla
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks.native_walks import walk_library
from angarium.native import functions, ptx
from angarium.native.calls import Native
from angarium.native.targets import CARD
from angarium.systems.registry import load, systems

PACKAGE = Path(functions.__file__).parents[1]
EXPORTED = ("kafka", "nsq", "queue")
"""Written for every checker; the others only for TLC."""
LONG = ("kafka-delivery", "kafka-security", "recovery")
"""These take seconds to export."""

SMALL = "queue"


def main() -> None:
    for found in (of_systems(), of_modules(), for_cards()):
        for name, text in found:
            sys.stdout.write(f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {name}\n")


# --- systems --------------------------------------------------------------------------


def of_systems() -> Iterator[tuple[str, str]]:
    for name in systems():
        system = load(name)
        told = labelled(system, Wish())
        yield f"{name}: meaning", repr((system, system.positions, system.dead, system.walks))
        yield f"{name}: kernel", kernel_text(system, Layout(system.variables))
        yield f"{name}: labelled kernel", kernel_text(told, Layout(told.variables))
        yield f"{name}: symmetry", renaming(system)
        yield from exported(name, system)


def renaming(system: TransitionSystem) -> str:
    """The tables of a symmetric system."""
    if not symmetric_types(system):
        return ""
    tables = Symmetry(system, Layout(system.variables))
    return repr([list(renamings(symmetric_types(system))), [part.tolist() for part in tables.parts]])


def exported(name: str, system: TransitionSystem) -> Iterator[tuple[str, str]]:
    """What other checkers are given of the first guarantee; all that they are given would take a minute."""
    begin, only = initial_states(system), [each.name for each in system.guarantees[:1]]
    for export in (tla, promela, smv) if name in EXPORTED else (tla,):
        if name not in LONG:
            yield f"{name}: {export.__name__}", export(system, begin, only=only)


# --- low-level modules ----------------------------------------------------------------


def of_modules() -> Iterator[tuple[str, str]]:
    """The texts of all low-level modules, which are written and not compiled."""
    texts: list[str] = []

    def written(text: Callable[[], str], _names: object, *, made_from: str, **_: bool) -> None:
        texts.append(text() + made_from)

    functions.build = written  # type: ignore[assignment]
    for name, ask in libraries():
        ask()
        yield name, texts.pop()


def libraries() -> Iterator[tuple[str, Callable[[], object]]]:
    for several in (False, True):
        yield f"search {several}", lambda s=several: core_library(2, 2, s, s)
        yield f"graph {several}", lambda s=several: core_library(2, 4, False, s)
    yield "canonicalise", lambda: symmetry._library(2, 5)
    yield "exchange", lambda: job._library(2, 2, 2, False)
    yield "walks", lambda: walk_library(2, 3, "rates")
    for module in natives():
        for name, value in vars(module).items():
            if isinstance(value, Native):
                yield f"{module.__name__}.{name}", lambda value=value: value.library


def natives() -> Iterator[ModuleType]:
    """The modules that have native functions."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if re.search(r"^\w+ = Native\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield import_module(".".join(("angarium", *path.relative_to(PACKAGE).with_suffix("").parts)))


# --- cards ----------------------------------------------------------------------------


def for_cards() -> Iterator[tuple[str, str]]:
    """What is compiled for a graphics card; of the smallest system also what LLVM makes of it."""
    compiled = ptx._compile

    def build(text: Callable[[], str], *_: object, made_from: str) -> bytes:
        return (text() + made_from).encode()

    ptx.build = build  # type: ignore[assignment]
    for name in systems():
        system = load(name)
        program = Program(system, Layout(system.variables), None, Wish())
        yield f"{name}: for a card", program.ptx(ptx.OLDEST).decode()
    small = Program(load(SMALL), Layout(load(SMALL).variables), None)
    _, processor, features = ptx.generation(ptx.OLDEST)
    yield f"{SMALL}: PTX", compiled(small._text(CARD), STARTED, processor, features).decode()


if __name__ == "__main__":
    main()
