"""`angarium check kafka --config …`: what an operator's own settings guarantee, and under which faults."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.errors import UsageError, did_you_mean
from angarium.core.result import setting_text

if TYPE_CHECKING:
    from angarium.api.checker import CheckRequest
    from angarium.settings.kafka.guarantees import Fault
    from angarium.settings.kafka.results import Answer

SUBJECT = "kafka"
"""The system whose settings can be checked."""
HINT = (
    "This is the published model of how messages travel. What your own settings guarantee when something goes"
    " wrong:\n  angarium check kafka --config server.properties --config producer.properties"
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a check of settings is asked beside what every check is."""

    files: tuple[str, ...]
    faults: tuple[str, ...]


def concerns(request: CheckRequest, asked: Settings) -> bool:
    """Whether the settings are to be checked, and not a model."""
    if request.subject != SUBJECT:
        _refuse(request, asked)
        return False
    if asked.files or asked.faults:
        return True
    from angarium.systems.registry import find

    parameters = {each.name for each in find(SUBJECT).parameters}
    return any(name not in parameters for name in request.parameters)


def _refuse(request: CheckRequest, asked: Settings) -> None:
    given = "--config" if asked.files else "--faults" if asked.faults else ""
    if given:
        raise UsageError(
            "ANG013",
            f"{given} is for settings of a broker; there are none for {request.subject}",
            possible=f"possible with {given}: {SUBJECT}",
            remedy="give the parameters of a model with --set",
        )


def refuse_what_models_take(request: CheckRequest, *, mutate: bool, estimate: bool) -> None:
    """Settings are no model: what is asked of a model cannot be asked of them."""
    asked = {
        "--mutate": mutate,
        "--estimate": estimate,
        "--symmetry": request.how.symmetry,
        "--checkpoint": request.how.spark.checkpoint is not None,
        "--ltl and --ctl": bool(request.questions),
    }
    for name in (name for name, given in asked.items() if given):
        raise UsageError(
            "ANG013",
            f"{name} cannot be asked of settings",
            possible="possible of the models behind them: kafka-delivery, kafka-group",
            remedy="check one of these, with its own parameters",
        )


def run(
    request: CheckRequest, asked: Settings, *, story: str | None, remedies: bool, as_json: bool, quiet: bool
) -> int:
    """Check the settings, and say what they guarantee."""
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import say_record
    from angarium.app.report.record import result_record
    from angarium.settings.kafka.results import result_of

    answer = _answer(request, asked, remedies, quiet)
    result = result_of(answer)
    if as_json:
        say_record(result_record(result))
    else:
        _show(answer, story or "brief")
    return EXIT_CODE_OF[result.worst]


def _answer(request: CheckRequest, asked: Settings, remedies: bool, quiet: bool) -> Answer:
    from angarium.api import engine_named
    from angarium.app.cli.watching import watching
    from angarium.settings.kafka.configuration import configuration
    from angarium.settings.kafka.guarantees import Inspector
    from angarium.settings.kafka.remedies import remedies as look_for
    from angarium.settings.kafka.results import Answer

    guarantees, faults = _guarantees(request.only or ()), _faults(asked.faults)
    texts = {name: setting_text(value) for name, value in request.parameters.items()}
    found = configuration([Path(each) for each in asked.files], texts)
    begin, engine = time.perf_counter(), engine_named(request.how.engine, request.how.spark)
    with watching(quiet) as observe:
        inspector = Inspector(engine, request.how.threads, request.how.limits, observe)
        table = inspector.table(found, faults, guarantees)
        helpful = look_for(inspector, table) if remedies else None
    seconds = time.perf_counter() - begin
    return Answer(table, helpful, seconds, request.how.threads, engine.name, inspector.cut)


def _guarantees(only: Collection[str]) -> Sequence[str]:
    from angarium.settings.kafka.guarantees import GUARANTEES

    for name in only:
        if name not in GUARANTEES:
            possible = did_you_mean(name, GUARANTEES)
            raise UsageError("ANG012", f"settings guarantee nothing named {name}", possible=possible)
    return [each for each in GUARANTEES if not only or each in only]


def _faults(faults: Sequence[str]) -> Sequence[Fault]:
    from angarium.settings.kafka.guarantees import FAULTS

    known = {each.name: each for each in FAULTS}
    for name in faults:
        if name not in known:
            raise UsageError("ANG013", f"--faults cannot be {name}", possible=did_you_mean(name, known))
    return [each for each in FAULTS if not faults or each.name in faults]


def _show(answer: Answer, story: str) -> None:
    from angarium.app.cli.output import is_colourful, say, width
    from angarium.app.cli.telling import teller
    from angarium.app.report.settings_text import render

    brief = story == "brief"
    tell = None if story in ("brief", "none") else teller(story, width())
    say(render(answer, tell=tell, brief=brief, width=width(), colourful=is_colourful()))
