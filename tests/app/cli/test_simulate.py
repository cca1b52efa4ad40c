"""`angarium simulate`: figures, comparisons, sweeps, files, exit codes, and what is refused."""

from __future__ import annotations

import csv
import re
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.app.cli.running import AT_LEAST_ONCE, SAC, SMALL, record, run, start

FEW = ("--runs", "300", "--quiet")
STORM = "examples/retry_storm.py"


def test_one_simulation() -> None:
    result = run("simulate", *SMALL, *FEW)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "set       queues=2, apps=2" in result.stdout
    assert "schedule  by-action: one of the actions" in result.stdout
    assert "Made 300 walks (seed 1): all came to the goal" in result.stdout
    assert "releases-to-balance: Releases until balance." in result.stdout
    assert "  angarium check rabbitmq-sac --set queues=2 --set apps=2" in result.stdout.splitlines()
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_record_says_what_the_figures_depend_on() -> None:
    answer = record("simulate", *SMALL, *FEW, "--seed", "5", "--schedule", "uniform")
    assert (answer["kind"], answer["subject"], answer["engine"]) == ("simulate", SAC, "local")
    assert (answer["schedule"], answer["seed"], answer["runs"], answer["walks"]) == ("uniform", 5, 300, 300)
    assert answer["complete"] is True
    assert {each["verdict"] for each in answer["verdicts"]} == {"unknown"}
    assert [each["observation"] for each in answer["statistics"]][:2] == [
        "releases-to-balance",
        "releases-per-queue",
    ]


def test_threads_change_nothing_and_the_seed_does() -> None:
    one = record("simulate", *SMALL, *FEW, "--threads", "1")["statistics"]
    assert one == record("simulate", *SMALL, *FEW, "--threads", "3")["statistics"]
    assert one != record("simulate", *SMALL, *FEW, "--seed", "2")["statistics"]


def test_the_histogram_of_another_observation() -> None:
    output = run("simulate", *SMALL, *FEW, "--observe", "steps-to-balance").stdout
    assert "\nsteps-to-balance: Steps until balance.\n" in output
    assert "\nreleases-to-balance: " not in output


def test_a_violation_is_a_story_that_can_be_replayed() -> None:
    result = run("simulate", AT_LEAST_ONCE, *FEW, "--story", "brief")
    assert result.exit_code == 1
    assert "no-duplicates violated: of the walks that met it, the shortest has" in result.stdout
    command = next(line for line in result.stdout.splitlines() if line.startswith("  angarium replay "))
    again = run(*command.split()[1:])
    assert again.exit_code == 0
    assert "no-duplicates" in again.stdout


def test_a_model_without_observations_still_tells_how_walks_ended() -> None:
    output = " ".join(run("simulate", AT_LEAST_ONCE, *FEW, "--story", "none").stdout.split())
    assert "The model names no observations" in output
    assert "ended where nothing more could happen" in output


def test_walks_that_come_to_the_limit_of_steps_are_told() -> None:
    output = run("simulate", *SMALL, *FEW, "--steps", "8").stdout
    assert "ended at the limit of steps" in output
    assert "did not come to the goal; the figures are of those that did" in " ".join(output.split())


def test_rates_of_a_model() -> None:
    result = run("simulate", STORM, *FEW, "--schedule", "rates", "--story", "none")
    assert result.exit_code in (0, 1)
    assert "schedule  rates: one of the instances, as likely as its rate is great" in result.stdout


# --- alternatives ---------------------------------------------------------------------------


def test_alternatives_are_simulated_with_the_same_plan_and_seeds_of_their_own() -> None:
    answer = record("simulate", *SMALL, *FEW, "--compare", "rule=poorer", "--compare", "apps=3,mode=random")
    poorer, more = answer["alternatives"]
    assert (poorer["changes"], more["changes"]) == ({"rule": "poorer"}, {"apps": 3, "mode": "random"})
    assert (answer["seed"], poorer["seed"], more["seed"]) == (1, 2, 3)
    alone = record("simulate", *SMALL, *FEW, "--set", "rule=poorer", "--seed", "2")
    assert poorer["statistics"] == alone["statistics"]
    assert [each["observation"] for each in poorer["differences"]] == [
        each["observation"] for each in alone["statistics"]
    ]


def test_the_report_says_which_has_fewer() -> None:
    result = run("simulate", SAC, "--runs", "1000", "--quiet", "--compare", "rule=poorer")
    assert result.exit_code == 0
    assert "Fewer with rule=poorer: " in result.stdout
    assert result.stdout.splitlines()[-1] == "  angarium check rabbitmq-sac --set rule=poorer"


# --- sweeps ---------------------------------------------------------------------------------


def test_a_sweep_on_this_machine() -> None:
    words = ("simulate", SAC, *FEW, "--sweep", "queues=2..3", "--sweep", "apps=2..4", "--engine", "local")
    result = run(*words)
    assert result.exit_code == 0
    assert "  queues \\ apps     2     3     4" in result.stdout.splitlines()
    assert "Simulated 6 scenarios: 300 walks each (seed 1)." in result.stdout
    scenarios = record(*words)["scenarios"]
    assert len(scenarios) == 6
    alone = record("simulate", SAC, *FEW, "--set", "queues=3", "--set", "apps=4")
    assert scenarios[-1]["statistics"] == alone["statistics"]


# --- files ----------------------------------------------------------------------------------


def test_a_card_makes_the_same_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANGARIUM_GPU", "emulated")
    words = ("simulate", SAC, *FEW, "--set", "queues=2")
    here, there = record(*words, "--engine", "local"), record(*words, "--engine", "gpu")
    assert (there["engine"], there["statistics"]) == ("gpu", here["statistics"])
    assert "(gpu engine): " in run(*words, "--engine", "gpu").stdout


def test_a_sweep_on_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANGARIUM_GPU", "emulated")
    words = ("simulate", SAC, *FEW, "--sweep", "queues=2..3")
    here, there = record(*words, "--engine", "local"), record(*words, "--engine", "gpu")
    assert [each["statistics"] for each in there["scenarios"]] == [
        each["statistics"] for each in here["scenarios"]
    ]


def test_a_histogram_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "releases.svg"
    assert run("simulate", *SMALL, *FEW, "--compare", "rule=poorer", "--plot", str(file)).exit_code == 0
    text = file.read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "rule=poorer: mean" in text
    assert "Schedule by-action, seeds 1 to 2, 300 walks each." in text
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("sweep", "sign"),
    [(("queues=2..3",), "mean, and 5 to 95 %"), (("queues=2..3", "apps=2..3"), "queues=3, apps=3: ")],
)
def test_a_sweep_is_drawn(tmp_path: Path, sweep: tuple[str, ...], sign: str) -> None:
    file = tmp_path / "sweep.svg"
    axes = [word for each in sweep for word in ("--sweep", each)]
    assert run("simulate", SAC, *FEW, *axes, "--engine", "local", "--plot", str(file)).exit_code == 0
    assert sign in file.read_text()


def test_raw_figures_are_those_of_the_statistics(tmp_path: Path) -> None:
    file = tmp_path / "figures.csv"
    answer = record("simulate", *SMALL, *FEW, "--raw", str(file))
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert len(rows) == 300
    mean = sum(int(row["releases-to-balance"]) for row in rows) / 300
    assert mean == pytest.approx(answer["statistics"][0]["mean"], abs=1e-6)


# --- cut ------------------------------------------------------------------------------------


def test_a_time_limit_gives_what_there_is() -> None:
    words = ("simulate", SAC, "--runs", "1000000", "--timeout", "0.5", "--quiet")
    answer = record(*words)
    assert answer["complete"] is False
    assert answer["cut"] == "time limit of 0.5 s"
    assert answer["walks"] < 1_000_000
    assert run(*words).exit_code == 3


def test_a_sweep_out_of_time_shows_the_scenarios_that_are_whole() -> None:
    words = ("--sweep", "queues=2..20", "--engine", "local", "--timeout", "4", "--quiet", "--runs", "99999")
    result = run("simulate", SAC, *words)
    assert result.exit_code == 3
    assert "of 19; cut: time limit of 4 s" in " ".join(result.stdout.split())


def test_ctrl_c_gives_a_truthful_answer() -> None:
    with start("simulate", SAC, "--runs", "10000000") as process:
        assert process.stderr and any(re.search(r"of 10(\.0)? M walks", line) for line in process.stderr)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 3
    assert "cut: interrupted" in " ".join(output.split())


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--observe", "relases-to-balance"), "did you mean releases-to-balance?"),
        (("--schedule", "rates"), "gives no rates"),
        (("--runs", "1000000000000"), "do not fit into memory"),
        (("--compare", "rule"), "does not say which parameter gets which value"),
        (("--compare", "rule=rich"), "rule cannot be 'rich'"),
        (("--sweep", "queues=5..2"), "has a range without values"),
        (("--sweep", "qeues=2..5"), "did you mean queues?"),
        (("--sweep", "queues=2..25"), "queues cannot be '21'"),
        (("--sweep", "queues=2..5", "--set", "queues=3"), "given more than once"),
        (("--sweep", "queues=2..5", "--compare", "rule=poorer"), "--compare cannot be given with --sweep"),
        (("--sweep", "queues=2..5", "--raw", "a.csv"), "--raw cannot be given with --sweep"),
        (("--compare", "rule=poorer", "--raw", "a.csv"), "--raw cannot be given with --compare"),
        (("--sweep", "release_limit=1..200", "--sweep", "restarts=0..99"), "20,000 scenarios"),
        (
            ("--sweep", "queues=2,3", "--sweep", "apps=2,3", "--sweep", "restarts=0,1", "--plot", "a.svg"),
            "3 parameters",
        ),
        (("--plot", "a.png"), "ends in .svg"),
        (("--raw", "a.xlsx"), "ends in .csv or .parquet"),
        (("--plot", "nowhere/a.svg"), "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(words: tuple[str, ...], says: str) -> None:
    result = run("simulate", SAC, "--engine", "local", *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in " ".join(result.stderr.split())


def test_a_picture_of_nothing_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "nothing.svg"
    result = run("simulate", AT_LEAST_ONCE, *FEW, "--plot", str(file))
    assert result.exit_code == 2
    assert "names no observations, so there is nothing to draw" in result.stderr
    assert not file.exists()


def test_a_picture_without_figures_is_not_written_and_the_report_is(tmp_path: Path) -> None:
    file = tmp_path / "nothing.svg"
    result = run("simulate", *SMALL, *FEW, "--steps", "1", "--plot", str(file))
    assert result.exit_code == 0
    assert "no walk gave a figure of releases-to-balance" in result.stderr
    assert "No walk gave a figure of what the model observes." in result.stdout
    assert not file.exists()
