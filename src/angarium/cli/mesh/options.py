"""Arguments and options that several verbs of meshes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def files_argument(function: F) -> F:
    """The files of one mesh, as `files`."""
    return click.argument("files", nargs=-1, required=True, metavar="MESH...")(function)


def failures_option(function: F) -> F:
    """What may fail, as `failures`."""
    option = click.option(
        "--failures",
        metavar="BUDGET",
        default="one",
        show_default=True,
        help="What may be dead at the same time: one (any single link or broker), none, links=K, brokers=K,"
        " or links=K,brokers=K for both.",
    )
    return option(function)


def dead_option(function: F) -> F:
    """Names of what is dead, as `dead`."""
    option = click.option(
        "--dead", multiple=True, metavar="NAME", help="A link or broker that is dead; may be repeated."
    )
    return option(function)
