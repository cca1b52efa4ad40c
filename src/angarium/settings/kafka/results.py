"""What a check of settings answers, as data: a verdict for each guarantee and fault, and what would help.

What a cell of the table is decided by is a guarantee of a model: it has the same story, with the model's
address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from angarium.core.control import Cut
from angarium.core.records import FLAT
from angarium.core.result import CheckVerdict, Extent, Parameters, Result, typed
from angarium.settings.kafka.catalogue import KAFKA_VERSION
from angarium.settings.kafka.guarantees import Cell, Table
from angarium.settings.kafka.remedies import Key, Remedies


@dataclass(frozen=True, slots=True)
class Answer:
    """What a check of settings found."""

    table: Table
    remedies: Remedies | None
    seconds: float
    threads: int
    engine: str
    cut: Cut | None = None
    """Why something was not decided."""


@dataclass(frozen=True, kw_only=True)
class SettingsVerdict(CheckVerdict):
    """The verdict on a guarantee under one fault."""

    decided_by: str
    """The guarantee of a model that decides it."""
    faults: str
    """The name of the fault."""
    budget: Parameters
    """What the fault is in the model."""
    system: str
    """The model that was searched."""
    states: int
    complete: bool

    @property
    def situation(self) -> str:
        return self.faults


@dataclass(frozen=True, slots=True)
class Affected:
    """A cell of the table."""

    guarantee: str
    faults: str


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """Settings that would mend something, and what else comes of them."""

    settings: Parameters
    mends: Sequence[Affected]
    breaks: Sequence[Affected]
    undecided: Sequence[Affected]
    price: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SettingsExtent(Extent):
    """How much was searched, all models and faults together."""

    states: int
    transitions: int
    depth: int
    """Levels of the deepest search."""
    scenarios: int
    """How many searches there were."""


@dataclass(frozen=True, kw_only=True)
class SettingsResult(Result[SettingsVerdict]):
    """What settings guarantee."""

    kind: str = "check"
    subject: str = "kafka"
    extent: SettingsExtent = field(metadata=FLAT)
    kafka_version: str
    threads: int
    origins: Mapping[str, str]
    """Where each parameter is from."""
    remarks: Sequence[str]
    ignored: Sequence[str]
    """Settings that the models do not have."""
    changes: Sequence[SettingsChange]
    """The cheapest first."""
    all_changes_tried: bool


def result_of(answer: Answer) -> SettingsResult:
    """The whole answer."""
    table, values = answer.table, answer.table.configuration.values
    return SettingsResult(
        parameters=typed({name: found.value for name, found in values.items()}),
        engine=answer.engine,
        extent=_together(answer),
        kafka_version=KAFKA_VERSION,
        threads=answer.threads,
        origins={name: found.origin for name, found in values.items()},
        remarks=table.configuration.remarks,
        ignored=table.configuration.ignored,
        changes=_changes(answer.remedies),
        all_changes_tried=answer.remedies is not None and answer.remedies.complete,
        verdicts=tuple(map(_verdict, table.cells)),
    )


def _together(answer: Answer) -> SettingsExtent:
    searched, begun = answer.table.searched, all(each.coverage for each in answer.table.cells)
    return SettingsExtent(
        complete=answer.cut is None and begun and all(each.complete for each in searched),
        cut=answer.cut,
        seconds=answer.seconds,
        states=sum(each.states for each in searched),
        transitions=sum(each.transitions for each in searched),
        depth=max((each.depth for each in searched), default=0),
        scenarios=len(searched),
    )


def _verdict(cell: Cell) -> SettingsVerdict:
    found, searched = cell.found, cell.coverage
    return SettingsVerdict(
        guarantee=cell.guarantee,
        verdict=found.verdict,
        description=found.description,
        reason=found.reason,
        kind=found.kind,
        fairness=found.fairness,
        vacuous=found.vacuous,
        untold=found.untold,
        story=found.story,
        decided_by=found.guarantee,
        faults=cell.fault.name,
        budget=typed(cell.fault.budgets),
        system=cell.fault.system,
        states=searched.states if searched else 0,
        complete=bool(searched and searched.complete),
    )


def _changes(remedies: Remedies | None) -> tuple[SettingsChange, ...]:
    return tuple(
        SettingsChange(
            settings=typed(each.settings),
            mends=_affected(each.mends),
            breaks=_affected(each.breaks),
            undecided=_affected(each.undecided),
            price=tuple(change.price for change in each.changes),
        )
        for each in (remedies.found if remedies else ())
    )


def _affected(keys: Sequence[Key]) -> tuple[Affected, ...]:
    return tuple(Affected(*each) for each in keys)
