"""The engine for state spaces past one machine: rounds on Spark, levels on disk.

States are divided among owners by their hash. In a round every owner expands its states of the latest level
and sends each successor to its owner, which keeps those that it has not seen: they are its part of the next
level. Guarantees are looked at where states are expanded. The levels on disk are the search: a lost machine
costs the round that it was in, a killed driver goes on behind the last complete level, and the shortest run
to a state is found by going back level by level.

Rounds of few states are made in this process, by the same functions: a job on Spark takes a third of a second
whatever it does.

Where a search keeps its levels: a folder of its own that is gone afterwards, or one to go on from.

A search that was killed goes on if it is given the same folder again, and is the same search: same model,
same parameters, same questions. Anything else in the folder is refused, so that nothing is mixed up or lost,
and so is a second search while one is going on there.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.checker.explore.engine import Observer, Outcome, Progress
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native_watch import TURN, Watch
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import write_json
from angarium.checker.explore.spark.search import WORTH_A_JOB, Choices, Search
from angarium.checker.explore.spark.stored import Stored
from angarium.checker.ir.transition import TransitionSystem
from angarium.core import files
from angarium.core.control import Limits
from angarium.core.errors import UsageError
from angarium.spark.failures import translated
from angarium.spark.reasons import debugging, reason_in
from angarium.spark.session import Place, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_NO_LIMITS, _HERE = Limits(), Place()


class SparkEngine:
    """Explores on Spark."""

    name = "spark"

    def __init__(
        self,
        place: Place = _HERE,
        checkpoint: Path | None = None,
        *,
        _worth_a_job: int = WORTH_A_JOB,
        _room: int | None = None,
        _owners: int | None = None,
    ) -> None:
        self._place, self._checkpoint, self._owners = place, checkpoint, _owners
        self._choices = Choices(place, _worth_a_job, _room)

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = _NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        """Explore until nothing is new, every guarantee is hit, or a limit is met."""
        check_folder(self._checkpoint)
        with translated(), _full_disk():
            with _saying("starting Spark", observe):
                spark = session(self._place)
            watch = Watch(limits, observe)  # what Spark takes to start is no part of the search
            owners = self._owners or _owners(spark)
            with ExitStack() as closing:
                asked = opened(system, owners, graph, symmetry, self._place, self._checkpoint)
                found = Search(spark, closing.enter_context(asked), watch, self._choices).made()
                if not isinstance(found.stored, Stored):
                    return found
                return replace(found, stored=replace(found.stored, closing=closing.pop_all()))


def _owners(spark: SparkSession) -> int:
    """As many as there are cores."""
    return max(2, spark.sparkContext.defaultParallelism)


@contextmanager
def _full_disk() -> Iterator[None]:
    """A full disk is the same trouble here as in one of Spark's processes."""
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise reason_in(str(problem)) from debugging(problem)


@contextmanager
def _saying(what: str, observe: Observer | None) -> Iterator[None]:
    """Tell the observer again and again what is being waited for."""
    done, begin = threading.Event(), time.perf_counter()

    def say() -> None:
        while not done.wait(TURN) and observe:
            observe(Progress(0, 0, 0, 0, 0, time.perf_counter() - begin, doing=what))

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


# --- the folder of a search -----------------------------------------------------------------------


FORM = 1
"""Changes whenever folders of before cannot be understood any more."""
NOTE, LOCK = "search.json", "lock"
PATTERNS = "*?[]{}\\"


@contextmanager
def opened(
    system: TransitionSystem,
    owners: int,
    wish: Wish | None,
    symmetry: bool,
    place: Place,
    checkpoint: Path | None,
) -> Iterator[Job]:
    """The job, with folders for its levels and for visited states."""
    assert not (wish and symmetry), "the graph is one of states, not of representatives"
    name = uuid.uuid4().hex
    own = Path(tempfile.mkdtemp(prefix="angarium-search-"))
    try:
        folder = own / "levels" if checkpoint is None else checkpoint.resolve()
        with _alone(folder):
            owners = _claim(folder, _identity(system, owners, wish, symmetry))
            yield Job(name, system, owners, folder, own, wish, symmetry, place.loopback)
    finally:
        _remove(own)


def _remove(folder: Path) -> None:
    """Remove a folder, into which a task that was cancelled may still write for a moment."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def _identity(system: TransitionSystem, owners: int, wish: Wish | None, symmetry: bool) -> dict[str, Any]:
    """What two searches must have in common for one to go on where the other was."""
    return {
        "form": FORM,
        "system": system.name,
        "hash": system.hash,
        "parameters": dict(system.parameters),
        "guarantees": [each.name for each in system.guarantees],
        "wish": None if wish is None else repr(wish),
        "symmetry": symmetry,
        "owners": owners,
    }


def check_folder(checkpoint: Path | None) -> None:
    """Whether a search can be kept in a folder, as far as that can be said before Spark starts."""
    if checkpoint is None:
        return
    if re.match(r"\w+:/", str(checkpoint)):
        raise _not_ours(checkpoint, "it is an address, and a search is kept in folders that machines mount")
    _refuse_patterns(checkpoint.resolve())
    try:
        checkpoint.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _not_ours(checkpoint, problem.strerror or str(problem)) from None
    if not os.access(checkpoint, os.W_OK | os.X_OK):
        raise _not_ours(checkpoint, "it cannot be written")


def _refuse_patterns(folder: Path) -> None:
    """Spark takes some characters in the name of a folder for a pattern, and would read others, or none."""
    if set(str(folder)) & set(PATTERNS):
        raise _not_ours(folder, f"Spark would take one of {' '.join(PATTERNS)} in its name for a pattern")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other search into the folder meanwhile: it would remove the level that this one is at."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / NOTE).exists() and {each.name for each in folder.iterdir()} - {LOCK}:
        raise _not_ours(folder, "it has files that are none of a search")
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _not_ours(folder, "another one is going on there") from None
        yield


def _claim(folder: Path, identity: dict[str, Any]) -> int:
    """Use a folder that is empty, or that is of the same search; among how many owners it is divided."""
    note = folder / NOTE
    if not note.exists():
        write_json(note, identity)
        return int(identity["owners"])
    found = _read(note)
    differing = [key for key, value in identity.items() if key != "owners" and found.get(key) != value]
    if differing:
        raise _not_ours(folder, f"it is of a search with another {', another '.join(differing)}")
    return int(found["owners"])


def _read(note: Path) -> dict[str, Any]:
    try:
        found = json.loads(files.read_text(note))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise _not_ours(note.parent, f"{note.name} cannot be read")
    return found


def _not_ours(folder: Path, why: str) -> UsageError:
    return UsageError(
        "ANG016",
        f"the search cannot go on in {folder}: {why}",
        possible="possible: a folder that is new or empty, or the folder of the same search",
        remedy="give --checkpoint another folder, or remove that one",
    )
