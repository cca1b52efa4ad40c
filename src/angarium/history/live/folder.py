"""The folder of a followed history: its mark, its progress, its tables and its alerts.

    angarium.json        whose audit it is: the followed folder, the parameters, the version of the schema
    files.jsonl          the names of the files that were read
    state/batch=N/       _progress.json, which is written last
    memory/batch=N/      what was remembered after batch N: not of every batch
    events/batch=N/      the events that were accepted
    quarantine/batch=N/  the rows that were not, and why; not there if there are none
    findings/batch=N/    the violations that became known; likewise
    alerts.jsonl         the same violations, one a line
    metrics.prom         figures for Prometheus

A batch that was not finished when the process was killed is begun again. Every batch therefore writes to
folders of its own, and cuts alerts.jsonl and files.jsonl back to the length that they had before it: what is
repeated is written once. What many batches wrote is put together (`parts`).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from angarium.core import files
from angarium.core.errors import HistoryError
from angarium.history import schema
from angarium.history.live.progress import Progress, from_text, to_text
from angarium.history.live.settings import Live
from angarium.history.parameters import Parameters

MARK, LOCK, ALERTS, METRICS, PROGRESS = (
    "angarium.json", "lock", "alerts.jsonl", "metrics.prom", "_progress.json",
)  # fmt: skip
PROGRESS_VERSION = 4
"""Of what is in the progress: from an older one nobody can say what is missing."""
_LARGEST = 1 << 30
"""Bytes of a progress."""
_KEPT = 2
"""States that are kept: the last, and the one before it, from which an unfinished batch is repeated."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where everything of a followed history is."""

    root: Path

    def part(self, name: str, batch: int) -> Path:
        """The part of a table that a batch writes."""
        return self.root / name / f"batch={batch}"

    def memory(self, batch: int) -> Path:
        """What was remembered after a batch."""
        return self.part("memory", batch)

    @property
    def files(self) -> Path:
        """The names of the files that were read."""
        return self.root / "files.jsonl"

    @property
    def metrics(self) -> Path:
        return self.root / METRICS

    def forget_after(self, batch: int) -> None:
        """Remove what batches have begun to write after the last that was finished."""
        for name in ("events", "quarantine", "findings", "memory", "state"):
            for path in (self.root / name).glob("batch=*"):
                if _number(path) > batch:
                    shutil.rmtree(path)

    # --- progress -----------------------------------------------------------------------------

    def progress(self, before: int | None = None) -> Progress:
        """The last progress, or the last of batches before a number."""
        numbers = [number for number in self._batches() if before is None or number < before]
        return self._read(max(numbers)) if numbers else Progress()

    def write_progress(self, progress: Progress) -> None:
        """Write the progress, which ends a batch, and forget states that nobody will ask for."""
        path = self._progress_of(progress.batch)
        path.parent.mkdir(parents=True, exist_ok=True)
        replaced(path, to_text(progress))
        for number in sorted(self._batches())[:-_KEPT]:
            shutil.rmtree(self.part("state", number))
        oldest = self.oldest_snapshot()
        for path in (self.root / "memory").glob("batch=*"):
            if _number(path) < oldest:
                shutil.rmtree(path)

    def oldest_snapshot(self) -> int:
        """The batch after which that was remembered from which somebody may have to go on; -1: none."""
        return min((self._read(number).snapshot for number in self._batches()), default=-1)

    def _read(self, batch: int) -> Progress:
        return from_text(files.read_text(self._progress_of(batch), _LARGEST))

    def _progress_of(self, batch: int) -> Path:
        return self.part("state", batch) / PROGRESS

    def _batches(self) -> list[int]:
        """Batches that are finished."""
        found = (self.root / "state").glob(f"batch=*/{PROGRESS}")
        return [_number(path.parent) for path in found]

    # --- alerts -------------------------------------------------------------------------------

    def write_alerts(self, length: int, alerts: Iterable[Mapping[str, object]]) -> int:
        """Write alerts behind those that were there at a length; the new length.

        If somebody has taken the file away meanwhile, they begin a new one.
        """
        path = self.root / ALERTS
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() > length:
                file.truncate(length)
                file.seek(length)
            for alert in alerts:
                file.write(json.dumps(alert, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            return file.tell()


def _number(path: Path) -> int:
    return int(path.name.removeprefix("batch=").partition("-")[0])


def replaced(path: Path, text: str) -> None:
    """Put a text into a file at one blow: a reader sees the old one or the new one."""
    with files.replacing(path) as beside, beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def claimed(root: Path, followed: str, parameters: Parameters, live: Live) -> Iterator[Folder]:
    """The folder of this very audit, new or begun before; HistoryError if it is of another."""
    mark = _mark(followed, parameters, live)
    _check(root, mark)
    root.mkdir(parents=True, exist_ok=True)
    with (root / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _other(root, "another process is at work in it", "wait until it ends") from None
        replaced(root / MARK, json.dumps(mark, indent=2))
        yield Folder(root)


def _mark(followed: str, parameters: Parameters, live: Live) -> dict[str, object]:
    """What two audits must have in common so that one can go on where the other stopped."""
    said = asdict(parameters) | {"lateness": live.lateness}
    whose: dict[str, object] = {
        "audit": "live", "schema": schema.VERSION.split(".")[0], "progress": PROGRESS_VERSION,
        "follows": followed,
    }  # fmt: skip
    return json.loads(json.dumps(whose | said))  # type: ignore[no-any-return]


def _check(root: Path, mark: Mapping[str, object]) -> None:
    if not root.exists() or {path.name for path in root.iterdir()} <= {LOCK}:
        return
    try:
        found = json.loads(files.read_text(root / MARK))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise _other(root, f"it holds other things, and no {MARK}", "name an empty folder, or a new one")
    for name in mark:
        if found.get(name) != mark[name]:
            was = f"it has {name} = {found.get(name)!r}, and this one has {mark[name]!r}"
            raise _other(root, was, "name another folder, or ask for the same audit again")


def _other(root: Path, why: str, remedy: str) -> HistoryError:
    return HistoryError(
        "ANG134",
        f"{root} is not the checkpoint of this audit: {why}",
        possible="possible: a new or empty folder, or the one that this audit began",
        remedy=f"do: {remedy}",
    )
