"""What goes wrong inside Spark, as errors of our own; and Ctrl-C while it works.

`translated()` goes around everything that uses a session: what Spark throws becomes a SparkError in one
line, and Ctrl-C cancels the jobs before it goes on to the caller. An error of our own that is raised inside
a Python worker crosses Java as text only; `carried()` around the worker's code packs it into that text, and
`translated()` unpacks it, so that a mistake in a model is the same error wherever it is found.

PySpark's handler of Ctrl-C asks Java to cancel the jobs over the very connection that waits for the job's
result, where nobody listens: the job goes on, and what reaches the caller is the broken connection. Here, a
Ctrl-C that comes while Python waits for Java asks from another thread; Java then answers that the job was
cancelled, over a connection that is as good as before, and the answer becomes KeyboardInterrupt. At any
other moment Ctrl-C is what it always is.
"""

from __future__ import annotations

import base64
import json
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType

from angarium.core import errors
from angarium.core.errors import AngariumError, InputError
from angarium.spark.bridge import text_of
from angarium.spark.reasons import debugging, reason_in
from angarium.spark.session import cancel_jobs, last_words

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
            raise KeyboardInterrupt
        asked.set()
        threading.Thread(target=_cancel_until, args=(over, cancel), daemon=True).start()

    signal.signal(signal.SIGINT, handler)
    try:
        yield
    except Exception:
        if not asked.is_set():
            raise
    finally:
        over.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked.is_set():
        raise KeyboardInterrupt


def _is_ours() -> bool:
    """Whether Ctrl-C comes to this thread, and nobody has made other arrangements."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


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


_PACKED = "angarium-error:"


@contextmanager
def translated() -> Iterator[None]:
    """Turn what Spark throws into errors of ours; cancel its jobs on the way out, however that is."""
    try:
        with interruptible(cancel_jobs):
            yield
    except KeyboardInterrupt:
        cancel_jobs()
        raise
    except AngariumError:
        raise
    except Exception as problem:
        if not is_sparks(problem):
            raise
        raise in_our_words(problem) from debugging(problem)


@contextmanager
def carried() -> Iterator[None]:
    """In a Python worker: let errors of ours through to the driver as themselves."""
    try:
        yield
    except AngariumError as problem:
        raise RuntimeError(f"{_PACKED}{_packed(problem)}:") from None


def _packed(problem: AngariumError) -> str:
    facts: dict[str, object] = {"kind": type(problem).__name__, "text": str(problem)}
    if isinstance(problem, InputError):
        facts |= {key: getattr(problem, key) for key in ("code", "what", "possible", "remedy")}
        facts["place"] = asdict(problem.place) if problem.place else None
    text = json.dumps(facts)
    return base64.b64encode(text.encode()).decode()


def is_sparks(problem: Exception) -> bool:
    """Whether an exception comes from Spark, or from the connection to its Java."""
    packages = {kind.__module__.split(".")[0] for kind in type(problem).__mro__}
    return bool(packages & {"pyspark", "py4j"}) or isinstance(problem, ConnectionError)


def in_our_words(problem: Exception) -> AngariumError:
    """The error of ours that Spark carries, or else what is wrong with Spark."""
    text = text_of(problem)
    return _unpacked(text) or reason_in(f"{text}\n{last_words()}" if _says_little(problem) else text)


def _says_little(problem: Exception) -> bool:
    """Whether only the connection broke: then the reason is in what Java said before it died."""
    return isinstance(problem, ConnectionError) or "Network" in type(problem).__name__


def _unpacked(text: str) -> AngariumError | None:
    found = re.search(rf"{_PACKED}([\w+/=]+):", text)
    if not found:
        return None
    facts = json.loads(base64.b64decode(found[1]))
    kind = getattr(errors, facts.pop("kind"))
    text = facts.pop("text")
    if not issubclass(kind, InputError):
        return AngariumError(text)
    place = facts.pop("place")
    error: AngariumError = kind(**facts, place=errors.Place(**place) if place else None)
    return error
