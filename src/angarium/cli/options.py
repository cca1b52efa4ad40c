"""Arguments and options that several verbs share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from angarium.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def read_size(text: str) -> int:
    """Bytes, from text such as 500M, 2G or 1.5GiB; units are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    size = float(match[1]) * _UNITS[match[2].upper()] if match else 0
    if size < 1:
        raise UsageError(
            "ANG013",
            f"{text!r} is not an amount of memory",
            possible="a number of bytes, or with K, M, G or T behind it",
            remedy="for example --max-memory 2G",
        )
    return int(size)


def read_settings(words: Iterable[str]) -> dict[str, str]:
    """Parameters by name, from words such as queues=3."""
    settings: dict[str, str] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise _impossible(f"--set {word!r} does not say which parameter gets which value")
        if name in settings:
            raise _impossible(f"--set gives {name} twice: {settings[name]} and {value}")
        settings[name] = value
    return settings


def _impossible(what: str) -> UsageError:
    return UsageError(
        "ANG013", what, possible="name=value, each name once", remedy="for example --set queues=3"
    )


def subject_argument(function: F) -> F:
    """What to look at."""
    return click.argument("subject")(function)


def set_option(function: F) -> F:
    """Parameters of the model, as `settings`."""
    option = click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        callback=lambda _ctx, _parameter, words: read_settings(words),
        help="Give a parameter of the model a value; may be repeated. `angarium systems SUBJECT` lists them.",
    )
    return option(function)


def spark_options(function: F) -> F:
    """Where Spark is, as `master` and `memory`."""
    master = click.option(
        "--master",
        metavar="URL",
        default="local[*]",
        show_default=True,
        help="Spark's master: local[N], spark://HOST:PORT.",
    )
    memory = click.option("--memory", metavar="SIZE", help="Memory of each of Spark's Javas: 2g.")
    return master(memory(function))


def threads_option(function: F) -> F:
    """On how many threads, as `threads`."""
    threads = click.IntRange(1, 256)
    return click.option("--threads", type=threads, help="How many; all cores by default.")(function)


def timeout_option(function: F) -> F:
    """How long, as `timeout`."""
    option = click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="Stop after so many seconds.",
    )
    return option(function)


def quiet_option(function: F) -> F:
    """Whether to show no progress, as `quiet`."""
    return click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")(function)


def json_option(function: F) -> F:
    """The record instead of text, as `as_json`."""
    option = click.option(
        "--json", "as_json", is_flag=True, help="Write the record as JSON on standard output."
    )
    return option(function)
