"""Soups of events: what no system would do, so that two readings of the rules meet where nobody thought.

Few names, few times with many ties, every phase, and columns missing at random. No two events are the same in
the order of a history: which of two such came first nobody could say.
"""

from __future__ import annotations

import random
from typing import Any

from tests.history.generated_world import BEGIN, MS, Row

MILLISECONDS = (0, 1, 1, 10, 20, 21, 50, 100, 101, 150, 500, 1000, 2000, 2100, 5000, 9000, 12_000, 20_000)
CONTROLS = (
    "subscribe", "subscribe", "subscribe", "declare", "declare", "declare", "basic.cancel", "kill", "close",
    "kill_broker", "recording.begin",
)  # fmt: skip


def soup(seed: int, run_id: str) -> list[Row]:
    """A history without rhyme or reason."""
    return Soup(random.Random(f"soup {seed}"), run_id).rows()


class Soup:
    """One soup, with its own taste: which columns there are, and how long it is."""

    def __init__(self, chance: random.Random, run_id: str) -> None:
        self.chance, self.run_id = chance, run_id
        self.system = chance.choice(("rabbitmq", "kafka", "kafka", "nats", "nsq", None))
        self.domains = chance.choice(((None,), (None,), (None, "x"), ("x", "y")))
        self.grouped = chance.random() < 0.5
        self.word = chance.choice(("receive", "process"))
        self.attached = chance.random() < 0.1
        self.messages = "abcde"[: chance.randint(1, 5)]
        self.destinations = chance.choice((("q",), ("q",), ("q", "r")))
        self.partitions = chance.choice(((None,), ("0",), ("0",), (None, "0", "1")))
        self.clients = chance.choice((("c1",), ("c1", "c2"), ("c1", "c2", "c3", None)))
        self.names = chance.choice((True, True, False))
        """Whether consumers have names of their own."""
        self.phases = chance.choice(
            (("ok",), ("invoke", "ok"), ("invoke",), ("invoke", "ok", "fail", "info"))
        )
        self.kinds = [
            *[self._send] * 4,
            *[self._delivery] * 7,
            *[self._settle] * 4,
            self._control,
            self._other,
        ]
        self.numbers: dict[str, int] = {}

    def rows(self) -> list[Row]:
        rows = [self._row() for _ in range(self.chance.randint(5, 45))]
        self.chance.shuffle(rows)
        for row in rows:
            recorder = row["recorder"]
            step = 2 if self.chance.random() < 0.01 else 1
            row["seq"] = self.numbers[recorder] = self.numbers.get(recorder, 0) + step
        return rows

    def some(self, *values: Any) -> Any:  # noqa: ANN401 - of whatever type a column is
        return self.chance.choice(values)

    def _row(self) -> Row:
        made = self.some(
            *[self._send] * 4, *[self._delivery] * 7, *[self._settle] * 4, self._control, self._other
        )()
        recorder = self.some("r1", "r2", "r3")
        time = BEGIN + (self.some(*MILLISECONDS) + self.some(0, 0, 300, 3000)) * MS
        row = {"run_id": self.run_id, "system": self.system, "recorder": recorder, "time_unix_nano": time}
        row |= {"clock_domain": self.some(*self.domains), "vantage": self.some(*[None] * 30, "broker")}
        return {name: value for name, value in (row | made).items() if value is not None}

    def _message(self) -> Row:
        place = {"destination": self.some("q", "q", "q", "r"), "partition_id": self.some(None, "0", "0")}
        return place | {
            "message_id": self.some("a", "b", "c", "d", "e"),
            "offset": self.some(None, 0, 1, 2, 3),
        }

    def _client(self) -> Row:
        client = self.some(*self.clients)
        return {"client_id": client, "consumer_id": client and f"{client}.k" if self.names else None}

    def _reader(self) -> Row:
        if self.grouped:
            return {"consumer_group": self.some("g", "g", "h"), "generation": self.some(None, 1, 1, 2)}
        return {"subscription": self.some(None, None, "s")}

    def _send(self) -> Row:
        made = self._message() | {
            "op_type": "send",
            "op_name": "publish",
            "client_id": self.some("p", "p", "c1"),
        }
        made |= {"phase": self.some(*self.phases, "invoke", "ok")}
        made |= {"attempt": self.some(*[None] * 5, 1, 2), "deduplicated": self.some(None, False, True)}
        return made | {
            "producer_seq": self.some(None, 1, 2, 3),
            "isr": self.some(None, None, ["n1"], ["n1", "n2"]),
        }

    def _delivery(self) -> Row:
        made = self._message() | self._client() | self._reader()
        made |= {"op_type": self.some(*[self.word] * 9, "receive", "process"), "op_name": "deliver"}
        made |= {"phase": self.some("ok", "ok", "ok", "ok", "ok", "invoke", "info")}
        made |= {
            "redelivered": self.some(None, False, True),
            "delivery_count": self.some(None, None, 1, 2, 3),
        }
        return made | {
            "delivery_tag": self.some(None, 1, 2, 3),
            "producer_seq": self.some(None, None, 1, 2, 3),
        }

    def _settle(self) -> Row:
        made = self._message() | self._client() | {"op_type": "settle", "op_name": "settle"}
        made |= {
            "settle": self.some("ack", "ack", "ack", "requeue", "reject", "dead_letter", "extend", "none")
        }
        made |= {"phase": self.some("invoke", "invoke", "ok", "ok", "fail", "info")}
        made |= {
            "settle_multiple": self.some(None, None, False, True),
            "delivery_tag": self.some(None, 0, 1, 2, 3),
        }
        return made | {"delay_ms": self.some(None, None, 50, 3000)}

    def _control(self) -> Row:
        name = self.some(*CONTROLS)
        if name == "recording.begin" and not self.attached:
            name = "declare"
        made = {"op_type": "control", "op_name": name, "phase": self.some("invoke", "ok", "ok", "fail")}
        if name in ("subscribe", "declare"):
            made |= {"destination": self.some("q", "q", "r", None), "subscription": self.some(None, "s")}
            made |= {"credit": self.some(None, 0, 1, 2), "single_active": self.some(None, None, False, True)}
            made |= {"ack_wait_ms": self.some(None, 100, 2000), "max_deliveries": self.some(None, None, 1, 2)}
        if name == "subscribe":
            made |= {"prefetch": self.some(None, 0, 1, 2), "consumer_group": self.some(None, "g")}
        return made | (self._client() if name != "declare" else {})

    def _other(self) -> Row:
        return self.some(self._flow, self._group, self._group, self._replica, self._replica)()  # type: ignore[no-any-return]

    def _flow(self) -> Row:
        phase = self.some("invoke", "ok", "fail")
        return self._client() | {
            "op_type": "flow",
            "op_name": "RDY",
            "phase": phase,
            "credit": self.some(0, 1, 2),
        }

    def _group(self) -> Row:
        made = self._client() | {"op_type": "group", "op_name": self.some("assign", "assign", "revoke")}
        made |= {"phase": self.some("ok", "ok", "invoke", "fail"), "consumer_group": self.some("g", "g", "h")}
        share = self.some(None, [], ["0"], ["q/0"], ["0", "1", "2"], ["r/0", "1"])
        return made | {"generation": self.some(None, 1, 2, 3), "partitions": share}

    def _replica(self) -> Row:
        made = self._message() | {
            "op_type": "replica",
            "op_name": self.some("append", "append", "store", "isr"),
        }
        made |= {"phase": self.some("ok", "ok", "ok", "fail"), "message_id": self.some(None, "a", "b")}
        return made | {"broker_id": self.some("n1", "n2"), "isr": self.some(None, None, ["n1"], ["n1", "n2"])}
