"""What settings guarantee: for each fault and each guarantee a verdict, decided by a search.

Two models decide. `kafka-delivery` knows the producer and the brokers, `kafka-group` the consumers; what one
does not know of goes on as usual there, so each fault belongs to one of them. That consumers fail takes no
writes away from producers: there, availability is what it is when nothing goes wrong. A message is lost if a
state shows it (`no-loss`), or if nothing more can happen and it has not come (`delivery`): both count.

The settings are part of the models' states, so that a model is compiled once for all settings and faults.

What can go wrong with Kafka has one row of the table each, and the models' steps in an operator's words. A
fault happens at most so often; how it happens is up to the model that tells of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from angarium.checker.explore.engine import Engine, Observer, Progress
from angarium.checker.frontend.build import build
from angarium.checker.frontend.parameters import vary
from angarium.checker.ir.transition import STAYS_IN_RANGE, TransitionSystem
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import check
from angarium.core.control import INTERRUPTED, Cut, CutBy, Limits, cut_of
from angarium.core.result import WORST_FIRST, CheckVerdict, Coverage, Report, Step, Story, Verdict
from angarium.settings.kafka.catalogue import DELIVERY, GROUP
from angarium.settings.kafka.configuration import Configuration
from angarium.settings.kafka.translate import delivery_parameters, group_parameters
from angarium.systems.registry import find


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens at most so often, as budgets of a model."""

    name: str
    label: str
    """At the head of its row."""
    what: str
    """In a sentence, behind `when`."""
    budgets: Mapping[str, str] = field(default_factory=dict)
    system: str = DELIVERY


FAULTS = (
    Fault("nothing", "nothing goes wrong", "nothing goes wrong"),
    Fault("one-crash", "one broker crashes", "one broker crashes", {"broker_crash": "1"}),
    Fault("two-crashes", "two brokers crash", "two brokers crash", {"broker_crash": "2"}),
    Fault("lost-disk", "one disk is lost", "one broker loses its disk", {"lost_disk": "1"}),
    Fault("lost-request", "a request is lost", "a request is lost", {"lost_request": "1"}),
    Fault(
        "lost-acknowledgement",
        "an acknowledgement is lost",
        "an acknowledgement is lost",
        {"lost_acknowledgement": "1"},
    ),
    Fault(
        "isolated-leader",
        "leader isolated",
        "a leader is isolated from its followers",
        {"isolation": "1"},
    ),
    Fault(
        "isolated-then-crash",
        "leader isolated, then a crash",
        "a leader is isolated from its followers, then a broker crashes",
        {"isolation": "1", "broker_crash": "1"},
    ),
    Fault(
        "lag-then-crash",
        "followers lag, then a crash",
        "followers fall behind, then a broker crashes",
        {"lag": "2", "broker_crash": "1"},
    ),
    Fault(
        "lag-then-lost-disk",
        "followers lag, a disk is lost",
        "followers fall behind, then a broker loses its disk",
        {"lag": "2", "lost_disk": "1"},
    ),
    Fault(
        "deposed-leader",
        "leader cut off from all",
        "a leader is cut off from its followers and the controller",
        {"cut_off": "1"},
    ),
    Fault("consumer-crash", "a consumer crashes", "a consumer crashes", {"consumer_crash": "1"}, GROUP),
    Fault(
        "new-group-crash",
        "new group, consumer crashes",
        "a consumer of a new group crashes before anything is committed",
        {"consumer_crash": "1", "new_group": "true"},
        GROUP,
    ),
    Fault("consumer-joins", "a consumer joins", "a consumer joins its group", {"consumer_joins": "1"}, GROUP),
    Fault(
        "slow-consumer",
        "a consumer is too slow",
        "a consumer is slower than max.poll.interval.ms allows",
        {"consumer_pause": "1"},
        GROUP,
    ),
)


PHRASES = {
    "send": "the producer sends {m}",
    "resend": "the producer sends {m} again",
    "lose_request": "the request with {m} is lost",
    "time_out": "the request with {m} gets no answer",
    "receive": "broker {b} receives {m}",
    "acknowledge": "message {m} is acknowledged",
    "refuse_late": "an error comes for {m}, though it is in the log",
    "lose_acknowledgement": "the acknowledgement of {m} is lost",
    "fetch": "follower {b} fetches from leader {lead}",
    "shrink": "leader {lead} takes {b} out of the in-sync replicas",
    "expand": "leader {lead} takes {b} into the in-sync replicas",
    "fall_behind": "follower {b} falls behind and is out of sync",
    "elect": "broker {b} is elected leader",
    "elect_unclean": "broker {b} is elected leader although it is not in sync",
    "crash_broker": "broker {b} crashes",
    "lose_disk": "broker {b} crashes and loses its disk",
    "restart_broker": "broker {b} comes back",
    "isolate_leader": "leader {b} is cut off from its followers",
    "cut_off_leader": "leader {b} is cut off from followers and controller",
    "heal": "the network is whole again",
    "read": "the reader processes {m}",
    "begin_generation": "all members have joined",
    "expire": "the session of consumer {c} times out",
    "assign": "consumer {leader} assigns the partitions",
    "join": "consumer {c} joins the group",
    "join_again": "consumer {c} joins again",
    "sync": "consumer {c} gets its partitions",
    "crash": "consumer {c} crashes",
    "pause": "consumer {c} is too slow and is put out of the group",
    "poll": "consumer {c} polls {p}",
    "process": "consumer {c} processes a record of {p}",
    "commit_offsets": "consumer {c} commits",
}


def phrase(step: Step) -> str:
    """A step in words."""
    return PHRASES[step.action].format(**step.arguments)


def operator_text(story: Story) -> str:
    """A story in one breath."""
    return "; ".join(phrase(step) for step in story.steps)


AVAILABILITY = "availability-for-writes"
GUARANTEES = ("no-loss", "no-duplicates", "order", AVAILABILITY)
DECIDED_BY = {"no-loss": ("no-loss", "delivery")}
"""The guarantees of a model that decide a guarantee; by default the one of the same name."""
NOT_REACHED = "not looked at any more"
_PARAMETERS: Mapping[str, Callable[[Configuration], dict[str, str]]] = {
    DELIVERY: delivery_parameters,
    GROUP: group_parameters,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One guarantee under one fault."""

    guarantee: str
    fault: Fault
    found: CheckVerdict
    coverage: Coverage | None
    """What was searched; None if it was not begun."""

    @property
    def verdict(self) -> Verdict:
        return self.found.verdict

    @property
    def key(self) -> tuple[str, str]:
        return self.guarantee, self.fault.name


@dataclass(frozen=True, slots=True)
class Table:
    """What one configuration guarantees."""

    configuration: Configuration
    cells: tuple[Cell, ...]
    guarantees: tuple[str, ...]
    faults: tuple[Fault, ...]

    def cell(self, guarantee: str, fault: str) -> Cell:
        return next(each for each in self.cells if each.key == (guarantee, fault))

    @property
    def searched(self) -> list[Coverage]:
        """What was covered, each search once."""
        return list({id(each.coverage): each.coverage for each in self.cells if each.coverage}.values())

    def that_are(self, verdict: Verdict) -> list[Cell]:
        return [each for each in self.cells if each.verdict is verdict]


@dataclass(slots=True)
class Inspector:
    """Fills in tables, each search once."""

    engine: Engine
    threads: int = 1
    limits: Limits = field(default_factory=Limits)
    observe: Observer | None = None
    _decls: dict[str, ModelDecl] = field(default_factory=dict)
    _systems: dict[tuple[str, ...], TransitionSystem] = field(default_factory=dict)
    _reports: dict[tuple[object, ...], Report] = field(default_factory=dict)
    _stopped: Cut | None = None
    _begun: float = field(default_factory=time.monotonic)

    def table(
        self,
        configuration: Configuration,
        faults: Sequence[Fault] = FAULTS,
        guarantees: Sequence[str] = GUARANTEES,
        *,
        stories: bool = True,
    ) -> Table:
        """What a configuration guarantees; what nobody waited for is unknown."""
        cells = [
            cell for each in faults for cell in self._row(configuration, each, tuple(guarantees), stories)
        ]
        return Table(configuration, tuple(cells), tuple(guarantees), tuple(faults))

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped it, or the time is up: nothing more is looked at."""
        limit = self.limits.timeout
        return bool(self._stopped) or (limit is not None and time.monotonic() - self._begun >= limit)

    @property
    def cut(self) -> Cut | None:
        """Why something is not decided, if anything is not."""
        late = Cut(CutBy.TIME, "time limit") if self.stopped and not self._stopped else None
        found = (each.coverage.cut for each in self._reports.values() if each.coverage.cut)
        return next(found, self._stopped or late)

    def _row(
        self, configuration: Configuration, fault: Fault, guarantees: Sequence[str], stories: bool
    ) -> Iterator[Cell]:
        for guarantee in guarantees:
            nothing_for_writes = guarantee == AVAILABILITY and fault.system != DELIVERY
            searched = FAULTS[0] if nothing_for_writes else fault
            report = self._report(configuration, searched, stories)
            coverage = report.coverage if report else None
            yield Cell(guarantee, fault, _decide(guarantee, report), coverage)

    def _report(self, configuration: Configuration, fault: Fault, stories: bool) -> Report | None:
        parameters = {**_PARAMETERS[fault.system](configuration), **fault.budgets}
        told = (fault.system, True, *sorted(parameters.items()))
        key = told if told in self._reports else (fault.system, stories, *told[2:])
        if key not in self._reports and not self.stopped:
            try:
                self._reports[key] = self._check(fault, parameters, stories)
            except KeyboardInterrupt as problem:
                self._stopped = cut_of(problem)
        return self._reports.get(key)

    def _check(self, fault: Fault, parameters: Mapping[str, str], stories: bool) -> Report:
        system = self._system(fault.system, parameters)
        report = check(
            system,
            engine=self.engine,
            subject=fault.system,
            limits=self._limits_left(),
            threads=self.threads,
            only=_deciding(system),
            observe=self._observer(fault),
            stories=stories,
        )
        if report.coverage.cut == INTERRUPTED:
            self._stopped = INTERRUPTED
        return report

    def _limits_left(self) -> Limits:
        if self.limits.timeout is None:
            return self.limits
        left = self.limits.timeout - (time.monotonic() - self._begun)
        return replace(self.limits, timeout=left, begin=None)

    def _observer(self, fault: Fault) -> Observer | None:
        """Tells what is being looked at, rather than where a search is that is over in a moment."""
        observe = self.observe
        if observe is None:
            return None

        def tell(progress: Progress) -> None:
            observe(replace(progress, judging=f"what happens when {fault.what}"))

        return tell

    def _system(self, name: str, parameters: Mapping[str, str]) -> TransitionSystem:
        """The system with these parameters; built once for each of its sizes."""
        if name not in self._decls:
            self._decls[name] = find(name)
        decl = self._decls[name]
        sizes = {each.name for each in decl.parameters if each.word != "setting"} & set(parameters)
        key = (name, *(f"{size}={parameters[size]}" for size in sorted(sizes)))
        if key not in self._systems:
            self._systems[key] = build(decl, {size: parameters[size] for size in sizes})
        return vary(self._systems[key], {n: text for n, text in parameters.items() if n not in sizes})


def _deciding(system: TransitionSystem) -> list[str]:
    """What decides a guarantee; what nobody asks for would cost time in every state."""
    wanted = {name for guarantee in GUARANTEES for name in DECIDED_BY.get(guarantee, (guarantee,))}
    return [name for name in system.claims if name in wanted]


def _decide(guarantee: str, report: Report | None) -> CheckVerdict:
    if report is None:
        return CheckVerdict(
            guarantee=guarantee, kind="invariant", verdict=Verdict.UNKNOWN, description=NOT_REACHED
        )
    names = DECIDED_BY.get(guarantee, (guarantee,))
    found = [each for each in report.verdicts if each.guarantee in names]
    worst = min(found, key=lambda each: (WORST_FIRST.index(each.verdict), names.index(each.guarantee)))
    failed = next(each for each in report.verdicts if each.guarantee == STAYS_IN_RANGE)
    assert failed.verdict is not Verdict.VIOLATED, failed.story
    return worst
