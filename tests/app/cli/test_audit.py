"""`angarium audit`: what it says, its tables, its exit codes, and bad input."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

import angarium
from angarium.api import AuditParameters, OnSpark
from angarium.app.cli.audit import command
from angarium.app.cli.following import followed_result, line, told
from angarium.app.pipeline.claims import KINDS
from angarium.app.report.record import result_record
from angarium.core.errors import AddressError
from angarium.core.records import read, write
from angarium.core.result import Verdict
from angarium.history.live.progress import Progress
from angarium.history.live.verdicts import verdict
from angarium.history.missing import Missing
from angarium.history.parameters import MILLISECOND, Parameters
from angarium.history.result import AuditResult, Source
from angarium.history.said import TIMES, parameters_of
from tests.app.cli.running import run

pytestmark = pytest.mark.spark

SHOP = "examples/histories/shop.jsonl"
SOME = ("--only", "no-loss", "--only", "no-duplicates", "-q", "--master", "local[2]")
GIVEN = dict.fromkeys([*TIMES, "retry_limit"], None) | {"single_active": ()}


def test_options_are_parameters() -> None:
    given = GIVEN | {"grace": "5ms", "message_timeout": "2s", "retry_limit": 3, "single_active": ("q*",)}

    assert parameters_of(GIVEN) == Parameters()
    assert parameters_of(given) == Parameters(
        message_timeout=2000 * MILLISECOND, grace=5 * MILLISECOND, retry_limit=3, single_active=("q*",)
    )


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), "ANG013", "nothing to audit"),
        (("no-such-file.jsonl",), "ANG010", "no-such-file.jsonl"),
        ((SHOP, "--grace", "soon"), "ANG013", "--grace"),
        ((SHOP, "--retry-limit", "9" * 20), "ANG013", "possible: 1 to 1,000,000,000"),
        ((SHOP, "--follow", "x", "--checkpoint", "y"), "ANG013", "not with a PATH"),
        (("--follow", "x"), "ANG013", "--follow and --checkpoint go together"),
        (("--follow", "x", "--checkpoint", "y", "--out", "z"), "ANG013", "not with --out"),
        ((SHOP, "--out", "README.md"), "ANG014", "it is a file"),
        ((SHOP, "--model", "queue"), "ANG135", "queue"),
        ((SHOP, "--only", "no-los"), "ANG012", "did you mean no-loss"),
    ],
)
def test_wrong_words_are_explained(words: tuple[str, ...], code: str, says: str) -> None:
    done = run("audit", *words)

    assert done.exit_code == 2
    assert f"error[{code}]" in done.stderr and says in done.stderr
    assert "Traceback" not in done.stderr


def test_python_options_and_claims_call_the_parameters_alike() -> None:
    names = set(AuditParameters.__annotations__)

    assert names == {*TIMES, "retry_limit", "single_active"}
    assert {name.replace("_", "-") for name in names} <= set(KINDS["audit"].options)
    assert names <= {each.name for each in command.params}


@pytest.mark.thorough
def test_the_story_of_a_violation_is_shown_again(tmp_path: Path) -> None:
    file = tmp_path / "a shop.jsonl"
    file.write_bytes(Path(SHOP).read_bytes())
    found = angarium.audit(file, only=["no-loss"], message_timeout="60s", spark=OnSpark("local[2]"))
    (story,) = (each.story for each in found.verdicts if each.story)

    assert angarium.replay(story.address) == story
    assert [step.text for step in story.steps] == ["shop sends o-27", "orders confirms o-27 to shop"]
    record = json.loads(json.dumps(write(found)))
    assert write(read(AuditResult, record)) == record
    file.write_bytes(Path(SHOP).read_bytes() * 2)
    with pytest.raises(AddressError, match="other histories"):
        angarium.replay(story.address)
    with pytest.raises(AddressError, match="not the address of an audit's story"):
        angarium.replay("history:shop")


@pytest.mark.parametrize(
    "words",
    ["--out+owned", "--model+nsq", "--paths+x", "--observe+x", "--only+x", "--retry-limit+few", "--grace"],
)
def test_the_address_of_a_story_says_what_is_judged_and_not_what_is_done(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who replays what somebody else has sent writes no files: `--out` made a folder of them."""
    (tmp_path / "shop.jsonl").write_bytes(Path(SHOP).read_bytes())
    monkeypatch.chdir(tmp_path)
    paths = [] if words == "--grace" else ["shop.jsonl"]
    address = f"history:{'+'.join([words, *paths])}@{Source(paths).version}:shop/no-loss/p1:54"

    done = run("replay", address)

    assert done.exit_code == 2 and done.stderr.startswith(("error[ANG030]", "error[ANG013]"))
    assert [each.name for each in tmp_path.iterdir()] == ["shop.jsonl"]


@pytest.mark.slow
def test_an_empty_folder_is_no_pass(tmp_path: Path) -> None:
    done = run("audit", str(tmp_path))

    assert done.exit_code == 2 and "error[ANG130]" in done.stderr


@pytest.mark.slow
def test_violations_are_told_with_their_stories_and_written(tmp_path: Path) -> None:
    out = tmp_path / "audited"
    done = run("audit", SHOP, *SOME, "--out", str(out))

    assert done.exit_code == 1
    assert "no-loss        violated           1" in done.stdout
    assert "billing-2.tag takes o-31" in done.stdout and f"Tables: {out}" in done.stdout
    mark = json.loads((out / "angarium.json").read_text("utf-8"))
    assert mark["counts"]["read"] == mark["counts"]["accepted"] == 168
    assert {path.name for path in out.iterdir()} >= set(mark["tables"])


@pytest.mark.slow
def test_a_cut_file_is_told_and_nothing_of_it_holds(tmp_path: Path) -> None:
    whole = gzip.compress(Path(SHOP).read_bytes())
    (tmp_path / "recording-of-a-day.jsonl.gz").write_bytes(whole[: len(whole) // 2])

    done = run("audit", str(tmp_path), *SOME, "--json")

    found = json.loads(done.stdout)
    assert done.exit_code == 3
    assert found["read"] == found["accepted"] + found["quarantined"]
    assert found["quarantined"] >= 1 and found["accepted"] > 10
    assert {each["verdict"] for each in found["verdicts"]} == {"unknown"}
    assert {each["run_id"] for each in found["verdicts"]} == {"shop"}
    assert all("that may be of this run was not read" in each["note"] for each in found["verdicts"])


@pytest.mark.thorough
@pytest.mark.slow
def test_a_damaged_page_of_parquet_leaves_nothing_certain(tmp_path: Path) -> None:
    """Here a name becomes another name, and only its checksum says so."""
    import pyarrow as pa
    from pyarrow import parquet

    lines = [json.loads(line) for line in Path(SHOP).read_text("utf-8").splitlines()]
    names = dict.fromkeys(name for line in lines for name in line)
    whole = pa.table({name: [line.get(name) for line in lines] for name in names})
    for name, table in {"good": whole[:100], "bad": whole[100:]}.items():
        parquet.write_table(
            table, tmp_path / f"{name}.parquet", compression="none", use_dictionary=False,
            write_page_checksum=True, row_group_size=20,
        )  # fmt: skip
    bad = tmp_path / "bad.parquet"
    two = b"orders\6\0\0\0orders"
    assert two in bad.read_bytes()
    bad.write_bytes(bad.read_bytes().replace(two, two[:-6] + b"0rders", 1))

    done = run("audit", str(tmp_path), *SOME, "--json")

    found = json.loads(done.stdout)
    assert done.exit_code == 3
    assert (found["quarantine"], found["accepted"]) == ({"the file cannot be read": 1}, 100)
    assert {each["verdict"] for each in found["verdicts"]} == {"unknown"}


@pytest.mark.thorough
@pytest.mark.slow
def test_what_was_not_read_and_what_nobody_can_follow_is_told(tmp_path: Path) -> None:
    below = tmp_path / "recorded"
    below.mkdir()
    nameless = {
        "recorder": "p", "seq": 1, "time_unix_nano": 1_794_719_060_000_000_000, "op_type": "send",
        "phase": "ok", "destination": "q",
    }  # fmt: skip
    (below / "p-000001.jsonl").write_text(json.dumps(nameless) + "\n", encoding="utf-8")
    (below / ".p-000002.jsonl").write_text(json.dumps(nameless | {"seq": 2}) + "\n", encoding="utf-8")

    found = json.loads(run("audit", str(tmp_path), *SOME, "--only", "complete-log", "--json").stdout)
    remarks, verdicts = found["remarks"], {each["guarantee"]: each for each in found["verdicts"]}

    assert verdicts["complete-log"]["verdict"] == "unknown"
    assert "may be of this run was not read" in verdicts["complete-log"]["note"]
    assert len(remarks) == 2
    assert ".p-000002.jsonl" in remarks[0] and f"angarium record recover {below}" in remarks[0]
    assert "without message_id" in remarks[1] and ": 1." in remarks[1]


def test_what_was_followed_is_told() -> None:
    progress = Progress(
        batch=3,
        accepted=90,
        quarantined={"late": 2},
        found=(("a", "order", "inversion", 4),),
        judged=(("a", "order"), ("a", "no-loss")),
    )

    assert verdict(progress) is Verdict.VIOLATED
    assert verdict(Progress()) is Verdict.UNKNOWN
    assert verdict(Progress(judged=(("a", "order"),), ended=True)) is Verdict.HOLDS
    assert "90 events" in line(progress) and "4 findings" in line(progress)
    text = told(progress, Path("state"))
    assert "order violated 4 times" in text and "goes on from here" in text
    verdicts = {
        each["guarantee"]: each["verdict"]
        for each in result_record(followed_result(progress, "x"))["verdicts"]
    }
    assert verdicts == {"order": "violated", "no-loss": "unknown"}


def test_what_was_followed_and_is_damaged_neither_holds_nor_is_violated_for_certain() -> None:
    progress = Progress(
        accepted=90,
        quarantined={"the line is cut off": 1},
        missing=Missing(strays={"a": 1}),
        found=(("a", "order", "inversion", 4),),
        judged=(("a", "order"), ("a", "no-loss")),
        ended=True,
    )

    assert verdict(progress) is Verdict.UNKNOWN
    assert verdict(replace(progress, missing=Missing())) is Verdict.VIOLATED
    text = told(progress, Path("state"))
    assert "order seems to be violated 4 times" in text
    assert "unknown: 1 row or file that may be of this run was not read: what is missing may be a" in text
    (loss, order) = result_record(followed_result(progress, "x"))["verdicts"]
    assert (loss["verdict"], order["verdict"], order["violations"]) == ("unknown", "unknown", 4)
    assert "may be the reason for what looks like a violation" in order["note"]
