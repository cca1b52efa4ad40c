"""Sorts, symbols and expressions: first-order logic as data, before any solver and any value.

A proof module talks about unbounded sorts: sets of things of which nothing is known but what is declared.
An `order` is totally ordered, has a first element, and `next` is the least element above another. A `ring`
is a circle of slots: `next` goes round, and three slots can be asked whether they lie in this order on it.

The same expressions are proved by a solver for any size, are searched for small counterexamples, and are
evaluated on real values by a monitor. So what is iterated over is kept: `all(... for m in contents)` keeps
`contents` as its domain, because a monitor walks through it while a solver turns it into a premise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias


class Kind(Enum):
    """What is known of a sort."""

    TRUTH = "truth"
    PLAIN = "plain"
    ORDER = "order"
    RING = "ring"


@dataclass(frozen=True, slots=True)
class Sort:
    """A set of things, of any size."""

    name: str
    kind: Kind = Kind.PLAIN


TRUTH = Sort("bool", Kind.TRUTH)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A relation (its result is TRUTH), a function, or without arguments a single thing.

    A `fixed` symbol, such as the number of a message, is no state: no action changes it.
    """

    name: str
    arguments: tuple[Sort, ...]
    result: Sort
    fixed: bool = False

    def __call__(self, *arguments: Expr) -> Apply:
        return Apply(self, arguments)


@dataclass(frozen=True, slots=True)
class Literal:
    """True or False."""

    value: bool

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter, a result, a local name, or what a quantifier binds."""

    name: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class First:
    """The first element of an order."""

    sort: Sort


@dataclass(frozen=True, slots=True)
class Next:
    """What comes next: in an order only in code, where it names one element; in a ring anywhere."""

    of: Expr

    @property
    def sort(self) -> Sort:
        return self.of.sort


@dataclass(frozen=True, slots=True)
class Apply:
    """A relation or function of its arguments, in the state in which it is evaluated."""

    symbol: Symbol
    arguments: tuple[Expr, ...]

    @property
    def sort(self) -> Sort:
        return self.symbol.result


@dataclass(frozen=True, slots=True)
class Equal:
    """Whether two things are the same; of two truths: whether both hold or neither."""

    left: Expr
    right: Expr

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class Less:
    """Whether one element of an order comes before another."""

    left: Expr
    right: Expr

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class Between:
    """Whether a walk round a ring that starts at `start` meets `slot` before it meets `end`.

    It meets its start at once, so `start` itself is between unless `start` is `end`: then nothing is.
    """

    start: Expr
    slot: Expr
    end: Expr

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class Not:
    of: Expr

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts; of none: true."""

    parts: tuple[Expr, ...]

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class Or:
    """Some of the parts; of none: false."""

    parts: tuple[Expr, ...]

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, slots=True)
class Choice:
    """`then if condition else otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr

    @property
    def sort(self) -> Sort:
        return self.then.sort


class Quantifier(Enum):
    ALL = "all"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Quantified:
    """`all(body for variables in domain)` or `any(...)`.

    The domain is a relation, of which the variables are the arguments in their order; None stands for
    every element of the variables' sorts.
    """

    quantifier: Quantifier
    variables: tuple[Variable, ...]
    domain: Symbol | None
    body: Expr

    @property
    def sort(self) -> Sort:
        return TRUTH


Expr: TypeAlias = (
    Literal | Variable | First | Next | Apply | Equal | Less | Between | Not | And | Or | Choice | Quantified
)

TRUE, FALSE = Literal(True), Literal(False)


def implies(premise: Expr, conclusion: Expr) -> Expr:
    """If the premise, then the conclusion."""
    return Or((Not(premise), conclusion))


def at_most(left: Expr, right: Expr) -> Expr:
    """Whether one element of an order comes before another or is it."""
    return Not(Less(right, left))


def parts_of(expr: Expr) -> tuple[Expr, ...]:
    """The expressions of which an expression is made."""
    match expr:
        case Literal() | Variable() | First():
            return ()
        case Next(of=of) | Not(of=of):
            return (of,)
        case Apply(arguments=arguments):
            return arguments
        case Equal(left=left, right=right) | Less(left=left, right=right):
            return (left, right)
        case Between(start=start, slot=slot, end=end):
            return (start, slot, end)
        case And(parts=parts) | Or(parts=parts):
            return parts
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case Quantified(body=body):
            return (body,)


def with_parts(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """The same expression made of other parts."""
    match expr:
        case Literal() | Variable() | First():
            return expr
        case Apply(symbol=symbol):
            return Apply(symbol, parts)
        case And() | Or():
            return type(expr)(parts)
        case Quantified():
            return replace(expr, body=parts[0])
    return type(expr)(*parts)


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and everything in it."""
    yield expr
    for part in parts_of(expr):
        yield from walk(part)
