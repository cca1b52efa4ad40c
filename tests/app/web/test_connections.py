"""Connections: those who are slow, silent or many keep nobody out, and the page ends without a word."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import descendants, is_running, running
from tests.waiting import PATIENCE, wait_until

IMPATIENT = """
from angarium.app.web import server
server.PATIENCE = 0.5
from angarium.app.cli import main
main()
"""
LARGE = b"GET /static/mesh.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
POST = b"POST /api/mesh/files HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"


@dataclass(frozen=True)
class Serving:
    """A page in a process of its own, which waits for half a second."""

    process: subprocess.Popen[str]
    port: int

    def connect(self, *sent: bytes) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        for piece in sent:
            line.sendall(piece % self.port if b"%d" in piece else piece)
        return line

    def ask(self, path: str = "/explore") -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET", path)
            return connection.getresponse().status

    def check(self, **asked: object) -> http.client.HTTPConnection:
        """A check is asked for; its answer is not waited for."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        content = json.dumps({"subject": "rabbitmq-sac", **asked})
        connection.request("POST", "/api/explore/check", content, {"Content-Type": "application/json"})
        return connection

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """The exit code, and all that was said by the way."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said


@contextmanager
def serving(folder: Path, *, files: int | None = None) -> Iterator[Serving]:
    limit = f"ulimit -n {files}; " if files else ""
    command = ["sh", "-c", f'{limit}exec "$0" "$@"', sys.executable, "-P", "-c", IMPATIENT]
    with running([*command, "serve", str(folder), "--port", "0"]) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+:(\d+)/", process.stdout.readline())
        assert found, "the server did not say where it is"
        yield Serving(process, int(found[1]))


@pytest.mark.parametrize(
    "sent",
    [
        [],
        [b"G"],
        [b"GET /explore HTTP/1.1\r\nHost: 127"],
        [POST, b"Content-Length: 2\r\n\r\n{"],
        [POST, b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"],
        [LARGE, b"G"],
    ],
    ids=["nothing", "a-letter", "half-a-head", "half-a-body", "half-a-chunk", "half-a-second-request"],
)
def test_who_does_not_finish_a_request_is_hung_up_on(tmp_path: Path, sent: list[bytes]) -> None:
    with serving(tmp_path) as page, page.connect(*sent) as line:
        with suppress(ConnectionResetError):
            while line.recv(1 << 16):
                pass
        assert page.ask() == 200


def test_who_does_not_take_an_answer_is_hung_up_on(tmp_path: Path) -> None:
    with serving(tmp_path) as page, socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", page.port))
        line.sendall((LARGE % page.port) * 400)
        wait_until("the page hangs up", lambda: connections(page) == 0)
        assert page.ask() == 200


def connections(page: Serving) -> int:
    """How many there are, as the system sees it."""
    files = Path(f"/proc/{page.process.pid}/fd")
    places = {os.readlink(each) for each in files.iterdir() if each.exists() or each.is_symlink()}
    own = f":{page.port:04X} "
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(f"socket:[{each.split()[9]}]" in places and own in each and " 01 " in each for each in lines)


@pytest.mark.parametrize("files", [None, 64], ids=["many-files", "few-files"])
def test_who_opens_many_connections_and_says_nothing_keeps_nobody_out(
    tmp_path: Path, files: int | None
) -> None:
    with serving(tmp_path, files=files) as page, ExitStack() as silent:
        for _ in range(300):
            silent.enter_context(page.connect())
        assert [page.ask() for _ in range(3)] == [200] * 3
        code, said = page.end()

    assert code == 0
    assert len(said.splitlines()) <= 2, said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_it_ends_at_once_and_silently_whatever_is_under_way(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with serving(tmp_path) as page, ExitStack() as others:
        for sent in ([], [POST, b"Content-Length: 2\r\n\r\n{"], [LARGE * 400 % ((page.port,) * 400)]):
            others.enter_context(page.connect(*sent))
        for _ in range(6):
            others.enter_context(closing(page.check(set={"queues": "4", "apps": "4"})))
        assert page.ask() == 200, "it answers while it computes"
        wait_until("two processes compute", lambda: len(descendants(page.process.pid)) >= 2)
        family = descendants(page.process.pid)

        assert page.end(number) == (code, "")
        wait_until("no process is left", lambda: not any(map(is_running, family)))


def test_no_process_is_left_when_it_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as page, closing(page.check(set={"queues": "4", "apps": "4"})):
        wait_until("a process computes", lambda: descendants(page.process.pid))
        family = descendants(page.process.pid)
        page.end(signal.SIGKILL)
        wait_until("no process is left", lambda: not any(map(is_running, family)))
