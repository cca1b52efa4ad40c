from __future__ import annotations

import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.change import AddLink, Change, RemoveLink, SetEntry, SetHopLimit, SetPathLimit, applied
from angarium.mesh.files.edit import edited, edited_text, patch
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.write import written_mesh
from angarium.mesh.files.yaml_file import mesh_of, read_mesh
from angarium.mesh.mesh import Mesh
from tests.effort import examples
from tests.mesh.files.meshes import any_mesh
from tests.needs import needs

MESH = """\
# my mesh
brokers: [b1, b2, b3]   # all of them
links:
  - b1 - b2             # the first
  - b1 -> b3

  - {between: [b2, b3], cost: 3}  # the third
  # done
topics:
  A: {from: b1, to: b2}
"""


def changed(text: str, *changes: Change) -> str:
    """The lines that changes take out and put in."""
    before = dedent(text)
    after = before
    for change in changes:
        after = edited_text(source_of("mesh.yaml", after), change)
    gone = [f"-{line}" for line in before.splitlines() if line not in after.splitlines()]
    new = [f"+{line}" for line in after.splitlines() if line not in before.splitlines()]
    return "\n".join(gone + new)


def test_a_short_link_gets_its_long_form_and_keeps_its_comment() -> None:
    assert changed(MESH, SetHopLimit("b1-b2", 2)) == (
        "-  - b1 - b2             # the first\n+  - {between: [b1, b2], hop-limit: 2}             # the first"
    )


def test_a_short_link_one_way_gets_its_long_form() -> None:
    assert changed(MESH, SetHopLimit("b1->b3", 2)) == ("-  - b1 -> b3\n+  - {from: b1, to: b3, hop-limit: 2}")


def test_a_link_in_braces_gets_one_more_entry() -> None:
    assert changed(MESH, SetHopLimit("b2-b3", 5)) == (
        "-  - {between: [b2, b3], cost: 3}  # the third\n"
        "+  - {between: [b2, b3], cost: 3, hop-limit: 5}  # the third"
    )


def test_a_link_over_several_lines_gets_one_more_line() -> None:
    text = """
        brokers: [b1, b2]
        links:
          - between:
              - b1
              - b2  # here
            # over the sea
        mesh: two
    """

    assert changed(text, SetHopLimit("b1-b2", 4)) == "+    hop-limit: 4"


def test_a_hop_limit_that_is_there_is_replaced() -> None:
    text = """
        brokers: [b1, b2, b3]
        links:
          - {between: [b1, b2], hop-limit: 1, name: l}
          - hop-limit: 1   # low
            between: [b2, b3]
          - b1 - b3
    """

    assert changed(text, SetHopLimit(None, 5)) == (
        "-  - {between: [b1, b2], hop-limit: 1, name: l}\n"
        "-  - hop-limit: 1   # low\n"
        "+  - {between: [b1, b2], hop-limit: 5, name: l}\n"
        "+  - hop-limit: 5   # low"
    )


def test_a_link_is_added_behind_the_last() -> None:
    lines = edited_text(source_of("mesh.yaml", MESH), AddLink("b2", "b1", both_ways=False)).splitlines()

    new = '  - {from: b2, to: b1, name: "b2->b1 (2)"}'
    assert lines[6:9] == ["  - {between: [b2, b3], cost: 3}  # the third", new, "  # done"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("brokers: [b1, b2]\n", "brokers: [b1, b2]\nlinks:\n  - b1 - b2\n"),
        ("brokers: [b1, b2]\nlinks:  # none\n", "brokers: [b1, b2]\nlinks:\n  - b1 - b2  # none\n"),
        ("brokers: [b1, b2]\nlinks: []\n", "brokers: [b1, b2]\nlinks: [b1 - b2]\n"),
        (
            "brokers: [b1, b2]\nlinks: [b2 -> b2]\n",
            "brokers: [b1, b2]\nlinks: [b2 -> b2, b1 - b2]\n",
        ),
        (
            "brokers: [b1, b2]\nlinks: b2 -> b2\n",
            "brokers: [b1, b2]\nlinks: [b2 -> b2, b1 - b2]\n",
        ),
        (
            "brokers: [b1, b2]\nlinks:\n- b2 -> b2\nmesh: m\n",
            "brokers: [b1, b2]\nlinks:\n- b2 -> b2\n- b1 - b2\nmesh: m\n",
        ),
        (
            "brokers: [b1, b2]\nlinks:\n  - from: b2\n    to: b2 # last",
            "brokers: [b1, b2]\nlinks:\n  - from: b2\n    to: b2 # last\n  - b1 - b2",
        ),
        ("{brokers: [b1, b2]}\n", "{brokers: [b1, b2], links: [b1 - b2]}\n"),
    ],
)
def test_a_link_is_added_however_the_others_are_written(before: str, after: str) -> None:
    assert edited_text(source_of("mesh.yaml", before), AddLink("b1", "b2")) == after


def test_a_link_like_another_has_its_rules() -> None:
    assert changed(MESH, AddLink("b3", "b2", both_ways=False, like="b2-b3")) == (
        '+  - {from: b3, to: b2, name: "b3->b2 (2)", cost: 3}'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("links:\n  - b1 - b2  # one\n  - b2 -> b1\n", "links:\n  - b2 -> b1\n"),
        (
            "links:\n  # one\n  - b2 -> b2\n  - between: [b1, b2]\n    cost: 3\n",
            "links:\n  # one\n  - b2 -> b2\n",
        ),
        ("links: [b1 - b2, b2 -> b2]\n", "links: [b2 -> b2]\n"),
        ("links: [b2 -> b2, b1 - b2]\n", "links: [b2 -> b2]\n"),
        ("links: [b1 - b2]\n", "links: []\n"),
        ("links:\n- b1 - b2\n", "links:\n  []\n"),
    ],
)
def test_a_link_is_removed_with_its_line(before: str, after: str) -> None:
    head = "brokers: [b1, b2]\n"
    text = before.replace("b2 -> b1", "{from: b2, to: b1, name: l}")
    wanted = after.replace("b2 -> b1", "{from: b2, to: b1, name: l}")

    assert edited_text(source_of("mesh.yaml", head + text), RemoveLink("b1-b2")) == head + wanted


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tables:\n  b1: {b2: b3}  # odd\n", "tables:\n  b1: {b2: b2}  # odd\n"),
        ("tables:\n  b1: {b3: b3}\n", "tables:\n  b1: {b3: b3, b2: b2}\n"),
        ("tables:\n  b1:\n    b3: b3  # here\n", "tables:\n  b1:\n    b3: b3  # here\n    b2: b2\n"),
        ("tables:\n  b1: {}\n", "tables:\n  b1: {b2: b2}\n"),
        ("tables:\n  b1:\n", "tables:\n  b1: {b2: b2}\n"),
        ("tables:\n  b3: {b1: b1}\n", "tables:\n  b3: {b1: b1}\n  b1: {b2: b2}\n"),
        ("tables: {}\n", "tables: {b1: {b2: b2}}\n"),
        ("tables:\n", "tables: {b1: {b2: b2}}\n"),
    ],
)
def test_an_entry_of_a_table_is_set_or_added(before: str, after: str) -> None:
    head = "brokers: [b1, b2, b3]\n"

    assert edited_text(source_of("mesh.yaml", head + before), SetEntry("b1", "b2", "b2")) == head + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("routing: shortest  # paths\n", "routing: {kind: shortest, hop-limit: 9}  # paths\n"),
        ("routing: {kind: shortest, hop-limit: 2}\n", "routing: {kind: shortest, hop-limit: 9}\n"),
        ("tables: {}\n", "tables: {}\nrouting: {kind: tables, hop-limit: 9}\n"),
    ],
)
def test_the_hop_limit_of_ways_is_set(before: str, after: str) -> None:
    head = "brokers: [b1]\n"

    assert edited_text(source_of("mesh.yaml", head + before), SetPathLimit(9)) == head + after


def test_windows_line_ends_are_kept() -> None:
    before = "brokers: [b1, b2, b3]\r\nlinks:\r\n  - b1 - b2\r\nmesh: m\r\n"

    after = edited_text(source_of("mesh.yaml", before), AddLink("b2", "b3"))

    assert after == "brokers: [b1, b2, b3]\r\nlinks:\r\n  - b1 - b2\r\n  - b2 - b3\r\nmesh: m\r\n"


@pytest.mark.parametrize("change", [SetHopLimit("b1-b2", 2), RemoveLink("b1-b2")], ids=str)
def test_what_an_alias_shares_is_not_changed_for_one(change: Change) -> None:
    text = """\
brokers: [b1, b2, b3]
links:
  - &wan {between: [b1, b2], hop-limit: 1}
  - {<<: *wan, between: [b2, b3]}
"""

    with pytest.raises(MeshError) as caught:
        edited_text(source_of("mesh.yaml", text), change)

    assert caught.value.code == "ANG121"
    assert caught.value.what == (
        f"mesh.yaml is written in a way in which a line cannot change alone: {change}"
    )


def test_a_change_of_a_file_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "mesh.yaml"
    file.write_text(MESH)
    change = SetHopLimit("b2-b3", 4)

    after = edited(str(file), change)

    assert file.read_text() == MESH
    assert mesh_of(source_of(str(file), after)) == applied(read_mesh(str(file)), change)


@settings(max_examples=examples(60))
@given(st.data(), any_mesh())
def test_whatever_we_have_written_we_can_change(data: st.DataObject, mesh: Mesh) -> None:
    broker, cables = (
        st.sampled_from([each.name for each in mesh.brokers]),
        [each.fails_as for each in mesh.links],
    )
    changes = [st.builds(AddLink, broker, broker, st.just(False)), st.builds(SetPathLimit, st.integers(0, 9))]
    changes += [st.builds(SetEntry, broker, broker, broker)] if mesh.routing.kind == "tables" else []
    changes += [st.builds(SetHopLimit, st.sampled_from(cables), st.integers(0, 9))] if cables else []
    changes += [st.builds(RemoveLink, st.sampled_from(cables))] if cables else []
    change = data.draw(st.one_of(changes))

    after = edited_text(source_of("mesh.yaml", written_mesh(mesh)), change)

    assert mesh_of(source_of("mesh.yaml", after)) == applied(mesh, change)


CHANGES = (SetHopLimit("b1->b3", 4), AddLink("b2", "b1", both_ways=False, like="b1->b3"), RemoveLink("b2-b3"))
TOOLS = {"patch": ("patch", "-p0", "-i"), "git": ("git", "apply", "-p0")}


@pytest.mark.parametrize("tool", [pytest.param(name, marks=needs(name)) for name in TOOLS])
@pytest.mark.parametrize("ending", ["", "\n"], ids=["no line end", "line end"])
def test_a_patch_makes_what_the_changes_make(
    tool: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my mesh.yaml"
    file.write_text(MESH.rstrip("\n") + ending)
    before = mesh_of(source_of("my mesh.yaml", file.read_text()))
    (tmp_path / "mend.patch").write_text(patch("my mesh.yaml", CHANGES))

    subprocess.run([*TOOLS[tool], "mend.patch"], check=True, capture_output=True)

    after = before
    for change in CHANGES:
        after = applied(after, change)
    assert read_mesh("my mesh.yaml") == after


def test_a_patch_shows_only_the_lines_that_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mesh.yaml").write_text(MESH)

    assert patch(str(tmp_path / "mesh.yaml"), [SetHopLimit("b2-b3", 5)]) == (
        "--- mesh.yaml\n"
        "+++ mesh.yaml\n"
        "@@ -4,7 +4,7 @@\n"
        "   - b1 - b2             # the first\n"
        "   - b1 -> b3\n"
        " \n"
        "-  - {between: [b2, b3], cost: 3}  # the third\n"
        "+  - {between: [b2, b3], cost: 3, hop-limit: 5}  # the third\n"
        "   # done\n"
        " topics:\n"
        "   A: {from: b1, to: b2}\n"
    )
