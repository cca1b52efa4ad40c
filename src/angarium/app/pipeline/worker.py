"""What a task does with a claim: the verb, as a process of its own, on a copy of the claim's files.

A process can be ended when its time is up, and takes nothing with it when it dies: not the worker, not the
other claims. The files come with the task, so that a worker on another machine needs nothing but Angarium;
below a folder of the task they have their whole paths, because brokers without a name of their own are named
after the folders that their files lie in. When the worker dies, the kernel ends the process, too.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from angarium.app.report.record import is_result, read_result
from angarium.core import files
from angarium.core.result import GuaranteeVerdict, Result
from angarium.mesh.importers.common import ROOT

UNKNOWN = 3
HAS_VERDICT = (0, 1, UNKNOWN)
"""Exit codes with a record: holds, violated, unknown. Of what was stopped early it only says so."""
LONGER = 15.0
"""Seconds that a verb has to notice that its time is up."""
_PARENT_DEATH = 1
_DIED = "it died"


@dataclass(frozen=True, slots=True)
class Task:
    """A claim as a worker gets it."""

    words: Sequence[str]
    budget: float
    files: Mapping[str, bytes] = field(default_factory=dict)
    """By their path from the project's folder; some may be beside it: `../meshes/mesh.yaml`."""
    folder: str = "/"
    """The project's folder, as it is called where the project is."""
    picture: bool = False
    """Whether the verb draws one, with --plot."""


@dataclass(frozen=True)
class Answer:
    """What came of it; the record travels, and is stored."""

    seconds: float
    record: dict[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None
    died: bool = False
    """Whether the process died of something that is not the claim's fault: then it is worth another try."""
    over: bool = False
    """Whether it was stopped before there was an answer: by its time, or for want of memory."""

    @cached_property
    def result(self) -> Result[GuaranteeVerdict] | None:
        """What the record is of; None if there is none, or none that this version can read."""
        return read_result(self.record) if is_result(self.record) else None


def answered(task: Task) -> Answer:
    """Run the verb of a task."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="angarium-claim-", dir=_place()) as name:
        root = Path(name).resolve()
        folder = _unpacked(root, task)
        plot = folder / ".plot.svg"
        words = [*task.words, *(["--plot", str(plot)] if task.picture else [])]
        try:
            ended = _run(words, root, folder, task.budget + LONGER)
        except subprocess.TimeoutExpired:
            said = f"its budget of {task.budget:g} s is over"
            return Answer(time.monotonic() - begin, problem=said, over=True)
        pictures = {"figures": files.read_text(plot)} if plot.is_file() else {}
        return _understood(ended, time.monotonic() - begin, pictures)


def _place() -> str | None:
    """Spark's own folder on this machine, which goes with Spark: a worker is killed before it can tidy up."""
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    return folder if os.path.isdir(folder) else None


def _unpacked(root: Path, task: Task) -> Path:
    """The project's folder below a root, and all files where they are from there."""
    folder = _below(root, task.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in task.files.items():
        path = _below(root, os.path.normpath(Path(task.folder, name)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def _below(root: Path, path: str) -> Path:
    return root / path.lstrip("/")


def _run(words: Sequence[str], root: Path, folder: Path, timeout: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "angarium", *words],  # a model may be called queue.py
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", ROOT: str(root)},
        preexec_fn=end_with_parent,
    )


def end_with_parent() -> None:
    """Ask the kernel to end this process when its parent dies."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)


def _understood(
    ended: subprocess.CompletedProcess[str], seconds: float, pictures: Mapping[str, str]
) -> Answer:
    try:
        record = json.loads(ended.stdout) if ended.returncode in HAS_VERDICT else {}
    except ValueError:
        record = {}
    if is_result(record):
        return Answer(seconds, record, pictures)
    died, unknown = ended.returncode < 0, ended.returncode == UNKNOWN
    said = ended.stderr.strip() or (f"{_DIED} of signal {-ended.returncode}" if died else "it said nothing")
    return Answer(seconds, problem=said, died=died, over=unknown)
