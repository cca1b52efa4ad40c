"""The project file: what it says, and how a mistake in it is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from angarium.app.cli.options import ended_in_time
from angarium.app.pipeline.claims import KINDS, Bound
from angarium.app.pipeline.project import read_project
from angarium.core.errors import PipelineError
from angarium.core.result import Verdict

WHOLE = """\
[project]
name = "orders"
budget = "1min"

[[claim]]
name = "nothing is lost"
check = "nsq"
set = { messages = 2, queue = "disk", touch = true }
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
    assert second.name == "simulate rabbitmq-sac with observe releases-to-balance: p95 at most 40"


def test_a_claim_is_the_words_of_a_command(tmp_path: Path) -> None:
    claim = read_project(_file(tmp_path, WHOLE)).claims[0]

    assert claim.words() == [
        *("check", "nsq", "--set", "messages=2", "--set", "queue=disk", "--set", "touch=true"),
        *("--only", "no-loss", "--only", "delivery", "--json", "--quiet"),
    ]
    assert claim.told() == "nsq with messages=2, queue=disk, touch=true: no-loss, delivery"


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
    "a bound without end": (SAC + "at-most = inf\n", "ANG142", 3, "no number"),
    "bounds that contradict each other": (
        SAC + "at-most = 1\nat-least = 5\n", "ANG142", 4, "at most 1 and at least 5",
    ),
    "too few runs": (
        SAC + "at-most = 9\nstatistic = 'p99.9'\nruns = 200\n", "ANG142", 5, "runs = 5",
    ),
    "one run": (SAC + "at-most = 9\nruns = 1\n", "ANG142", 4, "runs = 2"),
    "a statistic without a bound": (
        SAC + "expect = 'violated'\nstatistic = 'p95'\n", "ANG142", 4, "has no bound",
    ),
    "no such engine": (NSQ + "engine = 'sprak'\n", "ANG142", 3, "did you mean spark"),
    "what Spark does not take": (NSQ + "engine = 'spark'\nmutate = true\n", "ANG142", 4, "takes no `mutate`"),
    "two of one name": (
        "[[claim]]\nname = 'x'\ncheck = 'nsq'\n[[claim]]\nname = 'x'\ncheck = 'nsq'\n", "ANG142", 4, "line 1",
    ),
    "a system with a file": ("[[claim]]\ncheck = 'overlay:m.yaml'\n", "ANG011", 2, "did you mean overlay"),
    "a proof that is not there": ("[[claim]]\nprove = 'nsq'\n", "ANG011", 2, "possible: queue"),
    "a word that is an option": ("[[claim]]\ncheck = '--help'\n", "ANG142", 2, "--help"),
}  # fmt: skip


MESH = "[[claim]]\nmesh = 'triangle.yaml'\n"
RECOVER = "[[claim]]\nrecover = 'triangle.yaml'\n"
AUDIT = "[[claim]]\naudit = 'h.jsonl'\n"
KAFKA = "[[claim]]\ncheck = 'kafka'\n"
BOUND = SAC + "at-most = 1\n"
IMPOSSIBLE = {
    "a parameter": (NSQ + "set = { mesages = 2 }\n", "ANG020", 3, "did you mean messages"),
    "a value": (NSQ + "set = { messages = 'many' }\n", "ANG021", 3, "a whole number"),
    "a guarantee": (NSQ + "\nonly = ['no-los']\n", "ANG012", 4, "did you mean no-loss"),
    "a guarantee of a file": ("[[claim]]\ncheck = 'm.py'\nonly = 'no-los'\n", "ANG012", 3, "no-loss"),
    "a class of a file": ("[[claim]]\ncheck = 'm.py:Nope'\n", "ANG101", 2, "has no model named 'Nope'"),
    "no class of several": ("[[claim]]\ncheck = 'two.py'\n", "ANG102", 2, "two.py:"),
    "a formula": (NSQ + "ltl = '[] ('\n", "ANG110", 3, "is not closed"),
    "a word of a formula": (NSQ + "ctl = 'AG nope'\n", "ANG105", 3, "'nope' is not known"),
    "a fairness": (NSQ + "ltl = '<> true'\nfairness = 'wek'\n", "ANG013", 4, "`fairness` 'wek'"),
    "a fairness of nothing": (NSQ + "fairness = 'weak by all'\n", "ANG013", 3, "there is neither"),
    "faults of a model": (NSQ + "faults = 'one-crash'\n", "ANG013", 3, "possible with faults: kafka"),
    "a mesh of a system": (NSQ + "mesh = 'triangle.yaml'\n", "ANG013", 3, "`mesh` is for meshes"),
    "a parameter of a mesh": (
        "[[claim]]\ncheck = 'overlay'\nmesh = 'triangle.yaml'\nset = { link_failurs = 1 }\n",
        "ANG020", 4, "did you mean link_failures",
    ),
    "a fault": (KAFKA + "faults = 'two-crash'\n", "ANG013", 3, "did you mean two-crashes"),
    "of settings": (KAFKA + "faults = 'one-crash'\nonly = 'delivery'\n", "ANG012", 4, "guarantee nothing"),
    "a setting": (KAFKA + "set = { acsk = 'all' }\n", "ANG061", 3, "did you mean acks"),
    "a size": (NSQ + "max-memory = 'lots'\n", "ANG142", 3, "2G"),
    "no states": (NSQ + "max-states = 0\n", "ANG142", 3, "1 or more"),
    "failures": (MESH + "failures = 'lnks=1'\n", "ANG013", 3, "failures = 'lnks=1' does not say"),
    "failures of a recovery": (RECOVER + "failures = 'two'\n", "ANG013", 3, "failures = 'two' does not"),
    "a guarantee of a mesh": (MESH + "only = ['loops']\n", "ANG012", 3, "loop-free"),
    "an obligation": ("[[claim]]\nprove = 'queue'\nonly = ['reprsents']\n", "ANG012", 3, "represents"),
    "a class of a proof": ("[[claim]]\nprove = 'queue:Ring'\n", "ANG080", 2, "RingBufferQueue"),
    "no walks": (BOUND + "runs = 0\n", "ANG142", 4, "1 or more"),
    "an observation": (BOUND + "observe = 'nope'\n", "ANG013", 4, "releases-to-balance"),
    "a bound on nothing": ("[[claim]]\nsimulate = 'm.py'\nat-most = 1\n", "ANG013", 1, "observes nothing"),
    "a schedule": (BOUND + "schedule = 'rate'\n", "ANG013", 4, "did you mean rates"),
    "rates": (BOUND + "schedule = 'rates'\n", "ANG013", 4, "gives no rates"),
    "a guarantee of a history": (AUDIT + "only = ['no-los']\n", "ANG012", 3, "did you mean no-loss"),
    "a time": (AUDIT + "message-timeout = 'soon'\n", "ANG013", 3, "message-timeout = 'soon' is not a time"),
    "a format": (AUDIT + "format = 'xml'\n", "ANG013", 3, "there is no format xml"),
    "a model of lives": (AUDIT + "model = 'overlay'\n", "ANG135", 3, "give one of these with `model`"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a mesh, a history and models that claims can be about."""
    examples = Path(__file__).parents[3] / "examples"
    shutil.copy(examples / "meshes" / "triangle.yaml", tmp_path)
    shutil.copy(examples / "at_least_once.py", tmp_path / "m.py")
    two = (examples / "at_least_once.py").read_text(encoding="utf-8") + "\n\nclass Other(Model): ...\n"
    (tmp_path / "two.py").write_text(two, encoding="utf-8")
    (tmp_path / "h.jsonl").touch()
    return tmp_path


def test_what_is_wrong_inside_a_file_is_left_to_the_verb(folder: Path) -> None:
    (folder / "m.py").write_text("class Queue(\n", encoding="utf-8")
    (folder / "triangle.yaml").write_text("brokers: [", encoding="utf-8")

    project = read_project(_file(folder, "[[claim]]\ncheck = 'm.py'\nonly = 'x'\n" + MESH))

    assert [each.kind for each in project.claims] == ["check", "mesh"]


@pytest.mark.parametrize("name", [*MISTAKES, *IMPOSSIBLE])
def test_a_mistake_is_told_with_its_line(name: str, folder: Path) -> None:
    text, code, line, words = (MISTAKES | IMPOSSIBLE)[name]

    with pytest.raises(PipelineError) as caught:
        read_project(_file(folder, text))

    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.line == line
    assert words in str(caught.value)
    assert "--" not in str(caught.value).replace(text.splitlines()[line - 1], "")


def test_claims_with_other_bounds_have_other_names(tmp_path: Path) -> None:
    bounds = ("at-most = 40", "at-most = 50", "at-most = 50\nat-least = 2", "at-most = 50\nstatistic = 'p95'")

    claims = read_project(_file(tmp_path, "".join(f"{SAC}{each}\n" for each in bounds))).claims

    assert [each.name.partition(": ")[2] for each in claims] == [
        "mean at most 40",
        "mean at most 50",
        "mean at most 50 and at least 2",
        "p95 at most 50",
    ]


@pytest.mark.parametrize("kind", ["check", "simulate"])
def test_a_claim_may_ask_for_a_graphics_card(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "angarium.toml"
    bound = "at-most = 40\n" if kind == "simulate" else ""
    file.write_text(f"[[claim]]\n{kind} = 'rabbitmq-sac'\nengine = 'gpu'\n{bound}")
    (claim,) = read_project(file).claims
    assert claim.words()[:4] == [kind, "rabbitmq-sac", "--engine", "gpu"]
    assert not claim.large


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
    command = import_module(f"angarium.app.cli.{'.'.join(verb)}").command
    ended_in_time(command)
    offered = {word for each in command.params for word in getattr(each, "opts", ())}

    assert {f"--{name}" for name in KINDS[kind].options} <= offered
    assert {"--json", "--quiet"} <= offered
    assert "--timeout" in offered
    assert ("--threads" in offered) == KINDS[kind].threaded
