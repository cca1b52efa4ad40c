"""Control of what takes long: how long it may take, who may stop it, and what the answer says of that.

Work ends early in one of two ways. What goes in turns, such as a search, asks at each turn whether there is
time left, ends in good order and tells what it has found. Anything else, such as reading and compiling a
model, is ended from outside: a timer, Ctrl-C and SIGTERM raise an exception wherever the main thread is.
All of them are a KeyboardInterrupt, so who lets Ctrl-C through lets the others through as well, and who
catches it to give a partial answer asks `cut_of` what it has to say.

While a module is being imported they wait a moment: half of one would be left for whoever imports it next, as
who gives the partial answer does. They wait, too, where C has called Python and lets no exception through:
ctypes makes an error of its own of it, and what is raised while an object goes is printed, and lost.

Such an exception can only be raised between two steps of Python. What is one long step, such as a call of
native code, is made by another thread (`aside`), while the main thread waits and hears.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import FrameType
from typing import TypeVar

from angarium.core.records import key

T = TypeVar("T")

LONGEST = 1_000_000_000
"""Seconds that a time limit can have: some thirty years."""
_AGAIN = 1.0
"""Seconds until the timer rings again: where nothing can be raised, as while memory is tidied, it is lost."""
_ANSWER = 5.0
"""Seconds for giving an answer, when there is no time left for anything else."""
_TURN = 0.05
"""Seconds after which a waiting thread is sure to hear a signal."""
_LOADING = 10.0
"""Seconds that a signal waits for what is being imported. Somebody's own module may never come to its end."""
_FRAGILE = ("<frozen importlib._bootstrap>", weakref.__file__)
"""Files whose work cannot be cut: what is imported, and what ends with an object."""
_CALLED_BY_C = ("from_param", "__del__")
_held: dict[int, float] = {}
"""Since when signals wait."""


class CutBy(Enum):
    """What ends work before its end."""

    TIME = "time"
    INTERRUPT = "interrupt"
    STATES = "states"
    MEMORY = "memory"
    """The limit of memory that was given."""
    FULL = "full"
    """There is no more memory, whatever may be used."""
    FAILURE = "failure"
    """Something failed behind which nothing is known."""
    MISSING = "missing"
    """A part of the work never came back, or cannot be done."""


@dataclass(frozen=True, eq=False)
class Cut(str):
    """Why an answer is not of everything: words that know by what, so that nobody searches them for it."""

    by: CutBy = field(default=CutBy.FAILURE, metadata=key("cut_by"))
    text: str = field(default="", metadata=key("cut"))

    def __new__(cls, by: CutBy = CutBy.FAILURE, text: str = "") -> Cut:
        return super().__new__(cls, text)

    def __getnewargs__(self) -> tuple[CutBy, str]:  # type: ignore[override]
        return self.by, self.text


INTERRUPTED = Cut(CutBy.INTERRUPT, "interrupted")
"""The cut of work that somebody stopped, from the keyboard or by SIGTERM."""


def cut_by_time(seconds: float) -> Cut:
    """The cut of what has taken so long as it may."""
    return Cut(CutBy.TIME, f"time limit of {seconds:g} s")


def cut_by_states(most: int) -> Cut:
    """The cut of a search that has found more than so many states."""
    return Cut(CutBy.STATES, f"limit of {most:,} states")


def cut_by_memory(most: int) -> Cut:
    """The cut of what would need more than so many bytes."""
    return Cut(CutBy.MEMORY, f"limit of {most:,} bytes")


def cut_of(problem: KeyboardInterrupt) -> Cut:
    """Why the work was stopped. Who asks gives an answer next, and has time for that."""
    grant(_ANSWER)
    return problem.cut if isinstance(problem, Stopped) else INTERRUPTED


class CutError(Exception):
    """What goes in turns cannot go on."""

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut)
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, and how much of it is; a product may know more of its own work."""

    doing: str = ""
    done: int = 0
    total: int | None = None
    seconds: float = 0.0

    def __str__(self) -> str:
        """In a line: `3 of 9 failures`."""
        return self.doing if self.total is None else f"{self.done:,} of {self.total:,} {self.doing}"


Observe = Callable[[Progress], None]
Tell = Callable[[str], None]


def in_lines(tell: Tell | None) -> Observe | None:
    """What lets somebody know of progress who wants a line of text."""
    return tell and (lambda progress: tell(str(progress)))


@dataclass
class Control:
    """How long work may take, who watches it, and why it ended early if it did.

    It is passed down to whatever takes long. What goes in turns asks `is_over` at each turn; what is one long
    step is put under `stopping`, which ends it from outside.
    """

    timeout: float | None = None
    """Seconds."""
    observe: Observe | None = None
    begin: float = field(default_factory=time.monotonic)
    cut: Cut | None = None

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.begin

    @property
    def left(self) -> float:
        """How many seconds there are still."""
        return float("inf") if self.timeout is None else self.timeout - self.seconds

    def is_over(self) -> bool:
        """Whether to end now; notes why if the time is up."""
        if self.cut is None and self.timeout is not None and self.left <= 0:
            self.cut = cut_by_time(self.timeout)
        return self.cut is not None

    def report(self, doing: str = "", done: int = 0, total: int | None = None) -> None:
        """Let whoever watches know where the work is."""
        if self.observe:
            self.observe(Progress(doing, done, total, self.seconds))

    @contextmanager
    def stopping(self) -> Iterator[Control]:
        """Ends the block at Ctrl-C, SIGTERM or when a timer rings, and notes why: what it has done stands."""
        try:
            yield self
        except KeyboardInterrupt as problem:
            self.cut = cut_of(problem)


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a search stops with `unknown`: how long it may take, and how much it may find and hold."""

    max_states: int | None = None
    max_bytes: int | None = None
    timeout: float | None = None
    """Seconds."""
    begin: float | None = None
    """When they began, by `time.perf_counter`; with the search, unless something came before it."""

    def left(self, started: float) -> float:
        """How many seconds there are still for a search that began then."""
        if self.timeout is None:
            return float("inf")
        begin = started if self.begin is None else self.begin
        return self.timeout - (time.perf_counter() - begin)

    def time_is_up(self, started: float) -> Cut | None:
        """What is to be said if there are none."""
        return None if self.timeout is None or self.left(started) > 0 else cut_by_time(self.timeout)


class Stopped(KeyboardInterrupt):
    """Something ends the work, and it is known what."""

    def __init__(self, cut: Cut = INTERRUPTED) -> None:
        super().__init__()
        self.cut = cut


class Terminated(Stopped):
    """Somebody, such as a service manager, wants the program to end."""


class TimeIsUp(Stopped):
    """Raised by a timer wherever the program is."""

    def __init__(self, seconds: float) -> None:
        super().__init__(cut_by_time(seconds))


def interrupt(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does in the program."""
    _raise(KeyboardInterrupt(), number, frame)


def terminate(number: int, frame: FrameType | None) -> None:
    """What SIGTERM does in the program."""
    _raise(Terminated(), number, frame)


def _raise(problem: KeyboardInterrupt, number: int, frame: FrameType | None) -> None:
    """Raise it here, or send the signal again in a moment."""
    if not _must_wait(number, frame):
        raise problem
    again = threading.Timer(_TURN, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _must_wait(number: int, frame: FrameType | None) -> bool:
    """Whether nothing can be raised in good order, and has not been for no longer than an import takes."""
    since = _held.setdefault(number, time.monotonic())
    waits = _is_fragile(frame) and time.monotonic() - since < _LOADING
    if not waits:
        del _held[number]
    return waits


def _is_fragile(frame: FrameType | None) -> bool:
    """Whether something is being imported, or C waits that lets no exception through."""
    while frame and frame.f_code.co_filename not in _FRAGILE and frame.f_code.co_name not in _CALLED_BY_C:
        frame = frame.f_back
    return frame is not None


@contextmanager
def time_limit(seconds: float | None, grace: float = 0.0) -> Iterator[None]:
    """Interrupt the block if it takes longer; only a main thread can be interrupted.

    The grace is for what looks at the clock itself, and ends in better order than an exception lets it.
    """
    if seconds is None or not _is_main():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        if not _must_wait(number, frame):  # else it rings again
            raise TimeIsUp(seconds)

    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left < seconds + grace:  # a limit around this one comes first
        yield
        return
    begin, before = time.monotonic(), signal.signal(signal.SIGALRM, ring)
    left, again = signal.setitimer(signal.ITIMER_REAL, seconds + grace, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(_TURN, left - (time.monotonic() - begin)), again)


def grant(seconds: float) -> None:
    """Let the timer, if one runs, ring so much later."""
    left, again = signal.getitimer(signal.ITIMER_REAL) if _is_main() else (0.0, 0.0)
    if left and again == _AGAIN:
        signal.setitimer(signal.ITIMER_REAL, left + seconds, again)


def aside(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """What the work gives, which another thread does; this one hears signals meanwhile.

    What they raise is raised here, after the work was told to `stop` and has ended.
    """
    if not _is_main():
        return work()
    done: list[T] = []
    problems: list[BaseException] = []
    begun, ended = threading.Event(), threading.Event()

    def do() -> None:
        begun.set()
        try:
            done.append(work())
        except BaseException as problem:
            problems.append(problem)
        ended.set()

    try:
        threading.Thread(target=do, daemon=True).start()
        while not ended.wait(_TURN):
            pass
    except KeyboardInterrupt:
        begun.wait(_ANSWER)  # it may have come while the thread was being started
        while begun.is_set() and not ended.is_set():
            stop()
            ended.wait(_TURN)
        raise
    if problems:
        raise problems[0]
    return done[0]


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
