from __future__ import annotations

import gc
from pathlib import Path

import pytest

from angarium.core.errors import Place
from angarium.mesh.files.yaml_file import read_mesh
from angarium.mesh.mesh import Broker, Link, Pattern, Publisher, Remark, Rename, Routing, Subscriber
from tests.mesh.files.texts import mesh


def links(items: str) -> tuple[Link, ...]:
    return mesh(f"brokers: [b1, b2, b3]\nlinks: {items}").links


def test_brokers_may_be_a_list_of_names() -> None:
    found = mesh("brokers: [b1, 2, no, null, 'New York']")

    assert found.brokers == tuple(map(Broker, ("b1", "2", "no", "null", "New York")))


def test_brokers_may_be_a_table_with_more_to_say() -> None:
    found = mesh("""
        dialect: mqtt
        brokers:
          b1: {latency: 1.5 s, identity: cluster, substitute: b2}
          b2:
          b3: {dialect: amqp}
    """)

    assert found.brokers == (
        Broker("b1", "mqtt", 1500.0, "cluster", "b2"),
        Broker("b2", "mqtt"),
        Broker("b3", "amqp"),
    )


def test_a_mesh_is_called_as_it_says_or_else_like_its_file(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text("brokers: [b1]")

    assert read_mesh(str(tmp_path / "small.yaml")).name == "small"
    assert mesh("{mesh: my mesh, brokers: [b1]}").name == "my mesh"


def test_a_link_both_ways_is_two_links_of_one_cable_that_do_not_echo() -> None:
    assert links("[b1 - b2]") == (
        Link("b1->b2", "b1", "b2", cable="b1-b2", connection="b1-b2"),
        Link("b2->b1", "b2", "b1", cable="b1-b2", connection="b1-b2"),
    )


def test_a_link_one_way_is_its_own_cable() -> None:
    assert links("[b1 -> b2]") == (Link("b1->b2", "b1", "b2"),)


@pytest.mark.parametrize(
    ("short", "long"), [("b1 - b2", "{between: [b1, b2]}"), ("b1 -> b2", "{from: b1, to: b2}")]
)
def test_every_short_form_of_a_link_has_a_long_one(short: str, long: str) -> None:
    assert links(f"[{short}]") == links(f"[{long}]")


def test_a_named_link_both_ways_gives_its_name_to_the_cable() -> None:
    forth, back = links("[{between: [b1, b2], name: wan}]")

    assert (forth.name, back.name) == ("wan:b1->b2", "wan:b2->b1")
    assert forth.cable == back.cable == forth.connection == "wan"


def test_a_link_that_echoes_has_no_connection() -> None:
    assert [link.connection for link in links("[{between: [b1, b2], echoes: true}]")] == ["", ""]


def test_a_link_has_all_rules_that_its_entry_says() -> None:
    rules = """
        cost: 3, latency: 5 ms, accepts: [a, {pattern: 'b.#', dialect: amqp, scope: vhost}], refuses: c,
        hop-limit: 2, counts: no, avoids-visited: yes, kind: route, not-after: [route, gateway],
        failover: hub, rank: 2, takes-over: 5 s,
        buffering: 30 s, rename: {strip: x, add: y, to: z, scope: w}, name: l, cable: c, connection: d
    """

    assert links(f"[{{from: b1, to: b2, {rules}}}]") == (
        Link(
            "l",
            "b1",
            "b2",
            cable="c",
            cost=3,
            latency=5.0,
            accepts=(Pattern("a"), Pattern("b.#", "amqp", "vhost")),
            refuses=(Pattern("c"),),
            rename=Rename("x", "y", "z", "w"),
            hop_limit=2,
            counts=False,
            avoids_visited=True,
            connection="d",
            kind="route",
            not_after=frozenset({"route", "gateway"}),
            buffering="30 s",
            failover="hub",
            rank=2,
            takes_over=5000.0,
        ),
    )


def test_filters_are_in_the_dialect_of_the_broker_where_the_link_begins() -> None:
    found = mesh("""
        brokers: {b1: {dialect: mqtt}, b2: {dialect: amqp}}
        links: [{between: [b1, b2], accepts: a}]
    """)

    assert [link.accepts[0].dialect for link in found.links] == ["mqtt", "amqp"]


def test_clients_are_at_a_broker_and_speak_its_dialect() -> None:
    found = mesh("""
        dialect: nats
        brokers: [b1]
        publishers:
          p: {at: b1, topics: a.b}
        subscribers:
          s: {at: b1, topics: [a.>, c.*], within: 50 ms}
    """)

    assert found.publishers == (Publisher("p", "b1", (Pattern("a.b", "nats"),)),)
    patterns = (Pattern("a.>", "nats"), Pattern("c.*", "nats"))
    assert found.subscribers == (Subscriber("s", "b1", patterns, 50.0),)


def test_topics_are_short_for_a_publisher_and_subscribers() -> None:
    short = mesh("{brokers: [b1, b2, b3], topics: {A: {from: b1, to: [b2, b3], within: 7}}}")
    long = mesh("""
        brokers: [b1, b2, b3]
        publishers:
          A at b1: {at: b1, topics: A}
        subscribers:
          A at b2: {at: b2, topics: A, within: 7 ms}
          A at b3: {at: b3, topics: A, within: 7 ms}
    """)

    assert (short.publishers, short.subscribers) == (long.publishers, long.subscribers)


def test_a_mesh_forwards_unless_it_says_otherwise() -> None:
    assert mesh("brokers: [b1]").routing == Routing()
    assert mesh("{brokers: [b1], routing: shortest}").routing == Routing("shortest")
    long = mesh("{brokers: [b1], routing: {kind: shortest, rerouted: false, hop-limit: 16}}").routing
    assert long == Routing("shortest", rerouted=False, hop_limit=16)


@pytest.mark.parametrize("routing", ["", "routing: tables\n"])
def test_tables_say_by_being_there_that_messages_follow_them(routing: str) -> None:
    found = mesh(f"brokers: [b1, b2]\n{routing}tables:\n  b1: {{b2: b2}}\n  b2:\n")

    assert found.routing == Routing("tables", {"b1": {"b2": "b2"}, "b2": {}})


def test_every_part_remembers_where_it_was_said() -> None:
    found = mesh("brokers:\n  - b1\n  - b2\nlinks:\n  - b1 -> b2\ntopics:\n  A: {from: b1, to: b2}\n")

    assert found.brokers[1].place == Place("mesh.yaml", 3, 5, "  - b2")
    assert found.links[0].place == Place("mesh.yaml", 5, 5, "  - b1 -> b2")
    assert str(found.publishers[0].place) == "mesh.yaml:7:13"
    assert str(found.subscribers[0].place) == "mesh.yaml:7:21"
    assert str(found.subscribers[0].topics[0].place) == "mesh.yaml:7:3"


def test_remarks_of_an_import_are_kept_with_their_place() -> None:
    found = mesh("""
        brokers: [b1]
        remarks:
          - {kind: dangling, what: no upstream eu, remedy: add it, at: "a b.json:3:14"}
    """)

    assert found.remarks == (Remark("dangling", "no upstream eu", "add it", Place("a b.json", 3, 14)),)


def test_what_several_entries_share_can_be_merged_into_each() -> None:
    found = mesh("""
        brokers: [b1, b2, b3]
        links:
          - &wan {between: [b1, b2], cost: 9, hop-limit: 2}
          - {<<: *wan, between: [b2, b3], hop-limit: 3}
    """)

    assert [(link.cost, link.hop_limit) for link in found.links] == [(9, 2), (9, 2), (9, 3), (9, 3)]


@pytest.mark.parametrize(
    ("said", "milliseconds"),
    [("5", 5.0), ("5 ms", 5.0), ("5ms", 5.0), ("250 us", 0.25), ("2 s", 2000.0), ("1 min", 60_000.0)],
)
def test_times_have_units(said: str, milliseconds: float) -> None:
    assert mesh(f"brokers: {{b1: {{latency: {said}}}}}").brokers[0].latency == milliseconds


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    file = tmp_path / "windows.yaml"
    file.write_bytes(b"\xef\xbb\xbfbrokers:\r\n  - b1\r\n  - b2\r\n")

    found = read_mesh(str(file))

    assert [broker.name for broker in found.brokers] == ["b1", "b2"]
    assert found.brokers[1].place == Place(str(file), 3, 5, "  - b2")


def test_the_collector_runs_again_after_a_file_was_read() -> None:
    mesh("brokers: [b1]")

    assert gc.isenabled()
