"""A run of a project on real Spark: outcomes, answers that are kept, tries, and a cluster of two workers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from angarium.app.pipeline import run as running
from angarium.app.pipeline import store
from angarium.app.pipeline.claims import Claim
from angarium.app.pipeline.project import Project, read_project
from angarium.app.pipeline.publish import publish
from angarium.app.pipeline.run import Asked, UnkeptError, Watcher, outcome_of, run, verdict_of
from angarium.app.pipeline.store import UNKEPT, claim_folder
from angarium.app.pipeline.worker import Answer, Task, answered
from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, UNEXPECTED, JobResult
from angarium.app.report.record import result_record
from angarium.checker.logic.mutate import MutantResult, MutationResult, MutationTable
from angarium.core.control import Cut, cut_by_time
from angarium.core.errors import PipelineError, SparkError
from angarium.core.records import Record
from angarium.core.result import Extent, Verdict
from angarium.spark.place import Place
from scripts.cluster import Cluster
from tests.app.pipeline.answers import record

pytestmark = pytest.mark.spark

EXAMPLES = Path(__file__).parents[3] / "examples"
PROJECT = """\
[project]
name = "orders"

[[claim]]
name = "nothing is lost"
check = "models/at_least_once.py"
only = ["no-loss"]

[[claim]]
name = "something comes twice"
check = "models/at_least_once.py"
only = ["no-duplicates"]
expect = "violated"

[[claim]]
name = "nothing comes twice"
check = "models/at_least_once.py"
only = ["no-duplicates"]

[[claim]]
name = "no model at all"
check = "broken.py"

[[claim]]
name = "too little time"
check = "rabbitmq-sac"
set = { queues = 4, apps = 4 }
only = ["type-ok"]
budget = "0.5s"

[[claim]]
name = "few releases"
simulate = "rabbitmq-sac"
runs = 500
at-most = 5

[[claim]]
name = "a cut link cuts a tree"
mesh = "../beside/six-brokers.yaml"
failures = "links=1"
expect = "violated"
"""
OUTCOMES = {
    "nothing is lost": ("holds", AS_EXPECTED),
    "something comes twice": ("violated", AS_EXPECTED),
    "nothing comes twice": ("violated", UNEXPECTED),
    "no model at all": ("unknown", FAILED),
    "too little time": ("unknown", UNDECIDED),
    "few releases": ("holds", AS_EXPECTED),
    "a cut link cuts a tree": ("violated", AS_EXPECTED),
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "orders" / "models").mkdir(parents=True)
    (tmp_path / "beside").mkdir()
    shutil.copy(EXAMPLES / "at_least_once.py", tmp_path / "orders" / "models")
    shutil.copy(EXAMPLES / "meshes" / "six-brokers.yaml", tmp_path / "beside")
    (tmp_path / "orders" / "broken.py").write_text("class Queue(\n", encoding="utf-8")
    (tmp_path / "orders" / "angarium.toml").write_text(PROJECT, encoding="utf-8")
    return read_project(tmp_path / "orders")


def _some(project: Project, *names: str) -> Project:
    return Project(project.name, project.folder, tuple(each for each in project.claims if each.name in names))


def _outcomes(job: JobResult) -> dict[str, tuple[str, str]]:
    return {each.name: (each.verdict, each.outcome) for each in job.claims}


@pytest.mark.slow
def test_every_claim_has_its_outcome(project: Project, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    out, seen = tmp_path / "out", []
    watcher = Watcher(lambda claim, number, of: seen.append((claim.name, number, of)))

    job = run(project, Asked(out, Place("local[2]")), watcher)
    publish(out, job)

    assert _outcomes(job) == OUTCOMES
    assert job.verdict is Verdict.VIOLATED
    assert [number for _, number, _ in seen] == [*range(1, 8)]
    by_name = {each.name: each for each in job.claims}
    assert "this is not Python" in (by_name["no model at all"].problem or "")
    assert "time limit" in (by_name["too little time"].problem or "")
    assert by_name["few releases"].notes[0].startswith("mean of releases-to-balance is ")
    assert [*by_name["few releases"].pictures] == ["figures"]
    assert len(by_name["a cut link cuts a tree"].pictures) == 2
    assert {"report.html", "junit.xml", "summary.md"} <= {path.name for path in out.iterdir()}
    assert store.runs(out) == [job]

    again = run(project, Asked(out, Place("local[2]")))

    assert _outcomes(again) == OUTCOMES
    open_ones = {"no model at all", "too little time"}
    assert {each.name for each in again.claims if not each.cached} == open_ones


@pytest.mark.slow
def test_only_what_changed_is_checked_again(project: Project, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    some = _some(project, "nothing is lost", "a cut link cuts a tree")
    asked = Asked(tmp_path / "out", Place("local[2]"))
    run(some, asked)
    model = project.folder / "models" / "at_least_once.py"
    model.write_text(model.read_text() + "# a remark\n", encoding="utf-8")

    again = run(some, asked)
    fresh = run(some, Asked(asked.out, asked.place, fresh=True))

    assert {each.name: each.cached for each in again.claims} == {
        "nothing is lost": False,
        "a cut link cuts a tree": True,
    }
    assert not any(each.cached for each in fresh.claims)


@pytest.mark.slow
def test_a_task_whose_process_dies_is_tried_again(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark")
    mark = tmp_path / "tried"

    def dying(task: Task) -> Answer:
        if not mark.exists():
            mark.touch()
            return Answer(0.0, problem="it died", died=True)
        return answered(task)

    monkeypatch.setattr(running, "answered", dying)
    some = _some(project, "nothing is lost")

    job = run(some, Asked(tmp_path / "out", Place("local[2]")))

    assert mark.exists()
    assert _outcomes(job) == {"nothing is lost": ("holds", AS_EXPECTED)}


@pytest.mark.slow
def test_a_file_that_is_changed_meanwhile_changes_no_answer(project: Project, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    model = project.folder / "models" / "at_least_once.py"
    was = model.read_text()

    def spoil(words: str) -> None:
        model.write_text(was.replace("<= 1", "<= 5"), encoding="utf-8")

    some, asked = _some(project, "something comes twice"), Asked(tmp_path / "out", Place("local[2]"))
    job = run(some, asked, Watcher(tell=spoil))
    assert model.read_text() != was
    model.write_text(was, encoding="utf-8")
    again = run(some, asked)

    assert _outcomes(job) == _outcomes(again) == {"something comes twice": ("violated", AS_EXPECTED)}
    assert again.claims[0].cached


def test_a_run_that_is_ended_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended(BaseException):
        pass

    def ending(claim: Claim, *_: object) -> Answer:
        if claim.name == "last":
            raise Ended
        return Answer(1.0, record("holds"))

    monkeypatch.setattr("angarium.app.pipeline.large.answer_of", ending)
    (tmp_path / "h.jsonl").touch()
    claims = tuple(Claim(name, "audit", ("h.jsonl",)) for name in ("first", "last"))

    with pytest.raises(Ended):
        run(Project("p", tmp_path, claims), Asked(tmp_path / "out", fresh=True))

    (job,) = store.runs(tmp_path / "out")
    assert (str(job.cut), job.unchecked, _outcomes(job)) == (
        "it was ended",
        ("last",),
        {"first": ("holds", AS_EXPECTED)},
    )


@pytest.fixture
def audits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of an audit that has its answer at once."""
    answer = Answer(1.0, record("holds"))
    monkeypatch.setattr("angarium.app.pipeline.large.answer_of", lambda *_: answer)
    (tmp_path / "h.jsonl").touch()
    (tmp_path / "angarium.toml").write_text("\n[[claim]]\naudit = 'h.jsonl'\n", encoding="utf-8")
    return read_project(tmp_path)


def test_an_answer_that_cannot_be_kept_counts_all_the_same(audits: Project, tmp_path: Path) -> None:
    claim_folder(tmp_path / "out")
    (tmp_path / "out" / "cache").touch()

    (claim,) = run(audits, Asked(tmp_path / "out")).claims

    assert (claim.outcome, claim.notes) == (AS_EXPECTED, (f"{UNKEPT}: File exists",))


def test_a_file_that_cannot_be_read_is_told_with_its_line(audits: Project, tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").unlink()

    with pytest.raises(PipelineError, match=r"h\.jsonl cannot be read: No such file") as caught:
        run(audits, Asked(tmp_path / "out"))

    assert str(caught.value.place) == f"{tmp_path / 'angarium.toml'}:2:1"


def test_a_file_that_vanishes_meanwhile_takes_no_answer_with_it(audits: Project, tmp_path: Path) -> None:
    watcher = Watcher(tell=lambda words: (tmp_path / "h.jsonl").unlink(missing_ok=True))

    (claim,) = run(audits, Asked(tmp_path / "out"), watcher).claims

    assert (claim.outcome, claim.notes) == (AS_EXPECTED, (running.CHANGED,))


def test_results_that_cannot_be_written_are_not_lost(audits: Project, tmp_path: Path) -> None:
    claim_folder(tmp_path / "out")
    (tmp_path / "out" / "runs").touch()

    with pytest.raises(UnkeptError, match="results cannot be written to") as caught:
        run(audits, Asked(tmp_path / "out"))

    assert caught.value.code == "ANG144"
    assert [each.outcome for each in caught.value.job.claims] == [AS_EXPECTED]


def test_a_master_that_is_not_there_is_an_error(project: Project, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")

    with pytest.raises(SparkError, match="nobody answers"):
        run(project, Asked(tmp_path / "out", Place("spark://127.0.0.1:9")))

    assert store.runs(tmp_path / "out") == []


def test_a_claim_whose_time_is_over_is_undecided() -> None:
    claim, answer = Claim("a", "audit", ("h",)), Answer(1.0, problem="its budget of 1 s is over", over=True)

    assert outcome_of(claim, answer, verdict_of(claim, answer)[0]) == UNDECIDED


@pytest.mark.parametrize(("code", "tries"), [("ANG076", 3), ("ANG072", 1)])
def test_a_job_of_its_own_is_tried_again_if_spark_fails(
    code: str, tries: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from angarium.history import auditing

    begun: list[object] = []

    def failing(asked: object, *_: object) -> None:
        begun.append(asked)
        raise SparkError(code, "its Java died")

    monkeypatch.setattr(auditing, "conduct", failing)
    (tmp_path / "h.jsonl").touch()
    claim = Claim("h", "audit", ("h.jsonl",))

    job = run(Project("p", tmp_path, (claim,)), Asked(tmp_path / "out"))

    assert len(begun) == tries
    assert [(each.outcome, each.problem) for each in job.claims] == [(FAILED, "its Java died")]


class _Failing:
    """Jobs of a Spark that dies after the first answer, so many times."""

    deaths = 0
    asked: ClassVar[list[int]] = []

    def __init__(
        self, spark: object, work: object, receive: Callable[[int, Answer], None], *_: object, **__: object
    ) -> None:
        self.receive = receive

    def run(self, questions: Sequence[Task]) -> str | None:
        self.asked.append(len(questions))
        for number, _ in enumerate(questions):
            if number and _Failing.deaths:
                _Failing.deaths -= 1
                raise SparkError("ANG076", "its Java died")
            self.receive(number, Answer(1.0, record("holds")))
        return None


@pytest.mark.parametrize(
    ("deaths", "asked", "left"), [(0, [3], ()), (2, [3, 2, 1], ()), (3, [4, 3, 2], ("d",))]
)
def test_tasks_are_tried_again_if_spark_fails(
    deaths: int, asked: list[int], left: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from angarium.spark import jobs

    context = SimpleNamespace(master="local[2]", defaultParallelism=2)
    monkeypatch.setattr(jobs, "started", lambda *_: SimpleNamespace(sparkContext=context))
    monkeypatch.setattr(jobs, "Jobs", _Failing)
    monkeypatch.setattr(_Failing, "deaths", deaths)
    monkeypatch.setattr(_Failing, "asked", [])
    claims = tuple(Claim(name, "check", ("nsq",)) for name in "abcd"[: asked[0]])

    job = run(Project("p", tmp_path, claims), Asked(tmp_path / "out"))

    assert _Failing.asked == asked
    assert (job.unchecked, job.cut and str(job.cut)) == (left, "its Java died" if left else None)


def test_a_search_on_spark_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from angarium import api
    from angarium.checker.explore.engine import Progress

    def search(subject: str, *, observe: Callable[[Progress], None], **_: object) -> None:
        observe(Progress(states=1234, transitions=2000, depth=7, frontier=5, bytes=1 << 20, seconds=2.0))
        raise SparkError("ANG072", "nobody answers")

    monkeypatch.setattr(api, "check", search)
    told: list[str] = []
    claim = Claim("large", "check", ("nsq",), {"engine": "spark"})

    run(Project("p", tmp_path, (claim,)), Asked(tmp_path / "out"), Watcher(tell=told.append))

    assert told[1].startswith("large (0 s): 1,234 states, ")


def test_an_audit_gets_its_mapping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from angarium.history import auditing

    seen: list[auditing.Asked] = []

    def refusing(asked: auditing.Asked, *_: object) -> None:
        seen.append(asked)
        raise PipelineError("ANG010", "enough")

    monkeypatch.setattr(auditing, "conduct", refusing)
    for name in ("deliveries.csv", "deliveries.toml"):
        shutil.copy(EXAMPLES / "histories" / name, tmp_path)
    text = "[[claim]]\naudit = 'deliveries.csv'\nmapping = 'deliveries.toml'\n"
    (tmp_path / "angarium.toml").write_text(text, encoding="utf-8")

    run(read_project(tmp_path), Asked(tmp_path / "out"))

    assert [each.mapping for each in seen] == [Path("deliveries.toml")]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("pyspark")
    from angarium.spark.session import stop

    with Cluster(workers=2, cores=1, memory="1g") as started:
        try:
            yield started
        finally:
            stop()


@pytest.mark.thorough
@pytest.mark.slow
def test_a_cluster_of_two_workers_finds_the_same(project: Project, tmp_path: Path, cluster: Cluster) -> None:
    names = [name for name in OUTCOMES if name != "too little time"]

    job = run(_some(project, *names), Asked(tmp_path / "out", Place(cluster.master, memory="1g")))

    assert _outcomes(job) == {name: OUTCOMES[name] for name in names}


def _mutants(*verdicts: Any, cut: Cut | None = None) -> Record:  # noqa: ANN401 (three words)
    rows = tuple(MutantResult("m", "changed", "step, line 1", (), each, 1) for each in verdicts)
    found = MutationResult(subject="nsq", extent=Extent(cut=cut), mutants=MutationTable((), rows, cut))
    return result_record(found)


@pytest.mark.parametrize(
    ("given", "expect", "outcome"),
    [
        ({}, Verdict.HOLDS, FAILED),
        (record("holds", "unknown"), Verdict.HOLDS, UNDECIDED),
        (record("holds", "unknown"), Verdict.VIOLATED, UNDECIDED),
        (record("holds"), Verdict.HOLDS, AS_EXPECTED),
        (record("holds"), Verdict.VIOLATED, UNEXPECTED),
        (record("violated"), Verdict.HOLDS, UNEXPECTED),
        (_mutants("noticed", "noticed"), Verdict.HOLDS, AS_EXPECTED),
        (_mutants("noticed", "survived"), Verdict.HOLDS, UNEXPECTED),
        (_mutants("noticed", "unknown"), Verdict.HOLDS, UNDECIDED),
        (_mutants("noticed", cut=cut_by_time(1)), Verdict.HOLDS, UNDECIDED),
    ],
)
def test_an_outcome_follows_from_the_verdict(given: Record, expect: Verdict, outcome: str) -> None:
    claim, answer = Claim("a", "check", ("nsq",), expect=expect), Answer(0.0, given)

    assert outcome_of(claim, answer, verdict_of(claim, answer)[0]) == outcome


def test_an_answer_that_this_version_cannot_read_is_none() -> None:
    claim, answer = Claim("a", "check", ("nsq",)), Answer(0.0, {"kind": "check", "verdicts": []})

    assert verdict_of(claim, answer)[0] is Verdict.UNKNOWN
    assert outcome_of(claim, answer, Verdict.UNKNOWN) == FAILED
