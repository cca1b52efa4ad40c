"""Values, calls and states as people read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from itertools import islice
from typing import Any, TypeVar

Value = TypeVar("Value")

_MANY = 5
"""A state with more members than these is not shown whole."""


def shown(value: object) -> str:
    """A value as it would be written; a dataclass without the fields that have their defaults."""
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    given = [each for each in fields(value) if not _is_default(getattr(value, each.name), each.default)]
    arguments = ", ".join(f"{each.name}={shown(getattr(value, each.name))}" for each in given)
    return f"{type(value).__name__}({arguments})"


def shown_state(state: Mapping[str, Any]) -> str:
    """Every symbol with its value."""
    return ", ".join(f"{name} = {_held(value)}" for name, value in state.items())


def in_order(values: Collection[Value]) -> list[Value]:
    """Values by the numbers in them, so that 10 comes behind 9."""
    return sorted(values, key=lambda value: (_numbers(value), repr(value)))


def _is_default(value: object, default: object) -> bool:
    return default is not MISSING and type(value) is type(default) and value == default


def _held(value: object) -> str:
    """What a relation or a function holds, in part if it is much."""
    if isinstance(value, Mapping):
        texts: Iterable[str] = (f"{shown(key)}: {shown(each)}" for key, each in value.items())
    elif isinstance(value, set):
        texts = (shown(each) for each in in_order(value))
    else:
        return shown(value)
    more = [f"and {len(value) - _MANY:,} more"] if len(value) > _MANY else []
    return f"{{{', '.join([*islice(texts, _MANY), *more])}}}"


def _numbers(value: object) -> list[int]:
    if isinstance(value, int):
        return [value]
    known = [getattr(value, each.name) for each in fields(value)] if is_dataclass(value) else []
    return [each for each in known if isinstance(each, int)]
