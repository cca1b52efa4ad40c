from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from angarium.core.errors import MeshError, UsageError
from angarium.mesh.files import find
from angarium.mesh.files.find import IMPORTERS, load
from angarium.mesh.files.given import Given

MESH = "mesh: mine\nbrokers: [b1, b2]\n"
GRAPH = 'graph [ label "Net" node [ id 0 ] ]'


def put(folder: Path, **texts: str) -> dict[str, str]:
    """Files of a folder: `a_yaml` is a.yaml."""
    paths = {}
    for name, text in texts.items():
        path = folder / name.replace("_", ".")
        path.write_text(text)
        paths[name] = str(path)
    return paths


@pytest.mark.parametrize(
    ("name", "text", "mesh"),
    [
        ("a_yaml", MESH, "mine"),
        ("a_yml", MESH, "mine"),
        ("mesh", MESH, "mine"),
        ("a_gml", GRAPH, "Net"),
        ("net", f"# a graph\n{GRAPH}", "Net"),
    ],
)
def test_the_content_and_the_name_tell_what_a_file_is(
    name: str, text: str, mesh: str, tmp_path: Path
) -> None:
    assert load(*put(tmp_path, **{name: text}).values()).name == mesh


@pytest.mark.parametrize("order", [1, -1])
def test_two_text_files_are_tables_whichever_comes_first(order: int, tmp_path: Path) -> None:
    files = list(put(tmp_path, linkTable_txt="1 2\n", topicTable_txt="2 1\n").values())

    found = load(*files[::order])

    assert (found.cables, found.publishers[0].broker) == (("1-2",), "2")


def test_a_third_text_file_is_the_routing_table(tmp_path: Path) -> None:
    files = put(tmp_path, a_txt="1 2\n", b_txt="2 1\n", c_txt="1 2 2\n")

    assert load(*files.values()).routing.tables == {"1": {"2": "2"}}


def test_a_folder_stands_for_its_files_and_what_is_no_mesh_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    put(tmp_path, README_md="read me", _hidden="graph [", compose_yaml="services: {}")
    put(tmp_path, notes_txt="These files describe a mesh.\nNothing else is here.\n")
    put(tmp_path / "inner", a_yaml=MESH)

    assert load(str(tmp_path)).name == "mine"


def test_a_mesh_file_loads_no_importer(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a_yaml=MESH).values()
    code = f"import sys; from angarium.mesh.files.find import load; load({file!r})\n"
    code += "print([name for name in sys.modules if name.startswith('angarium.mesh.importers')])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("{}{}", 1, 3, "not JSON: a second document begins here"),
        ("{}\n\n  {}", 3, 3, "not JSON: a second document begins here"),
        ('{"a": [}', 1, 8, "not JSON: Expecting value"),
        ("[" * 100_000, 1, 1, "not JSON: maximum recursion depth exceeded"),
    ],
)
def test_what_is_called_json_and_is_none_is_refused_with_its_place(
    text: str, line: int, column: int, what: str, tmp_path: Path
) -> None:
    (file,) = put(tmp_path, a_json=text).values()

    with pytest.raises(MeshError) as error:
        load(file)

    place = error.value.place
    assert place and (place.line, place.column) == (line, column)
    assert error.value.what.startswith(what)


def test_yaml_that_is_no_mesh_is_told_in_which_line(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a_yaml="hello: world\n").values()

    with pytest.raises(MeshError, match=":1:1: a mesh file has no entry 'hello'"):
        load(file)


def test_a_file_that_nobody_knows_is_refused_with_what_was_possible(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a_md="# hello").values()

    with pytest.raises(MeshError) as caught:
        load(file)

    assert (caught.value.code, caught.value.what) == ("ANG120", f"{file} is no mesh that can be read")
    assert len(caught.value.possible.split(", ")) == 3 + len(IMPORTERS)
    assert "a mesh file (YAML)" in caught.value.possible


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="is no mesh that can be read"):
        load(str(tmp_path))


def test_files_of_two_forms_are_no_mesh(tmp_path: Path) -> None:
    files = put(tmp_path, a_yaml=MESH, b_gml=GRAPH)

    with pytest.raises(MeshError) as caught:
        load(*files.values())

    assert caught.value.code == "ANG126"
    assert caught.value.what == (
        f"{files['a_yaml']} is a file of a mesh file (YAML), and {files['b_gml']} of a graph (GML)"
    )


def test_two_mesh_files_are_two_meshes(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="is a mesh of its own, and so is") as caught:
        load(*put(tmp_path, a_yaml=MESH, b_yaml=MESH).values())

    assert caught.value.code == "ANG126"


def test_a_folder_of_very_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MOST_FILES", 2)
    put(tmp_path, a_conf="", b_conf="", c_conf="")

    with pytest.raises(MeshError, match="has more than 2 files") as caught:
        load(str(tmp_path))

    assert caught.value.code == "ANG125"


def test_one_text_file_is_too_few_tables(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="1 text file cannot be a mesh of tables"):
        load(*put(tmp_path, a_txt="1 2\n").values())


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file") as caught:
        load(str(tmp_path / "none.yaml"))

    assert caught.value.code == "ANG010"


def test_lines_of_two_words_are_a_brokers_configuration_if_they_are_its_words(tmp_path: Path) -> None:
    files = put(tmp_path, edge_txt="connection up\naddress hub\ntopic a\n")

    assert [broker.name for broker in load(*files.values()).brokers] == ["edge", "hub"]


@pytest.mark.parametrize("form", ["mm2", "strimzi", "mirrormaker"])
def test_forms_may_be_called_as_people_call_them(tmp_path: Path, form: str) -> None:
    files = put(tmp_path, mine="clusters = a, b\na->b.enabled = true\na->b.topics = t\n")

    assert [link.source for link in load(*files.values(), given=Given(form=form)).links] == ["a"]


def test_lines_of_words_beside_files_of_brokers_are_no_tables(tmp_path: Path) -> None:
    (tmp_path / "hub.conf").write_text("listener 1883\nallow_anonymous true\n", encoding="utf-8")
    (tmp_path / "acl.txt").write_text("topic read a/#\nuser berlin\n", encoding="utf-8")

    assert [broker.name for broker in load(str(tmp_path)).brokers] == ["hub"]


@pytest.mark.parametrize(("text", "opens"), [('{"uri": "amqp://us"}', True), ('{"version": "1.0"}', False)])
def test_what_is_passed_over_leaves_verdicts_open_if_it_speaks_of_links(
    tmp_path: Path, text: str, opens: bool
) -> None:
    definitions = '{"rabbit_version": "3.10.8", "exchanges": [], "queues": []}'
    (tmp_path / "eu.json").write_text(definitions, encoding="utf-8")
    (tmp_path / "other.json").write_text(text, encoding="utf-8")

    (remark,) = [each for each in load(str(tmp_path)).remarks if "passed over" in each.what]
    assert remark.leaves_open is opens


def test_what_nobody_knows_is_told_also_if_it_is_said_what_the_files_are(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("server_name: a\nleafnodes { listen: 0.0.0.0:7422 }\n", encoding="utf-8")
    (tmp_path / "b.conf").write_text("peer: [nats://a\n", encoding="utf-8")
    (tmp_path / "c.conf").write_text("listener 1883\nconnection up\naddress a\ntopic #\n", encoding="utf-8")

    open_ = [each for each in load(str(tmp_path), given=Given(form="nats")).remarks if each.leaves_open]
    assert [each.what.partition(":")[0] for each in open_] == ["no files of nats, and passed over"]
    assert "b.conf" in open_[0].what and "c.conf" not in open_[0].what


def test_a_bridge_of_emqx_4_beside_files_of_brokers_leaves_verdicts_open(tmp_path: Path) -> None:
    (tmp_path / "mosquitto.conf").write_text("listener 1883\n", encoding="utf-8")
    bridge = "bridge.mqtt.aws.address = 10.0.0.2:1883\nbridge.mqtt.aws.forwards = a/#\n"
    (tmp_path / "emqx_bridge_mqtt.conf").write_text(bridge, encoding="utf-8")

    (remark,) = [each for each in load(str(tmp_path)).remarks if "passed over" in each.what]
    assert remark.leaves_open


def test_a_script_beside_files_of_brokers_that_speaks_of_links_leaves_verdicts_open(tmp_path: Path) -> None:
    definitions = '{"rabbit_version": "3.10.8", "exchanges": [], "queues": []}'
    (tmp_path / "eu.json").write_text(definitions, encoding="utf-8")
    (tmp_path / "setup.sh").write_text("rabbitmqctl set_parameter shovel s '{}'\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("How federation works here.\n", encoding="utf-8")

    (remark,) = [each for each in load(str(tmp_path)).remarks if "passed over" in each.what]
    assert remark.leaves_open
    assert remark.what.endswith("setup.sh; they speak of links")
