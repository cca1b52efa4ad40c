"""Mosquitto's configuration, read and followed."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.importers import mosquitto
from angarium.mesh.importers.common import ByHand
from angarium.mesh.importers.mosquitto_bridges import shared
from angarium.mesh.mesh import EFFECTS, Failures, Link, Mesh, Pattern, Rename
from angarium.mesh.topics.dialects import matcher, topic_of
from tests.effort import examples
from tests.mesh.importers.predict import at_brokers
from tests.mesh.importers.samples import damaged, outside, read_or_refused, remarks, sample


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, **texts: str) -> Mesh:
    """The mesh of brokers, each called as its file."""
    return mosquitto.read([written(folder, f"{name}.conf", text) for name, text in texts.items()])


def bridge(*lines: str, to: str = "hub", name: str = "up") -> str:
    return "\n".join((f"connection {name}", f"address {to}", *lines, ""))


def links(folder: Path, *lines: str) -> tuple[Link, ...]:
    return read(folder, edge=bridge(*lines), hub="listener 1883\n").links


def loops(mesh: Mesh, origin: str, topic: str) -> bool:
    return bool(Forwarding(mesh).spread(origin, topic_of(topic, "mqtt")).loops)


# Topic lines


def test_a_topic_goes_out_by_default_and_may_be_lost(tmp_path: Path) -> None:
    (link,) = links(tmp_path, "topic sensors/#")

    assert (link.source, link.target, link.cable) == ("edge", "hub", "up@edge")
    assert link.accepts == (Pattern("sensors/#", "mqtt"),)
    assert (link.rename, link.buffering, link.connection) == (None, "lost", "up@edge")


def test_in_goes_the_other_way_and_both_is_two_links_of_one_connection(tmp_path: Path) -> None:
    out, back = links(tmp_path, "topic a/# both 1")

    assert (out.source, out.target) == (back.target, back.source) == ("edge", "hub")
    assert (out.connection, out.fails_as) == (back.connection, back.fails_as)


def test_prefixes_are_exchanged(tmp_path: Path) -> None:
    out, back = links(tmp_path, 'topic temp/# out 1 "" site1/', "topic commands/# in 1 here/ site1/")

    assert (out.accepts[0].text, out.rename) == ("temp/#", Rename("", "site1/"))
    assert (back.accepts[0].text, back.rename) == ("site1/commands/#", Rename("site1/", "here/"))


def test_an_empty_pattern_renames_one_topic(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=bridge('topic "" both 0 a/b c/d'), hub="")

    assert at_brokers(mesh, "edge", "a/b") == {"edge": {"a/b": 1}, "hub": {"c/d": 1}}
    assert at_brokers(mesh, "hub", "c/d") == {"edge": {"a/b": 1}, "hub": {"c/d": 1}}


@pytest.mark.parametrize(
    ("lines", "topic", "arrives"),
    [
        (("topic x/# out 1", "topic x/+ out 1"), "x/y", {"x/y": 1}),
        (("topic x/# out 1", 'topic x/+ out 1 "" r/'), "x/y", {"r/x/y": 1}),
        (("topic x/# out 1", 'topic x/+ out 1 "" r/'), "x/y/z", {"x/y/z": 1}),
        (('topic x/# out 1 "" r/', 'topic x/# out 1 "" s/'), "x/y", {"r/x/y": 1}),
        (("topic x/# out 1", "topic x/+ in 1"), "x/y", {"x/y": 1}),
    ],
)
def test_a_message_that_several_lines_fit_crosses_once_by_the_first_prefix(
    tmp_path: Path, lines: tuple[str, ...], topic: str, arrives: dict[str, int]
) -> None:
    mesh = read(tmp_path, edge=bridge(*lines), hub="")

    assert at_brokers(mesh, "edge", topic)["hub"] == arrives


def test_duplicates_that_are_allowed_come(tmp_path: Path) -> None:
    lines = "topic x/# out 1", "topic x/+ out 1", "topic +/y out 1"
    mesh = read(tmp_path, edge="allow_duplicate_messages true\n" + bridge(*lines), hub="")

    assert at_brokers(mesh, "edge", "x/y")["hub"] == {"x/y": 3}


@pytest.mark.parametrize(("direction", "origin", "end"), [("out", "edge", "hub"), ("in", "hub", "edge")])
def test_by_mqtt_5_a_message_crosses_for_every_line_and_is_named_by_the_first_prefix(
    tmp_path: Path, direction: str, origin: str, end: str
) -> None:
    """Measured with 2.0.11."""
    out = direction == "out"
    first, second = ('"" first/', '"" second/') if out else ('first/ ""', 'second/ ""')
    lines = [
        f"topic o/# {direction} 1",
        f"topic o/+ {direction} 1 {first}",
        f"topic +/b {direction} 1 {second}",
    ]
    mesh = read(tmp_path, edge=bridge("bridge_protocol_version mqttv50", *lines), hub="")

    assert at_brokers(mesh, origin, "o/a")[end] == {"first/o/a": 2}
    assert at_brokers(mesh, origin, "o/b")[end] == {"first/o/b": 3}
    assert at_brokers(mesh, origin, "x/b")[end] == {"second/x/b": 1}
    assert at_brokers(mesh, origin, "o/a/c")[end] == {"o/a/c": 1}


@pytest.mark.parametrize(
    ("line", "prefix"),
    [
        ('topic # out # "" B/', ""),
        ('topic # out 1 # "" B/', ""),
        ('topic # out 1 "" # B/', ""),
        ('topic # out 1 "" B/ # c', "B/"),
    ],
)
def test_a_comment_may_begin_behind_the_direction_of_a_topic(tmp_path: Path, line: str, prefix: str) -> None:
    """Measured with 2.0.11."""
    mesh = read(tmp_path, edge=bridge(line), hub="")

    assert at_brokers(mesh, "edge", "x")["hub"] == {f"{prefix}x": 1}


@pytest.mark.parametrize(
    ("lines", "comes"),
    [
        (("topic # in", "topic # out"), False),
        (("topic # out", "topic # in"), True),
        (("topic # both",), True),
        (("topic # in", "topic a out"), True),
        (("bridge_attempt_unsubscribe false", "topic # in", "topic # out"), True),
        (("topic a in 0 x/ y/", 'topic a out 0 "" y/'), False),
    ],
)
def test_a_line_that_goes_out_unsubscribes_what_the_same_filter_brought_in(
    tmp_path: Path, lines: tuple[str, ...], comes: bool
) -> None:
    """Measured with 2.0.11."""
    mesh = read(tmp_path, edge=bridge(*lines), hub="")

    got = at_brokers(mesh, "hub", "y/a" if "y/" in lines[0] else "b")["edge"]
    assert bool(got) is comes
    assert bool(remarks(mesh, "dangling")) is not comes


FILTERS = st.lists(st.sampled_from(["a", "b", "+"]), min_size=1, max_size=3).flatmap(
    lambda levels: st.sampled_from(["/".join(levels), "/".join([*levels, "#"])])
)
TOPICS = ["/".join(levels) for length in (1, 2, 3, 4) for levels in product("ab", repeat=length)]


@given(FILTERS, FILTERS)
@settings(max_examples=examples(200))
def test_filters_overlap_if_some_topic_fits_both(one: str, other: str) -> None:
    first, second = (matcher((Pattern(text, "mqtt"),)) for text in (one, other))

    both = [topic for topic in TOPICS if first(topic_of(topic, "mqtt")) and second(topic_of(topic, "mqtt"))]

    assert (shared(one, other) is not None) == bool(both)


# What is kept


@pytest.mark.parametrize(
    ("edge", "hub", "lines", "out", "back"),
    [
        ("", "", ("topic a both 1",), "kept", "kept"),
        ("", "", ("topic a both 0",), "lost", "lost"),
        ("queue_qos0_messages true\n", "", ("topic a both 0",), "kept", "lost"),
        ("", "queue_qos0_messages true\n", ("topic a both 0",), "lost", "kept"),
        ("", "", ("cleansession true", "topic a both 1"), "lost", "lost"),
        ("", "", ("cleansession true", "local_cleansession false", "topic a both 2"), "kept", "lost"),
    ],
)
def test_the_sending_broker_keeps_what_it_keeps_for_any_client(
    tmp_path: Path, edge: str, hub: str, lines: tuple[str, ...], out: str, back: str
) -> None:
    mesh = read(tmp_path, edge=edge + bridge(*lines), hub=hub)

    assert [link.buffering for link in mesh.links] == [out, back]


# Loops


def test_a_pair_does_not_loop_but_echoes_without_try_private(tmp_path: Path) -> None:
    private = read(tmp_path, edge=bridge("topic # both 1"), hub="")
    public = read(tmp_path, edge=bridge("try_private false", "topic # both 1"), hub="")
    five = read(
        tmp_path,
        edge=bridge("try_private false", "bridge_protocol_version mqttv50", "topic # both 1"),
        hub="",
    )

    assert at_brokers(private, "edge", "a") == {"edge": {"a": 1}, "hub": {"a": 1}}
    assert at_brokers(public, "edge", "a") == {"edge": {"a": 2}, "hub": {"a": 1}}
    assert at_brokers(public, "hub", "a") == {"edge": {"a": 1}, "hub": {"a": 1}}
    assert at_brokers(five, "edge", "a") == {"edge": {"a": 1}, "hub": {"a": 1}}


def test_three_brokers_in_a_ring_loop_and_a_star_does_not(tmp_path: Path) -> None:
    ring = read(
        tmp_path, **{a: bridge("topic # both 1", to=b) for a, b in (("a", "b"), ("b", "c"), ("c", "a"))}
    )
    star = read(tmp_path, hub="", **{leaf: bridge("topic # both 1") for leaf in "abc"})

    assert loops(ring, "a", "x")
    assert not loops(star, "a", "x")
    assert at_brokers(star, "a", "x") == {name: {"x": 1} for name in ("hub", "a", "b", "c")}


def test_two_bridges_between_the_same_brokers_loop(tmp_path: Path) -> None:
    one_end = bridge("topic # both 1", name="first") + bridge("topic # both 1", name="second")

    assert loops(read(tmp_path, edge=one_end, hub=""), "edge", "x")
    assert loops(
        read(tmp_path, edge=bridge("topic # both 1"), hub=bridge("topic # both 1", to="edge")), "edge", "x"
    )


# Who is meant


@pytest.mark.parametrize(
    ("address", "hub"),
    [
        ("hub", ""),
        ("HUB.example:8883", "listener 1884\n"),
        ("127.0.0.1:1884", "listener 1884\n"),
        ("localhost", "port 1883\n"),
        ("10.0.0.7:1884", "listener 1884 10.0.0.7\n"),
        ("[::1]:1884", "listener 1884\n"),
    ],
)
def test_an_address_joins_a_broker_by_name_or_port(tmp_path: Path, address: str, hub: str) -> None:
    mesh = read(tmp_path, edge="listener 1900\n" + bridge("topic a", to=address), hub=hub)

    assert [broker.name for broker in mesh.brokers] == ["edge", "hub"]
    assert mesh.links[0].target == "hub"


def test_an_address_of_nobody_is_a_broker_outside(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=bridge("topic a", to="test.mosquitto.org"))

    assert mesh.links[0].target == "test.mosquitto.org"
    assert remarks(mesh, "not read") == [outside("test.mosquitto.org")]


@pytest.mark.parametrize(
    "address",
    ["a08something.s1.eu.hivemq.cloud:8883", "hivemq.example", "hivemq1:1883", "pc.hivemq.cz", "10.0.0.1"],
)
def test_a_bridge_does_not_lead_back_to_its_own_broker(tmp_path: Path, address: str) -> None:
    mesh = read(tmp_path, hivemq=bridge("topic homeassistant/# both 1", to=address))

    host = address.partition(":")[0]
    assert [broker.name for broker in mesh.brokers] == ["hivemq", host]
    assert {(link.source, link.target) for link in mesh.links} == {("hivemq", host), (host, "hivemq")}
    assert remarks(mesh, "not read") == [outside(host)]


def test_a_host_that_is_called_as_the_file_is_a_broker_outside_with_a_name_of_its_own(tmp_path: Path) -> None:
    mesh = read(tmp_path, hivemq=bridge("topic a", to="hivemq:1883"))

    assert [broker.name for broker in mesh.brokers] == ["hivemq", "hivemq (outside)"]
    assert mesh.links[0].target == "hivemq (outside)"


def test_a_bridge_to_its_own_port_of_this_machine_leads_to_itself_and_is_remarked(tmp_path: Path) -> None:
    edge = "listener 1884\n" + bridge("topic a", to="127.0.0.1:1884")

    mesh = read(tmp_path, edge=edge, other="listener 1884\n")

    assert (mesh.links[0].source, mesh.links[0].target) == ("edge", "edge")
    assert remarks(mesh, "note") == ["connection up of edge leads to 127.0.0.1:1884: that is edge itself"]


def test_a_join_by_a_part_of_the_host_is_remarked_once_for_a_host(tmp_path: Path) -> None:
    leaves = {name: bridge("topic a", to="hub.example") for name in ("a", "b")}

    mesh = read(tmp_path, hub="", **leaves)

    assert {link.target for link in mesh.links} == {"hub"}
    assert remarks(mesh, "assumed") == ["host hub.example is taken to be of hub"]


def test_words_behind_an_address_that_begin_a_comment_are_no_addresses(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=bridge("topic a", to="far.example:1883 # the hub"), hub="")

    assert mesh.links[0].target == "far.example"
    assert remarks(mesh, "not understood") == ["# the hub behind the address of connection up of edge"]


def test_the_second_address_of_a_bridge_takes_over_from_the_first(tmp_path: Path) -> None:
    lines = bridge("restart_timeout 5 20", "topic a both 1", to="hub spare third")
    mesh = read(tmp_path, edge=lines, hub="", spare="", third="")

    def at(*dead: str) -> list[str]:
        failures = Failures(frozenset(dead))
        return [name for name, got in at_brokers(mesh, "edge", "a", failures).items() if got]

    assert at() == ["edge", "hub"]
    assert at("hub") == ["edge", "spare"]
    assert at("hub", "spare") == ["edge", "third"]
    assert [link.takes_over for link in mesh.links] == [0, 0, 20_000, 20_000, 40_000, 40_000]
    assert len({link.cable for link in mesh.links}) == 3


def test_round_robin_is_an_assumption(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=bridge("round_robin true", "topic a", to="hub spare"), hub="", spare="")

    told = [what for what in remarks(mesh, "assumed") if "round_robin" in what]
    assert told[0].startswith("connection up of edge is at its first address while that lives")


def test_a_broker_is_called_after_its_folder_if_the_file_is_called_as_all_are(tmp_path: Path) -> None:
    paths = [written(tmp_path, f"{name}/config/mosquitto.conf", "") for name in ("berlin", "paris")]

    assert [broker.name for broker in mosquitto.read(paths).brokers] == ["berlin", "paris"]


def test_two_bridges_with_one_client_id_at_a_broker_are_listed(tmp_path: Path) -> None:
    twin = bridge("remote_clientid me", "topic a")

    mesh = read(tmp_path, a=twin, b=twin, hub="")

    assert remarks(mesh, "dangling") == ["up@a and up@b both call themselves me at hub"]


# What a file does not say


def effects(mesh: Mesh) -> dict[str, set[str]]:
    return {remark.what: set(remark.effects) for remark in mesh.remarks if remark.effects}


def test_a_broker_that_is_no_mosquitto_may_refuse_to_keep_back_echoes(tmp_path: Path) -> None:
    outside = read(tmp_path, edge=bridge("topic a both 1", to="far.example"))
    one_way = read(tmp_path, edge=bridge("topic a out 1", "topic b in 1", to="far.example"))
    given = read(tmp_path, edge=bridge("topic a both 1"), hub="")

    assert any("far.example obeys try_private" in what for what in remarks(outside, "assumed"))
    assert not any("try_private" in what for what in remarks(one_way, "assumed"))
    assert not any("try_private" in what for what in remarks(given, "assumed"))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("max_queued_bytes 99", "has no more bytes than 99 (max_queued_bytes)"),
        ("persistent_client_expiration 1h", "is back within 1h (persistent_client_expiration)"),
        ("max_queued_bytes 0", ""),
    ],
)
def test_what_else_ends_the_keeping_is_assumed(tmp_path: Path, line: str, told: str) -> None:
    mesh = read(tmp_path, edge=f"max_queued_messages 0\n{line}\n" + bridge("topic a out 1"), hub="")

    assert [told in each for each in remarks(mesh, "assumed")] == [True] * bool(told)


def test_what_is_kept_meanwhile_has_a_limit(tmp_path: Path) -> None:
    kept = read(tmp_path, edge="max_queued_messages 5\n" + bridge("topic a out 1"), hub="")
    endless = read(tmp_path, edge="max_queued_messages 0\n" + bridge("topic a out 1"), hub="")
    lost = read(tmp_path, edge=bridge("topic a out 0"), hub="")

    assert remarks(kept, "assumed") == [
        "messages have QoS 1 or more, and no more than 5 wait for a bridge that is down (max_queued_messages)"
        ": others are lost then"
    ]
    assert remarks(endless, "assumed") == remarks(lost, "assumed") == []


OPEN = "listener 1883\nallow_anonymous true\n"


@pytest.mark.parametrize(
    ("hub", "lines", "why"),
    [
        ("listener 1883\n", (), "it gives no remote_username"),
        ("listener 1883\nrequire_certificate true\n", ("bridge_certfile x",), "at 1883 it has no TLS"),
        ("port 1883\n", (), "it gives no remote_username"),
        (OPEN + "listener 1884\nallow_anonymous false\n", (), "it gives no remote_username"),
        (f"per_listener_settings true\n{OPEN}listener 1884\nallow_anonymous false\n", (), ""),
        (OPEN + "use_username_as_clientid true\n", (), "it gives no remote_username"),
        ("listener 1883\n", ("remote_username me",), ""),
        (OPEN, (), ""),
        ("", (), "at 1883 it listens to its own machine only"),
        ("allow_anonymous true\n", (), "at 1883 it listens to its own machine only"),
        ("listener 1883 127.0.0.1\nallow_anonymous true\n", (), "at 1883 it listens to its own machine only"),
        ("listener 1884\nallow_anonymous true\n", (), "it listens at 1884, and not at 1883"),
        (OPEN + "protocol websockets\n", (), "at 1883 it speaks websockets"),
        (OPEN + "certfile x\nkeyfile y\n", (), "at 1883 it wants TLS"),
        (OPEN + "certfile x\n", ("bridge_cafile x",), ""),
        (OPEN + "certfile x\nrequire_certificate true\n", ("bridge_cafile x",), "it has no bridge_certfile"),
        (OPEN, ("bridge_cafile x",), "at 1883 it has no TLS"),
        (OPEN + "clientid_prefixes plant-\n", (), "its remote_clientid does not begin with plant-"),
        (OPEN + "clientid_prefixes plant-\n", ("remote_clientid plant-1",), ""),
    ],
)
def test_a_broker_may_refuse_a_bridge(tmp_path: Path, hub: str, lines: tuple[str, ...], why: str) -> None:
    mesh = read(tmp_path, edge=bridge(*lines, "topic a"), hub=hub)

    assert effects(mesh) == ({f"hub may refuse connection up of edge: {why}": {"drops"}} if why else {})


def test_whoever_says_by_hand_that_a_port_leads_to_a_broker_is_believed(tmp_path: Path) -> None:
    edge = written(tmp_path, "edge.conf", bridge("topic a", to="hub:11883"))
    hub = written(tmp_path, "hub.conf", OPEN)

    assert effects(mosquitto.read([edge, hub])) != {}
    assert effects(mosquitto.read([edge, hub], ByHand(hosts={"hub:11883": "hub"}))) == {}


def test_one_address_at_which_a_bridge_gets_in_is_enough(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=bridge("topic a", to="hub:9999 hub:1883"), hub=OPEN)

    assert effects(mesh) == {}


def test_as_many_bridges_as_connections_leave_no_room_and_a_larger_limit_is_an_assumption(
    tmp_path: Path,
) -> None:
    def limited(most: int) -> Mesh:
        edges = {name: bridge(f"remote_clientid {name}", "topic a") for name in ("one", "two")}
        return read(tmp_path, **edges, hub=f"{OPEN}max_connections {most}\n")

    assert effects(limited(2)) == {"max_connections of hub is 2, and 2 bridges come to it": {"drops"}}
    assert effects(limited(-1)) == effects(limited(3)) == {}
    assert "no more than 3 clients come to hub (max_connections)" in remarks(limited(3), "assumed")


def test_bridges_of_one_client_id_or_of_one_user_that_stands_for_it_end_each_other(tmp_path: Path) -> None:
    by_id = {name: bridge("remote_clientid same", "topic a") for name in ("one", "two")}
    by_user = {name: bridge("remote_username same", "topic a") for name in ("one", "two")}

    told = {"up@one and up@two both call themselves same at hub": {"drops"}}
    assert effects(read(tmp_path, **by_id, hub=OPEN)) == told
    assert effects(read(tmp_path, **by_user, hub=OPEN)) == {}
    assert effects(read(tmp_path, **by_user, hub=f"{OPEN}use_username_as_clientid true\n")) == told


def test_a_shared_subscription_of_a_bridge_is_not_understood(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=bridge("topic $share/group/a in 1"), hub=OPEN)

    assert [set(each) for each in effects(mesh).values()] == [EFFECTS]


def test_rights_and_plugins_may_do_what_they_can(tmp_path: Path) -> None:
    mesh = read(tmp_path, hub="acl_file x\nplugin y\nmount_point z/\n")

    assert {what.partition(" ")[0]: len(each) for what, each in effects(mesh).items()} == {
        "acl_file": 1,
        "plugin": 5,
        "mount_point": 2,
    }


def test_limits_that_are_those_of_every_broker_drop_nothing(tmp_path: Path) -> None:
    said = (
        "message_size_limit {0}\nmemory_limit {0}\nmax_packet_size {0}\nmax_qos {1}\nretain_available {2}\n"
    )
    free, limited = (
        read(tmp_path, hub=said.format(0, 2, "true")),
        read(tmp_path, hub=said.format(20, 1, "false")),
    )

    assert not any(each.effects for each in free.remarks)
    assert [each.effects for each in limited.remarks] == [{"drops"}] * 5


# Files


def test_included_files_are_read_in_mosquittos_order(tmp_path: Path) -> None:
    written(tmp_path, "conf.d/b.conf", bridge("topic b", name="b"))
    written(tmp_path, "conf.d/A.conf", bridge("topic a", name="a"))
    written(tmp_path, "conf.d/other.txt", "nonsense\n")

    mesh = read(tmp_path, edge="include_dir /etc/mosquitto/conf.d\n", hub=OPEN)

    assert [link.cable for link in mesh.links] == ["a@edge", "b@edge"]
    assert mesh.remarks == ()


@pytest.mark.parametrize("folder", ["..", ".", "/", "/etc", "missing"])
def test_nothing_is_included_from_elsewhere(tmp_path: Path, folder: str) -> None:
    written(tmp_path, "outside.conf", bridge("topic a"))
    (tmp_path / "inner").mkdir()

    mesh = read(tmp_path / "inner", edge=f"include_dir {folder}\n")

    assert mesh.links == ()
    assert [(remark.kind, remark.brokers) for remark in mesh.remarks] == [("not read", ("edge",))]


def test_a_link_of_the_file_system_does_not_lead_elsewhere(tmp_path: Path) -> None:
    secret = written(tmp_path, "secret.conf", bridge("topic a"))
    (tmp_path / "inner" / "conf.d").mkdir(parents=True)
    (tmp_path / "inner" / "conf.d" / "link.conf").symlink_to(secret)

    assert read(tmp_path / "inner", edge="include_dir conf.d\n").links == ()


def test_comments_and_harmless_words_are_passed_over_and_others_listed(tmp_path: Path) -> None:
    text = "# a comment\n\npersistence true\nallow_anonymous true\nacl_file x\nmount_point p/\nlistner 5\n"

    mesh = read(tmp_path, edge=text + bridge("keepalive_interval 5", "start_type once", "topic a"), hub=OPEN)

    assert remarks(mesh, "not understood") == [
        "acl_file of edge",
        "mount_point of edge",
        "listner of edge",
        "start_type once of connection up of edge",
    ]
    assert [remark.remedy for remark in mesh.remarks if "listner" in remark.what] == [
        "did you mean listener?"
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("topic a out\n", "ANG121", 1),
        ("connection up\n", "ANG121", 1),
        ("connection\n", "ANG121", 1),
        (bridge("topic a", to="# hub"), "ANG121", 1),
        (bridge("topic"), "ANG121", 3),
        (bridge("topic a sideways"), "ANG121", 3),
        (bridge("topic a out 3"), "ANG121", 3),
        (bridge("topic a out 1 b c d"), "ANG121", 3),
        (bridge('topic "" out 1 a ""'), "ANG121", 3),
        (bridge("topic # out 1 here there"), "ANG124", 3),
        (bridge("topic a# out"), "ANG124", 3),
        (bridge("topic a out 1 b/# c"), "ANG124", 3),
        (bridge("cleansession maybe", "topic a"), "ANG121", 3),
        (bridge("bridge_protocol_version mqttv6", "topic a"), "ANG121", 3),
        (bridge("topic a", to="hub:99999"), "ANG121", 2),
        ("listener x\n", "ANG121", 1),
        ("acl_file\n", "ANG121", 1),
        (bridge("remote_username", "topic a"), "ANG121", 3),
        (bridge("topic a") + bridge("topic b"), "ANG122", 4),
        (bridge(*(f"topic a{number}" for number in range(2001))), "ANG125", 2003),
    ],
)
def test_what_mosquitto_would_refuse_is_refused_with_its_line(
    tmp_path: Path, text: str, code: str, line: int
) -> None:
    with pytest.raises(MeshError) as error:
        read(tmp_path, edge=text)

    assert error.value.code == code
    assert error.value.place and error.value.place.line == line
    assert error.value.possible


def test_a_configuration_is_recognised_by_its_words() -> None:
    assert mosquitto.recognises(Path("edge.conf"), "listener 1883\n" + bridge("topic a"))
    assert mosquitto.recognises(Path("mosquitto.conf"), "# only comments\n" * 400)
    assert not mosquitto.recognises(Path("nats.conf"), "port: 4222\ncluster {\n  name: EU\n}\n")
    assert not mosquitto.recognises(Path("rabbitmq.conf"), "listeners.tcp.default = 5672\n")
    assert not mosquitto.recognises(Path("qdrouterd.conf"), "router {\n mode: interior\n}\n")
    assert mosquitto.recognises(Path("edge"), "listener 1883\n")
    assert not mosquitto.recognises(Path("notes.txt"), "user me\n")
    assert not mosquitto.recognises(Path("notes.txt"), "listener 1883\nis where it listens\n")


def test_the_sample_sites_see_their_sensors_at_the_hub() -> None:
    mesh = mosquitto.read(sample("mosquitto/sites"))

    assert at_brokers(mesh, "berlin", "sensors/t1")["hub"] == {"berlin/sensors/t1": 1}
    assert at_brokers(mesh, "hub", "paris/commands/reset")["paris"] == {"commands/reset": 1}
    assert {
        name: sum(n or 0 for n in each.values())
        for name, each in at_brokers(mesh, "paris", "alarms/fire").items()
    } == {
        "hub": 1,
        "berlin": 1,
        "paris": 1,
    }
    told = [remark.what for remark in mesh.remarks]
    assert told[0] == "host hub.example is taken to be of hub"
    assert all(
        what.startswith("messages have QoS 1 or more, and no more than 1000 wait ") for what in told[1:]
    )


def test_the_sample_ring_loops() -> None:
    assert loops(mosquitto.read(sample("mosquitto/ring")), "one", "any")


@given(text=damaged(sample("mosquitto/sites", "berlin.conf")[0].read_text(encoding="utf-8")))
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, text: str) -> None:
    read_or_refused(mosquitto.read, [written(tmp_path, "edge.conf", text)])
