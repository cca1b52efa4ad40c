"""The transition system: what a model means, as frozen data.

The state is a list of *variables*, each a flat array of cells with one range. An *action* is one atomic step:
for each combination of its parameters, its body (see `syntax`) runs on a copy of the state.

What random walks look at (where a walk is at its goal, what is observed of it, and how fast steps come)
changes neither the states nor the runs, so it is no part of the system's hash. An observation is an
expression over the state in which a walk ends and over *tallies*: what was counted on the way. An expression
reads a tally as a variable of its name, which no model can use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Literal

from angarium.checker.ir.formula import TemporalGuarantee
from angarium.checker.ir.syntax import Block, Expr
from angarium.checker.ir.types import Bool, Enumeration, Index, Int, Option, Scalar, Type, size
from angarium.core.result import Setting, setting_text

INTRUDER = "intruder"
"""Who sits on channels and is no process of the model: what its lifeline is called."""

# --- the state and its steps -------------------------------------------------------------------------

Cells = tuple[int, ...]
"""A state: all cells of all variables, in the order of the system's variables."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A flat array of `cells` integers in low .. high, row by row over `dims`."""

    name: str
    type: Bool | Int | Enumeration | Index | Option
    dims: tuple[int, ...] = ()
    keys: tuple[Scalar | Option | None, ...] = ()
    """What indexes each dimension; None for positions in a sequence."""
    initial: tuple[int, ...] = (0,)

    @property
    def low(self) -> int:
        return self.type.low

    @property
    def high(self) -> int:
        return self.type.high

    @property
    def cells(self) -> int:
        return len(self.initial)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A name that ranges over all values of a scalar type."""

    name: str
    type: Bool | Int | Enumeration | Index | Option
    internal: bool = field(default=False, compare=False, repr=False)
    """A choice that the step makes by itself: nobody outside sees it."""
    flag: str = field(default="", compare=False, repr=False)
    """For a choice that a step may not come to: the name that is 1 where it did."""
    options: tuple[tuple[Scalar | Option, int], ...] = field(default=(), compare=False, repr=False)
    """For a choice among values that are numbered: what each number stands for, if that is known."""


def combinations(parameters: Sequence[Parameter]) -> int:
    """How many combinations of arguments there are."""
    return prod(size(parameter.type) for parameter in parameters)


@dataclass(frozen=True, slots=True)
class Lifeline:
    """A process instance in a diagram: its name and the values of its parameters."""

    process: str
    arguments: tuple[Expr, ...] = ()
    types: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A channel operation in a step, for diagrams; expressions are evaluated before the step."""

    channel: str
    indices: tuple[Expr, ...]
    keys: tuple[Scalar, ...]
    value: tuple[Expr, ...]
    """The leaves of the value, in the order of `types.leaves`."""
    type: Type | None
    sender: Lifeline | None
    receiver: Lifeline | None


@dataclass(frozen=True, slots=True)
class Action:
    """One kind of atomic step."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    actor: Lifeline | None = None
    messages: tuple[Message, ...] = ()
    fault: bool = False
    at: int = field(default=0, compare=False, repr=False)

    @property
    def optional(self) -> bool:
        """Whether it may happen and need not: a fault, or what an intruder does. Nobody owes it."""
        return self.fault or (self.actor is not None and self.actor.process == INTRUDER)


@dataclass(frozen=True, slots=True)
class Helper:
    """A named pure expression over the state and its parameters."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Expr


# --- claims -----------------------------------------------------------------------------------------

GuaranteeKind = Literal["invariant", "reaches", "at_rest"]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What is claimed of every state, of some state, or of every state in which nothing more can happen."""

    name: str
    kind: GuaranteeKind
    condition: Expr
    description: str = ""
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a model's source."""

    file: str
    line: int
    column: int
    text: str = ""


STAYS_IN_RANGE = "stays-in-range"


# --- walks ------------------------------------------------------------------------------------------

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


# --- the whole --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TransitionSystem:
    """A model with its parameters filled in."""

    name: str
    parameters: tuple[tuple[str, Setting], ...]
    """The model's parameters as they were set."""
    state: tuple[tuple[str, Type], ...]
    """The structured state: each name's type; its leaves are the variables `name + leaf.suffix`."""
    variables: tuple[Variable, ...]
    setup: tuple[Parameter, ...]
    """Parameters of the initial step: one initial state for each combination that is enabled."""
    setup_body: Block
    actions: tuple[Action, ...]
    helpers: tuple[Helper, ...]
    guarantees: tuple[Guarantee, ...]
    temporal: tuple[TemporalGuarantee, ...] = ()
    """What is claimed of whole runs, not of single states."""
    visible: tuple[str, ...] | None = None
    """The actions and channels whose events can be seen from outside. None: every declared action and every
    channel. Any other step (a process that goes on by itself, a fault) is internal."""
    positions: dict[int, Position] = field(default_factory=dict, compare=False, repr=False)
    dead: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict, compare=False, repr=False)
    """For each process and each place where it waits, the local variables that do not matter there."""
    description: str = field(default="", compare=False, repr=False)
    settings: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), compare=False, repr=False)
    """Parameters that are part of the state, each with the variables that start at its value."""
    walks: Walks | None = field(default=None, compare=False, repr=False)
    """What random walks look at."""
    impossible: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Declared actions whose conditions are false for these parameters, whatever happens."""
    known_hash: str = field(default="", compare=False, repr=False)
    """What the system was called before questions were asked of it."""

    @cached_property
    def hash(self) -> str:
        """What the system means, in twelve hexadecimal digits."""
        if self.known_hash:
            return self.known_hash
        texts = tuple((name, setting_text(value)) for name, value in self.parameters)
        return hashlib.sha256(repr(replace(self, parameters=texts)).encode()).hexdigest()[:12]

    @property
    def claims(self) -> tuple[str, ...]:
        """The names of all guarantees, of states and over time."""
        return (*(each.name for each in self.guarantees), *(each.name for each in self.temporal))

    @cached_property
    def variable(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def helper(self) -> dict[str, Helper]:
        return {helper.name: helper for helper in self.helpers}

    @cached_property
    def offset(self) -> dict[str, int]:
        """Where each variable's cells begin in the flat tuple of all cells."""
        offsets, position = {}, 0
        for variable in self.variables:
            offsets[variable.name] = position
            position += variable.cells
        return offsets

    @cached_property
    def default_state(self) -> tuple[int, ...]:
        """All cells at their initial values, before the initial step."""
        return tuple(cell for variable in self.variables for cell in variable.initial)
