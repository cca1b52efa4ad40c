"""What importing each part loads: nothing that is slow to load and not needed yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ALLOWED = {"angarium"}
"""Packages outside the standard library that `import angarium` may load."""
HEAVY = {
    "llvmlite",
    "numpy",
    "rich",
    "scipy",
    "hypothesis",
    "z3",
    "pyspark",
    "pandas",
    "pyarrow",
    "py4j",
    "fastapi",
    "starlette",
}


def loaded_by(source: str) -> set[str]:
    """The top-level packages that running the source loads."""
    return {name.split(".")[0] for name in modules_of(source)}


def modules_of(source: str) -> set[str]:
    """The modules that running the source loads, and the words that it prints."""
    report = "import sys; before = set(sys.modules)\n{}\nprint(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", report.format(source)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def modules_of_program(*words: str) -> set[str]:
    """The modules that `angarium` loads for a command."""
    return modules_of(
        f"from angarium.app.cli import main\ntry: main({list(words)!r})\nexcept SystemExit: pass"
    )


def inside(modules: set[str], *packages: str) -> set[str]:
    """The modules that are one of the packages, or in it."""
    return {name for name in modules if any(f"{name}.".startswith(f"{each}.") for each in packages)}


def test_the_package_loads_only_itself_and_the_standard_library() -> None:
    assert loaded_by("import angarium") - set(sys.stdlib_module_names) == ALLOWED


def test_so_do_its_functions_until_they_are_called() -> None:
    source = "import angarium; angarium.check, angarium.replay, angarium.Verdict"
    assert loaded_by(source) - set(sys.stdlib_module_names) == ALLOWED


@pytest.mark.parametrize("verb", ["check", "conform", "prove", "systems"])
def test_the_command_line_loads_no_engine(verb: str) -> None:
    assert not loaded_by(f"import angarium.app.cli, angarium.app.cli.{verb}") & HEAVY


def test_the_words_of_proofs_load_no_solver() -> None:
    assert loaded_by("import angarium.contracts") - set(sys.stdlib_module_names) == ALLOWED


@pytest.mark.parametrize("words", [["--help"], ["check", "--help"], ["prove", "--help"], ["systems"]])
def test_neither_does_asking_for_help(words: list[str]) -> None:
    assert not inside(modules_of_program(*words), *HEAVY - {"numpy"})


SMALL, MESH = "examples/at_least_once.py", "examples/meshes/six-brokers.yaml"
CHECKED = f"import angarium; angarium.check({SMALL!r}, only=['no-loss'])"


def test_a_check_loads_no_engine_for_cards_where_there_is_no_driver() -> None:
    source = f"from angarium.native import card_driver; card_driver.LIBRARIES = (); {CHECKED}"
    found = modules_of(source)
    assert "angarium.checker.explore.auto" in found
    assert not inside(found, "angarium.checker.explore.gpu", "angarium.native.cuda", "angarium.native.ptx")


def test_a_model_that_was_checked_before_loads_no_more_than_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    writers = ["angarium.checker.backend.kernel_text", "angarium.checker.backend.kernel_actions"]
    first, again = (modules_of_program("check", SMALL, "-q") for _ in range(2))

    assert {*writers, "llvmlite.binding"} <= first
    unneeded = [
        "angarium.checker.explore.estimate",
        "angarium.native.apart",
        *"statistics tomllib yaml socket subprocess".split(),
    ]
    rooms = ("app.web", "app.pipeline", "history", "settings", "checker.walks", "contracts")
    others = [f"angarium.{room}" for room in rooms]
    assert not inside(again, *writers, *unneeded, *others, *HEAVY - {"llvmlite", "numpy"})
    assert inside(again, "angarium.mesh") == {
        "angarium.mesh",
        "angarium.mesh.as_model",
        "angarium.mesh.as_model.subject",
    }


def test_a_mesh_needs_no_models() -> None:
    unneeded = [
        "angarium.checker.frontend",
        "angarium.checker.explore",
        "angarium.checker.ir.transition",
        "angarium.native.apart",
        "socket",
        "subprocess",
    ]
    loaded = modules_of_program("mesh", "verify", MESH, "-q")

    assert "angarium.mesh.verify.verify" in loaded
    assert not inside(loaded, *unneeded, *HEAVY - {"llvmlite", "numpy"})


def test_a_proof_needs_no_models_and_no_native_code() -> None:
    loaded = modules_of_program("prove", "queue", "-q")

    assert "z3" in loaded
    assert not inside(
        loaded, "angarium.checker.frontend", "angarium.checker.explore", "angarium.native", *HEAVY - {"z3"}
    )
    assert not inside(loaded, "secrets", "hashlib")


@pytest.mark.parametrize("module", "bridge failures java machine session".split())
def test_what_knows_spark_loads_it_only_when_it_is_needed(module: str) -> None:
    assert not loaded_by(f"import angarium.spark.{module}") & HEAVY


def test_without_the_extra_spark_is_not_there_and_that_is_said() -> None:
    source = (
        "import importlib.util; importlib.util.find_spec = lambda name: None\n"
        "from angarium.core.errors import SparkError\n"
        "from angarium.spark.session import Place, session\n"
        "try: session(Place('local[1]'))\n"
        "except SparkError as problem: said = problem.code\n"
        "assert said == 'ANG070', said"
    )

    assert "angarium" in loaded_by(source)


def test_finding_a_model_and_the_reference_engine_need_no_native_code() -> None:
    source = (
        "import angarium; angarium.check('rabbitmq-sac', engine='reference', only=['type-ok'],"
        " parameters={'queues': 1, 'apps': 1})"
    )
    assert not loaded_by(source) & HEAVY
