"""`angarium refine`: verdicts, exit codes, stories and the record."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from angarium import Verdict, api
from angarium.core.errors import UsageError
from tests.app.cli.running import record, run

RELAY, QUEUE = "examples/relay.py", "examples/queue_of_two.py"
LOSING = ("--set", "loses=true")


@pytest.mark.parametrize("semantics", ["traces", "failures"])
def test_it_holds(semantics: str) -> None:
    result = run("refine", RELAY, QUEUE, "--semantics", semantics)

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{RELAY} refines {QUEUE}: holds\n")
    assert "messages=2, loses=false: 9 states, 14 transitions" in result.stdout
    assert "visible         deliver, publish" in result.stdout


def test_an_event_that_is_not_allowed_ends_the_story_which_can_be_replayed() -> None:
    result = run("refine", RELAY, QUEUE, *LOSING)

    assert result.exit_code == 1
    assert "It breaks in 5 steps." in result.stdout
    assert "5 publish(m1)  first: None -> m1" in result.stdout
    assert "end: after publish(m1), publish(m1): publish(m1) happens" in result.stdout
    again = run(*shlex.split(result.stdout.splitlines()[-1].strip())[1:])
    assert again.exit_code == 0
    assert "5 publish(m1)  first: None -> m1" in again.stdout


def test_failures_are_shown_by_what_is_refused() -> None:
    (verdict,) = record("refine", RELAY, QUEUE, "--semantics", "failures", *LOSING)["verdicts"]
    assert verdict["guarantee"] == "failures-refinement"
    assert [step["action"] for step in verdict["story"]["steps"]] == ["publish", "lose"]


def test_both_sides_have_their_own_parameters() -> None:
    more = ("--set", "messages=3")
    assert run("refine", RELAY, QUEUE, *more).exit_code == 1
    assert run("refine", RELAY, QUEUE, *more, "--spec-set", "messages=3").exit_code == 0


def test_a_search_that_was_cut_decides_nothing() -> None:
    result = run("refine", RELAY, QUEUE, "--max-states", "3")

    assert result.exit_code == 3
    assert "Unknown is not holds: the search of the implementation was cut" in result.stdout


def test_who_shows_nothing_keeps_nothing() -> None:
    result = run("refine", QUEUE, RELAY, "--visible", "pass_on")

    assert result.exit_code == 3
    assert "Unknown is not holds: nothing that the implementation does is seen." in result.stdout


def test_a_side_that_goes_out_of_range_decides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "overflowing.py"
    file.write_text(
        "from angarium import *\n\n\nclass Overflowing(Model):\n    'It counts too far.'\n\n"
        "    n: int = integer(0, 2)\n\n    @action\n    def publish(self) -> None:\n        self.n += 1\n",
        encoding="utf-8",
    )
    relay = Path(RELAY).resolve()
    monkeypatch.chdir(tmp_path)  # a short name stands on one line

    result = run("refine", str(relay), file.name)

    assert result.exit_code == 3
    said = " ".join(result.stdout.split())
    assert (
        "the specification goes out of range, and nothing is known behind that: angarium check overflowing.py"
        in said
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("refine", RELAY), "Missing argument 'SPECIFICATION'"),
        (("refine", RELAY, QUEUE, "--visible", "publis"), "did you mean publish?"),
        (("refine", RELAY, QUEUE, "--semantics", "bisimulation"), "bisimulation"),
        (("refine", RELAY, "nobody"), "nobody"),
        (("refine", RELAY, QUEUE, "--spec-set", "loses=true"), "loses"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], message: str) -> None:
    result = run(*words)

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_the_record_keeps_the_contract() -> None:
    answer = record("refine", RELAY, QUEUE, *LOSING)

    assert (answer["kind"], answer["subject"], answer["engine"]) == ("refine", RELAY, "local")
    assert answer["parameters"] == {"messages": 2, "loses": True}
    assert (answer["complete"], answer["states"], answer["transitions"]) == (True, 9, 20)
    assert (answer["semantics"], answer["visible"]) == ("traces", ["deliver", "publish"])
    assert answer["undecided"] is None
    other = answer["specification"]
    assert (other["subject"], other["parameters"], other["states"]) == (QUEUE, {"messages": 2}, 7)
    assert list(answer)[-1] == "verdicts"
    (verdict,) = answer["verdicts"]
    assert (verdict["guarantee"], verdict["kind"]) == ("trace-refinement", "refinement")
    assert verdict["verdict"] == "violated"
    assert verdict["story"]["address"].startswith(f"{RELAY}@{answer['model_hash']}:")


def test_stories_are_shown_as_asked() -> None:
    assert "sequenceDiagram" in run("refine", RELAY, QUEUE, *LOSING, "--story", "mermaid").stdout
    assert "import angarium" in run("refine", RELAY, QUEUE, *LOSING, "--story", "pytest").stdout
    assert "what happens" not in run("refine", RELAY, QUEUE, *LOSING, "--story", "none").stdout


def test_lines_fit_80_columns_but_for_the_command_to_copy() -> None:
    lines = run("refine", RELAY, QUEUE, *LOSING, "--semantics", "failures").stdout.splitlines()

    assert max(len(line) for line in lines if not line.startswith("  angarium replay")) <= 80


# --- from Python --------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", api.ENGINES)
def test_from_python(engine: str) -> None:
    holds = api.refine(RELAY, QUEUE, engine=engine)
    violated = api.refine(RELAY, QUEUE, parameters={"loses": True}, engine=engine)

    assert (holds.verdict.verdict, holds.verdict.story) == (Verdict.HOLDS, None)
    assert violated.implementation.worst is Verdict.VIOLATED
    assert violated.specification.coverage.states == 7


def test_from_python_only_some_events() -> None:
    with pytest.raises(UsageError, match="neither system has an action or channel 'vanish'"):
        api.refine(RELAY, QUEUE, visible=["vanish"])
    assert api.refine(QUEUE, RELAY, visible=["deliver"]).verdict.verdict is Verdict.HOLDS
