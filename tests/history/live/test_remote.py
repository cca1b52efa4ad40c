"""A folder that Spark opens by its address: the same findings, each once, also by a second start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from angarium.core.errors import SparkError
from angarium.history.intake.reasons import CUT_LINE
from angarium.history.live import written
from angarium.history.live.follow import follow
from tests.history.histories import HERE
from tests.history.live.streams import LIVE, PARAMETERS, alerts_in, expected, write
from tests.history.live.test_killed import many_files, stream

SLOWLY = replace(LIVE, files_per_batch=None, until_idle=0.1)


@pytest.mark.slow
def test_what_spark_brings_is_judged_once(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    folder, checkpoint = tmp_path / "in a%20#b", tmp_path / "checkpoint"
    folder.mkdir()
    first, last = list(many_files(seed=6))[:30], list(many_files(seed=6))[30:]

    write(folder, first)
    follow_until(folder, checkpoint, sum(map(len, first)))
    write(folder, [*([] for _ in first), *last])
    for number in range(len(first)):  # what was read may be gone
        for path in folder.glob(f"piece-{number:06d}.*"):
            path.unlink()
    (folder / "piece-[c]ut.jsonl").write_text('{"half a row', "utf-8")
    (folder / "_not-ready.jsonl").write_text("{}", "utf-8")
    end = follow(f"file://{folder}", checkpoint, PARAMETERS, SLOWLY, place=HERE)

    assert end.ended and end.accepted == len(stream())
    assert alerts_in(checkpoint) == expected(stream())
    (row,) = written.read(checkpoint / "quarantine", end.batch)
    assert (row["reason"], row["line"]) == (CUT_LINE, 1) and row["file"].endswith("/piece-[c]ut.jsonl")


def follow_until(folder: Path, checkpoint: Path, count: int) -> None:
    """Follow it up to so many events, as if the process was killed then."""

    class EnoughError(Exception):
        pass

    def observer(progress: object) -> None:
        if getattr(progress, "accepted", 0) >= count:
            raise EnoughError

    with pytest.raises(EnoughError):
        follow(f"file://{folder}", checkpoint, PARAMETERS, SLOWLY, observer=observer, place=HERE)


@pytest.mark.slow
def test_an_address_where_nothing_is_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    missing = (tmp_path / "missing").as_uri()
    with pytest.raises(SparkError, match="missing"):
        follow(missing, tmp_path / "checkpoint", PARAMETERS, SLOWLY, place=HERE)
