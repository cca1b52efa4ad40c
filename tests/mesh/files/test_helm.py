"""Values of Helm charts. Facts are those of the values.yaml of bitnami/rabbitmq and of nats-io/k8s."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.mesh.files.find import load
from angarium.mesh.mesh import DROPS, EFFECTS, Mesh
from tests.mesh.importers.samples import at_brokers, copies

EXAMPLES = Path(__file__).parents[3] / "examples" / "meshes" / "helm"


def left_open(mesh: Mesh) -> dict[str, frozenset[str]]:
    return {remark.what: remark.effects for remark in mesh.remarks if remark.leaves_open}


def changed(folder: Path, name: str, *changes: tuple[str, str]) -> Mesh:
    text = (EXAMPLES / name).read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / name).write_text(text)
    return load(str(folder / name))


def test_definitions_in_the_values_of_rabbitmq_are_those_of_its_cluster() -> None:
    mesh = load(str(EXAMPLES / "rabbitmq-eu.yaml"), str(EXAMPLES / "rabbitmq-us.yaml"))

    assert copies(mesh, "us", "order.paid", "orders")[("eu", "orders: order.paid")] == 1
    assert left_open(mesh) == {}
    line = (EXAMPLES / "rabbitmq-eu.yaml").read_text().split("\n")
    assert mesh.links[0].place is not None
    assert '"federation-upstream"' in line[mesh.links[0].place.line - 1]


def test_values_of_rabbitmq_without_definitions_leave_its_cluster_unknown(tmp_path: Path) -> None:
    mesh = changed(tmp_path, "rabbitmq-us.yaml", ("  enabled: true", "  enabled: false"))

    assert any("these definitions were not given" in what for what in left_open(mesh))


def test_static_shovels_in_the_values_of_rabbitmq_are_read(tmp_path: Path) -> None:
    shovel = (
        "advancedConfiguration: |-\n  [{rabbitmq_shovel, [{shovels, [{s, [\n"
        '    {source, [{uris, ["amqp://"]}, {queue, <<"q">>}]},\n'
        '    {destination, [{uris, ["amqp://eu"]}]}]}]}]}].\nreplicaCount'
    )
    mesh = changed(tmp_path, "rabbitmq-us.yaml", ("replicaCount", shovel))

    assert {(link.source, link.target) for link in mesh.links if link.kind == "shovel"} == {("us", "eu")}


def test_every_replica_of_nats_is_a_server_of_its_cluster() -> None:
    mesh = load(str(EXAMPLES / "nats-values.yaml"))

    assert {broker.name for broker in mesh.brokers} == {"nats-eu-0", "nats-eu-1", "nats-us-0", "nats-us-1"}
    assert set(at_brokers(mesh, "nats-eu-0", "x").values()) == {1}
    assert len(at_brokers(mesh, "nats-eu-0", "x")) == 4
    assert left_open(mesh) == {}


def test_leaf_nodes_are_read_as_the_chart_wrote_them_before_version_1(tmp_path: Path) -> None:
    (tmp_path / "leaf-values.yaml").write_text(
        "leafnodes:\n  enabled: true\n  remotes:\n    - url: nats://nats-eu-0:7422\n"
    )
    mesh = load(str(tmp_path / "leaf-values.yaml"))

    assert {frozenset((link.source, link.target)) for link in mesh.links} == {
        frozenset(("leaf", "nats-eu-0"))
    }


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("    cluster: {enabled: true, replicas: 2, name: eu}",
         "    cluster: {enabled: true, replicas: 2, name: eu}\n    patch: [{op: remove}]",
         "patch of the values"),
        ("replicas: 2, name: us", "replicas: many, name: us", "many replicas of nats-us"),
        ('urls: ["nats://nats-us:7222"]', "urls: << $URLS >>", "<< $URLS >> of the values"),
        ("nats-us:\n", "nats-us:\n  extraResources: [{kind: ConfigMap}]\n", "extraResources of the values"),
    ],
)  # fmt: skip
def test_what_values_say_otherwise_leaves_verdicts_open(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    found = left_open(changed(tmp_path, "nats-values.yaml", (old, new)))

    assert [effects for told, effects in found.items() if what in told] == [EFFECTS]


@pytest.mark.parametrize(
    ("said", "what", "effects"),
    [
        ("initScripts: {x.sh: rabbitmqctl set_parameter}", "initScripts of the values of us", EFFECTS),
        ("extraEnvVars: [{name: A, value: b}]", "extraEnvVars of the values of us", EFFECTS),
        ("networkPolicy: {enabled: true}", "networkPolicy of us may keep links from being made", {DROPS}),
        ("replicaCount: 0", "us does not run (replicaCount: 0)", {DROPS}),
        ("networkPolicy: {enabled: true, allowExternal: true}", "", {}),
        ("extraEnvVars: []", "", {}),
    ],
)
def test_what_a_chart_makes_besides_leaves_verdicts_open(
    tmp_path: Path, said: str, what: str, effects: set[str]
) -> None:
    mesh = changed(tmp_path, "rabbitmq-us.yaml", ("replicaCount: 3", said))

    assert left_open(mesh) == ({what: effects} if what else {})


def test_a_broker_that_makes_no_cluster_runs_once(tmp_path: Path) -> None:
    mesh = changed(
        tmp_path, "mosquitto-values.yaml", ("mosquitto-hub:\n", "mosquitto-hub:\n  replicaCount: 2\n")
    )

    assert list(left_open(mesh)) == ["mosquitto-hub runs 2 times, with the same file"]


def test_texts_of_mosquitto_in_values_are_its_configuration(tmp_path: Path) -> None:
    mesh = load(str(EXAMPLES / "mosquitto-values.yaml"))
    broken = changed(tmp_path, "mosquitto-values.yaml", ("topic measured/# out 1", "topic measured/# over 1"))

    assert at_brokers(mesh, "mosquitto-edge", "measured/x") == {"mosquitto-edge": 1, "mosquitto-hub": 1}
    assert left_open(mesh) == {}
    (remark,) = (each for each in broken.remarks if each.leaves_open)
    lines = (tmp_path / "mosquitto-values.yaml").read_text().split("\n")
    assert remark.place is not None
    assert "over 1" in lines[remark.place.line - 1]


def test_a_mesh_file_is_no_values(tmp_path: Path) -> None:
    (tmp_path / "mesh.yaml").write_text("brokers: [a]\n")

    assert [broker.name for broker in load(str(tmp_path / "mesh.yaml")).brokers] == ["a"]
