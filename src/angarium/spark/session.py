"""One Spark session a process: started when it is first needed, shared, and gone without a trace at exit.

A session costs seconds to start and nothing to share, so `session(place)` gives the running one to everybody
who asks for the same place. Another place ends it and starts anew, because Spark allows one at a time.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.core.errors import SparkError
from angarium.spark import bridge
from angarium.spark.java import Java, fitting_java
from angarium.spark.machine import (
    LONG_JOBS,
    SHORT_JOBS,
    Machine,
    Submitted,
    settings_of_queries,
    spark_home,
    start,
    submitted,
)
from angarium.spark.place import Place as Place
from angarium.spark.place import check, configuration, python_for
from angarium.spark.reasons import debugging, reason_in

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WORKERS = 60.0
"""Seconds in which a cluster must give us a first worker. Spark would wait for ever."""
_CANCEL = 5.0
"""Seconds in which Java must take note that jobs are cancelled."""


@dataclass(frozen=True, slots=True)
class _Running:
    place: Place
    machine: Machine | Submitted
    spark: SparkSession


_running: _Running | None = None
_lock = threading.RLock()


def session(place: Place) -> SparkSession:
    """The session at a place: the running one, or a new one. SparkError if there can be none."""
    global _running
    with _lock:
        if _running and (_running.place == place or _is_submitted()) and _running.machine.alive:
            return _running.spark
        if given := submitted(place.scratch):
            _running = _joined(place, given)
            return _running.spark
        check(place)
        spark_home()
        java = fitting_java()
        stop()
        _running = _started(place, java)
        return _running.spark


def _is_submitted() -> bool:
    return _running is not None and isinstance(_running.machine, Submitted)


def _joined(place: Place, given: Submitted) -> _Running:
    """A session in the Java that has started us."""
    settings = settings_of_queries(configuration(place, given.folder, ()))
    spark = bridge.connect(given.port, given.secret, settings, with_defaults=True)
    return _Running(place, given, spark)


def stop() -> None:
    """End the session, if there is one, and remove all that it has written."""
    global _running
    with _lock:
        if not _running:
            return
        ending, _running = _running, None
        try:
            if ending.machine.alive:
                with suppress(Exception):  # it may be dying just now
                    ending.spark.stop()
        finally:
            ending.machine.stop()
            bridge.forget()


atexit.register(stop)


def cancel_jobs() -> None:
    """Cancel what runs in the session, from whatever thread; the session can be used again afterwards."""
    if not _running or not _running.machine.alive:
        return
    asking = threading.Thread(target=_running.spark.sparkContext.cancelAllJobs, daemon=True)
    asking.start()
    asking.join(_CANCEL)


def last_words() -> str:
    """The end of what Spark's Java has said, if there is a session."""
    return _running.machine.said() if _running else ""


def _started(place: Place, java: Java) -> _Running:
    os.environ["PYSPARK_PYTHON"] = python_for(place)
    flags = LONG_JOBS if place.long else SHORT_JOBS
    machine, port, secret = start(
        java,
        heap=place.heap,
        flags=flags,
        scratch=place.scratch,
        submit=() if place.local else ("--master", place.master),
        loopback=place.loopback,
    )
    try:
        # On a cluster, what the user's spark-defaults.conf says of secrets and addresses counts.
        settings = configuration(place, machine.folder, flags)
        spark = bridge.connect(port, secret, settings, with_defaults=place.standalone)
        bridge.without_page(spark)
        _await_worker(place, spark)
    except BaseException as problem:
        said = f"{bridge.text_of(problem)}\n{machine.said()}"
        machine.stop()
        bridge.forget()
        if isinstance(problem, Exception) and not isinstance(problem, SparkError):
            raise reason_in(said) from debugging(problem)
        raise
    return _Running(place, machine, spark)


def _await_worker(place: Place, spark: SparkSession) -> None:
    """Wait until a cluster has given us a worker: one with too little memory or no free core gives none."""
    deadline = time.monotonic() + _WORKERS
    context = spark.sparkContext._jsc.sc()
    while place.standalone and context.getExecutorMemoryStatus().size() < 2:
        if time.monotonic() > deadline:
            raise SparkError(
                "ANG074",
                f"no worker of {place.master} has a free core and {place.heap} of memory",
                possible="its page shows what the workers have, and who uses it",
                remedy="ask for less with --memory, or add workers",
            )
        time.sleep(0.05)


@contextmanager
def meanwhile(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """With these settings; afterwards they are as they were before. All must have a value already."""
    before = {name: spark.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, was in before.items():
            spark.conf.set(name, str(was))
