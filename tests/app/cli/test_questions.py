"""`angarium check --ltl`, `--ctl`, `--fairness`, and what goes with guarantees over time."""

from __future__ import annotations

import shlex

import pytest

import angarium
from tests.app.cli.running import SMALL, record, run

FAIR_LOSS = "examples/fair_loss.py"


def verdicts(*words: str) -> dict[str, str]:
    answer = record("check", *words)
    return {each["guarantee"]: each["verdict"] for each in answer["verdicts"]}


def test_a_question_is_judged_alone() -> None:
    assert verdicts(FAIR_LOSS, "--ltl", "<> all_delivered") == {"stays-in-range": "holds", "ltl": "violated"}


def test_several_questions_and_a_guarantee_beside_them() -> None:
    words = ("--ltl", "<> all_delivered", "--ltl", "[] True", "--ctl", "AG EF all_delivered")

    assert verdicts(FAIR_LOSS, *words, "--only", "nothing-twice") == {
        "stays-in-range": "holds",
        "nothing-twice": "holds",
        "ltl": "violated",
        "ltl-2": "holds",
        "ctl": "holds",
    }


def test_fairness_decides() -> None:
    question = (FAIR_LOSS, "--ltl", "<> all_delivered", "--fairness")

    assert verdicts(*question, "weak by instance")["ltl"] == "violated"
    assert verdicts(*question, "strong by instance of deliver")["ltl"] == "holds"


def test_the_verdict_says_which_runs_count() -> None:
    words = ("check", FAIR_LOSS, "--ltl", "<> all_delivered", "--fairness", "weak by process")

    assert record(*words)["verdicts"][-1]["fairness"] == "weak by process"
    assert "weak by process" in " ".join(run(*words).stdout.split())


def test_a_claim_about_nothing_is_unknown_and_says_why() -> None:
    words = ("check", FAIR_LOSS, "--ltl", "[] (link == m1 && m1 in delivered -> <> all_delivered)")

    result, answer = run(*words), record(*words)

    assert result.exit_code == 3
    assert answer["verdicts"][-1]["verdict"] == "unknown"
    assert "is never true" in answer["verdicts"][-1]["vacuous"]
    assert "is never true" in " ".join(result.stdout.split())


def test_a_lasso_is_shown_and_replayed() -> None:
    result = run("check", *SMALL, "--only", "eventually-all-subscribed", "--no-remedies")
    command = result.stdout.splitlines()[-1].strip()
    again = run(*shlex.split(command)[1:])

    assert result.exit_code == 1
    assert "from here on the same again, for ever" in result.stdout
    assert "~" in command
    assert "from here on the same again, for ever" in again.stdout


def test_what_would_have_kept_it() -> None:
    broken = record("check", *SMALL, "--only", "eventually-all-subscribed")["verdicts"][-1]

    assert broken["verdict"] == "violated"
    assert broken["remedies"] == [{"mode": "random"}, {"rule": "poorer"}]
    assert record("check", *SMALL, "--no-remedies")["verdicts"][-2]["remedies"] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--ltl", "[] (dlivered"), "is not closed"),
        (("--ltl", "<> dlivered"), "did you mean delivered?"),
        (("--ltl", "<> x", "--ctl", "AG y"), "'x' is not known"),
        (("--fairness", "weak by process"), "there is neither"),
        (("--ltl", "<> all_delivered", "--fairness", "fair"), "--fairness 'fair' is not understood"),
        (("--ltl", "<> all_delivered", "--mutate"), "--ltl cannot be given with --mutate"),
    ],
)
def test_what_cannot_be_asked(words: tuple[str, ...], told: str) -> None:
    result = run("check", FAIR_LOSS, *words)

    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_an_error_points_into_the_formula() -> None:
    error = run("check", FAIR_LOSS, "--ltl", "[] (link == m1 -> <> m1 in deliverd)").stderr

    source, mark = (line.split("|", 1)[1] for line in error.splitlines() if " | " in line)
    assert source[mark.index("^") :].startswith("deliverd")


def test_symmetry_is_refused() -> None:
    result = run("check", *SMALL, "--symmetry")

    assert result.exit_code == 2
    assert "symmetry cannot judge guarantees over time" in result.stderr
    assert "--only type-ok --only sequential-safety" in result.stderr


def test_from_python() -> None:
    report = angarium.check(FAIR_LOSS, ltl="<> all_delivered", ctl=["AG EF all_delivered"])

    assert [each.verdict.value for each in report.verdicts] == ["holds", "violated", "holds"]
