"""The parameters of an audit as options of the command line, with their defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

from angarium.cli.mesh.times import in_words, read_time
from angarium.history.parameters import MILLISECOND, Parameters

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST = 7 * 24 * 3_600_000.0
"""Milliseconds: no option takes more than a week."""
TIMES = {
    "message_timeout": "The broker takes an unsettled message back after this time.",
    "grace": "What a client's word may need to reach the broker.",
    "clock_skew": "How much clocks of different domains may differ.",
    "in_flight_tail": "What was confirmed so shortly before the end is unseen, not lost.",
    "ack_doubt": "An unconfirmed ack is in doubt if its client ends within this time.",
    "redelivery_within": "How long a redelivery may take.",
    "balance_within": "How long an assignment may be uneven.",
}
"""The times among the parameters, and what each is for."""
_DEFAULTS = {field.name: field.default for field in fields(Parameters)}


def parameter_options(function: F) -> F:
    """All parameters of an audit, under their own names."""
    single = click.option(
        "--single-active", multiple=True, metavar="PATTERN", help="Queues with a single active consumer."
    )
    retries = click.option(
        "--retry-limit",
        type=click.IntRange(1),
        metavar="N",
        help="How often a message may be delivered. [default: as the events say]",
    )
    function = retries(single(function))
    for name, purpose in reversed(TIMES.items()):
        words = f"{purpose} {_default(name)}"
        function = click.option(_flag(name), name, metavar="TIME", help=words)(function)
    return function


def parameters_of(given: dict[str, Any]) -> Parameters:
    """The parameters, from the words of the command; what was not given has its default."""
    said = {name: value for name, value in given.items() if name in _DEFAULTS and value is not None}
    values: dict[str, Any] = {
        name: nanoseconds(_flag(name), value) if name in TIMES else value for name, value in said.items()
    }
    return Parameters(**values)


def in_record(parameters: Parameters) -> dict[str, Any]:
    """The parameters as a record has them: times in milliseconds."""
    values = {name: getattr(parameters, name) for name in _DEFAULTS}
    return {
        name: value / MILLISECOND if name in TIMES and value is not None else value
        for name, value in values.items()
    }


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _default(name: str) -> str:
    default = _DEFAULTS[name]
    words = in_words(default / MILLISECOND) if isinstance(default, int) else "as the events say"
    return f"[default: {words}]"


def nanoseconds(flag: str, text: str) -> int:
    """A time of the command line."""
    return round(read_time(flag, text, 0, _LONGEST) * MILLISECOND)
