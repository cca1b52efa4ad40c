"""A group of verbs that are imported when they are used.

`--help` must be quick, so the list of verbs is data, and a verb's module is imported only to run it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module

import click

from angarium.app.cli.options import ended_in_time
from angarium.core.errors import did_you_mean


class Verbs(click.Group):
    """Verbs by name, each with a summary; the module `PACKAGE.NAME` has the `command`.

    Every verb ends after --timeout, but for those that last until somebody ends them.
    """

    package: str
    verbs: Mapping[str, str]
    lasting: Collection[str] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.verbs:
            return None  # an option that is not known: click says so
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        if cmd_name not in self.lasting and not isinstance(command, click.Group):
            ended_in_time(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.verbs and not args[0].startswith("-"):
            ctx.fail(f"there is no verb {args[0]!r}; {did_you_mean(args[0], self.verbs)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs with their summaries, without importing any of them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(self.verbs.items()))
