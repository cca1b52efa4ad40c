"""What we ask of PySpark beyond its public interface, all in one place.

PySpark takes a Java that somebody else has started if two variables of the environment name its port and
secret; it keeps the connection in class attributes that outlive a session; and it takes over Ctrl-C, which
`failures` does better.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""They write whole stack traces to standard error, of failures that we explain in a sentence."""


def _not_of_the_bridge(record: logging.LogRecord) -> bool:
    """Py4J tells the root logger, with a stack trace, that Java is gone: also when nothing is lost by it, as
    where it only lets go of what the dead one held."""
    return record.module != "java_gateway"


def connect(
    port: int, secret: str, settings: Mapping[str, str], *, with_defaults: bool = False
) -> SparkSession:
    """A session in the Java that listens at a port. `with_defaults`: what Java was told counts, too."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_not_of_the_bridge)
    with _environment({"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}):
        gateway: Any = launch_gateway()  # type: ignore[no-untyped-call]
    conf = SparkConf(loadDefaults=with_defaults, _jvm=gateway.jvm).setAll(list(settings.items()))
    with _own_interrupts():
        return SparkSession(SparkContext(conf=conf, gateway=gateway))


def without_page(spark: SparkSession) -> None:
    """Let Spark note no plans for its page, which is not shown.

    It would draw every plan, with all that made the tables that it uses. For tables made from tables that is
    thousands of boxes a query: it falls behind, and what waits to be drawn fills the memory.
    """
    drawing = spark._jsparkSession.sharedState().statusStore().listener()
    if drawing.isDefined():
        spark._jsc.sc().removeSparkListener(drawing.get())


def text_of(problem: BaseException) -> str:
    """What an exception says; one from Java asks Java for it, which may be gone."""
    try:
        return str(problem)
    except Exception:
        return type(problem).__name__


def forget() -> None:
    """Make PySpark forget a Java that is gone, so that another can take its place."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway: Any = SparkContext._gateway
    if gateway is not None:
        with suppress(Exception):  # the other end is gone
            gateway.close()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables of the environment that are there for a moment."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, was in before.items():
            os.environ.pop(name) if was is None else os.environ.update({name: was})


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep the handler of Ctrl-C that was there before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
