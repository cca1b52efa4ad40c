"""What `angarium conform` answers, as data: a verdict on each rule of the contract, and how one was broken.

Values are texts, as they would be written in Python. The result is complete if all sequences that were asked
for were made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from angarium.contracts.monitor.drive import Driven
from angarium.contracts.monitor.real_values import in_order, shown
from angarium.contracts.monitor.rules import Rule
from angarium.contracts.monitor.sequences import Log, Plan
from angarium.contracts.monitor.shortest import Broken, ShownCall
from angarium.core.errors import Place
from angarium.core.records import FLAT, HERE
from angarium.core.result import Extent, GuaranteeVerdict, Result, Step, Story, Verdict

Value = str | Sequence[str] | Mapping[str, str]
"""What a symbol of the state holds: a thing, a relation, or a function."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call, what came of it, and what ought to be in the subject then."""

    operation: str
    arguments: Mapping[str, str]
    answer: str | None
    """None if it raised something."""
    raised: str | None
    state: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Calls:
    """How often an operation was called."""

    made: int
    true: int
    """How often it answered True."""
    false: int


@dataclass(frozen=True, kw_only=True)
class CallStory(Story):
    """The calls of a short sequence that breaks a rule. It has no address: only the subject can show it."""

    calls: Sequence[Called]
    allowed: Sequence[str]
    """What was allowed instead of the last answer."""
    again: bool | None
    """Whether the same calls break it again; None if there was no time to see."""


@dataclass(frozen=True, kw_only=True)
class ConformVerdict(GuaranteeVerdict):
    """The verdict on one rule of the contract."""

    kind: str
    """`ensure`, `answers` …"""
    operation: str
    place: Place
    story: CallStory | None = None


@dataclass(frozen=True, slots=True)
class ContractSummary:
    """What the subject was held against."""

    name: str
    description: str


@dataclass(frozen=True, kw_only=True)
class ConformResult(Result[ConformVerdict]):
    """What came of driving a real queue."""

    kind: str = "conform"
    contract: ContractSummary
    plan: Plan = field(metadata=FLAT)
    hanging: Sequence[Called]
    """The calls up to one that had not answered when the run was cut."""
    weak: Sequence[str]
    """Why the sequences say little, if they do."""
    unsteady: bool
    """Whether the same calls were answered in several ways."""
    sequences: int
    calls: Mapping[str, Calls]
    """Of each operation."""
    held: Mapping[str, int]
    """How much was in each relation, at most."""
    description: str = field(default="", metadata=HERE)
    """What the subject says of itself."""
    driven: Driven | None = field(default=None, repr=False, compare=False, metadata=HERE)
    """The same with the values themselves; not of a result that was read back."""


def result_of(subject: str, driven: Driven, description: str = "") -> ConformResult:
    """What came of driving a subject, as plain data."""
    about, log = driven.specification, driven.log
    return ConformResult(
        subject=subject,
        extent=Extent(complete=driven.cut is None, cut=driven.cut, seconds=driven.seconds),
        contract=ContractSummary(about.name, about.description),
        plan=driven.plan,
        hanging=tuple(map(_called, driven.hanging)),
        weak=driven.weak,
        unsteady=log.unsteady,
        sequences=log.sequences,
        calls={each.name: _calls(each.name, log) for each in about.contracts},
        held={each.name: log.held[each.name] for each in about.state if each.arguments},
        description=description,
        driven=driven,
        verdicts=tuple(_verdict(subject, *each) for each in driven.verdicts),
    )


def _calls(operation: str, log: Log) -> Calls:
    return Calls(log.calls[operation], log.answers[operation, True], log.answers[operation, False])


def _verdict(subject: str, rule: Rule, verdict: Verdict, broken: Broken | None) -> ConformVerdict:
    return ConformVerdict(
        guarantee=f"{rule.operation}: {rule.text}",
        verdict=verdict,
        description=rule.text,
        kind=rule.text.partition(" ")[0],
        operation=rule.operation,
        place=rule.place,
        story=_story(subject, rule, broken) if broken else None,
    )


def _story(subject: str, rule: Rule, broken: Broken) -> CallStory:
    calls = tuple(map(_called, broken.story))
    return CallStory(
        subject=subject,
        address="",
        guarantee=f"{rule.operation}: {rule.text}",
        summary=f"it is false that {rule.text}",
        steps=tuple(_steps(calls)),
        calls=calls,
        allowed=tuple(map(shown, broken.violation.allowed)),
        again=broken.again,
    )


def _steps(calls: Sequence[Called]) -> Iterator[Step]:
    for each in calls:
        given = ", ".join(f"{name}={value}" for name, value in each.arguments.items())
        came = f"raises {each.raised}" if each.answer is None else f"answers {each.answer}"
        text = f"{each.operation}({given}) {came}"
        last = each is calls[-1]
        yield Step(each.operation, each.arguments, state=each.state, text=text, proves=last)


def _called(told: ShownCall) -> Called:
    call = told.call
    return Called(
        operation=call.operation,
        arguments={name: shown(value) for name, value in call.arguments},
        answer=None if call.raised is not None else shown(call.answer),
        raised=None if call.raised is None else repr(call.raised),
        state={name: _value(value) for name, value in told.state.items()},
    )


def _value(value: Any) -> Value:  # noqa: ANN401 (whatever a symbol holds)
    if isinstance(value, Mapping):
        return {shown(name): shown(each) for name, each in value.items()}
    if isinstance(value, set):
        return [shown(each) for each in in_order(value)]
    return shown(value)
