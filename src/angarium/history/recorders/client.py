"""A recorder inside a client: it writes down what the client does, in the client's own process.

    recorder = Recorder("histories", "billing-1", system="rabbitmq")
    recorder.sent("m-1", "orders")
    recorder.confirmed("m-1", "orders")

The application comes first. Recording an event takes microseconds and never raises: if the disk is full, say,
the recorder stops, notes so once on standard error, and the history shows that its end is missing.

An operation is recorded before it is done (`invoke`), and its outcome after it: so a client that dies in
between leaves an operation whose outcome is not known, and never an outcome without an operation.
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
import weakref
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from angarium.core.escaping import plain
from angarium.history.recorders.writer import NameTakenError, Rotation, Writer

_MOST_NAMES = 10_000


class Recorder:
    """Records what one client does; for all of its threads.

    Files and the column `recorder` are named after the client; if another process already writes under that
    name, after it with a number behind.
    """

    def __init__(
        self,
        path: str | Path,
        client_id: str,
        *,
        system: str,
        run_id: str | None = None,
        clock_domain: str | None = None,
        rotation: Rotation = Rotation(),  # noqa: B008 (a frozen dataclass)
    ) -> None:
        self.client_id, self._folder, self._rotation = client_id, Path(path), rotation
        self._common = {
            "run_id": run_id or self._folder.resolve().name,
            "vantage": "client",
            "system": system,
            "clock_domain": clock_domain or socket.gethostname(),
            "client_id": client_id,
        }
        self._sends, self._consumers = count(1), count(1)
        self._writer: Writer | None = None
        self._open()
        _all.add(self)

    # --- what a producer does -------------------------------------------------------------------

    def sent(self, message_id: str, destination: str, **fields: Any) -> None:  # noqa: ANN401
        """A message is about to be sent; messages get numbers (`producer_seq`) in this order."""
        number = {"producer_seq": next(self._sends)}
        self.record("send", "send", "invoke", message_id, destination, **(number | fields))

    def confirmed(self, message_id: str, destination: str, **fields: Any) -> None:  # noqa: ANN401
        """The broker says that it has the message."""
        self.record("send", "send", "ok", message_id, destination, **fields)

    def failed(
        self,
        message_id: str,
        destination: str,
        error: object,
        *,
        surely: bool,
        **fields: Any,  # noqa: ANN401
    ) -> None:
        """Sending failed: `surely`, or the broker may have the message all the same."""
        phase = "fail" if surely else "info"
        self.record("send", "send", phase, message_id, destination, error_type=_named(error), **fields)

    # --- what a consumer does -------------------------------------------------------------------

    def new_consumer(self) -> str:
        """A name for a consumer: every subscription needs one of its own."""
        return f"{self._common['recorder']}/{next(self._consumers)}"

    def subscribed(self, destination: str, consumer_id: str, **fields: Any) -> None:  # noqa: ANN401
        """A consumer begins; `prefetch` or `credit` say how much it may have in flight."""
        self.record("control", "subscribe", "ok", None, destination, consumer_id=consumer_id, **fields)

    def unsubscribed(self, consumer_id: str) -> None:
        """A consumer is about to end; whatever it has not settled goes back."""
        self.record("control", "unsubscribe", "invoke", consumer_id=consumer_id)

    def credited(self, consumer_id: str, credit: int) -> None:
        """A consumer is about to say how many messages it may have in flight from now on."""
        self.record("flow", "credit", "invoke", consumer_id=consumer_id, credit=credit)

    def received(self, message_id: str, destination: str, **fields: Any) -> None:  # noqa: ANN401
        """A message has come."""
        self.record("receive", "receive", "ok", message_id, destination, **fields)

    def processed(self, message_id: str, destination: str, **fields: Any) -> None:  # noqa: ANN401
        """The application has done what a message asks for."""
        self.record("process", "process", "ok", message_id, destination, **fields)

    def settled(
        self,
        message_id: str,
        destination: str,
        settle: str,
        *,
        confirmed: bool = False,
        **fields: Any,  # noqa: ANN401
    ) -> None:
        """A message is about to be settled, or the broker has confirmed that it is."""
        phase = "ok" if confirmed else "invoke"
        self.record("settle", settle, phase, message_id, destination, settle=settle, **fields)

    # --- what a member of a group does ----------------------------------------------------------

    def assigned(self, group: str, partitions: Iterable[str], **fields: Any) -> None:  # noqa: ANN401
        """All partitions that the member has from now on: `topic/0`."""
        has = sorted(partitions)
        self.record("group", "assigned", "ok", consumer_group=group, partitions=has, **fields)

    def revoked(self, group: str, partitions: Iterable[str], **fields: Any) -> None:  # noqa: ANN401
        """Partitions that the member has no longer."""
        had = sorted(partitions)
        self.record("group", "revoked", "ok", consumer_group=group, partitions=had, **fields)

    # --- the recorder itself --------------------------------------------------------------------

    def record(
        self,
        op_type: str,
        op_name: str,
        phase: str,
        message_id: str | None = None,
        destination: str | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> None:
        """Any event of the schema."""
        with self._guard:
            if self._writer is None:
                return
            try:
                self._writer.write(
                    op_type, op_name, phase, message_id=message_id, destination=destination, **fields
                )
            except Exception as problem:  # whatever it is, it is none of the application's troubles
                self._stop(problem)

    @property
    def is_recording(self) -> bool:
        return self._writer is not None

    def closed(self) -> None:
        """The client ends, with all of its consumers, and so does the recording."""
        self.record("control", "close", "invoke")
        with self._guard:
            writer, self._writer = self._writer, None
            try:
                if writer is not None:
                    writer.close()
            except Exception as problem:
                _note(f"cannot finish its files: {_named(problem)}")

    def _open(self) -> None:
        self._guard = threading.RLock()
        try:
            self._writer = self._first_free()
            self._common["recorder"] = self._writer.recorder
        except Exception as problem:
            self._common["recorder"] = self.client_id
            _note(f"cannot record to {self._folder}: {_named(problem)}")

    def _first_free(self) -> Writer:
        for number in range(1, _MOST_NAMES):
            name = self.client_id if number == 1 else f"{self.client_id}.{number}"
            try:
                return Writer(self._folder, name, self._common, rotation=self._rotation)
            except NameTakenError:
                continue
        raise NameTakenError(self.client_id)

    def _stop(self, problem: Exception) -> None:
        writer, self._writer = self._writer, None
        _note(f"stops: {_named(problem)}")
        try:
            if writer is not None:
                writer.give_up(_named(problem))
        except Exception as another:
            _note(f"cannot say so in {self._folder}: {_named(another)}")

    def _in_child(self) -> None:
        """A forked process is another client: it must not write into its parent's files."""
        if self._writer is not None:
            self._writer.abandon()
            self._writer = None
            self._open()


_all: weakref.WeakSet[Recorder] = weakref.WeakSet()


def _close_all() -> None:
    for recorder in list(_all):
        recorder.closed()


def _fork_all() -> None:
    for recorder in list(_all):
        recorder._in_child()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_fork_all)


def _named(problem: object) -> str:
    return f"{type(problem).__name__}: {problem}" if isinstance(problem, Exception) else str(problem)


def _note(text: str) -> None:
    """Once, for a recorder that has stopped says nothing more."""
    if sys.stderr is not None:
        sys.stderr.write(f"angarium recorder {plain(text)}\n")
