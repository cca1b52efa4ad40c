"""`angarium conform`: what is shown, the record, exit codes, and what is refused."""

from __future__ import annotations

import json
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.app.cli.running import record, run, start

FEW = ("--examples", "30", "--steps", "30", "--quiet")
TEXT = "examples/queues/text_numbers.py"
WRONG = "examples/queues/wrong.py"

pytestmark = pytest.mark.usefixtures("time_to_shorten")


@pytest.fixture(autouse=True)
def _path_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's file puts its folder on the path."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_a_right_queue_passes_and_is_only_not_broken() -> None:
    result = run("conform", "memory", *FEW)

    assert result.exit_code == 0
    assert result.stderr == ""
    assert "memory: an ordered map in memory\n  contract    Queue: Holds messages" in result.stdout
    assert "Calls prove nothing" in result.stdout
    assert "violated" not in result.stdout
    assert "unknown" not in result.stdout
    assert "  not broken    ensure res in self.contents" in result.stdout.splitlines()
    assert "; contents held at most 2" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_wrong_queue_is_told_by_a_short_story() -> None:
    result = run("conform", f"{WRONG}:CountsWhatCame", *FEW)

    assert result.exit_code == 1
    assert (
        "empty violated: ensure res or any(True for _ in self.contents)\n"
        "(specification.py:55), broken in 3 calls.\n"
        "\n"
        "  call                       answer  what ought to be there then\n"
        "  ------------------------------------------------------------------------------\n"
        "  1 enqueue(Message(num=0))  True    contents = {Message(num=0)}\n"
        "  2 delete_all(0)            None    contents = {}\n"
        "  3 empty()                  False   should have answered True\n"
    ) in result.stdout
    assert "  violated      ensure res or any(True for _ in self.contents)" in result.stdout.splitlines()


def test_an_exception_is_told_in_the_story() -> None:
    output = run("conform", TEXT, *FEW).stdout

    assert "  3 enqueue(Message(num=2))  raises  IntegrityError: UNIQUE constraint failed:" in output
    assert max(map(len, output.splitlines())) <= 80


def test_the_record_has_counts_verdicts_and_stories() -> None:
    answer = record("conform", f"{WRONG}:CountsWhatCame", *FEW, "--seed", "3")

    assert (answer["kind"], answer["subject"]) == ("conform", f"{WRONG}:CountsWhatCame")
    assert (answer["examples"], answer["steps"], answer["seed"]) == (30, 30, 3)
    assert (answer["complete"], answer["cut"], answer["weak"]) == (True, None, [])
    assert answer["contract"]["name"] == "Queue"
    empty = answer["calls"]["empty"]
    assert empty["made"] == empty["true"] + empty["false"] > 0
    verdicts = {each["guarantee"]: each for each in answer["verdicts"]}
    assert verdicts["pick_one: ensure res in self.contents"]["verdict"] == "unknown"
    broken = verdicts["empty: ensure res or any(True for _ in self.contents)"]
    assert (broken["verdict"], broken["kind"], broken["place"]["line"]) == ("violated", "ensure", 55)
    assert broken["story"]["again"] is True
    assert broken["story"]["allowed"] == ["True"]
    assert broken["story"]["calls"][0] == {
        "operation": "enqueue",
        "arguments": {"msg": "Message(num=0)"},
        "answer": "True",
        "raised": None,
        "state": {"contents": ["Message(num=0)"]},
    }


def test_a_queue_that_refuses_everything_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "refuses_of_a_test.py"
    file.write_text(
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Refuses(OrderedMapQueue):\n"
        "    def enqueue(self, msg): return False\n"
    )

    result = run("conform", str(file), *FEW)

    assert result.exit_code == 3
    assert "It was not put to the test: contents was always empty" in " ".join(result.stdout.split())


def test_what_happens_only_once_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "moody_of_a_test.py"
    file.write_text(
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Moody(OrderedMapQueue):\n"
        "    lies = [True]\n"
        "    def empty(self):\n"
        "        return super().empty() != bool(self.lies and self.lies.pop())\n"
    )

    result = run("conform", str(file), *FEW)

    assert result.exit_code == 1
    assert "The same calls did not break it again" in result.stdout


def test_a_queue_that_wants_to_end_the_program_does_not_pass(tmp_path: Path) -> None:
    file = tmp_path / "exits_of_a_test.py"
    file.write_text(
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Exits(OrderedMapQueue):\n"
        "    def empty(self): raise SystemExit(0)\n"
    )

    result = run("conform", str(file), *FEW)

    assert result.exit_code == 1
    assert "  1 empty()  raises  SystemExit: 0; it should have answered True" in result.stdout


def test_a_queue_whose_new_objects_are_not_empty_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "shared_of_a_test.py"
    file.write_text(
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Shared(OrderedMapQueue):\n"
        "    left = ([], {})\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self._numbers, self._messages = self.left\n"
    )

    result = run("conform", str(file), *FEW)

    text = " ".join(result.stdout.split())
    assert result.exit_code == 1
    assert "or what an earlier queue has left behind. New queues must be empty." in text


def test_a_wrong_first_answer_says_what_a_new_object_must_be(tmp_path: Path) -> None:
    file = tmp_path / "never_empty_of_a_test.py"
    file.write_text(
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class NeverEmpty(OrderedMapQueue):\n"
        "    def empty(self): return False\n"
    )

    text = " ".join(run("conform", str(file), *FEW).stdout.split())

    assert "1 empty() False should have answered True This was the first call of a new object" in text


PRINTS = """
import os
from angarium.contracts.subjects.memory import OrderedMapQueue
print("loaded")
class Prints(OrderedMapQueue):
    def empty(self):
        print("asked")
        os.system("echo from another program")
        return super().empty()
"""


@pytest.mark.parametrize("options", [("--json",), ()])
def test_what_a_queue_prints_goes_to_standard_error(tmp_path: Path, options: tuple[str, ...]) -> None:
    file = tmp_path / "prints_of_a_test.py"
    file.write_text(PRINTS)

    with start("conform", str(file), "--examples", "5", "--quiet", *options) as process:
        output, errors = process.communicate()

    assert process.returncode == 0
    assert all(word in errors for word in ("loaded", "asked", "from another program"))
    assert not any(word in output for word in ("loaded", "asked", "another program"))
    assert not options or json.loads(output)["kind"] == "conform"


@pytest.mark.slow
def test_long_numbers_and_payloads_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "cuts_of_a_test.py"
    file.write_text(
        "from angarium.contracts.subjects import Message\n"
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Cuts(OrderedMapQueue):\n"
        "    def pick_one(self):\n"
        "        found = super().pick_one()\n"
        "        return Message(found.num, found.payload[:255])\n"
    )

    result = run("conform", str(file), "--quiet")

    assert "  2 pick_one() -> Message(num=0,\n" in result.stdout
    assert "    should have answered Message(num=0,\n" in result.stdout
    assert "payload=b'0123456789012345678901234567890123456789'... (300 bytes))" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_an_implementation_is_no_contract() -> None:
    result = run("conform", "memory", "--spec", "src/angarium/systems/queue/ring_buffer.py:RingBufferQueue")

    assert result.exit_code == 2
    assert "is an implementation, and contracts are in a specification" in result.stderr


def test_a_contract_of_ones_own(tmp_path: Path) -> None:
    contract = tmp_path / "counter_contract.py"
    contract.write_text(
        "from angarium.contracts import Answer, Order, Specification, contract, ensure, first\n"
        "class Number(Order): ...\n"
        "class Counter(Specification):\n"
        "    '''Counts.'''\n"
        "    value: Number\n"
        "    def __init__(self) -> None:\n"
        "        self.value = first(Number)\n"
        "    @contract\n"
        "    def up(self) -> Answer[Number]:\n"
        "        self.value = self.value.next\n"
        "        res = yield\n"
        "        ensure(res == self.value)\n"
    )
    subject = tmp_path / "counter_of_a_test.py"
    subject.write_text(
        "class Small:\n"
        "    value = 0\n"
        "    def up(self):\n"
        "        self.value = (self.value + 1) % 4\n"
        "        return self.value\n"
    )

    result = run("conform", str(subject), "--spec", str(contract), *FEW)

    assert result.exit_code == 1
    assert "  4 up()  0       should have answered 4" in result.stdout


def test_what_does_not_exist_is_refused_with_a_hint() -> None:
    assert "error[ANG092]: there is no queue named 'sqlit'" in run("conform", "sqlit").stderr
    assert "did you mean queue?" in run("conform", "memory", "--spec", "queu").stderr
    answer = record("conform", "sqlit")
    assert (answer["kind"], answer["error"]["code"], answer["verdicts"]) == ("conform", "ANG092", [])


def test_a_time_limit_gives_what_was_done_until_then(tmp_path: Path) -> None:
    file = tmp_path / "hangs_of_a_test.py"
    file.write_text(
        "import signal\n"
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Hangs(OrderedMapQueue):\n"
        "    def pick_one(self):\n"
        "        signal.raise_signal(signal.SIGALRM)  # as if time were up\n"
    )

    result = run("conform", str(file), "--timeout", "600", "--quiet")

    assert result.exit_code == 3
    text = " ".join(result.stdout.split())
    assert "Cut before the end: the time limit of 600 s, while pick_one() had not answered." in text
    assert "An operation that may be called must answer" in text
    assert re.search(r"pick_one\(\) had not answered, as call \d+\. call", text)
    assert "; it had not answered" in text
    assert "not broken" not in text


def test_the_record_has_the_calls_before_one_that_does_not_answer(tmp_path: Path) -> None:
    file = tmp_path / "waits_of_a_test.py"
    file.write_text(
        "import signal\n"
        "from angarium.contracts.subjects.memory import OrderedMapQueue\n"
        "class Waits(OrderedMapQueue):\n"
        "    def pick_one(self):\n"
        "        signal.raise_signal(signal.SIGALRM)  # as if time were up\n"
    )

    calls = record("conform", str(file), "--timeout", "600", "--quiet")["hanging"]

    assert {each["operation"] for each in calls[:-1]} <= {"enqueue", "empty", "delete_all"}
    assert calls[-1]["operation"] == "pick_one"
    assert calls[-1]["state"] == calls[-2]["state"] != {"contents": []}


def test_ctrl_c_gives_what_was_done_until_then() -> None:
    with start("conform", "memory", "--examples", "100000") as process:
        assert process.stderr and any("sequences" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()

    assert process.returncode == 3
    assert "Cut before the end: interrupted." in output
    assert "Made " in output


def test_progress_goes_to_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.app.cli.watching.PATIENCE", 0.0)

    result = run("conform", "memory", "--examples", "5")

    assert result.exit_code == 0
    assert "of 5 sequences" in result.stderr
    assert "sequences" not in result.stdout.partition("Made")[0]
