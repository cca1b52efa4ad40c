"""`angarium mesh`: verdicts, exit codes, pictures, differences, repairs and records."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from angarium.app.cli.mesh import VERBS
from angarium.mesh.verify.violations import GUARANTEES
from tests.app.cli.running import record, run
from tests.needs import needs

MESHES = "examples/meshes"
SIX = f"{MESHES}/six-brokers.yaml"
FAULTY = f"{MESHES}/six-brokers-fault.yaml"
FEDERATED = f"{MESHES}/federated-triangle.yaml"

SAFE = """
mesh: safe
brokers: [a, b, c]
links: [a - b, b - c, a - c]
routing: shortest
topics:
  T: {from: a, to: [b, c]}
"""


@pytest.fixture
def safe(tmp_path: Path) -> str:
    path = tmp_path / "safe.yaml"
    path.write_text(SAFE)
    return str(path)


def verdict(answer: dict[str, Any], guarantee: str, failures: str = "healthy") -> str:
    found = [
        each["verdict"]
        for each in answer["verdicts"]
        if (each["guarantee"], each["failures"]) == (guarantee, failures)
    ]
    assert len(found) == 1
    return str(found[0])


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str) -> None:
    result = run("mesh", verb, "--help")

    assert result.exit_code == 0
    assert f"  angarium mesh {verb} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_an_unknown_verb_gets_the_nearest() -> None:
    result = run("mesh", "verfy")

    assert result.exit_code == 2
    assert "did you mean verify?" in result.stderr


# --- verify ---------------------------------------------------------------------------------------


def test_a_mesh_that_survives_everything_ends_with_zero(safe: str) -> None:
    result = run("mesh", "verify", safe)

    assert result.exit_code == 0
    assert "violated" not in result.stdout


def test_a_tree_is_whole_until_something_dies() -> None:
    result = run("mesh", "verify", SIX)

    assert result.exit_code == 1
    assert "without broker b2 (4 demands):" in result.stdout
    assert "b1 to b5 is lost with its path, b1 > b2 > b4 > b5." in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_without_failures_the_same_mesh_holds() -> None:
    assert run("mesh", "verify", SIX, "--failures", "none").exit_code == 0


def test_the_record_has_a_verdict_for_each_guarantee_and_size_of_failures() -> None:
    answer = record("mesh", "verify", SIX)

    assert answer["kind"] == "mesh verify"
    assert answer["failures"] == {"healthy": 1, "1 link": 5, "1 broker": 6}
    assert verdict(answer, "reachability") == "holds"
    assert verdict(answer, "reachability", "1 link") == "violated"
    lost = next(each for each in answer["verdicts"] if each["failures"] == "1 link")["findings"]
    assert {"publisher", "subscriber", "topic"} <= set(lost[0]["demands"][0])
    assert lost[0]["dead"]["links"]


def test_the_faulty_table_goes_round_between_four_and_six() -> None:
    answer = record("mesh", "verify", FAULTY, "--failures", "none")

    loops = next(each for each in answer["verdicts"] if each["guarantee"] == "loop-free")["findings"]
    assert {tuple(sorted(each["round"])) for each in loops} == {("b4->b6", "b6->b4")}


def test_the_federated_triangle_delivers_fifteen_copies() -> None:
    answer = record("mesh", "verify", FEDERATED, "--failures", "none")

    doubled = next(each for each in answer["verdicts"] if each["guarantee"] == "no-duplicates")["findings"]
    extra = sum((each["copies"] - 1) * len(each["demands"]) for each in doubled)
    assert answer["demands"] + extra == 15


def test_only_what_is_asked_is_judged() -> None:
    answer = record("mesh", "verify", SIX, "--only", "loop-free")

    assert {each["guarantee"] for each in answer["verdicts"]} == {"loop-free"}


def test_a_guarantee_that_meshes_do_not_have_is_refused() -> None:
    result = run("mesh", "verify", SIX, "--only", "reachabilty")

    assert result.exit_code == 2
    assert "did you mean reachability?" in result.stderr


def test_a_mesh_that_says_nothing_about_what_is_asked_is_told_so() -> None:
    result = run("mesh", "verify", SIX, "--only", "latency")

    assert result.exit_code == 2
    assert "says nothing about latency" in result.stderr


def test_what_a_terminal_would_obey_is_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "mesh.yaml"
    path.write_text(SAFE.replace("  T:", '  "T\\e]0;title\\a":'))

    result = run("mesh", "verify", str(path), "--failures", "links=2")

    assert result.exit_code == 1
    assert "title" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_file_that_is_not_there_is_refused() -> None:
    result = run("mesh", "verify", "nowhere.yaml")

    assert result.exit_code == 2
    assert "ANG010" in result.stderr


def test_everything_can_be_told() -> None:
    ring = f"{MESHES}/ring-of-six.yaml"

    short, long = run("mesh", "verify", ring).stdout, run("mesh", "verify", ring, "--all").stdout

    assert "(--all)" in short
    assert "(--all)" not in long
    assert len(long) > len(short)


FAILOVER = """
brokers: [edge, hub, spare]
links:
  - {from: edge, to: hub, failover: bridge}
  - {from: edge, to: spare, failover: bridge, rank: 1, takes-over: 5 s}
  - hub - spare
topics:
  t: {from: edge, to: spare}
"""


@pytest.mark.parametrize("text", ["", FAILOVER])
def test_on_spark_the_answer_is_the_same(tmp_path: Path, text: str) -> None:
    mesh = SIX
    if text:
        mesh = str(tmp_path / "mesh.yaml")
        Path(mesh).write_text(text, encoding="utf-8")
    here = record("mesh", "verify", mesh)

    there = record("mesh", "verify", mesh, "--engine", "spark", "--master", "local[2]")

    assert bool(here["failovers"]) is bool(text)

    for answer in (here, there):
        for each in ("engine", "seconds"):
            answer.pop(each)
    assert there == here


# --- trace and links ---------------------------------------------------------------------------------


def test_a_topic_is_followed_to_fifteen_copies() -> None:
    result = run("mesh", "trace", FEDERATED, "--from", "eu", "--topic", "order.new")

    assert result.exit_code == 0
    assert "Copies to 9 subscribers (15 in all)" in result.stdout


def test_a_topic_is_followed_while_something_is_dead() -> None:
    answer = record("mesh", "trace", SIX, "--from", "b1", "--topic", "A", "--dead", "b4-b5")

    assert answer["received"] == {"A at b2": 1}
    assert answer["drops"] == [{"broker": "b1", "reason": "no entry for b5"}]


def test_a_topic_cannot_begin_nowhere() -> None:
    result = run("mesh", "trace", SIX, "--from", "b9", "--topic", "A")

    assert result.exit_code == 2
    assert "ANG123" in result.stderr


def test_every_link_is_listed_with_what_crosses_it() -> None:
    answer = record("mesh", "links", f"{MESHES}/mosquitto/sites")

    assert answer["links"] == {
        "berlin-to-hub@berlin": ["alarms", "sensors", "berlin/commands"],
        "paris-to-hub@paris": ["alarms", "paris/commands", "sensors"],
    }


def test_routers_send_a_topic_only_where_somebody_wants_it() -> None:
    answer = record("mesh", "links", SIX)

    assert answer["links"]["b1-b2"] == ["A", "C"]
    assert answer["links"]["b4-b6"] == ["C", "D"]


# --- draw -----------------------------------------------------------------------------------------


def test_a_drawing_goes_to_a_file_whose_name_says_the_form(tmp_path: Path) -> None:
    svg, dot = tmp_path / "mesh.svg", tmp_path / "mesh.dot"

    run("mesh", "draw", SIX, "--out", str(svg))
    run("mesh", "draw", SIX, "--out", str(dot))

    assert ElementTree.fromstring(svg.read_text()).tag.endswith("svg")
    assert dot.read_text().startswith("digraph")


def test_problems_are_marked_with_what_is_dead() -> None:
    plain = run("mesh", "draw", SIX, "--as", "mermaid").stdout

    marked = run("mesh", "draw", SIX, "--as", "mermaid", "--dead", "b2-b4", "--problems").stdout

    assert "b1 to b5 is lost" in marked
    assert "is lost" not in plain


def test_what_is_not_there_cannot_be_dead() -> None:
    result = run("mesh", "draw", SIX, "--dead", "b7")

    assert result.exit_code == 2
    assert "ANG123" in result.stderr


# --- diff, repair, locate, convert, export ------------------------------------------------------------


def test_a_difference_for_the_worse_ends_with_one() -> None:
    worse, same = run("mesh", "diff", SIX, FAULTY), run("mesh", "diff", SIX, SIX)

    assert worse.exit_code == 1
    assert "lost (arrived before, and does not now): 3 topics" in worse.stdout
    assert same.exit_code == 0
    assert "every subscriber gets the same" in same.stdout


def test_the_record_of_a_difference() -> None:
    answer = record("mesh", "diff", SIX, FAULTY, "--failures", "none")

    assert {each["guarantee"]: each["verdict"] for each in answer["verdicts"]}["nothing lost"] == "violated"
    assert [each["kind"] for each in answer["differences"]] == ["lost"] * 3


@needs("patch")
def test_a_repair_is_a_patch_that_mends_the_file(tmp_path: Path) -> None:
    mesh, patch = tmp_path / "mesh.yaml", tmp_path / "mend.patch"
    mesh.write_text(Path(FAULTY).read_text())

    result = run(
        "mesh", "repair", str(mesh), "--failures", "none", "--only", "loop-free", "--patch", str(patch)
    )
    subprocess.run(["patch", "-p0", "-d", "/", "-i", str(patch)], check=True, capture_output=True)

    assert result.exit_code == 0
    assert "at b4, send what is for b5 to b5" in result.stdout
    assert run("mesh", "verify", str(mesh), "--failures", "none").exit_code == 0


def test_what_cannot_be_mended_is_said() -> None:
    result = run("mesh", "repair", FEDERATED)

    assert result.exit_code == 1
    assert "no-duplicates: no change that was tried" in result.stdout


def test_a_dead_link_is_located() -> None:
    result = run("mesh", "locate", SIX, "--fails", "b1->b5", "--works", "b1->b4", "--works", "b6->b4")

    assert result.exit_code == 0
    assert "link b4-b5" in result.stdout


def test_a_mesh_is_written_and_means_the_same(tmp_path: Path) -> None:
    out = tmp_path / "mesh.yaml"

    run("mesh", "convert", FEDERATED, "--out", str(out))

    first, second = record("mesh", "verify", FEDERATED), record("mesh", "verify", str(out))
    assert without_addresses(first["verdicts"]) == without_addresses(second["verdicts"])


def without_addresses(record: Any) -> Any:  # noqa: ANN401 (JSON)
    """A record, but for where its stories are to be found."""
    if isinstance(record, dict):
        return {key: without_addresses(each) for key, each in record.items() if key != "address"}
    return [without_addresses(each) for each in record] if isinstance(record, list) else record


def test_a_mesh_is_exported_with_a_claim_for_each_pair() -> None:
    result = run("mesh", "export", SIX, "--to", "smv")

    assert result.exit_code == 0
    assert result.stdout.count("CTLSPEC NAME hole_") == 6


def test_every_guarantee_has_a_sentence() -> None:
    assert all(text.endswith(".") for text in GUARANTEES.values())
