"""What runs brokers: nothing holds where a broker may not be as its file says, or not be reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.mesh.files.find import load

HUB = "listener 1883\nallow_anonymous true\n"
EDGE = f"{HUB}connection up\naddress hub:1883\ntopic data/# out 1\n"


def left_open(folder: Path, **texts: str) -> list[str]:
    """What is told of files in a folder."""
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return [each.what for each in load(str(folder)).remarks if each.leaves_open]


# --- Kubernetes --------------------------------------------------------------------------------------


def config_map(name: str, text: str) -> str:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n"
    return f"{head}  mosquitto.conf: |\n{lines}---\n"


MAPS = config_map("hub", HUB) + config_map("edge", EDGE)


def workload(kind: str, image: str, more: str = "", said: str = "", mounts: str = "hub") -> str:
    return f"""apiVersion: apps/v1
kind: {kind}
metadata: {{name: w}}
spec:
  {more}
  template:
    spec:
      containers:
      - name: broker
        image: {image}
        {said}
        volumeMounts: [{{name: c, mountPath: /config}}]
      volumes: [{{name: c, configMap: {{name: {mounts}}}}}]
"""


def resource(group: str, kind: str) -> str:
    return f"apiVersion: {group}\nkind: {kind}\nmetadata: {{name: it}}\nspec: {{}}\n"


MOSQUITTO, NATS = "eclipse-mosquitto:2", "docker.io/nats:2.10-alpine"


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (workload("Deployment", MOSQUITTO), []),
        (workload("Deployment", "acme/app"), []),
        (workload("StatefulSet", NATS, "replicas: 3"), []),
        (workload("Deployment", MOSQUITTO, "replicas: 1", "args: [-c, /config/mosquitto.conf]"), []),
        (resource("monitoring.coreos.com/v1", "ServiceMonitor"), []),
        (
            resource("networking.k8s.io/v1", "NetworkPolicy"),
            ["NetworkPolicy it may keep links from being made"],
        ),
        (
            resource("cilium.io/v2", "CiliumNetworkPolicy"),
            ["CiliumNetworkPolicy it may keep links from being made"],
        ),
        (
            resource("security.istio.io/v1", "AuthorizationPolicy"),
            ["AuthorizationPolicy it (security.istio.io) is not looked at"],
        ),
        (resource("jetstream.nats.io/v1", "Stream"), ["Stream it (jetstream.nats.io) is not looked at"]),
        (workload("Deployment", MOSQUITTO, "replicas: 0"), ["Deployment w does not run (0 of it)"]),
        (
            workload("StatefulSet", MOSQUITTO, "replicas: 2"),
            ["StatefulSet w runs 2 times, with the same file"],
        ),
        (workload("Deployment", NATS, "replicas: 2"), ["Deployment w runs 2 times, with the same file"]),
        (
            workload("Deployment", "acme/own", "replicas: 2"),
            ["Deployment w runs 2 times, with the same file"],
        ),
        (
            workload("Deployment", MOSQUITTO, mounts="lost"),
            [f"Deployment w ({MOSQUITTO}) mounts no configuration that is known"],
        ),
        (
            workload("Deployment", MOSQUITTO, said="args: [-c, /etc/own.conf]"),
            ["the command of Deployment w names /etc/own.conf, where it mounts nothing"],
        ),
        (
            workload("Deployment", "emqx/emqx:5", said="env: [{name: EMQX_BRIDGES__MQTT__B, value: x}]"),
            ["EMQX_BRIDGES__MQTT__B in the environment of Deployment w is a setting"],
        ),
        (
            config_map("spoke", "peer = mqtt://hub\n").replace("mosquitto.conf", "broker.conf"),
            ["broker.conf of ConfigMap spoke speaks of links, and is not understood"],
        ),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_resources_beside_configuration_may_change_it_or_part_brokers(
    tmp_path: Path, more: str, what: list[str], apart: bool
) -> None:
    texts = {"a_yaml": MAPS, "b_yaml": more} if apart else {"a_yaml": MAPS + more}

    assert left_open(tmp_path, **texts) == what


def test_a_policy_of_networks_parts_brokers_whose_files_are_no_resources(tmp_path: Path) -> None:
    policy = resource("networking.k8s.io/v1", "NetworkPolicy")

    assert left_open(tmp_path, hub_conf=HUB, edge_conf=EDGE, policy_yaml=policy) == [
        "NetworkPolicy it may keep links from being made"
    ]


def test_binary_data_of_a_config_map_is_configuration_too(tmp_path: Path) -> None:
    spoke = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spoke}\nbinaryData:\n  mosquitto.conf: "
        "Y29ubmVjdGlvbiB1cAphZGRyZXNzIGh1YjoxODgzCnRvcGljICMgb3V0IDEK\n"
    )
    (tmp_path / "a.yaml").write_text(MAPS + spoke, encoding="utf-8")

    assert {(each.source, each.target) for each in load(str(tmp_path)).links} == {
        ("edge", "hub"),
        ("spoke", "hub"),
    }


RABBIT = """apiVersion: rabbitmq.com/v1beta1
kind: RabbitmqCluster
metadata: {name: eu}
spec: {replicas: 3, rabbitmq: {additionalPlugins: [rabbitmq_shovel]}, tls: {secretName: t}}
"""


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("replicas: 3", "replicas: 3", []),
        ("replicas: 3", "replicas: 0", ["eu does not run (replicas: 0)"]),
        ("replicas: 3", "override: {statefulSet: {}}", ["override of eu"]),
        ("additionalPlugins: [rabbitmq_shovel]", "envConfig: A=b", ["envConfig of eu"]),
        ("secretName: t", "disableNonTLSListeners: true", ["eu lets in who speaks TLS only"]),
    ],
)
def test_a_cluster_of_the_operator_may_not_be_as_its_definitions_say(
    tmp_path: Path, old: str, new: str, what: list[str]
) -> None:
    assert left_open(tmp_path, eu_yaml=RABBIT.replace(old, new)) == what


# --- docker-compose ----------------------------------------------------------------------------------

SERVICES = """services:
  hub:
    image: eclipse-mosquitto:2
    volumes: ['./hub.conf:/mosquitto/config/mosquitto.conf']
    {hub}
  edge:
    image: eclipse-mosquitto:2
    volumes: ['./edge.conf:/mosquitto/config/mosquitto.conf']
    {edge}
"""
APART = ["services edge and hub are in no network together"]


@pytest.mark.parametrize(
    ("hub", "edge", "what"),
    [
        ("networks: [a, b]", "networks: {b: {aliases: [x]}}", []),
        ("networks: [a]", "networks: [b]", APART),
        ("network_mode: host", "", APART),
        ("profiles: [debug]", "", ["service hub runs only with profile debug"]),
        ("scale: 0", "", ["service hub does not run (0 of it)"]),
        ("deploy: {replicas: 2}", "", ["service hub runs 2 times, with the same file"]),
        ("deploy: {replicas: 1}", "links: [hub]", []),
        ("command: mosquitto -c /mosquitto/config/mosquitto.conf", "", []),
        (
            "command: [mosquitto, -c, /own.conf]",
            "",
            ["the command of service hub names /own.conf, where it mounts nothing"],
        ),
        ("", "extra_hosts: ['hub:10.0.0.9']", ["service edge has addresses of its own for others"]),
        ("", "links: ['other:hub']", ["service edge has addresses of its own for others"]),
        ("", "extends: {service: base}", ["service edge extends another one, which is not looked at"]),
        (
            "",
            "environment: [A=b]\n  more:\n    extends: {file: more.yaml, service: it}",
            ["service more extends another one, which is not looked at"],
        ),
        (
            "",
            "environment: [A=b]\n  more:\n    build: ./mosquitto",
            ["service more (./mosquitto) mounts no configuration that is known"],
        ),
        ("", "environment: [A=b]\n  shop:\n    build: .", []),
        (
            "",
            "environment: [A=b]\ninclude: [more.yaml]",
            ["include of other files of docker-compose is not followed"],
        ),
    ],
)
def test_a_service_may_not_be_as_its_file_says(tmp_path: Path, hub: str, edge: str, what: list[str]) -> None:
    compose = SERVICES.format(hub=hub, edge=edge)
    (tmp_path / "hub.conf").write_text(HUB, encoding="utf-8")
    (tmp_path / "edge.conf").write_text(EDGE, encoding="utf-8")
    (tmp_path / "compose.yaml").write_text(compose, encoding="utf-8")

    remarks = load(str(tmp_path / "compose.yaml")).remarks

    assert [each.what for each in remarks if each.leaves_open] == what


def test_what_overrides_a_file_of_docker_compose_beside_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "hub.conf").write_text(HUB, encoding="utf-8")
    (tmp_path / "edge.conf").write_text(EDGE, encoding="utf-8")
    (tmp_path / "compose.yaml").write_text(SERVICES.format(hub="", edge=""), encoding="utf-8")
    (tmp_path / "compose.override.yaml").write_text("services: {}\n", encoding="utf-8")

    remarks = load(str(tmp_path / "compose.yaml")).remarks

    assert [each.what for each in remarks if each.leaves_open] == [
        "compose.override.yaml lies beside compose.yaml, and changes what that says"
    ]


def test_a_file_that_a_service_mounts_and_nobody_understands_is_told(tmp_path: Path) -> None:
    (tmp_path / "hub.conf").write_text(HUB, encoding="utf-8")
    (tmp_path / "edge.conf").write_text(EDGE, encoding="utf-8")
    (tmp_path / "more.conf").write_text("peer = mqtt://hub\n", encoding="utf-8")
    more = "environment: [A=b]\n    configs: [more]\nconfigs: {more: {file: ./more.conf}}"
    (tmp_path / "compose.yaml").write_text(SERVICES.format(hub="", edge=more), encoding="utf-8")

    remarks = load(str(tmp_path / "compose.yaml")).remarks

    assert [each.what for each in remarks if each.leaves_open] == [
        "more.conf, which service edge mounts, speaks of links, and is not understood"
    ]
