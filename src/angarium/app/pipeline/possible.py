"""Whether what a claim asks can be asked: its parameters, guarantees, faults and times, before anything runs.

A mistake in a word of the project file is cheap to find, and dear if it is found after Spark has started. So
each word is held against what the model declares, or against the tables of the verb, mostly by the verb's own
functions. Models are read but not compiled, unless a formula is asked of them, whose words only the compiler
understands. What is wrong inside a file that a claim names is the verb's to tell: other claims have their
answers all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.app.pipeline.claims import Claim, as_word, listed
from angarium.core.errors import UsageError, did_you_mean
from angarium.core.options import AUDIT_TIMES

if TYPE_CHECKING:
    from angarium.checker.language.declarations import ModelDecl

Question = tuple[str, Callable[[], object]]
"""A key of a claim, and what raises an error if that cannot be asked."""
KAFKA = "kafka"
"""The system of which an operator's settings can be checked."""


def questions_of(claim: Claim) -> Iterator[Question]:
    """All that must be possible. The paths of the claim's files must be those from the current folder."""
    return _OF_KINDS[claim.kind](claim)


def _texts(claim: Claim, key: str) -> list[str]:
    return listed(claim.options.get(key, []))


def _settings(claim: Claim) -> dict[str, str]:
    """Parameters as a command line would give them."""
    return {name: as_word(value) for name, value in claim.options.get("set", {}).items()}


def _one_of(names: Iterable[str], possible: Iterable[str], code: str, what: str) -> None:
    """Refuse the first name that is not possible; `what` says so, with {} for the name."""
    known = set(possible)
    for name in names:
        if name not in known:
            raise UsageError(code, what.format(repr(name)), possible=did_you_mean(name, known))


# --- models ---------------------------------------------------------------------------------------


def _of_check(claim: Claim) -> Iterator[Question]:
    if _is_of_settings(claim):
        yield from _of_settings(claim)
        return
    for key in ("config", "faults"):
        yield key, partial(_refuse_settings, claim, key)
    yield "mesh", partial(_subject, claim)
    yield from _of_model(claim)
    yield "only", partial(_guarantees, claim)
    yield "fairness", partial(_fairness, claim)


def _of_simulate(claim: Claim) -> Iterator[Question]:
    yield from _of_model(claim)
    yield "schedule", partial(_schedule, claim)
    yield "observe", partial(_observation, claim)


def _of_model(claim: Claim) -> Iterator[Question]:
    from angarium.checker.frontend.parameters import elaborate

    yield claim.kind, partial(_model, claim)
    yield "set", lambda: elaborate(_model(claim), _settings(claim))


def _subject(claim: Claim) -> str:
    from angarium.mesh.as_model.subject import with_mesh

    return with_mesh(claim.about[0], _texts(claim, "mesh"))


def _model(claim: Claim) -> ModelDecl:
    from angarium.mesh.as_model.subject import find

    subject = _subject(claim)
    return _bundled(subject) if subject == claim.about[0] and ".py" not in subject else find(subject)


@lru_cache
def _bundled(name: str) -> ModelDecl:
    from angarium.systems.registry import find

    return find(name)


def _named(claim: Claim, roles: Iterable[str]) -> list[str]:
    return [each.guarantee for each in _model(claim).functions if each.role in roles]


def _guarantees(claim: Claim) -> None:
    from angarium.checker.ir.formula import question_names
    from angarium.checker.ir.transition import STAYS_IN_RANGE
    from angarium.checker.language.declarations import GUARANTEES

    known = [STAYS_IN_RANGE, *_named(claim, GUARANTEES), *question_names(_asked(claim))]
    _one_of(_texts(claim, "only"), known, "ANG012", f"{_model(claim).name} has no guarantee {{}}")


def _asked(claim: Claim) -> tuple[Any, ...]:
    from angarium.checker.ir.formula import questions

    return questions(_texts(claim, "ltl"), _texts(claim, "ctl"), claim.options.get("fairness", "none"))


def _fairness(claim: Claim) -> None:
    """Refuse a fairness that is none, or of nothing; a formula that is none names its own place."""
    from angarium.checker.frontend.build import build

    if asked := _asked(claim):
        build(_model(claim), _settings(claim), asked)
    elif "fairness" in claim.options:
        what = "fairness says which runs count for ltl and ctl, and there is neither"
        raise UsageError("ANG013", what, remedy="a model's own guarantees say it themselves")


def _schedule(claim: Claim) -> None:
    from angarium.checker.walks.plan import SCHEDULES

    given = claim.options.get("schedule", "uniform")
    _one_of([given], SCHEDULES, "ANG013", "there is no schedule {}")
    if given == "rates" and not _named(claim, ["rate"]):
        what = f"the schedule cannot be rates: {_model(claim).name} gives no rates"
        raise UsageError("ANG013", what, possible="possible: by-action, uniform")


def _observation(claim: Claim) -> None:
    known = _named(claim, ["observation"])
    what = f"{_model(claim).name} has no observation {{}}"
    _one_of(_texts(claim, "observe"), known, "ANG013", what)
    if claim.bound and not known:
        what = f"{_model(claim).name} observes nothing that could have a bound"
        raise UsageError("ANG013", what, remedy="say in the model what to observe, with @observation")


# --- settings -------------------------------------------------------------------------------------


def _is_of_settings(claim: Claim) -> bool:
    """Whether an operator's settings are checked, and not a model."""
    if claim.about[0] != KAFKA:
        return False
    parameters = {each.name for each in _bundled(KAFKA).parameters}
    return bool({"config", "faults"} & set(claim.options)) or not parameters.issuperset(_settings(claim))


def _refuse_settings(claim: Claim, key: str) -> None:
    if key in claim.options:
        what = f"{key} is for settings of a broker; there are none for {claim.about[0]}"
        remedy = "give the parameters of a model with `set`"
        raise UsageError("ANG013", what, possible=f"possible with {key}: {KAFKA}", remedy=remedy)


def _of_settings(claim: Claim) -> Iterator[Question]:
    from angarium.settings.kafka.configuration import configuration
    from angarium.settings.kafka.guarantees import FAULTS, GUARANTEES

    faults = [each.name for each in FAULTS]
    files = [Path(each) for each in _texts(claim, "config")]
    yield "faults", lambda: _one_of(_texts(claim, "faults"), faults, "ANG013", "there is no fault {}")
    yield (
        "only",
        lambda: _one_of(_texts(claim, "only"), GUARANTEES, "ANG012", "settings guarantee nothing named {}"),
    )
    yield "set", lambda: configuration(files, _settings(claim))


# --- meshes, proofs and histories -----------------------------------------------------------------


def _of_mesh(claim: Claim) -> Iterator[Question]:
    from angarium.mesh.verify.budget import read_budget
    from angarium.mesh.verify.violations import check_guarantees

    yield "only", lambda: check_guarantees(_texts(claim, "only"))
    yield "failures", lambda: read_budget(claim.options.get("failures", "one"), option="failures =")


def _of_prove(claim: Claim) -> Iterator[Question]:
    if ":" in claim.about[0] or ".py" in claim.about[0]:
        yield "prove", partial(_proofs, claim)
    yield "only", partial(_obligations, claim)


def _proofs(claim: Claim) -> list[Any]:
    from angarium.contracts.reading.subject import find_modules
    from angarium.systems.registry import proof_files, systems

    bundled = systems().get(claim.about[0])  # also where a folder of that name is
    return find_modules(*(bundled.proofs if bundled else proof_files(claim.about[0])))


def _obligations(claim: Claim) -> None:
    from angarium.contracts.conditions.duties import obligations_of

    if only := _texts(claim, "only"):
        every = [each for module in _proofs(claim) for each in obligations_of(module)]
        names = {name for each in every for name in (each.name, each.operation, each.conjecture) if name}
        _one_of(only, names, "ANG012", "there is no obligation, operation or conjecture named {}")


def _of_audit(claim: Claim) -> Iterator[Question]:
    from angarium.history.automaton.projection import lives_of
    from angarium.history.intake.formats import check_name
    from angarium.history.intake.mapping import load
    from angarium.history.needs import chosen
    from angarium.history.said import nanoseconds

    given = claim.options
    yield "only", lambda: chosen(_texts(claim, "only"))
    yield "format", lambda: check_name(given.get("format"))
    for key in (each for each in AUDIT_TIMES if each in given):
        yield key, partial(nanoseconds, f"{key} =", given[key])
    yield from (("model", partial(lives_of, each)) for each in _texts(claim, "model"))
    yield from (("mapping", partial(load, Path(each))) for each in _texts(claim, "mapping"))


_OF_KINDS: Mapping[str, Callable[[Claim], Iterator[Question]]] = {
    "check": _of_check,
    "mesh": _of_mesh,
    "recover": _of_mesh,
    "prove": _of_prove,
    "simulate": _of_simulate,
    "audit": _of_audit,
}
