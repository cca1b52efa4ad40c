"""`angarium check --estimate`: what a check will take, without making it.

Nothing is judged, so the exit code is 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from angarium.api import ENGINES, engine_named
from angarium.app.cli.failures import ExitCode
from angarium.app.cli.output import is_colourful, say, say_record, width
from angarium.app.cli.telling import background
from angarium.app.cli.watching import watching
from angarium.app.report.estimate_text import render
from angarium.app.report.record import result_record
from angarium.checker.explore.native_watch import Watch
from angarium.checker.frontend.build import build
from angarium.checker.logic.estimation import EstimateRequest, EstimateResult, estimate_check
from angarium.core.errors import UsageError
from angarium.core.result import assigned
from angarium.mesh.as_model.subject import find

if TYPE_CHECKING:
    from angarium.api.checker import CheckRequest
    from angarium.core.result import Parameters


def run(request: CheckRequest, *, mutate: bool, as_json: bool, quiet: bool) -> int:
    """Estimate, and show what comes of it."""
    if mutate:
        raise UsageError(
            "ANG013",
            "--estimate cannot be given with --mutate",
            possible="one check is estimated, and mutants are many",
            remedy="leave out one of them",
        )
    decl = find(request.subject)
    asked = EstimateRequest(
        decl,
        request.parameters,
        request.subject,
        engine_named(_ESTIMATED_ON.get(request.how.engine, "local")),
        request.how.limits,
        engine_named("local") if request.how.engine == "gpu" else None,
        request.how.threads,
        request.how.symmetry,
        request.only,
        request.questions,
    )
    found = _watched(asked, quiet)
    found = replace(found, estimate=replace(found.estimate, room=_room(request)))
    if as_json:
        say_record(result_record(found))
    else:
        about = background(decl, build(decl, request.parameters, request.questions))
        say(render(found, about, ENGINES, width=width(), colourful=is_colourful()))
    return ExitCode.HOLDS


_ESTIMATED_ON = {"reference": "reference", "gpu": "gpu"}
"""How many states there are does not depend on the engine, and the local one is quick to find them; but how
fast these are must be tried."""


def _room(request: CheckRequest) -> int:
    """Bytes that the search may take: of the card's memory, if it is to be made there."""
    if request.how.engine != "gpu":
        return Watch(request.how.limits, None).most_bytes
    from angarium.checker.explore.gpu.engine import room_here

    return room_here(request.how.limits.max_bytes)


def _watched(asked: EstimateRequest, quiet: bool) -> EstimateResult:
    """With progress on standard error, unless quiet."""
    with watching(quiet) as ticker:

        def trying(settings: Parameters) -> None:
            if ticker is not None:
                ticker.offer("smaller: " + ", ".join(assigned(settings)))

        return estimate_check(asked, observe=ticker, trying=trying)
