"""The sub-packages of the room of meshes: each has a purpose, an order, and modules that are its entrance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.test_repository import MODULES, arrows

MESH = "angarium.mesh"
ORDER = (
    "draw as_model packets schemes probability protocol repair recovery importers files verify"
    " routing delivery topics"
).split()
"""From top to bottom: a sub-package knows only those behind it."""
CIRCLE = {"files", "importers"}
"""They know each other: a folder of files is read by importers, and those read files of the same kinds."""
PACKAGES = sorted({name.split(".")[2] for name in MODULES if name.count(".") > 2 and name.startswith(MESH)})


def package_of(name: str) -> str:
    """The sub-package of a module; nothing outside of any."""
    parts = name.split(".")
    return parts[2] if name.startswith(f"{MESH}.") and parts[2] in PACKAGES else ""


def listed(package: str) -> list[str]:
    """What `__all__` of a sub-package has."""
    tree = ast.parse(MODULES[f"{MESH}.{package}"].read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def entered(package: str) -> Iterator[tuple[str, str]]:
    """Who, outside of a sub-package, imports which of its modules."""
    for one, other in arrows():
        if package_of(other) == package != package_of(one) and other != f"{MESH}.{package}":
            yield one, other.split(".")[3]


def test_the_order_has_every_sub_package() -> None:
    assert set(PACKAGES) <= set(ORDER)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_sub_package_says_what_it_is_for(package: str) -> None:
    text = MODULES[f"{MESH}.{package}"].read_text(encoding="utf-8")

    assert (ast.get_docstring(ast.parse(text)) or "").count(".") >= 1


@pytest.mark.parametrize("package", PACKAGES)
def test_a_sub_package_knows_only_those_below(package: str) -> None:
    above = set(ORDER[: ORDER.index(package)]) - (CIRCLE if package in CIRCLE else set())
    known = {package_of(other) for one, other in arrows() if package_of(one) == package}

    assert known & above == set()


@pytest.mark.parametrize("package", [name for name in PACKAGES if name not in {*CIRCLE, "draw"}])
def test_others_use_what_a_sub_package_offers(package: str) -> None:
    """All that it lists is there; and nobody reaches past it."""
    own = {name.split(".")[3] for name in MODULES if package_of(name) == package and name.count(".") > 2}

    assert set(listed(package)) <= own
    assert sorted({pair for pair in entered(package) if pair[1] not in listed(package)}) == []
