"""A run of a project file: one pipeline on Spark, from claims to results.

Claims whose inputs have not changed have their answer already. The others are independent of each other:
each is a task on Spark, as many at a time as there are cores; audits, and searches and sweeps that are
given to Spark, follow as jobs of their own. A task whose process dies, for want of memory or with its
machine, is tried again. Whatever has an answer when somebody presses Ctrl-C is told and kept.

Claims as tasks of Spark: the words and the files of each, and which of them are under way.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from angarium import __version__
from angarium.app.pipeline import large, store
from angarium.app.pipeline.bounds import judged
from angarium.app.pipeline.claims import Claim
from angarium.app.pipeline.inputs import contents_of, key_of, key_of_contents, relative
from angarium.app.pipeline.project import Project
from angarium.app.pipeline.publish import pictures_of
from angarium.app.pipeline.store import Cache, cannot_write, claim_folder
from angarium.app.pipeline.trends import shrunk
from angarium.app.pipeline.worker import Answer, Task, answered
from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, UNEXPECTED, ClaimResult, JobResult
from angarium.app.report.layout import amount, duration
from angarium.checker.logic.mutate import MutationResult
from angarium.checker.walks.results import Simulation
from angarium.core.control import Cut, CutBy, cut_of
from angarium.core.errors import PipelineError, SparkError, UsageError, did_you_mean
from angarium.core.result import Verdict, worst
from angarium.spark.place import Place

TRIES = 3
"""How often a claim is begun whose process, or whose Spark, dies."""
CHANGED = "its files were changed while they were looked at, so the answer is not kept"
LOOKED_BACK = 20
"""Earlier runs that a state space is compared with."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a project is to be run."""

    out: Path
    place: Place = field(default_factory=Place)
    only: Sequence[str] = ()
    fresh: bool = False
    """Whether answers of earlier runs do not count."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told how it goes."""

    done: Callable[[ClaimResult, int, int], None] = lambda claim, number, of: None
    """A claim has its answer; how many have, of how many."""
    tell: Callable[[str], None] = lambda words: None
    """What is being done now."""


def run(project: Project, asked: Asked, watcher: Watcher | None = None) -> JobResult:
    """Carry out the claims of a project, and keep the results. UnkeptError if they cannot be written."""
    chosen = chosen_claims(project, asked.only)
    claim_folder(asked.out)
    job = _Job(project, asked, watcher or Watcher(), chosen)
    try:
        result = job.carried_out()
    except BaseException:  # whatever ends it, what has its answer is kept
        if job.results:
            with suppress(OSError):  # what has ended it is to be told
                store.save(asked.out, job.result(Cut(CutBy.FAILURE, "it was ended")))
        raise
    with keeping(asked.out, result):
        store.save(asked.out, result)
    return result


class UnkeptError(PipelineError):
    """Results cannot be written. They are here all the same."""

    def __init__(self, out: Path, why: str, job: JobResult) -> None:
        told = cannot_write(out, why)
        super().__init__(told.code, told.what, possible=told.possible, remedy=told.remedy)
        self.job = job


@contextmanager
def keeping(out: Path, job: JobResult) -> Iterator[None]:
    """Around what writes results: if it cannot, they are not lost with the files."""
    try:
        yield
    except OSError as problem:
        raise UnkeptError(out, problem.strerror or str(problem), job) from problem


def chosen_claims(project: Project, only: Sequence[str]) -> list[Claim]:
    names = [each.name for each in project.claims]
    for name in only:
        if name not in names:
            raise UsageError("ANG012", f"there is no claim {name!r}", possible=did_you_mean(name, names))
    return [each for each in project.claims if not only or each.name in only]


@dataclass
class _Job:
    """A run under way."""

    project: Project
    asked: Asked
    watcher: Watcher
    claims: Sequence[Claim]
    results: dict[str, ClaimResult] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    contents: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """The files of each claim that is a task, as they were when its key was made."""
    notes: dict[str, list[str]] = field(default_factory=dict)
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    begin: float = field(default_factory=time.monotonic)
    master: str = ""
    """Where Spark really ran: `spark-submit` knows better than we do."""

    def carried_out(self) -> JobResult:
        self.before = store.runs(self.asked.out, LOOKED_BACK, project=self.project.name)
        self.cache = Cache(self.asked.out / store.CACHE)
        cut: Cut | None = None
        self.keys.update((each.name, self._key(each)) for each in self.claims)
        try:
            left = [each for each in self.claims if not self._known(each)]
            cut = self._as_tasks([each for each in left if not each.large])
            for each in [] if cut else [each for each in left if each.large]:
                self.watcher.tell(f"{each.name}: a job of its own on Spark")
                self._receive(each, self._large(each))
        except KeyboardInterrupt as problem:
            cut = cut_of(problem)
        except SparkError as problem:
            if not self.results:
                raise
            cut = Cut(CutBy.FAILURE, str(problem))
        return self.result(cut)

    def result(self, cut: Cut | None) -> JobResult:
        claims = tuple(self.results[each.name] for each in self.claims if each.name in self.results)
        stamp = self.began.strftime("%Y%m%d-%H%M%S")
        return JobResult(
            self.project.name,
            f"{stamp}-{secrets.token_hex(2)}",
            self.began.strftime("%Y-%m-%dT%H:%M:%SZ"),
            round(time.monotonic() - self.begin, 3),
            self.master or self.asked.place.master,
            __version__,
            claims,
            tuple(each.name for each in self.project.claims if each.name not in self.results),
            cut,
            tuple(self.asked.only),
        )

    # --- what is known already ---------------------------------------------------------------------

    def _key(self, claim: Claim) -> str:
        try:
            if claim.large:
                return key_of(claim, self.project.folder)
            contents = self.contents[claim.name] = contents_of(claim, self.project.folder)
        except OSError as problem:
            raise self.project.unreadable(claim, problem) from None
        return key_of_contents(claim, self.project.folder, contents)

    def _known(self, claim: Claim) -> bool:
        """Take the answer of an earlier run, if there is one for the same inputs."""
        if self.asked.fresh:
            return False
        entry, broken = self.cache.get(self.keys[claim.name])
        self._note(claim, broken)
        if entry is None:
            return False
        answer = Answer(**entry)
        if answer.result:
            self._receive(claim, answer, cached=True)
        return answer.result is not None

    # --- what is asked -----------------------------------------------------------------------------

    def _as_tasks(self, claims: Sequence[Claim]) -> Cut | None:
        """Ask Spark's workers, again if a process or Spark itself dies; what cut it short, if anything."""
        for tries in range(1, TRIES + 1):
            left = [each for each in claims if each.name not in self.results]
            try:
                cut = self._tasks(left, last=tries == TRIES) if left else None
            except SparkError as problem:
                if problem.code != large.SPARK_FAILED or tries == TRIES:
                    raise
                continue
            if cut:
                return cut
        return None

    def _tasks(self, claims: Sequence[Claim], last: bool) -> Cut | None:
        from angarium.spark.jobs import Jobs, started

        spark = started(self.asked.place, lambda: self.watcher.tell("starting Spark"))
        self.master = spark.sparkContext.master or ""
        under_way = UnderWay([each.name for each in claims], spark.sparkContext.defaultParallelism)
        died: set[str] = set()

        def receive(number: int, answer: Answer) -> None:
            if answer.died and not last:
                died.add(claims[number].name)
            else:
                self._receive(claims[number], answer)

        def tick() -> None:
            left = amount(len(self.claims) - len(self.results), "claim")
            self.watcher.tell(f"{left} to go: {under_way.told({*self.results, *died})}")

        jobs = Jobs(spark, answered, receive, tick=tick, at_a_time=1)
        return jobs.run([task_of(each, self.project.folder, self.contents[each.name]) for each in claims])

    def _large(self, claim: Claim) -> Answer:
        """Carry out a claim that is a job of its own, again if Spark itself fails."""

        begin = time.monotonic()

        def tell(words: str) -> None:
            self.watcher.tell(f"{claim.name} ({duration(round(time.monotonic() - begin))}): {words}")

        answer = Answer(0.0, died=True)
        for _ in range(TRIES):
            if answer.died:
                answer = large.answer_of(claim, self.project.folder, self.asked.place, tell)
        return answer

    # --- what came of it ---------------------------------------------------------------------------

    def _receive(self, claim: Claim, answer: Answer, cached: bool = False) -> None:
        if not cached:
            answer = replace(answer, pictures={**answer.pictures, **self._pictures(claim, answer)})
        result = self._judged(claim, answer, cached)
        if not cached and answer.result and not answer.result.extent.cut:
            self._keep(claim, answer)
        strange = shrunk(result, self.before)
        notes = [*self.notes.get(claim.name, ()), *([strange] if strange else [])]
        self.results[claim.name] = replace(result, notes=(*result.notes, *notes))
        self.watcher.done(self.results[claim.name], len(self.results), len(self.claims))

    def _keep(self, claim: Claim, answer: Answer) -> None:
        """Keep an answer, unless a large file was changed while it was looked at."""
        if claim.large and self._is_changed(claim):
            self._note(claim, CHANGED)
        else:
            self._note(claim, self.cache.put(self.keys[claim.name], asdict(answer)))

    def _is_changed(self, claim: Claim) -> bool:
        try:
            return key_of(claim, self.project.folder) != self.keys[claim.name]
        except OSError:
            return True

    def _note(self, claim: Claim, words: str | None) -> None:
        if words:
            self.notes.setdefault(claim.name, []).append(words)

    def _pictures(self, claim: Claim, answer: Answer) -> dict[str, str]:
        return pictures_of(claim, self.project.folder, answer.result) if answer.result else {}

    def _judged(self, claim: Claim, answer: Answer, cached: bool) -> ClaimResult:
        verdict, told = verdict_of(claim, answer)
        return ClaimResult(
            claim.name,
            claim.kind,
            claim.told(),
            claim.expect.value,
            verdict.value,
            outcome_of(claim, answer, verdict),
            round(answer.seconds, 3),
            answer.record,
            pictures=answer.pictures,
            problem=answer.problem or _cut_text(answer),
            notes=(told,) if told else (),
            cached=cached,
            key=self.keys[claim.name],
            bounded=claim.bound is not None,
        )


def _cut_text(answer: Answer) -> str | None:
    cut = answer.result.extent.cut if answer.result else None
    return str(cut) if cut else None


def verdict_of(claim: Claim, answer: Answer) -> tuple[Verdict, str]:
    """The verdict on a claim, and what is to be said about it."""
    match answer.result:
        case None:
            return Verdict.UNKNOWN, ""
        case Simulation() as found if claim.bound:
            return judged(claim.bound, found)
        case MutationResult() as found:
            rows = [_MUTANTS.get(each.verdict, Verdict.UNKNOWN) for each in found.mutants.rows]
            return worst([*rows, *([Verdict.UNKNOWN] if found.extent.cut else [])]), ""
        case found:
            return worst(each.verdict for each in found.verdicts), ""


_MUTANTS = {"noticed": Verdict.HOLDS, "survived": Verdict.VIOLATED}
"""A claim with mutants holds if every one is noticed."""


def outcome_of(claim: Claim, answer: Answer, verdict: Verdict) -> str:
    if answer.over:
        return UNDECIDED
    if not answer.result:
        return FAILED
    if verdict is claim.expect:
        return AS_EXPECTED
    return UNDECIDED if verdict is Verdict.UNKNOWN else UNEXPECTED


# --- tasks ----------------------------------------------------------------------------------------


NAMED = 4
"""Claims that are named while they are waited for."""


def task_of(claim: Claim, folder: Path, contents: Mapping[str, bytes]) -> Task:
    """What a worker gets. Paths are those from the project's folder, also where the claim has whole ones."""
    timeout = ["--timeout", f"{claim.budget:g}"]
    threads = ["--threads", "1"] if claim.how.threaded else []
    words = claim.moved(lambda name: relative(folder / name, folder)).words()
    drawn = claim.bound is not None
    return Task([*words, *timeout, *threads], claim.budget, contents, str(folder), picture=drawn)


@dataclass
class UnderWay:
    """Which tasks have been begun, and when: Spark takes them in their order, as many as it has cores."""

    names: Sequence[str]
    cores: int
    since: dict[str, float] = field(default_factory=dict)

    def told(self, ended: Collection[str]) -> str:
        """The names of those that run, each with its seconds, if so many have ended."""
        now = time.monotonic()
        running = [each for each in self.names if each not in ended][: self.cores]
        for name in running:
            self.since.setdefault(name, now)
        shown = [f"{name} ({duration(round(now - self.since[name]))})" for name in running[:NAMED]]
        more = [f"{len(running) - NAMED} more"] if len(running) > NAMED else []
        return ", ".join([*shown, *more])
