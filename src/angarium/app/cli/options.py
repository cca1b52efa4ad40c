"""Arguments and options that several verbs share, and how their values are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from angarium.core.control import LONGEST, time_limit
from angarium.core.errors import UsageError
from angarium.core.options import SET, Option, Options, Takes, keyword_of
from angarium.core.units import size_of

F = TypeVar("F", bound=Callable[..., Any])

_MOST_BYTES = 1 << 62
MOST = 10**9
"""How many of something can be asked for, where nothing else limits it."""
_GRACE = 1.0
"""Seconds behind a time limit after which work is ended that has not ended by itself."""


class Number(click.FloatRange):
    """A number in a range: neither infinity, which some ranges have, nor what is no number at all."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        number = float(click.FLOAT.convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return float(super().convert(number, param, ctx))


def read_size(text: str) -> int:
    """Bytes, from text such as 500M, 2G or 1.5GiB; units are powers of 1024."""
    size = size_of(text) or 0
    if not 1 <= size <= _MOST_BYTES:
        raise UsageError(
            "ANG013",
            f"{text[:40]!r} is not an amount of memory",
            possible=f"a number of bytes, or with K, M, G or T behind it, up to {_MOST_BYTES >> 40}T",
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


def options_of(options: Options, *names: str) -> Callable[[F], F]:
    """Options of a product, as the keywords of its function; all of them, unless they are named."""

    def add(function: F) -> F:
        for name in reversed(names or tuple(options)):
            about = options[name]
            more = {"metavar": about.metavar, "help": about.help or None, **_reading(about)}
            option = click.option(f"--{name}", keyword_of(options, name), **more)
            function = option(function)
        return function

    return add


def _reading(option: Option) -> dict[str, Any]:
    """How click reads the values of an option."""
    usual = {"default": option.default, "show_default": option.shows_default} if option.default else {}
    match option.takes:
        case Takes.SWITCH:
            return {"is_flag": True}
        case Takes.SETTINGS:
            return {"multiple": True, "callback": lambda _ctx, _parameter, words: read_settings(words)}
        case Takes.SIZE:
            return {"callback": lambda _ctx, _parameter, text: read_size(text) if text else None}
        case Takes.COUNT | Takes.NUMBER:
            least = 1 if option.takes is Takes.COUNT else 0
            return {"type": click.IntRange(least, option.most), **usual}
        case Takes.TEXTS | Takes.FILES:
            return {"multiple": True}
        case Takes.FILE:
            return {"type": click.Path()}
        case _:
            return {"type": click.Choice(option.one_of), **usual} if option.one_of else usual


set_option = options_of({"set": SET})
"""Parameters of the model, as `parameters`."""


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


def timeout_option(function: F, *, what: str = "Stop after so many seconds.", times: int = 1) -> F:
    """How long, as `timeout`; what has not ended by itself is ended, if it is not asked for several times."""

    @wraps(function)
    def limited(*args: Any, timeout: float | None, **more: Any) -> Any:  # noqa: ANN401 (the verb's)
        with time_limit(timeout, grace=_GRACE + (times - 1) * (timeout or 0)):
            return function(*args, timeout=timeout, **more)

    return cast(F, _timeout(what)(limited))


def ended_in_time(command: click.Command) -> None:
    """Give a verb --timeout that does not look at the clock itself: it is ended from outside."""
    if command.callback is None or any(each.name == "timeout" for each in command.params):
        return
    work = command.callback

    def limited(*args: Any, timeout: float | None, **more: Any) -> Any:  # noqa: ANN401 (the verb's)
        with time_limit(timeout):
            return work(*args, **more)

    command.callback = limited
    _timeout("Stop after so many seconds.")(command)


def _timeout(what: str) -> Callable[[Any], Any]:
    return click.option("--timeout", type=Number(0, LONGEST, min_open=True), metavar="SECONDS", help=what)


def quiet_option(function: F) -> F:
    """Whether to show no progress, as `quiet`."""
    return click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")(function)


def json_option(function: F) -> F:
    """The record instead of text, as `as_json`."""
    option = click.option(
        "--json", "as_json", is_flag=True, help="Write the record as JSON on standard output."
    )
    return option(function)
