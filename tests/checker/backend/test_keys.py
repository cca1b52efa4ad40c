"""What an object is kept by determines it: a wrong hit would be a wrong verdict."""

from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass, replace
from importlib import resources
from typing import Any

import pytest

from angarium.checker.backend import kernel
from angarium.checker.backend.kernel import compile_system
from angarium.checker.backend.kernel_text import kernel_text
from angarium.checker.backend.layout import Layout
from angarium.checker.ir.transition import TransitionSystem
from angarium.native import jit
from angarium.systems.registry import load, systems

WRITE_NOTHING = {
    "angarium",
    "angarium.core.control",
    "angarium.core.errors",
    "angarium.core.files",
    "angarium.core.cache",
    "angarium.core.result",
}
"""What the writers of texts use besides: these limit time, keep files, refuse models and name systems."""


def shown(node: Any) -> Any:  # noqa: ANN401 - any part of a system
    """The same with only what `repr` shows; the rest is as if nobody had given it."""
    if isinstance(node, tuple):
        return tuple(map(shown, node))
    if not is_dataclass(node):
        return node
    return type(node)(**{each.name: shown(getattr(node, each.name)) for each in fields(node) if each.repr})


def text_of(system: TransitionSystem) -> str:
    return kernel_text(system, Layout(system.variables))


@pytest.mark.parametrize("name", systems())
def test_what_is_not_in_the_key_of_a_kernel_does_not_reach_its_text(name: str) -> None:
    system = load(name)
    bare = shown(system)

    assert system.positions and not bare.positions
    assert repr(bare) == repr(system)
    assert text_of(bare) == text_of(system)


def test_where_a_search_begins_does_not_reach_the_text_either() -> None:
    system = load("rabbitmq-sac")

    assert text_of(kernel.without_beginning(system)) == text_of(system)


def test_what_writes_texts_is_in_the_digest_of_the_compiler() -> None:
    used = set()
    for package in jit.WRITERS:
        for file in resources.files(package).iterdir():
            if file.name.endswith(".py"):
                used |= imported(file.read_text(encoding="utf-8"))

    assert {name for name in used if not name.startswith(jit.WRITERS)} <= WRITE_NOTHING


def imported(source: str) -> set[str]:
    """The modules of Angarium that a source imports."""
    nodes = list(ast.walk(ast.parse(source)))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    names = {node.module or "" for node in froms if node.module != "angarium.core"}
    names |= {
        f"angarium.core.{alias.name}"
        for node in froms
        if node.module == "angarium.core"
        for alias in node.names
    }
    names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name for name in names if name.partition(".")[0] == "angarium"}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What kernels are asked for by, from here on."""
    asked: list[str] = []

    def look(_text: object, _names: object, *, made_from: str, thorough: bool) -> None:
        asked.append(jit._key(made_from, thorough))

    monkeypatch.setattr(kernel, "build", look)
    kernel._library.cache_clear()
    return asked


def test_another_system_another_layout_and_another_way_are_other_objects(keys: list[str]) -> None:
    system = load("rabbitmq-sac")
    compile_system(system)
    compile_system(load("rabbitmq-sac", {"queues": "2"}))
    compile_system(replace(system, guarantees=system.guarantees[1:]))
    compile_system(replace(system, actions=system.actions[1:]))
    compile_system(system, apart=1)
    compile_system(system, thorough=True)
    kernel._library.cache_clear()

    assert len(set(keys)) == len(keys) == 6
