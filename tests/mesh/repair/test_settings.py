"""Repairs of brokers' own files: settings, in the words of the file, with its line."""

from __future__ import annotations

from pathlib import Path

from angarium.app.report.mesh_repair import render
from angarium.mesh.change import RemoveLink, SetRules, applied
from angarium.mesh.files.find import load
from angarium.mesh.mesh import Mesh
from angarium.mesh.repair import Miss, Outcome, Search, settings
from angarium.mesh.verify.budget import NONE, read_budget
from angarium.mesh.verify.difference import compare
from angarium.mesh.verify.verify import verify

HUB = "listener 1883 10.0.0.2\n"
PUBLIC = """listener 1883 10.0.0.1
connection up
address 10.0.0.2:1883
try_private false
topic # both 1
"""
LEAF = """server_name: leaf
leafnodes { remotes: [ {url: "nats://hub-1:7422"}, {url: "nats://hub-2:7422"} ] }
"""
IDENTITY = Path("examples/meshes/mirrormaker/identity.properties")


def hub(name: str, other: str) -> str:
    return f"""server_name: {name}
listen: "{name}:4222"
cluster {{ name: core, listen: "{name}:6222", routes: ["nats://{other}:6222"] }}
leafnodes {{ listen: "{name}:7422" }}
"""


def read(folder: Path, **files: str) -> Mesh:
    for name, text in files.items():
        (folder / f"{name}.conf").write_text(text)
    return load(str(folder))


def mended(mesh: Mesh, *only: str) -> Outcome:
    """The search, each of whose offers is verified once more."""
    outcome = Search(mesh, NONE, only).outcome()
    for repair in outcome.repairs:
        assert repair.guarantee not in {each.guarantee for each in verify(repair.mesh, NONE).violations}
    return outcome


def offers(mesh: Mesh, guarantee: str) -> list[str]:
    return [str(change) for repair in mended(mesh, guarantee).repairs for change in repair.changes]


def test_mosquitto_is_told_to_try_private(tmp_path: Path) -> None:
    mesh = read(tmp_path, edge=PUBLIC, hub=HUB)

    first, *_ = offers(mesh, "no-duplicates")

    assert first.startswith(f"write try_private true in the connection of {tmp_path}/edge.conf:5:1")


def test_mosquitto_is_offered_one_direction_before_a_link_is_removed(tmp_path: Path) -> None:
    found = offers(read(tmp_path, edge=PUBLIC, hub=HUB), "no-duplicates")

    assert all("remove the link" not in each for each in found)


def test_nats_is_told_to_make_one_remote_of_two(tmp_path: Path) -> None:
    mesh = read(tmp_path, leaf=LEAF, one=hub("hub-1", "hub-2"), two=hub("hub-2", "hub-1"))

    first, *_ = offers(mesh, "no-duplicates")

    assert first.startswith("write the urls of the remote ")
    assert first.count(f"{tmp_path}/leaf.conf:2:") == 2


def test_mirrormaker_is_told_another_policy_and_what_it_costs() -> None:
    (only,) = offers(load(str(IDENTITY)), "loop-free")

    assert only.startswith(
        "write DefaultReplicationPolicy instead of IdentityReplicationPolicy for the flows "
    )
    assert f"{IDENTITY}:5" in only
    assert "consumers have to ask for that" in only


def test_mirrormaker_may_take_a_topic_out_of_a_flow(tmp_path: Path) -> None:
    path = tmp_path / "mm2.properties"
    path.write_text(IDENTITY.read_text().replace("us->eu.topics = orders", "us->eu.topics = orders, prices"))

    suggested = mended(load(str(path)), "loop-free")

    assert any(isinstance(each, SetRules) for repair in suggested.repairs for each in repair.changes)


def test_rabbitmq_is_told_max_hops_with_the_line_of_the_upstream() -> None:
    (first, *_) = offers(load("examples/meshes/rabbitmq/triangle"), "no-duplicates")

    assert first.startswith("set max-hops = 1 in every upstream: examples/meshes/rabbitmq/triangle/")


def test_a_change_that_cuts_off_says_so_first() -> None:
    mesh, change = load(str(IDENTITY)), RemoveLink("eu->us")
    lost = tuple(each for each in compare(mesh, applied(mesh, change)) if each.kind == "lost")
    miss = Miss((change,), (), lost)

    text = render(mesh, Outcome((), {"loop-free": miss}))

    assert "which breaks" not in text
    assert "cuts off what arrives now (us from eu; first orders)." in text
    assert text.index("cuts off") < text.index("remove the link eu->us")


def test_a_limit_of_one_upstream_is_offered_only_on_the_way() -> None:
    mesh = load("examples/meshes/rabbitmq/triangle")
    (violation, *_) = [each for each in verify(mesh, NONE).violations if each.guarantee == "no-duplicates"]

    said = [str(each) for each in settings(mesh, violation)]

    assert all("every upstream" in each or "in the upstream " in each for each in said)
    assert len(said) == 2 * (1 + len(violation.path))


def test_artemis_is_told_max_hops_of_all_its_cluster_connections(tmp_path: Path) -> None:
    """A chain a > b > c whose members know of queues one link away: c is two away from a."""
    for name, known in (("a", "b"), ("b", "c"), ("c", "")):
        static = f"<connector-ref>{known}</connector-ref>" if known else ""
        cluster = f"<max-hops>{1 if known else 0}</max-hops>"
        cluster += f'<static-connectors allow-direct-connections-only="true">{static}</static-connectors>'
        (tmp_path / f"{name}.xml").write_text(
            f"<configuration><core><name>{name}</name><connectors><connector name='b'>tcp://b:61616</connector>"
            "<connector name='c'>tcp://c:61616</connector></connectors><acceptors><acceptor name='x'>"
            "tcp://0.0.0.0:61616</acceptor></acceptors><cluster-connections><cluster-connection name='x'>"
            f"{cluster}</cluster-connection></cluster-connections></core></configuration>"
        )

    (first, *_) = offers(load(str(tmp_path)), "hop-limit")

    assert first.startswith("set max-hops = 2 in every cluster-connection: ")


def test_hivemq_is_told_another_limit_of_hops_and_what_it_breaks() -> None:
    outcome = Search(load("examples/meshes/hivemq"), read_budget("one"), ("reachability",)).outcome()

    told = " ".join(render(load("examples/meshes/hivemq"), outcome).split())

    assert "set hop-count-limit = 2 in every bridge: examples/meshes/hivemq/north.xml:16:20" in told
    assert "The nearest breaks no-duplicates (healthy)" in told


def test_what_was_tried_for_another_guarantee_and_breaks_nothing_is_offered() -> None:
    """It was told as the nearest, without saying what it breaks: nothing."""
    outcome = Search(load("examples/meshes/hivemq"), read_budget("one")).outcome()

    assert {repair.guarantee for repair in outcome.repairs} == {"hop-limit"}
    assert all(miss is None or miss.breaks or miss.lost for miss in outcome.unmended.values())
