"""What the user gives wrong: exit code 2, what is wrong and what was possible, no traceback, no files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.cli.running import SAC, SMALL, run

HEAD = "from angarium import *\n"
TICK = """
class {name}(Model):
    n = integer(0, 3)

    @action
    def tick(self) -> None:
        {body}
"""
GOOD = HEAD + TICK.format(name="A", body="self.n = 1")

FILES = {
    "syntax": ("ANG100", "from angarium import Model\nclass M(Model:\n", "model.py:2:14"),
    "binary": ("ANG010", "\udcff", "not UTF-8"),
    "no model": ("ANG101", "x = 1\n", "derives from angarium.Model"),
    "two models": ("ANG102", GOOD + TICK.format(name="B", body="self.n = 1"), "model.py:A"),
    "missing import": ("ANG103", f"from nowhere_at_all import x\n{GOOD}", "nowhere_at_all"),
    "endless loop": (
        "ANG104",
        HEAD + TICK.format(name="A", body="while True:\n            self.n = 1"),
        "bounded",
    ),
    "endless process": (
        "ANG108",
        f"{GOOD}\n    async def spin(self) -> None:\n        while True:\n            self.n = 1\n",
        "without an await",
    ),
    "recursion": (
        "ANG108",
        f"{GOOD}\n    def deep(self) -> int:\n        return self.deep()\n"
        "\n    @action\n    def dive(self) -> None:\n        self.n = self.deep()\n",
        "calls itself",
    ),
    "too many bits": (
        "ANG050",
        f"{HEAD}class Item(Index):\n    pass\n"
        + TICK.format(name="A", body="self.n = 1")
        + "\n    items = count(Item, 60)\n    a = array(Item, array(Item, integer(0, 1000)))\n",
        "at most 64",
    ),
}

WORDS = {
    "unknown system": ("ANG011", ("check", "rabbitmq-sca"), "did you mean rabbitmq-sac?"),
    "no such file": ("ANG010", ("check", "nowhere/model.py"), "nowhere/model.py"),
    "unknown guarantee": ("ANG012", ("check", SAC, "--only", "typeok"), "did you mean type-ok?"),
    "unknown parameter": ("ANG020", ("check", SAC, "--set", "queue=2"), "did you mean queues?"),
    "out of range": ("ANG021", ("check", SAC, "--set", "queues=99"), "1 .. 20"),
    "not a number": ("ANG021", ("check", SAC, "--set", "queues=two"), "a whole number"),
    "not a member": ("ANG021", ("check", SAC, "--set", "mode=randm"), "did you mean random?"),
    "no value": ("ANG013", ("check", SAC, "--set", "queues"), "--set queues=3"),
    "set twice": ("ANG013", ("check", SAC, "--set", "apps=1", "--set", "apps=2"), "twice"),
    "no size": ("ANG013", ("check", SAC, "--max-memory", "lots"), "--max-memory 2G"),
    "mutants of some": ("ANG013", ("check", SAC, "--mutate", "--symmetry"), "--symmetry"),
    "no address": ("ANG030", ("replay", "nonsense"), "nsq@0123456789ab"),
    "old address": ("ANG031", ("replay", f"{SAC}@0123456789ab::0"), "0123456789ab"),
    "a folder": ("ANG014", ("export", *SMALL, "--to", "tla", "--out", "."), "folder"),
    "no folder": ("ANG014", ("export", *SMALL, "--to", "tla", "--out", "no/x.tla"), "no/x.tla"),
    "system to look at": ("ANG011", ("systems", "kafak"), "no system named 'kafak'"),
}


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(code: str, words: tuple[str, ...], part: str) -> None:
    """The command fails as a user's mistake should, in text and as a record."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"error[{code}]: ")
    assert part in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    error = json.loads(run(*words, "--json").stdout)["error"]
    assert error["code"] == code
    assert error["message"] in result.stderr


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str, empty_folder: Path) -> None:
    refused(*WORDS[name])
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize("name", FILES)
def test_model_files(name: str, empty_folder: Path) -> None:
    code, text, part = FILES[name]
    model = Path("model.py")
    model.write_text(text, encoding="utf-8", errors="surrogateescape")
    refused(code, ("check", "model.py"), part)
    assert list(empty_folder.iterdir()) == [empty_folder / "model.py"]


def test_a_mistake_in_a_model_has_its_place_in_the_record() -> None:
    Path("model.py").write_text(FILES["syntax"][1], encoding="utf-8")
    error = json.loads(run("check", "model.py", "--json").stdout)["error"]
    assert error["place"] == {"file": "model.py", "line": 2, "column": 14}
    assert error["remedy"]


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("check", SAC, "--threads", "0"),
        ("check", SAC, "--timeout", "0"),
        ("check", SAC, "--engine", "warp"),
        ("export", SAC),
        ("replay", "x", "--as", "opera"),
    ],
)
def test_usage(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Usage: angarium {words[0]} ")
    assert result.stdout == ""
