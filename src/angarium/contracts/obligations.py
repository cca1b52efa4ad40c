"""Obligations and what became of them: the unit in which a proof module is judged.

An **obligation** is one formula that must be true whatever the sizes of the sorts: that a conjecture holds at
the start, that an operation keeps it, that something asserted is true. It is refuted by a **counterexample**:
a small state, not necessarily one that can be reached, from which one call leads to what must not be. Such a
counterexample to induction says that either the code is wrong or the conjectures are too weak.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from angarium.contracts.terms import Expr, Sort, Symbol, Variable
from angarium.core.errors import Place
from angarium.core.result import Verdict

Sides = Literal["initial", "preserved", "ensured", "required", "kept"]
"""Kinds: a conjecture at the start; a conjecture after an operation; an `ensure` of a contract; a `require`
of a component that a body calls; an invariant of a loop."""


@dataclass(frozen=True, slots=True)
class Lambda:
    """The value of a symbol as an expression over its arguments: how a symbol looks after some statements."""

    parameters: tuple[Variable, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Moment:
    """A state within a run of an operation: every symbol as an expression over the symbols at its start."""

    name: str
    """Such as `before` and `after`."""
    symbols: Mapping[Symbol, Lambda]


@dataclass(frozen=True, slots=True)
class Obligation:
    """`goal` must follow from the `premises`, for sorts of any size.

    All expressions are over symbols as they are when the operation starts, and over free variables
    (parameters, results, and what statements leave open), which stand for anything.
    """

    name: str
    """`enqueue keeps represents`: what is read in a table and asked for with --only."""
    kind: Sides
    operation: str | None
    """The operation that is called; None at the start."""
    text: str
    """What must be true, as it was written."""
    premises: tuple[Expr, ...]
    goal: Expr
    sorts: tuple[Sort, ...]
    arguments: tuple[Variable, ...]
    """Free variables that people know: the operation's parameters."""
    results: tuple[tuple[str, Expr], ...]
    """What the operation answers, as far as it got."""
    moments: tuple[Moment, ...]
    """The states to show: `before` (not at the start) and `after`."""
    place: Place
    conjecture: str | None = None
    """Which conjecture it is about, if it is about one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state in a counterexample: each symbol's elements, readable."""

    name: str
    symbols: Mapping[str, Any]
    """A relation as a list of its members (a tuple as a list), a function as a mapping, else one thing."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """One call, from a small state, that breaks an obligation."""

    operation: str | None
    arguments: Mapping[str, str]
    results: Mapping[str, str]
    sorts: Mapping[str, tuple[str, ...]]
    """Each sort's elements: `Message`: `("m0", "m1")`, `Number`: `("0", "1")`."""
    facts: Mapping[str, Mapping[str, str]]
    """What is fixed of the elements: `num`: `{"m0": "0"}`."""
    snapshots: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on an obligation."""

    obligation: Obligation
    verdict: Verdict
    seconds: float
    counterexample: Counterexample | None = None
    reason: str | None = None
    """Why it is unknown."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of all obligations of one specification or implementation."""

    subject: str
    """The class: `OrderedMapQueue`."""
    description: str
    judged: tuple[Judged, ...]
