"""Claims as tasks of Spark: the words and the files of each, and which of them are under way."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.app.pipeline.claims import Claim
from angarium.app.pipeline.inputs import relative
from angarium.app.pipeline.worker import Task
from angarium.app.report.layout import duration

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
