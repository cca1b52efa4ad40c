"""What must be true of the repository as a whole, whichever part is being changed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
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
