"""Results: what every product answers with.

Every verb ends in a `Result`: of which subject under which parameters, by which engine and how much of it
was looked at (`Extent`), with a verdict on each guarantee. A verdict is `holds`, `violated` or `unknown`;
what was cut never says `holds`. A story is the evidence: the shortest run that breaks (or witnesses) a
guarantee, as plain data with an address, under which `angarium replay` shows it again. A product adds fields
of its own by subclasses. Prose, tables and diagrams are made from these types in `app.report`, JSON by
`records`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import singledispatch
from typing import Any, Generic, TypeVar

from angarium.core.control import Cut
from angarium.core.records import FLAT, LAST, decimals

Setting = bool | int | float | str | Sequence[str] | None
"""The value of a parameter: a number or a truth where it is such, and else a text, or several."""
Parameters = Mapping[str, Setting]
"""What a subject was looked at with."""
State = Mapping[str, Any]
"""A state as people read it: names to numbers, booleans, strings, None, lists and mappings of such."""


def setting_text(value: Setting) -> str:
    """A parameter's value as a command line takes it, and as an address has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def typed(parameters: Parameters) -> Parameters:
    """Parameters that a command line gives as texts, with numbers and truths as such.

    Names of members of an enumeration look like neither.
    """
    return {name: _typed(value) if isinstance(value, str) else value for name, value in parameters.items()}


def _typed(text: str) -> Setting:
    if re.fullmatch(r"-?\d+", text, re.ASCII):
        return int(text)
    return {"true": True, "false": False}.get(text, text)


def assigned(parameters: Parameters) -> list[str]:
    """Each parameter as one would set it: `queues=2`."""
    return [f"{name}={setting_text(value)}" for name, value in parameters.items()]


class Verdict(Enum):
    """What is known of a guarantee."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


@singledispatch
def display(answer: object) -> Mapping[str, Any]:
    """What a notebook shows of an answer, by media type: `angarium.api` says so, which knows the reports."""
    return {}


class Displayed:
    """What a notebook shows as a page, and can also show as text or data."""

    def _repr_mimebundle_(self, **_: object) -> Mapping[str, Any]:
        return display(self)

    def _repr_html_(self) -> str | None:
        return display(self).get("text/html")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a step changed: `waiting[q1]` from `[a1]` to `[]`."""

    where: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """A channel operation of a step: who gave what to whom. None stands for the channel's buffer."""

    channel: str
    value: Any
    sender: str | None
    receiver: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a story: which action of whom, with which arguments, and what it did."""

    action: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    choice: int = 0
    """The step's position among the enabled steps of its state: one number of a model's address."""
    actor: str | None = None
    exchanges: Sequence[Exchange] = ()
    changes: Sequence[Change] = ()
    state: State = field(default_factory=dict)
    fault: bool = False
    text: str = ""
    """What happened, in words, where it is not to be read from the rest."""
    at: int | None = None
    """Nanoseconds after the first step, where there are clocks."""
    proves: bool = False
    """Whether it is one of the steps that prove the violation."""
    stands_for: int = 1
    """How many steps are cut out here, if it is not one itself."""


@dataclass(frozen=True, slots=True)
class Story(Displayed):
    """A run that breaks or witnesses a guarantee: of a model, of a message in a mesh, of recorded events."""

    subject: str
    address: str
    """Where to find the story again: `angarium replay ADDRESS`."""
    guarantee: str
    summary: str
    """One sentence: what is wrong (or shown) at the end of the run."""
    initial: State = field(default_factory=dict)
    steps: Sequence[Step] = ()
    cycle: int | None = None
    """For a run without end: how many steps come before those that are repeated for ever. If that is all of
    them, nothing more happens behind the last, and the run stands still there for ever."""
    others: int = 0
    """How many other stories of this guarantee there are, which are counted and not shown."""
    records: Sequence[Sequence[str]] = ()
    """The names of the fields of every kind of record in its states: an object with just these names is
    one, and any other is an array, by its labels."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """`violated` if anything is, else `unknown` if anything is or there is nothing, else `holds`."""
    found = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in found), Verdict.UNKNOWN)


WORST_FIRST = (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.HOLDS)


# --- what every verb returns --------------------------------------------------------------------

SCHEMA = 1
"""The version of the JSON form: it grows when a key goes or changes its meaning, not when one comes."""


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much was looked at, and what it cost."""

    complete: bool = True
    cut: Cut | None = field(default=None, metadata=FLAT)
    """Why not everything was looked at."""
    seconds: float = field(default=0.0, metadata=decimals(3))
    cpu_seconds: float | None = field(default=None, metadata=decimals(3))


@dataclass(frozen=True, kw_only=True)
class GuaranteeVerdict:
    """The verdict on one guarantee of any product, with its story if there is one."""

    guarantee: str
    verdict: Verdict
    description: str = ""
    """What the guarantee says."""
    reason: str | None = None
    """Why the verdict is `unknown`, or what else is worth knowing."""
    story: Story | None = field(default=None, metadata=LAST)

    @property
    def situation(self) -> str | None:
        """Where the guarantee is judged, if it is judged several times: under a failure, in a run …"""
        return None

    @property
    def reasons(self) -> list[str]:
        """Why it is unknown, and what else is to be known of the verdict."""
        return [self.reason] if self.reason else []

    @property
    def summary(self) -> str:
        """What is wrong, in a sentence; what the guarantee says, if nothing shows that."""
        return self.story.summary if self.story else self.description


V = TypeVar("V", bound=GuaranteeVerdict, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Result(Displayed, Generic[V]):
    """What a verb answers: verdicts that defend themselves."""

    kind: str
    """The verb: `check`, `mesh verify`, `audit` …"""
    subject: str
    """What was looked at: a system, a mesh, a history, a file."""
    parameters: Parameters = field(default_factory=dict)
    engine: str = "local"
    """Empty if nothing was searched."""
    extent: Extent = field(default_factory=Extent, metadata=FLAT)
    verdicts: Sequence[V] = field(default=(), metadata=LAST)

    @property
    def worst(self) -> Verdict:
        """`violated` if anything is, else `unknown` if anything is or there is nothing, else `holds`."""
        return worst(each.verdict for each in self.verdicts)


@dataclass(frozen=True, kw_only=True)
class Replay(Result[GuaranteeVerdict]):
    """A story that was found again by its address."""

    kind: str = "replay"
    model_hash: str | None = None
    """Of which version of its model it is, if it is of one."""
    story: Story


@dataclass(frozen=True, kw_only=True)
class ExportResult(Result[GuaranteeVerdict]):
    """A model in the language of another checker, which has the verdicts."""

    kind: str = "export"
    engine: str = ""
    model_hash: str
    to: str
    """The language."""
    file: str | None = None
    text: str | None = None
    """What was written, if it was written into no file."""


# --- what the model checker returns ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CheckVerdict(GuaranteeVerdict):
    """The verdict on one guarantee of a model."""

    kind: str
    """Of guarantee: `invariant`, `ltl` …"""
    fairness: str = "none"
    """Which runs count."""
    vacuous: str | None = None
    """Why the guarantee, though no run breaks it, says nothing: then the verdict is `unknown`."""
    untold: str | None = None
    """Why there is no story, where there should be one."""
    remedies: Sequence[Parameters] = ()
    """Single parameters with other values under which the guarantee holds, as checked."""

    @property
    def reasons(self) -> list[str]:
        """Why it says nothing or is unknown, and why there is no story."""
        vacuous = [f"says nothing: {self.vacuous}"] if self.vacuous else []
        return [*vacuous, *super().reasons, *([f"no story: {self.untold}"] if self.untold else [])]


@dataclass(frozen=True, kw_only=True)
class Coverage(Extent):
    """How much of the state space a search saw, and what it cost."""

    cpu_seconds: float = field(default=0.0, metadata=decimals(3))
    states: int
    transitions: int
    depth: int
    """Levels of the breadth-first search; the initial states are the first."""
    bytes: int
    """Memory that holds the visited states and their log."""
    bytes_per_state: float = field(init=False, metadata=decimals(2))
    frontier: int = 0
    """States found and not yet expanded when the search was cut."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bytes_per_state", self.bytes / max(self.states, 1))


@dataclass(frozen=True, kw_only=True)
class Report(Result[CheckVerdict]):
    """What a check found: verdicts that defend themselves."""

    kind: str = "check"
    extent: Coverage = field(metadata=FLAT)
    model_hash: str
    """The version of the model with these parameters, as in addresses."""
    threads: int
    symmetry: bool = False
    engine_because: str = ""
    """Why it was this engine, if another one could have been chosen."""
    never_happened: Sequence[str] | None = None
    """Steps that no visited state allows: the verdicts say nothing of them. None if nobody looked."""

    @property
    def coverage(self) -> Coverage:
        """What the search saw."""
        return self.extent
