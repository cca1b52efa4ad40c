"""Ctrl-C while Spark works: the job is cancelled, and KeyboardInterrupt reaches the caller.

PySpark's handler asks Java to cancel the jobs over the very connection that waits for the job's result, where
nobody listens: the job goes on, and what reaches the caller is the broken connection. Here, a Ctrl-C that
comes while Python waits for Java asks from another thread; Java then answers that the job was cancelled, over
a connection that is as good as before, and the answer becomes KeyboardInterrupt. At any other moment Ctrl-C
is what it always is.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from angarium.core.control import interrupt

_AGAIN = 0.2
"""Seconds until jobs are cancelled again, if by then the next one has begun."""


@contextmanager
def interruptible(cancel: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C cancel what Spark does for this thread, if it is the one that Ctrl-C goes to."""
    if not _is_ours():
        yield
        return
    asked, over = threading.Event(), threading.Event()

    def handler(number: int, frame: FrameType | None) -> None:
        if asked.is_set() or not _waits_for_java(frame):
            interrupt(number, frame)
            return
        asked.set()
        threading.Thread(target=_cancel_until, args=(over, cancel), daemon=True).start()

    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    except Exception:
        if not asked.is_set():
            raise
    finally:
        over.set()
        signal.signal(signal.SIGINT, before)
    if asked.is_set():
        raise KeyboardInterrupt


def _is_ours() -> bool:
    """Whether Ctrl-C comes to this thread, and nobody has made other arrangements."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) in (signal.default_int_handler, interrupt)


def _waits_for_java(frame: FrameType | None) -> bool:
    """Whether what was interrupted is a question to Java."""
    while frame:
        if str(frame.f_globals.get("__name__")).startswith("py4j."):
            return True
        frame = frame.f_back
    return False


def _cancel_until(over: threading.Event, cancel: Callable[[], None]) -> None:
    cancel()
    while not over.wait(_AGAIN):
        cancel()
