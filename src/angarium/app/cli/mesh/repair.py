"""`angarium mesh repair`: the smallest change that makes a broken guarantee hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.mesh.options import failures_option, mesh_argument
from angarium.app.cli.options import json_option, quiet_option, timeout_option

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given
    from angarium.mesh.mesh import Mesh
    from angarium.mesh.repair import Repair


@click.command()
@mesh_argument
@failures_option
@click.option("--only", multiple=True, metavar="GUARANTEE", help="Mend only this; may be repeated.")
@click.option(
    "--patch", type=click.Path(path_type=Path), help="Write the first repair as a patch of the mesh file."
)
@timeout_option
@json_option
@quiet_option
def command(
    files: tuple[str, ...],
    given: Given,
    failures: str,
    only: tuple[str, ...],
    patch: Path | None,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find the smallest change that makes each broken guarantee hold.

    A change is an entry of a table, a link more or less, or a hop limit; of brokers' own files first a
    setting, with file and line. Every repair that is offered was verified: the guarantee holds with it,
    and nothing breaks that held before.

    \b
    Examples:
      angarium mesh repair mesh.yaml
      angarium mesh repair mesh.yaml --only reachability --failures links=1
      angarium mesh repair mesh.yaml --patch mend.patch && patch -p0 < mend.patch

    Exit codes: 0 nothing is broken or all can be mended, 1 no repair was found for something, 2 wrong
    usage or input, 3 the files leave something open that could make it otherwise, or the time was up.
    """
    from angarium.app.cli.failures import EXIT_CODE_OF, ExitCode
    from angarium.app.cli.mesh.answering import careful, say_answer
    from angarium.app.cli.output import say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.mesh_repair import render
    from angarium.app.report.record import result_record
    from angarium.core.control import Control, in_lines
    from angarium.mesh.answers import repair_result
    from angarium.mesh.files.find import load
    from angarium.mesh.repair import Search
    from angarium.mesh.verify.budget import read_budget
    from angarium.mesh.verify.violations import check_guarantees

    check_guarantees(only)
    budget, mesh = read_budget(failures), load(*files, given=given)
    with telling(quiet) as tell:
        outcome = Search(mesh, budget, only, Control(timeout, in_lines(tell))).outcome()
    result = repair_result(mesh, failures, outcome)
    if as_json:
        say_record(result_record(result))
    else:
        again = _again(files[0], failures, only) if patch is None and _can_be_patched(files, mesh) else ""
        say_answer(render(mesh, outcome, command=again, width=width()), mesh)
    if patch is not None:
        _write_patch(patch, files, mesh, outcome.repairs)
    return careful(EXIT_CODE_OF[result.worst] if result.verdicts else ExitCode.HOLDS, mesh)


def _can_be_patched(files: tuple[str, ...], mesh: Mesh) -> bool:
    """A mesh file can; brokers' own configuration is for their operators to change."""
    return not mesh.form and len(files) == 1 and Path(files[0]).suffix in (".yaml", ".yml")


def _again(file: str, failures: str, only: tuple[str, ...]) -> str:
    """The same command."""
    words = ["angarium mesh repair", file]
    words += ["--failures", failures] if failures != "one" else []
    return " ".join([*words, *(f"--only {name}" for name in only)])


def _write_patch(path: Path, files: tuple[str, ...], mesh: Mesh, repairs: Sequence[Repair]) -> None:
    from angarium.app.cli.files import write
    from angarium.app.cli.output import note
    from angarium.core.errors import UsageError
    from angarium.mesh.files.edit import patch

    if not _can_be_patched(files, mesh):
        raise UsageError(
            "ANG013",
            f"--patch cannot change {', '.join(files)}",
            possible="one mesh file (YAML)",
            remedy="write one first: angarium mesh convert",
        )
    if not repairs:
        note(f"there is no repair to write to {path}")
        return
    write(path, patch(files[0], repairs[0].changes))
    note(f"wrote {path}")
