"""What random walks look at: where a walk is at its goal, what is observed of it, and how fast steps come.

None of it changes which states and runs a system has, so it is no part of the system's hash. An observation
is an expression over the state in which a walk ends and over *tallies*: what was counted on the way. An
expression reads a tally as a variable of its name, which no model can use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from angarium.checker.model.transition import Expr, Helper

TallyKind = Literal["times", "steps", "time"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Something that is counted along a walk.

    `times`: the steps of an action, those with some arguments alone if they are given. `steps`: the steps
    before the condition is true for the first time; `time` the time until then, in millionths of the unit
    in which rates are given. Without a condition: until the walk ends.
    """

    name: str
    kind: TallyKind
    action: str = ""
    arguments: tuple[int | None, ...] = ()
    """For each parameter of the action, the value that counts; None if all do."""
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """A figure that each walk gives, or one for each combination of the observation's arguments."""

    name: str
    description: str
    instances: tuple[tuple[str, Expr], ...]
    """The arguments as people read them (`q1`; empty if there are none), and what is observed."""


@dataclass(frozen=True, slots=True)
class Walks:
    """All that a model says about random walks."""

    goal: Expr | None = None
    """Where a walk ends; without one it ends where nothing more can happen, or at the limit of steps."""
    goal_name: str = ""
    goal_description: str = ""
    observations: tuple[Observation, ...] = ()
    tallies: tuple[Tally, ...] = ()
    rates: tuple[tuple[str, Expr], ...] = ()
    """For the name of an action, how often its step happens in a unit of time, from its arguments in the
    state before it; a step of any other action has the rate 1."""
    helpers: tuple[Helper, ...] = ()
    """Those that only these expressions call."""
