"""AsyncAPI 3: who publishes and subscribes, beside the files of brokers.

What a channel, a server and an operation mean is from the specification, spec/asyncapi.md of asyncapi/spec
3.0.0: a channel without servers is on all; `send` and `receive` are what the application itself does.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.files.find import load
from angarium.mesh.files.given import Given
from angarium.mesh.mesh import ASSUMED, DANGLING, NOT_UNDERSTOOD, Mesh, Publisher, Subscriber
from angarium.mesh.verify.budget import NONE
from angarium.mesh.verify.verify import verify
from tests.effort import examples
from tests.mesh.importers.samples import EXAMPLES, damaged, remarks

SITES, DOCUMENTS = EXAMPLES / "mosquitto" / "sites", EXAMPLES / "asyncapi"
BERLIN = "listener 1883\nconnection up\naddress hub:1883\ntopic # out 1\n"


def document(
    address: str = "a/b",
    *,
    host: str = "berlin",
    protocol: str = "mqtt",
    action: str = "send",
    **channel: object,
) -> dict[str, object]:
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "App", "version": "1"},
        "servers": {"s": {"host": host, "protocol": protocol}},
        "channels": {"c": {"address": address, **channel}},
        "operations": {"o": {"action": action, "channel": {"$ref": "#/channels/c"}}},
    }


def read(folder: Path, said: object, given: Given | None = None, **files: str) -> Mesh:
    """The mesh of a document beside files; `berlin_conf` is `berlin.conf`."""
    (folder / "app.json").write_text(json.dumps(said, indent="\t"))
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return load(str(folder), given=given or Given())


def topics(clients: tuple[Publisher, ...] | tuple[Subscriber, ...]) -> list[tuple[str, str, list[str]]]:
    return [(each.name, each.broker, [topic.text for topic in each.topics]) for each in clients]


def test_applications_are_clients_of_the_brokers_that_other_files_make() -> None:
    mesh = load(str(SITES / "berlin.conf"), str(SITES / "hub.conf"), str(DOCUMENTS))

    assert topics(mesh.publishers) == [
        ("Dashboard: restart", "hub", ["commands/restart"]),
        ("Sensors: publishReadings", "berlin", ["sensors/+/temperature"]),
    ]
    assert topics(mesh.subscribers) == [
        ("Dashboard: onReading", "hub", ["+/sensors/+/temperature"]),
        ("Sensors: onRestart", "berlin", ["commands/restart"]),
    ]
    assert len(mesh.links) == len(load(str(SITES / "berlin.conf"), str(SITES / "hub.conf")).links)


def test_a_client_that_waits_for_another_name_is_found() -> None:
    mesh = load(str(SITES / "berlin.conf"), str(SITES / "hub.conf"), str(DOCUMENTS))

    found = {each.guarantee: each.verdict for each in verify(mesh, budget=NONE).guarantees}

    assert found["reachability"] is Verdict.VIOLATED


def test_alone_its_servers_are_brokers_without_links(tmp_path: Path) -> None:
    said = document(host="test.example:18092", protocol="kafka-secure")
    said["servers"]["t"] = {"host": "test.example:28092", "protocol": "kafka-secure"}  # type: ignore[index]

    mesh = read(tmp_path, said)

    assert [(each.name, each.dialect) for each in mesh.brokers] == [("test.example", "mirrormaker")]
    assert mesh.links == ()


@pytest.mark.parametrize(
    ("protocol", "address", "text"),
    [
        ("mqtt", "a/{x}/b", "a/+/b"),
        ("secure-mqtt", "a/{x}-{y/z}/b", "a/+/b"),
        ("nats", "a.{x}.b", "a.*.b"),
        ("amqps", "a.{x}.b", "a.*.b"),
        ("kafka", "a.{x}.b", r"a\.[A-Za-z0-9_-]+\.b"),
        ("kafka", "a.b", "a.b"),
    ],
)
def test_parameters_stand_for_one_level_of_the_brokers_dialect(
    tmp_path: Path, protocol: str, address: str, text: str
) -> None:
    mesh = read(tmp_path, document(address, protocol=protocol))

    assert topics(mesh.publishers) == [("App: o", "berlin", [text])]


def test_a_level_that_is_more_than_a_parameter_is_assumed_to_be_any(tmp_path: Path) -> None:
    mesh = read(tmp_path, document("a/room-{x}"))

    assert remarks(mesh, ASSUMED) == ["App: o: the level room-{x} is taken for any one"]


def test_enumerated_parameters_are_all_their_values(tmp_path: Path) -> None:
    said = document("{x}/{y}", parameters={"x": {"$ref": "#/components/parameters/x"}})
    said["components"] = {"parameters": {"x": {"enum": ["a", "b"]}}}

    assert topics(read(tmp_path, said).publishers) == [("App: o", "berlin", ["a/+", "b/+"])]


def test_an_answer_goes_the_other_way(tmp_path: Path) -> None:
    said = document()
    said["channels"]["r"] = {"address": "answers"}  # type: ignore[index]
    said["operations"]["o"]["reply"] = {"channel": {"$ref": "#/channels/r"}}  # type: ignore[index]

    assert topics(read(tmp_path, said).subscribers) == [("App: reply of o", "berlin", ["answers"])]


def test_an_operation_whose_server_is_no_broker_is_dangling_until_it_is_said(tmp_path: Path) -> None:
    said = document(host="10.0.0.1:1883")

    mesh = read(tmp_path, said, berlin_conf=BERLIN)

    assert remarks(mesh, DANGLING) == ["App: o is at 10.0.0.1, which is none of the brokers"]
    assert mesh.publishers == ()
    found = {each.guarantee: each.verdict for each in verify(mesh, budget=NONE).guarantees}
    assert found["no-dangling-references"] is Verdict.VIOLATED
    assert Verdict.HOLDS not in {found["reachability"], found["no-duplicates"], found["loop-free"]}
    by_hand = read(tmp_path, said, Given(hosts={"10.0.0.1": "berlin"}))
    assert topics(by_hand.publishers) == [("App: o", "berlin", ["a/b"])]


def test_the_only_broker_is_meant_whatever_its_host_is(tmp_path: Path) -> None:
    mesh = read(tmp_path, document(host="mq.example"), berlin_conf="listener 1883\npersistence true\n")

    assert topics(mesh.publishers) == [("App: o", "berlin", ["a/b"])]
    assert remarks(mesh, ASSUMED) == ["host mq.example is taken to be of berlin"]


def test_hosts_by_hand_are_taken_where_files_name_their_brokers(tmp_path: Path) -> None:
    mm2 = "clusters = eu, us\neu.bootstrap.servers = k1:9092\nus.bootstrap.servers = k2:9092\n"

    mesh = read(
        tmp_path,
        document("orders", host="k1:9092", protocol="kafka"),
        Given(hosts={"k1": "eu"}),
        mm2_properties=mm2 + "eu->us.enabled = true\n",
    )

    assert topics(mesh.publishers) == [("App: o", "eu", ["orders"])]


def rabbit(*, action: str, bindings: object = None, folder: Path) -> Mesh:
    said = document("orders.new", host="eu", protocol="amqp", action=action, bindings={"amqp": bindings})
    definitions = json.dumps(
        {
            "rabbit_version": "3.13.0",
            "vhosts": [{"name": "/"}],
            "exchanges": [{"name": "x", "vhost": "/", "type": "topic", "durable": True, "auto_delete": False,
                           "internal": False, "arguments": {}}],
            "queues": [{"name": "q", "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}],
            "bindings": [{"source": "x", "vhost": "/", "destination": "q", "destination_type": "queue",
                          "routing_key": "orders.#", "arguments": {}}],
        }
    )  # fmt: skip
    return read(folder, said, eu_json=definitions)


def test_the_exchange_of_a_channel_is_the_scope_of_its_topics(tmp_path: Path) -> None:
    mesh = rabbit(action="send", bindings={"is": "routingKey", "exchange": {"name": "x"}}, folder=tmp_path)

    assert [(topic.text, topic.scope) for topic in mesh.publishers[0].topics] == [("orders.new", "x")]


def test_a_queue_of_the_definitions_subscribes_already(tmp_path: Path) -> None:
    mesh = rabbit(action="receive", bindings={"is": "queue", "queue": {"name": "q"}}, folder=tmp_path)

    assert [each.name for each in mesh.subscribers] == ["q@eu"]


def test_a_queue_that_is_only_known_later_is_not_understood(tmp_path: Path) -> None:
    queue = {"is": "queue", "queue": {"name": "{which}"}}

    mesh = rabbit(action="receive", bindings=queue, folder=tmp_path)

    assert "App: o: which queue it is, is only known when it runs" in remarks(mesh, NOT_UNDERSTOOD)


def test_an_exchange_that_is_not_said_is_not_understood(tmp_path: Path) -> None:
    mesh = load(str(EXAMPLES / "rabbitmq" / "regions"), str(written_document(tmp_path)))

    assert "App: o does not say which exchange or account of eu is meant" in remarks(mesh, NOT_UNDERSTOOD)
    assert mesh.publishers == ()


def written_document(folder: Path) -> Path:
    path = folder / "app.json"
    path.write_text(json.dumps(document(host="eu", protocol="amqp")))
    return path


def test_another_protocol_than_the_brokers_is_not_understood(tmp_path: Path) -> None:
    mesh = read(tmp_path, document(protocol="kafka"), berlin_conf=BERLIN)

    assert "App: o speaks kafka to berlin: what topics are called there is not known" in remarks(
        mesh, NOT_UNDERSTOOD
    )


@pytest.mark.parametrize("reference", ["#/channels/other", "./more.yaml#/channels/c"])
def test_a_channel_that_is_not_there_is_not_understood(tmp_path: Path, reference: str) -> None:
    said = document()
    said["operations"]["o"]["channel"]["$ref"] = reference  # type: ignore[index]

    assert remarks(read(tmp_path, said), NOT_UNDERSTOOD) == [
        f"App: o: there is no channel {reference} in this document"
    ]


@pytest.mark.parametrize("version", ["2.6.0", "1.2.0", "4.0.0", "3"])
def test_other_versions_are_refused_with_their_place_and_what_to_do(tmp_path: Path, version: str) -> None:
    with pytest.raises(MeshError, match="and 3 is read") as caught:
        read(tmp_path, {**document(), "asyncapi": version})

    assert "convert" in caught.value.remedy
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (2, 14)


def test_an_action_that_is_none_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "app.yaml"
    path.write_text("asyncapi: 3.0.0\noperations:\n  o:\n    action: publish\n")

    with pytest.raises(MeshError, match="has the action 'publish'") as caught:
        load(str(path))

    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (4, 13)


def test_an_address_that_the_broker_would_refuse_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="empty") as caught:
        read(tmp_path, document("a..b", protocol="nats"))

    assert caught.value.place is not None


@settings(max_examples=examples(30), deadline=None)
@given(damaged((DOCUMENTS / "sensors.yaml").read_text()))
def test_damaged_documents_are_read_or_refused(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "app.yaml"
        path.write_text(text, encoding="utf-8")
        with suppress(MeshError):
            load(str(path))


# --- who competes ------------------------------------------------------------------------------------


def working(folder: Path, *hosts: str, protocol: str, address: str = "a", **bindings: object) -> Mesh:
    """A worker of one group at each of these hosts, and brokers that share all."""
    for number, host in enumerate(hosts):
        said = document(address, host=host, protocol=protocol, action="receive")
        said["operations"]["o"]["bindings"] = bindings  # type: ignore[index]
        said["info"] = {"title": f"W{number}", "version": "1"}
        (folder / f"w{number}.json").write_text(json.dumps(said))
    texts = {
        "nats": (
            "listen: 4222\nleafnodes { listen: 7422 }",
            "leafnodes { remotes: [{url: nats://hub:7422}] }",
        ),
        "mqtt": ("listener 1883\nallow_anonymous true", "connection x\naddress hub\ntopic # both 1"),
    }
    for name, text in zip(("hub", "leaf"), texts[protocol], strict=True):
        (folder / f"{name}.conf").write_text(f"{text}\n")
    return load(str(folder))


def test_members_of_a_queue_of_nats_share_what_comes(tmp_path: Path) -> None:
    mesh = working(tmp_path, "hub", "hub", protocol="nats", nats={"queue": "work"})

    assert [each.shares for each in mesh.subscribers] == ["group work", "group work"]
    assert remarks(mesh, NOT_UNDERSTOOD) == []


def test_members_of_a_queue_of_nats_at_several_servers_are_not_understood(tmp_path: Path) -> None:
    (what,) = remarks(
        working(tmp_path, "hub", "leaf", protocol="nats", nats={"queue": "work"}), NOT_UNDERSTOOD
    )

    assert what.startswith("group work is at hub and leaf: one of its members gets each message")


def test_shared_subscriptions_of_mqtt_are_of_each_broker(tmp_path: Path) -> None:
    mesh = working(tmp_path, "hub", "leaf", protocol="mqtt", address="$share/g/a")

    assert [(each.broker, each.shares) for each in mesh.subscribers] == [
        ("hub", "group g"),
        ("leaf", "group g"),
    ]
    assert remarks(mesh, NOT_UNDERSTOOD) == []
