"""What all wrappers have in common: they hand on what they do not know, and name what has no name."""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import uuid4

ID_HEADER = "message_id"
"""The header of a message's name, where a library has no place of its own for it."""


class Wrapper:
    """Something that does what the wrapped object does."""

    def __init__(self, wrapped: Any) -> None:  # noqa: ANN401 (any library's object)
        self.wrapped = wrapped

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.wrapped, name)


class Names:
    """Names for messages that have none; no two are the same, wherever they are made."""

    def __init__(self) -> None:
        self._begin, self._numbers = uuid4().hex[:12], count(1)

    def __call__(self) -> str:
        return f"{self._begin}-{next(self._numbers)}"
