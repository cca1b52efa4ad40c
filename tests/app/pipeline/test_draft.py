"""A first project file: it can be read, and so can every line that its comments offer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.app.pipeline.draft import draft
from angarium.app.pipeline.found import Found, found_in
from angarium.app.pipeline.project import Project, read_project
from angarium.core.escaping import shown

EXAMPLES = Path(__file__).parents[3] / "examples"
KINDS = {
    "Meshes": Found(meshes=["meshes/triangle.yaml"]),
    "Brokers": Found(brokers={"mosquitto in meshes/mosquitto/ring": ["meshes/mosquitto/ring/one.conf"]}),
    "Kafka's settings": Found(settings={"kafka": ["kafka/server.properties", "kafka/producer.properties"]}),
    "Models": Found(models=["at_least_once.py"]),
    "Proofs": Found(proofs=["proofs/mailbox.py"]),
    "Recorded histories": Found(histories={"shop": ["histories/shop.jsonl"]}),
    "nothing": Found(),
}
_OFFER = re.compile(r"^#   (.+)$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The examples, without a project file."""
    for each in EXAMPLES.iterdir():
        (tmp_path / each.name).symlink_to(each)
    return tmp_path


def read(folder: Path, text: str) -> Project:
    (folder / "angarium.toml").write_text(text, encoding="utf-8")
    return read_project(folder)


def offers(part: str) -> list[str]:
    """The lines of TOML that a comment offers."""
    return [line for line in _OFFER.findall(part) if "=" in line]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_claim_is_read_and_says_what_may_be_expected(folder: Path, kind: str) -> None:
    text = draft('the "shop"', KINDS[kind])
    project = read(folder, text)

    assert project.name == 'the "shop"'
    assert len(project.claims) == 1
    about = text.partition("budget =")[2].partition("# --- More")[0]
    assert '#   expect = "violated"' in about and len(offers(about)) >= 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_line_that_a_comment_offers_can_be_used(folder: Path, kind: str) -> None:
    text = draft("shop", KINDS[kind])
    about, _, more = text.partition("budget =")[2].partition("# --- More")
    claim = about[about.index("[[claim]]") :]

    for offer in offers(about):
        key = offer.partition(" ")[0]
        changed = re.sub(rf"^{key} = .*\n", "", claim, flags=re.MULTILINE) + offer + "\n"
        (read_it,) = read(folder, changed).claims
        assert key == "expect" or key in read_it.options, offer
    more_claims = "\n".join(_OFFER.findall(more))
    kinds = [each.kind for each in read(folder, more_claims).claims]
    assert kinds == (["recover", "simulate"] if kind in ("Meshes", "Brokers") else ["simulate"])


def test_each_kind_is_explained_once(folder: Path) -> None:
    found = Found(meshes=["meshes/triangle.yaml", "meshes/six-brokers.yaml"], models=["relay.py"])
    text = draft("shop", found)

    assert (text.count("# --- Meshes"), text.count("# --- Models"), text.count("# --- Proofs")) == (1, 1, 0)
    assert len(read(folder, text).claims) == 3


@pytest.mark.parametrize("name", ["a\nb", "caf\udce9", "  "])
def test_the_name_of_any_folder_becomes_the_name_of_a_project(folder: Path, name: str) -> None:
    assert read(folder, draft(name, Found())).name in ("a b", "caf?", "project")


def test_no_name_of_a_file_is_obeyed_by_who_shows_the_draft(tmp_path: Path) -> None:
    hostile = "a\x1b[2J\x9b\u202e\U000e0041.py"
    (tmp_path / hostile).write_bytes((EXAMPLES / "at_least_once.py").read_bytes())
    text = draft("x", Found(models=[hostile]))

    assert shown(text) == text
    assert [claim.about for claim in read(tmp_path, text).claims] == [(hostile,)]


def test_all_examples_together_are_a_project_file(folder: Path) -> None:
    claims = read(folder, draft("x", found_in(EXAMPLES))).claims

    assert {claim.kind for claim in claims} == {"mesh", "check", "prove", "audit"}


def test_an_empty_folder_gives_an_example(tmp_path: Path) -> None:
    assert [claim.about for claim in read(tmp_path, draft("x", found_in(tmp_path))).claims] == [("nsq",)]
