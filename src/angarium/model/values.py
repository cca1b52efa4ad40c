"""Structured values as people read them: what a `verdict.State` is made of.

    bool, integer       itself
    enumeration, index  its name or label, a string
    option              None, or the value
    record              `Fields`, a dict by field
    array               a dict by label
    sequence            a list
    set                 a tuple, in the order of its type

So each kind can be told from the others, and `json.dumps` takes all of them.
"""

from __future__ import annotations

from typing import Any

Value = Any
"""One of these."""


class Fields(dict[str, Value]):
    """A record's fields."""


def show(value: Value) -> str:
    """A value on one line."""
    match value:
        case Fields():
            return f"({', '.join(f'{name}={show(item)}' for name, item in value.items())})"
        case dict():
            return f"{{{', '.join(f'{key}: {show(item)}' for key, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(show, value))}]"
        case tuple():
            return f"{{{', '.join(map(show, value))}}}"
        case _:
            return str(value)
