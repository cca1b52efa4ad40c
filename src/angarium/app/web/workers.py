"""Processes that compute for the page, each of which is killed when it takes too long or too much memory.

Nothing that a process computes can be stopped from inside for certain: a compiler or a loop in native code
hears nobody. So the page looks at the process from outside, some times a second. One that is killed is
replaced when somebody asks again, and what it had found out about states is lost.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from angarium.app.web.worker import HEAD, READY, Question, send
from angarium.core.errors import InputError, WebError

SECONDS = 20.0
"""Of one answer: a check searches for ten, and needs time before and after that."""
BYTES = 768 << 20
"""Of memory, for one process."""
_ENOUGH = 384 << 20
"""One that holds more after an answer is not asked again: it would give nothing back."""
_LONGEST = 32 << 20
"""Bytes of an answer."""
_START = 120.0
"""Seconds in which a process must have begun, on a busy machine."""
_LOOK = 50
"""Milliseconds from one look at a process to the next."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Worker:
    """One process; it is started by the page's own thread, with which it would end."""

    def __init__(self, leaving: threading.Event) -> None:
        self._leaving, self._is_ready = leaving, False
        if leaving.is_set():
            raise _cannot("the page is being ended")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "angarium.app.web.worker"],  # a model may be called queue.py
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as problem:
            raise _cannot(f"no process can be started: {problem.strerror}") from None
        assert self._process.stdin and self._process.stdout
        self._questions, self._answers = self._process.stdin, self._process.stdout

    def ask(self, question: Question) -> object:
        """What a function gives; a WebError, and the end of the process, when that takes too much."""
        try:
            if not self._is_ready:
                self._is_ready = self._read(len(READY), time.monotonic() + _START) == READY
            send(self._questions, question)
            until = time.monotonic() + SECONDS
            came, answer = pickle.loads(self._read(self._length(until), until))
        except BaseException as problem:
            self.end()
            if isinstance(problem, EOFError | OSError):
                raise _cannot("the process that was computing has died") from None
            raise
        if came:
            return answer
        raise answer if isinstance(answer, InputError) else BugError(str(answer))

    @property
    def can_go_on(self) -> bool:
        """Whether it may be asked again."""
        return self._process.poll() is None and self._memory() < _ENOUGH

    def end(self) -> None:
        """Kill it; there is nothing that it would lose."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._questions, self._answers):
            with suppress(OSError):
                pipe.close()

    def _length(self, until: float) -> int:
        length = int.from_bytes(self._read(HEAD, until))
        if length > _LONGEST:
            raise _too_much(f"the answer is larger than {_LONGEST >> 20} MiB")
        return length

    def _read(self, size: int, until: float) -> bytes:
        """So many bytes from the process, if it takes neither too long nor too much."""
        found, pipe, waiting = bytearray(), self._answers.fileno(), select.poll()
        waiting.register(pipe, select.POLLIN)
        while len(found) < size:
            self._check(until)
            if waiting.poll(_LOOK):
                piece = os.read(pipe, min(size - len(found), 1 << 20))
                if not piece:
                    raise EOFError
                found += piece
        return bytes(found)

    def _check(self, until: float) -> None:
        if self._leaving.is_set():
            raise _cannot("the page is being ended")
        if time.monotonic() > until:
            raise _too_much(f"this takes longer than {SECONDS:g} s")
        if self._memory() > BYTES:
            raise _too_much(f"this takes more than {BYTES >> 20} MiB of memory")

    def _memory(self) -> int:
        """Bytes of memory that it has now; none if it has ended."""
        try:
            resident = Path(f"/proc/{self._process.pid}/statm").read_bytes().split()[1]
        except (OSError, IndexError):
            return 0
        return int(resident) * _PAGE


class BugError(Exception):
    """What nobody thought of, in a process whose own words stand in the page's terminal."""


def _too_much(what: str) -> WebError:
    return WebError(
        "ANG154",
        what,
        possible=f"on the page at most {SECONDS:g} s and {BYTES >> 20} MiB",
        remedy="ask for less, or ask the command line, which takes its time: angarium --help",
        status=422,
    )


def _cannot(what: str) -> WebError:
    return WebError("ANG154", what, remedy="wait a little and ask again", status=503)
