"""What recorders that attach to a broker have in common: a plan, an account, and what is written when they
lose their broker and find it again.

What happens while a recorder is not connected is not known. So it leaves one number out when it is back, and
an audit's *complete-log* finds that gap: in such a history nothing else is said to hold, and to be broken
only what two events prove. The same holds for a recorder that goes on in a folder where another has stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import HistoryError, UsageError
from angarium.core.extras import demand
from angarium.history import schema
from angarium.history.recorders.journals import FORMS, JSONL, PARQUET
from angarium.history.recorders.writer import NameTakenError, Rotation, Writer

DISCONNECTED, RECONNECTED, ENDED = "recorder.disconnected", "recorder.reconnected", "recording.end"
_LEFT_OUT = "one number is left out: events may be missing before this"
SHORTEST_WAIT, LONGEST_WAIT = 0.25, 10.0
"""Seconds between two attempts to connect again."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be recorded where, and until when."""

    folder: Path
    run: str
    form: str = JSONL
    rotation: Rotation = field(default_factory=Rotation)
    most: int | None = None
    """Stop after so many events."""
    seconds: float | None = None
    """Stop after so many seconds."""


@dataclass(slots=True)
class Account:
    """What was recorded so far."""

    events: int = 0
    files: int = 0
    nameless: int = 0
    """Messages that cannot be followed, because nobody gave them a name."""
    losses: int = 0
    """How often the broker was lost."""


class Recording:
    """One recording: writers that begin, go on and end together."""

    def __init__(self, plan: Plan, *, stopped: Callable[[], bool], tell: Callable[[str], None]) -> None:
        self.plan, self.tell, self.account = plan, tell, Account()
        self._stopped, self._writers = stopped, list[Writer]()
        self._until = time.monotonic() + plan.seconds if plan.seconds else float("inf")
        self.since = time.time_ns()
        """Before anything was recorded."""

    def writer(self, recorder: str, system: str) -> Writer:
        """A writer for what a broker says."""
        if self.plan.form == PARQUET:
            demand("parquet", f"without it, the formats {', '.join(FORMS)}")
        common = {"run_id": self.plan.run, "vantage": "broker", "system": system}
        try:
            found = Writer(
                self.plan.folder, recorder, common, form=self.plan.form, rotation=self.plan.rotation
            )
        except NameTakenError:
            raise HistoryError(
                "ANG133",
                f"somebody is already recording {recorder} into {self.plan.folder}",
                possible="one recorder for each broker and folder",
                remedy="stop the other one, or give another folder with --out",
            ) from None
        except OSError as problem:
            raise _unwritable(self.plan.folder, problem) from None
        self._writers.append(found)
        return found

    def is_over(self) -> bool:
        """Whether enough was recorded, or somebody wants it to end; finishes files whose time is over."""
        for each in self._writers:
            each.tick()
        self.account.events = sum(each.events for each in self._writers)
        self.account.files = sum(each.files for each in self._writers)
        enough = self.plan.most is not None and self.account.events >= self.plan.most
        return enough or self._stopped() or time.monotonic() >= self._until

    def begin(self) -> None:
        """The recorders are attached."""
        for each in self._writers:
            if each.resumed:
                each.skip()
            said = _LEFT_OUT if each.resumed else None
            each.write("control", schema.RECORDING_BEGINS, "ok", at=self.since, error_type=said)

    def lost(self, why: str) -> None:
        """The broker is gone, or no longer says everything."""
        self.account.losses += 1
        self.tell(f"lost the broker: {why}; trying again")
        for each in self._writers:
            each.write("control", DISCONNECTED, "info", error_type=why)

    def found(self) -> None:
        """The broker is there again."""
        self.tell("connected again; the history has a gap")
        for each in self._writers:
            each.skip()
            each.write("control", RECONNECTED, "ok", error_type=_LEFT_OUT)

    def end(self, *, connected: bool) -> None:
        """Finish the files; if the broker is not there, the end of the history is not known either."""
        for each in self._writers:
            if not connected:
                each.skip()
            each.write("control", ENDED, "ok", error_type=None if connected else _LEFT_OUT)
        self.close()

    def close(self) -> None:
        for each in self._writers:
            each.close()
        self.account.events = sum(each.events for each in self._writers)
        self.account.files = sum(each.files for each in self._writers)

    def failed(self, problem: OSError) -> UsageError:
        """A file cannot be written: what can still be saved is, and what to say of it."""
        for each in self._writers:
            each.give_up(str(problem))
        return _unwritable(self.plan.folder, problem)


def _unwritable(folder: Path, problem: OSError) -> UsageError:
    return UsageError(
        "ANG014",
        f"cannot write to {folder}: {problem.strerror or problem}",
        possible="a folder that you may write to, on a disk with room",
        remedy="make room, or give another folder with --out",
    )
