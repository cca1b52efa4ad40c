"""HiveMQ Edge's bridges. Facts are those of com.hivemq.bridge.mqtt, at the places that tests name."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.files.find import form_of, load
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, RENAMES, Mesh
from tests.mesh.importers.samples import EXAMPLES, at_brokers, copies, sample, written

BRIDGE = """<hivemq>
  <mqtt-bridges><mqtt-bridge>
    <id>up</id>
    <remote-broker><host>b</host><port>1883</port></remote-broker>
    <forwarded-topics><forwarded-topic>
      <filters><mqtt-topic-filter>t/#</mqtt-topic-filter></filters>{out}
    </forwarded-topic></forwarded-topics>
    <remote-subscriptions><remote-subscription>
      <filters><mqtt-topic-filter>t/#</mqtt-topic-filter></filters>{back}
    </remote-subscription></remote-subscriptions>{more}
  </mqtt-bridge></mqtt-bridges>{around}
</hivemq>
"""
OTHER = "<hivemq><mqtt-listeners><tcp-listener><port>1883</port></tcp-listener></mqtt-listeners></hivemq>"
OFF = "<loop-prevention><enabled>false</enabled></loop-prevention>"


def limit(hops: int) -> str:
    return f"<loop-prevention><hop-count-limit>{hops}</hop-count-limit></loop-prevention>"


def bridged(folder: Path, out: str = "", back: str = "", more: str = "", around: str = "") -> Mesh:
    """`a` with a bridge to `b`: t/# both ways."""
    text = BRIDGE.format(out=out, back=back, more=more, around=around)
    return load(*map(str, written(folder, a_xml=text, b_xml=OTHER)))


def left_open(mesh: Mesh) -> dict[str, frozenset[str]]:
    return {remark.what: remark.effects for remark in mesh.remarks if remark.leaves_open}


def test_in_the_sample_alarms_come_to_the_hub_and_no_further() -> None:
    """RemotePublishConsumer.accept: dropped if hopCount >= limit; the first bridge has counted one."""
    mesh = load(str(EXAMPLES / "hivemq"))

    assert at_brokers(mesh, "north", "alarms/fire") == {"north": 1, "hub": 1}
    assert at_brokers(mesh, "hub", "alarms/fire") == {"hub": 1, "north": 1, "south": 1}
    assert left_open(mesh) == {}
    assert {form_of(path) for path in sample("hivemq")} == {"hivemq"}


@pytest.mark.parametrize(("hops", "found"), [(0, 1), (1, 1), (2, 2), (3, 2)])
def test_a_message_crosses_as_many_bridges_as_the_limit_allows(tmp_path: Path, hops: int, found: int) -> None:
    """RemoteMqttForwarder.onMessage; subscriptions are made without no-local (BridgeMqttClient.start)."""
    assert at_brokers(bridged(tmp_path, more=limit(hops)), "a", "t/x")["a"] == found


def test_without_loop_prevention_it_goes_round_for_ever(tmp_path: Path) -> None:
    assert None in at_brokers(bridged(tmp_path, more=OFF), "a", "t/x").values()


@pytest.mark.parametrize(
    ("destination", "name"),
    [("{#}", "t/x"), ("site/{#}", "site/t/x"), ("${bridge.name}/{#}", "up/t/x"), ("all", "all")],
)
def test_a_destination_names_what_arrives(tmp_path: Path, destination: str, name: str) -> None:
    """TopicFilterProcessor.modifyTopic."""
    mesh = bridged(tmp_path, out=f"<destination>{destination}</destination>")

    assert copies(mesh, "a", "t/x")[("b", name)] == 1
    assert left_open(mesh) == {}


def test_what_is_excluded_is_not_forwarded(tmp_path: Path) -> None:
    mesh = bridged(tmp_path, out="<excludes><mqtt-topic-filter>t/x</mqtt-topic-filter></excludes>")

    assert at_brokers(mesh, "a", "t/x") == {"a": 1}
    assert at_brokers(mesh, "a", "t/y") == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("said", "what", "effects"),
    [
        ({"out": "<destination>{2-#}</destination>"}, "destination {2-#} of bridge up of a", EFFECTS),
        ({"out": "<filters><mqtt-topic-filter>t/x</mqtt-topic-filter></filters>"}, "overlap", {COPIES}),
        ({"out": "<strange/>"}, "strange of bridge up of a", EFFECTS),
        ({"around": "<strange/>"}, "strange of a", EFFECTS),
        ({"around": "<restrictions/>"}, "restrictions of a", {DROPS}),
        ({"around": "<uns><prefix-all-topics>true</prefix-all-topics></uns>"}, "uns of a", {RENAMES}),
    ],
)
def test_what_is_not_followed_is_told_with_what_it_may_do(
    tmp_path: Path, said: dict[str, str], what: str, effects: set[str]
) -> None:
    assert [each for told, each in left_open(bridged(tmp_path, **said)).items() if what in told] == [effects]


def test_a_bridge_that_forgets_hops_is_told_where_others_count(tmp_path: Path) -> None:
    a = BRIDGE.format(out="", back="", more=OFF, around="")
    b = a.replace("<host>b<", "<host>a<").replace(OFF, "")
    mesh = load(*map(str, written(tmp_path, a_xml=a, b_xml=b)))

    assert left_open(mesh) == {"bridge up of a has no loop prevention: it forgets hops": {CARRIES, COPIES}}


def test_bridges_of_the_enterprise_extension_leave_verdicts_open(tmp_path: Path) -> None:
    text = """<hivemq-bridge-extension><bridges><bridge><name>x</name>
      <remote-broker><connection><static><host>b</host></static></connection></remote-broker>
      <topics><topic><filter>#</filter></topic></topics></bridge></bridges></hivemq-bridge-extension>"""
    mesh = load(*map(str, written(tmp_path, a_xml=text)))

    assert list(left_open(mesh).values()) == [EFFECTS]


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("</hivemq>", "", (13, 1), "the file is not XML"),
        ("<host>b</host>", "", (4, 5), "bridge up of a does not say where it leads"),
        ("</mqtt-bridge>", limit(1).replace(">1<", ">x<") + "</mqtt-bridge>",
         (11, 3), "hop-count-limit is 'x'"),
    ],
)  # fmt: skip
def test_what_is_broken_is_told_with_line_and_column(
    tmp_path: Path, old: str, new: str, place: tuple[int, int], what: str
) -> None:
    text = BRIDGE.format(out="", back="", more="", around="").replace(old, new)

    with pytest.raises(MeshError, match=what) as caught:
        load(*map(str, written(tmp_path, a_xml=text)))

    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == place
