"""`angarium prove`: verdicts, exit codes, counterexamples and the record."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from angarium.contracts.prove import CUTS
from tests.app.cli.running import record, run
from tests.processes import ending, worked
from tests.waiting import wait_until

COUNTER = """
from angarium.contracts import Answer, Implementation, Order, Specification, conjecture, contract, ensure


class Number(Order):
    '''Numbers.'''


class Gate(Specification):
    '''Lets numbers through.'''

    passed: set[Number]

    def __init__(self) -> None:
        self.passed.clear()

    @contract
    def let(self, n: Number) -> Answer[bool]:
        '''Lets a number through, or not.'''
        ok = yield
        if ok:
            self.passed.add(n)
        ensure(not ok or n in self.passed)


class Register(Implementation):
    '''Remembers what it has seen.'''

    spec: Gate
    seen: set[Number]

    def __init__(self) -> None:
        self.seen.clear()

    def let(self, n: Number) -> bool:
        self.seen.add(n)
        return ANSWER

    @conjecture
    def is_seen(self, n: Number) -> bool:
        '''What passed was seen.'''
        return n not in self.spec.passed or n in self.seen

    @conjecture
    def is_passed(self, n: Number) -> bool:
        '''What was seen passed.'''
        return n not in self.seen or n in self.spec.passed
"""


@pytest.fixture
def right(tmp_path: Path) -> str:
    return written(tmp_path, "True")


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    return written(tmp_path, "False")


def written(folder: Path, answer: str) -> str:
    file = folder / "gate.py"
    file.write_text(COUNTER.replace("ANSWER", answer), encoding="utf-8")
    return str(file)


def test_it_holds(right: str) -> None:
    result = run("prove", right)

    assert (result.exit_code, result.stderr) == (0, "")
    assert "Register: Remembers what it has seen." in result.stdout
    assert "  holds       let keeps is-seen\n" in result.stdout
    assert "Proved all of 5 obligations, for sorts of any size." in result.stdout


def test_a_mistake_is_shown_by_the_smallest_call(wrong: str) -> None:
    result = run("prove", f"{wrong}:Register")

    assert result.exit_code == 1
    assert "Proved 4 of 5 obligations, for sorts of any size; 1 violated." in result.stdout
    assert "Register: let keeps is-passed violated" in result.stdout
    assert "  call          let(n=0), which answers ok=false\n" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["spec.passed", "{}", "{}"] in rows
    assert ["seen", "{}", "{0}"] in rows


def test_only_what_is_asked_for_is_decided(wrong: str) -> None:
    result = run("prove", wrong, "--only", "let keeps is-seen", "--only", "let ensures")

    assert result.exit_code == 0
    assert "Proved all of 2 obligations" in result.stdout


def test_the_record(wrong: str) -> None:
    answer = record("prove", wrong)

    assert (answer["kind"], answer["subject"], answer["engine"]) == ("prove", wrong, "z3")
    assert answer["complete"] is True
    verdicts = {each["guarantee"]: each for each in answer["verdicts"]}
    assert verdicts["let keeps is-seen"]["verdict"] == "holds"
    broken = verdicts["let keeps is-passed"]
    assert (broken["verdict"], broken["story"]["steps"][0]["arguments"]) == ("violated", {"n": "0"})
    assert broken["counterexample"]["arguments"] == {"n": "0"}
    assert broken["place"]["file"] == wrong


def test_the_story_of_a_counterexample_is_shown_again(wrong: str) -> None:
    (broken,) = (each for each in record("prove", wrong)["verdicts"] if each["story"])
    address = broken["story"]["address"]

    again = run("replay", address)

    assert again.exit_code == 0
    assert "let(n=0), which answers ok=false" in again.stdout
    assert "seen: [] -> [0]" in again.stdout
    assert record("replay", address)["story"] == broken["story"]


def test_an_address_of_another_source_or_of_what_was_never_broken_is_refused(wrong: str) -> None:
    (broken,) = (each for each in record("prove", wrong)["verdicts"] if each["story"])
    address = broken["story"]["address"]

    proved = run("replay", address.replace("is-passed", "is-seen"))
    Path(wrong).write_text(Path(wrong).read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    changed = run("replay", address)

    assert (proved.exit_code, changed.exit_code) == (2, 2)
    assert "ANG032" in proved.stderr and "has no story of 'let keeps is-seen'" in proved.stderr
    assert "ANG031" in changed.stderr
    assert "ANG030" in run("replay", "proof:queue").stderr


def test_a_time_out_leaves_what_was_not_decided_unknown(right: str) -> None:
    result = run("prove", right, "--timeout", "0.000001")

    assert result.exit_code == 3
    assert "Proved 0 of 5 obligations, for sorts of any size; 5 unknown." in result.stdout
    assert CUTS[TimeoutError] in " ".join(result.stdout.split())
    assert record("prove", right, "--timeout", "0.000001")["complete"] is False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nobody",), "nobody"),
        (("no/such/file.py",), "no/such/file.py"),
        (("examples/at_least_once.py",), "nothing to prove"),
        (("RIGHT", "--only", "let keeps is-sen"), "did you mean let keeps is-seen?"),
        (("RIGHT:Lowest",), "Lowest"),
        (("RIGHT", "--timeout", "0"), "timeout"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], message: str, right: str) -> None:
    result = run("prove", *(word.replace("RIGHT", right) for word in words))

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_lines_fit_80_columns(wrong: str) -> None:
    lines = run("prove", wrong).stdout.splitlines()

    assert max(len(line) for line in lines if not line.startswith("  written in")) <= 80


def test_progress_is_shown_where_it_takes_long(right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.app.cli.watching.PATIENCE", 0.0)
    monkeypatch.setattr("angarium.app.cli.watching.ELSEWHERE", 0.0)

    told, quiet = run("prove", right), run("prove", right, "--quiet")

    assert "proving 3 of 5: let ensures\n" in told.stderr
    assert quiet.stderr == ""


def test_help_does_not_load_the_solver() -> None:
    source = (
        "import sys\nfrom angarium.app.cli import main\n"
        "try:\n    main(['prove', '--help'])\nexcept SystemExit:\n    pass\n"
        "assert 'z3' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", source], check=True, capture_output=True)


ENDLESS = """

class Ticket(Sort):
    '''Something with a number.'''

    num: Number


class Endless(Implementation):
    '''No small world has such numbers, and the solver sees no end of them.'''

    spec: Gate
    above: dict[Number, Ticket]

    def let(self, n: Number) -> bool:
        return False

    @conjecture
    def without_end(self, n: Number) -> bool:
        '''There is a ticket above every number.'''
        return n < self.above[n].num
"""
PATIENT = """
import sys
from angarium.app.cli import main
from angarium.contracts.solve import decide
from angarium.contracts.solve import decide

def asked(solver, effort, deadline, ask=decide.ask):
    if effort == decide.PATIENT:
        print("a long question", file=sys.stderr, flush=True)
    return ask(solver, effort, deadline)

decide.PATIENT, decide.ask = 2**31, asked
main()
"""
"""The program, with a solver that does not give up, and which tells when it begins not to."""


def test_ctrl_c_leaves_a_truthful_partial_answer(right: str) -> None:
    file = Path(right)
    text = COUNTER.replace("ANSWER", "True").replace("Specification", "Sort, Specification", 1)
    file.write_text(text + ENDLESS, encoding="utf-8")
    with ending([sys.executable, "-c", PATIENT, "prove", f"{file}:Endless"]) as process:
        assert process.stderr and any("a long question" in line for line in process.stderr)
        begun = worked(process)
        wait_until("the solver is at work", lambda: worked(process) > begun + 0.2)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()

    assert process.returncode == 1
    assert "  violated    Endless starts with without-end\n" in output
    assert f"  unknown     let ensures\n                {CUTS[KeyboardInterrupt]}\n" in output
    assert "Let it run to the end." in output
