"""The project file: what it says, and how a mistake in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.errors import PipelineError
from angarium.pipeline.claims import KINDS, Bound
from angarium.pipeline.project import read_project
from angarium.verdict import Verdict

WHOLE = """\
[project]
name = "orders"
budget = "1min"

[[claim]]
name = "nothing is lost"
check = "nsq"
set = { messages = 2, queue = "disk", stops = true }
only = ["no-loss", "delivery"]
expect = "violated"
budget = "90s"

[[claim]]
simulate = "rabbitmq-sac"
observe = "releases-to-balance"
statistic = "p95"
at-most = 40
"""


def _file(folder: Path, text: str) -> Path:
    path = folder / "angarium.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    _file(tmp_path, WHOLE)

    project = read_project(tmp_path)

    assert (project.name, project.folder) == ("orders", tmp_path.resolve())
    first, second = project.claims
    assert (first.expect, first.budget, first.line) == (Verdict.VIOLATED, 90.0, 5)
    assert (second.expect, second.budget) == (Verdict.HOLDS, 60.0)
    assert second.bound == Bound("releases-to-balance", "p95", 40, None)
    assert second.name == "simulate rabbitmq-sac with observe releases-to-balance"


def test_a_claim_is_the_words_of_a_command(tmp_path: Path) -> None:
    claim = read_project(_file(tmp_path, WHOLE)).claims[0]

    assert claim.words() == [
        *("check", "nsq", "--set", "messages=2", "--set", "queue=disk", "--set", "stops=true"),
        *("--only", "no-loss", "--only", "delivery", "--json", "--quiet"),
    ]
    assert claim.told() == "nsq with messages=2, queue=disk, stops=true: no-loss, delivery"


NSQ = "[[claim]]\ncheck = 'nsq'\n"
SAC = "[[claim]]\nsimulate = 'rabbitmq-sac'\n"
MISTAKES = {
    "an unknown table": ("[[claims]]\ncheck = 'nsq'\n", "ANG141", 1, "claim"),
    "an unknown key": (NSQ + "onyl = ['no-loss']\n", "ANG141", 3, "only"),
    "an unknown key of the project": ("[project]\nnmae = 'x'\n" + NSQ, "ANG141", 2, "name"),
    "no TOML": ("[[claim]]\ncheck = \n", "ANG140", 2, "TOML"),
    "no claim": ("[project]\nname = 'x'\n", "ANG140", 1, "no claim"),
    "no kind": ("[[claim]]\nname = 'x'\n", "ANG142", 1, "what it is about"),
    "two kinds": (NSQ + "prove = 'queue'\n", "ANG142", 3, "two kinds"),
    "no such system": ("[[claim]]\n\ncheck = 'nqs'\n", "ANG011", 3, "did you mean nsq"),
    "no such file": ("[[claim]]\nmesh = 'none.yaml'\n", "ANG010", 2, "none.yaml"),
    "no such settings": ("[[claim]]\ncheck = 'kafka'\nconfig = ['s.conf']\n", "ANG010", 3, "s.conf"),
    "a wrong type": (NSQ + "set = 3\n", "ANG142", 3, "a table"),
    "a wrong time": (NSQ + "budget = 'long'\n", "ANG142", 3, "5min"),
    "an expectation that is none": (NSQ + "expect = 'hold'\n", "ANG142", 3, "did you mean holds"),
    "an expectation that cannot be met": (SAC, "ANG142", 2, "without a bound"),
    "a wrong statistic": (SAC + "at-most = 1\nstatistic = 'median'\n", "ANG142", 4, "p50"),
    "a bound that is no number": (SAC + "at-most = 'x'\n", "ANG142", 3, "no number"),
    "no such engine": (NSQ + "engine = 'sprak'\n", "ANG142", 3, "did you mean spark"),
    "what Spark does not take": (NSQ + "engine = 'spark'\nmutate = true\n", "ANG142", 4, "takes no `mutate`"),
    "two of one name": (
        "[[claim]]\nname = 'x'\ncheck = 'nsq'\n[[claim]]\nname = 'x'\ncheck = 'nsq'\n", "ANG142", 4, "line 1",
    ),
    "a word that is an option": ("[[claim]]\ncheck = '--help'\n", "ANG142", 2, "--help"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    text, code, line, words = MISTAKES[name]

    with pytest.raises(PipelineError) as caught:
        read_project(_file(tmp_path, text))

    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.line == line
    assert words in str(caught.value)


def test_a_folder_without_a_project_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="there is no project file") as caught:
        read_project(tmp_path)

    assert "angarium init" in caught.value.remedy


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "angarium.toml").write_bytes(b"\xff\xfe[[claim]]")

    with pytest.raises(PipelineError, match="no UTF-8 text"):
        read_project(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_of_a_claim_is_one_of_its_verb(kind: str) -> None:
    from importlib import import_module

    verb = KINDS[kind].verb
    command = import_module(f"angarium.cli.{'.'.join(verb)}").command
    offered = {word for each in command.params for word in getattr(each, "opts", ())}

    assert {f"--{name}" for name in KINDS[kind].options} <= offered
    assert {"--json", "--quiet"} <= offered
    assert ("--timeout" in offered) == KINDS[kind].timed
    assert ("--threads" in offered) == KINDS[kind].threaded
