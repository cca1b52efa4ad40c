"""Files inside other things: streams, what is compressed, a management, Kubernetes and docker-compose."""

from __future__ import annotations

import gzip
import io
import json
import sys
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from angarium.core.errors import InputError
from angarium.mesh.files import find, inside
from angarium.mesh.files.find import load
from angarium.mesh.files.given import Given
from angarium.mesh.importers import common
from angarium.mesh.mesh import Mesh

MOSQUITTO = "listener {port}\nconnection {name}\naddress {to}\ntopic # both 1\n"
DEFINITIONS = {
    "vhosts": [{"name": "/"}],
    "exchanges": [{"name": "news", "vhost": "/", "type": "topic", "durable": True, "auto_delete": False,
                   "internal": False, "arguments": {}}],
    "global_parameters": [{"name": "cluster_name", "value": "eu"}],
}  # fmt: skip


def ends(mesh: Mesh) -> set[tuple[str, str]]:
    return {(link.source, link.target) for link in mesh.links}


# --- streams -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [json.dumps(DEFINITIONS), "brokers: [eu]\n"])
def test_a_file_may_come_on_standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))

    assert [broker.name for broker in load("-").brokers] == ["eu"]


def test_what_is_compressed_is_unpacked_by_what_it_is_and_not_by_its_name(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps(DEFINITIONS).encode())
    for name in ("eu.json.gz", "eu.json"):
        (tmp_path / name).write_bytes(packed)

        assert [broker.name for broker in load(str(tmp_path / name)).brokers] == ["eu"]


def test_compressed_files_in_a_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "eu.json.gz").write_bytes(gzip.compress(json.dumps(DEFINITIONS).encode()))

    assert [broker.name for broker in load(str(tmp_path)).brokers] == ["eu"]


@pytest.mark.parametrize("keep", [10, 40])
def test_a_compressed_file_that_is_cut_is_refused(tmp_path: Path, keep: int) -> None:
    file = tmp_path / "eu.json.gz"
    file.write_bytes(gzip.compress(json.dumps(DEFINITIONS).encode())[:keep])

    with pytest.raises(InputError, match="compressed, and cannot be unpacked"):
        load(str(file))


def test_what_unpacks_to_more_than_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inside, "LARGEST", 2**20)
    file = tmp_path / "bomb.json.gz"
    file.write_bytes(gzip.compress(bytes(2 * 2**20)))

    with pytest.raises(InputError, match="larger than 1 MiB when it is unpacked"):
        load(str(file))


@pytest.mark.parametrize("name", ["eu.json", "eu.json.gz"])
def test_definitions_may_be_larger_than_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(common, "LARGEST_FILE", 10)
    monkeypatch.setattr(find, "LARGEST", 100)
    data = json.dumps(DEFINITIONS).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)

    assert [broker.name for broker in load(str(tmp_path / name)).brokers] == ["eu"]


def test_what_unpacks_to_a_file_that_lies_beside_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "eu.json").write_text(json.dumps(DEFINITIONS))
    (tmp_path / "eu.json.gz").write_bytes(gzip.compress(b"{}"))

    with pytest.raises(InputError, match=r"eu.json.gz unpacks to eu.json, which lies beside it"):
        load(str(tmp_path))


# --- a management ------------------------------------------------------------------------------------


@contextmanager
def management(status: int, headers: dict[str, str]) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A server that answers so, and what it was asked."""
    asked: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(json.dumps(DEFINITIONS).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_definitions_come_from_a_management_with_the_password_of_its_address() -> None:
    with management(200, {}) as (where, asked):
        mesh = load(f"http://me:s%3Acret@{where}")

    assert [broker.name for broker in mesh.brokers] == ["eu"]
    assert asked == [("/api/definitions", "Basic " + b64encode(b"me:s:cret").decode())]


def test_managements_at_one_host_are_several() -> None:
    with management(200, {}) as (one, _), management(200, {}) as (two, _):
        remarks = load(f"http://me:x@{one}", f"http://me:x@{two}").remarks

    assert [each.what for each in remarks] == [
        f"{one} and {two} have the same cluster_name eu: to federation they are one, and share queues"
    ]


@pytest.mark.parametrize(
    ("status", "headers", "why"),
    [
        (401, {}, "with the tag monitoring"),
        (302, {"Location": "http://127.0.0.2/x"}, "sends us to 127.0.0.2"),
    ],
)
def test_a_management_that_gives_nothing_is_told_without_the_password(
    status: int, headers: dict[str, str], why: str
) -> None:
    with management(status, headers) as (where, _), pytest.raises(InputError, match=why) as caught:
        load(f"http://me:secret@{where}/api/definitions")

    assert f"http://{where}/api/definitions gives no definitions" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["h:99999", "h:secret", "["])
def test_an_address_that_is_none_is_told_without_the_password(address: str) -> None:
    with pytest.raises(InputError, match="its host or port cannot be read") as caught:
        load(f"http://me:secret@{address}")

    assert "secret" not in str(caught.value)


# --- Kubernetes --------------------------------------------------------------------------------------

CONFIG_MAPS = """apiVersion: v1
kind: ConfigMap
metadata: {name: edge}
data:
  mosquitto.conf: |
    listener 1883
    connection up
    address hub:1883
    topic # both 1
---
apiVersion: v1
kind: List
items:
  - kind: ConfigMap
    metadata: {name: hub}
    data:
      mosquitto.conf: |
        listener 1883
        no-such-word 1
      readme: nothing that anybody knows
"""


def test_configuration_in_resources_of_kubernetes_is_found_with_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(CONFIG_MAPS.replace("no-such-word 1", "max_queued_messages 7"))

    mesh = load(str(file))

    assert ends(mesh) == {("edge", "hub"), ("hub", "edge")}
    line = next(number for number, text in enumerate(CONFIG_MAPS.split("\n"), 1) if "topic #" in text)
    places = {(link.place.file, link.place.line) for link in mesh.links if link.place}
    assert places == {(str(file / "edge" / "mosquitto.conf"), line)}


OPERATOR = """apiVersion: rabbitmq.com/v1beta1
kind: RabbitmqCluster
metadata: {name: us}
---
apiVersion: rabbitmq.com/v1beta1
kind: Exchange
metadata: {name: news-eu}
spec: {name: news, type: topic, durable: true, rabbitmqClusterReference: {name: eu}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Exchange
metadata: {name: news-us}
spec: {name: news, type: topic, durable: true, rabbitmqClusterReference: {name: us}}
---
apiVersion: rabbitmq.com/v1beta1
kind: Federation
metadata: {name: from-us}
spec:
  name: us
  uriSecret: {name: us-uri}
  maxHops: 1
  rabbitmqClusterReference: {name: eu}
---
apiVersion: rabbitmq.com/v1beta1
kind: Policy
metadata: {name: fed}
spec:
  name: fed
  pattern: ^news$
  applyTo: exchanges
  definition: {federation-upstream-set: all}
  rabbitmqClusterReference: {name: eu}
"""
SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: us-uri}
stringData: {uri: "amqp://f:f@us.mq.svc:5672"}
"""


def test_resources_of_rabbitmqs_operator_are_definitions_of_their_clusters(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(OPERATOR + SECRET)

    mesh = load(str(file))

    assert ends(mesh) == {("us", "eu")}
    assert {broker.name for broker in mesh.brokers} == {"eu", "us"}
    assert not any(remark.leaves_open for remark in mesh.remarks)


def test_an_address_in_a_secret_that_is_not_given_leads_outside(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(OPERATOR)

    mesh = load(str(file))

    assert ends(mesh) == {("us-uri", "eu")}
    assert any("us-uri" in remark.what for remark in mesh.remarks if remark.leaves_open)


def test_resources_of_the_operator_that_are_not_known_leave_something_open(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    strange = "apiVersion: rabbitmq.com/v1beta1\nkind: SuperStream\nmetadata: {name: s}\nspec: {}\n"
    file.write_text(OPERATOR + SECRET + "---\n" + strange)

    (remark,) = (each for each in load(str(file)).remarks if each.leaves_open)

    assert remark.what == "SuperStream s of RabbitMQ's operator is not looked at"


def test_what_a_cluster_of_the_operator_says_of_its_nodes_is_read(tmp_path: Path) -> None:
    shovel = """spec:
  rabbitmq:
    additionalConfig: |
      cluster_name = europe
      default_policies.operator.x.expires = 5
    advancedConfig: |
      [{rabbitmq_shovel, [{shovels, [{s, [
        {source, [{uris, ["amqp://"]}, {queue, <<"q">>}]},
        {destination, [{uris, ["amqp://eu"]}]}]}]}]}].
"""
    file = tmp_path / "topology.yaml"
    file.write_text(OPERATOR.replace("metadata: {name: us}\n", "metadata: {name: us}\n" + shovel) + SECRET)

    mesh = load(str(file))

    assert {(link.kind, link.source, link.target) for link in mesh.links if link.source != link.target} == {
        ("shovel", "us", "eu"),
        ("federation", "us", "eu"),
    }
    assert "europe" in {broker.known_as for broker in mesh.brokers}
    open_ = [each for each in mesh.remarks if each.leaves_open]
    assert [each.what for each in open_] == ["default_policies.operator.x.expires = 5"]
    assert open_[0].place is not None and open_[0].place.line == 8


def test_clusters_of_one_name_in_two_namespaces_are_not_told_apart(tmp_path: Path) -> None:
    other = (
        "---\napiVersion: rabbitmq.com/v1beta1\nkind: RabbitmqCluster\nmetadata: {name: eu, namespace: b}\n"
    )
    (tmp_path / "topology.yaml").write_text(OPERATOR + SECRET + other)

    (remark,) = (each for each in load(str(tmp_path / "topology.yaml")).remarks if each.leaves_open)

    assert remark.what == "eu of namespace b is taken to be that of none"


def test_resources_of_one_name_in_two_namespaces_are_two(tmp_path: Path) -> None:
    one = CONFIG_MAPS.partition("---")[0]
    two = one.replace("{name: edge}", "{name: edge, namespace: b}").replace("up", "out")
    (tmp_path / "maps.yaml").write_text(f"{one}---\n{two}")

    with pytest.raises(InputError, match="are both of broker edge"):
        load(str(tmp_path / "maps.yaml"))


def test_rabbitmqs_files_in_a_config_map_are_of_one_cluster(tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mq}\ndata:\n  rabbitmq.conf: |\n"
        "    cluster_name = eu\n  definitions.json: |\n    " + json.dumps(DEFINITIONS) + "\n"
    )

    mesh = load(str(tmp_path / "map.yaml"))

    assert [broker.name for broker in mesh.brokers] == ["eu"]
    assert not any(each.leaves_open for each in mesh.remarks)


def test_other_resources_of_the_file_that_link_brokers_leave_verdicts_open(tmp_path: Path) -> None:
    more = """---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker2
metadata: {name: mirror}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: nats}
spec: {template: {spec: {containers: [{name: nats, args: [--routes, "nats://b:6222"]}]}}}
"""
    (tmp_path / "all.yaml").write_text(CONFIG_MAPS.replace("no-such-word 1", "allow_anonymous true") + more)

    what = [each.what for each in load(str(tmp_path / "all.yaml")).remarks if each.leaves_open]

    assert what == [
        "KafkaMirrorMaker2 mirror stands in a file with other brokers, and is not looked at",
        "the command of StatefulSet nats says how it is linked",
    ]


# --- docker-compose ----------------------------------------------------------------------------------

COMPOSE = """services:
  edge:
    image: eclipse-mosquitto
    volumes: ["./edge.conf:/mosquitto/config/mosquitto.conf:ro"]
  hub:
    image: eclipse-mosquitto
    container_name: the-hub
    configs: [{source: hub, target: /mosquitto/config/mosquitto.conf}]
  shop:
    image: shop
    volumes: ["./shop.txt:/etc/shop.txt"]
configs:
  hub:
    content: |
      listener 1883
"""


def test_services_of_docker_compose_are_brokers_by_what_they_mount(tmp_path: Path) -> None:
    (tmp_path / "edge.conf").write_text(MOSQUITTO.format(port=1883, name="up", to="the-hub:1883"))
    (tmp_path / "shop.txt").write_text("hello")
    (tmp_path / "compose.yaml").write_text(COMPOSE)

    mesh = load(str(tmp_path / "compose.yaml"))

    assert ends(mesh) == {("edge", "hub"), ("hub", "edge")}


EXAMPLE = Path(__file__).parents[3] / "examples" / "meshes" / "compose" / "compose.yaml"


def test_variables_of_a_service_and_of_its_folder_are_put_in() -> None:
    mesh = load(str(EXAMPLE))

    assert {(link.source, link.target) for link in mesh.links} == {("site", "hub")}
    assert [link.rename and link.rename.add for link in mesh.links] == ["berlin/"]
    assert [each.what for each in mesh.remarks if "PREFIX" in each.what] == [
        "variables of service site are put in where its files have them: PREFIX"
    ]


def test_services_that_mount_one_file_are_brokers_each_with_its_own_variables(tmp_path: Path) -> None:
    service = (
        "  {0}:\n    image: nats\n    environment: [NAME={0}, PEER={1}]\n"
        "    volumes: ['./nats.conf:/nats.conf']\n"
    )
    (tmp_path / "compose.yaml").write_text(
        "services:\n" + service.format("n1", "n2") + service.format("n2", "n1")
    )
    (tmp_path / "nats.conf").write_text(
        "server_name: $NAME\ncluster { name: C, listen: 0.0.0.0:6222, routes: [nats://$PEER:6222] }\n"
    )
    (tmp_path / "env").write_text("")

    mesh = load(str(tmp_path / "compose.yaml"))

    assert {frozenset((link.source, link.target)) for link in mesh.links} == {frozenset(("n1", "n2"))}
    assert not any(each.leaves_open for each in mesh.remarks)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("    command: -cluster nats://0.0.0.0:6222 -routes nats://b:6222\n", "the command of service edge"),
        (
            "    environment: {DOCKER_VERNEMQ_VMQ_BRIDGE__TCP__BR0: 'b:1883'}\n",
            "in the environment of service edge",
        ),
        ("  other:\n    image: rabbitmq:3-management\n", "service other (rabbitmq:3-management) mounts no"),
    ],
)
def test_what_configures_a_service_elsewhere_leaves_verdicts_open(
    tmp_path: Path, said: str, what: str
) -> None:
    text = "services:\n  edge:\n    image: nats\n    volumes: ['./edge.conf:/mosquitto.conf']\n"
    (tmp_path / "edge.conf").write_text("listener 1883\nallow_anonymous true\n")
    (tmp_path / "compose.yaml").write_text(text + said)

    open_ = [each.what for each in load(str(tmp_path / "compose.yaml")).remarks if each.leaves_open]

    assert len(open_) == 1
    assert what in open_[0]


# --- variables ---------------------------------------------------------------------------------------


def test_variables_are_put_in_from_files_of_them(tmp_path: Path) -> None:
    text = MOSQUITTO.format(port="${PORT:-1883}", name="up", to="$(HUB):1883")
    (tmp_path / "edge.conf").write_text(text)
    (tmp_path / "hub.conf").write_text("listener 1883\n")
    (tmp_path / "env").write_text("# who is who\nexport HUB='hub'  \n")

    files = (str(tmp_path / "edge.conf"), str(tmp_path / "hub.conf"))
    mesh = load(*files, given=Given(env_files=(str(tmp_path / "env"),)))

    assert ends(mesh) == {("edge", "hub"), ("hub", "edge")}


def test_a_line_that_is_no_variable_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "env").write_text("A=1\nwhat is this\n")

    with pytest.raises(InputError, match="gives no variable a value") as caught:
        load("-", given=Given(env_files=(str(tmp_path / "env"),)))

    assert caught.value.place is not None and caught.value.place.line == 2
