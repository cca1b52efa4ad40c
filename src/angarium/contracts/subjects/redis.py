"""The queue of unacknowledged messages in Redis, as a stream and as a list; with a server and a client of
our own.

A stream is ordered by its entries' ids, which must grow: the number becomes the id, and a message with a
number below one that was there before is refused, which the contract allows. Everything up to a number is
trimmed off at once.

A list keeps what it was given in the order in which it came. Numbers need not come in order, so whatever is
to be deleted may stand anywhere; it is looked for here and not in a script of the server, whose numbers have
only 53 exact bits. If somebody else changes the list meanwhile, the transaction is void and tried again.

The server is the one that the machine has, on a socket in a temporary folder; it writes nothing to disk,
listens on no network, and ends with the block that started it. It has a session of its own, so that Ctrl-C
does not end it before what was found is shown. The client speaks version 2 of Redis' protocol: a command is
an array of byte strings, and the first byte of a reply says of which of five kinds it is.
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

from angarium.contracts.message import Message
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


_KEY = "angarium:queue"
_LARGEST_ID = 2**64 - 1


class _RedisQueue:
    """A queue under one key of a server, empty at the beginning."""

    def __init__(self, path: Path) -> None:
        self._client = Client(path)
        self._client.ask("DEL", _KEY)

    def close(self) -> None:
        """Leave the server."""
        self._client.close()


class RedisStreamQueue(_RedisQueue):
    """Messages as entries of a stream, whose ids are their numbers."""

    def enqueue(self, msg: Message) -> bool:
        """Put a message in, and say so; it is refused if its number is not above all before, or too large."""
        if msg.num > _LARGEST_ID:
            return False
        try:
            self._client.ask("XADD", _KEY, f"{msg.num}-1", type(msg.payload).__name__, msg.payload)
        except RedisError as problem:
            if "equal or smaller" in str(problem):
                return False
            raise
        return True

    def empty(self) -> bool:
        """Whether nothing is in the queue."""
        return self._client.ask("XLEN", _KEY) == 0

    def pick_one(self) -> Message:
        """The message with the lowest number; there must be one."""
        match self._client.ask("XRANGE", _KEY, "-", "+", "COUNT", 1):
            case [[bytes(entry), [bytes(kind), bytes(payload)]]]:
                return _message(entry.partition(b"-")[0], kind, payload)
        raise LookupError("the queue is empty: ask empty() before pick_one()")

    def delete_all(self, seq: int) -> None:
        """Take out every message whose number is at most this one."""
        limit = ("MINID", seq + 1) if seq < _LARGEST_ID else ("MAXLEN", 0)
        self._client.ask("XTRIM", _KEY, *limit)


class RedisListQueue(_RedisQueue):
    """Messages as elements of a list, each with its number in front."""

    def enqueue(self, msg: Message) -> bool:
        """Put a message in, and say so."""
        payload = msg.payload if isinstance(msg.payload, bytes) else msg.payload.encode()
        self._client.ask("RPUSH", _KEY, b"%d %b %b" % (msg.num, type(msg.payload).__name__.encode(), payload))
        return True

    def empty(self) -> bool:
        """Whether nothing is in the queue."""
        return self._client.ask("LLEN", _KEY) == 0

    def pick_one(self) -> Message:
        """The message that came first; there must be one."""
        for element in self._elements(0, 0):
            return _message(*element.split(b" ", 2))
        raise LookupError("the queue is empty: ask empty() before pick_one()")

    def delete_all(self, seq: int) -> None:
        """Take out every message whose number is at most this one."""
        done: Reply = None
        while done is None:
            self._client.ask("WATCH", _KEY)
            gone = [each for each in self._elements(0, -1) if int(each.partition(b" ")[0]) <= seq]
            self._client.ask("MULTI")
            for element in gone:
                self._client.ask("LREM", _KEY, 0, element)
            done = self._client.ask("EXEC")

    def _elements(self, first: int, last: int) -> list[bytes]:
        found = self._client.ask("LRANGE", _KEY, first, last)
        return [each for each in found if isinstance(each, bytes)] if isinstance(found, list) else []


def _message(number: bytes, kind: bytes, payload: bytes) -> Message:
    """A message again; the name of its payload's type was stored beside it."""
    return Message(int(number), payload if kind == b"bytes" else payload.decode())
