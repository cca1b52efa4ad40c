"""Arguments and options that several verbs of meshes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from angarium.cli.options import spark_options

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
        " links=K,brokers=K for both, or risks (the shared risks that the mesh names), also as in one,risks.",
    )
    return option(function)


def engine_options(function: F) -> F:
    """On what, as `engine`, `master` and `memory`."""
    engines = click.Choice(["local", "spark"])
    option = click.option("--engine", type=engines, default="local", show_default=True)
    return option(spark_options(function))


def override_options(function: F) -> F:
    """Entries that an operator wants, as `override` and `overrides`."""
    word = click.option(
        "--override",
        multiple=True,
        metavar="AT->TO=NEXT",
        help="At AT, send what is for TO to NEXT, wherever a link there lives; AT->TO=NEXT@COLOUR: in one"
        " colour only. May be repeated.",
    )
    file = click.option(
        "--overrides", type=click.Path(), metavar="FILE", help="A YAML file with such overrides."
    )
    return word(file(function))


def dead_option(function: F) -> F:
    """Names of what is dead, as `dead`."""
    option = click.option(
        "--dead", multiple=True, metavar="NAME", help="A link or broker that is dead; may be repeated."
    )
    return option(function)
