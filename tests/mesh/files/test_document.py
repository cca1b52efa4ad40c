"""The reference page of mesh files: its examples are read, and it has every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.core import units
from angarium.mesh.files import names, yaml_file, yaml_links, yaml_remarks, yaml_risks
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import DIALECTS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "mesh-file.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TOPICS = ("from", "to", "within", "at", "topics")
KEYS = {
    *yaml_file.KEYS,
    *yaml_file.BROKER_KEYS,
    *yaml_file.ROUTING_KEYS,
    *yaml_remarks.KEYS,
    *yaml_links.BOTH_WAYS_KEYS,
    *yaml_links.ONE_WAY_KEYS,
    *yaml_links.RENAME_KEYS,
    *yaml_risks.KEYS,
    *names.PATTERN_KEYS,
    *TOPICS,
}


@pytest.mark.parametrize("text", EXAMPLES, ids=["every key", "tables"])
def test_an_example_is_read(text: str) -> None:
    found = mesh_of(source_of("page.yaml", text))

    assert found.publishers
    assert found.links


def test_the_first_example_has_every_key_but_those_of_tables() -> None:
    used = set(re.findall(r"([\w-]+|<<):(?: |$)", re.sub(r"#.*|\".*?\"", "", EXAMPLES[0]), re.MULTILINE))

    assert KEYS - used == {"tables", "rerouted"}


def test_every_key_dialect_and_unit_is_explained() -> None:
    text = re.sub(r"^```.*?^```", "", PAGE[PAGE.index("## The file") :], flags=re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`[^`]+`", text))))

    assert (KEYS | set(DIALECTS) | set(units.UNITS)) - words == {""}
