"""The parameters of an audit as options of the command line, with their defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from angarium.core.units import in_words
from angarium.history.parameters import MILLISECOND
from angarium.history.said import DEFAULTS, TIMES, flag

F = TypeVar("F", bound=Callable[..., Any])


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
        function = click.option(flag(name), name, metavar="TIME", help=words)(function)
    return function


def _default(name: str) -> str:
    default = DEFAULTS[name]
    words = in_words(default / MILLISECOND) if isinstance(default, int) else "as the events say"
    return f"[default: {words}]"
