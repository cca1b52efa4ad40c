"""`angarium mesh export`: a mesh in another checker's language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import dead_option, mesh_argument, override_options

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given
    from angarium.mesh.mesh import Mesh


@click.command()
@mesh_argument
@click.option("--to", type=click.Choice(["smv"]), required=True, help="The language to write.")
@dead_option
@click.option(
    "--recovery",
    metavar="BUDGET",
    help="Write the recovery tables for these failures, as of `angarium mesh recover --failures`.",
)
@override_options
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; standard output by default.")
def command(
    files: tuple[str, ...],
    given: Given,
    to: str,
    dead: tuple[str, ...],
    recovery: str | None,
    override: tuple[str, ...],
    overrides: str | None,
    out: Path | None,
) -> None:
    """Write a mesh with routing tables in the language of another checker.

    smv is for NuSMV and nuXmv: a message's place as the state, the tables as its steps, and for every
    publisher and subscriber that belong together the claim that the message arrives, in CTL. With
    --recovery the colour is a variable, and the claims are for every pair of brokers in every colour.

    \b
    Examples:
      angarium mesh export mesh.yaml --to smv --out mesh.smv
      angarium mesh export mesh.yaml --to smv --dead b2-b4
      angarium mesh export mesh.yaml --to smv --recovery links=1

    Exit codes: 0 it was written, 2 wrong usage or input.
    """
    from angarium.app.cli.files import hand_over
    from angarium.mesh.files.find import load
    from angarium.mesh.remarks import refuse_open
    from angarium.mesh.smv import exported
    from angarium.mesh.verify.budget import failed

    mesh = load(*files, given=given)
    refuse_open(mesh, "another checker")
    if recovery is None:
        _refuse_overrides(override, overrides)
        text = exported(mesh, failed(mesh, dead))
    else:
        text = _recovery(mesh, recovery, dead, override, overrides)
    hand_over(text, out)


def _recovery(
    mesh: Mesh, failures: str, dead: tuple[str, ...], words: tuple[str, ...], file: str | None
) -> str:
    """The module of recovery tables, whether they are right or not: that is for the other checker to say."""
    from angarium.core.errors import UsageError
    from angarium.mesh.recovery.recovered import Request, tables_with_overrides
    from angarium.mesh.smv import recovery_smv
    from angarium.mesh.verify.budget import read_budget

    if dead:
        raise UsageError(
            "ANG013",
            "--dead cannot stand beside --recovery",
            possible="--recovery BUDGET has every failure as a colour",
            remedy="leave --dead out",
        )
    tables, _ = tables_with_overrides(Request(mesh, read_budget(failures, option="--recovery"), words, file))
    return recovery_smv(tables)


def _refuse_overrides(words: tuple[str, ...], file: str | None) -> None:
    from angarium.core.errors import UsageError

    if words or file:
        raise UsageError(
            "ANG013",
            "an override changes recovery tables, and none are asked for",
            possible="--recovery BUDGET",
            remedy="say for which failures: --recovery one",
        )
