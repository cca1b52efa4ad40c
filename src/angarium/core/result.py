"""Verdicts and stories: what every part of Angarium ends in.

A verdict on a guarantee is `holds`, `violated` or `unknown`. A search that was cut never says `holds`.
A story is the evidence: the shortest run that breaks (or witnesses) a guarantee, as plain data. Prose,
tables and diagrams are made from it in `report` and `export`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

State = Mapping[str, Any]
"""A state as people read it: names to numbers, booleans, strings, None, lists and mappings of such."""


class Verdict(Enum):
    """What is known of a guarantee."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


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
    """One step of a story: which action, with which arguments, and what it did."""

    action: str
    arguments: Mapping[str, str]
    choice: int
    """The step's position among the enabled steps of its state: one number of the story's address."""
    actor: str | None
    exchanges: Sequence[Exchange]
    changes: Sequence[Change]
    state: State
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """A run from an initial state that breaks or witnesses a guarantee."""

    subject: str
    parameters: Mapping[str, str]
    model_hash: str
    guarantee: str
    summary: str
    """One sentence: what is wrong (or shown) at the end of the run."""
    start: int
    """Which initial state the run starts in: the first number of the address."""
    initial: State
    steps: Sequence[Step]
    cycle: int | None = None
    """For a run without end: how many steps come before those that are repeated for ever. If that is all of
    them, nothing more happens behind the last, and the run stands still there for ever."""

    @property
    def address(self) -> str:
        """Where to find the story again: `angarium replay ADDRESS`. `~` stands before what is repeated."""
        parameters = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        choices = [str(step.choice) for step in self.steps]
        before = ".".join([str(self.start), *choices[: self.cycle]])
        again = "" if self.cycle is None else "~" + ".".join(choices[self.cycle :])
        return f"{self.subject}@{self.model_hash}:{parameters}:{before}{again}"


@dataclass(frozen=True, slots=True)
class GuaranteeVerdict:
    """The verdict on one guarantee, with its story if there is one."""

    guarantee: str
    kind: str
    verdict: Verdict
    description: str = ""
    fairness: str = "none"
    story: Story | None = None
    vacuous: str | None = None
    """Why the guarantee, though no run breaks it, says nothing: then the verdict is `unknown`."""
    untold: str | None = None
    """Why there is no story, where there should be one."""
    remedies: tuple[Mapping[str, str], ...] = ()
    """Single parameters with other values under which the guarantee holds, as checked."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the state space a search saw, and what it cost."""

    complete: bool
    states: int
    transitions: int
    depth: int
    """Levels of the breadth-first search; the initial states are the first."""
    seconds: float
    cpu_seconds: float
    bytes: int
    """Memory that holds the visited states and their log."""
    cut: str | None = None
    """Why the search stopped early: a limit, a time-out or an interrupt."""
    frontier: int = 0
    """States found and not yet expanded when the search was cut."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found: verdicts that defend themselves."""

    subject: str
    parameters: Mapping[str, str]
    model_hash: str
    engine: str
    threads: int
    symmetry: bool
    coverage: Coverage
    verdicts: Sequence[GuaranteeVerdict]
    never_happened: Sequence[str] | None = None
    """Steps that no visited state allows: the verdicts say nothing of them. None if nobody looked."""

    @property
    def worst(self) -> Verdict:
        """`violated` if anything is, else `unknown` if anything is, else `holds`."""
        return worst(each.verdict for each in self.verdicts)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """`violated` if anything is, else `unknown` if anything is or there is nothing, else `holds`."""
    found = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in found), Verdict.UNKNOWN)


WORST_FIRST = (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.HOLDS)
