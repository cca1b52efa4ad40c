"""A story of any kind can be shown, replayed and made a test of."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.app.cli.running import run

MODEL = """
from angarium import *

class Trap(Model):
    "Counts to two, goes round, or falls into a trap."

    n = integer(0, 3)

    @action
    def up(self) -> None:
        require(self.n < 2)
        self.n += 1

    @action
    def back(self) -> None:
        require(self.n == 2)
        self.n = 0

    @action
    def trap(self) -> None:
        require(self.n == 1)
        self.n = 3

    @eventually
    def falls(self) -> bool:
        "It falls into the trap some day."
        return self.n == 3

    @ltl
    def comes_back(self) -> bool:
        "It comes back again and again."
        return always(eventually(self.n == 0))

    @ctl
    def can_come_back(self) -> bool:
        "It can always come back."
        return AG(EF(self.n == 0))

    @invariant
    def small(self) -> bool:
        return self.n < 3
"""


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def addresses() -> dict[str, str]:
    record = json.loads(run("check", "trap.py", "--json", "--quiet").stdout)
    stories = {each["guarantee"]: each["story"] for each in record["verdicts"]}
    return {guarantee: story["address"] for guarantee, story in stories.items() if story}


@pytest.mark.parametrize("guarantee", ["falls", "comes-back", "can-come-back", "small"])
def test_a_test_of_a_story_passes(guarantee: str) -> None:
    told = run("check", "trap.py", "--only", guarantee, "--story", "pytest", "--quiet").stdout
    (source,) = re.findall(r'^"""A story.*?(?=\n\nShow it again)', told, re.M | re.S)
    names: dict[str, object] = {}
    exec(source, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    assert callable(test)
    test()


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        ("falls", "falls (It falls into the trap some day.) is false along this run"),
        ("comes-back", "comes-back (It comes back again and again.) is false along this run"),
        ("small", "small is false"),
        ("can-come-back", "small is false"),
    ],
)
def test_a_story_is_found_again_and_says_what_it_breaks(guarantee: str, said: str) -> None:
    told = run("replay", addresses()[guarantee])
    assert told.exit_code == 0
    assert said in " ".join(told.stdout.split())


def test_the_record_of_a_replay_says_what_is_repeated() -> None:
    record = json.loads(run("replay", addresses()["falls"], "--json").stdout)
    assert record["story"]["cycle"] == 0
    assert [step["action"] for step in record["story"]["steps"]] == ["up", "up", "back"]


def test_a_run_that_does_not_repeat_is_refused() -> None:
    address = addresses()["falls"].rpartition(":")[0]
    refused = run("replay", f"{address}:0~0.0")
    assert refused.exit_code == 2
    assert "does not come back to the initial state" in refused.stderr
