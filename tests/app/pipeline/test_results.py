"""The folder of results: whose it is, what is kept of a run, and the trend over runs."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import angarium
from angarium.app.pipeline import store
from angarium.app.pipeline.claims import Bound, Claim
from angarium.app.pipeline.project import Project
from angarium.app.pipeline.publish import publish
from angarium.app.pipeline.run import Asked, run
from angarium.app.pipeline.store import Cache, claim_folder
from angarium.app.pipeline.trends import shrunk, trends_of
from angarium.app.pipeline.worker import Answer
from angarium.app.report.job import AS_EXPECTED, ClaimResult, JobResult
from angarium.app.report.job_text import render, render_trends
from angarium.app.report.record import result_record
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Simulation, Statistic, Walking
from angarium.contracts.results import ProofResult, ProofVerdict
from angarium.core.control import INTERRUPTED
from angarium.core.errors import PipelineError, Place
from angarium.core.records import Record
from angarium.core.result import CheckVerdict, Coverage, Report, Result, Story, Verdict
from angarium.history.result import AuditResult, AuditVerdict
from angarium.mesh.results import MeshVerdict
from angarium.settings.kafka.results import SettingsExtent, SettingsResult, SettingsVerdict

STORY = Story("nsq", "nsq@1:x:0", "no-loss", "it is lost")
LOST = CheckVerdict(
    guarantee="no-loss", kind="invariant", verdict=Verdict.VIOLATED, description="d", story=STORY
)
EXTENT = Coverage(states=100, transitions=200, depth=9, bytes=1000)
REPORT = Report(subject="nsq", model_hash="1", threads=1, extent=EXTENT, verdicts=[LOST])


def _record(result: Result[Any]) -> Record:
    """As it is read from a file."""
    found: Record = json.loads(json.dumps(result_record(result)))
    return found


RECORD = _record(REPORT)
CLAIM = ClaimResult("a", "check", "nsq", "violated", "violated", AS_EXPECTED, 1.5, RECORD)
JOB = JobResult(
    "p", "20261116-100000-aaaa", "2026-11-16T10:00:00Z", 2.0, "local[2]", "0.1.0", (CLAIM,), ("b",)
)


def _later(states: int, model_hash: str = "1", **more: object) -> ClaimResult:
    return replace(CLAIM, record={**RECORD, "states": states, "model_hash": model_hash, **more})


MESH = "examples/meshes/six-brokers.yaml"


def _audit() -> AuditResult:
    return angarium.audit("examples/histories/shop.jsonl", engine="local")


UNTOLD = replace(JOB, claims=(_later(100, verdicts=[]),))
"""The same without a story."""


def test_a_job_is_kept_whole(tmp_path: Path) -> None:
    store.save(tmp_path, JOB)

    assert store.runs(tmp_path) == [JOB]
    assert store.load(tmp_path, JOB.run_id) == JOB
    assert store.load(tmp_path, "../runs/" + JOB.run_id) is None


def test_the_newest_run_comes_first_and_broken_files_are_passed_over(tmp_path: Path) -> None:
    later = replace(JOB, run_id="20261117-100000-bbbb")
    store.save(tmp_path, JOB)
    store.save(tmp_path, later)
    (tmp_path / "runs" / "20261118-000000-cccc.json").write_text("{", encoding="utf-8")

    assert [job.run_id for job in store.runs(tmp_path)] == [later.run_id, JOB.run_id]


def test_tables_are_read_over_all_runs(tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    store.save(tmp_path, JOB)
    store.save(tmp_path, replace(JOB, run_id="20261117-100000-bbbb"))

    def rows(name: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = dataset.dataset(tmp_path / "tables" / name).to_table().to_pylist()
        return found

    assert {row["run_id"] for row in rows("claims")} == {JOB.run_id, "20261117-100000-bbbb"}
    assert rows("verdicts")[0]["verdict"] == "violated"
    assert rows("stories")[0]["summary"] == "it is lost"
    assert {row["figure"]: row["value"] for row in rows("figures")} == {
        "states": 100.0,
        "transitions": 200.0,
        "depth": 9.0,
    }


def test_no_more_runs_are_read_than_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(10, 20):
        store.save(tmp_path, replace(JOB, run_id=f"202611{day}-100000-aaaa", project="pq"[day % 2]))
    seen: list[Path] = []
    read = store.read
    monkeypatch.setattr(store, "read", lambda path: seen.append(path) or read(path))

    assert [job.run_id[6:8] for job in store.runs(tmp_path, 2)] == ["19", "18"]
    assert len(seen) == 2
    assert [job.run_id[6:8] for job in store.runs(tmp_path, 2, project="p")] == ["18", "16"]
    assert [job.run_id[6:8] for job in store.runs(tmp_path, 1, until="20261115-100000-aaaa")] == ["15"]
    assert len(seen) == 2 + 4 + 1


def test_the_tables_tell_situations_apart(tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    healthy = MeshVerdict(guarantee="reachability", verdict=Verdict.HOLDS, failures="healthy")
    cut = replace(healthy, verdict=Verdict.VIOLATED, failures="1 link", story=STORY)
    crash = SettingsVerdict(
        guarantee="no-loss",
        kind="invariant",
        verdict=Verdict.HOLDS,
        decided_by="no-loss",
        faults="one-crash",
        budget={},
        system="kafka-delivery",
        states=1,
        complete=True,
    )
    audited = AuditVerdict(
        guarantee="order", verdict=Verdict.HOLDS, run_id="shop", judged=1, unjudged=0, violations=0
    )
    part = ProofVerdict(
        guarantee="get keeps order",
        verdict=Verdict.HOLDS,
        kind="kept",
        part="Queue",
        operation="get",
        place=Place("queue.py", 1, 1),
        seconds=0.0,
    )
    results = [
        replace(angarium.verify(MESH, failures="none"), verdicts=[healthy, cut]),
        replace(_settings_result(1, 3), verdicts=[crash]),
        replace(_audit(), verdicts=[audited]),
        ProofResult(subject="queue", verdicts=[part]),
        REPORT,
    ]
    claims = [replace(CLAIM, name=str(n), record=_record(each)) for n, each in enumerate(results)]
    store.save(tmp_path, replace(JOB, claims=tuple(claims)))

    def column(table: str) -> list[str | None]:
        found = dataset.dataset(tmp_path / "tables" / table).to_table()
        assert set(found["run_id"].to_pylist()) == {JOB.run_id}
        return found["situation"].to_pylist()

    assert column("verdicts") == ["healthy", "1 link", "one-crash", "shop", "Queue", None]
    assert column("stories") == ["1 link", None]


def test_the_report_of_some_claims_stands_beside_the_one_of_all(tmp_path: Path) -> None:
    whole = replace(UNTOLD, unchecked=())
    publish(tmp_path, whole)
    report = (tmp_path / "report.html").read_text()
    some = replace(UNTOLD, run_id="20261117-100000-bbbb", only=("a",), unchecked=("b",))
    publish(tmp_path, some)

    assert (tmp_path / "report.html").read_text() == report
    assert some.run_id in (tmp_path / "report-only.html").read_text()
    assert some.run_id in (tmp_path / "junit.xml").read_text()
    assert some.run_id in (tmp_path / "summary.md").read_text()
    assert f"Report   {tmp_path / 'report-only.html'}" in render(some, out=tmp_path)
    assert f"Report   {tmp_path / 'report.html'}" in render(whole, out=tmp_path)


def test_no_password_is_in_what_is_kept_of_a_run_or_published(tmp_path: Path) -> None:
    address = "s3a://me:s3cr3t@bucket"
    record = {**RECORD, "subject": address, "verdicts": []}
    claim = replace(CLAIM, name=f"what {address} has", about=address, record=record)
    job = replace(JOB, claims=(claim,))
    store.save(tmp_path, job)
    publish(tmp_path, job)
    assert Cache(tmp_path / "cache").put("0" * 32, asdict(Answer(1.0, record))) is None

    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in written if b"s3cr3t" in path.read_bytes()] == []
    assert Cache(tmp_path / "cache").get("0" * 32)[1] is None


def test_a_run_says_what_was_asked_for_and_whether_it_is_a_statistic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed = Statistic("releases", "", 9, 9, 3.5, 0.1, 3.0, 4.0, 3, 4, {}, ())
    found = Simulation(
        subject="nsq",
        model_hash="1",
        threads=1,
        plan=Plan(runs=9),
        goal=None,
        statistics=[observed],
        extent=Walking(walks=9),
    )
    known = Answer(1.0, _record(found))
    monkeypatch.setattr(Cache, "get", lambda self, key: (asdict(known), None))
    few = Claim("few", "simulate", ("nsq",), bound=Bound(None, "mean", at_most=5))
    project = Project("p", tmp_path, (few, replace(few, name="other")))

    job = run(project, Asked(tmp_path / "out", only=("few",)))

    assert (job.only, job.unchecked, job.report) == (("few",), ("other",), "report-only.html")
    (claim,) = job.claims
    assert claim.bounded and len(claim.notes) == 1 and not claim.news
    assert store.runs(tmp_path / "out") == [job]


def test_a_run_that_was_asked_for_every_claim_is_a_whole_one() -> None:
    assert replace(JOB, only=("a",), unchecked=()).report == "report.html"
    assert replace(JOB, unchecked=("b",), cut=INTERRUPTED).report == "report.html"
    assert (
        replace(JOB, only=("a",), claims=(), unchecked=("a", "b"), cut=INTERRUPTED).report
        == "report-only.html"
    )


def test_a_report_tells_the_trend_of_its_own_project(tmp_path: Path) -> None:
    other = replace(JOB, run_id="20261115-100000-bbbb", project="q", claims=(replace(CLAIM, name="theirs"),))
    earlier = replace(JOB, run_id="20261114-100000-cccc")
    for each in (other, replace(other, run_id="20261113-100000-dddd"), earlier, UNTOLD):
        store.save(tmp_path, each)
    publish(tmp_path, UNTOLD)

    text = (tmp_path / "report.html").read_text()
    assert "Over the last runs" in text and "theirs" not in text


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("mine", encoding="utf-8")

    with pytest.raises(PipelineError, match=r"files of something else \(thesis.doc\)"):
        claim_folder(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.doc"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine", encoding="utf-8")

    with pytest.raises(PipelineError, match="it is a file"):
        claim_folder(tmp_path / "out")


def test_our_own_folder_is_taken_again(tmp_path: Path) -> None:
    claim_folder(tmp_path / "out")
    (tmp_path / "out" / "report.html").write_text("x", encoding="utf-8")

    claim_folder(tmp_path / "out")

    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize(
    ("later", "words"),
    [
        (_later(60), "40 of 100 states are gone though its model is the same"),
        (_later(60, "2"), "40 of 100 states are gone since its model was changed"),
        (_later(100), None),
        (_later(101), None),
        (_later(60, complete=False), None),
        (replace(_later(60), about="nsq with messages=1"), None),
    ],
)
def test_a_state_space_that_shrinks_is_told(later: ClaimResult, words: str | None) -> None:
    found = shrunk(later, [JOB])

    assert found is None if words is None else found is not None and words in found


def test_a_state_space_that_shrank_is_told_until_its_inputs_change() -> None:
    small = replace(_later(60), key="k2")
    before = [replace(JOB, claims=(each,)) for each in (small, small, replace(CLAIM, key="k1"))]

    assert "40 of 100 states are gone" in (shrunk(small, before) or "")
    assert shrunk(replace(small, key="k3"), before) is None
    assert shrunk(small, before[:2]) is None


def _settings(states: int, factor: int) -> ClaimResult:
    """Of a check of settings, which has no hash of a model."""
    return replace(CLAIM, record=_record(_settings_result(states, factor)))


def _settings_result(states: int, factor: int) -> SettingsResult:
    return SettingsResult(
        parameters={"replication.factor": factor},
        extent=SettingsExtent(states=states, transitions=1, depth=1, scenarios=1),
        kafka_version="4.1",
        threads=1,
        origins={},
        remarks=[],
        ignored=[],
        changes=[],
        all_changes_tried=False,
    )


@pytest.mark.parametrize(
    ("factor", "words"), [(2, "since its settings were changed"), (3, "though its settings are the same")]
)
def test_settings_that_were_changed_are_told_from_those_that_were_not(factor: int, words: str) -> None:
    found = shrunk(_settings(60, factor), [replace(JOB, claims=(_settings(100, 3),))])

    assert found == f"40 of 100 states are gone {words}: is less tried than before?"


def test_a_trend_does_not_wonder_if_less_is_asked() -> None:
    smaller = replace(_later(60), about="nsq with messages=1")
    later = replace(JOB, run_id="20261117-100000-bbbb", claims=(smaller,))

    *_, last = render_trends(trends_of([later, JOB])).splitlines()

    assert last == "  20261117-100000-bbbb  violated  60 states (-40: something else is asked)"


def test_a_trend_shows_verdicts_and_states() -> None:
    later = replace(JOB, run_id="20261117-100000-bbbb", claims=(_later(60),))

    text = render_trends(trends_of([later, JOB]))

    assert text.splitlines() == [
        "a",
        "  20261116-100000-aaaa  violated  100 states",
        "  20261117-100000-bbbb  violated  60 states (-40: is less tried?)",
    ]
