"""What stands in a queue of unacknowledged messages: a number, and what is to be carried."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """A message with the number under which it is acknowledged."""

    num: int
    payload: bytes | str = b""
