"""Arguments and options that several verbs of meshes share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from angarium.app.cli.options import options_of, spark_options
from angarium.core.options import ABOUT_FILES, RECOVER, VERIFY

FORMS = (
    "mesh", "gml", "tables", "rabbitmq", "mosquitto", "nats", "mirrormaker", "mm2", "strimzi", "dispatch",
    "skupper", "artemis", "activemq", "vernemq", "emqx", "hivemq",
)  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


def files_argument(function: F) -> F:
    """The files of one mesh, as `files`."""
    return click.argument("files", nargs=-1, required=True, metavar="MESH...")(function)


def mesh_argument(function: F) -> F:
    """The files of one mesh, as `files`, and what is said beside them, as `given`."""
    return click.argument("files", nargs=-1, metavar="MESH...")(given_options(function))


def given_options(function: F) -> F:
    """What is said beside the names of files, as one `given`: see `angarium.mesh.files.given`.

    A verb that has an option of the same name for something else keeps it.
    """
    own = {word for option in getattr(function, "__click_params__", ()) for word in option.opts}

    @wraps(function)
    def with_given(
        *args: object,
        assume: tuple[str, ...],
        strict: bool,
        broker_files: tuple[str, ...],
        host: tuple[str, ...],
        form_of_files: str | None = None,
        env_file: tuple[str, ...] = (),
        **others: object,
    ) -> object:
        from angarium.mesh.files.given import Given, brokers_by_host, files_by_name

        brokers, hosts = files_by_name(broker_files), brokers_by_host(host)
        given = Given(assume, strict, form_of_files, brokers, hosts, env_file)
        return function(*args, given=given, **others)

    for word, option in reversed(_GIVEN.items()):
        if word not in own:
            option(with_given)
    return with_given  # type: ignore[return-value]


_GIVEN: dict[str, Callable[[Any], Any]] = {
    "--assume": options_of(ABOUT_FILES, "assume"),
    "--strict": options_of(ABOUT_FILES, "strict"),
    "--format": click.option(
        "--format",
        "form_of_files",
        type=click.Choice(FORMS),
        metavar="FORM",
        help=f"What the files are, if they do not tell: {', '.join(FORMS)}.",
    ),
    "--broker": click.option(
        "--broker",
        "broker_files",
        multiple=True,
        metavar="NAME=FILE,...",
        help="The files of one broker, and what it is called. May be repeated.",
    ),
    "--host": options_of(ABOUT_FILES, "host"),
    "--env-file": click.option(
        "--env-file",
        multiple=True,
        metavar="FILE",
        help="Values of variables that the files have, in lines NAME=value. May be repeated.",
    ),
}


failures_option = options_of(VERIFY, "failures")
"""What may fail, as `failures`."""
override_options = options_of(RECOVER, "override", "overrides")
"""Entries that an operator wants, as `override` and `overrides`."""


def engine_options(function: F) -> F:
    """On what, as `engine`, `master` and `memory`."""
    return options_of(VERIFY, "engine")(spark_options(function))


def dead_option(function: F) -> F:
    """Names of what is dead, as `dead`."""
    option = click.option(
        "--dead", multiple=True, metavar="NAME", help="A link or broker that is dead; may be repeated."
    )
    return option(function)
