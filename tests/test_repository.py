"""What must be true of the repository as a whole, whichever part is being changed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import angarium
from angarium.checker.language import vocabulary
from angarium.core.errors import CODES
from scripts.house import PACKAGE, ROOMS, ROOT, SOURCES, imported, purpose, room_of, room_of_file
from tests.needs import needs, program

LONGEST_FILE = 500

HEAVY = {"pyspark", "click", "rich", "z3", "fastapi", "starlette", "llvmlite", "numpy", "scipy", "pandas"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_arrows_point_downwards(path: Path) -> None:
    room = room_of_file(path)
    if room is None:
        return
    rooms = [(line, room_of(name)) for line, name in imported(path) if name.startswith("angarium.")]

    upwards = [(line, other) for line, other in rooms if other and ROOMS.index(other) < ROOMS.index(room)]

    assert upwards == [], f"{room} must not know these rooms"


KNOWN_CIRCLES = [
    ("angarium.app.web", "explore mesh reports work worker workers"),
    ("angarium.mesh", "files importers"),
    (
        "angarium.mesh.files",
        "asyncapi compose documents find gml helm inside kubernetes names nodes shapes skupper "
        "thesis_tables yaml_chances yaml_file yaml_links yaml_remarks yaml_risks",
    ),
]
"""Packages in which modules and sub-packages still import in a circle, and which. This list only shrinks."""

MODULES = {
    ".".join(("angarium", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in SOURCES
}
PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py" and room_of(name)]


@cache
def arrows() -> list[tuple[str, str]]:
    """Which module imports which, also inside functions and for types alone."""
    found = []
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in MODULES:
                given = [f"{node.module}.{alias.name}" for alias in node.names]
                found += [(name, full if full in MODULES else node.module) for full in given]
            elif isinstance(node, ast.Import):
                found += [(name, alias.name) for alias in node.names if alias.name in MODULES]
    return found


def below(package: str) -> dict[str, set[str]]:
    """Which modules and sub-packages of a package import which others of them."""
    graph: dict[str, set[str]] = {}
    for pair in arrows():
        if all(each.startswith(f"{package}.") for each in pair):
            one, other = (each.removeprefix(f"{package}.").partition(".")[0] for each in pair)
            graph.setdefault(one, set()).update({other} - {one})
    return graph


@cache
def circles(package: str) -> list[set[str]]:
    """What of a package is imported, over any number of steps, by what it imports."""
    graph = below(package)
    reached = {each: closure(graph, each) for each in graph}
    rings = {frozenset(other for other in reached[each] if each in reached.get(other, ())) for each in graph}
    return [set(ring) for ring in rings if ring]


def closure(graph: dict[str, set[str]], start: str) -> set[str]:
    """All that can be reached from a node in at least one step."""
    seen: set[str] = set()
    waiting = set(graph[start])
    while waiting:
        seen |= waiting
        waiting = {other for each in waiting for other in graph.get(each, ())} - seen
    return seen


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_imports_in_a_circle(package: str) -> None:
    known = [set(names.split()) for where, names in KNOWN_CIRCLES if where == package]

    assert [sorted(ring) for ring in circles(package) if not any(ring <= each for each in known)] == []


@pytest.mark.parametrize(("package", "names"), KNOWN_CIRCLES)
def test_a_circle_that_is_gone_is_off_the_list(package: str, names: str) -> None:
    assert any(ring <= set(names.split()) for ring in circles(package)), "take it off KNOWN_CIRCLES"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert path.name == "__init__.py" or ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for(room: str) -> None:
    assert purpose(room).endswith(".")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_is_not_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


def test_every_error_code_that_is_used_is_listed() -> None:
    assert codes_in_use() <= set(CODES)


def test_every_error_code_that_is_listed_is_used() -> None:
    assert set(CODES) <= codes_in_use()


def codes_in_use() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in SOURCES if path.name != "errors.py")
    return {code for text in texts for code in re.findall(r'"(ANG\d{3})"', text)}


def test_every_error_code_is_documented() -> None:
    page = text_of("docs/reference/errors.md")

    assert [code for code in CODES if f"| `{code}` |" not in page] == []


def test_every_class_of_errors_is_in_the_drawn_tree() -> None:
    from angarium.core import errors

    classes = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.AngariumError)
    }

    assert classes == set(re.findall(r"\w+Error\b", (errors.__doc__ or "").split("\n\n")[1]))


def test_the_package_offers_exactly_the_words_of_the_language() -> None:
    assert set(angarium.__all__) & set(vars(vocabulary)) == vocabulary.WORDS
    assert [name for name in angarium.__all__ if not hasattr(angarium, name)] == []


def test_importing_the_package_is_light() -> None:
    code = f"import sys, angarium; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", text_of("CHANGELOG.md"), re.M)

    assert angarium.__version__ == project == versions[0]


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    commands = re.findall(r"^python3 -m pip install .*$", text_of("README.md"), re.M)
    tests = [command for command in commands if "pytest" in command]

    assert len(commands) == 2
    assert len(tests) == 1
    assert tests[0] in text_of(".ci/run").splitlines()


def test_the_scripts_of_continuous_integration_can_be_run() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_every_system_has_what_is_expected_of_it() -> None:
    folders = [path for path in (PACKAGE / "systems").iterdir() if path.is_dir() and path.name[0] != "_"]

    assert [folder.name for folder in folders if not (folder / "expected.toml").exists()] == []


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.lint
@pytest.mark.slow
@needs("lint")
@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)],
    ids=" ".join,
)
def test_is_clean(command: tuple[str, ...]) -> None:
    words = [str(program(command[0])), *command[1:]]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
