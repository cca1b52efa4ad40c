"""A history that names as many runs as it has events: work and memory grow as it does, and no faster."""

from __future__ import annotations

import cProfile
import json
from pathlib import Path
from pstats import Stats

import pytest

from angarium.core.result import Verdict
from angarium.history.asked import Asked, Conducted
from angarium.history.auditing import conduct
from angarium.history.kernel import crew
from angarium.spark.place import Place


def audited(folder: Path, runs: int) -> Conducted:
    """An audit of a history with a message in each run: the first one is never delivered."""
    file = folder / f"{runs}.jsonl"
    steps = [("send", "invoke"), ("send", "ok"), ("receive", "ok"), ("settle", "ok")]
    rows = (
        {
            "run_id": f"r{run}", "recorder": "c", "seq": seq + 1, "time_unix_nano": (run + 1) * 10**10 + seq,
            "op_type": op, "phase": phase, "message_id": "m", "destination": "q", "settle": "ack",
        }
        for run in range(runs)
        for seq, (op, phase) in enumerate(steps if run else steps[:2])
    )  # fmt: skip
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return conduct(Asked([file], engine="local", only=("no-phantom", "latency")), Place())


def test_each_run_is_judged(tmp_path: Path) -> None:
    found = audited(tmp_path, 300).told
    assert len(found.judgements) == 300 and {each.verdict for each in found.judgements} == {
        Verdict.HOLDS, Verdict.UNKNOWN
    }  # fmt: skip
    assert [(each.kind, each.count) for each in found.times if each.run_id == "r7"] == [
        ("confirm", 1), ("deliver", 1), ("settle", 1),
    ]  # fmt: skip


def test_the_work_grows_with_the_runs(tmp_path: Path) -> None:
    """Each run was compared with each other one: 20,000 of them took minutes."""

    def calls(runs: int) -> int:
        with cProfile.Profile() as profile:
            audited(tmp_path, runs)
        return int(Stats(profile).total_calls)  # type: ignore[attr-defined]

    calls(10)
    assert calls(1600) < 5 * calls(400)


def test_nothing_is_kept_of_times_that_no_run_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All buckets of 100,000 runs took 11 GB."""
    sizes, plain = [], crew.Crew.partial

    def noted(self: crew.Crew) -> crew.Partial:
        found = plain(self)
        sizes.append(len(found.histogram))
        return found

    monkeypatch.setattr(crew.Crew, "partial", noted)
    audited(tmp_path, 50)
    assert max(sizes) == 50 + 49 + 49
