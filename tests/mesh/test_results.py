"""What a verification answers, as data, and its stories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import angarium
from angarium.core.errors import AddressError, UsageError
from angarium.core.records import read, write
from angarium.mesh.files.find import load
from angarium.mesh.files.given import Given
from angarium.mesh.results import MeshResult, Source, parse_address

SIX = "examples/meshes/six-brokers.yaml"
ROUND = """
brokers: [a, b, c]
links: [a -> b, b -> c, c -> a]
publishers: {p: {at: a, topics: t}}
subscribers: {s: {at: c, topics: t}}
"""


def test_what_was_written_is_read_as_the_same() -> None:
    result = angarium.verify(SIX)

    record = json.loads(json.dumps(write(result)))

    assert write(read(MeshResult, record)) == record
    assert result.worst is angarium.Verdict.VIOLATED
    assert result.failures == {"healthy": 1, "1 link": 5, "1 broker": 6}


def test_every_finding_has_an_address_under_which_it_is_found_again() -> None:
    violations = [violation for verdict in angarium.verify(SIX).verdicts for violation in verdict.violations]

    assert len(violations) > 10
    for each in violations:
        assert each.address
        story = angarium.replay(each.address)
        assert (story.summary, story.address) == (each.what, each.address)


def test_a_story_says_what_dies_and_how_far_a_message_comes() -> None:
    verdicts = [each for each in angarium.verify(SIX, only=["reachability"]).verdicts if each.story]
    story = verdicts[0].story

    assert story
    assert [step.text for step in story.steps] == ["link b1-b2 dies", "A gets no further than b1"]
    assert story.others == len(verdicts[0].violations) - 1


def test_a_round_is_repeated_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "a mesh.yaml"
    file.write_text(ROUND, encoding="utf-8")
    (found,) = angarium.verify(str(file), failures="none", only=["loop-free"]).verdicts
    assert found.story and found.story.cycle is not None

    again = angarium.replay(found.story.address)

    repeated = [each.exchanges[0] for each in again.steps[again.cycle :]]
    assert {(each.sender, each.receiver) for each in repeated} == {("a", "b"), ("b", "c"), ("c", "a")}


def test_an_address_of_another_mesh_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mesh.yaml"
    file.write_text(ROUND, encoding="utf-8")
    (found,) = angarium.verify(str(file), failures="none", only=["loop-free"]).verdicts
    assert found.story
    address = found.story.address

    with pytest.raises(AddressError, match="breaks loop-free in this way") as nothing:
        angarium.replay(f"{address[:-8]}00000000")
    file.write_text(ROUND.replace("[a, b, c]", "[a, b, c, d]"), encoding="utf-8")
    with pytest.raises(AddressError, match="another version") as changed:
        angarium.replay(address)
    with pytest.raises(AddressError, match="not the address of a story of a mesh") as unreadable:
        angarium.replay("mesh:a.yaml")

    assert [each.value.code for each in (nothing, changed, unreadable)] == ["ANG032", "ANG031", "ANG030"]


def test_what_is_said_beside_the_files_is_part_of_an_address() -> None:
    given = Given(assume=("*",), hosts={"10.0.0.1:1884": "eu @ home"}, env_files=("a+b.env",))
    source = Source(("x y.conf", "z:1.conf"), given)

    assert parse_address(f"mesh:{source.words}@0123456789ab:loop-free::01234567").source == source


def test_a_mesh_that_is_in_no_file_has_findings_and_no_addresses() -> None:
    found = [each for each in angarium.verify(load(SIX)).verdicts if each.violations]

    assert found and all(each.story is None for each in found)
    assert {violation.address for each in found for violation in each.violations} == {None}


def test_an_engine_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no engine named 'sparc'"):
        angarium.verify(SIX, engine="sparc")
