"""Models that would take for ever are ended in time, with a truthful answer; so are those nested too deeply.

No test looks at the clock: that the answer has come at all, and says what has cut it, is what counts.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from angarium.app.cli import main
from tests.app.cli.running import record, run, start
from tests.processes import worked
from tests.waiting import wait_until

HEAD = "from angarium import Model, action, initial, integer, invariant\n"
MODEL = '''
class Enormous(Model):
    """Bounded, but nobody lives so long."""

    n = integer(0, 3)
{more}
    @action
    def step(self) -> None:
        {step}

    @invariant
    def fine(self) -> bool:
        return {fine}
'''
LOOPS = """x = 0
        for i in range(100000):
            for j in range(100000):
                if (i * j) % 7 == self.n:
                    x = i % 4
        self.n = x"""
DOUBLED = "".join(
    f"\n    def f{n}(self, x: int) -> int:\n        return (self.f{n - 1}(x) + self.f{n - 1}(x + 1)) % 5\n"
    for n in range(1, 30)
)
STEP, FINE = "self.n = (self.n + 1) % 4", "self.n <= 3"
ENORMOUS = {
    "a step": MODEL.format(more="", step=LOOPS, fine=FINE),
    "a sum": MODEL.format(more="", step="self.n = sum(i % 7 for i in range(10000000000)) % 4", fine=FINE),
    "the beginning": MODEL.format(
        more=f"\n    @initial\n    def begin(self) -> None:\n        {LOOPS}\n", step=STEP, fine=FINE
    ),
    "a guarantee": MODEL.format(
        more="",
        step=STEP,
        fine="sum((i * j + k) % 7 for i in range(10000) for j in range(10000) for k in range(1000)) > self.n",
    ),
    "what is compiled": MODEL.format(
        more=f"\n    def f0(self, x: int) -> int:\n        return (x + self.n) % 5\n{DOUBLED}",
        step="self.n = self.f29(self.n) % 4",
        fine=FINE,
    ),
}


@pytest.fixture(params=ENORMOUS)
def enormous(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    file = tmp_path / "enormous.py"
    file.write_text(HEAD + ENORMOUS[request.param], encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_check_ends_when_its_time_is_up(enormous: str, engine: str) -> None:
    answer = record("check", enormous, "--timeout", "0.5", "--engine", engine)

    assert answer["cut"].startswith("time limit of 0.5 s")
    assert {each["guarantee"]: each["verdict"] for each in answer["verdicts"]} == {
        "stays-in-range": "unknown",
        "fine": "unknown",
    }


def test_simulate_ends_when_its_time_is_up(enormous: str) -> None:
    answer = run("simulate", enormous, "--timeout", "0.5", "--json")

    assert answer.exit_code == 3
    assert "time limit of 0.5 s" in answer.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.sample(4)
def test_a_signal_ends_check_with_what_is_known(enormous: str, number: signal.Signals) -> None:
    with start("check", enormous, "--json", "--quiet") as process:
        wait_until("it is at work", lambda: worked(process) > 3 or process.poll() is not None)
        process.send_signal(number)
        output, remarks = process.communicate()

    assert (process.returncode, remarks) == (3, "")
    answer = json.loads(output)
    assert answer["cut"].startswith("interrupted")
    assert {each["verdict"] for each in answer["verdicts"]} == {"unknown"}


def test_a_verb_without_a_partial_answer_says_what_has_ended_it(tmp_path: Path) -> None:
    file = tmp_path / "enormous.py"
    file.write_text(HEAD + ENORMOUS["what is compiled"], encoding="utf-8")

    answer = run("refine", str(file), str(file), "--timeout", "0.1", "--json")

    assert answer.exit_code == 3
    assert "time limit of 0.1 s before there was anything to report" in answer.stderr
    assert json.loads(answer.stdout)["error"]["message"] == "time limit of 0.1 s"


def verbs(group: click.Group, *before: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All verbs that are no groups, with their words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        if isinstance(command, click.Group):
            yield from verbs(command, *before, name)
        else:
            yield (*before, name), command


def test_every_verb_ends_after_a_time_but_those_that_last() -> None:
    lasting = {words for words, each in verbs(main) if "timeout" not in {one.name for one in each.params}}

    assert lasting == {("serve",), ("record", "rabbitmq"), ("record", "nats")}


def test_a_verb_that_never_looks_at_the_clock_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def crossings(_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("angarium.mesh.verify.tracing.crossings", crossings)
    answer = run("mesh", "links", "examples/meshes/six-brokers.yaml", "--timeout", "0.2", "--json")

    assert answer.exit_code == 3
    assert json.loads(answer.stdout)["error"]["message"] == "time limit of 0.2 s"


# --- nested too deeply ------------------------------------------------------------------------------

MANY = 5000
DEEP = {
    "sum": " + ".join(["self.n"] * MANY) + " >= 0",
    "and": " and ".join(["self.n <= 3"] * MANY),
    "comparison": " <= ".join(["self.n"] * MANY),
    "not": "not " * MANY + "self.n <= 3",
    "choice": " ".join(["True if self.n else"] * MANY) + " True",
    "hexadecimal": f"self.n < 0x{'f' * MANY}",
}


@pytest.mark.parametrize("fine", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_refused_with_its_line(tmp_path: Path, fine: str) -> None:
    file = tmp_path / "deep.py"
    file.write_text(HEAD + MODEL.format(more="", step=STEP, fine=fine), encoding="utf-8")

    answer = run("check", str(file))

    assert answer.exit_code == 2
    assert "error[ANG1" in answer.stderr
    assert f"{file}:" in answer.stderr


def test_a_long_line_of_classes_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "line.py"
    classes = [f"class A{each + 1}(A{each}):\n    pass\n" for each in range(1000)]
    file.write_text(HEAD + "class A0(Model):\n    pass\n" + "".join(classes), encoding="utf-8")

    answer = run("check", str(file))

    assert answer.exit_code == 2
    assert f"error[ANG111]: {file}:" in answer.stderr


@pytest.mark.parametrize(
    ("fine", "verdict"),
    [
        (" + ".join(["self.n"] * 280) + " <= 840", "holds"),
        (" and ".join(["self.n <= 3"] * 280), "holds"),
        (" <= ".join(["self.n"] * 280), "holds"),
        ("not " * 281 + "self.n <= 2", "violated"),
    ],
    ids=["sum", "and", "comparison", "not"],
)
def test_what_is_just_not_too_deep_is_checked(tmp_path: Path, fine: str, verdict: str) -> None:
    file = tmp_path / "deep.py"
    file.write_text(HEAD + MODEL.format(more="", step=STEP, fine=fine), encoding="utf-8")

    answers = [record("check", str(file), "--engine", engine) for engine in ("local", "reference")]

    assert [each["verdicts"][1]["verdict"] for each in answers] == [verdict, verdict]


FUNCTIONS = "".join(
    f"\n    def f{n}(self, x: int) -> int:\n        return self.f{n - 1}(x) + 1\n" for n in range(1, 500)
)
IMPOSSIBLE = {
    "functions inside each other": MODEL.format(
        more=f"\n    def f0(self, x: int) -> int:\n        return x\n{FUNCTIONS}",
        step="self.n = self.f499(self.n) % 4",
        fine=FINE,
    ),
    "a class of itself": "\nclass M(M):\n    n = integer(0, 3)\n",
    "classes of each other": "\nclass A(B):\n    pass\n\nclass B(A):\n    pass\n",
    "many digits": MODEL.format(more="", step=STEP, fine=f"self.n <= {'9' * 100_000}"),
    "fewer digits": MODEL.format(more="", step=STEP, fine=f"self.n <= {'9' * 4000}"),
}


@pytest.mark.parametrize("text", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "impossible.py"
    file.write_text(HEAD + text, encoding="utf-8")

    answer = run("check", str(file))

    assert answer.exit_code == 2
    assert f"{file}:" in answer.stderr
