"""What is kept of every run: a JSON file with all of it, Parquet tables to ask questions of, and the trend.

OUT/runs/RUN.json            the job, whole
OUT/tables/NAME/RUN.parquet  claims, verdicts, stories, figures: a folder is a table over all runs
OUT/cache/KEY.json           answers by the hash of their inputs
OUT/report.html              of the latest run of all claims; report-only.html of the latest of some
OUT/junit.xml, summary.md    of the latest run

Answers of earlier runs, by the hash of their inputs. An entry that is broken is no entry.

Whoever can write an entry decides what a claim's answer is. A project's folder may come from anywhere, and
its cache with it, so only entries with the seal of this user are believed;
see `core.cache`, which also prunes.

Files of a results folder: written whole or not at all, and never over what is somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from angarium.app.report.job import ClaimResult, JobResult, Record
from angarium.checker.walks.results import Simulation
from angarium.core import cache as kept
from angarium.core import files, records
from angarium.core.errors import PipelineError
from angarium.core.escaping import record_without_passwords, without_passwords
from angarium.core.files import write
from angarium.core.result import GuaranteeVerdict

_LARGEST = 1 << 30
"""Bytes of a run that is kept: it may have thousands of claims."""
RUNS, TABLES, CACHE = "runs", "tables", "cache"
COUNTED = (
    "states",
    "transitions",
    "depth",
    "accepted",
    "quarantined",
    "walks",
    "brokers",
    "links",
    "demands",
)
"""Figures of a record that are kept in a table."""


def save(out: Path, job: JobResult) -> None:
    """Keep a job: the file, and its rows in all tables."""
    record = record_without_passwords(records.write(job))
    write_text(out / RUNS / f"{job.run_id}.json", json.dumps(record, default=str))
    for name, rows in _tables(job).items():
        _write_table(out / TABLES / name / f"{job.run_id}.parquet", name, rows)


def runs(
    out: Path, most: int | None = None, *, project: str | None = None, until: str | None = None
) -> list[JobResult]:
    """The newest runs first: at most so many, of one project, and none that is later than the run `until`.

    A folder may have thousands of them, so no more are read than are asked for. Files that are broken are
    passed over.
    """
    found = (job for path in files_of(out) if (until is None or path.stem <= until) and (job := read(path)))
    return list(islice((job for job in found if project in (None, job.project)), most))


def files_of(out: Path) -> list[Path]:
    """The files of all runs, the newest first."""
    return sorted((out / RUNS).glob("*.json"), reverse=True)


def load(out: Path, run_id: str) -> JobResult | None:
    """A run; None if there is none of that name."""
    names = {path.stem: path for path in files_of(out)}
    return read(names[run_id]) if run_id in names else None


def read(path: Path) -> JobResult | None:
    """The run of a file; None if it is broken."""
    try:
        return records.read(JobResult, json.loads(files.read_text(path, _LARGEST)))
    except (OSError, ValueError, KeyError, TypeError):
        return None


# --- tables ----------------------------------------------------------------------------------------

_COLUMNS: Mapping[str, str] = {
    "claims": "run_id claim kind about expect verdict outcome seconds:float cached:bool key problem",
    "verdicts": "run_id claim guarantee situation verdict description",
    "stories": "run_id claim guarantee situation summary address story",
    "figures": "run_id claim figure value:float",
}
"""The columns of each table; what has no type is text."""


def _tables(job: JobResult) -> dict[str, list[Record]]:
    makers = {"claims": _claims, "verdicts": _verdicts, "stories": _stories, "figures": _figures}
    return {
        name: [{"run_id": job.run_id, "claim": each.name} | row for each in job.claims for row in make(each)]
        for name, make in makers.items()
    }


def _claims(claim: ClaimResult) -> Iterator[Record]:
    names = ("kind", "about", "expect", "verdict", "outcome", "seconds", "cached", "key", "problem")
    yield {name: getattr(claim, name) for name in names}


def _verdicts(claim: ClaimResult) -> Iterator[Record]:
    for each in _verdicts_of(claim):
        told = {"verdict": each.verdict.value, "description": each.description}
        yield {"guarantee": each.guarantee, "situation": each.situation, **told}


def _stories(claim: ClaimResult) -> Iterator[Record]:
    for each in _verdicts_of(claim):
        if story := each.story:
            where = {"guarantee": each.guarantee, "situation": each.situation}
            text = json.dumps(records.write(story), default=str)
            yield {**where, "summary": story.summary, "address": story.address, "story": text}


def _verdicts_of(claim: ClaimResult) -> Sequence[GuaranteeVerdict]:
    return claim.result.verdicts if claim.result else ()


def _figures(claim: ClaimResult) -> Iterator[Record]:
    for name in COUNTED:
        if isinstance(claim.record.get(name), int):
            yield {"figure": name, "value": float(claim.record[name])}
    for each in claim.result.statistics if isinstance(claim.result, Simulation) else ():
        if isfinite(each.mean):
            yield {"figure": f"mean {each.observation}", "value": each.mean}


def _write_table(path: Path, name: str, rows: Sequence[Record]) -> None:
    """Write the rows of one run, whole or not at all."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {"float": pa.float64(), "bool": pa.bool_(), "": pa.string()}
    parts = [word.partition(":") for word in _COLUMNS[name].split()]
    schema = pa.schema([(column, types[kind]) for column, _, kind in parts])
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.replacing(path) as beside:
        parquet.write_table(pa.Table.from_pylist(_fitting(rows, schema.names), schema), beside)


def _fitting(rows: Sequence[Record], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: _safe(row.get(name)) for name in names} for row in rows]


def _safe(value: object) -> object:
    return without_passwords(value) if isinstance(value, str) else value


# --- cache ----------------------------------------------------------------------------------------


BROKEN = "a kept answer is damaged or not of this user's making, and the claim was checked again"
UNKEPT = "the answer could not be kept for the next run"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder with a file for each answer."""

    folder: Path

    def get(self, key: str) -> tuple[dict[str, Any] | None, str | None]:
        """The answer, if there is one that is whole; and what is wrong with the entry, if something is."""
        path = self._path(key)
        try:
            if not kept.is_own(self.folder) or not path.exists():
                return None, None
            entry = json.loads(files.read_text(path))
            answer = entry["answer"]
            if kept.is_sealed(key, _told(answer), bytes.fromhex(entry["seal"])):
                kept.note_use(path)
                return answer, None
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None, BROKEN

    def put(self, key: str, answer: dict[str, Any]) -> str | None:
        """Keep an answer; what is wrong if it cannot be kept: nothing is lost by that but time."""
        safe = record_without_passwords(answer)
        sealed = kept.seal(key, _told(safe))
        if sealed is None:
            return f"{UNKEPT}: there is no place for the user's key"
        try:
            kept.make_own(self.folder)
            write_text(self._path(key), json.dumps({"seal": sealed.hex(), "answer": safe}))
        except OSError as problem:
            return f"{UNKEPT}: {problem.strerror or problem}"
        kept.prune(self.folder)
        return None

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def _told(answer: object) -> bytes:
    return json.dumps(answer, sort_keys=True).encode()


# --- files ----------------------------------------------------------------------------------------


MARK = ".angarium-results"
"""A file that says that a folder is ours."""
_WORDS = "Results of `angarium run`. Nobody else keeps anything in this folder.\n"


def claim_folder(out: Path) -> None:
    """Make the folder, or see that it is ours. PipelineError if it belongs to something else."""
    try:
        _refuse_strange(out)
        out.mkdir(parents=True, exist_ok=True)
        (out / MARK).write_text(_WORDS, encoding="utf-8")
    except OSError as problem:
        raise cannot_write(out, problem.strerror or str(problem)) from None


def _refuse_strange(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise cannot_write(out, "it is a file")
    if out.is_dir() and not (out / MARK).exists() and any(out.iterdir()):
        raise cannot_write(out, f"it has files of something else ({sorted(out.iterdir())[0].name})")


def is_ours(out: Path) -> bool:
    return (out / MARK).is_file()


def cannot_write(out: Path, why: str) -> PipelineError:
    """The error of a folder that takes no results."""
    return PipelineError(
        "ANG144",
        f"results cannot be written to {out}: {why}",
        possible="possible: a new folder, an empty one, or one that `angarium run` has made",
        remedy="give another folder with --out",
    )


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or leave what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, text)
