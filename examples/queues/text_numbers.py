"""A queue of unacknowledged messages in SQLite. It has a bug that shows only with some numbers."""

import sqlite3

from angarium.contracts.subjects import Message


class TextNumbers:
    """Messages in a table, by their numbers."""

    def __init__(self) -> None:
        self._table = sqlite3.connect(":memory:")
        self._table.execute("CREATE TABLE queue (num TEXT PRIMARY KEY, payload)")

    def enqueue(self, msg: Message) -> bool:
        self._table.execute("INSERT INTO queue VALUES (?, ?)", (str(msg.num), msg.payload))
        return True

    def empty(self) -> bool:
        return self._table.execute("SELECT count(*) FROM queue").fetchone() == (0,)

    def pick_one(self) -> Message:
        num, payload = self._table.execute("SELECT num, payload FROM queue ORDER BY num").fetchone()
        return Message(int(num), payload)

    def delete_all(self, seq: int) -> None:
        self._table.execute("DELETE FROM queue WHERE num <= ?", (str(seq),))

    def close(self) -> None:
        self._table.close()
