"""Who is who in brokers' own files, which are broken, and who is responsible for what they leave open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from angarium.core.errors import InputError, MeshError
from angarium.core.result import Verdict
from angarium.mesh.files.find import load, load_both
from angarium.mesh.files.given import Given, brokers_by_host, files_by_name
from angarium.mesh.files.write import written_mesh
from angarium.mesh.files.yaml_file import read_mesh
from angarium.mesh.mesh import EFFECTS, EVERYTHING, Mesh
from angarium.mesh.verify.budget import NONE
from angarium.mesh.verify.verify import verify


def put(folder: Path, **texts: str) -> dict[str, str]:
    """Files of a folder: `eu_conf` is eu.conf."""
    paths = {}
    for name, text in texts.items():
        path = folder / name.replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths[name] = str(path)
    return paths


def bridge(name: str, to: str, *lines: str) -> str:
    return "\n".join([f"connection {name}", f"address {to}", *(lines or ("topic # out 1",)), ""])


def definitions(name: str, *parameters: dict[str, object], **more: object) -> str:
    cluster = {"component": "", "vhost": "/", "name": "cluster_name", "value": name}
    return json.dumps(
        {"rabbit_version": "3.12", "global_parameters": [cluster], "parameters": parameters, **more}
    )


def ends(mesh: Mesh) -> set[tuple[str, str]]:
    return {(link.source, link.target) for link in mesh.links}


def brokers(mesh: Mesh) -> list[str]:
    return [broker.name for broker in mesh.brokers]


def left_out(mesh: Mesh) -> list[str]:
    return [remark.what for remark in mesh.remarks if remark.leaves_open]


def verdict(mesh: Mesh, guarantee: str) -> Verdict:
    return next(each.verdict for each in verify(mesh, NONE).guarantees if each.guarantee == guarantee)


# --- who is who -----------------------------------------------------------------------------------------


def test_two_brokers_that_call_each_other_by_addresses_are_not_joined_and_it_is_said_how(
    tmp_path: Path,
) -> None:
    files = put(tmp_path, eu_conf=bridge("up", "10.0.0.2"), us_conf=bridge("down", "10.0.0.1"))

    mesh = load(*files.values())

    assert brokers(mesh) == ["eu", "us", "10.0.0.2", "10.0.0.1"]
    assert [remark.remedy for remark in mesh.remarks if remark.leaves_open] == [
        "Give its file too; or if that is a given broker, say so: --host 10.0.0.2=us.",
        "Give its file too; or if that is a given broker, say so: --host 10.0.0.1=eu.",
    ]
    assert verdict(mesh, "loop-free") is Verdict.UNKNOWN


def test_by_hand_it_is_said_who_is_at_an_address(tmp_path: Path) -> None:
    us = "listener 1883\nallow_anonymous true\n" + bridge("down", "10.0.0.1:1884")
    files = put(tmp_path, eu_conf=bridge("up", "10.0.0.2"), us_conf=us)
    hosts = brokers_by_host(("10.0.0.2=us", "10.0.0.1:1884=eu"))

    mesh = load(*files.values(), given=Given(hosts=hosts))

    assert (brokers(mesh), ends(mesh), left_out(mesh)) == (["eu", "us"], {("eu", "us"), ("us", "eu")}, [])


def test_a_name_that_is_not_there_is_refused(tmp_path: Path) -> None:
    files = put(tmp_path, eu_conf=bridge("up", "10.0.0.2"), us_conf="listener 1883\n")

    with pytest.raises(MeshError, match=r"--host 10.0.0.2=usa: there is no broker usa") as caught:
        load(*files.values(), given=Given(hosts={"10.0.0.2": "usa"}))

    assert "did you mean us?" in caught.value.possible


@pytest.mark.parametrize("here", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_on_this_machine_the_port_says_which_broker_it_is(here: str, tmp_path: Path) -> None:
    files = put(
        tmp_path,
        a_conf=f"listener 1883 0.0.0.0\n{bridge('b', f'{here}:1884')}{bridge('c', f'{here}:1885')}",
        b_conf="listener 1884 127.0.0.1\n",
        c_conf="listener 1885\n",
    )

    assert ends(load(*files.values())) == {("a", "b"), ("a", "c")}


def test_one_address_with_two_ports_is_two_brokers(tmp_path: Path) -> None:
    files = put(
        tmp_path,
        a_conf=bridge("b", "10.0.0.9:1884") + bridge("c", "10.0.0.9:1885") + bridge("d", "10.0.0.9:1886"),
        b_conf="listener 1884 10.0.0.9\n",
        c_conf="listener 1885 10.0.0.9\n",
    )

    assert ends(load(*files.values())) == {("a", "b"), ("a", "c"), ("a", "10.0.0.9")}


def test_a_listener_of_one_port_is_not_the_broker_at_another(tmp_path: Path) -> None:
    files = put(tmp_path, a_conf=bridge("b", "10.0.0.9:1999"), b_conf="listener 1884 10.0.0.9\n")

    assert ends(load(*files.values())) == {("a", "10.0.0.9")}


def test_debians_layout_is_one_broker(tmp_path: Path) -> None:
    main = "persistence true\ninclude_dir /etc/mosquitto/conf.d\n"
    put(tmp_path / "edge" / "mosquitto", mosquitto_conf=main)
    put(
        tmp_path / "edge" / "mosquitto" / "conf.d",
        bridges_conf=bridge("up", "hub"),
        default_conf="listener 1883\n",
    )

    mesh = load(str(tmp_path / "edge" / "mosquitto"))

    assert (brokers(mesh), ends(mesh)) == (["edge", "hub"], {("edge", "hub")})


def test_artemis_brokers_that_are_all_called_after_any_host_are_called_after_their_files(
    tmp_path: Path,
) -> None:
    text = '<configuration xmlns="urn:activemq"><core><name>0.0.0.0</name></core></configuration>'

    assert brokers(load(*put(tmp_path, eu_xml=text, us_xml=text).values())) == ["eu", "us"]


def test_several_definitions_are_one_cluster_and_a_name_by_hand_wins(tmp_path: Path) -> None:
    exchange = {"name": "orders", "vhost": "/", "type": "topic"}
    upstream = {
        "component": "federation-upstream",
        "vhost": "/",
        "name": "us",
        "value": {"uri": "amqp://us.example"},
    }
    policy = {
        "name": "p",
        "vhost": "/",
        "pattern": "^orders$",
        "apply-to": "exchanges",
        "definition": {"federation-upstream-set": "all"},
    }
    files = put(
        tmp_path,
        one_json=definitions("rabbit@one", exchanges=[exchange]),
        two_json=definitions("rabbit@one", upstream, exchanges=[exchange], policies=[policy]),
        us_json=definitions("us", exchanges=[exchange]),
    )
    named = files_by_name((f"eu={files['one_json']},{files['two_json']}",))

    mesh = load(files["us_json"], given=Given(brokers=named))

    assert (sorted(brokers(mesh)), ends(mesh)) == (["eu", "us"], {("us", "eu")})
    assert {broker.known_as for broker in mesh.brokers} == {"us", "rabbit@one"}


def test_several_files_of_one_server_of_nats_and_of_one_router_are_read_together(tmp_path: Path) -> None:
    nats = put(
        tmp_path / "n",
        a_conf="server_name: x\nlisten: 4222\n",
        b_conf="cluster { name: C, routes: [nats://y] }\n",
    )
    router = put(
        tmp_path / "r",
        a_conf="router {\n  id: x\n  mode: interior\n}\n",
        b_conf="connector {\n  role: inter-router\n  host: y\n}\n",
    )

    for files in (nats, router):
        mesh = load(given=Given(brokers={"eu": tuple(files.values())}))
        assert sorted(brokers(mesh)) == ["eu", "y"]


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (("eu",), files_by_name),
        (("=a.json",), files_by_name),
        (("10.0.0.1=",), brokers_by_host),
        (("a=b", "a=c"), brokers_by_host),
    ],
)
def test_what_is_said_by_hand_must_say_both_sides_once(words: tuple[str, ...], read: object) -> None:
    with pytest.raises(MeshError, match="--") as caught:
        read(words)  # type: ignore[operator]

    assert caught.value.code == "ANG127"


# --- broken files ---------------------------------------------------------------------------------------


def test_a_broken_file_leaves_its_broker_unknown_and_the_others_are_judged(tmp_path: Path) -> None:
    files = put(
        tmp_path, eu_conf=bridge("up", "us.example"), us_conf="listener 18x83\n", ap_conf=bridge("up", "eu")
    )

    mesh = load(*files.values())

    assert (sorted(brokers(mesh)), ends(mesh)) == (["ap", "eu", "us"], {("eu", "us"), ("ap", "eu")})
    (remark,) = mesh.remarks[:1]
    assert remark.what == "listener 18x83: nothing is known of us"
    assert (str(remark.place), remark.effects, remark.brokers) == (
        f"{files['us_conf']}:1:1",
        EVERYTHING,
        ("us",),
    )
    assert verdict(mesh, "loop-free") is Verdict.UNKNOWN


def test_a_broken_file_of_json_does_so_too(tmp_path: Path) -> None:
    files = put(tmp_path, eu_json=definitions("eu"), us_json=definitions("us")[:-2])

    mesh = load(*files.values())

    assert brokers(mesh) == ["eu", "us"]
    assert left_out(mesh)[0].endswith("nothing is known of us")


def test_a_single_broken_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="listener 18x83"):
        load(*put(tmp_path, us_conf="listener 18x83\n").values())


@pytest.mark.parametrize(
    ("text", "unfilled"),
    [
        (bridge("up", "${HUB_HOST}:1883"), "${HUB_HOST}"),
        (bridge("up", "hub", "topic {{.Values.site}}/# out"), "{{.Values.site}}"),
        (bridge("up", "@HUB@"), "@HUB@"),
        (bridge("up", "hub", "remote_password ${HUB_PASSWORD}", "topic #"), None),
        (bridge("up", "hub", "topic #", "# see ${DOCUMENTS}"), None),
    ],
)
def test_a_value_that_is_not_filled_in_leaves_the_broker_unknown_unless_it_is_a_secret(
    text: str, unfilled: str | None, tmp_path: Path
) -> None:
    mesh = load(*put(tmp_path, edge_conf=text, hub_conf="listener 1883\n").values())

    told = [each for each in mesh.remarks if "is not filled in" in each.what]
    assert [each.what.partition(" is not")[0] for each in told] == ([unfilled] if unfilled else [])
    assert all(each.brokers == ("edge",) and each.effects == EVERYTHING and each.place for each in told)


# --- responsibility -------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ["1", "no file of hub.example*", "*hub*", "*:2:1: no file*"])
def test_an_entry_is_assumed_by_its_number_or_its_text(entry: str, tmp_path: Path) -> None:
    files = put(tmp_path, edge_conf=bridge("up", "hub.example"))

    mesh = load(*files.values(), given=Given(assume=(entry,)))

    assert left_out(load(*files.values())) and not left_out(mesh)
    assert verdict(mesh, "loop-free") is Verdict.HOLDS


def test_an_assumption_that_fits_nothing_is_refused_with_the_entries(tmp_path: Path) -> None:
    files = put(tmp_path, edge_conf=bridge("up", "hub.example"))

    with pytest.raises(MeshError, match="--assume 'hub' fits no entry") as caught:
        load(*files.values(), given=Given(assume=("hub",)))

    assert "1 no file of hub.example was given" in caught.value.possible


def test_of_two_meshes_an_assumption_is_about_either(tmp_path: Path) -> None:
    old = put(tmp_path / "old", edge_conf=bridge("up", "hub"))
    new = put(tmp_path / "new", edge_conf="listener 1883\n")

    before, after = load_both(*old.values(), *new.values(), Given(assume=("*hub*",)))

    assert not left_out(before) and not left_out(after)


def test_strict_refuses_whatever_is_left_open(tmp_path: Path) -> None:
    files = put(tmp_path, edge_conf=bridge("up", "hub"))

    with pytest.raises(InputError, match="--strict, and the files leave something open") as caught:
        load(*files.values(), given=Given(strict=True))
    assert caught.value.code == "ANG128"
    assert load(*files.values(), given=Given(assume=("1",), strict=True)).brokers


def test_a_mesh_file_keeps_what_is_left_open_and_what_is_assumed(tmp_path: Path) -> None:
    text = bridge("up", "hub.example", "topic #", "bridge_max_packet_size 5", "start_type once")
    mesh = load(*put(tmp_path, edge_conf=text).values(), given=Given(assume=("1",)))
    file = tmp_path / "mesh.yaml"
    file.write_text(written_mesh(mesh))

    kept = read_mesh(str(file))

    assert left_out(mesh) == left_out(kept)
    assert [each.taken for each in kept.remarks] == [each.taken for each in mesh.remarks]
    assert [(each.effects, each.brokers) for each in kept.remarks] == [
        (each.effects, each.brokers) for each in mesh.remarks
    ]


def test_a_remark_of_a_mesh_file_without_effects_has_those_of_its_kind(tmp_path: Path) -> None:
    text = (
        "brokers: [a, b]\nlinks: [a - b]\nremarks: [{kind: not understood, what: x}, {kind: note, what: y}]\n"
    )

    mesh = load(*put(tmp_path, m_yaml=text).values())

    assert [each.effects for each in mesh.remarks] == [EFFECTS, frozenset()]


def test_an_assumption_of_a_mesh_file_that_fits_nothing_is_told_with_its_line(tmp_path: Path) -> None:
    files = put(tmp_path, m_yaml="brokers: [a, b]\nassume: [x]\n")

    with pytest.raises(MeshError, match="assume: 'x' fits no entry") as caught:
        load(*files.values())

    assert caught.value.place and caught.value.place.line == 2


def test_a_mistake_that_has_a_name_twice_is_one_of_its_file_and_two_files_of_a_name_are_refused(
    tmp_path: Path,
) -> None:
    twice = bridge("up", "hub") + bridge("up", "hub")
    mesh = load(*put(tmp_path, edge_conf=twice, hub_conf="listener 1883\n").values())
    same = [put(tmp_path / name, edge_conf="listener 1883\n")["edge_conf"] for name in ("one", "two")]

    assert left_out(mesh) == ["connection up is given twice: nothing is known of edge"]
    with pytest.raises(MeshError, match="are both of broker edge"):
        load(*same)
