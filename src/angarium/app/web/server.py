"""The page as a program: the application, its connections, and the server.

The application: every view's routes, the static files, and the guard around all of it.

Connections to the page: how many there may be, and how long one may keep us waiting.

Each is in one of three states, and each of these ends: somebody is sending a request, or has sent none yet,
and must have sent all of it in time; we compute, which has limits of its own; or somebody is taking an
answer, and must have taken what we hold of it in time. Who is late is hung up on, without a word.

Where there is no room for one more, who has waited the longest without a request has to go: whoever opens
many and says nothing keeps nobody out who has something to ask.

The server of the page: how it begins, what it says of itself, and how it ends.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import time
from pathlib import Path
from typing import Any, ClassVar

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from angarium.app.web import explore, mesh, reports
from angarium.app.web.answers import on_bug, on_input_error, on_nothing_there
from angarium.app.web.guard import Guard
from angarium.app.web.settings import ROUTES as SETTINGS
from angarium.app.web.settings import Settings
from angarium.app.web.turns import client_of
from angarium.app.web.work import Work
from angarium.app.web.workers import BugError
from angarium.core.control import Terminated
from angarium.core.errors import InputError

STATIC = Path(__file__).parent / "static"


def application(settings: Settings, work: Work) -> Starlette:
    """The page for a folder."""
    routes: list[BaseRoute] = [
        Route("/", _home),
        *explore.ROUTES,
        *reports.ROUTES,
        *SETTINGS,
        *mesh.ROUTES,
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={
            InputError: on_input_error,
            HTTPException: on_nothing_there,
            BugError: on_bug,
            Exception: on_bug,
        },
    )
    app.state.settings, app.state.work = settings, work
    return app


async def _home(_request: Request) -> Response:
    return RedirectResponse("/explore")


# --- connections ----------------------------------------------------------------------------------


PATIENCE = 15.0
"""Seconds in which a request must be there, and in which what is held of an answer must be taken."""
MOST, MOST_EACH = 256, 64
"""Connections of all clients, and of one."""
_OTHER_FILES, _LEAST, _FILES = 96, 16, 1024
"""Files that the page has open besides connections, the fewest connections, and files to ask for."""


def make_room() -> int:
    """Ask the system for as many open files as the page may need; how many connections that allows.

    At the limit of open files nothing can be accepted, read or started any more. So there are never as many
    connections as there may be files.
    """
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if files != resource.RLIM_INFINITY and files < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
        files = wanted
    free = MOST if files == resource.RLIM_INFINITY else files - _OTHER_FILES
    return max(_LEAST, min(MOST, free))


class Connection(H11Protocol):
    """One connection, as uvicorn handles it, with these limits."""

    most: ClassVar[int] = MOST
    who = ""
    """The client, as those who take turns are known."""
    _since = 0.0
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come: is there room?"""
        super().connection_made(transport)
        self.who, self._since = client_of(self.client[0] if self.client else ""), self.loop.time()
        if self._finds_room():
            self._set_alarm()
        else:
            self._hang_up()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._stop_alarm()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Go through what has come; a whole request ends the wait for it."""
        super().handle_events()
        if self._is_answering():
            self._stop_alarm()

    def on_response_complete(self) -> None:
        """From now on the next request is waited for; it may be there already."""
        self._set_alarm()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """So much of an answer is held that no more is taken from its maker."""
        super().pause_writing()
        self._set_alarm()

    def resume_writing(self) -> None:
        """Enough of it was taken."""
        super().resume_writing()
        self._stop_alarm()

    def shutdown(self) -> None:
        """The page ends: nobody waits for the rest of a request, or for somebody to take an answer."""
        if self._alarm is not None and self.cycle is not None and not self.cycle.response_complete:
            self._hang_up()
        else:
            super().shutdown()

    def _is_answering(self) -> bool:
        cycle = self.cycle
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def _finds_room(self) -> bool:
        """Whether there is room, or can be made."""
        every = [each for each in self.connections if isinstance(each, Connection) and each._is_open()]
        own = [each for each in every if each.who == self.who]
        crowds = ((own, min(MOST_EACH, self.most // 2)), (every, self.most))
        return all(len(crowd) <= most or self._makes_room(crowd) for crowd, most in crowds)

    def _makes_room(self, crowd: list[Connection]) -> bool:
        silent = [each for each in crowd if each is not self and not each._is_answering()]
        if silent:
            min(silent, key=lambda each: each._since)._hang_up()
        return bool(silent)

    def _is_open(self) -> bool:
        return not self.transport.is_closing()

    def _set_alarm(self) -> None:
        self._stop_alarm()
        if self._is_open():
            self._alarm = self.loop.call_later(PATIENCE, self._hang_up)

    def _stop_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _hang_up(self) -> None:
        self.transport.abort()


# --- server ---------------------------------------------------------------------------------------


_BACKLOG = 64
"""Connections that wait to be accepted. As many are accepted at a time, before any can be refused."""
_MOST_LINES, _MINUTE = 20, 60.0
_LOGGERS = ("uvicorn.error", "asyncio")


def serve(settings: Settings, listening: socket.socket) -> None:
    """Answer until somebody ends it."""
    Connection.most = make_room()
    work = Work()
    config = uvicorn.Config(
        application(settings, work),
        http=Connection,
        log_level="error",
        access_log=False,  # the address may have the token in it
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        backlog=_BACKLOG,
        timeout_graceful_shutdown=1,
    )
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(Sparingly())
    try:
        work.prepare()
        _Server(config, work).run(sockets=[listening])
    except Terminated:
        raise
    except KeyboardInterrupt:
        pass  # uvicorn has ended in order, and hands the signal on
    finally:
        work.end()


class _Server(uvicorn.Server):
    """A server that stops computing before it waits for answers to be sent."""

    def __init__(self, config: uvicorn.Config, work: Work) -> None:
        super().__init__(config)
        self._work = work

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_in_a_line)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._work.end()
        await super().shutdown(sockets)


def _in_a_line(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What goes wrong between requests, as where no more files can be opened: no stack trace says more."""
    problem = context.get("exception")
    why = f": {problem}" if problem else ""
    logging.getLogger("uvicorn.error").error("The page: %s%s", context["message"], why)


class Sparingly(logging.Filter):
    """Lets so many lines a minute pass, each of them once: whoever makes us complain cannot fill a disk.

    That something was given up because the page ends is no complaint.
    """

    def __init__(self) -> None:
        super().__init__()
        self._since, self._lines = 0.0, set[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
            return False
        now = time.monotonic()
        if now - self._since > _MINUTE:
            self._since, self._lines = now, set()
        line = f"{record.getMessage()}{record.exc_info and record.exc_info[1]!r}"
        is_new = line not in self._lines and len(self._lines) < _MOST_LINES
        if is_new:
            self._lines.add(line)
        return is_new
