"""The queue of unacknowledged messages as a table of SQLite, in a file.

The number is an integer key, so that numbers are compared as numbers: a column of type TEXT would put 10
before 9. SQLite's integers have 64 bits with a sign; greater numbers are refused, which the contract allows.

Every operation opens the file for itself. So what an operation sees is what the ones before it have written
to the file, as for a process that was restarted in between.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from angarium.contracts.message import Message

_LARGEST = 2**63 - 1


class SqliteQueue:
    """Messages in a file, which is made if it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as database:
            database.execute("CREATE TABLE IF NOT EXISTS queue (num INTEGER PRIMARY KEY, payload)")

    def enqueue(self, msg: Message) -> bool:
        """Put a message in, and say so; it is refused if its number is too large or taken."""
        if msg.num > _LARGEST:
            return False
        with self._open() as database:
            row = (msg.num, msg.payload)
            return database.execute("INSERT OR IGNORE INTO queue VALUES (?, ?)", row).rowcount == 1

    def empty(self) -> bool:
        """Whether nothing is in the queue."""
        with self._open() as database:
            return database.execute("SELECT 1 FROM queue LIMIT 1").fetchone() is None

    def pick_one(self) -> Message:
        """The message with the lowest number; there must be one."""
        with self._open() as database:
            row = database.execute("SELECT num, payload FROM queue ORDER BY num LIMIT 1").fetchone()
        if row is None:
            raise LookupError("the queue is empty: ask empty() before pick_one()")
        return Message(*row)

    def delete_all(self, seq: int) -> None:
        """Take out every message whose number is at most this one."""
        with self._open() as database:
            database.execute("DELETE FROM queue WHERE num <= ?", (min(seq, _LARGEST),))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._path)
        try:
            with database:
                yield database
        finally:
            database.close()
