"""Skupper 2's resources. Facts are those of api/types/crds and of its documents on linking sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.mesh.files.find import load
from angarium.mesh.files.given import Given
from angarium.mesh.mesh import CARRIES, COPIES, EFFECTS, Mesh

EXAMPLE = Path(__file__).parents[3] / "examples" / "meshes" / "kubernetes" / "skupper.yaml"


def left_open(mesh: Mesh) -> dict[str, frozenset[str]]:
    return {remark.what: remark.effects for remark in mesh.remarks if remark.leaves_open}


def changed(folder: Path, *changes: tuple[str, str]) -> Mesh:
    text = EXAMPLE.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "sites.yaml").write_text(text)
    return load(str(folder / "sites.yaml"))


def test_sites_are_routers_that_their_links_join_at_the_endpoint_of_their_role() -> None:
    mesh = load(str(EXAMPLE))

    assert {(link.source, link.target, link.cost) for link in mesh.links if link.source != "west"} == {
        ("east", "west", 5),
        ("shop", "west", 1),
    }
    assert [(each.broker, each.topics[0].text) for each in mesh.publishers] == [("shop", "database")]
    assert [(each.broker, each.topics[0].text) for each in mesh.subscribers] == [("east", "database")]
    assert left_open(mesh) == {}


def test_things_of_a_site_stand_in_their_lines() -> None:
    line = EXAMPLE.read_text().split("\n").index("metadata: {name: database, namespace: shop}")

    (publisher,) = load(str(EXAMPLE)).publishers

    assert publisher.place is not None
    assert publisher.place.line == line - 1  # the resource begins two lines above


def test_resources_of_a_site_may_lie_in_several_files(tmp_path: Path) -> None:
    for number, text in enumerate(EXAMPLE.read_text().split("---\n")):
        (tmp_path / f"{number}.yaml").write_text(text)

    mesh = load(str(tmp_path))

    assert {frozenset((link.source, link.target)) for link in mesh.links} == {
        frozenset(("east", "west")),
        frozenset(("shop", "west")),
    }
    assert left_open(mesh) == {}


def test_a_link_says_itself_which_site_it_leads_to(tmp_path: Path) -> None:
    status = "status: {remoteSiteName: west}\nspec:\n  cost: 5\n"
    mesh = changed(tmp_path, ("spec:\n  cost: 5\n", status), ("host: 203.0.113.7", "host: 10.0.0.9"),
                   ("status:\n  endpoints:", "ignored:\n  endpoints:"))  # fmt: skip

    assert ("east", "west") in {(link.source, link.target) for link in mesh.links}


def test_a_link_to_nobody_known_leads_outside_unless_it_is_said_where(tmp_path: Path) -> None:
    mesh = changed(tmp_path, ("status:\n", "ignored:\n"))
    said = load(str(tmp_path / "sites.yaml"), given=Given(hosts={"203.0.113.7": "west"}))

    assert any("203.0.113.7" in what for what in left_open(mesh))
    assert left_open(said) == {}


@pytest.mark.parametrize(
    ("old", "new", "what", "effects"),
    [
        (
            "kind: Listener",
            "kind: MultiKeyListener",
            "MultiKeyListener database of Skupper is not looked at",
            EFFECTS,
        ),
        ("kind: Listener", "kind: AccessToken", "AccessToken database of Skupper makes a link", EFFECTS),
        ("{name: database, namespace: shop}", "{name: database}", "is of no site that is known", EFFECTS),
        ("{name: edge, host", "{name: other, host", "Link to-west of Skupper has no endpoint edge", EFFECTS),
        (
            "app=postgres",
            "app=postgres, exposePodsByName: true",
            "exposes pods by their names",
            {CARRIES, COPIES},
        ),
    ],
)
def test_what_is_not_looked_at_leaves_verdicts_open(
    tmp_path: Path, old: str, new: str, what: str, effects: set[str]
) -> None:
    assert [each for told, each in left_open(changed(tmp_path, (old, new))).items() if what in told] == [
        effects
    ]


def test_a_site_that_is_broken_is_told_with_its_line_and_the_others_are_judged(tmp_path: Path) -> None:
    mesh = changed(tmp_path, ("cost: 5", "cost: much"))

    (remark,) = (each for each in mesh.remarks if "'much' is no cost" in each.what)
    lines = EXAMPLE.read_text().split("\n")
    assert (
        remark.place is not None
        and remark.place.line
        == lines.index('    - {name: inter-router, host: 203.0.113.7, port: "55671"}', 20) + 1
    )
    assert ("shop", "west") in {(link.source, link.target) for link in mesh.links}
