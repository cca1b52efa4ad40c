"""The documents say what is true: their commands run, their models compile, their links lead somewhere.

`python -m scripts.docs` rewrites what these tests find stale.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import read
from scripts import docs, house, simulation_pictures
from scripts.kafka_security_table import ROWS, stories_of
from tests.effort import also

DOCUMENTS = {str(path.relative_to(docs.ROOT)): path for path in docs.documents()}
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
_LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")
_FILE = re.compile(r"`([\w*./-]+/[\w*.-]*\.(?:py|md|toml|yaml))`")
_FENCE = re.compile(r"^```(\w*)\n.*?^```$", re.M | re.S)


LONG = ("docs/explanation/kafka-security.md", "docs/reference/kafka-attacks.md")
"""Documents whose commands take long: the default run tries them elsewhere."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(each for each in DOCUMENTS if each not in LONG), *also(LONG)])
def test_is_up_to_date(name: str) -> None:
    text = DOCUMENTS[name].read_text(encoding="utf-8")

    assert docs.refreshed(text) == text, "run `python -m scripts.docs`, and look at what changed"


@pytest.mark.sample(2)
@pytest.mark.parametrize("row", range(len(ROWS)))
def test_stories_of_attacks_are_up_to_date(row: int) -> None:
    text = DOCUMENTS["docs/reference/kafka-attacks.md"].read_text(encoding="utf-8")

    assert stories_of(row) in text, "run `python -m scripts.docs`, and look at what changed"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_python_is_a_model_that_compiles_or_a_program_that_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(docs.ROOT)
    names: dict[str, object] = {}
    for number, source in enumerate(_PYTHON.findall(DOCUMENTS[name].read_text(encoding="utf-8"))):
        file = tmp_path / f"block_{number}.py"
        file.write_text(source, encoding="utf-8")
        if "(Model)" in source:
            build(find_model(read(str(file))), {})
        else:
            exec(compile(source, str(file), "exec"), names)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    path = DOCUMENTS[name]
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))

    missing = [link for link in _LINK.findall(text) if not (path.parent / link).exists()]

    assert missing == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_that_are_named_exist(name: str) -> None:
    text = _FENCE.sub("", DOCUMENTS[name].read_text(encoding="utf-8"))
    named = [file for file in _FILE.findall(text) if not re.search(r"[A-Z]{4}", file)]
    roots = (docs.ROOT, docs.ROOT / "src" / "angarium")

    assert [file for file in named if not any([*root.glob(file)] for root in roots)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_block_says_what_it_is(name: str) -> None:
    kinds = _FENCE.findall(DOCUMENTS[name].read_text(encoding="utf-8"))

    assert set(kinds) <= {"console", "python", "text", "sh", "json", "toml", "yaml", "mermaid"}


@pytest.mark.slow
def test_pictures_are_up_to_date() -> None:
    assert simulation_pictures.stale(docs.ROOT / "docs" / "pictures") == {}, "run `python -m scripts.docs`"


def test_the_picture_of_the_house_is_what_the_imports_say() -> None:
    assert house.stale(docs.ROOT / "docs" / "pictures") == {}, "run `python -m scripts.docs`"


def test_every_document_is_reachable_from_the_index() -> None:
    seen: set[Path] = set()
    ahead = [docs.ROOT / "README.md"]
    while ahead:
        path = ahead.pop().resolve()
        if path in seen or path.suffix != ".md":
            continue
        seen.add(path)
        ahead += [path.parent / link for link in _LINK.findall(path.read_text(encoding="utf-8"))]

    assert {path.resolve() for path in docs.documents()} <= seen


def test_what_varies_is_not_compared() -> None:
    said = "5,000 states, depth 9, 0.12 s, 1,200,000 states/s, 24.1 MiB\n"
    now = "5,000 states, depth 9, 13 s, 900 states/s, 512 B\n"

    assert docs.steady(said) == docs.steady(now)
    assert docs.steady(said) != docs.steady(now.replace("5,000", "5,001"))


def test_commands_are_taken_from_console_blocks() -> None:
    block = "$ echo one\none\n$ echo \\\n  two\ntwo\n"

    assert docs.commands(block) == [("echo one", "one\n"), ("echo \\\n  two", "two\n")]


def test_an_exit_code_is_shown_only_where_it_is_not_zero(tmp_path: Path) -> None:
    assert docs.run("echo one", tmp_path) == "one\n"
    assert docs.run("echo one; exit 3", tmp_path) == "one\n[exit code 3]\n"
