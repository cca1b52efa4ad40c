"""The questions of the mesh view: asked of the functions, and over HTTP."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from angarium.app.web import mesh_api, subjects, workers
from angarium.app.web.files import Folder
from angarium.app.web.mesh_document import MOST_BROKERS, MOST_LINKS, text_of
from angarium.core.errors import InputError, MeshError, WebError
from angarium.mesh.files.find import load
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.yaml_file import mesh_of
from tests.app.web.asking import Page

EXAMPLES = Path("examples/meshes")
TRIANGLE: dict[str, Any] = {
    "mesh": "triangle",
    "routing": {"kind": "shortest"},
    "brokers": {"b1": {}, "b2": {}, "b3": {}},
    "links": [{"between": ["b1", "b2"]}, {"between": ["b1", "b3"]}, {"between": ["b2", "b3"]}],
    "topics": {"A": {"from": ["b1"], "to": ["b2"]}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    shutil.copytree(EXAMPLES, tmp_path / "meshes")
    return Folder(tmp_path / "meshes")


@pytest.fixture
def page(folder: Folder) -> Page:
    return Page(folder.root)


def _names(folder: Folder) -> list[str]:
    found: Any = mesh_api.files(folder)["files"]
    return [each["file"] for each in found]


# --- reading ----------------------------------------------------------------------------------------


def test_every_example_comes_back_as_the_mesh_that_it_was(folder: Folder) -> None:
    names = _names(folder)

    assert {"six-brokers.yaml", "rabbitmq/regions/eu.json", "nats/twice/core-a.conf"} <= set(names)
    for name in names:
        answer: Any = mesh_api.read(folder, {"file": name})
        again = text_of(answer["mesh"], answer["order"])
        assert mesh_of(source_of("again", again)) == mesh_of(source_of("first", answer["text"])), name


def test_what_a_file_says_in_short_is_read_at_length_and_written_in_short(folder: Folder) -> None:
    text = "brokers: [b1, b2, b3, 'a - b']\nlinks: [b1 - b2, b2 -> b3, {between: [b1, a - b]}]\n"
    text += "topics: {A: {from: b1, to: b2}}\n"

    answer: Any = mesh_api.read(folder, {"text": text})

    mesh = answer["mesh"]
    assert mesh["brokers"] == {"b1": {}, "b2": {}, "b3": {}, "a - b": {}}
    assert mesh["links"][:2] == [{"between": ["b1", "b2"]}, {"from": "b2", "to": "b3"}]
    assert mesh["topics"] == {"A": {"from": ["b1"], "to": ["b2"]}}
    assert mesh["routing"] == {"kind": "forward"}
    written = text_of(mesh).splitlines()
    assert "  - b1 - b2" in written and "  - b2 -> b3" in written
    assert "  - {between: [b1, a - b]}" in written


def test_the_files_of_several_brokers_make_one_mesh(folder: Folder) -> None:
    names: Any = [f"rabbitmq/triangle/{each}.json" for each in ("one", "two", "three")]

    answer: Any = mesh_api.read(folder, {"files": names})

    together = load(*(str(folder.root / name) for name in names))
    assert answer["order"] == [broker.name for broker in together.brokers]
    assert len(answer["mesh"]["links"]) == len(together.links) > 0


def test_the_order_of_brokers_outlives_a_page_whose_objects_have_none(folder: Folder) -> None:
    order: Any = ["10", "2", "1"]
    mesh: Any = {"brokers": {"1": {}, "2": {}, "10": {}}, "links": [{"between": ["10", "1"]}]}

    answer: Any = mesh_api.read(folder, {"mesh": mesh, "order": order})

    assert answer["order"] == order


def test_brokers_are_laid_out_so_that_none_covers_another(folder: Folder) -> None:
    answer: Any = mesh_api.read(folder, {"file": "fifty-brokers.yaml"})

    places = list(answer["positions"].values())
    apart = [max(abs(x - a) / 64, abs(y - b) / 45) for n, (x, y) in enumerate(places) for a, b in places[:n]]
    assert len(places) == 50
    assert min(apart) >= 1


def test_a_bad_text_is_told_with_its_line(folder: Folder) -> None:
    with pytest.raises(MeshError) as told:
        mesh_api.read(folder, {"text": "brokers: [b1, b2]\nlinks:\n  - b1 - b7\n"})

    assert told.value.place is not None
    assert (told.value.place.line, told.value.place.column) == (3, 10)
    assert "b7" in told.value.what


def test_errors_name_files_as_the_folder_does(folder: Folder) -> None:
    (folder.root / "bad.yaml").write_text("brokers: [b1]\nlinks: [b1 - b9]\n", encoding="utf-8")
    (folder.root / "strange.json").write_text('{"no": "mesh"}', encoding="utf-8")

    for name in ("bad.yaml", "strange.json"):
        with pytest.raises(InputError) as told:
            mesh_api.read(folder, {"file": name})
        assert name in str(told.value)
        assert str(folder.root) not in str(told.value)


COMPOSE = """services:
  eu: {image: "eclipse-mosquitto:2", volumes: ["../secret.conf:/mosquitto/config/mosquitto.conf"]}
"""


def test_no_file_says_what_is_read_outside_of_the_folder(folder: Folder) -> None:
    """A composition that was mounted from there was read, and shown."""
    (folder.root / "compose.yaml").write_text(COMPOSE, encoding="utf-8")
    (folder.root / "here.conf").write_text("listener 1883\n", encoding="utf-8")
    outside = "listener 1883\nconnection out\naddress secret:1883\ntopic # both\n"
    (folder.root.parent / "secret.conf").write_text(outside, encoding="utf-8")

    for ask in (
        lambda: mesh_api.read(folder, {"files": ["compose.yaml", "here.conf"]}),
        lambda: subjects.described(folder, "overlay:compose.yaml"),
    ):
        with pytest.raises(InputError, match="it lies outside of the folder"):
            ask()


@pytest.mark.parametrize(
    "asked", [{}, {"text": "brokers: [b1]", "file": "six-brokers.yaml"}, {"text": 7}, {"files": "x"}]
)
def test_a_question_must_say_which_mesh(folder: Folder, asked: dict[str, Any]) -> None:
    with pytest.raises(MeshError) as told:
        mesh_api.read(folder, asked)

    assert told.value.code == "ANG155"


@pytest.mark.parametrize("mesh", [None, [], "b1", 3, {"brokers": {"b1": {"latency": float("inf")}}}])
def test_what_is_no_mesh_is_refused(mesh: Any) -> None:  # noqa: ANN401 (anything may be sent)
    with pytest.raises(MeshError) as told:
        mesh_api.verify({"mesh": mesh})

    assert told.value.code == "ANG155"


def test_what_is_nested_without_end_is_refused() -> None:
    deep: Any = "b1"
    for _ in range(200):
        deep = [deep]

    with pytest.raises(MeshError) as told:
        mesh_api.verify({"mesh": {"brokers": deep}})

    assert "nested" in told.value.what


@pytest.mark.parametrize("name", ["\ud800", "a\nb", "\0", "x: y", "- b", "#", "", "  ", "'", "*a", "!!int 3"])
def test_names_of_any_kind_are_kept_or_refused_but_never_misread(folder: Folder, name: str) -> None:
    try:
        answer: Any = mesh_api.read(folder, {"mesh": {"brokers": {name: {}, "b2": {}}}})
    except MeshError:
        return
    assert answer["order"] == [name, "b2"]


def test_a_mesh_that_is_too_large_is_refused() -> None:
    many: Any = {f"b{number}": {} for number in range(MOST_BROKERS + 1)}
    with pytest.raises(MeshError) as told:
        mesh_api.verify({"mesh": {"brokers": many}})
    assert told.value.code == "ANG156"

    ends: Any = [{"between": ["b1", "b2"], "name": f"l{number}"} for number in range(MOST_LINKS + 1)]
    with pytest.raises(MeshError) as told:
        mesh_api.verify({"mesh": {"brokers": {"b1": {}, "b2": {}}, "links": ends}})
    assert told.value.code == "ANG156"


# --- asking -----------------------------------------------------------------------------------------


def _verdicts(record: Any) -> dict[tuple[str, str], str]:  # noqa: ANN401 (JSON)
    return {(each["guarantee"], each["failures"]): each["verdict"] for each in record["verdicts"]}


def test_verdicts_are_those_of_the_command_line(folder: Folder) -> None:
    tree: Any = mesh_api.read(folder, {"file": "six-brokers.yaml"})

    record: Any = mesh_api.verify({"mesh": tree["mesh"], "order": tree["order"], "failures": "links=1"})

    found = _verdicts(record)
    assert found["reachability", "healthy"] == "holds"
    assert found["reachability", "1 link"] == "violated"
    lost = next(each for each in record["verdicts"] if each["verdict"] == "violated")
    assert lost["findings"][0]["path"] == ["b1->b2"]
    assert lost["found"] == len(lost["findings"])


def test_a_ring_survives_one_link() -> None:
    found = _verdicts(mesh_api.verify({"mesh": TRIANGLE, "failures": "links=1"}))

    assert found["reachability", "1 link"] == "holds"


def test_a_budget_that_is_none_is_refused() -> None:
    with pytest.raises(InputError) as told:
        mesh_api.verify({"mesh": TRIANGLE, "failures": "everything"})

    assert told.value.code == "ANG013"


def test_a_dead_link_changes_paths_and_tables() -> None:
    healthy: Any = mesh_api.fail({"mesh": TRIANGLE, "broker": "b1"})
    broken: Any = mesh_api.fail({"mesh": TRIANGLE, "failed": ["link b1-b2"], "broker": "b1"})

    assert healthy["flood"] == [] and healthy["routes"][0]["state"] == "unchanged"
    assert broken["routes"][0]["visits"] == ["b1", "b3", "b2"]
    assert broken["routes"][0]["state"] == "another path"
    assert (broken["tables"]["healthy"][0][1], broken["tables"]["now"][0][1]) == (1, 2)
    assert {each["colour"] for each in broken["seen"].values()} == {2}
    rows = [(row["destination"], row["next"], row["colours"]) for row in broken["super_table"]]
    assert ("b2", "b3", "2") in rows and ("b3", "b2", "3") in rows  # as in the thesis's table of broker 1


def test_the_news_of_a_failure_passes_from_neighbour_to_neighbour(folder: Folder) -> None:
    ring: Any = {
        "brokers": {f"b{n}": {} for n in range(1, 7)},
        "links": [{"between": [f"b{n}", f"b{n % 6 + 1}"]} for n in range(1, 7)],
    }

    answer: Any = mesh_api.fail({"mesh": ring, "failed": ["b1-b2"]})

    first, second, third = answer["flood"][:3]
    assert {(who, of) for who, of, _ in first["notices"]} == {("b1", "b2"), ("b2", "b1")}
    assert [sorted(who for who, _ in each["switched"]) for each in (first, second, third)] == [
        ["b1", "b2"],
        ["b3", "b6"],
        ["b4", "b5"],
    ]
    assert ["b1", "b2"] not in first["letters"] and ["b1", "b6"] in first["letters"]


def test_that_something_is_mended_passes_as_well() -> None:
    answer: Any = mesh_api.fail({"mesh": TRIANGLE, "failed": [], "before": ["link b1-b2"]})

    assert {colour for each in answer["flood"] for _, colour in each["switched"]} == {1}
    assert [dead for each in answer["flood"] for _, _, dead in each["notices"]] == [False] * 2


def test_a_dead_broker_takes_its_clients_along_unless_it_has_a_substitute() -> None:
    lost: Any = mesh_api.fail({"mesh": TRIANGLE, "failed": ["broker b2"]})
    covered: Any = TRIANGLE | {"brokers": {"b1": {}, "b2": {"substitute": "b3"}, "b3": {}}}
    moved: Any = mesh_api.fail({"mesh": covered, "failed": ["broker b2"]})

    assert lost["routes"][0]["state"] == "out of service"
    assert moved["routes"][0]["visits"] == ["b1", "b3"]


def _crowded(kind: str) -> Any:  # noqa: ANN401 (JSON)
    """Two hundred brokers, each linked with the ten behind it."""
    return {
        "routing": {"kind": kind},
        "brokers": {f"b{n}": {} for n in range(200)},
        "links": [{"between": [f"b{n}", f"b{(n + k) % 200}"]} for n in range(200) for k in range(1, 11)],
    }


def test_what_would_take_too_long_is_left_out_and_the_rest_is_told() -> None:
    answer: Any = mesh_api.fail({"mesh": _crowded("shortest"), "failed": ["broker b1"]})

    assert answer["flood"] is None
    assert {each["colour"] for each in answer["seen"].values()} == {2002 + 1}


def test_a_forwarding_mesh_that_takes_too_long_to_follow_is_not_judged() -> None:
    with pytest.raises(MeshError) as told:
        mesh_api.verify({"mesh": _crowded("forward")})

    assert told.value.code == "ANG156"
    answer: Any = mesh_api.fail({"mesh": _crowded("forward"), "failed": ["b1-b2"]})
    assert answer["routes"] == [] and answer["tables"]["now"] != answer["tables"]["healthy"]


def test_what_is_not_there_cannot_fail() -> None:
    with pytest.raises(MeshError) as told:
        mesh_api.fail({"mesh": TRIANGLE, "failed": ["link b7-b8"]})

    assert told.value.code == "ANG123"


# --- saving -----------------------------------------------------------------------------------------


def test_what_is_saved_is_the_mesh(folder: Folder) -> None:
    mesh_api.save(folder, {"mesh": TRIANGLE, "file": "mine.yaml"})

    saved = load(str(folder.root / "mine.yaml"))
    assert [broker.name for broker in saved.brokers] == ["b1", "b2", "b3"]
    assert saved.cables == ("b1-b2", "b1-b3", "b2-b3")


def test_a_mesh_file_is_replaced_only_if_that_is_said(folder: Folder) -> None:
    before = (folder.root / "triangle.yaml").read_text(encoding="utf-8")
    asked: Any = {"mesh": TRIANGLE, "file": "triangle.yaml"}

    with pytest.raises(WebError) as told:
        mesh_api.save(folder, asked)
    assert told.value.code == "ANG157"
    assert (folder.root / "triangle.yaml").read_text(encoding="utf-8") == before

    mesh_api.save(folder, {**asked, "replace": True})
    assert (folder.root / "triangle.yaml").read_text(encoding="utf-8") == text_of(TRIANGLE)


@pytest.mark.parametrize("name", ["mirrormaker/strimzi-v1.yaml", "notes.yaml"])
def test_what_is_no_mesh_file_is_never_replaced(folder: Folder, name: str) -> None:
    (folder.root / "notes.yaml").write_text("just: notes\n", encoding="utf-8")
    before = (folder.root / name).read_text(encoding="utf-8")

    with pytest.raises(WebError):
        mesh_api.save(folder, {"mesh": TRIANGLE, "file": name, "replace": True})

    assert (folder.root / name).read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    "name", ["../out.yaml", "/tmp/out.yaml", "out.py", "no/such/folder/x.yaml", "x\0.yaml", ""]
)
def test_nothing_is_saved_elsewhere(folder: Folder, name: str) -> None:
    before = sorted(folder.root.parent.rglob("*"))

    with pytest.raises(WebError):
        mesh_api.save(folder, {"mesh": TRIANGLE, "file": name, "replace": True})

    assert sorted(folder.root.parent.rglob("*")) == before


def test_a_mesh_that_cannot_be_read_again_is_not_saved(folder: Folder) -> None:
    with pytest.raises(MeshError):
        mesh_api.save(folder, {"mesh": TRIANGLE | {"links": [{"between": ["b1"]}]}, "file": "mine.yaml"})

    assert not (folder.root / "mine.yaml").exists()


# --- over HTTP --------------------------------------------------------------------------------------


def test_the_page_and_its_questions_are_there(page: Page) -> None:
    assert 'src="/static/mesh.js"' in page.get("/mesh").text
    answer = page.answer("/api/mesh/read", {"file": "triangle.yaml"})
    asked = {"mesh": answer["mesh"], "order": answer["order"]}

    assert page.answer("/api/mesh/verify", asked)["kind"] == "mesh verify"
    assert page.answer("/api/mesh/tables", {**asked, "failed": ["link b1-b2"]})["dead"] == "link b1-b2"
    assert "triangle.yaml" in json.dumps(page.answer("/api/mesh/files", {}))
    assert page.answer("/api/mesh/save", {**asked, "file": "new.yaml"})["file"] == "new.yaml"


def test_every_script_of_the_page_is_served(page: Page) -> None:
    for path in sorted(Path("src/angarium/app/web/static").glob("mesh*")):
        assert page.get(f"/static/{path.name}").status_code == 200


@pytest.mark.parametrize(
    ("path", "asked", "status", "code"),
    [
        ("read", {"text": "brokers: {"}, 400, "ANG120"),
        ("read", {"file": "../secret.yaml"}, 403, "ANG152"),
        ("read", {"file": "nowhere.yaml"}, 404, "ANG152"),
        ("read", {"file": "../meshes/six-brokers.yaml"}, 403, "ANG152"),
        ("verify", {"mesh": []}, 400, "ANG155"),
        ("save", {"mesh": TRIANGLE, "file": "triangle.yaml"}, 409, "ANG157"),
        ("save", {"mesh": TRIANGLE, "file": "../out.yaml"}, 403, "ANG152"),
    ],
)
def test_what_is_refused_says_why(
    page: Page, path: str, asked: dict[str, Any], status: int, code: str
) -> None:
    response = page.post(f"/api/mesh/{path}", asked)

    told = response.json()
    assert (response.status_code, told["code"]) == (status, code)
    assert told["problem"] and told["remedy"]


def test_another_site_cannot_save(page: Page, folder: Folder) -> None:
    headers = {"Origin": "http://elsewhere.example", "Sec-Fetch-Site": "cross-site"}

    response = page.post("/api/mesh/save", {"mesh": TRIANGLE, "file": "x.yaml"}, headers=headers)

    assert response.status_code == 403
    assert not (folder.root / "x.yaml").exists()


def test_a_mesh_of_many_wildcards_is_given_up_in_time_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is published by patterns that may all meet: twice as many classes with each of them."""
    many = {f"p{i}": {"at": "a", "topics": [f"#.w{i}.#"]} for i in range(18)}
    mesh = {"mesh": "m", "dialect": "amqp", "brokers": {"a": {}, "b": {}}, "links": [{"between": ["a", "b"]}]}
    asked = {"mesh": mesh | {"publishers": many, "subscribers": {"s": {"at": "b", "topics": ["#"]}}}}
    page = Page(tmp_path)
    page.answer("/api/mesh/files", {})
    monkeypatch.setattr(workers, "SECONDS", 1.0)

    answer = page.post("/api/mesh/verify", asked)
    monkeypatch.undo()

    assert (answer.status_code, answer.json()["code"]) == (422, "ANG154")
    assert page.answer("/api/mesh/files", {}) == {"files": []}
