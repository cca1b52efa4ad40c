"""Meshes in SMV: what every specification says is what a walk through the table does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, TABLES, Failures, Mesh, Routing
from angarium.mesh.smv import smv, thesis_lines
from tests.mesh.smv.smv_walks import Walks
from tests.mesh.walks import (
    NEXT_HOPS,
    SIX,
    TOPICS,
    named,
    net,
    pairs,
    random_cables,
    random_failures,
    random_table,
    walk,
)
from tests.nusmv import needs_nusmv, run_nusmv

SIX_BROKERS = net(6, SIX)
EXPECTED = {
    "arrives": {"reach": True, "loop": True, "hole": True},
    "loops": {"reach": False, "loop": False, "hole": True},
    "drops": {"reach": False, "loop": True, "hole": False},
    "stuck": {"reach": False, "loop": True, "hole": False},
    "unrouted": {"reach": False, "loop": True, "hole": False},
}
"""What is true of a walk that ends so."""


def reached(text: str) -> list[bool]:
    """The verdicts on reachability, in order."""
    return [true for name, true in Walks(text).verdicts.items() if name.startswith("reach_")]


def random_case(seed: int) -> tuple[Mesh, dict[str, dict[str, str]], Failures]:
    random = Random(seed)
    count = random.randint(2, 6)
    limit = random.choice([None, None, random.randint(0, count)])
    mesh = net(count, random_cables(random, count), Routing(TABLES, hop_limit=limit))
    return mesh, random_table(random, count), random_failures(random, mesh)


def expected(mesh: Mesh, table: dict[str, dict[str, str]], failures: Failures) -> dict[str, bool]:
    """What a plain walk says of every pair of living brokers."""
    living = [(n, each.name) for n, each in enumerate(mesh.brokers, 1) if each.name not in failures.brokers]
    return {
        f"{claim}_{one}_{other}": true
        for one, source in living
        for other, target in living
        for claim, true in EXPECTED[
            walk(mesh, table, (source, target), failures, mesh.routing.hop_limit)
        ].items()
    }


def every_pair(mesh: Mesh) -> list[tuple[str, str]]:
    return [(one.name, other.name) for one in mesh.brokers for other in mesh.brokers]


# --- the thesis ---------------------------------------------------------------------------------------


def test_every_topic_of_the_six_brokers_arrives() -> None:
    assert reached(smv(SIX_BROKERS, named(NEXT_HOPS), pairs(TOPICS))) == [True] * 6


def test_one_wrong_entry_makes_the_second_specification_false() -> None:
    table = named({**NEXT_HOPS, 4: {**NEXT_HOPS[4], 5: 6}})

    assert reached(smv(SIX_BROKERS, table, pairs(TOPICS))) == [True, False, True, True, True, True]


def test_a_broker_that_sends_everything_to_one_neighbour_makes_every_second_specification_false() -> None:
    table = named({**NEXT_HOPS, 4: dict.fromkeys(NEXT_HOPS[4], 6)})

    verdicts = Walks(smv(SIX_BROKERS, table, pairs(TOPICS))).verdicts

    assert [verdicts[f"reach_{one}_{other}"] for one, other in TOPICS] == [True, False] * 3
    assert not verdicts["loop_1_5"], "it goes to and fro between 4 and 6, and does not stay at 6"
    assert verdicts["hole_1_5"]


def test_what_has_arrived_stays() -> None:
    walks = Walks(smv(SIX_BROKERS, named(NEXT_HOPS), pairs(TOPICS)))

    arrived = frozenset(state for state in walks.states if walks.values(state)["loc"] == state[1])

    assert arrived <= walks.before(arrived)


def test_the_heading_states_the_lines_beside_those_of_the_thesis() -> None:
    text = smv(SIX_BROKERS, named(NEXT_HOPS), pairs(TOPICS))
    lines = text.splitlines()

    assert f"-- {len(lines)} lines; the generator of the thesis wrote 188 for so many brokers" in lines


@pytest.mark.parametrize(
    ("brokers", "lines"),
    [(6, 188), (12, 320), (24, 800), (48, 2624), (96, 9728), (192, 37760), (384, 149120)],
)
def test_the_closed_form_gives_the_lines_of_table_5_8(brokers: int, lines: int) -> None:
    assert thesis_lines(brokers) == lines


# --- any mesh -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", [range(first, first + 50) for first in range(0, 400, 50)], ids=str)
def test_specifications_say_what_walks_through_broken_tables_do(seeds: range) -> None:
    for seed in seeds:
        mesh, table, failures = random_case(seed)

        verdicts = Walks(smv(mesh, table, every_pair(mesh), failures)).verdicts

        assert verdicts == expected(mesh, table, failures), seed


@needs_nusmv
@pytest.mark.parametrize("seed", range(20))
def test_nusmv_says_the_same(seed: int, tmp_path: Path) -> None:
    mesh, table, failures = random_case(seed)
    text = smv(mesh, table, every_pair(mesh), failures)

    assert run_nusmv(text, tmp_path) == list(Walks(text).verdicts.values())


def test_who_is_dead_neither_sends_nor_wants_anything() -> None:
    dead = Failures(brokers=frozenset({"b1"}))

    text = smv(SIX_BROKERS, named(NEXT_HOPS), pairs(TOPICS), dead)

    assert [name for name in Walks(text).verdicts if "_1" in name] == []
    assert "-- 1 to 2: 1 is dead, so that nobody is there" in text


def test_every_reason_to_drop_a_message_is_said_at_its_entry() -> None:
    table = named({**NEXT_HOPS, 3: {1: 5}})
    dead = Failures(frozenset({"b6"}), frozenset({"b4-b5"}))

    text = smv(SIX_BROKERS, table, [], dead)

    assert "loc = 4 & dest = 6 : DROP; -- 6 is dead" in text
    assert "loc = 4 & dest = 5 : DROP; -- no link to 5 that works" in text
    assert "loc = 3 & dest = 1 : DROP; -- no link to 5 that works" in text
    assert "loc = 6 & dest = 1 : DROP; -- 6 is dead" in text


def test_a_name_cannot_end_its_comment() -> None:
    mesh = replace(SIX_BROKERS, name="six\nCTLSPEC FALSE;")

    text = smv(mesh, named(NEXT_HOPS), pairs(TOPICS))

    assert text.splitlines()[0] == "-- six CTLSPEC FALSE;, dead: nothing"


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        ({"b9": {"b1": "b2"}}, []),
        ({"b1": {"b9": "b2"}}, []),
        ({"b1": {"b2": "b9"}}, []),
        ({}, [("b1", "b9")]),
    ],
)
def test_a_broker_that_is_not_there_is_refused(
    table: dict[str, dict[str, str]], asked: list[tuple[str, str]]
) -> None:
    with pytest.raises(MeshError, match="there is no broker 'b9' in the mesh") as caught:
        smv(SIX_BROKERS, table, asked, NOTHING)

    assert caught.value.code == "ANG123"
