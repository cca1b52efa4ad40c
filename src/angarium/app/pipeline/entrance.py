"""Projects from Python: `angarium.run` carries out the claims of a project file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from angarium.api import OnSpark
from angarium.app.pipeline import run as running
from angarium.app.pipeline.project import read_project
from angarium.app.pipeline.publish import publish
from angarium.app.report.job import RunResult, result_of

OUT = ".angarium"
"""Where results go: a folder beside the project file."""


def run(
    project: str | Path = ".",
    *,
    only: Sequence[str] = (),
    fresh: bool = False,
    out: str | Path | None = None,
    spark: OnSpark | None = None,
    watcher: running.Watcher | None = None,
) -> RunResult:
    """Check every claim of a project file, and write a report.

    `project` is an angarium.toml, or the folder that has it. `only` names claims. `fresh` checks again what
    has not changed since an earlier run. Results go to the folder `out`; UnkeptError, which has the job, if
    they cannot be written. The verdict of each claim has the record of its own answer.
    """
    file = Path(project)
    found = read_project(file)
    place = Path(out) if out else (file if file.is_dir() else file.parent) / OUT
    asked = running.Asked(place, (spark or OnSpark()).place, only, fresh)
    job = running.run(found, asked, watcher)
    with running.keeping(place, job):
        publish(place, job)
    return result_of(job)
