"""MirrorSourceConnectors of Kafka Connect and Strimzi: which flows they are, and where they write.

Facts from apache/kafka, connect/mirror/src/main/java/org/apache/kafka/connect/mirror: `enabled` is true, the
target is called `target`, and a source without an alias is refused (MirrorConnectorConfig.java). Connectors
that are sources hand their records to the producer of the worker (connect/runtime, WorkerSourceTask.java).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.files.find import form_of, load
from angarium.mesh.importers import mirrormaker
from angarium.mesh.mesh import ASSUMED, CARRIES, DANGLING, NOT_UNDERSTOOD, NOTE, Mesh, Rename
from angarium.mesh.verify.budget import NONE
from angarium.mesh.verify.verify import verify
from tests.effort import examples
from tests.mesh.importers.samples import copies, damaged, link, read_or_refused, remarks, sample, written

CLASS = "org.apache.kafka.connect.mirror.MirrorSourceConnector"


def config(source: str, target: str, **more: str) -> dict[str, str]:
    return {
        "connector.class": CLASS,
        "source.cluster.alias": source,
        "target.cluster.alias": target,
        "source.cluster.bootstrap.servers": f"{source}1:9092",
        "target.cluster.bootstrap.servers": f"{target}1:9092",
        **{key.replace("_", "."): value for key, value in more.items()},
    }


def read(folder: Path, value: object) -> Mesh:
    return mirrormaker.read(written(folder, connectors_json=json.dumps(value, indent="\t")))


def test_the_sample_is_two_flows_that_see_their_cycle() -> None:
    mesh = mirrormaker.read(sample("kafka-connect", "connectors.json"))

    assert [(each.name, each.rename) for each in mesh.links] == [
        ("eu->us", Rename(add="eu.")),
        ("us->eu", Rename(add="us.")),
    ]
    assert copies(mesh, "eu", "orders") == {("eu", "orders"): 1, ("us", "eu.orders"): 1}
    assert remarks(mesh, ASSUMED) == [
        "the Connect that runs eu-to-us is taken to have us for its own cluster",
        "the Connect that runs us-to-eu is taken to have eu for its own cluster",
    ]


@pytest.mark.parametrize("shape", ["bare", "created", "listed", "answered"])
def test_the_shapes_of_kafka_connect_say_the_same(tmp_path: Path, shape: str) -> None:
    bare = config("eu", "us")
    created = {"name": "m", "config": bare}
    status = {"status": {"connector": {"state": "RUNNING"}}}
    shapes = {
        "bare": bare,
        "created": created,
        "listed": [created],
        "answered": {"m": {"info": {**created, "tasks": [], "type": "source"}, **status}},
    }

    mesh = read(tmp_path, shapes[shape])

    assert [(each.name, each.source, each.target) for each in mesh.links] == [("eu->us", "eu", "us")]
    assert form_of(tmp_path / "connectors.json") == "mirrormaker"


def test_identical_names_in_both_directions_go_round(tmp_path: Path) -> None:
    policy = {"replication_policy_class": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"}

    mesh = read(tmp_path, [config("eu", "us", **policy), config("us", "eu", **policy)])

    assert copies(mesh, "eu", "orders")["us", "orders"] is None


def test_a_target_without_an_alias_does_not_know_its_own_topics(tmp_path: Path) -> None:
    bare = config("us", "eu")
    del bare["target.cluster.alias"]

    mesh = read(tmp_path, [config("eu", "us"), bare])

    assert ("eu", "us.eu.orders") in copies(mesh, "eu", "orders")
    assert [broker.name for broker in mesh.brokers] == ["eu", "us"]


def test_clusters_that_two_connectors_call_the_same_go_by_their_servers(tmp_path: Path) -> None:
    policy = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
    there = config("source", "b", replication_policy_class=policy)
    back = {
        **there,
        "source.cluster.bootstrap.servers": "b1:9092",
        "target.cluster.bootstrap.servers": "source1:9092",
    }
    del there["target.cluster.alias"], back["target.cluster.alias"]

    mesh = read(tmp_path, [there, back])

    assert [(each.source, each.target) for each in mesh.links] == [("source", "b1"), ("b1", "source")]
    assert copies(mesh, "source", "orders")["b1", "orders"] is None
    assert remarks(mesh, NOT_UNDERSTOOD) == []


def test_an_alias_with_other_servers_may_be_another_cluster(tmp_path: Path) -> None:
    other = {**config("us", "eu"), "source.cluster.bootstrap.servers": "us2:9092"}

    mesh = read(tmp_path, [config("eu", "us"), other])

    assert remarks(mesh, NOT_UNDERSTOOD) == [
        "us has other bootstrap servers here: whether it is another cluster is not known"
    ]
    assert {each.verdict for each in verify(mesh, budget=NONE).guarantees} & {Verdict.UNKNOWN}


@pytest.mark.parametrize("state", ["PAUSED", "STOPPED"])
def test_what_does_not_run_copies_nothing_and_is_told(tmp_path: Path, state: str) -> None:
    mesh = read(tmp_path, {"name": "m", "config": config("eu", "us"), "initial_state": state})

    assert mesh.links == ()
    assert remarks(mesh, NOTE) == [f"m (eu->us) is {state.lower()}: it copies nothing until that is changed"]
    assert read(tmp_path, config("eu", "us", enabled="false")).links == ()


def test_it_writes_where_its_producer_is_sent(tmp_path: Path) -> None:
    mesh = read(tmp_path, config("eu", "us", producer_override_bootstrap_servers="ap1:9092"))

    assert link(mesh, "eu->us").target == "ap1"
    assert remarks(mesh, DANGLING) == ["a connector has the target us, but its Connect writes to ap1"]


def test_other_connectors_are_not_looked_at_and_housekeeping_is_harmless(tmp_path: Path) -> None:
    sink = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "topics": "orders"}
    beats = {"connector.class": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector"}

    mesh = read(tmp_path, [{"name": "sink", "config": sink}, beats, config("eu", "us")])

    (found,) = [each for each in mesh.remarks if each.kind == NOT_UNDERSTOOD]
    assert found.what == "sink is a JdbcSinkConnector, which is not looked at"
    assert found.effects == frozenset((CARRIES,))
    assert found.place is not None
    assert (found.place.line, found.place.column) == (5, 23)


@pytest.mark.parametrize("key", ["transforms", "predicates", "topic.filter.class", "made.up"])
def test_settings_that_may_change_delivery_are_told(tmp_path: Path, key: str) -> None:
    mesh = read(tmp_path, {**config("eu", "us"), key: "x"})

    (told,) = remarks(mesh, NOT_UNDERSTOOD)
    assert told.startswith(key)


def test_a_source_without_an_alias_is_refused_with_its_place(tmp_path: Path) -> None:
    bare = config("eu", "us")
    del bare["source.cluster.alias"]

    with pytest.raises(MeshError, match=r"has no source\.cluster\.alias") as caught:
        read(tmp_path, {"name": "m", "config": bare})

    assert caught.value.place is not None
    assert caught.value.place.line == 4


def test_json_that_is_none_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"connector.class": "MirrorSourceConnector",\n "topics": }')

    with pytest.raises(MeshError, match="not JSON") as caught:
        load(str(path))

    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (2, 12)


def test_strimzis_connectors_write_to_the_cluster_of_their_connect() -> None:
    mesh = mirrormaker.read(sample("kafka-connect", "strimzi-connectors.yaml"))

    assert [each.name for each in mesh.links] == ["eu->us"]
    assert remarks(mesh, NOTE) == ["us-to-eu (us->eu) is paused: it copies nothing until that is changed"]
    assert remarks(mesh, ASSUMED) == []
    assert remarks(mesh, NOT_UNDERSTOOD) == []


def test_strimzis_connector_in_the_wrong_connect_is_told(tmp_path: Path) -> None:
    (path,) = sample("kafka-connect", "strimzi-connectors.yaml")
    text = path.read_text().replace("state: paused", "state: running")

    mesh = mirrormaker.read(written(tmp_path, c_yaml=text))

    assert link(mesh, "us->eu").target == "us"
    assert remarks(mesh, DANGLING) == ["us-to-eu has the target eu, but its Connect writes to us"]


@settings(max_examples=examples(30), deadline=None)
@given(damaged(sample("kafka-connect", "connectors.json")[0].read_text()))
def test_damaged_files_are_read_or_refused(text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        read_or_refused(mirrormaker.read, written(Path(folder), c_json=text))
