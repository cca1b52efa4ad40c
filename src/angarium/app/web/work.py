"""Computations beside the page, which goes on answering: in processes with limits, and by turns."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from anyio import to_thread
from starlette.requests import Request

from angarium.app.web.turns import Turns, client_of
from angarium.app.web.workers import Worker

P = ParamSpec("P")
Answer = TypeVar("Answer")


class Work:
    """The processes of a page, and who uses them. A process is started when none is idle."""

    def __init__(self) -> None:
        self.turns = Turns()
        self._leaving = threading.Event()
        self._idle: list[Worker] = []
        """The last of them is asked first: it knows most about what was asked last."""

    async def compute(self, client: str, function: Callable[..., object], *given: object) -> Any:  # noqa: ANN401
        """What a function of a module gives, when it is the client's turn."""
        async with self.turns.turn(client):
            worker = self._idle.pop() if self._idle else Worker(self._leaving)
            try:
                return await to_thread.run_sync(worker.ask, (function, given))
            finally:
                self._take_back(worker)

    def prepare(self) -> None:
        """Have a process at hand before anybody asks."""
        self._idle.append(Worker(self._leaving))

    def end(self) -> None:
        """Stop all that is being computed, and end every process."""
        self._leaving.set()
        while self._idle:
            self._idle.pop().end()

    def _take_back(self, worker: Worker) -> None:
        if worker.can_go_on and not self._leaving.is_set():
            self._idle.append(worker)
        else:
            worker.end()


async def compute(
    request: Request, function: Callable[P, Answer], *given: P.args, **_none: P.kwargs
) -> Answer:
    """What a function gives that a request asks for."""
    work: Work = request.app.state.work
    client = client_of(request.client.host if request.client else "")
    answer: Answer = await work.compute(client, function, *given)
    return answer
