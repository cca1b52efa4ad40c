"""RabbitMQ's definitions, read and followed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from angarium.core.errors import MeshError
from angarium.mesh.importers import rabbitmq, rabbitmq_policies
from angarium.mesh.mesh import EFFECTS, Link, Mesh, Pattern, Rename
from tests.effort import examples
from tests.mesh.importers.definitions import (
    Json,
    binding,
    cluster,
    exchange,
    parameter,
    policy,
    queue,
    read,
    shovel,
    upstream,
    upstream_set,
    written,
)
from tests.mesh.importers.predict import in_queues
from tests.mesh.importers.samples import damaged, outside, read_or_refused, remarks, sample


def member(*upstreams: str, hops: int = 1, queues: int = 1, kind: str = "fanout") -> Json:
    """A cluster whose exchange `fed.all` pulls from others."""
    names = [f"q{number}" for number in range(1, queues + 1)]
    return cluster(
        exchanges=[exchange("fed.all", kind)],
        queues=[queue(name) for name in names],
        bindings=[binding("fed.all", name) for name in names],
        parameters=[upstream(each, max_hops=hops) for each in upstreams],
        policies=[policy("fed", "^fed\\.", federation_upstream_set="all")],
    )


def puller(*more: Json, policies: list[Json] | None = None) -> Json:
    """A cluster `eu` with an exchange `fed.orders`, and further parameters."""
    return cluster(
        exchanges=[exchange("fed.orders")],
        parameters=more,
        policies=[policy("fed", "^fed", federation_upstream="us")] if policies is None else policies,
    )


def only_link(mesh: Mesh) -> Link:
    (link,) = mesh.links
    return link


US = cluster(exchanges=[exchange("fed.orders"), exchange("other")])


# Federation


def test_messages_go_from_the_upstream_to_where_it_is_configured(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us")), us=US)

    link = only_link(mesh)

    assert (link.source, link.target) == ("us", "eu")
    assert (link.hop_limit, link.avoids_visited, link.buffering) == (1, True, "kept")
    assert link.accepts == (Pattern("#", "amqp", "fed.orders"),)
    assert link.rename is None
    assert mesh.remarks == ()


def test_an_upstream_can_name_another_exchange_and_virtual_host(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us", "amqp://us/sales", exchange="other")), us=US)

    link = only_link(mesh)

    assert link.accepts == (Pattern("#", "amqp", "sales other"),)
    assert link.rename == Rename(scope="fed.orders")


def test_a_triangle_both_ways_with_two_hops_makes_fifteen_copies(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    files = {name: member(*(each for each in names if each != name), hops=2, queues=3) for name in names}

    copies = in_queues(read(tmp_path, **files), "one", "any", "fed.all")

    assert copies == {f"q{n}@{name}": 1 if name == "one" else 2 for name in names for n in (1, 2, 3)}
    assert sum(count or 0 for count in copies.values()) == 15


@pytest.mark.parametrize(("brokers", "hops", "reached"), [(3, 2, 3), (6, 5, 6), (6, 4, 5), (6, 1, 2)])
def test_a_ring_reaches_as_many_as_it_may_hop(tmp_path: Path, brokers: int, hops: int, reached: int) -> None:
    files = {f"b{at}": member(f"b{(at - 1) % brokers}", hops=hops) for at in range(brokers)}

    copies = in_queues(read(tmp_path, **files), "b0", "any", "fed.all")

    assert copies == {f"q1@b{at}": 1 for at in range(reached)}


@pytest.mark.parametrize(("hops", "each"), [(1, 1), (2, 3), (3, 5)])
def test_four_that_all_pull_from_each_other_get_more_copies_with_more_hops(
    tmp_path: Path, hops: int, each: int
) -> None:
    names = ("a", "b", "c", "d")
    files = {name: member(*(other for other in names if other != name), hops=hops) for name in names}

    copies = in_queues(read(tmp_path, **files), "a", "any", "fed.all")

    assert copies == {"q1@a": 1, "q1@b": each, "q1@c": each, "q1@d": each}


def test_a_pair_gets_one_copy_whatever_the_hops(tmp_path: Path) -> None:
    mesh = read(tmp_path, one=member("two", hops=3), two=member("one", hops=3))

    assert in_queues(mesh, "one", "any", "fed.all") == {"q1@one": 1, "q1@two": 1}


def test_clusters_of_the_same_name_are_mistaken_for_each_other(tmp_path: Path) -> None:
    files = {name: member("three") | cluster("same") | {"exchanges": []} for name in ("one", "two")}

    mesh = read(tmp_path, **files)

    assert [broker.known_as for broker in mesh.brokers[:2]] == ["same", "same"]
    assert (
        "one and two have the same cluster_name same: to federation they are one, and share queues"
        in remarks(mesh, "dangling")
    )


@pytest.mark.parametrize(
    ("said", "buffering"),
    [
        ({}, "kept"),
        ({"ack_mode": "on-publish"}, "lost"),
        ({"ack_mode": "no-ack"}, "lost"),
        ({"expires": 3_600_000}, "3600 s"),
        ({"message_ttl": 500, "expires": 60_000}, "0.5 s"),
    ],
)
def test_what_an_upstream_says_decides_what_is_kept_while_a_link_is_down(
    tmp_path: Path, said: Json, buffering: str
) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us", **said)), us=US)

    assert only_link(mesh).buffering == buffering


def test_an_entry_of_a_set_says_otherwise(tmp_path: Path) -> None:
    eu = puller(
        upstream("us", max_hops=1),
        upstream_set("regions", {"upstream": "us", "exchange": "other", "max-hops": 3}),
        policies=[policy("fed", "^fed", federation_upstream_set="regions")],
    )

    link = only_link(read(tmp_path, eu=eu, us=US))

    assert (link.accepts[0].scope, link.hop_limit) == ("other", 3)


def test_upstreams_are_also_chosen_by_a_pattern_of_their_names(tmp_path: Path) -> None:
    eu = puller(
        upstream("us"), upstream("ap"), policies=[policy("fed", "^fed", federation_upstream_pattern="^u")]
    )

    assert only_link(read(tmp_path, eu=eu)).source == "us"


def test_two_upstreams_of_the_same_cluster_are_one_link(tmp_path: Path) -> None:
    eu = puller(
        upstream("first", "amqp://us1"),
        upstream("second", "amqp://us2"),
        policies=[policy("fed", "^fed", federation_upstream_set="all")],
    )

    mesh = read(tmp_path, eu=eu, us=US)

    assert len(mesh.links) == 1
    assert (
        "upstreams first and second of eu lead to the same exchange: they share one queue for fed.orders"
        in (remarks(mesh, "note"))
    )


def test_internal_exchanges_are_not_federated(tmp_path: Path) -> None:
    eu = puller(upstream("us")) | {"exchanges": [exchange("fed.orders", internal=True)]}

    assert read(tmp_path, eu=eu, us=US).links == ()


def test_exchanges_that_every_broker_has_are_federated_where_something_is_bound(tmp_path: Path) -> None:
    eu = cluster(
        queues=[queue("q")],
        bindings=[binding("amq.topic", "q", "a.*")],
        parameters=[upstream("us")],
        policies=[policy("fed", "^amq\\.", federation_upstream="us")],
    )

    mesh = read(tmp_path, eu=eu, us=cluster(exchanges=[]))

    assert only_link(mesh).accepts[0].scope == "amq.topic"
    assert in_queues(mesh, "us", "a.b", "amq.topic") == {"q@eu": 1}
    assert in_queues(mesh, "us", "a.b.c", "amq.topic") == {}


def test_a_federated_queue_is_said_to_depend_on_consumers(tmp_path: Path) -> None:
    there = cluster(
        exchanges=[exchange("x")], queues=[queue("jobs")], bindings=[binding("x", "jobs", "job.#")]
    )
    here = cluster(
        queues=[queue("jobs")],
        parameters=[upstream("us")],
        policies=[policy("fed", "^jobs$", apply_to="queues", federation_upstream="us")],
    )

    mesh = read(tmp_path, eu=here, us=there)

    assert in_queues(mesh, "us", "job.1", "x") == {"jobs@us": 1, "jobs@eu": 1}
    assert in_queues(mesh, "us", "other", "x") == {}
    assert any("is federated" in what for what in remarks(mesh, "not understood"))


# Policies


def test_only_the_policy_of_highest_priority_applies(tmp_path: Path) -> None:
    eu = puller(
        upstream("us"),
        upstream("ap"),
        policies=[
            policy("low", "fed", 1, federation_upstream="us"),
            policy("high", "orders", 2, federation_upstream="ap"),
        ],
    )

    mesh = read(tmp_path, eu=eu, us=US, ap=US)

    assert only_link(mesh).source == "ap"
    assert "policy low of eu never applies: policies of higher priority take all that it matches" in remarks(
        mesh, "dangling"
    )


def test_a_policy_of_queues_or_of_another_virtual_host_does_not_apply_to_exchanges(tmp_path: Path) -> None:
    eu = puller(
        upstream("us"),
        policies=[
            policy("queues", "fed", apply_to="queues", federation_upstream="us"),
            policy("elsewhere", "fed", federation_upstream="us") | {"vhost": "sales"},
        ],
    )

    assert read(tmp_path, eu=eu, us=US).links == ()


def test_policies_of_equal_priority_are_pointed_out(tmp_path: Path) -> None:
    eu = puller(
        upstream("us"),
        upstream("ap"),
        policies=[policy("a", "fed", federation_upstream="us"), policy("b", "fed", federation_upstream="ap")],
    )

    mesh = read(tmp_path, eu=eu, us=US, ap=US)

    what = "policies a and b of eu fit fed.orders with the same priority; a is taken"
    assert [each.effects for each in mesh.remarks if each.what == what] == [EFFECTS]


def test_too_many_policies_for_too_many_names_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rabbitmq_policies, "MOST_STEPS", 1000)
    crowd = cluster(
        exchanges=[exchange(f"x{number}") for number in range(50)],
        policies=[policy(f"p{number}", ".*z") for number in range(50)],
    )

    with pytest.raises(MeshError) as error:
        read(tmp_path, eu=crowd)

    assert error.value.code == "ANG125"


def test_a_policy_whose_pattern_is_not_understood_is_listed_and_matches_nothing(tmp_path: Path) -> None:
    mesh = read(
        tmp_path, eu=puller(upstream("us"), policies=[policy("p", "(fed", federation_upstream="us")]), us=US
    )

    assert mesh.links == ()
    assert remarks(mesh, "not understood") == ['pattern "(fed" of policy p of eu: a ( is never closed']


# References to nothing


@pytest.mark.parametrize(
    ("parameters", "policies", "what"),
    [
        ([], [policy("p", "fed", federation_upstream="us")], "policy p of eu: there is no upstream us"),
        (
            [],
            [policy("p", "fed", federation_upstream_set="al")],
            "policy p of eu: there is no upstream set al",
        ),
        (
            [upstream("us")],
            [policy("p", "^nothing", federation_upstream="us")],
            'policy p of eu: pattern "^nothing" matches no name of exchanges',
        ),
        ([upstream("us")], [], "no policy of eu uses upstream us"),
        (
            [upstream("us")],
            [policy("p", "fed", federation_upstream="us", federation_upstream_set="all")],
            "policy p of eu gives federation-upstream and federation-upstream-set",
        ),
        (
            [upstream("us", exchange="missing")],
            [policy("p", "fed", federation_upstream="us")],
            "upstream us pulls from exchange missing, which is not in us",
        ),
    ],
)
def test_what_leads_nowhere_is_listed_with_its_line(
    tmp_path: Path, parameters: list[Json], policies: list[Json], what: str
) -> None:
    mesh = read(tmp_path, eu=puller(*parameters, policies=policies), us=US)

    found = [remark for remark in mesh.remarks if remark.what == what]

    assert [remark.kind for remark in found] == ["dangling"]
    assert found[0].place and found[0].place.file.endswith("eu.json") and found[0].place.line > 1


def test_bindings_of_what_is_not_there_are_listed(tmp_path: Path) -> None:
    mesh = read(
        tmp_path, eu=cluster(queues=[queue("q")], bindings=[binding("gone", "q"), binding("amq.topic", "no")])
    )

    assert remarks(mesh, "dangling") == [
        "a binding of eu names exchange gone, which is not there",
        "a binding of eu names queue no, which is not there",
    ]


# Who is meant


def test_a_cluster_is_called_by_its_cluster_name(tmp_path: Path) -> None:
    (path,) = written(tmp_path, {"definitions": cluster("rabbit@eu1.example")})

    assert [broker.name for broker in rabbitmq.read([path]).brokers] == ["rabbit@eu1.example"]


def test_without_a_cluster_name_a_folder_names_what_the_file_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "berlin" / "etc"
    folder.mkdir(parents=True)
    (path,) = written(folder, {"definitions": cluster()})

    assert [broker.name for broker in rabbitmq.read([path]).brokers] == ["berlin"]


@pytest.mark.parametrize(
    "uri",
    [
        "amqp://us",
        "amqps://user:secret@US:5671/%2f",
        "amqp://us1",
        "amqp://us-2.mq.example",
        ["amqp://elsewhere", "amqp://us"],
    ],
)
def test_an_address_joins_the_cluster_that_is_called_so(tmp_path: Path, uri: str | list[str]) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us", uri)), us=US)

    assert only_link(mesh).source == "us"
    assert len(mesh.brokers) == 2


@pytest.mark.parametrize(
    ("uri", "noted"),
    [
        ("amqp://us", []),
        ("amqp://us.mq.example", ["host us.mq.example is taken to be of us"]),
        ("amqp://us1", ["host us1 is taken to be of us"]),
    ],
)
def test_a_join_by_a_part_of_the_host_is_remarked(tmp_path: Path, uri: str, noted: list[str]) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us", uri)), us=US)

    assert remarks(mesh, "assumed") == noted


@pytest.mark.parametrize("host", ["mq.us.example", "eu.example", "eu1"])
def test_neither_a_later_label_nor_a_part_of_the_own_name_joins(tmp_path: Path, host: str) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us", f"amqp://{host}")), us=US)

    assert only_link(mesh).source == host
    assert remarks(mesh, "not read") == [outside(host)]


HERE = ["amqp://localhost:5672", "amqp://localhost:5673"]


@pytest.mark.parametrize(
    ("uri", "noted"),
    [("amqp://", []), (HERE, ["localhost:5672 is taken to be eu itself"])],
)
def test_a_shovel_of_this_machine_in_a_single_file_stays_within_its_cluster(
    tmp_path: Path, uri: object, noted: list[str]
) -> None:
    moved = shovel("s", src_uri=uri, src_queue="a", dest_uri=uri, dest_queue="b")

    mesh = read(tmp_path, eu=cluster(queues=[queue("a"), queue("b")], parameters=[moved]))

    assert [broker.name for broker in mesh.brokers] == ["eu"]
    (link,) = (link for link in mesh.links if link.kind == "shovel")
    assert (link.source, link.target) == ("eu", "eu")
    assert [what for what in remarks(mesh, "assumed") if "taken" in what] == noted
    assert remarks(mesh, "not understood") == []


def test_this_machine_is_a_broker_outside_where_there_are_several_files_or_other_ports(
    tmp_path: Path,
) -> None:
    several = read(tmp_path, eu=puller(upstream("us", "amqp://localhost")), us=US)
    single = read(tmp_path, eu=puller(upstream("us", "amqp://localhost:5673")))

    assert only_link(several).source == "localhost:5672"
    assert only_link(single).source == "localhost:5673"


def test_an_address_joins_by_the_host_in_a_cluster_name(tmp_path: Path) -> None:
    mesh = read(
        tmp_path, eu=puller(upstream("us", "amqp://node7.example")), x=US | cluster("rabbit@node7.example")
    )

    assert only_link(mesh).source == "rabbit@node7.example"


def test_an_address_of_nobody_is_a_broker_outside(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=puller(upstream("us", "amqp://user:secret@far.example")))

    assert [broker.name for broker in mesh.brokers] == ["eu", "far.example"]
    assert remarks(mesh, "not read") == [outside("far.example")]


def test_addresses_given_together_are_one_broker_outside(tmp_path: Path) -> None:
    eu = puller(upstream("us", ["amqp://x1", "amqp://x2"]))

    mesh = read(tmp_path, eu=eu, ap=puller(upstream("us", ["amqp://x2", "amqp://x3"])))

    assert [broker.name for broker in mesh.brokers] == ["eu", "ap", "x1"]


def test_no_password_is_ever_shown(tmp_path: Path) -> None:
    uri = "amqp://user:secret@far.example"
    mesh = read(
        tmp_path, eu=puller(upstream("us", uri), shovel("s", src_uri=uri, src_queue="a", dest_uri=uri))
    )

    assert "secret" not in repr([(remark.what, remark.remedy) for remark in mesh.remarks])
    assert "secret" not in repr([(broker.name, broker.dialect) for broker in mesh.brokers])
    assert "secret" not in repr([link.name for link in mesh.links])


# Within a cluster


def test_exchanges_route_by_their_types(tmp_path: Path) -> None:
    kinds = ("topic", "direct", "fanout", "headers")
    mesh = read(
        tmp_path,
        eu=cluster(
            exchanges=[exchange(kind, kind) for kind in kinds],
            queues=[queue(kind) for kind in kinds],
            bindings=[binding(kind, kind, "a.b") for kind in kinds],
        ),
    )

    patterns = {subscriber.name: subscriber.topics[0].text for subscriber in mesh.subscribers}

    assert patterns == {"topic@eu": "a.b", "direct@eu": "a.b", "fanout@eu": "#", "headers@eu": "#"}
    assert remarks(mesh, "not understood") == [
        "exchange headers of eu is of type headers: each of its bindings is taken to let everything through"
    ]


def test_a_message_passes_from_exchange_to_exchange_without_a_hop(tmp_path: Path) -> None:
    us = cluster(
        exchanges=[exchange("in"), exchange("fed.orders")],
        bindings=[binding("in", "fed.orders", "order.#", "exchange")],
    )
    eu = puller(upstream("us")) | {"queues": [queue("q")], "bindings": [binding("fed.orders", "q")]}

    mesh = read(tmp_path, eu=eu, us=us)

    assert in_queues(mesh, "us", "order.new", "in") == {"q@eu": 1}
    assert in_queues(mesh, "us", "other", "in") == {}


def test_a_queue_gets_one_copy_however_many_ways_lead_there_within_a_cluster(tmp_path: Path) -> None:
    bindings = [binding(*ends, kind="exchange") for ends in (("a", "b"), ("a", "c"), ("b", "a"), ("c", "b"))]
    mesh = read(
        tmp_path,
        eu=cluster(
            exchanges=[exchange(name) for name in "abc"],
            queues=[queue("q")],
            bindings=[*bindings, *(binding(name, "q") for name in "abc")],
        ),
    )

    assert in_queues(mesh, "eu", "k", "a") == {"q@eu": 1}


def test_scopes_tell_virtual_hosts_apart(tmp_path: Path) -> None:
    sales = {"vhost": "sales"}
    mesh = read(
        tmp_path,
        eu=cluster(
            exchanges=[exchange("x"), exchange("x", **sales)],
            queues=[queue("q"), queue("q", **sales)],
            bindings=[binding("x", "q"), binding("x", "q", **sales)],
        ),
    )

    assert in_queues(mesh, "eu", "k", "x") == {"q@eu": 1}
    assert in_queues(mesh, "eu", "k", "sales x") == {"sales/q@eu": 1}


def test_virtual_hosts_that_pull_from_each_other_are_brokers_of_their_own(tmp_path: Path) -> None:
    def part(vhost: str, source: str) -> dict[str, list[Json]]:
        here = {"vhost": vhost}
        value = {"uri": f"amqp://eu/{source}", "max-hops": 2}
        return {
            "exchanges": [exchange("x", **here)],
            "queues": [queue("q", **here)],
            "bindings": [binding("x", "q", **here)],
            "parameters": [parameter("federation-upstream", "u", value, vhost)],
            "policies": [policy("p", "x", federation_upstream="u") | here],
        }

    first, second = part("v1", "%2f"), part("v2", "v1")
    mesh = read(tmp_path, eu=cluster(**{key: first[key] + second[key] for key in first}))

    assert {broker.name for broker in mesh.brokers} == {"eu", "eu/v1", "eu/v2"}
    assert in_queues(mesh, "eu", "k", "x") == {"v1/q@eu": 1, "v2/q@eu": 1}
    assert remarks(mesh, "not understood") == []
    assert [(risk.name, risk.brokers) for risk in mesh.shared_risks] == [("eu", ("eu", "eu/v1", "eu/v2"))]


# Shovels


def test_a_shovel_moves_what_comes_into_a_queue(tmp_path: Path) -> None:
    eu = cluster(
        exchanges=[exchange("x"), exchange("y")],
        queues=[queue("out")],
        bindings=[binding("x", "out", "order.#"), binding("y", "out")],
        parameters=[
            shovel(
                "s",
                src_uri="amqp://",
                src_queue="out",
                dest_uri="amqp://dr",
                dest_exchange="in",
                dest_exchange_key="k",
            )
        ],
    )
    dr = cluster(exchanges=[exchange("in")], queues=[queue("q")], bindings=[binding("in", "q", "k")])

    mesh = read(tmp_path, eu=eu, dr=dr)

    assert mesh.cables == ("eu->dr (shovel s)",)
    assert all(not link.avoids_visited and link.hop_limit is None for link in mesh.links)
    assert in_queues(mesh, "eu", "order.new", "x") == {"out@eu": 1, "q@dr": 1}
    assert in_queues(mesh, "eu", "other", "x") == {}
    assert in_queues(mesh, "eu", "other", "y") == {"out@eu": 1, "q@dr": 1}


def test_a_shovel_keeps_exchange_and_key_or_names_a_queue(tmp_path: Path) -> None:
    source = {"exchanges": [exchange("x")], "queues": [queue("out")], "bindings": [binding("x", "out")]}
    keeping = shovel("keep", src_uri="amqp://", src_queue="out", dest_uri="amqp://dr")
    naming = shovel("name", src_uri="amqp://", src_queue="out", dest_uri="amqp://dr", dest_queue="direct")
    dr = cluster(
        exchanges=[exchange("x")], queues=[queue("q"), queue("direct")], bindings=[binding("x", "q", "a.*")]
    )

    mesh = read(tmp_path, eu=cluster(**source, parameters=[keeping, naming]), dr=dr)

    assert in_queues(mesh, "eu", "a.b", "x") == {"out@eu": 1, "q@dr": 1, "direct@dr": 1}
    assert in_queues(mesh, "eu", "other", "x") == {"out@eu": 1, "direct@dr": 1}


def test_what_a_shovel_takes_from_an_exchange_is_lost_while_it_is_down(tmp_path: Path) -> None:
    eu = cluster(
        exchanges=[exchange("x")],
        parameters=[
            shovel("s", src_uri="amqp://", src_exchange="x", src_exchange_key="a.#", dest_uri="amqp://dr")
        ],
    )

    link = only_link(read(tmp_path, eu=eu, dr=cluster(exchanges=[exchange("x")])))

    assert (link.accepts[0].text, link.buffering) == ("a.#", "lost")


def test_two_shovels_can_loop(tmp_path: Path) -> None:
    def half(other: str) -> Json:
        return cluster(
            exchanges=[exchange("x")],
            queues=[queue("out")],
            bindings=[binding("x", "out")],
            parameters=[shovel("s", src_uri="amqp://", src_queue="out", dest_uri=f"amqp://{other}")],
        )

    copies = in_queues(read(tmp_path, a=half("b"), b=half("a")), "a", "k", "x")

    assert copies == {"out@a": None, "out@b": None}


def test_a_shovel_between_strangers_and_other_protocols_are_listed(tmp_path: Path) -> None:
    far = shovel("far", src_uri="amqp://b", src_queue="q", dest_uri="amqp://c")
    new = shovel("new", src_protocol="amqp10", src_uri="amqp://b", src_address="/q", dest_uri="amqp://c")

    mesh = read(tmp_path, a=cluster(parameters=[far, new]), b=cluster(vhosts=[]), c=cluster(vhosts=[]))

    assert set(remarks(mesh, "not understood")) == {
        "shovel far of a runs on a: it stops when that fails, which is not followed",
        'shovel new of a, which has src-protocol "amqp10"',
    }
    assert "shovel far of a names queue q, which b does not have" in remarks(mesh, "note")


# What is not modelled


def test_what_can_change_delivery_and_is_not_modelled_is_listed(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        eu=puller(
            upstream("us", strange=1),
            parameter("vhost-limits", "limits", {"max-queues": 3}),
            policies=[policy("p", "fed", federation_upstream="us", alternate_exchange="ae")],
        )
        | {
            "exchanges": [exchange("fed.orders", arguments={"alternate-exchange": "ae"})],
            "queues": [queue("q", arguments={"x-message-ttl": 5, "x-queue-type": "quorum"})],
            "topic_permissions": [{"user": "u"}],
            "users": [{"name": "u"}],
        },
        us=US,
    )

    assert set(remarks(mesh, "not understood")) == {
        "strange of upstream us of eu",
        "parameter limits of component vhost-limits of eu",
        "x-message-ttl of queue q of eu",
        "exchange fed.orders of eu is federated, and has an alternate: "
        "what only that would get is not pulled",
    }
    assert "alternate-exchange ae of fed.orders is not in eu" in remarks(mesh, "dangling")


# Files that cannot be read


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "ANG120", 1, 1),
        ("[]", "ANG120", 1, 1),
        ('{"exchanges": [}', "ANG120", 1, 16),
        ('{"exchanges": []}\n{}', "ANG120", 2, 1),
        ('{"exchanges": {}}', "ANG120", 1, 15),
        ('{"exchanges": [\n {"name": 3}]}', "ANG121", 2, 2),
        ('{"exchanges": [\n 3]}', "ANG121", 2, 2),
        ('{"x": ' + "[" * 100_000, "ANG120", 1, 7),
        ('{"x": ' + "9" * 5_000 + "}", "ANG120", 1, 7),
        ('{"queues": [{"name": "q"},\n{"name": "q"}]}', "ANG122", 2, 1),
        ('{"bindings": [{"source": "x", "destination": "q", "destination_type": "topic"}]}', "ANG121", 1, 15),
        ('{"parameters": [{"component": "shovel", "name": "s", "value": {}}]}', "ANG121", 1, 17),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, text: str, code: str, line: int, column: int
) -> None:
    path = tmp_path / "eu.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(MeshError) as error:
        rabbitmq.read([path])

    place = error.value.place
    assert error.value.code == code
    assert place and (place.line, place.column) == (line, column)
    assert error.value.remedy


@pytest.mark.parametrize(
    "said", [{"max_hops": 0}, {"max_hops": "2"}, {"ack_mode": "maybe"}, {"uri": 5}, {"exchange": 1}]
)
def test_an_impossible_value_of_an_upstream_is_refused(tmp_path: Path, said: Json) -> None:
    with pytest.raises(MeshError) as error:
        read(tmp_path, eu=puller(upstream("us", **said)), us=US)

    assert error.value.code == "ANG121"
    assert error.value.place and error.value.place.line > 1


def test_two_files_of_the_same_broker_are_refused(tmp_path: Path) -> None:
    paths = written(tmp_path, {"eu": cluster()})

    with pytest.raises(MeshError) as error:
        rabbitmq.read([*paths, *paths])

    assert error.value.code == "ANG122"


@given(text=damaged(sample("rabbitmq/regions", "eu.json")[0].read_text(encoding="utf-8")))
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "eu.json"
    path.write_text(text, encoding="utf-8")

    read_or_refused(rabbitmq.read, [path])


def test_the_sample_regions_deliver_every_order_once_and_archive_what_is_paid() -> None:
    mesh = rabbitmq.read(sample("rabbitmq/regions"))

    copies = in_queues(mesh, "us", "order.eu.paid", "incoming")

    everywhere = {f"orders.all@{name}": 1 for name in ("eu", "us", "ap")}
    assert copies == everywhere | {"orders.eu@eu": 1, "to.archive@eu": 1, "paid@archive": 1}
    assert {remark.kind for remark in mesh.remarks} == {"assumed"}


def test_the_sample_triangle_delivers_fifteen_copies() -> None:
    mesh = rabbitmq.read(sample("rabbitmq/triangle"))

    assert sum(count or 0 for count in in_queues(mesh, "one", "any", "fed.orders").values()) == 15
    assert [remark.what for remark in mesh.remarks] == [
        f"host {name}.example is taken to be of {name}" for name in ("two", "three", "one")
    ]


def test_definitions_are_recognised_by_their_keys() -> None:
    export = json.dumps(cluster("eu", exchanges=[], policies=[]))

    assert rabbitmq.recognises(Path("any.json"), export)
    assert not rabbitmq.recognises(Path("any.json"), '{"clusters": []}')
    assert not rabbitmq.recognises(Path("any.yaml"), "brokers: [a, b]")
