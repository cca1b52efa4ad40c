"""`angarium init`: a first project file, from what is in a folder."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default=Path())
def command(folder: Path) -> int:
    """Write angarium.toml into FOLDER, from what is found there.

    Brokers' configuration files, mesh files, Kafka's settings, recorded histories, models and proofs each
    become a claim, with comments on what it checks and what to change. A project file that is there already
    is left alone. Read it, say which verdicts you expect, and run it.

    \b
    Examples:
      angarium init
      angarium init deploy/

    Exit codes: 0 it is written, 2 wrong usage or input.
    """
    from shlex import quote

    from angarium.app.cli.files import write
    from angarium.app.cli.output import say
    from angarium.app.pipeline.draft import draft
    from angarium.app.pipeline.found import found_in
    from angarium.app.pipeline.project import NAME, read_project
    from angarium.app.report.layout import amount
    from angarium.core.errors import UsageError

    path = folder / NAME
    if path.exists():
        what, remedy = f"there is a project file already: {path}", "edit it, or remove it first"
        raise UsageError("ANG014", what, remedy=remedy)
    write(path, draft(folder.resolve().name or "project", found_in(folder)))
    claims = read_project(path).claims
    say(f"Wrote {path} with {amount(len(claims), 'claim')}:")
    say("\n".join(f"  {each.name}" for each in claims))
    say("\nIts comments say what each checks, what may be expected and what to change.")
    say(f"Read it, then: angarium run {quote(str(folder))}")
    return 0
