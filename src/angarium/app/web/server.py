"""The server of the page: how it begins, what it says of itself, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from typing import Any

import uvicorn

from angarium.app.web.app import application
from angarium.app.web.connections import Connection, make_room
from angarium.app.web.settings import Settings
from angarium.app.web.work import Work
from angarium.core.control import Terminated

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
