"""EMQX's links of clusters, bridges and rules. Facts: its documents, and emqx_bridge_mqtt_ingress.erl."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.files.find import form_of, load
from angarium.mesh.importers import emqx
from angarium.mesh.importers.hocon import read_hocon
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, RENAMES, Failures, Mesh
from tests.effort import examples
from tests.mesh.importers.samples import (
    EXAMPLES,
    at_brokers,
    copies,
    damaged,
    read_or_refused,
    sample,
    written,
)

BRIDGE = """node.cookie = x
connectors.mqtt.c {{ server = "b:1883" {connector} }}
actions.mqtt.out {{ connector = c, parameters {{ topic = "{out}" }} {action} }}
sources.mqtt.in {{ connector = c, parameters {{ topic = "down/#", qos = 1 {source} }} }}
rule_engine.rules.up {{ sql = {sql}, actions = [{actions}] }}
rule_engine.rules.down {{
  sql = "SELECT * FROM \\"$bridges/mqtt:in\\""
  actions = [{{ function = republish, args {{ topic = "{local}" }} }}]
}}
"""
OTHER = "node.cookie = x\nlisteners.tcp.default.bind = 1883\n"


def bridged(folder: Path, **said: str) -> Mesh:
    """`a` with a bridge to `b`: up/# out, and down/# in."""
    usual = {
        "connector": "", "action": "", "source": "", "out": "${topic}", "local": "${topic}",
        "sql": '"SELECT * FROM \\"up/#\\""', "actions": '"mqtt:out"',
    }  # fmt: skip
    return load(*map(str, written(folder, a_conf=BRIDGE.format(**usual | said), b_conf=OTHER)))


def left_open(mesh: Mesh) -> dict[str, frozenset[str]]:
    return {remark.what: remark.effects for remark in mesh.remarks if remark.leaves_open}


def test_the_sample_carries_measurements_to_both_clusters_and_orders_to_the_plant() -> None:
    mesh = load(str(EXAMPLES / "emqx"))

    assert copies(mesh, "plant", "measured/a") == {
        ("plant", "measured/a"): 1,
        ("eu", "sensors/plant/measured/a"): 1,
        ("us", "sensors/plant/measured/a"): 1,
    }
    assert copies(mesh, "us", "orders/plant")[("plant", "orders")] == 1
    assert left_open(mesh) == {}
    assert {form_of(path) for path in sample("emqx")} == {"emqx"}


def test_messages_make_one_hop_over_links_of_clusters(tmp_path: Path) -> None:
    """docs, cluster-linking/introduction: message loopback is avoided automatically."""
    names = ("a", "b", "c")
    texts = {}
    for own in names:
        others = ", ".join(
            f'{{name = {each}, server = "{each}:1883", topics = ["#"]}}' for each in names if each != own
        )
        texts[f"{own}_conf"] = f"cluster {{ name = {own}, links = [{others}] }}\n"
    mesh = load(*map(str, written(tmp_path, **texts)))

    assert at_brokers(mesh, "a", "t") == {"a": 1, "b": 1, "c": 1}


def test_a_cluster_that_does_not_link_back_sends_nothing(tmp_path: Path) -> None:
    """docs, cluster-linking/configuration: both clusters need the link."""
    link = 'cluster { name = a, links = [{name = b, server = "b:1883", topics = ["#"]}] }\n'
    mesh = load(*map(str, written(tmp_path, a_conf=link, b_conf="cluster.name = b\n" + OTHER)))

    assert mesh.links == ()
    assert any("which has no link called a: it sends nothing" in remark.what for remark in mesh.remarks)


def test_a_bridge_carries_what_its_rules_take_and_hands_out_what_they_publish(tmp_path: Path) -> None:
    mesh = bridged(tmp_path, out="site/${topic}", local="all")

    assert copies(mesh, "a", "up/x") == {("a", "up/x"): 1, ("b", "site/up/x"): 1}
    assert copies(mesh, "b", "down/x") == {("b", "down/x"): 1, ("a", "all"): 1}


def test_what_both_directions_take_goes_round_for_ever(tmp_path: Path) -> None:
    mesh = bridged(tmp_path, sql='"SELECT * FROM \\"down/#\\""')

    assert None in at_brokers(mesh, "a", "down/x").values()


def test_messages_wait_for_an_action_as_long_as_its_requests_live(tmp_path: Path) -> None:
    for said, waits in [("", "45 s"), (", resource_opts.request_ttl = 5m", "5 min")]:
        mesh = bridged(tmp_path, action=said)

        assert {link.buffering for link in mesh.links if link.source == "a"} == {waits}
    assert at_brokers(mesh, "a", "up/x", Failures(cables=frozenset(["c@a"]))) == {"a": 1}


@pytest.mark.parametrize(
    ("said", "what", "effects"),
    [
        ({"sql": '"SELECT * FROM \\"up/#\\" WHERE qos = 1"'}, "WHERE of rule up of a", {DROPS}),
        ({"sql": '"SELECT payload FROM \\"up/#\\""'}, "does not select the topic", {RENAMES, DROPS}),
        ({"sql": '"SELECT *, \\"x\\" as topic FROM \\"up/#\\""'}, "does not select", {RENAMES, DROPS}),
        ({"sql": '"FOREACH payload.x FROM \\"up/#\\""'}, "the SQL of rule up of a", EFFECTS),
        (
            {"sql": '"SELECT * FROM \\"$events/client_connected\\""'},
            "publishes what comes",
            {CARRIES, COPIES, RENAMES},
        ),
        ({"sql": '"SELECT * FROM \\"up/#\\", \\"up/x\\""'}, "takes the same topics twice", {COPIES}),
        ({"out": "x/${clientid}"}, "topic 'x/${clientid}' of action out of a", EFFECTS),
        ({"actions": '"mqtt:none"'}, "names action mqtt:none", {CARRIES}),
        (
            {"actions": "{ function = republish, args.topic = y }"},
            "publishes again",
            {CARRIES, COPIES, RENAMES},
        ),
        ({"actions": '{ function = "my:own" }'}, "function my:own of rule up", EFFECTS),
        ({"connector": ", bridge_mode = true"}, "bridge_mode of a", {COPIES, DROPS}),
        ({"action": "}\nrewrite = [{ a = b }]\nlog {"}, "rewrite of a", EFFECTS),
        ({"action": "}\nauthorization { no_match = deny"}, "authorization of a", {DROPS}),
        (
            {"action": '}\nlisteners.tcp.x { mountpoint = "m/"'},
            "the mountpoint of listener",
            {DROPS, RENAMES},
        ),
        ({"action": "}\ninclude more.conf\nlog {"}, "include more.conf", {*EFFECTS, "declares"}),
    ],
)
def test_what_is_not_followed_is_told_with_what_it_may_do(
    tmp_path: Path, said: dict[str, str], what: str, effects: set[str]
) -> None:
    found = [each for told, each in left_open(bridged(tmp_path, **said)).items() if what in told]

    assert found == [effects]


@pytest.mark.parametrize("action", ['"kafka:k"', "{ function = console }"])
def test_actions_that_write_elsewhere_carry_nothing_here(tmp_path: Path, action: str) -> None:
    mesh = bridged(tmp_path, actions=action)

    assert left_open(mesh) == {}
    assert [link.source for link in mesh.links] == ["b"]


def test_bridges_as_they_were_before_5_4_are_read(tmp_path: Path) -> None:
    text = """bridges.mqtt.hub {
      server = "b:1883"
      ingress { remote { topic = "down/#", qos = 1 }, local { topic = "hub/${topic}" } }
      egress { local { topic = "up/#" }, remote { topic = "${topic}", qos = 1 } }
    }
    """
    mesh = load(*map(str, written(tmp_path, a_conf=text, b_conf=OTHER)))

    assert copies(mesh, "b", "down/x") == {("b", "down/x"): 1, ("a", "hub/down/x"): 1}
    assert at_brokers(mesh, "a", "up/x") == {"a": 1, "b": 1}
    assert left_open(mesh) == {}


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("node.cookie = x\nactions {\n", (3, 1), "the file ends within a map"),
        ("node.cookie = x\n= 3\n", (2, 1), "stands where a key is expected"),
        ('node.cookie = x\nbridges.mqtt.x { server = ":x"\n egress.local.topic = a, egress.remote.topic = b}',
         (2, 18), "has no address that is one"),
        ('node.cookie = "x\n', (1, 15), "stands where a value is expected"),
    ],
)  # fmt: skip
def test_what_is_broken_is_told_with_line_and_column(
    tmp_path: Path, text: str, place: tuple[int, int], what: str
) -> None:
    with pytest.raises(MeshError, match=what) as caught:
        emqx.read(written(tmp_path, emqx_conf=text))

    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == place


@given(damaged((EXAMPLES / "emqx" / "plant.conf").read_text()) | st.text("{}[]=.,\"'#ab\n", max_size=200))
@settings(max_examples=examples(40), deadline=None)
def test_files_are_read_or_refused_whatever_is_in_them(text: str) -> None:
    file = Path("/tmp/emqx-never-there.conf")
    emqx.recognises(file, text)
    read_or_refused(lambda _: read_hocon(file, text) and Mesh("", (), ()), [file])
