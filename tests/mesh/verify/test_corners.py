"""Corners in which a verification could be wrong: each mesh is as small as it can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.mesh.files.yaml_file import read_mesh
from angarium.mesh.mesh import Mesh
from angarium.mesh.verify.budget import NONE, ONE, Budget
from angarium.mesh.verify.difference import compare
from angarium.mesh.verify.verify import verify
from angarium.mesh.verify.violations import Verification


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def written(folder: Path, text: str, dialect: str = "mqtt") -> Mesh:
    path = folder / "mesh.yaml"
    path.write_text(f"mesh: m\ndialect: {dialect}\n{text}")
    return read_mesh(str(path))


def looked(folder: Path, text: str, budget: Budget = NONE) -> Verification:
    return verify(written(folder, text), budget)


def found(verification: Verification, guarantee: str) -> list[tuple[str, str, int | None]]:
    """What is dead, where the subscriber is, and how many copies it gets."""
    return [
        (str(each.failures), each.need.at if each.need else "", each.copies)
        for each in verification.violations
        if each.guarantee == guarantee
    ]


def test_topics_that_are_wanted_by_different_names_fare_differently(folder: Path) -> None:
    text = """
brokers: [a, b]
links:
  - {from: a, to: b, name: plainly}
  - {from: a, to: b, name: prefixed, rename: {add: x/}}
publishers: {p: {at: a, topics: "#"}}
subscribers: {s: {at: b, topics: [a, x/b]}}
"""
    verification = looked(folder, text, ONE)

    assert found(verification, "no-duplicates") == []
    assert sorted(found(verification, "reachability")) == [
        ("link plainly", "b", 0),
        ("link prefixed", "b", 0),
    ]


def test_one_topic_that_is_stopped_is_not_hidden_by_another_that_is_not(folder: Path) -> None:
    text = """
brokers: [a, m, b]
links:
  - {from: a, to: m, name: am}
  - {from: m, to: b, name: mb, hop-limit: 1}
  - {from: a, to: b, name: prefixed, rename: {add: x/}}
publishers: {p: {at: a, topics: [a, b]}}
subscribers: {s: {at: b, topics: [a, x/b]}}
"""
    verification = looked(folder, text)

    assert found(verification, "reachability") == found(verification, "hop-limit") == [("nothing", "b", 0)]


def test_a_subscriber_that_moved_gets_what_comes_to_its_new_broker_under_new_names(folder: Path) -> None:
    text = """
brokers: {a: , b: {substitute: c}, c: }
links:
  - a -> b
  - a -> c
  - {from: a, to: c, name: second, rename: {add: x/}}
publishers: {p: {at: a, topics: t}}
subscribers: {s: {at: b, topics: "#"}}
"""
    assert found(looked(folder, text, ONE), "no-duplicates") == [("broker b", "b", 2)]


def test_what_a_publisher_that_moved_sends_arrives_under_another_name(folder: Path) -> None:
    text = """
brokers: {a: {substitute: c}, b: , c: }
links:
  - {from: a, to: b, rename: {add: a/}}
  - {from: c, to: b, rename: {add: c/}}
publishers: {p: {at: a, topics: t}}
subscribers: {s: {at: b, topics: "#"}}
"""
    assert [each for each in found(looked(folder, text, ONE), "reachability") if "broker" in each[0]] == []


def test_a_link_that_stopped_a_message_changes_its_way_by_dying(folder: Path) -> None:
    text = """
routing: tables
brokers: [a, b, c]
links:
  - {from: a, to: b, name: first, cost: 1, refuses: t}
  - {from: a, to: b, name: second, cost: 2}
  - b -> a
publishers: {p: {at: a, topics: t}}
subscribers: {s: {at: c, topics: t}}
tables: {a: {c: b}, b: {c: a}}
"""
    assert found(looked(folder, text, ONE), "loop-free") == [("link first", "c", None)]


def test_a_limit_is_not_blamed_where_no_link_leads_on(folder: Path) -> None:
    text = """
brokers: [a, b, c, d]
links:
  - {from: a, to: b, hop-limit: 1}
  - {from: b, to: c, hop-limit: 1}
publishers: {p: {at: a, topics: t}}
subscribers: {s: {at: c, topics: t}, far: {at: d, topics: t}}
"""
    verification = looked(folder, text)

    assert found(verification, "no-black-hole") == [("nothing", "c", 0)]
    told = [each.what for each in verification.violations if each.need and each.need.at == "d"]
    assert told == ["a to d is lost: no link leads there"]


def test_an_echo_that_is_kept_back_is_not_missed(folder: Path) -> None:
    text = """
brokers: [site, hub]
links:
  - {from: site, to: hub, rename: {add: site/}, connection: bridge}
  - {from: hub, to: site, connection: bridge}
publishers: {p: {at: site, topics: t}}
subscribers: {s: {at: site, topics: site/#}, h: {at: hub, topics: site/t}}
"""
    assert found(looked(folder, text), "reachability") == []


def test_every_pattern_of_a_subscriber_wants_a_publisher(folder: Path) -> None:
    text = """
brokers: [a, b]
links: [a -> b]
publishers: {p: {at: a, topics: t}}
subscribers: {s: {at: b, topics: [t, zzz]}}
"""
    told = [each.what for each in looked(folder, text).violations]

    assert told == ["s wants zzz at b, and nobody publishes that"]


def test_a_limit_of_routers_without_clients_is_judged(folder: Path) -> None:
    text = """
brokers: [a, b, c, d]
links: [a - b, b - c, c - d]
routing: {kind: shortest, hop-limit: 2}
"""
    verification = looked(folder, text)

    assert {(each.need.origin, each.need.at) for each in verification.violations if each.need} == {
        ("a", "d"),
        ("d", "a"),
    }
    assert any(each.guarantee == "hop-limit" for each in verification.violations)


def test_names_that_grow_leave_open_only_what_depends_on_them(folder: Path) -> None:
    text = """
brokers: [a, b]
links:
  - {from: a, to: b, rename: {add: x/}}
  - {from: b, to: a, rename: {add: y/}}
publishers: {p: {at: a, topics: "#"}}
subscribers: {s: {at: b, topics: "#"}}
"""
    verification = looked(folder, text)

    verdicts = {each.guarantee: [v.value for v in each.verdicts.values()] for each in verification.guarantees}
    assert verdicts["no-dangling-references"] == ["holds"]
    assert verdicts["loop-free"] == ["violated"]
    assert verification.looked.cut


NARROWED = "brokers: [a, b]\nlinks: [a -> b]\npublishers: {p: {at: a, topics: 'sensors/#'}}\n"


def test_a_subscriber_that_wants_less_has_lost_something(folder: Path) -> None:
    old = written(folder, NARROWED + "subscribers: {s: {at: b, topics: 'sensors/#'}}")
    new = written(folder, NARROWED + "subscribers: {s: {at: b, topics: 'sensors/temp'}}")

    assert {each.kind for each in compare(old, new)} == {"lost"}
    assert {each.kind for each in compare(new, old)} == {"gained"}


def test_one_more_deadly_failure_exposes_although_there_was_one_before(folder: Path) -> None:
    clients = "publishers: {p: {at: a, topics: t}}\nsubscribers: {s: {at: c, topics: t}}\nrouting: shortest\n"
    old = written(folder, f"brokers: [a, m, b, c]\nlinks: [a - b, a - m, m - b, b - c]\n{clients}")
    new = written(folder, f"brokers: [a, m, b, c]\nlinks: [a - m, m - b, b - c]\n{clients}")

    assert [each.kind for each in compare(old, new, ONE)] == ["slower", "exposed"]
    assert [each.kind for each in compare(new, old, ONE)] == ["faster", "protected"]


@pytest.mark.parametrize("name", ["b", "filter", "no entry"])
def test_a_dead_broker_is_a_black_hole_whatever_its_name(folder: Path, name: str) -> None:
    """Which is not a filter's doing, though the sentence may begin like one about a filter."""
    text = f"""
routing: tables
brokers: [a, {name}, c]
links:
  - {{from: a, to: {name}}}
  - {{from: {name}, to: c}}
tables: {{a: {{c: {name}}}, {name}: {{c: c}}}}
publishers: {{p: {{at: a, topics: T}}}}
subscribers: {{s: {{at: c, topics: T}}}}
"""
    assert found(looked(folder, text, ONE), "no-black-hole")[-1] == (f"broker {name}", "c", 0)
