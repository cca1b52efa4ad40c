"""Addresses of stories: `subject@hash:name=value,name=value:0.3.1`, or `...:0.3.1~4.2` of a run without end.

The subject may contain colons and at-signs of its own (`path/to/model.py:Class`), and a value may
contain commas, so an address is read from its rigid parts: twelve hexadecimal digits behind an `@`,
and numbers at the end. What stands behind `~` is repeated for ever; if nothing stands there, the run
stands still in its last state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from angarium.core.errors import AddressError, shortened
from angarium.core.result import Parameters, assigned

_NUMBERS = r"[0-9]{1,18}(?:\.[0-9]{1,18})*"
_ADDRESS = re.compile(rf"(.+)@([0-9a-f]{{12}}):(.*):({_NUMBERS})(?:(~)({_NUMBERS})?)?", re.ASCII)
_NEXT_PARAMETER = re.compile(r",(?=\w+=)")


def model_address(
    subject: str,
    model_hash: str,
    parameters: Parameters,
    path: Sequence[int],
    cycle: int | None = None,
) -> str:
    """The address of a run: its initial state and its choices; `~` stands before what is repeated."""
    settings = ",".join(assigned(parameters))
    first = len(path) if cycle is None else cycle + 1
    before, again = (".".join(map(str, part)) for part in (path[:first], path[first:]))
    return f"{subject}@{model_hash}:{settings}:{before}{'' if cycle is None else '~' + again}"


@dataclass(frozen=True, slots=True)
class Address:
    """Where to find a story: the model, its parameters, and the choices from an initial state."""

    subject: str
    model_hash: str
    parameters: Mapping[str, str]
    path: tuple[int, ...]
    """The number of the initial state, and the number of each step among those that were possible."""
    cycle: int | None = None
    """How many steps come before those that are repeated for ever, as in `Story.cycle`."""


def parse_address(text: str) -> Address:
    """The parts of an address."""
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise _unreadable(text)
    subject, model_hash, parameters, before, tilde, again = match.groups()
    words = _NEXT_PARAMETER.split(parameters) if parameters else []
    if not all("=" in word for word in words):
        raise _unreadable(text)
    pairs = dict(word.split("=", 1) for word in words)
    first, repeated = _numbers(before), _numbers(again)
    return Address(subject, model_hash, pairs, first + repeated, len(first) - 1 if tilde else None)


def parameters_in(text: str) -> Mapping[str, str]:
    """The parameters in the address of a model's story; the stories of other products have none."""
    return parse_address(text).parameters if _ADDRESS.fullmatch(text.strip()) else {}


def _numbers(text: str | None) -> tuple[int, ...]:
    return tuple(map(int, text.split("."))) if text else ()


def _unreadable(text: str) -> AddressError:
    return AddressError(
        "ANG030",
        f"this is not a story's address: {shortened(text)!r}",
        possible="an address looks like nsq@0123456789ab:producers=2:0.3.1",
        remedy="copy it from a story that angarium check shows",
    )
