"""The Java process that a session talks to, and the folder that it may write in.

PySpark would start it through two scripts and another Java that only prints a command line; started directly
it is there a second sooner, its output goes to a file instead of the user's terminal, and Ctrl-C does not
reach it. It lives as long as its standard input is open: when this process dies, however it dies, the Java
ends too, and the shell that started it removes the folder. So nothing stays behind, not even after kill -9.

Under `spark-submit` there is a Java already, made for this program, which it gives a port and a secret: it
is used, and not ended. Where Spark runs and how much memory it has was then said to `spark-submit`, and what
we are given about it does not count.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from angarium.core import files
from angarium.core.errors import SparkError
from angarium.core.extras import demand
from angarium.spark.java import Java
from angarium.spark.reasons import reason_in

_OPENED = """java.base/java.lang java.base/java.lang.invoke java.base/java.lang.reflect java.base/java.io
    java.base/java.net java.base/java.nio java.base/java.util java.base/java.util.concurrent
    java.base/java.util.concurrent.atomic java.base/jdk.internal.ref java.base/sun.nio.ch java.base/sun.nio.cs
    java.base/sun.security.action java.base/sun.util.calendar java.security.jgss/sun.security.krb5""".split()
"""Parts of Java that Spark reaches into."""

_ALWAYS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:-UsePerfData",  # it would leave a file in /tmp after a kill
    "-Djava.net.preferIPv6Addresses=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Djdk.reflect.useDirectMethodHandle=false",
    *(f"--add-opens={part}=ALL-UNNAMED" for part in _OPENED),
)
_BY_VERSION = {24: ("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED")}
"""What a Java of at least that version needs besides."""

SHORT_JOBS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
"""Half the time to start, and fewer threads: good for jobs of seconds and minutes.

Without the optimising compiler Java has room for 48 MB of code only, and ends when Spark's programs fill it.
"""
LONG_JOBS = (
    "-XX:+UseParallelGC",
    "-XX:MetaspaceSize=256m",  # room for Spark's programs, before it is asked which of them are not used
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2400",
    "-XX:Tier4CompileThreshold=60000",
    "-XX:Tier4BackEdgeThreshold=200000",
)
"""A parallel collector, and the optimising compiler, which are worth their start for many million rows.

Spark runs hundreds of programs, most of them for a moment. By Java's own measure more than a third of a first
audit was spent on optimising them: what is optimised must have run four or five times as often.
"""

_QUIET = """\
rootLogger.level = error
rootLogger.appenderRef.file.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n%ex
"""

_START = 60.0
"""Seconds that a Java may take to start on a busy machine."""
_TAIL = 1 << 16
"""How much of what a Java has said is read when it fails."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A running Java, the folder that it may write in, and what it has said."""

    java: Java
    process: subprocess.Popen[bytes]
    folder: Path
    log: BinaryIO

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def said(self) -> str:
        """The end of what it has said."""
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")

    def stop(self) -> None:
        """End it at once, and remove its folder: whoever has stopped the session has nothing to lose."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdin:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        self.log.close()
        remove(self.folder)


def spark_home() -> Path:
    """Where the pip package has Spark's jars and scripts."""
    demand("spark")
    spec = find_spec("pyspark")
    assert spec and spec.origin
    return Path(spec.origin).parent


def start(
    java: Java,
    *,
    heap: str,
    flags: tuple[str, ...],
    scratch: Path | None,
    submit: tuple[str, ...],
    loopback: bool,
) -> tuple[Machine, int, str]:
    """Start a Java in a new folder under `scratch`; the port and the secret by which it can be talked to."""
    home = spark_home()
    folder = new_folder("angarium-spark-", scratch)
    try:
        (folder / "log4j2.properties").write_text(_QUIET, encoding="utf-8")
        command = [
            *_virtual_machine(java, folder, heap, flags),
            *_classes(home),
            *_main(submit),
        ]
        environment = _environment(java, home, folder, loopback=loopback)
        machine = _launch(java, command, folder, environment)
    except BaseException:
        remove(folder)
        raise
    try:
        return machine, *_greet(machine)
    except BaseException:
        machine.stop()
        raise


def new_folder(prefix: str, parent: Path | None) -> Path:
    """A new folder of our own; SparkError where none can be made."""
    try:
        if parent:
            parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=prefix, dir=parent)).resolve()
    except OSError as problem:
        where = parent or tempfile.gettempdir()
        raise SparkError(
            "ANG073",
            f"Spark cannot write in {where}: {problem.strerror}",
            possible="possible: any folder on a disk with room",
            remedy="make room, or set TMPDIR to another folder",
        ) from problem


def remove(folder: Path) -> None:
    """Remove a folder of ours, also if a process that is just ending still writes into it."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)


def options(java: Java) -> list[str]:
    """What every Java of Spark must be started with."""
    return [
        *_ALWAYS,
        *(flag for since, more in _BY_VERSION.items() if java.version >= since for flag in more),
    ]


def variables(java: Java, home: Path) -> dict[str, str]:
    """The variables that Spark's scripts would set, by which one Java of Spark starts another."""
    scala = [jar.name.split("_")[1].split("-")[0] for jar in home.glob("jars/spark-core_*.jar")]
    return {"JAVA_HOME": str(java.home), "SPARK_HOME": str(home), "SPARK_SCALA_VERSION": "".join(scala[:1])}


def _virtual_machine(java: Java, folder: Path, heap: str, flags: tuple[str, ...]) -> list[str]:
    places = {
        "java.io.tmpdir": folder,
        "derby.system.home": folder,
        "log4j2.configurationFile": folder / "log4j2.properties",
    }
    properties = [f"-D{name}={value}" for name, value in places.items()]
    return [str(java.executable), f"-Xmx{heap}", *options(java), *flags, *properties]


def _classes(home: Path) -> list[str]:
    """Where the classes are; a user's own configuration comes first."""
    configured = os.environ.get("SPARK_CONF_DIR")
    return ["-cp", f"{configured}{os.pathsep}{home}/jars/*" if configured else f"{home}/jars/*"]


def _main(submit: tuple[str, ...]) -> list[str]:
    """What the Java runs: with words for Spark's own submission, these; else only the gateway."""
    if submit:
        return ["org.apache.spark.deploy.SparkSubmit", *submit, "pyspark-shell"]
    return ["org.apache.spark.api.python.PythonGatewayServer"]


def _environment(java: Java, home: Path, folder: Path, *, loopback: bool) -> dict[str, str]:
    own = {
        "SPARK_CONNECT_MODE": "0",
        "PYSPARK_PYTHON": os.environ["PYSPARK_PYTHON"],
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(folder / "greeting"),
        "PYTHONSAFEPATH": "1",  # a queue.py in the current folder is not Python's
        **({"SPARK_LOCAL_IP": "127.0.0.1"} if loopback else {}),
    }
    inherited = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_DIRS"}
    return inherited | variables(java, home) | own


def _launch(java: Java, command: list[str], folder: Path, environment: dict[str, str]) -> Machine:
    """The Java under a shell that removes its folder when it has ended, in a session without our Ctrl-C.

    The log is handed back open: what is in it can be read even when its folder is gone.
    """
    log = (folder / "log").open("w+b")
    process = subprocess.Popen(
        ["/bin/sh", "-c", '"$@"; rm -rf -- "$0"', str(folder), *command],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    return Machine(java, process, folder, log)


def _greet(machine: Machine) -> tuple[int, str]:
    """The port and the secret, which the Java writes into a file as soon as it listens."""
    greeting, deadline = machine.folder / "greeting", time.monotonic() + _START
    while machine.alive and time.monotonic() < deadline:
        with suppress(FileNotFoundError):
            content = files.read_bytes(greeting)
            return int.from_bytes(content[:4], "big"), content[8:].decode()
        time.sleep(0.01)
    raise reason_in(machine.said() or f"the Java process did not answer within {_START:.0f} s")


_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"


@dataclass(frozen=True, slots=True)
class Submitted:
    """The Java that started us, as far as it is ours: a folder to write to."""

    port: int
    secret: str
    folder: Path

    @property
    def alive(self) -> bool:
        """It lives longer than we do."""
        return True

    def said(self) -> str:
        """What it says goes where `spark-submit` says."""
        return ""

    def stop(self) -> None:
        """Remove what we have written; Java ends when we do."""
        remove(self.folder)


def submitted(scratch: Path | None) -> Submitted | None:
    """The Java that has started this program, if one has."""
    if _PORT not in os.environ or _SECRET not in os.environ:
        return None
    return Submitted(int(os.environ[_PORT]), os.environ[_SECRET], new_folder("angarium-spark-", scratch))


def settings_of_queries(settings: dict[str, str]) -> dict[str, str]:
    """What we may still say: how queries are run, but not where."""
    return {name: value for name, value in settings.items() if name.startswith("spark.sql.")}
