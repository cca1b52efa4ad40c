"""A real standalone cluster of Spark on this machine, for trying things and for tests: until Ctrl-C.

    uv run python -m scripts.cluster --workers 2
    uv run angarium check nsq --engine spark --master spark://127.0.0.1:PORT

A master and workers are processes on the loopback address, as Spark's own scripts start them, from the pip
package alone: for what only a cluster can do (another process holds a part of the states, and dies).
Everything that the processes say and write is in one folder, which goes with them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from types import FrameType, TracebackType
from typing import Self
from urllib.request import ProxyHandler, build_opener

from angarium.core.errors import SparkError
from angarium.core.files import opened
from angarium.spark.java import fitting_java
from angarium.spark.machine import SHORT_JOBS, new_folder, options, remove, spark_home, variables
from angarium.spark.reasons import reason_in

HOST = "127.0.0.1"

_ASKING = {"spark.authenticate": "true", "spark.network.crypto.enabled": "true"}
"""Each of Spark's processes asks the others for the secret."""
_START = 60.0
"""Seconds in which all processes must be there, on a busy machine."""
_SAID = 4096
"""Bytes of a log that say why a process has ended."""
_END = 5.0
"""Seconds in which a process may end by itself before it is killed."""


class Cluster:
    """A master and some workers, each with cores and memory, as long as the `with` statement lasts."""

    master: str
    """The address that a session connects to."""
    page: str
    """The address of the master's page."""
    workers: list[int]
    """The workers' process ids, in the order of their start."""
    configuration: Path
    """Where spark-defaults.conf is: a session with SPARK_CONF_DIR set to it knows the cluster's secret."""

    def __init__(
        self,
        workers: int = 2,
        cores: int = 1,
        memory: str = "1g",
        scratch: Path | None = None,
        *,
        authenticated: bool = False,
    ) -> None:
        self.workers = []
        self._secret = token_hex(32) if authenticated else None
        self._count, self._cores, self._memory, self._scratch = workers, cores, memory, scratch
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self._java, self._home = fitting_java(), spark_home()
        self._folder = new_folder("angarium-cluster-", self._scratch)
        try:
            self._configure()
            self._start_master()
            for _ in range(self._count):
                self.start_worker()
            self.wait_for(self._count)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start_worker(self) -> int:
        """Start one more worker, without waiting for it; its process id."""
        name = f"worker-{len(self.workers) + 1}"
        sizes = ["--cores", str(self._cores), "--memory", self._memory]
        place = ["--work-dir", str(self._folder / name), "--webui-port", "0", self.master]
        process = self._start(name, "org.apache.spark.deploy.worker.Worker", *sizes, *place)
        self.workers.append(process.pid)
        return process.pid

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers have told the master that they are there."""
        deadline = time.monotonic() + _START
        while (alive := self.alive()) < workers:
            if time.monotonic() > deadline:
                raise reason_in(
                    f"{self._said()}\nError: {alive} of {workers} workers came within {_START:.0f} s"
                )
            time.sleep(0.1)

    def alive(self) -> int:
        """How many workers the master believes to be alive."""
        directly = build_opener(ProxyHandler({}))  # whatever proxy the user has set for the world outside
        with suppress(OSError, ValueError), directly.open(f"{self.page}/json/", timeout=5) as answer:
            return int(json.load(answer)["aliveworkers"])
        return 0

    def stop(self) -> None:
        """End every process, and remove the folder."""
        for process in self._processes:
            _signal(process, signal.SIGTERM)
        for process in self._processes:
            _end(process)
        self._processes.clear()
        remove(self._folder)

    def _configure(self) -> None:
        """Write what a session needs to know, into a folder that nobody else may enter."""
        self.configuration = self._folder / "conf"
        self.configuration.mkdir()
        settings = _ASKING | {"spark.authenticate.secret": self._secret} if self._secret else {}
        text = "".join(f"{name} {value}\n" for name, value in settings.items())
        (self.configuration / "spark-defaults.conf").write_text(text, encoding="utf-8")

    def _start_master(self) -> None:
        port, page = _free_port(), _free_port()
        self.master, self.page = f"spark://{HOST}:{port}", f"http://{HOST}:{page}"
        ports = ["--port", str(port), "--webui-port", str(page)]
        self._start("master", "org.apache.spark.deploy.master.Master", *ports)

    def _start(self, name: str, main: str, *words: str) -> subprocess.Popen[bytes]:
        """Start a process of Spark's; what it says goes into a file."""
        properties = [f"-Djava.io.tmpdir={self._folder}", "-Dspark.port.maxRetries=0"]
        properties.append("-Dspark.master.rest.enabled=false")  # its port is the same for every master
        properties += [f"-D{name}={value}" for name, value in _ASKING.items() if self._secret]
        java = [str(self._java.executable), "-Xmx512m", *options(self._java), *SHORT_JOBS, *properties]
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [*java, "-cp", f"{self._home}/jars/*", main, "--host", HOST, *words],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _environment(self) -> dict[str, str]:
        return (
            os.environ
            | variables(self._java, self._home)
            | {
                "SPARK_LOCAL_IP": HOST,
                "SPARK_LOCAL_DIRS": str(self._folder / "local"),
                "PYSPARK_PYTHON": sys.executable,
            }
            # Not on the command line, which everybody on the machine can read.
            | ({"_SPARK_AUTH_SECRET": self._secret} if self._secret else {})
        )

    def _said(self) -> str:
        return "\n".join(map(_tail, sorted(self._folder.glob("*.log"))))


def _tail(log: Path) -> str:
    """The end of a log."""
    with opened(log) as file:
        file.seek(max(0, log.stat().st_size - _SAID))
        return file.read(_SAID).decode("utf-8", "replace")


def _free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as chosen:
        chosen.bind((HOST, 0))
        port: int = chosen.getsockname()[1]
        return port


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that was asked to end; kill what does not, and those that it has started."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a process and those that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


_ENDING = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    """Start the cluster that the arguments ask for, say where it is, and wait."""
    parser = argparse.ArgumentParser(description="A Spark cluster on this machine, until Ctrl-C.")
    parser.add_argument("--workers", type=int, default=2, help="how many workers (2)")
    parser.add_argument("--cores", type=int, default=1, help="cores of each worker (1)")
    parser.add_argument("--memory", default="1g", help="memory of each worker (1g)")
    asked = parser.parse_args()
    for each in _ENDING:
        signal.signal(each, _end_once)
    try:
        with Cluster(asked.workers, asked.cores, asked.memory) as cluster:
            print(
                f"{cluster.master}  ({asked.workers} workers, page {cluster.page}; Ctrl-C ends it)",
                flush=True,
            )
            signal.pause()
    except KeyboardInterrupt:
        print("the cluster has ended")
    except SparkError as problem:
        print(f"error[{problem.code}]: {problem}", file=sys.stderr)
        return problem.exit_code
    return 0


def _end_once(number: int, frame: FrameType | None) -> None:
    """End in good order, and let nobody who is impatient, or says it twice as `uv run` does, disturb that."""
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
