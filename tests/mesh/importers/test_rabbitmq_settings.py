"""RabbitMQ's rabbitmq.conf and advanced.config. Facts are those of docs/configure and docs/shovel-static."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.files.find import form_of, load
from angarium.mesh.files.given import Given
from angarium.mesh.importers.erlang_terms import read_terms
from angarium.mesh.importers.rabbitmq_files import recognises
from angarium.mesh.mesh import DROPS, EFFECTS, EVERYTHING, Mesh
from tests.effort import examples
from tests.mesh.importers.samples import EXAMPLES, copies, damaged

SAMPLE = EXAMPLES / "rabbitmq" / "static-shovel"
DEFINITIONS = {"vhosts": [{"name": "/"}], "exchanges": [{"name": "orders", "vhost": "/", "type": "topic"}]}
SHOVEL = """[{rabbitmq_shovel, [{shovels, [
  {s, [{source, [{uris, ["amqp://"]}, {queue, <<"q">>}]},
       {destination, [{uris, ["amqp://us"]}]}]}]}]}].
"""


def cluster(folder: Path, **texts: str) -> Mesh:
    """`eu` with definitions and these settings, and `us`."""
    for name in ("eu", "us"):
        (folder / name).mkdir()
        (folder / name / "definitions.json").write_text(json.dumps(DEFINITIONS))
    for name, text in texts.items():
        (folder / "eu" / name.replace("_", ".")).write_text(text)
    return load(str(folder))


def left_open(mesh: Mesh) -> dict[str, frozenset[str]]:
    return {remark.what: remark.effects for remark in mesh.remarks if remark.leaves_open}


def test_a_static_shovel_carries_what_it_declares_and_publishes_it_elsewhere() -> None:
    mesh = load(str(SAMPLE))

    assert copies(mesh, "eu", "order.paid", "orders")[("us", "orders: order.paid")] == 1
    assert ("us", "orders: bill.paid") not in copies(mesh, "eu", "bill.paid", "orders")
    assert left_open(mesh) == {}
    assert {form_of(path) for path in SAMPLE.rglob("*.*")} == {"rabbitmq"}


def test_settings_are_of_the_cluster_whose_definitions_lie_beside_them(tmp_path: Path) -> None:
    mesh = cluster(tmp_path, rabbitmq_conf="cluster_name = europe\nlisteners.tcp.default = 5672\n")

    assert {broker.name for broker in mesh.brokers} == {"europe", "us"}
    assert left_open(mesh) == {}


def test_settings_beside_definitions_of_several_clusters_are_given_by_hand(tmp_path: Path) -> None:
    for name in ("eu", "us"):
        (tmp_path / f"{name}.json").write_text(json.dumps(DEFINITIONS))
    conf = tmp_path / "rabbitmq.conf"
    conf.write_text("cluster_name = europe\n")
    hand = Given(brokers={"eu": (f"{tmp_path}/eu.json", str(conf))})

    unsaid = left_open(load(str(tmp_path)))
    said = load(f"{tmp_path}/us.json", given=hand)

    assert any("may be of any cluster whose definitions lie beside it" in what for what in unsaid)
    assert {(broker.name, broker.known_as) for broker in said.brokers} == {("eu", "europe"), ("us", "us")}


def test_a_cluster_without_its_definitions_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "rabbitmq.conf").write_text("load_definitions = /etc/rabbitmq/eu.json\n")

    (remark,) = load(str(tmp_path / "rabbitmq.conf")).remarks

    assert "load_definitions = /etc/rabbitmq/eu.json: these definitions were not given" in remark.what
    assert (remark.effects, remark.place and remark.place.line) == (EVERYTHING, 1)


@pytest.mark.parametrize(
    ("setting", "effects"),
    [
        ("auth_backends.1 = ldap", {DROPS}),
        ("default_policies.operator.all.max_length = 7", {DROPS}),
        ("default_limits.vhosts.1.max_queues = 7", {DROPS}),
        ("no_such_key = 1", EFFECTS),
    ],
)
def test_settings_that_may_change_what_arrives_are_told_with_what_they_do(
    tmp_path: Path, setting: str, effects: set[str]
) -> None:
    mesh = cluster(tmp_path, rabbitmq_conf=f"cluster_name = eu\n{setting}\n")

    assert left_open(mesh) == {setting: effects}


@pytest.mark.parametrize("setting", ["auth_backends.1 = internal", "log.file.level = info", "heartbeat = 9"])
def test_settings_of_how_a_node_runs_change_nothing(tmp_path: Path, setting: str) -> None:
    assert left_open(cluster(tmp_path, rabbitmq_conf=f"cluster_name = eu\n{setting}\n")) == {}


def test_two_names_of_one_cluster_are_told(tmp_path: Path) -> None:
    mesh = cluster(
        tmp_path, rabbitmq_conf="cluster_name = one\n", advanced_config='[{rabbit,[{cluster_name,"two"}]}].'
    )

    assert any(
        "the cluster_name is one" in what or "the cluster_name is two" in what for what in left_open(mesh)
    )


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("{destination,", "{destinations,", "destinations of static shovel s: it is left out"),
        ("{queue, <<", "{strange, <<", "strange in the source of static shovel s: it is left out"),
        ("[{uris, ", "[{protocol, amqp10}, {uris, ", 'shovel s of eu, which has src-protocol "amqp10"'),
        ("rabbitmq_shovel", "rabbitmq_sharding", "rabbitmq_sharding in advanced.config"),
    ],
)
def test_what_is_not_known_of_static_shovels_leaves_verdicts_open(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    mesh = cluster(tmp_path, advanced_config=SHOVEL.replace(old, new, 1))

    assert left_open(mesh)[what] == EFFECTS
    assert mesh.links == ()


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (SHOVEL.replace("].\n", "]\n"), (4, 1), "a full stop is missing"),
        (SHOVEL.replace('["amqp://"]', "#{a => 1}"), (2, 25), "this is no term that is read"),
        (SHOVEL.replace("{s, [{source", "{s, [{source}, {sauce"), (2, 8), "this is no option"),
        (SHOVEL.replace("{destination, [{uris", "{reconnect_delay, [{uris"), (2, 7), "has no destination"),
    ],
)
def test_an_advanced_config_that_is_broken_is_told_with_line_and_column(
    tmp_path: Path, text: str, place: tuple[int, int], what: str
) -> None:
    file = tmp_path / "advanced.config"
    file.write_text(text)

    with pytest.raises(MeshError, match=what) as caught:
        load(str(file), given=Given(form="rabbitmq"))

    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == place


def test_a_broken_advanced_config_leaves_only_its_cluster_unknown(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "site")
    file = tmp_path / "site" / "eu" / "advanced.config"
    file.write_text(file.read_text().replace("{shovels", "{shovels,"))

    assert "eu" in {name for remark in load(str(tmp_path / "site")).remarks for name in remark.brokers}


@given(damaged((SAMPLE / "eu" / "advanced.config").read_text()) | st.text("[{<\"'%", max_size=300))
@settings(max_examples=examples(30), deadline=None)
def test_terms_are_read_or_refused_whatever_is_in_them(text: str) -> None:
    recognises(Path("advanced.config"), text)
    try:
        found = read_terms(Path("advanced.config"), text).place
    except MeshError as error:
        found = error.place
    assert found is not None
