"""What files leave open is told by every verb of meshes, and no verb calls anything sure because of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.cli.running import record, run

GAP = "plugin of a, that nobody looked at"
RING = "mesh: ring\nbrokers: [a, b, c]\nrouting: shortest\nlinks: [a - b, b - c, c - a]\n"
TOPIC = "topics: {t: {from: a, to: c, within: 1 s}}\n"
OPEN = (
    f'remarks: [{{kind: not understood, what: "{GAP}", at: "a.conf:7:1"}}, {{kind: note, what: harmless}}]\n'
)
VERBS = {
    "verify": ["--failures", "none"],
    "trace": ["--from", "a", "--topic", "t"],
    "links": [],
    "repair": ["--failures", "none"],
    "locate": ["--fails", "a->c"],
    "recover": ["--failures", "links=1"],
    "simulate": ["--from", "a", "--to", "c", "--duration", "1s", "--scheme", "ospf"],
    "latency": ["--exact", "--at-most", "0.5"],
}


@pytest.fixture
def mesh(tmp_path: Path) -> str:
    file = tmp_path / "ring.yaml"
    file.write_text(RING + TOPIC + OPEN)
    return str(file)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_tells_what_is_left_open_and_ends_with_three(verb: str, mesh: str) -> None:
    done = run("mesh", verb, mesh, *VERBS[verb])

    told = " ".join(done.stdout.split())
    assert done.exit_code == 3
    assert f"1. a.conf:7:1: {GAP}. It may do anything to messages" in told
    assert "Worth knowing, and harmless: 2. harmless." in told
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_for_sure_once_somebody_is_responsible(verb: str, mesh: str) -> None:
    done = run("mesh", verb, mesh, *VERBS[verb], "--assume", "plugin*")

    assert done.exit_code == 0
    assert f"On your responsibility (--assume): 1. a.conf:7:1: {GAP}." in " ".join(done.stdout.split())


@pytest.mark.parametrize("verb", VERBS)
def test_every_record_has_the_remarks_and_holds_nothing(verb: str, mesh: str) -> None:
    answer = record("mesh", verb, mesh, *VERBS[verb])

    first, second = answer["remarks"]
    assert (first["number"], first["what"], first["assumed"]) == (1, GAP, False)
    assert (len(first["effects"]), second["effects"]) == (5, [])
    assert first["place"] == {"file": "a.conf", "line": 7, "column": 1}
    kept = {"no-dangling-references"}
    assert not [
        each for each in answer["verdicts"] if each["verdict"] == "holds" and each["guarantee"] not in kept
    ]


def test_the_record_says_because_of_which_entry_a_verdict_is_unknown(mesh: str) -> None:
    answer = record("mesh", "verify", mesh, "--failures", "none")

    reached = next(each for each in answer["verdicts"] if each["guarantee"] == "reachability")
    assert (reached["verdict"], reached["because_of"]) == ("unknown", [1])
    assert reached["reason"] == f"left out: a.conf:7:1: {GAP}"


def test_a_difference_is_not_called_none_if_something_is_left_open(mesh: str) -> None:
    done = run("mesh", "diff", mesh, mesh)

    assert done.exit_code == 3
    assert "every subscriber gets the same, as often and as soon as far as the files tell." in done.stdout
    assert done.stdout.count(GAP) == 2
    assert run("mesh", "diff", mesh, mesh, "--assume", "1").exit_code == 0


def test_a_repair_does_not_claim_that_it_repairs(tmp_path: Path) -> None:
    file = tmp_path / "chain.yaml"
    file.write_text(
        "brokers: [a, b, c]\nlinks: [a -> b, b -> c, c -> a]\ntopics: {t: {from: a, to: c}}\n" + OPEN
    )

    done = run("mesh", "repair", str(file), "--failures", "none", "--only", "loop-free")

    assert done.exit_code == 3
    assert "loop-free: what the files tell to be broken is mended by" in done.stdout
    assert "holds" not in done.stdout


def test_tables_are_written_only_if_somebody_is_responsible(mesh: str, tmp_path: Path) -> None:
    words = ["mesh", "recover", mesh, "--failures", "links=1", "--out", str(tmp_path / "tables")]

    done = run(*words)

    assert "Nothing is written: the files leave something open." in done.stdout
    assert not (tmp_path / "tables").exists()
    assert run(*words, "--assume", "1").exit_code == 0
    assert (tmp_path / "tables").exists()


def test_what_is_written_keeps_what_is_left_open(mesh: str, tmp_path: Path) -> None:
    out = tmp_path / "again.yaml"

    done = run("mesh", "convert", mesh, "--assume", "1", "--out", str(out))

    assert f"1. a.conf:7:1: {GAP}" in " ".join(done.stderr.split())
    assert "assume: [1]" in out.read_text()
    assert run("mesh", "verify", str(out), "--failures", "none").exit_code == 0


def test_a_picture_comes_with_what_is_left_open(mesh: str) -> None:
    done = run("mesh", "draw", mesh)

    assert done.exit_code == 0
    assert f"1. a.conf:7:1: {GAP}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "words", [["check", "overlay", "--mesh"], ["mesh", "export", "--to", "smv"]], ids=["model", "export"]
)
def test_other_checkers_are_not_asked_about_what_is_left_open(words: list[str], mesh: str) -> None:
    done = run(*words, mesh)

    assert done.exit_code == 2
    assert "cannot say what the files leave open" in done.stderr
    assert "angarium mesh convert FILES --assume NUMBER" in done.stderr


def test_strict_ends_with_two(mesh: str) -> None:
    done = run("mesh", "verify", mesh, "--strict", "--assume", "1")

    assert done.exit_code == 2
    assert "error[ANG128]: --strict, and the files leave something open:\n  2. harmless" in done.stderr


def test_files_of_a_folder_that_are_called_alike_and_are_no_meshs_are_told(tmp_path: Path) -> None:
    (tmp_path / "edge.conf").write_text("listener 1883\n")
    (tmp_path / "redis.conf").write_text("maxmemory 2gb\nappendonly yes\n")

    done = run("mesh", "verify", str(tmp_path), "--failures", "none")

    assert done.exit_code == 0
    unbroken = "".join(done.stdout.split())
    assert "".join(f"no files of mosquitto, and passed over: {tmp_path}/redis.conf.".split()) in unbroken


def test_the_format_picks_the_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "edge.conf").write_text("listener 1883\n")
    (tmp_path / "nats.conf").write_text("server_name: n\n")

    assert "--format says which" in run("mesh", "verify", str(tmp_path)).stderr
    assert run("mesh", "verify", str(tmp_path), "--format", "nats").stdout.startswith("nats: 1 broker")
    assert "edge: 1 broker" in run("mesh", "verify", str(tmp_path), "--format", "mosquitto").stdout


def test_a_claim_takes_responsibility(mesh: str, tmp_path: Path) -> None:
    project = tmp_path / "angarium.toml"
    claim = '[[claim]]\nname = "c"\nmesh = "ring.yaml"\nfailures = "none"\n'

    project.write_text(f'[project]\nname = "p"\n{claim}')
    without = run("run", str(project), "--out", str(tmp_path / "one"))
    project.write_text(f'[project]\nname = "p"\n{claim}assume = ["plugin*"]\n')
    done = run("run", str(project), "--out", str(tmp_path / "two"))

    assert (without.exit_code, done.exit_code) == (3, 0)
