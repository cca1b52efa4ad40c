"""Redis: a server of our own on a socket in a temporary folder, and a client of a few lines.

The server is the one that the machine has; it writes nothing to disk, listens on no network, and ends with
the block that started it. It has a session of its own, so that Ctrl-C does not end it before what was found
is told. The client speaks version 2 of Redis' protocol: a command is an array of byte strings, and the first
byte of a reply says of which of five kinds it is.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from angarium.core.errors import ConformError

Reply: TypeAlias = "int | str | bytes | list[Reply] | None"
_PATIENCE = 10.0
"""Seconds in which a server must have started."""


class RedisError(Exception):
    """The server does not do what it was asked to."""


class Client:
    """A connection to a server."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._replies = self._socket.makefile("rb")

    def ask(self, *words: str | bytes | int) -> Reply:
        """What the server replies to a command."""
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        lines = [b"*%d" % len(parts), *(b"$%d\r\n%b" % (len(part), part) for part in parts)]
        self._socket.sendall(b"\r\n".join(lines) + b"\r\n")
        return self._reply()

    def close(self) -> None:
        self._replies.close()
        self._socket.close()

    def _reply(self) -> Reply:
        line = self._replies.readline()
        if not line.endswith(b"\r\n"):
            raise RedisError("the server has closed the connection")
        kind, text = line[:1], line[1:-2]
        match kind:
            case b"-":
                raise RedisError(text.decode())
            case b"+":
                return text.decode()
            case b":":
                return int(text)
            case b"$":
                return self._bytes(int(text))
            case _:
                return [self._reply() for _ in range(int(text))] if int(text) >= 0 else None

    def _bytes(self, size: int) -> bytes | None:
        return self._replies.read(size + 2)[:-2] if size >= 0 else None


@contextmanager
def server() -> Iterator[Path]:
    """A server that runs as long as the block; where its socket is."""
    program = shutil.which("redis-server")
    if program is None:
        raise ConformError(
            "ANG093",
            "there is no redis-server on this machine's PATH",
            possible="Redis 5 or later, or what can take its place",
            remedy="install it, on Debian and Ubuntu with: apt-get install redis-server",
        )
    with tempfile.TemporaryDirectory(prefix="angarium-redis-") as folder:
        path = Path(folder) / "redis.sock"
        with _started(_command(program, path)) as process:
            _wait_for(process, path)
            yield path


@contextmanager
def _started(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _command(program: str, path: Path) -> list[str]:
    nowhere = ["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"]
    here = ["--unixsocket", str(path), "--dir", str(path.parent)]
    return [program, *nowhere, *here, "--loglevel", "warning"]


def _wait_for(process: subprocess.Popen[bytes], path: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while not _answers(path):
        if process.poll() is not None or time.monotonic() > end:
            raise _does_not_start(process)
        time.sleep(0.02)


def _does_not_start(process: subprocess.Popen[bytes]) -> ConformError:
    process.terminate()
    said = process.stdout.read().decode(errors="replace").strip().splitlines() if process.stdout else []
    return ConformError(
        "ANG093",
        f"redis-server does not start: {said[-1] if said else 'it says nothing'}",
        possible="a server that listens on a socket in the temporary folder",
        remedy="start redis-server by hand and see what it says",
    )


def _answers(path: Path) -> bool:
    try:
        client = Client(path)
    except OSError:
        return False
    try:
        return client.ask("PING") == "PONG"
    except RedisError:
        return False
    finally:
        client.close()
