"""`angarium check --mutate`: break the model on purpose, and show which guarantees notice.

A mutant that survives is no violation of anything, so the exit code is 0; it is 3 if the search of some
mutant was cut before anything was noticed, or not all mutants were checked.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from angarium.app.cli.failures import ExitCode
from angarium.app.cli.output import is_colourful, say, say_record, width
from angarium.app.cli.watching import telling
from angarium.app.report.mutation_table import render
from angarium.app.report.record import result_record
from angarium.checker.logic.mutate import MutationResult, MutationTable, check_mutants
from angarium.core.control import Limits
from angarium.core.errors import UsageError
from angarium.core.result import Extent
from angarium.mesh.as_model.subject import find, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from angarium.api.checker import CheckRequest
    from angarium.checker.frontend.mutants import Mutant


def run(request: CheckRequest, *, as_json: bool, quiet: bool) -> int:
    """Check all mutants and show the table."""
    _refuse_what_is_ignored(request)
    begin = time.perf_counter()
    table = _table(request, quiet)
    if as_json:
        say_record(result_record(_result(request, table, time.perf_counter() - begin)))
    else:
        say(render(table, width=width(), colourful=is_colourful()))
    unknown = table.cut is not None or any(row.verdict == "unknown" for row in table.rows)
    return ExitCode.UNKNOWN if unknown else ExitCode.HOLDS


def _result(request: CheckRequest, table: MutationTable, seconds: float) -> MutationResult:
    return MutationResult(
        subject=request.subject,
        parameters=dict(load(request.subject, request.parameters).parameters),
        engine=request.how.engine,
        extent=Extent(complete=table.cut is None, cut=table.cut, seconds=seconds),
        mutants=table,
    )


def _refuse_what_is_ignored(request: CheckRequest) -> None:
    ignored: dict[str, object] = {f"--{each.logic}": each for each in request.questions}
    ignored |= {"--only": request.only, "--symmetry": request.how.symmetry}
    ignored["--checkpoint"] = request.how.spark.checkpoint  # it keeps one search, and mutants are many
    for option, given in ignored.items():
        if given:
            raise UsageError(
                "ANG013",
                f"{option} cannot be given with --mutate",
                possible="every mutant is checked against every guarantee, in full",
                remedy=f"leave out {option}",
            )


def _table(request: CheckRequest, quiet: bool) -> MutationTable:
    from angarium.api import engine_named

    with _counting(quiet) as observe:
        return check_mutants(
            find(request.subject),
            request.parameters,
            engine=engine_named(request.how.engine, request.how.spark),
            limits=request.how.limits if request.how.limits != Limits() else None,
            threads=request.how.threads,
            observe=observe,
        )


@contextmanager
def _counting(quiet: bool) -> Iterator[Callable[[int, Mutant], None] | None]:
    """An observer that says which mutant is being checked."""
    with telling(quiet) as tell:
        yield tell and (lambda number, mutant: tell(f"mutant {number}: {mutant.name}"))
