"""Real brokers on loopback, for tests that compare a prediction with what happens.

Each has ports of its own, keeps everything in a folder of the test, and is stopped surely, also when a test
fails. Where a broker is not installed, such tests are skipped, and say so.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

HOST = "127.0.0.1"
RABBIT = Path("/usr/lib/rabbitmq/bin")
"""Where Debian puts the scripts that need not be run by the user rabbitmq."""
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed")
needs_rabbitmq = pytest.mark.skipif(
    not (RABBIT / "rabbitmq-server").exists() or shutil.which("erl") is None,
    reason="rabbitmq-server is not installed",
)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def wait_until(what: str, is_so: Callable[[], bool], seconds: float = 60) -> None:
    """Looks again and again, and fails when it takes too long."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:g} s in vain: {what}")
        time.sleep(0.05)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


@contextmanager
def running(command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None) -> Iterator[None]:
    """A process with all its children, in a group of their own that is ended as one."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=env, start_new_session=True
        )
    try:
        yield
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(15)
        except ProcessLookupError:
            process.wait(15)
            return
        except subprocess.TimeoutExpired:
            continue
        else:
            return


@contextmanager
def mosquittos(files: Mapping[Path, int]) -> Iterator[None]:
    """A Mosquitto for every configuration file, which says the port that it is given with."""
    with ExitStack() as brokers:
        for file in files:
            command = [str(MOSQUITTO), "-v", "-c", str(file)]
            brokers.enter_context(running(command, file.with_suffix(".log")))
        for file, port in files.items():
            wait_until(f"{file.name} listens", lambda port=port: listens(port), 10)
        yield
