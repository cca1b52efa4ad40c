"""The transition system: what a model means, as frozen data.

Everything is integers. The state is a list of *variables*, each a flat array of cells with one range.
An *action* is one atomic step: for each combination of its parameters, its body runs on a copy of the
state. Statements run in order, and a read sees what the body wrote before. A `Require` that is false
abandons the step quietly: it is not enabled. A cell index, a written value, a divisor, a `Within` or a
`Check` that is wrong *fails* the step: the guarantee `stays-in-range` is violated there, and the step leads
nowhere.
So does a computation that needs more than 64 bits.
The same failures can happen while a guarantee or a helper is evaluated.

`and`, `or`, `IfElse`, `any`, `all` and the `where` of a `Reduce` evaluate from left to right and only as
far as needed, so that a guard protects what stands behind it. Division and remainder are Python's (floor).

`at` names the place in the source (a key of `TransitionSystem.positions`); it is not part of what the
system means, so it does not count in comparisons or in the hash.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Literal

from angarium.checker.model.types import Bool, Enumeration, Index, Int, Option, Scalar, Type, size

if TYPE_CHECKING:
    from angarium.checker.model.formula import TemporalGuarantee
    from angarium.checker.model.observation import Walks

INTRUDER = "intruder"
"""Who sits on channels and is no process of the model: what its lifeline is called."""

BinaryOp = Literal["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
ReduceOp = Literal["sum", "any", "all", "min", "max"]

OPERATIONS: dict[BinaryOp, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": lambda left, right: bool(left) and bool(right),
    "or": lambda left, right: bool(left) or bool(right),
}
"""What each operation gives for two numbers (as a bool where it is a truth)."""

# --- expressions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter, a loop's variable, or a name bound by `Let` or `LetIn`."""

    name: str


@dataclass(frozen=True, slots=True)
class Read:
    """One cell of the state; fails if the index is outside 0 .. cells - 1."""

    variable: str
    index: Expr
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two integers; comparisons, `and` and `or` give 0 or 1. Division by 0 fails."""

    op: BinaryOp
    left: Expr
    right: Expr
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """1 if the operand is 0, else 0."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class IfElse:
    """One of two expressions."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class LetIn:
    """An expression in which a name stands for a value."""

    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A helper applied to arguments, in the state as it is at that moment."""

    helper: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Reduce:
    """A comprehension: for each name in low .. high - 1 with `where`, the body, combined by the operation.

    The sum of nothing is 0, any of nothing 0, all of nothing 1; min and max of nothing are `empty`,
    and fail if that is None.
    """

    op: ReduceOp
    name: str
    low: Expr
    high: Expr
    where: Expr
    body: Expr
    empty: Expr | None = None
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Within:
    """A number that must lie in low .. high: what becomes one of a type must be one of its values.

    Nothing else may stand for it: a number that an option cannot hold is not None, whose cell is one below.
    """

    value: Expr
    low: int
    high: int
    what: str = field(default="", compare=False, repr=False)
    """How the model writes it."""
    at: int = field(default=0, compare=False, repr=False)


Expr = Const | Local | Read | Binary | Not | IfElse | LetIn | Call | Reduce | Within

# --- statements -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """Bind or rebind a local integer."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Write:
    """Set one cell; fails if the index or the value is out of range."""

    variable: str
    index: Expr
    value: Expr
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """One of two blocks."""

    condition: Expr
    then: Block
    otherwise: Block = ()


@dataclass(frozen=True, slots=True)
class For:
    """The body once for each name in low .. high - 1."""

    name: str
    low: Expr
    high: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class Require:
    """The step is enabled only if the condition is true."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class Check:
    """The step fails with the message unless the condition is true."""

    condition: Expr
    message: str
    at: int = field(default=0, compare=False, repr=False)


Stmt = Let | Write | If | For | Require | Check
Block = tuple[Stmt, ...]

# --- declarations -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    """A flat array of `cells` integers in low .. high, row by row over `dims`."""

    name: str
    type: Bool | Int | Enumeration | Index | Option
    dims: tuple[int, ...] = ()
    keys: tuple[Scalar | None, ...] = ()
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


@dataclass(frozen=True)
class TransitionSystem:
    """A model with its parameters filled in."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """The model's parameters as they were set, as text."""
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
        return self.known_hash or hashlib.sha256(repr(self).encode()).hexdigest()[:12]

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
