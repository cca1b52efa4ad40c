"""`angarium mesh simulate`: tables, records, files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from angarium.app.cli.mesh.simulate import SCHEMES
from angarium.mesh.packets import running, timeline
from angarium.mesh.packets.experiment import ARRIVALS
from angarium.mesh.packets.links import BUFFERING
from tests.app.cli.running import record, run

VERB = ("mesh", "simulate")
SIX = "examples/meshes/thesis-simulation.yaml"
THESIS = (
    *VERB,
    SIX,
    "--from",
    "1",
    "--to",
    "3",
    "--cut",
    "2-3@50s",
    "--heal",
    "2-3@100s",
    "--heartbeat",
    "1s",
)
PAIR = (*THESIS, "--scheme", "pcrt", "--scheme", "ospf")


def test_the_words_of_the_command_are_those_of_the_simulation() -> None:
    help_text = run(*VERB, "--help").stdout

    assert tuple(timeline.SCHEMES) == SCHEMES
    assert "|".join(BUFFERING) in help_text and "|".join(ARRIVALS) in help_text


def test_schemes_stand_side_by_side() -> None:
    result = run(*THESIS)

    lines = {line.strip().partition("  ")[0]: line.split() for line in result.stdout.splitlines()}
    assert result.exit_code == 0
    assert lines["pcrt"] == list(SCHEMES)
    assert lines["lost"][1:] == ["3", "9", "4", "3", "3"]
    assert lines["packets sent"][2:] == ["150"] * 5
    assert lines["used again after"][3::2] == ["4.100", "8.100", "3.100", "3.100", "3.100"]
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_record_has_what_the_table_shows() -> None:
    answer = record(*PAIR)

    assert (answer["kind"], answer["subject"], answer["complete"]) == (
        "mesh simulate",
        "thesis simulation",
        True,
    )
    pcrt, ospf = answer["schemes"]
    assert (pcrt["lost"], ospf["lost"]) == (3, 9)
    assert pcrt["lost_by_cause"] == {"at a dead link": 3}
    assert pcrt["latency_ns"]["quantile_50"] == 200_000_000
    failed, healed = pcrt["responses"]
    assert failed["noticed_ns"] == ospf["responses"][0]["noticed_ns"]
    assert (failed["delivers_again_ns"], healed["used_again_ns"]) == (3_300_000_000, 4_100_000_000)
    assert answer["verdicts"] == []


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    words = (*PAIR, "--arrivals", "poisson", "--rate", "5")

    one, same, other = (record(*words, "--seed", seed)["schemes"][0] for seed in ("1", "1", "2"))

    assert one["latency_ns"] == same["latency_ns"] != other["latency_ns"]


def test_several_flows_and_a_broker_that_dies(tmp_path: Path) -> None:
    words = (*VERB, SIX, "--from", "1", "--to", "3", "--from", "4", "--to", "6", "--cut", "broker 5@20s")

    answer = record(*words, "--scheme", "pcrt")

    assert [(flow["from"], flow["to"]) for flow in answer["flows"]] == [("1", "3"), ("4", "6")]
    assert answer["events"] == [{"what": "broker 5", "heals": False, "time_ns": 20_000_000_000}]


def test_a_shared_risk_is_cut_by_its_name() -> None:
    words = (
        "examples/meshes/ring-with-duct.yaml",
        "--from",
        "b1",
        "--to",
        "b3",
        "--cut",
        "river crossing@20s",
    )

    answer = record(*VERB, *words, "--scheme", "pcrt")

    assert answer["events"][0]["what"] == "link b1-b2 and link b1-b3"
    assert answer["schemes"][0]["responses"][0]["settled_ns"] < 4_500_000_000


def test_the_picture_has_a_panel_a_scheme_and_shades_the_failure(tmp_path: Path) -> None:
    picture = tmp_path / "latency.svg"

    result = run(*PAIR, "--plot", str(picture))

    texts = [each.text or "" for each in ElementTree.parse(picture).iter() if each.tag.endswith("}text")]
    assert result.exit_code == 0
    assert {"pcrt, 3 lost", "ospf, 9 lost", "latency, ms", "sent at, s"} <= set(texts)
    assert 'fill="#bbbbbb"' in picture.read_text()


def test_every_packet_is_written(tmp_path: Path) -> None:
    file = tmp_path / "packets.csv"

    result = run(*PAIR, "--raw", str(file))

    assert result.exit_code == 0
    assert len(file.read_text().splitlines()) == 1 + 2 * 150


def test_what_is_cut_says_so_and_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLICE", 10)

    result = run(*PAIR, "--timeout", "0.000001")

    assert result.exit_code == 3
    assert "pcrt was cut (time limit of 1e-06 s) after" in result.stdout
    assert "ospf" not in result.stdout.splitlines()[5]


def test_a_mesh_that_loses_nothing_has_a_table_without_causes() -> None:
    result = run(*VERB, SIX, "--from", "1", "--to", "3", "--scheme", "pcrt", "--duration", "10 s")

    assert result.exit_code == 0
    assert "at a dead link" not in result.stdout
    assert "noticed" not in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cut", "2-3"), "does not say what and when"),
        (("--cut", "2-3@50"), "for example --cut 2-3@50s"),
        (("--cut", "2-33@50s"), "did you mean"),
        (("--cut", "2-3@50s", "--cut", "2-3@60s"), "is cut already"),
        (("--heal", "2-3@50s"), "works then"),
        (("--cut", "2-3@150s"), "only 150 s are simulated"),
        (("--duration", "9999999 d"), "1 us to 366 d"),
        (("--from", "1", "--to", "9"), "no broker is called '9'"),
        (("--from", "b1", "--to", "3"), "no broker is called 'b1'"),
        (("--to", "5"), "--from is given 1 times and --to 2 times"),
        (("--heartbeat", "soon"), "for example --heartbeat 50s"),
        (("--plot", "latency.png"), "ends in .svg"),
        (("--raw", "packets.txt"), "ends in .csv or .parquet"),
        (("--raw", "nowhere/packets.csv"), "there is no folder nowhere"),
        (("--rate", "1000000"), "up to 10,000,000"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(words: tuple[str, ...], said: str) -> None:
    result = run(*VERB, SIX, "--from", "1", "--to", "3", *words)

    assert result.exit_code == 2
    assert said in result.stderr
    assert "error[ANG" in result.stderr


def test_long_names_and_large_numbers_keep_to_the_page(tmp_path: Path) -> None:
    one, other, third = (f"{place}-{'broker' * 12}.example" for place in "abc")
    mesh = tmp_path / "long.yaml"
    mesh.write_text(
        f"mesh: {'long ' * 30}\nbrokers: [{one}, {other}, {third}]\n"
        f"links: [{one} - {other}, {other} - {third}, {one} - {third}]\nrouting: shortest\n"
    )
    cut = f"{one}-{other}@0.012345678s"
    words = (str(mesh), "--from", one, "--to", other, "--cut", cut, "--rate", "123456", "--duration", "1 s")

    result = run(*VERB, *words, "--heartbeat", "0.123456789s")

    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_schemes_that_do_not_fit_side_by_side_stand_below_one_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("angarium.app.cli.output.width", lambda: 48)

    result = run(*THESIS)

    heads = [line.split() for line in result.stdout.splitlines() if set(line.split()) & set(SCHEMES)]
    assert [scheme for head in heads for scheme in head] == list(SCHEMES)
    assert len(heads) > 1
    assert max(map(len, result.stdout.splitlines())) <= 48
