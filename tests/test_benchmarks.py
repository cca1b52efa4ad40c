"""Every benchmark runs at a tiny size, says what is missing, and cannot mistake one thing for another.

How long anything takes is no matter here: `python -m benchmarks` measures that.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from angarium.native import card_driver
from benchmarks import ONLY_BY_NAME, kernels
from benchmarks.__main__ import main
from benchmarks.common.row import Row, if_free
from benchmarks.common.suite import changed, measured, names
from benchmarks.kernels import Size

pytestmark = pytest.mark.slow
ON_SPARK = ("audits", "on_spark")
NOWHERE = Path("nowhere")


def tiny(name: str) -> list[Row]:
    return list(measured(name, tiny=True))


def cases() -> Sequence[object]:
    """All benchmarks; to start Spark for one takes longer than all others take together."""
    on_spark = [pytest.param(name, marks=pytest.mark.thorough) for name in ON_SPARK]
    return [*(name for name in names() if name not in ON_SPARK), *on_spark]


def test_without_a_card_that_is_said_and_with_an_emulated_one_nothing_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(card_driver, "LIBRARIES", ("libnowhere.so",))
    monkeypatch.delenv(card_driver.WANTED, raising=False)
    (row,) = tiny("gpu")
    assert "no driver of a graphics card is installed here" in row.figure

    monkeypatch.setenv(card_driver.WANTED, "emulated")
    rows = tiny("gpu")
    assert rows[0].figure.startswith("an emulated grid")
    assert all(row.kept is None for row in rows)
    assert any("bytes a state" in row.figure for row in rows)


@pytest.mark.parametrize("name", cases())
def test_a_benchmark_runs_at_a_tiny_size(name: str) -> None:
    rows = tiny(name)

    assert rows
    assert all(row.what and row.figure for row in rows)


def test_those_that_run_only_by_name_are_there() -> None:
    assert set(ONLY_BY_NAME) < set(names())


# --- what is missing -----------------------------------------------------------------------------


def test_a_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)

    row = tiny("search")[0]

    assert "apt-get install spin gcc" in row.figure
    assert row.said == "not measured"


def test_a_specification_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.peers.tlc.SPECIFICATION", NOWHERE)

    row = tiny("simulation")[0]

    assert "put the specification at" in row.figure
    assert row.said == "not measured"


@pytest.mark.parametrize("name", ["meshes", "recovery", "schemes"])
def test_data_that_are_missing_are_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"benchmarks.{name}.ZOO", NOWHERE)

    rows = tiny(name)

    assert any("curl" in row.figure and row.said == "not measured" for row in rows)
    assert any("curl" not in row.figure for row in rows)


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "benchmarks.peers.simpy_packets", raising=False)
    monkeypatch.setitem(sys.modules, "simpy", None)

    ours, theirs = tiny("packets")

    assert ours.kept is not None
    assert (theirs.figure, theirs.said) == ("simpy is not installed: uv sync", "not measured")


@pytest.mark.parametrize(("cores", "said"), [(2.0, "NO"), (1.0, "not measured")])
def test_what_needs_two_cores_is_judged_only_if_both_are_free(cores: float, said: str) -> None:
    assert if_free(Row("two threads / one", "1.1 x", "1.5 x", False), cores).said == said


# --- what is cached ------------------------------------------------------------------------------


def test_what_is_compiled_anew_is_not_called_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(code: str, *, env: dict[str, str]) -> str:
        cache = Path(env["XDG_CACHE_HOME"])
        (cache / f"{len(list(cache.iterdir()))}.o").touch()
        return "0.1 0.2"

    monkeypatch.setattr(kernels, "of_python", forgetful)

    with pytest.raises(AssertionError, match="queue: compiled anew"):
        tiny("kernels")


def test_what_is_never_stored_is_not_called_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "of_python", lambda code, *, env: "0.1 0.2")

    with pytest.raises(AssertionError, match="queue: nothing was stored"):
        tiny("kernels")


# --- the command ---------------------------------------------------------------------------------


def test_a_tiny_run_judges_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["temporal", "--tiny"]) == 0

    head, *_, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["what", "measured", "promise", "kept"]
    assert last == "not judged: 2"


def test_a_promise_that_is_not_kept_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [Row("one", "1 s", "2 s", True), Row("two", "3 s", "2 s", False), Row("three", "4")]
    monkeypatch.setattr("benchmarks.__main__.measured", lambda name, **_: iter(said))

    assert main(["temporal"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "yes: 1, NO: 1, no promise: 1"


def test_a_benchmark_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["hobbies"])

    assert "no benchmark is called hobbies; there are audits, " in capsys.readouterr().err


def test_a_size_can_be_changed() -> None:
    found = changed(Size(("queue",), repeats=3), {"systems": "nsq,kafka", "repeats": "1"})

    assert found == Size(("nsq", "kafka"), repeats=1)


def test_a_field_that_a_size_does_not_have_is_refused() -> None:
    with pytest.raises(SystemExit, match="no field of the size is called colour; there are"):
        changed(Size((), repeats=3), {"colour": "red"})
