"""The published implementation: an ordered map from numbers to messages.

Of the map only its contract is known; `erase` takes half-open ranges, as iterators do. The two conjectures
are those of the published proof: every number maps to a message with this number, and the contents of the
queue are the messages that their own numbers map to.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from angarium.contracts import (
    Answer,
    Implementation,
    Order,
    Sort,
    Specification,
    conjecture,
    contract,
    ensure,
    first,
    implies,
)
from angarium.systems.queue.specification import Message, Number, Queue

Key = TypeVar("Key", bound=Order)
Value = TypeVar("Value", bound=Sort)


class OrderedMap(Specification, Generic[Key, Value]):
    """A map whose keys are ordered."""

    pairs: set[tuple[Key, Value]]

    def __init__(self) -> None:
        self.pairs.clear()

    @contract
    def put(self, key: Key, value: Value) -> Answer[None]:
        """Map a key to a value, whatever it was mapped to."""
        self.pairs = {(k, v) for k, v in self.pairs if k != key}
        self.pairs.add((key, value))
        yield

    @contract
    def get(self, key: Key) -> Answer[Value]:
        """The value of a key; of a key that has none, anything."""
        res = yield
        ensure(all((key, res) in self.pairs for k, v in self.pairs if k == key))

    @contract
    def first_from(self, low: Key) -> Answer[tuple[bool, Key]]:
        """The least key from `low` on, and whether there is one; if there is none, the key is anything."""
        found, key = yield
        ensure(all(found and key <= k for k, v in self.pairs if low <= k))
        ensure(not found or (low <= key and any(k == key for k, v in self.pairs)))

    @contract
    def erase(self, low: Key, high: Key) -> Answer[None]:
        """Forget the keys from `low` on that are less than `high`."""
        self.pairs = {(k, v) for k, v in self.pairs if not low <= k < high}
        yield

    @conjecture
    def one_value_a_key(self, k: Key, v: Value, w: Value) -> bool:
        """A key has at most one value."""
        return implies((k, v) in self.pairs and (k, w) in self.pairs, v == w)


class OrderedMapQueue(Implementation):
    """Keeps every message under its number; never refuses; picks the message with the least number."""

    spec: Queue
    map: OrderedMap[Number, Message]

    def enqueue(self, msg: Message) -> bool:
        self.map.put(msg.num, msg)
        return True

    def empty(self) -> bool:
        found, _ = self.map.first_from(first(Number))
        return not found

    def pick_one(self) -> Message:
        _, least = self.map.first_from(first(Number))
        return self.map.get(least)

    def delete_all(self, seq: Number) -> None:
        self.map.erase(first(Number), seq.next)

    @conjecture
    def keyed_by_number(self, x: Number, y: Message) -> bool:
        """Every number maps to a message with this number."""
        return implies((x, y) in self.map.pairs, x == y.num)

    @conjecture
    def represents(self, y: Message) -> bool:
        """The queue holds exactly the messages that their numbers map to."""
        return (y in self.spec.contents) == ((y.num, y) in self.map.pairs)
