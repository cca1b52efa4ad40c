"""`angarium record recover`: finish the files of recorders that died."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def command(folder: Path) -> int:
    """Finish the files of recorders that were killed and not started again.

    What a recorder was writing has a name that begins with a dot, so that nobody reads half a file. Recorders
    that are alive are left alone.

    Exit codes: 0 whatever was there is finished, 2 wrong usage or input.
    """
    from angarium.app.cli.output import say
    from angarium.history.recorders.journals import recover

    done = recover(folder)
    for path in done:
        say(f"finished {path}")
    if not done:
        say("nothing is left unfinished")
    return 0
