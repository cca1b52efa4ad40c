"""ActiveMQ Classic: who gets messages for topics over network connectors, and what is not understood.

The facts are those of the broker's source, at the places that the tests name, in
the folders activemq-broker/src/main/java/org/apache/activemq/network and
activemq-client/src/main/java/org/apache/activemq.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.files.find import form_of
from angarium.mesh.importers import activemq, artemis
from angarium.mesh.importers.activemq_uri import Address, Leads, Way, leads
from angarium.mesh.mesh import COPIES, DROPS, EFFECTS, Mesh
from tests.effort import examples
from tests.mesh.importers.samples import (
    EXAMPLES,
    at_brokers,
    damaged,
    outside,
    read_or_refused,
    remarks,
    sample,
    written,
)


def broker(name: str, connectors: str = "", more: str = "", beside: str = "") -> str:
    return (
        '<beans xmlns="http://www.springframework.org/schema/beans">'
        f'<broker xmlns="http://activemq.apache.org/schema/core" brokerName="{name}">'
        f"<networkConnectors>{connectors}</networkConnectors>{more}<transportConnectors>"
        '<transportConnector name="openwire" uri="tcp://0.0.0.0:61616?maximumConnections=1000"/>'
        f"</transportConnectors></broker>{beside}</beans>"
    )


def to(*others: str, words: str = "", lists: str = "", name: str = "") -> str:
    uri = f"static:({','.join(f'tcp://{each}:61616' for each in others)})"
    return f'<networkConnector name="{name or others[0]}" uri="{uri}" {words}>{lists}</networkConnector>'


def including(*topics: str, kind: str = "dynamicallyIncluded") -> str:
    found = "".join(f'<topic physicalName="{each.replace(">", "&gt;")}"/>' for each in topics)
    return f"<{kind}Destinations>{found}</{kind}Destinations>"


def read(folder: Path, **texts: str) -> Mesh:
    return activemq.read(written(folder, **{f"{name}_xml": text for name, text in texts.items()}))


def left_open(mesh: Mesh) -> dict[str, frozenset[str]]:
    return {remark.what: remark.effects for remark in mesh.remarks if remark.leaves_open}


def test_the_sample_hands_orders_from_one_end_to_the_other() -> None:
    mesh = activemq.read(sample("activemq"))

    assert at_brokers(mesh, "north", "orders.new") == {"north": 1, "hub": 1, "south": 1}
    assert at_brokers(mesh, "north", "alarms") == {"north": 1, "hub": 1}
    assert at_brokers(mesh, "hub", "other") == {"hub": 1}
    assert left_open(mesh) == {}


def test_a_message_makes_one_hop_if_nothing_is_said(tmp_path: Path) -> None:
    """NetworkBridgeConfiguration.java: networkTTL is 1; NetworkBridgeFilter.java: hops >= messageTTL."""
    chain = {"a": broker("a", to("b")), "b": broker("b", to("c")), "c": broker("c")}

    assert at_brokers(read(tmp_path, **chain), "a", "t") == {"a": 1, "b": 1}


@pytest.mark.parametrize("ttl", ["2", "-1"])
def test_a_message_goes_as_far_as_its_ttl_and_never_back_to_where_it_was(tmp_path: Path, ttl: str) -> None:
    """NetworkBridgeFilter.java: not to a broker in the message's path, and any way if messageTTL is -1."""
    words = f'networkTTL="{ttl}" duplex="true"'
    mesh = read(
        tmp_path, a=broker("a", to("b", words=words)), b=broker("b", to("c", words=words)), c=broker("c")
    )

    assert at_brokers(mesh, "a", "t") == at_brokers(mesh, "c", "t") == {"a": 1, "b": 1, "c": 1}
    assert left_open(mesh) == {}


def test_each_address_of_static_is_a_connection(tmp_path: Path) -> None:
    """SimpleDiscoveryAgent.java: one event for each service."""
    mesh = read(tmp_path, a=broker("a", to("b", "c")), b=broker("b"), c=broker("c"))

    assert at_brokers(mesh, "a", "t") == {"a": 1, "b": 1, "c": 1}
    assert mesh.cables == ("a b to b", "a b to c")


def test_masterslave_is_one_connection_that_fails_over(tmp_path: Path) -> None:
    """MasterSlaveDiscoveryAgent.java: one service, failover:(…)?randomize=false&maxReconnectAttempts=0."""
    connector = '<networkConnector uri="masterslave:(tcp://b:61616,tcp://c:61616)"/>'
    mesh = read(tmp_path, a=broker("a", connector), b=broker("b"), c=broker("c"))

    assert at_brokers(mesh, "a", "t") == {"a": 1, "b": 1}
    assert [(each.target, each.rank, each.failover) for each in mesh.links] == [
        ("b", 0, "a NC"),
        ("c", 1, "a NC"),
    ]
    assert left_open(mesh) == {}


def test_a_failover_in_any_order_may_be_connected_to_any(tmp_path: Path) -> None:
    connector = '<networkConnector uri="static:(failover:(tcp://b:61616,tcp://c:61616))"/>'
    mesh = read(tmp_path, a=broker("a", connector), b=broker("b"), c=broker("c"))

    assert left_open(mesh) == {"networkConnector NC of a may be connected to any of b, c": EFFECTS}


def test_what_is_excluded_never_crosses_and_what_is_included_does(tmp_path: Path) -> None:
    """DemandForwardingBridgeSupport.java, isPermissableDestination: excluded, static, dynamic."""
    lists = (
        including("a.>")
        + including("s", kind="staticallyIncluded")
        + including("a.secret.*", kind="excluded")
    )
    mesh = read(tmp_path, a=broker("a", to("b", lists=lists)), b=broker("b"))

    crossing = {topic: "b" in at_brokers(mesh, "a", topic) for topic in ("a.x.y", "a.secret.x", "s", "z")}
    assert crossing == {"a.x.y": True, "a.secret.x": False, "s": True, "z": False}


def test_what_is_included_statically_alone_keeps_nothing_back(tmp_path: Path) -> None:
    mesh = read(
        tmp_path, a=broker("a", to("b", lists=including("s", kind="staticallyIncluded"))), b=broker("b")
    )

    assert at_brokers(mesh, "a", "z") == {"a": 1, "b": 1}


def test_a_descendant_mark_fits_the_topic_above_it(tmp_path: Path) -> None:
    """filter/PrefixDestinationFilter.java: A matches A.>, and A.*.> does not match A."""
    mesh = read(tmp_path, a=broker("a", to("b", lists=including("x.>", "y.*"))), b=broker("b"))

    crossing = {topic: "b" in at_brokers(mesh, "a", topic) for topic in ("x", "x.a.b", "y", "y.a", "y.a.b")}
    assert crossing == {"x": True, "x.a.b": True, "y": False, "y.a": True, "y.a.b": False}


@pytest.mark.parametrize("name", ["a,b", "a.#", "a.>.b", "topic://a", "a.*.>", "${topic}", "a..b", ""])
def test_a_list_of_names_that_are_not_understood_lets_nothing_through_unseen(
    tmp_path: Path, name: str
) -> None:
    mesh = read(tmp_path, a=broker("a", to("b", lists=including(name))), b=broker("b"))

    assert mesh.links == ()
    assert set(left_open(mesh).values()) == {EFFECTS}


def test_a_list_of_queues_alone_is_no_list_of_all_topics(tmp_path: Path) -> None:
    lists = "<dynamicallyIncludedDestinations><queue physicalName='q'/></dynamicallyIncludedDestinations>"
    mesh = read(tmp_path, a=broker("a", to("b", lists=lists)), b=broker("b"))

    assert mesh.links == ()
    assert [what.partition(":")[0] for what in left_open(mesh)] == ["queue q of networkConnector b of a"]


def test_two_ways_may_be_one_too_many(tmp_path: Path) -> None:
    """DemandForwardingBridgeSupport.java, duplicateSuppressionIsRequired: one of them may be closed."""
    words = 'networkTTL="2" duplex="true"'
    ring = {one: broker(one, to(other, words=words)) for one, other in ("ab", "bc", "ca")}
    mesh = read(tmp_path, **ring)

    (effects,) = left_open(mesh).values()
    assert effects == frozenset((COPIES, DROPS))
    assert left_open(read(tmp_path, **{key: text.replace("2", "1") for key, text in ring.items()})) == {}


def test_messages_may_go_farther_than_wishes_are_heard(tmp_path: Path) -> None:
    """DemandForwardingBridgeSupport.java, serviceRemoteConsumerAdvisory: path.length >= consumerTTL."""
    words = 'messageTTL="3" duplex="true"'
    mesh = read(tmp_path, a=broker("a", to("b", words=words)), b=broker("b", to("c", words=words)))

    assert {effects for what, effects in left_open(mesh).items() if "consumerTTL" in what} == {
        frozenset((DROPS,))
    }


@pytest.mark.parametrize(
    ("connectors", "more", "beside"),
    [
        (to("b", words='conduitSubscriptions="false"'), "", ""),
        (to("b", words='staticBridge="true"'), "", ""),
        (to("b", words='duplex="true"', lists=including("x", kind="excluded")), "", ""),
        (to("b", words='networkTTL="2" messageTTL="3"'), "", ""),
        (to("b") + to("b"), "", ""),
        (to("b").replace("tcp://b:61616", "${other}"), "", ""),
        (to("b"), "<destinationInterceptors/>", ""),
        (to("b"), "<plugins><authorizationPlugin/></plugins>", ""),
        (to("b"), "<plugins><bean class='x'/></plugins>", ""),
        (to("b"), "<jmsBridgeConnectors/>", ""),
        (to("b"), "<destinations><queue physicalName='q'/></destinations>", ""),
        (to("b"), "", "<camelContext/>"),
        (to("b"), "", "<import resource='camel.xml'/>"),
    ],
)
def test_what_is_not_modelled_leaves_something_open(
    tmp_path: Path, connectors: str, more: str, beside: str
) -> None:
    assert left_open(read(tmp_path, a=broker("a", connectors, more, beside), b=broker("b")))


def test_a_usual_file_leaves_nothing_open_but_who_is_outside(tmp_path: Path) -> None:
    more = (
        "<destinationPolicy><policyMap><policyEntries><policyEntry topic='&gt;'><pendingMessageLimitStrategy>"
        "<constantPendingMessageLimitStrategy limit='1000'/></pendingMessageLimitStrategy></policyEntry>"
        "</policyEntries></policyMap></destinationPolicy><persistenceAdapter/><systemUsage/><shutdownHooks/>"
    )
    mesh = read(tmp_path, a=broker("localhost", to("far"), more, "<import resource='jetty.xml'/>"))

    assert [each.name for each in mesh.brokers] == ["a", "far"]
    assert list(left_open(mesh)) == [outside("far")]
    assert any("keep up" in each for each in remarks(mesh, "assumed"))


def test_brokers_of_a_multicast_group_find_each_other(tmp_path: Path) -> None:
    connector = '<networkConnector uri="multicast://default"/>'
    told = 'uri="tcp://0.0.0.0:61616?maximumConnections=1000"'
    found = {
        name: broker(name, connector).replace(told, f'{told} discoveryUri="multicast://default"')
        for name in "abc"
    }

    assert at_brokers(read(tmp_path, **found), "a", "t") == {"a": 1, "b": 1, "c": 1}
    assert left_open(read(tmp_path, a=found["a"]))


def test_uris_say_where_connections_lead() -> None:
    a, b, b_by_tls = Address("a", 1, False), Address("b", 2, False), Address("b", 61616, True)
    assert leads("static:(tcp://a:1,ssl://b)?x=y") == Leads((Way((a,)), Way((b_by_tls,))))
    assert leads("static:tcp://u:p@a:1?z=1") == leads("static:(tcp://a:1)") == Leads((Way((a,)),))
    assert leads("static:(failover:(tcp://a:1,tcp://b:2))") == Leads((Way((a, b), in_order=False),))
    said = "static:(failover:(tcp://a:1,tcp://b:2)?randomize=false&maxReconnectAttempts=0)"
    assert leads(said) == leads("masterslave:(tcp://a:1,tcp://b:2)") == Leads((Way((a, b)),))
    for strange in ("", "http://x/", "static:(vm://a)", "static:(tcp://a:1", "static:(tcp://a:99999)"):
        assert leads(strange) == Leads(), strange


def test_a_file_of_classic_is_none_of_artemis() -> None:
    for path in sample("activemq"):
        assert form_of(path) == "activemq"
        assert not artemis.recognises(path, path.read_text())
    assert form_of(EXAMPLES / "artemis/federation/us.xml") == "artemis"


def test_a_ttl_that_is_none_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="'two' is no networkTTL") as caught:
        read(tmp_path, a=broker("a", to("b", words='networkTTL="two"')))

    assert caught.value.place is not None and caught.value.place.line == 1


@settings(max_examples=examples(60))
@given(st.data())
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = data.draw(damaged((EXAMPLES / "activemq/hub.xml").read_text()))
    (path,) = written(tmp_path_factory.mktemp("damaged"), hub_xml=text)

    assert isinstance(read_or_refused(activemq.read, [path]), Mesh | MeshError)
