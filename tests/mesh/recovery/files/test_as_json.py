"""Recovery tables as JSON: what was written is read, and mistakes are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from angarium.core.errors import MeshError
from angarium.mesh.recovery.files.as_json import read_json, rows_of, written_colours, written_json
from angarium.mesh.recovery.files.binary import tables_of
from angarium.mesh.recovery.tables import Recovery
from tests.effort import examples
from tests.mesh.recovery.files.sample import RING, TRIANGLE, agree, mark, recovered
from tests.mesh.recovery.made import recoveries

Said = dict[str, Any]


def written(recovery: Recovery, broker: int = 0) -> tuple[str, str]:
    """The file of a broker, and `colours.json`."""
    tables = tables_of(recovery, broker, mark(recovery))
    rows = rows_of(recovery.of_broker(broker))
    return written_json(tables, rows), written_colours(recovery.mesh, recovery.colours, mark(recovery))


@given(recoveries())
@settings(max_examples=examples(30))
def test_every_next_hop_is_read_back(recovery: Recovery) -> None:
    for broker, name in enumerate(recovery.graph.names):
        tables = read_json(*written(recovery, broker))

        assert tables.broker == name
        assert agree(tables, recovery)


def test_a_person_can_read_them() -> None:
    text, colours = written(recovered(TRIANGLE))

    assert '    {"destination": "b2", "next": "b2", "colours": "1,3,4,7"},\n' in text
    assert '    {"colour": 3, "brokers": [], "links": ["b1-b3"]},\n' in colours


def test_a_colour_of_a_shared_risk_has_its_name() -> None:
    _, colours = written(recovered(RING))

    assert json.loads(colours)["colours"][-1] == {
        "colour": 13,
        "brokers": [],
        "links": ["b1-b2", "b1-b3"],
        "shared_risk": "river crossing",
    }


def test_colours_name_the_files_of_all_brokers() -> None:
    _, colours = written(recovered(TRIANGLE))

    assert json.loads(colours)["files"] == {"b1": "1-b1", "b2": "2-b2", "b3": "3-b3"}


def in_table(change: Callable[[Said], object]) -> Callable[[Said, Said], object]:
    return lambda table, colours: change(table)


def in_colours(change: Callable[[Said], object]) -> Callable[[Said, Said], object]:
    return lambda table, colours: change(colours)


MISTAKES = {
    "does not say that it is 'angarium recovery tables'": in_table(lambda said: said.pop("kind")),
    "recovery colours', version 1": in_colours(lambda said: said.update(version=2)),
    "their fingerprints differ": in_table(lambda said: said.update(fingerprint="00" * 32)),
    "its fingerprint is no text": in_table(lambda said: said.update(fingerprint=5)),
    "it has 0 brokers": in_colours(lambda said: said.update(brokers=[])),
    "its brokers are not names that differ": in_colours(lambda said: said["brokers"].append("b1")),
    "its neighbours are not names": in_table(lambda said: said.update(neighbours=[["b1"], 2])),
    "it names a broker that colours.json does not have": in_table(lambda said: said.update(broker="b9")),
    "its super_table is no list": in_table(lambda said: said.update(super_table={})),
    "a row of its super table is no object": in_table(lambda said: said["super_table"].append(3)),
    "for the same destination and colour": in_table(
        lambda said: said["super_table"].append({"destination": "b2", "next": "b3", "colours": "4"})
    ),
    "cannot be: .*b9": in_table(lambda said: said["super_table"][0].update(next="b9")),
    "cannot be: .*b8": in_table(lambda said: said["super_table"][0].update(destination="b8")),
    "cannot be: .*1-99": in_table(lambda said: said["super_table"][0].update(colours="1-99")),
    "cannot be: .*3,1": in_table(lambda said: said["super_table"][0].update(colours="3,1")),
    "cannot be: .*0-2": in_table(lambda said: said["super_table"][0].update(colours="0-2")),
    "cannot be: .*all": in_table(lambda said: said["super_table"][0].update(colours="all")),
    "its colour 1 is missing": in_colours(lambda said: said["colours"].pop(0)),
    "its colour 2 is missing": in_colours(lambda said: said["colours"].insert(1, "2")),
    "its colour 7 names a broker that is not there": in_colours(
        lambda said: said["colours"][6].update(brokers=["b7"])
    ),
    "first colour is not the healthy mesh": in_colours(lambda said: said["colours"][0].update(links=["x"])),
    "two of its colours stand for the same failures": in_colours(
        lambda said: said["colours"][2].update(links=["b1-b2"])
    ),
}


@pytest.mark.parametrize("why", MISTAKES)
def test_a_mistake_is_named(why: str) -> None:
    table, colours = map(json.loads, written(recovered(TRIANGLE)))
    MISTAKES[why](table, colours)

    with pytest.raises(MeshError, match=why) as caught:
        read_json(json.dumps(table), json.dumps(colours))

    assert caught.value.code == "ANG120"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "5", '"kind"', "\ud800"])
def test_what_is_not_json_is_refused(text: str) -> None:
    table, colours = written(recovered(TRIANGLE))

    with pytest.raises(MeshError):
        read_json(text, colours)
    with pytest.raises(MeshError):
        read_json(table, text)


def test_a_file_that_is_too_large_is_refused() -> None:
    table, colours = written(recovered(TRIANGLE))

    with pytest.raises(MeshError, match="characters, and can have"):
        read_json(table + " " * (16 << 20), colours)
