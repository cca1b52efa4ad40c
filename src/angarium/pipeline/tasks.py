"""Claims as tasks of Spark: the words and the files of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from angarium.pipeline.claims import Claim
from angarium.pipeline.inputs import relative
from angarium.pipeline.worker import Task


def task_of(claim: Claim, folder: Path, contents: Mapping[str, bytes]) -> Task:
    """What a worker gets. Paths are those from the project's folder, also where the claim has whole ones."""
    timeout = ["--timeout", f"{claim.budget:g}"] if claim.how.timed else []
    threads = ["--threads", "1"] if claim.how.threaded else []
    words = claim.moved(lambda name: relative(folder / name, folder)).words()
    drawn = claim.bound is not None
    return Task([*words, *timeout, *threads], claim.budget, contents, str(folder), picture=drawn)
