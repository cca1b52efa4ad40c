"""Qpid Dispatch and skupper-router: connections with costs, edge routers, services; and wrong files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.importers import dispatch
from angarium.mesh.importers.dispatch_syntax import read_entities
from angarium.mesh.mesh import (
    DROPS,
    EFFECTS,
    RENAMES,
    SHORTEST,
    Failures,
    Link,
    Mesh,
    Remark,
    without_standby,
)
from angarium.mesh.verify.verify import verify
from tests.effort import examples
from tests.mesh.importers.samples import EXAMPLES, damaged, outside, read_or_refused, remarks, sample, written


def router(name: str, mode: str = "interior") -> str:
    return f"router {{\n mode: {mode}\n id: {name}\n}}\n"


def block(kind: str, **attributes: object) -> str:
    lines = "".join(f"  {name}: {value}\n" for name, value in attributes.items())
    return f"{kind} {{\n{lines}}}\n"


def listener(port: int = 55672, **more: object) -> str:
    return block("listener", role="inter-router", host="0.0.0.0", port=port, **more)


def connector(host: str, port: int = 55672, role: str = "inter-router", **more: object) -> str:
    return block("connector", role=role, host=host, port=port, **more)


def read(folder: Path, **texts: str) -> Mesh:
    return dispatch.read(written(folder, **texts))


def costs(mesh: Mesh) -> dict[tuple[str, str], int]:
    return {(each.source, each.target): each.cost for each in mesh.links}


def test_the_sample_is_a_triangle_with_a_branch() -> None:
    mesh = dispatch.read(sample("dispatch"))

    assert [broker.name for broker in mesh.brokers] == ["A", "B", "C", "branch"]
    assert mesh.routing.kind == SHORTEST
    assert mesh.links[:2] == (
        Link("B > A", "B", "A", "B - A", 1, kind="dispatch", buffering="lost"),
        Link("A > B", "A", "B", "B - A", 1, kind="dispatch", buffering="lost"),
    )
    one_way = {("B", "A"): 1, ("C", "A"): 10, ("C", "B"): 1, ("branch", "A"): 1}
    assert costs(mesh) == one_way | {(target, source): cost for (source, target), cost in one_way.items()}


def test_services_are_publishers_and_subscribers_of_their_addresses() -> None:
    mesh = dispatch.read(sample("dispatch"))

    assert [(each.name, each.broker, each.topics[0].text) for each in mesh.publishers] == [
        ("C db", "C", "db:5432")
    ]
    assert [(each.name, each.broker, each.topics[0].text) for each in mesh.subscribers] == [
        ("branch db", "branch", "db:5432")
    ]


def test_distributions_and_hellos_are_noted() -> None:
    mesh = dispatch.read(sample("dispatch"))

    work, hello = remarks(mesh, "note")
    assert work.startswith("work is balanced: one subscriber gets each message")
    assert "takes a neighbour for lost after 3 s" in hello


@pytest.mark.parametrize(
    ("near", "far", "cost"), [(None, None, 1), (5, None, 5), (None, 7, 7), (5, 7, 7), (9, 7, 9)]
)
def test_a_connection_costs_what_its_more_expensive_end_says(
    tmp_path: Path, near: int | None, far: int | None, cost: int
) -> None:
    mesh = read(
        tmp_path,
        a_conf=router("a") + listener(**({"cost": far} if far else {})),
        b_conf=router("b") + connector("a", **({"cost": near} if near else {})),
    )

    assert set(costs(mesh).values()) == {cost}


def test_routers_on_this_machine_are_joined_by_port(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        a_conf=router("a") + listener(6001),
        b_conf=router("b") + listener(6002) + connector("127.0.0.1", 6001),
        c_conf=router("c") + connector("localhost", 6002),
    )

    assert set(costs(mesh)) == {("b", "a"), ("a", "b"), ("c", "b"), ("b", "c")}


def test_an_edge_router_hangs_on_its_first_connector(tmp_path: Path) -> None:
    edge = router("e", "edge") + connector("a", 45672, "edge") + connector("b", 45672, "edge")
    interior = listener() + block("listener", role="edge", port=45672)
    mesh = read(
        tmp_path, a_conf=router("a") + interior, b_conf=router("b") + interior + connector("a"), e_conf=edge
    )

    assert set(costs(without_standby(mesh))) == {("b", "a"), ("a", "b"), ("e", "a"), ("a", "e")}
    second = without_standby(mesh, Failures(cables=frozenset({"e - a"})))
    assert {("e", "b"), ("b", "e")} <= set(costs(second))
    assert [each.what for each in verify(mesh).failovers] == [
        "4 of 6 pairs of brokers have a path after failover",
        "2 of 2 pairs of brokers have a path after failover",
    ]


def test_a_router_whose_file_is_missing_is_one_of_its_own(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_conf=router("a") + connector("far.example"))

    assert [broker.name for broker in mesh.brokers] == ["a", "far.example"]
    assert remarks(mesh, "not read") == [outside("far.example")]


@pytest.mark.parametrize(
    ("one", "two", "what"),
    [
        (
            router("a"),
            router("b") + connector("a"),
            "is router a, which has no listener of the role inter-router",
        ),
        (router("a") + listener(), router("b", "edge") + connector("a"), "is of the mode edge"),
        (
            router("a") + listener(),
            router("b", "edge") + connector("a", role="edge"),
            "no listener of the role edge",
        ),
    ],
)
def test_connectors_to_nothing_dangle(tmp_path: Path, one: str, two: str, what: str) -> None:
    mesh = read(tmp_path, a_conf=one, b_conf=two)

    assert mesh.links == ()
    assert any(what in each for each in remarks(mesh, "dangling"))


def test_a_second_connection_of_the_same_routers_is_noted(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        a_conf=router("a") + listener() + connector("b"),
        b_conf=router("b") + listener() + connector("a"),
    )

    assert set(costs(mesh)) == {("a", "b"), ("b", "a")}
    assert remarks(mesh, "note") == ["b and a are connected twice: the first connection counts"]


def test_links_to_containers_are_clients(tmp_path: Path) -> None:
    links = block("autoLink", addr="q/in", direction="in") + block("autoLink", addr="q/out", direction="out")
    mesh = read(tmp_path, a_conf=router("a") + links)

    assert [each.topics[0].text for each in mesh.publishers] == ["q.in"]
    assert [each.topics[0].text for each in mesh.subscribers] == ["q.out"]


def test_what_is_not_looked_at_is_listed(tmp_path: Path) -> None:
    strange = block("linkRoute", prefix="q", direction="in") + block(
        "address", prefix="x", distribution="unavailable"
    )
    mesh = read(tmp_path, a_conf=router("a") + strange)

    assert remarks(mesh, "not understood") == [
        "linkRoute is not looked at",
        "x is unavailable, which is not looked at",
    ]


def test_a_hash_is_a_comment_but_not_in_patterns(tmp_path: Path) -> None:
    (path,) = written(tmp_path, a_conf="address {\n pattern: a/# # all\n distribution: multicast # each\n}\n")

    (entity,) = read_entities(path)

    assert (entity["pattern"], entity["distribution"]) == ("a/#", "multicast")


def test_values_in_braces_go_on_to_their_end(tmp_path: Path) -> None:
    text = 'listener {\n  properties: {\n "a": {"b": 1}\n }\n  port: 1\n}\n'
    (path,) = written(tmp_path, a_conf=text)

    (entity,) = read_entities(path)

    assert entity["port"] == "1"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("router {\n id: a\n", 1, "ends within this block"),
        ("router {\n id a\n}\n", 2, "is no attribute"),
        ("id: a\n", 1, "begins no block"),
        ("\n[\n [1]\n]", 3, "is no entity"),
        ('[["router", {}],\n ["x" 1]]', 2, "is not JSON"),
        ('[["router", {}]', 1, "is not closed"),
        (router("a", "flying"), 1, "is no mode"),
        (router("a") + connector("b", cost="cheap"), 5, "is no cost"),
        (router("a") + listener(99999), 5, "is no port"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(MeshError, match=what) as raised:
        read(tmp_path, a_conf=text)

    assert raised.value.place and raised.value.place.line == line


def test_a_file_without_a_router_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="has no router"):
        read(tmp_path, a_conf=listener())


def test_two_routers_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="are both of broker x"):
        read(tmp_path, a_conf=router("x"), b_conf=router("x"))


def test_deep_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError):
        read(tmp_path, a_json="[" * 200_000)


@pytest.mark.parametrize(
    ("name", "head", "whether"),
    [
        ("qdrouterd.conf", "# x\nrouter {\n", True),
        ("skrouterd.json", '[\n  [\n    "router", {', True),
        ("nats.conf", "cluster {\n", False),
        ("definitions.json", '{"queues": []}', False),
    ],
)
def test_its_files_are_recognised(name: str, head: str, whether: bool) -> None:
    assert dispatch.recognises(Path(name), head) is whether


@settings(max_examples=examples(120))
@given(
    damaged((EXAMPLES / "dispatch/c.conf").read_text())
    | damaged((EXAMPLES / "dispatch/skupper.json").read_text())
    | st.text(max_size=60)
)
def test_any_text_is_a_mesh_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("dispatch") / "a.conf"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    outcome = read_or_refused(dispatch.read, [path])

    assert isinstance(outcome, MeshError) or outcome.brokers


@pytest.mark.parametrize(
    ("addresses", "is_shared"),
    [
        ("", True),
        (block("address", prefix="news", distribution="balanced"), True),
        (block("address", prefix="news", distribution="multicast"), False),
        (block("address", pattern="news/*", distribution="multicast"), False),
        (
            block("address", prefix="news", distribution="multicast")
            + block("address", prefix="news/eu", distribution="closest"),
            True,
        ),
        (block("address", prefix="new", distribution="multicast"), True),
    ],
)
def test_subscribers_that_share_messages_are_not_understood(
    tmp_path: Path, addresses: str, is_shared: bool
) -> None:
    out = block("autoLink", addr="news/eu", direction="out")
    mesh = read(
        tmp_path,
        a_conf=router("A") + listener() + out + addresses,
        b_conf=router("B") + connector("A") + out,
    )

    told = (
        "A autoLink news/eu and B autoLink news/eu share news.eu: each message goes to one of them, here each"
    )
    assert [what.startswith(told) for what in remarks(mesh, "not understood")] == [True] * is_shared


# --- what may change what arrives -------------------------------------------------------------------


SERVICE = block("tcpListener", host="0.0.0.0", port=1, address="db")
OFFER = block("tcpConnector", host="x", port=1, address="db")


def left_open(folder: Path, there: str, here: str = "", connects: str = "") -> list[Remark]:
    """What two routers leave open, one of which connects to the other."""
    texts = {
        "a_conf": router("a") + (connects or connector("b")) + SERVICE + here,
        "b_conf": router("b") + OFFER + there,
    }
    return [each for each in read(folder, **texts).remarks if each.effects]


def test_two_plain_routers_leave_nothing_open(tmp_path: Path) -> None:
    assert left_open(tmp_path, listener()) == []


@pytest.mark.parametrize(
    ("said", "told", "effects"),
    [
        (block("policy", enableVhostPolicy="true"), "rules of virtual hosts of b", {DROPS}),
        (block("address", prefix="db", waypoint="yes"), "address of b: its waypoint", EFFECTS),
        (block("address", prefix="db", enableFallback="yes"), "address of b: its enableFallback", EFFECTS),
        (block("autoLink", address="db", direction="in", phase=1), "autoLink of b: its phase", EFFECTS),
        (block("listener", port=5, multiTenant="yes"), "listener of b: its multiTenant", {DROPS, RENAMES}),
        (block("listener", port=5, unheardOf="x"), "listener of b: its unheardOf", EFFECTS),
    ],
)
def test_what_may_drop_or_reroute_is_told(
    tmp_path: Path, said: str, told: str, effects: frozenset[str]
) -> None:
    """Facts from apache/qpid-dispatch, branch 1.19.x, python/qpid_dispatch/management/qdrouter.json.

    Vhost policies deny connections, sources and targets only if `enableVhostPolicy` is on, which it is not by
    default (docs/books/modules/user-guide/enabling-vhost-policies.adoc). A `waypoint` has its own phases, so
    messages go through a broker first (how-router-enables-brokered-messaging.adoc), as with the `phase` of an
    autoLink. With `enableFallback`, what no consumer gets goes to a fallback destination instead of being
    released (handling-undeliverable-messages-for-address.adoc). `multiTenant` puts the host that a client
    names before its addresses. skupper-router's skrouter.json has no waypoints,
    fallbacks and phases any more.
    """
    (remark,) = left_open(tmp_path, listener() + said)

    assert remark.what.startswith(told)
    assert remark.effects == effects


def test_addresses_that_are_not_listed_may_be_unavailable(tmp_path: Path) -> None:
    """apache/qpid-dispatch, branch 1.19.x: links to such addresses are detached, "Node not found"
    (src/router_core/modules/address_lookup_client/address_lookup_client.c), and messages of anonymous senders
    are rejected, those that come over other routers released (src/router_core/transfer.c,
    QD_TREATMENT_UNAVAILABLE).
    """
    text = router("b").replace("id: b", "id: b\n defaultDistribution: unavailable")
    mesh = read(tmp_path, b_conf=text + OFFER)

    (remark,) = [each for each in mesh.remarks if each.effects]
    assert "addresses that no address lists are unavailable" in remark.what


def test_a_default_distribution_of_multicast_shares_nothing(tmp_path: Path) -> None:
    """Of what no address says otherwise; and not said, it is `balanced` (qdrouter.json of qpid-dispatch,
    skrouter.json and src/dispatch.c of skupper-router: default_treatment).
    """

    def remarks_of(distribution: str) -> list[Remark]:
        own = router("b").replace("id: b", f"id: b\n defaultDistribution: {distribution}")
        mesh = read(tmp_path, b_conf=own + OFFER + OFFER)
        return [each for each in mesh.remarks if "share db" in each.what]

    assert len(remarks_of("balanced")) == 1
    assert remarks_of("multicast") == []


@pytest.mark.parametrize(
    ("listens", "connects", "why"),
    [
        (listener(55673), connector("b"), "it listens at 55673, and not at 55672"),
        (
            block("listener", role="inter-router", host="127.0.0.1", port=55672),
            connector("b"),
            "its own machine",
        ),
        (listener(authenticatePeer="yes"), connector("b"), "it says no user, and has no certificate"),
        (
            listener(authenticatePeer="yes", saslMechanisms="PLAIN ANONYMOUS"),
            connector("b"),
            "it says no user, and has no certificate",
        ),
        (listener(authenticatePeer="yes"), connector("b", saslUsername="u@b"), ""),
        (listener(sslProfile="t", requireSsl="yes"), connector("b"), "wants TLS"),
        (listener(), connector("b", sslProfile="t"), "has no TLS"),
        (listener(sslProfile="t"), connector("b"), ""),
        (listener(sslProfile="t", requireEncryption="yes"), connector("b"), "wants TLS"),
        (listener(requireEncryption="yes"), connector("b"), "it is not encrypted"),
        (listener(requireSsl="yes"), connector("b"), "it is not encrypted"),
        (listener(sslProfile="t", requireSsl="yes"), connector("b", sslProfile="t"), ""),
        (
            listener(sslProfile="t", authenticatePeer="yes"),
            block("sslProfile", name="t", caCertFile="ca.pem") + connector("b", sslProfile="t"),
            "it says no user, and has no certificate",
        ),
        (
            listener(sslProfile="t", authenticatePeer="yes"),
            block("sslProfile", name="t", certFile="a.pem") + connector("b", sslProfile="t"),
            "",
        ),
    ],
)
def test_a_router_may_refuse_a_connector(tmp_path: Path, listens: str, connects: str, why: str) -> None:
    """What a listener requires: `authenticatePeer`, and `requireEncryption || requireSsl`. One with an
    sslProfile and without requireSsl takes plain connections, too (apache/qpid-dispatch, branch 1.19.x,
    src/connection_manager.c and src/server.c; the same in skupper-router, src/adaptors/amqp/server_config.c
    and qd_connection.c). Who is ANONYMOUS counts as not authenticated, whatever saslMechanisms allows
    (apache/qpid-proton, c/include/proton/transport.h, pn_transport_require_auth; c/src/sasl/cyrus_sasl.c,
    SASL_SEC_NOANONYMOUS), and is closed with a policy-error, as is who is not encrypted
    (c/src/core/transport.c).
    """
    told = left_open(tmp_path, listens, "", connects)

    assert len(told) == bool(why)
    assert all(why in each.what and each.effects == {DROPS} for each in told)
