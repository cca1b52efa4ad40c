"""Artemis: clusters, federation, bridges and diverts, and files that are wrong or mean harm."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.importers import artemis
from angarium.mesh.importers.artemis_xml import DEEPEST
from angarium.mesh.mesh import Link, Mesh, Pattern, Rename
from tests.effort import examples
from tests.mesh.importers.samples import (
    EXAMPLES,
    at_brokers,
    copies,
    damaged,
    outside,
    read_or_refused,
    remarks,
    sample,
    written,
)


def core(name: str, inner: str = "", port: int = 61616, connectors: tuple[str, ...] = ()) -> str:
    reached = "".join(f'<connector name="{each}">tcp://{each}:61616</connector>' for each in connectors)
    return (
        f"<configuration><core><name>{name}</name><connectors>{reached}</connectors>"
        f'<acceptors><acceptor name="a">tcp://0.0.0.0:{port}</acceptor></acceptors>'
        f"{inner}</core></configuration>"
    )


def federated(
    name: str, upstreams: tuple[str, ...], policy: str = '<include address-match="#"/>', hops: str = ""
) -> str:
    streams = "".join(
        f'<upstream name="{each}"><static-connectors><connector-ref>{each}</connector-ref>'
        '</static-connectors><policy ref="p"/></upstream>'
        for each in upstreams
    )
    most = f' max-hops="{hops}"' if hops else ""
    inner = (
        f'<federations><federation name="{name}">{streams}<address-policy name="p"{most}>{policy}'
        "</address-policy></federation></federations>"
    )
    return core(name, inner, connectors=upstreams)


def clustered(name: str, others: tuple[str, ...], more: str = "", only: bool = False) -> str:
    refs = "".join(f"<connector-ref>{each}</connector-ref>" for each in others)
    direct = ' allow-direct-connections-only="true"' if only else ""
    inner = (
        f'<cluster-connections><cluster-connection name="c">{more}<static-connectors{direct}>{refs}'
        "</static-connectors></cluster-connection></cluster-connections>"
    )
    return core(name, inner, connectors=others)


def read(folder: Path, **texts: str) -> Mesh:
    return artemis.read(written(folder, **texts))


def patterns(*texts: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, "amqp") for text in texts)


def test_the_federated_sample_has_exactly_these_links() -> None:
    mesh = artemis.read(sample("artemis/federation"))

    assert [broker.name for broker in mesh.brokers] == ["eu", "us"]
    assert mesh.links == (
        Link(
            "federation us > eu news",
            "us",
            "eu",
            "upstream eu us",
            accepts=patterns("news.#"),
            refuses=patterns("news.local.#"),
            hop_limit=1,
            kind="federation",
        ),
        Link(
            "bridge eu orders-to-us",
            "eu",
            "us",
            accepts=patterns("orders"),
            rename=Rename(whole="orders.eu"),
            kind="bridge",
        ),
        Link(
            "divert eu archive",
            "eu",
            "eu",
            accepts=patterns("news.world"),
            rename=Rename(whole="archive.world"),
            counts=False,
            kind="divert",
        ),
        Link(
            "federation eu > us prices",
            "eu",
            "us",
            "amqp us eu",
            accepts=patterns("prices.#"),
            hop_limit=2,
            connection="amqp us eu",
            kind="federation",
        ),
        Link(
            "federation us > eu alarms",
            "us",
            "eu",
            "amqp us eu",
            accepts=patterns("alarms"),
            connection="amqp us eu",
            kind="federation",
        ),
    )
    assert mesh.remarks == ()


def test_upstreams_are_pulled_from() -> None:
    mesh = artemis.read(sample("artemis/federation"))

    assert copies(mesh, "us", "news.world") == {
        ("us", "news.world"): 1,
        ("eu", "news.world"): 1,
        ("eu", "archive.world"): 1,
    }
    assert at_brokers(mesh, "eu", "news.sport") == {"eu": 1}
    assert at_brokers(mesh, "us", "news.local.x") == {"us": 1}
    assert copies(mesh, "eu", "orders") == {("eu", "orders"): 1, ("us", "orders.eu"): 1}


def test_queues_are_subscribers_of_their_addresses() -> None:
    mesh = artemis.read(sample("artemis/federation"))

    assert [(each.name, each.broker, each.topics[0].text) for each in mesh.subscribers] == [
        ("eu orders", "eu", "orders"),
        ("eu archive", "eu", "archive.world"),
        ("us orders.eu", "us", "orders.eu"),
    ]


def test_a_downstream_is_told_to_pull(tmp_path: Path) -> None:
    text = federated("a", ("b",)).replace("<upstream", "<downstream").replace("</upstream", "</downstream")

    mesh = read(tmp_path, a_xml=text, b_xml=core("b"))

    assert [(each.source, each.target) for each in mesh.links] == [("a", "b")]


@pytest.mark.parametrize(("hops", "copied"), [("", 1), ("0", 1), ("1", 1), ("-1", None)])
def test_messages_are_federated_once_unless_max_hops_says_otherwise(
    tmp_path: Path, hops: str, copied: int | None
) -> None:
    mesh = read(tmp_path, a_xml=federated("a", ("b",), hops=hops), b_xml=federated("b", ("a",), hops=hops))

    assert at_brokers(mesh, "a", "x") == {"a": copied, "b": copied}


@pytest.mark.parametrize(("hops", "noted"), [("", False), ("1", False), ("2", True), ("-1", True)])
def test_max_hops_that_brokers_may_not_read_is_noted(tmp_path: Path, hops: str, noted: bool) -> None:
    mesh = read(tmp_path, a_xml=federated("a", ("b",), hops=hops), b_xml=core("b"))

    assert any("ARTEMIS-3262" in each for each in remarks(mesh, "assumed")) is noted


def over_amqp(name: str, other: str, hops: str) -> str:
    most = f' max-hops="{hops}"' if hops else ""
    return core(
        name,
        f'<broker-connections><amqp-connection uri="tcp://{other}:61616" name="{other}"><federation>'
        f'<local-address-policy name="in"{most}><include address-match="#"/></local-address-policy>'
        "</federation></amqp-connection></broker-connections>",
    )


@pytest.mark.parametrize(("hops", "copied"), [("", None), ("0", None), ("-1", None), ("2", 1)])
def test_over_amqp_a_ring_needs_max_hops(tmp_path: Path, hops: str, copied: int | None) -> None:
    ring = (("a", "c"), ("b", "a"), ("c", "b"))
    texts = {f"{name}_xml": over_amqp(name, other, hops) for name, other in ring}

    mesh = read(tmp_path, **texts)

    assert at_brokers(mesh, "a", "x") == dict.fromkeys("abc", copied)


def test_a_ring_of_brokers_needs_one_hop_less_than_brokers(tmp_path: Path) -> None:
    ring = (("a", "c"), ("b", "a"), ("c", "b"))
    for hops, reached in (("1", {"a": 1, "b": 1}), ("2", {"a": 1, "b": 1, "c": 1})):
        texts = {f"{name}_xml": federated(name, (upstream,), hops=hops) for name, upstream in ring}

        assert at_brokers(read(tmp_path, **texts), "a", "x") == reached


def test_federation_over_amqp_does_not_reflect(tmp_path: Path) -> None:
    policies = (
        '<local-address-policy name="in"><include address-match="#"/></local-address-policy>'
        '<remote-address-policy name="out"><include address-match="#"/></remote-address-policy>'
    )
    inner = (
        '<broker-connections><amqp-connection uri="tcp://b:61616" name="b">'
        f"<federation>{policies}</federation></amqp-connection></broker-connections>"
    )
    mesh = read(tmp_path, a_xml=core("a", inner), b_xml=core("b"))

    assert at_brokers(mesh, "a", "x") == {"a": 1, "b": 1}
    assert at_brokers(mesh, "b", "x") == {"a": 1, "b": 1}


def test_members_of_a_cluster_learn_of_each_other() -> None:
    mesh = artemis.read(sample("artemis/cluster"))

    names = ("node-1", "node-2", "node-3")
    assert {(each.source, each.target) for each in mesh.links} == set(permutations(names, 2))
    assert {(each.accepts, each.refuses) for each in mesh.links} == {
        (patterns("shop.#"), patterns("shop.local.#"))
    }
    for origin in names:
        assert at_brokers(mesh, origin, "shop.till") == dict.fromkeys(names, 1)
    assert at_brokers(mesh, "node-1", "shop.local.x") == {"node-1": 1}


def chained(folder: Path, hops: str, **listed: str) -> Mesh:
    """Members that know only whom they list, each with its max-hops; empty stands for the default."""
    said = zip(listed.items(), hops.split(","), strict=True)
    texts = {
        f"{name}_xml": clustered(
            name, tuple(others), f"<max-hops>{most}</max-hops>" if most else "", only=True
        )
        for (name, others), most in said
    }
    return read(folder, **texts)


@pytest.mark.parametrize(
    ("hops", "reached"),
    [(",,", "ab"), ("2,2,2", "abc"), ("2,1,0", "abc"), ("2,0,0", "ab"), ("1,1,0", "ab"), ("1,0,0", "ab")],
)
def test_a_chain_reaches_as_far_as_all_on_the_way_know_queues(
    tmp_path: Path, hops: str, reached: str
) -> None:
    """Over k links those on the way must know of queues k, k - 1, ... 1 hops ahead."""
    mesh = chained(tmp_path, hops, a="b", b="c", c="")

    assert at_brokers(mesh, "a", "x") == dict.fromkeys(reached, 1)
    assert remarks(mesh, "not understood") == []


def test_in_both_directions_a_chain_reaches_the_same(tmp_path: Path) -> None:
    mesh = chained(tmp_path, "2,2,2", a="b", b="ac", c="b")

    for origin in "abc":
        assert at_brokers(mesh, origin, "x") == dict.fromkeys("abc", 1)
    assert remarks(mesh, "not understood") == []


@pytest.mark.parametrize(
    ("hops", "listed", "what"),
    [
        ("2,2,2,0", {"a": "bc", "b": "d", "c": "d", "d": ""}, "there are several ways from a to d: the one "
         "over which a queue was heard of first is taken, here all are"),
        ("1,2,2,1", {"a": "b", "b": "c", "c": "d", "d": ""}, "a > b > c is farther than max-hops lets some "
         "of them know, here it is not"),
    ],
)  # fmt: skip
def test_chains_that_links_cannot_say_are_not_understood(
    tmp_path: Path, hops: str, listed: dict[str, str], what: str
) -> None:
    assert what in remarks(chained(tmp_path, hops, **listed), "not understood")


def test_the_last_of_a_chain_needs_no_connector(tmp_path: Path) -> None:
    mesh = chained(tmp_path, ",", a="b", b="")

    assert remarks(mesh, "dangling") == []


@pytest.mark.parametrize(
    ("declared", "kind", "what"),
    [
        ("shop.eu", "assumed", "no address is called such as shopx, of which shop is the beginning, too"),
        ("shopping", "not understood", "shop is the beginning of shopping, too: here only of those below it"),
    ],
)
def test_the_address_of_a_cluster_is_the_beginning_of_others(
    tmp_path: Path, declared: str, kind: str, what: str
) -> None:
    a = clustered("a", ("b",), "<address>shop</address>")
    addresses = f'<addresses><address name="{declared}"/></addresses></core>'
    mesh = read(tmp_path, a_xml=a, b_xml=clustered("b", ("a",)).replace("</core>", addresses))

    assert what in remarks(mesh, kind)


def test_a_bridge_from_a_queue_that_nobody_declares_may_not_start(tmp_path: Path) -> None:
    """BridgeQueueNotFound, in ClusterManager.java: such a bridge is not deployed."""
    refs = "<static-connectors><connector-ref>b</connector-ref></static-connectors>"
    bridge = f'<bridges><bridge name="x"><queue-name>q</queue-name>{refs}</bridge></bridges>'
    mesh = read(tmp_path, a_xml=core("a", bridge, connectors=("b",)), b_xml=core("b"))

    what = "no address has the queue q of bridge x, which does not start without it"
    assert [each.effects for each in mesh.remarks if each.what == what] == [{"drops"}]


def test_queues_that_share_messages_in_a_cluster_are_not_understood(tmp_path: Path) -> None:
    def member(name: str, other: str, kind: str) -> str:
        queue = f'<{kind}><queue name="q"/></{kind}>'
        addresses = f'<addresses><address name="q">{queue}</address></addresses>'
        return clustered(name, (other,), "").replace("</core>", f"{addresses}</core>")

    shared = read(tmp_path, a_xml=member("a", "b", "anycast"), b_xml=member("b", "a", "anycast"))
    each = read(tmp_path, a_xml=member("a", "b", "multicast"), b_xml=member("b", "a", "multicast"))

    assert remarks(shared, "not understood") == [
        "a and b have the anycast queue q: each message goes to one of them, here each gets all"
    ]
    assert remarks(each, "not understood") == []


DISCOVERS = '<discovery-group-ref discovery-group-name="d"/>'
DISCOVERING = {
    "the cluster-connection of a": (
        f'<cluster-connections><cluster-connection name="c">{DISCOVERS}</cluster-connection>'
        "</cluster-connections>"
    ),
    "bridge b": f'<bridges><bridge name="b"><queue-name>q</queue-name>{DISCOVERS}</bridge></bridges>',
    "upstream u": (
        f'<federations><federation name="f"><upstream name="u">{DISCOVERS}<policy ref="p"/></upstream>'
        '<address-policy name="p"/></federation></federations>'
    ),
}
each_discovering = pytest.mark.parametrize(("whose", "inner"), DISCOVERING.items())


def in_group(inner: str, announces: str = "231.7.7.7") -> str:
    return (
        f'<broadcast-groups><broadcast-group name="g"><group-address>{announces}</group-address>'
        "</broadcast-group></broadcast-groups>"
        '<discovery-groups><discovery-group name="d"><group-address>231.7.7.7</group-address>'
        f"</discovery-group></discovery-groups>{inner}"
    )


def test_members_are_found_by_discovery(tmp_path: Path) -> None:
    groups = in_group(DISCOVERING["the cluster-connection of a"])
    mesh = read(tmp_path, a_xml=core("a", groups), b_xml=core("b", groups))

    assert {(each.source, each.target) for each in mesh.links} == {("a", "b"), ("b", "a")}


@pytest.mark.parametrize(("whose", "ends"), [("bridge b", ("a", "b")), ("upstream u", ("b", "a"))])
def test_bridges_and_streams_lead_to_who_is_discovered(
    tmp_path: Path, whose: str, ends: tuple[str, str]
) -> None:
    mesh = read(tmp_path, a_xml=core("a", in_group(DISCOVERING[whose])), b_xml=core("b", in_group("")))

    assert [(each.source, each.target) for each in mesh.links] == [ends]


@each_discovering
def test_that_nobody_is_discovered_is_noted_where_one_file_was_given(
    tmp_path: Path, whose: str, inner: str
) -> None:
    mesh = read(tmp_path, a_xml=core("a", in_group(inner)))

    assert remarks(mesh, "dangling") == []
    assert (
        f"{whose} discovers other brokers, and no file of another was given: it leads nowhere here"
        in remarks(mesh, "not read")
    )


@each_discovering
def test_a_group_in_which_nobody_announces_itself_dangles(tmp_path: Path, whose: str, inner: str) -> None:
    elsewhere = in_group("", announces="231.7.7.8")

    mesh = read(tmp_path, a_xml=core("a", in_group(inner)), b_xml=core("b", elsewhere))

    assert remarks(mesh, "dangling") == [
        f"{whose} discovers other brokers, and none whose file was given announces itself in its group"
    ]


@each_discovering
def test_a_group_that_is_not_there_dangles(tmp_path: Path, whose: str, inner: str) -> None:
    mesh = read(tmp_path, a_xml=core("a", inner))

    assert remarks(mesh, "dangling") == ["a has no discovery group d"], whose


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("<message-load-balancing>OFF</message-load-balancing>", "load balancing is OFF"),
        ("<max-hops>0</max-hops>", "max-hops is 0"),
    ],
)
def test_a_cluster_can_hand_on_nothing(tmp_path: Path, more: str, why: str) -> None:
    mesh = read(tmp_path, a_xml=clustered("a", ("b",), more), b_xml=clustered("b", ("a",), more))

    assert mesh.links == ()
    assert f"a hands on nothing in its cluster: {why}" in remarks(mesh, "note")


def test_two_bridges_that_feed_each_other_loop(tmp_path: Path) -> None:
    def bridge(to: str) -> str:
        return (
            f'<bridges><bridge name="b"><queue-name>q</queue-name><static-connectors><connector-ref>{to}'
            "</connector-ref></static-connectors></bridge></bridges>"
        )

    mesh = read(
        tmp_path,
        a_xml=core("a", bridge("b"), connectors=("b",)),
        b_xml=core("b", bridge("a"), connectors=("a",)),
    )

    assert at_brokers(mesh, "a", "q") == {"a": None, "b": None}


def test_bridges_from_one_queue_compete_for_its_messages(tmp_path: Path) -> None:
    bridges = "".join(
        f'<bridge name="{to}"><queue-name>q</queue-name><static-connectors>'
        f"<connector-ref>{to}</connector-ref>"
        "</static-connectors></bridge>"
        for to in "bc"
    )
    queue = '<addresses><address name="q"><anycast><queue name="q"/></anycast></address></addresses>'
    mesh = read(
        tmp_path,
        a_xml=core("a", f"{queue}<bridges>{bridges}</bridges>", connectors=("b", "c")),
        b_xml=core("b"),
        c_xml=core("c"),
    )

    assert [link.shares for link in mesh.links] == ["queue q", "queue q"]


def test_brokers_on_this_machine_are_joined_by_port(tmp_path: Path) -> None:
    text = federated("a", ("b",)).replace("tcp://b:61616", "tcp://localhost:61617")
    mesh = read(tmp_path, a_xml=text, b_xml=core("b", port=61617))

    assert [(each.source, each.target) for each in mesh.links] == [("b", "a")]


def test_a_broker_whose_file_is_missing_is_one_of_its_own(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_xml=federated("a", ("b",)))

    assert [broker.name for broker in mesh.brokers] == ["a", "b"]
    assert remarks(mesh, "not read") == [outside("b")]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (federated("a", ("b",)).replace('policy ref="p"', 'policy ref="q"'), "there is no policy q"),
        (federated("a", ("b",)).replace('connector name="b"', 'connector name="c"'), "a has no connector b"),
        (core("a", '<diverts><divert name="d"><address>x</address></divert></diverts>'), "divert d lacks"),
        (core("a", '<bridges><bridge name="b"/></bridges>'), "bridge b leads to no other broker"),
        (clustered("a", ()), "the cluster-connection of a leads to no other broker"),
    ],
)
def test_references_to_nothing_dangle(tmp_path: Path, text: str, what: str) -> None:
    mesh = read(tmp_path, a_xml=text)

    assert any(what in each for each in remarks(mesh, "dangling")), mesh.remarks


@pytest.mark.parametrize(
    ("inner", "what"),
    [
        ("<warp-drive/>", "warp-drive is not looked at"),
        (
            "<wildcard-addresses><delimiter>/</delimiter></wildcard-addresses>",
            "wildcards are written otherwise",
        ),
        (
            '<diverts><divert name="d"><address>x</address><forwarding-address>y</forwarding-address>'
            "<exclusive>true</exclusive></divert></diverts>",
            "divert d is exclusive",
        ),
        (
            '<broker-connections><amqp-connection uri="tcp://b:1" name="b"><mirror/></amqp-connection>'
            "</broker-connections>",
            "mirror of amqp-connection b is not looked at",
        ),
        ('<xi:include href="more.xml"/>', "more.xml is included"),
    ],
)
def test_what_is_not_understood_is_listed(tmp_path: Path, inner: str, what: str) -> None:
    mesh = read(tmp_path, a_xml=core("a", inner))

    assert any(what in each for each in remarks(mesh, "not understood")), mesh.remarks


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<configuration>\n<core>", 2, "not XML"),
        ("<!DOCTYPE x [<!ENTITY a 'aaaa'>]>\n<core>&a;</core>", 1, "document type"),
        ("<core>\n<acceptors><acceptor>tcp://h:99999</acceptor></acceptors></core>", 2, "is no port"),
        ("<configuration/>", 1, "has no core"),
        (
            federated("a", ("b",), hops="many").replace("<address-policy", "\n<address-policy"),
            2,
            "number of hops",
        ),
        ("<core>" + "<a>" * 100_000, 1, "more than"),
        ("", 1, "no element found"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(MeshError, match=what) as raised:
        read(tmp_path, a_xml=text)

    assert raised.value.place and raised.value.place.line == line


def test_nesting_is_bounded(tmp_path: Path) -> None:
    inner = "<a>" * (DEEPEST - 2) + "</a>" * (DEEPEST - 2)

    assert read(tmp_path, a_xml=f"<configuration><core>{inner}</core></configuration>").brokers


@pytest.mark.parametrize(
    ("name", "head", "whether"),
    [
        ("broker.xml", '<configuration xmlns="urn:activemq">', True),
        ("broker.xml", "<core>", True),
        ("pom.xml", "<project>", False),
        ("a.txt", "<core>", True),
        ("activemq.xml", "<beans><!-- <core> urn:activemq --></beans>", False),
    ],
)
def test_its_files_are_recognised(name: str, head: str, whether: bool) -> None:
    assert artemis.recognises(Path(name), head) is whether


@settings(max_examples=examples(120))
@given(
    damaged((EXAMPLES / "artemis/federation/eu.xml").read_text())
    | damaged((EXAMPLES / "artemis/cluster/node-1.xml").read_text())
    | st.text(max_size=60)
)
def test_any_text_is_a_mesh_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("artemis") / "a.xml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    outcome = read_or_refused(artemis.read, [path])

    assert isinstance(outcome, MeshError) or outcome.brokers


@pytest.mark.parametrize(
    "inner",
    [
        '<bridge name="x"/>',
        "<mirror/>",
        '<federation><something-new name="x"/></federation>',
    ],
)
def test_whatever_else_an_amqp_connection_has_is_not_understood(tmp_path: Path, inner: str) -> None:
    connection = (
        f'<broker-connections><amqp-connection uri="tcp://b:61616" name="b">{inner}</amqp-connection>'
    )
    mesh = read(tmp_path, a_xml=core("a", f"{connection}</broker-connections>"), b_xml=core("b"))

    (what,) = remarks(mesh, "not understood")
    assert what.endswith("amqp-connection b is not looked at")


def test_permissions_for_some_addresses_are_not_understood(tmp_path: Path) -> None:
    """Facts from apache/activemq-artemis: a setting for all addresses that names one role is what Artemis
    writes for a new broker (artemis-cli, commands/etc/broker.xml). The most specific match counts, and
    inherits nothing from the others (docs/user-manual/security.adoc, Role-based security for addresses).
    """
    roles = "".join(f'<permission type="{each}" roles="amq"/>' for each in ("send", "consume"))
    settings = (
        f'<security-settings><security-setting match="{{}}">{roles}</security-setting></security-settings>'
    )
    some = read(tmp_path, a_xml=core("a", settings.format("orders.#")))
    every = read(tmp_path, a_xml=core("a", settings.format("#")))

    assert remarks(some, "not understood") == [
        "security-setting orders.# can keep clients and links from its addresses"
    ]
    assert remarks(every, "not understood") == []
    assert remarks(every, "assumed") == ["clients and links have the roles that security-setting # asks for"]


def test_permissions_of_several_roles_are_not_understood(tmp_path: Path) -> None:
    """Who has any of the roles of a permission has that permission, and no other: who may consume may not
    send (docs/user-manual/security.adoc, Role-based security for addresses).
    """
    roles = '<permission type="send" roles="a"/><permission type="consume" roles="a, b"/>'
    setting = f'<security-setting match="#">{roles}</security-setting>'
    mesh = read(tmp_path, a_xml=core("a", f"<security-settings>{setting}</security-settings>"))

    assert remarks(mesh, "not understood") == [
        "security-setting # can keep clients and links from its addresses"
    ]


def test_that_addresses_never_fill_up_is_assumed(tmp_path: Path) -> None:
    """FAIL refuses what comes, so its sender knows; DROP, which is not understood (test_never_green.py),
    drops it silently (apache/activemq-artemis, docs/user-manual/address-settings.adoc and paging.adoc;
    artemis-server, PagingStoreImpl.java, addressFullMessagePolicy).
    """
    policy = "<address-full-policy>FAIL</address-full-policy>"
    settings = f'<address-settings><address-setting match="#">{policy}</address-setting></address-settings>'
    mesh = read(tmp_path, a_xml=core("a", settings))

    assert remarks(mesh, "assumed")[0].startswith("addresses never fill up: address-full-policy FAIL")


def test_members_that_know_all_beside_some_that_do_not_are_not_understood(tmp_path: Path) -> None:
    """`allow-direct-connections-only` is of the member that says it: nodes that its static connectors do not
    name are passed over when the topology tells of them (apache/activemq-artemis, artemis-server,
    ClusterConnectionImpl.java, nodeUP: allowableConnections; docs/user-manual/clusters.adoc, Specifying
    Members of a Cluster Explicitly). By default it is off (artemis-configuration.xsd).
    """
    mesh = read(tmp_path, a_xml=clustered("a", ("b",), only=True), b_xml=clustered("b", ("a",)))

    (what,) = remarks(mesh, "not understood")
    assert what.startswith("b has no allow-direct-connections-only, and a has")
