"""Project files in documents can be read, and the README's first command finds what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.app.pipeline.project import Project, read_project
from angarium.app.pipeline.run import Asked, run
from angarium.app.report.job import AS_EXPECTED
from angarium.app.report.job_text import render
from angarium.spark.place import Place

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
FIVE_WORKS = ROOT / "examples" / "five-works"
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The project file of the how-to, with the examples beside it."""
    (text,) = _TOML.findall((ROOT / "docs/how-to/project-file.md").read_text(encoding="utf-8"))
    (tmp_path / "angarium.toml").write_text(text, encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return read_project(tmp_path)


@pytest.mark.thorough
@pytest.mark.slow
def test_the_how_to_is_a_project_whose_claims_turn_out_as_it_says(project: Project, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")

    job = run(project, Asked(tmp_path / "out", Place("local[2]")))

    assert {each.kind for each in job.claims} == {"check", "mesh", "recover", "prove", "simulate", "audit"}
    assert [(each.name, each.problem) for each in job.claims if each.outcome != AS_EXPECTED] == []


@pytest.mark.slow
def test_the_five_works_turn_out_as_expected(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    project = read_project(FIVE_WORKS)

    job = run(project, Asked(tmp_path / "out", Place("local[2]")))

    assert [(each.name, each.problem) for each in job.claims if each.outcome != AS_EXPECTED] == []
    told, shown = _without_times(render(job, out=None)), _shown()
    assert [line for line in shown if line not in told] == []


def _shown() -> list[str]:
    """The first rows of the table in the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```text\n(five works:.*?)^\.\.\.\n```$", text, re.M | re.S)
    return _without_times(block)


def _without_times(text: str) -> list[str]:
    return re.sub(r" +[\d.]+ s  ", "  #  ", text).splitlines()
