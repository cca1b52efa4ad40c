"""`angarium trend` in a folder that several projects share."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.app.pipeline import store
from angarium.app.report.job import AS_EXPECTED, ClaimResult, JobResult
from tests.app.cli.running import run

pytest.importorskip("pyarrow")


def _save(out: Path, project: str, run_id: str) -> None:
    claim = ClaimResult(f"claim of {project}", "check", "nsq", "holds", "holds", AS_EXPECTED, 1.0)
    store.save(out, JobResult(project, run_id, "2026-11-16T10:00:00Z", 2.0, "local[2]", "0.1.0", (claim,)))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Results of two projects, of which the later run is the other's."""
    _save(tmp_path / "out", "orders", "20261116-100000-aaaa")
    _save(tmp_path / "out", "billing", "20261117-100000-bbbb")
    return tmp_path / "out"


def _project(folder: Path, name: str) -> str:
    text = f'[project]\nname = "{name}"\n\n[[claim]]\ncheck = "nsq"\n'
    (folder / "angarium.toml").write_text(text, encoding="utf-8")
    return str(folder)


def test_a_project_sees_its_own_runs(tmp_path: Path, out: Path) -> None:
    done = run("trend", _project(tmp_path, "orders"), "--out", str(out))

    assert done.stdout.splitlines() == ["claim of orders", "  20261116-100000-aaaa  holds"]


def test_a_project_without_runs_is_named(tmp_path: Path, out: Path) -> None:
    done = run("trend", _project(tmp_path, "shop"), "--out", str(out))

    assert done.exit_code == 2
    assert f"there are no runs of shop in {out}" in " ".join(done.stderr.split())


def test_without_a_project_file_all_runs_are_shown(tmp_path: Path, out: Path) -> None:
    done = run("trend", str(tmp_path), "--out", str(out))

    assert "claim of orders" in done.stdout and "claim of billing" in done.stdout
