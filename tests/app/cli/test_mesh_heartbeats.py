"""`angarium mesh heartbeats`: tables, records and curves."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from angarium.app.cli.failures import ExitCode
from tests.app.cli.running import record, run

SHORT = ("--load", "0.9", "--interval", "5ms", "--interval", "50ms", "--duration", "3min", "-q")


def test_it_tells_every_scheme_within_eighty_columns() -> None:
    result = run("mesh", "heartbeats", *SHORT)

    assert result.exit_code == 0
    for scheme in ("fixed x4", "fixed x16", "adaptive", "stretched"):
        assert sum(line.startswith(f"  {scheme} ") for line in result.stdout.splitlines()) == 2
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_record_has_every_point() -> None:
    answer = record("mesh", "heartbeats", *SHORT, "--seed", "4")

    assert len(answer["points"]) == 8
    assert answer["seed"] == 4
    first = answer["points"][0]
    assert (first["scheme"], first["interval_ms"], first["load"]) == ("fixed x4", 5.0, 0.9)
    assert first["false_alarms_per_hour"]["low"] <= first["false_alarms_per_hour"]["rate"]


def test_the_curves_are_svg(tmp_path: Path) -> None:
    picture = tmp_path / "curves.svg"

    run("mesh", "heartbeats", *SHORT, "--plot", str(picture))

    root = ElementTree.fromstring(picture.read_text())
    lines = [each for each in root if each.tag.endswith("polyline")]
    assert len(lines) == 4
    assert "false alarms an hour" in picture.read_text()


def test_without_bursts_nobody_raises_alarms() -> None:
    answer = record("mesh", "heartbeats", *SHORT, "--burst", "0")

    assert {each["false_alarms"] for each in answer["points"]} == {0}
    assert answer["link"]["burst_ms"] == 0


def test_a_cut_answer_says_so() -> None:
    result = run("mesh", "heartbeats", "--duration", "50h", "--timeout", "0.001", "-q")

    assert result.exit_code == ExitCode.UNKNOWN
    assert "Cut short: time limit of 0.001 s." in " ".join(result.stdout.split())


def test_an_impossible_load_is_refused() -> None:
    assert run("mesh", "heartbeats", "--load", "2.5").exit_code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--interval", "5"), "for example --interval 5ms"),
        (("--interval", "2min"), "100 us to 1 min"),
        (("--rate", "10"), "for example --rate 10Mbit/s"),
        (("--burst", "1h"), "0 to 10 min"),
        (("--duration", "1s"), "36 s to"),
        (("--plot", "curves.png"), "ends in .svg"),
        (("--plot", "no/curves.svg"), "no folder"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_simulated(words: tuple[str, str], said: str) -> None:
    result = run("mesh", "heartbeats", *words)

    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_short_times_and_many_alarms_are_told_within_eighty_columns() -> None:
    words = ("--load", "0.5", "--burst", "0", "--interval", "0.1ms", "--duration", "36s", "-q")
    result = run("mesh", "heartbeats", *words)

    fixed = next(line for line in result.stdout.splitlines() if "fixed x4" in line).split()
    assert fixed[4] == "M", "so many alarms an hour are told in millions"
    assert 0 < float(fixed[-3]) < float(fixed[-2]) == 0.4
    assert max(map(len, result.stdout.splitlines())) <= 80
