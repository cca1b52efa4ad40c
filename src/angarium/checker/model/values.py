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

from collections import Counter
from collections.abc import Iterator
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


def brief(value: Value) -> str:
    """A value in as few words as tell it: a record `PUB m1 attempt=2`, in a list `[(PUB m1), (FIN m2)]`."""
    match value:
        case Fields():
            return " ".join(_words(value)) or "()"
        case dict():
            return f"{{{', '.join(f'{key}: {_item(item)}' for key, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(_item, value))}]"
        case tuple():
            return f"{{{', '.join(map(_item, value))}}}"
        case _:
            return str(value)


def _words(fields: Fields) -> Iterator[str]:
    """What is absent is left out; a name or label speaks for itself, unless another is of its kind."""
    kinds = Counter(_kind(item) for item in fields.values() if isinstance(item, str))
    for name, item in fields.items():
        match item:
            case None:
                pass
            case bool():
                yield name if item else f"not {name}"
            case str() if kinds[_kind(item)] == 1:
                yield item
            case _:
                yield f"{name}={_item(item)}"


def _kind(label: str) -> str:
    """Labels of one kind differ in their number only."""
    return label.rstrip("0123456789")


def _item(value: Value) -> str:
    text = brief(value)
    return f"({text})" if isinstance(value, Fields) and " " in text else text
