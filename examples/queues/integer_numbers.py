"""The queue of text_numbers.py without its bug: numbers are integers, and what does not fit is refused."""

import sqlite3

from angarium.contracts.subjects import Message

LARGEST = 2**63 - 1
"""SQLite's integers have 64 bits."""


class IntegerNumbers:
    """Messages in a table, by their numbers."""

    def __init__(self) -> None:
        self._table = sqlite3.connect(":memory:")
        self._table.execute("CREATE TABLE queue (num INTEGER PRIMARY KEY, payload)")

    def enqueue(self, msg: Message) -> bool:
        if msg.num > LARGEST:
            return False
        self._table.execute("INSERT INTO queue VALUES (?, ?)", (msg.num, msg.payload))
        return True

    def empty(self) -> bool:
        return self._table.execute("SELECT count(*) FROM queue").fetchone() == (0,)

    def pick_one(self) -> Message:
        return Message(*self._table.execute("SELECT num, payload FROM queue ORDER BY num").fetchone())

    def delete_all(self, seq: int) -> None:
        self._table.execute("DELETE FROM queue WHERE num <= ?", (min(seq, LARGEST),))

    def close(self) -> None:
        self._table.close()
