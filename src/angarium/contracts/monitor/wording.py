"""Values, calls and states as people read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

Value = TypeVar("Value")

_MANY = 5
"""A state with more members than these is not shown whole."""
_FEW = 3
"""No more answers than these are listed as allowed."""
_LONG = 40
"""Bytes or characters that are shown of a long payload."""


def shown(value: object) -> str:
    """A value as it would be written; a dataclass without the fields that have their defaults."""
    if isinstance(value, bytes | str) and len(value) > _LONG:
        unit = "bytes" if isinstance(value, bytes) else "characters"
        return f"{value[:_LONG]!r}... ({len(value):,} {unit})"
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    given = [each for each in fields(value) if not _is_default(getattr(value, each.name), each.default)]
    arguments = ", ".join(f"{each.name}={shown(getattr(value, each.name))}" for each in given)
    return f"{type(value).__name__}({arguments})"


def shown_state(state: Mapping[str, Any]) -> str:
    """Every symbol with its value."""
    return ", ".join(f"{name} = {_held(value)}" for name, value in state.items())


def alternatives(answers: Sequence[object]) -> str:
    """Answers of which any would do; of many, a few and how many others."""
    others = len(answers) - _FEW
    more = [f"{others:,} {'other' if others == 1 else 'others'}"] if others > 0 else []
    return " or ".join([*map(shown, answers[:_FEW]), *more])


def in_order(values: Collection[Value]) -> list[Value]:
    """Values by the numbers in them, so that 10 comes behind 9."""
    return sorted(values, key=_rank)


@lru_cache(maxsize=4096, typed=True)
def _rank(value: object) -> tuple[list[int], str]:
    """Where a value stands among others; of long payloads the beginning and the length must do."""
    return _numbers(value), shown(value)


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
