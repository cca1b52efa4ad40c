"""Small worlds: sorts with a few elements each, and expressions evaluated in them.

In a world of fixed size nothing is left to quantify over: "for all messages" is a conjunction with one part
for each message. Elements are numbers from 0; an order has them in that order, and a ring goes round from
the last to the first. What a symbol is at certain arguments, and what a free variable stands for, is a
**cell**. If the cells' contents are known, an expression has a value; if they are not, it becomes a
**proposition** over them. Both are done by the same evaluation: a value of a sort is a set of **choices**,
each with the proposition under which it is the one, and what is known has a single choice that is simply
true.

Propositions are simplified as they are made. Most of what quantifiers expand to is known at once: a variable
stands for one element, and whether 0 comes before 1 is no question. Only what is left goes to the solver, as
SMT-LIB text: it is read many times faster than the solver's own expressions are made one by one in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from angarium.contracts.terms import (
    TRUTH,
    And,
    Apply,
    Between,
    Choice,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Literal,
    Next,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
    parts_of,
)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Several propositions, joined by a word of SMT-LIB; every object is itself only."""

    word: str
    parts: tuple[Open, ...]


Open: TypeAlias = str | Joined
"""What depends on what is not known; a string is the name of an unknown truth."""
Proposition: TypeAlias = bool | Open


def every(parts: Iterable[Proposition]) -> Proposition:
    """Whether all parts are true; stops at the first that is known to be false."""
    left: list[Open] = []
    for part in parts:
        if not isinstance(part, bool):
            left.append(part)
        elif not part:
            return False
    return _join("and", left) if left else True


def some(parts: Iterable[Proposition]) -> Proposition:
    """Whether some part is true; stops at the first that is known to be."""
    left: list[Open] = []
    for part in parts:
        if not isinstance(part, bool):
            left.append(part)
        elif part:
            return True
    return _join("or", left) if left else False


def negation(of: Proposition) -> Proposition:
    """The opposite."""
    return not of if isinstance(of, bool) else Joined("not", (of,))


def same(left: Proposition, right: Proposition) -> Proposition:
    """Whether both are true or neither is."""
    if isinstance(left, bool):
        return right if left else negation(right)
    if isinstance(right, bool):
        return left if right else negation(left)
    return Joined("=", (left, right))


def exactly_one(parts: Iterable[Open]) -> Iterable[Proposition]:
    """Propositions that together say that one of the parts is true, and no other."""
    each = list(parts)
    yield some(each)
    for place, one in enumerate(each):
        for other in each[:place]:
            yield some((negation(one), negation(other)))


def _join(word: str, parts: list[Open]) -> Open:
    return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))


# --- text -----------------------------------------------------------------------------------


def script(claims: Iterable[Proposition]) -> str:
    """The claims in SMT-LIB; what occurs in several places is written once."""
    text = _Text()
    claimed = [f"(assert {text.name(claim)})" for claim in claims]
    return "\n".join([*text.lines, *claimed])


class _Text:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[Open, str] = {}

    def name(self, of: Proposition) -> str:
        if isinstance(of, bool):
            return str(of).lower()
        if of not in self._names:
            self._names[of] = self._introduce(of)
        return self._names[of]

    def _introduce(self, of: Open) -> str:
        if isinstance(of, str):
            self.lines.append(f"(declare-const {of} Bool)")
            return of
        parts = " ".join(map(self.name, of.parts))
        name = f"joined{len(self._names)}"
        self.lines.append(f"(define-fun {name} () Bool ({of.word} {parts}))")
        return name


Cell: TypeAlias = tuple[Symbol | Variable, tuple[int, ...]]
Choices: TypeAlias = Mapping[int, Proposition]
"""What something may be; of a truth: 1 and 0."""
Scope: TypeAlias = Mapping[Variable, int]
"""What the variables of the quantifiers around an expression stand for."""


class Variables:
    """Which variables are free in expressions; each object is looked at once."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Expr, tuple[Variable, ...]]] = {}

    def free_in(self, expr: Expr) -> tuple[Variable, ...]:
        """The variables in an expression that no quantifier in it binds."""
        known = self._found.get(id(expr))
        if known is None:  # the expression is kept with it, so that no other object gets its id
            known = self._found[id(expr)] = (expr, tuple(self._look(expr)))
        return known[1]

    def _look(self, expr: Expr) -> dict[Variable, None]:
        if isinstance(expr, Variable):
            return {expr: None}
        found = dict.fromkeys(each for part in parts_of(expr) for each in self.free_in(part))
        bound = expr.variables if isinstance(expr, Quantified) else ()
        return {each: None for each in found if each not in bound}


class World:
    """Sorts of certain sizes, and what is in the cells.

    An expression in a quantifier is evaluated for every element, but often has nothing of it in it: so what
    was found is kept by what the variables in the expression stand for.
    """

    def __init__(self, sizes: Mapping[Sort, int], contents: Callable[[Cell], Choices]) -> None:
        self._sizes = {**sizes, TRUTH: 2}
        self._contents = contents
        self._variables = Variables()
        self._known: dict[tuple[int, tuple[int | None, ...]], Choices] = {}

    def elements(self, sort: Sort) -> range:
        """All elements of a sort."""
        return range(self._sizes[sort])

    def tuples(self, sorts: tuple[Sort, ...]) -> Iterator[tuple[int, ...]]:
        """All ways to choose an element of each of these sorts."""
        return product(*map(self.elements, sorts))

    def truth(self, expr: Expr, scope: Scope) -> Proposition:
        """When an expression that is a truth is true."""
        return self.choices(expr, scope).get(1, False)

    def choices(self, expr: Expr, scope: Scope) -> Choices:
        """What an expression of any sort may be."""
        key = (id(expr), tuple(scope.get(variable) for variable in self._variables.free_in(expr)))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._choices(expr, scope)
        return known

    def _truth(self, expr: Expr, scope: Scope) -> Proposition:
        match expr:
            case Literal(value=value):
                return value
            case Not(of=of):
                return negation(self.truth(of, scope))
            case And(parts=parts):
                return every(self.truth(part, scope) for part in parts)
            case Or(parts=parts):
                return some(self.truth(part, scope) for part in parts)
            case Equal(left=left, right=right):
                return self._equal(left, right, scope)
            case Less(left=left, right=right):
                return self._compare(lambda one, other: one < other, (left, right), scope)
            case Between(start=start, slot=slot, end=end):
                return self._compare(is_between, (start, slot, end), scope)
            case Quantified():
                return self._quantified(expr, scope)
            case _:
                raise AssertionError(expr)

    def _choices(self, expr: Expr, scope: Scope) -> Choices:
        match expr:
            case Variable() if expr in scope:
                return {scope[expr]: True}
            case Variable():
                return self._contents((expr, ()))
            case First():
                return {0: True}
            case Next(of=of):
                assert of.sort.kind is Kind.RING, "the last of a small order has none behind it"
                size = len(self.elements(of.sort))
                return {(each + 1) % size: when for each, when in self.choices(of, scope).items()}
            case Apply(symbol=symbol, arguments=arguments):
                return self._apply(symbol, arguments, scope)
            case Choice():
                return self._choice(expr, scope)
            case _:
                true = self._truth(expr, scope)
                return {0: negation(true), 1: true}

    def _apply(self, symbol: Symbol, arguments: tuple[Expr, ...], scope: Scope) -> Choices:
        found: dict[int, list[Proposition]] = {}
        for combination, when in self._combinations(arguments, scope):
            for each, if_so in self._contents((symbol, combination)).items():
                found.setdefault(each, []).append(every((when, if_so)))
        return {each: some(ways) for each, ways in found.items()}

    def _choice(self, expr: Choice, scope: Scope) -> Choices:
        condition = self.truth(expr.condition, scope)
        if isinstance(condition, bool):
            return self.choices(expr.then if condition else expr.otherwise, scope)
        then, otherwise = self.choices(expr.then, scope), self.choices(expr.otherwise, scope)
        sides = ((condition, then), (negation(condition), otherwise))
        return {
            each: some(every((when, side[each])) for when, side in sides if each in side)
            for each in sorted({*then, *otherwise})
        }

    def _equal(self, left: Expr, right: Expr, scope: Scope) -> Proposition:
        if left.sort == TRUTH:
            return same(self.truth(left, scope), self.truth(right, scope))
        mine, theirs = self.choices(left, scope), self.choices(right, scope)
        return some(every((when, theirs[each])) for each, when in mine.items() if each in theirs)

    def _compare(self, holds: Callable[..., bool], arguments: tuple[Expr, ...], scope: Scope) -> Proposition:
        return some(when for each, when in self._combinations(arguments, scope) if holds(*each))

    def _combinations(
        self, arguments: tuple[Expr, ...], scope: Scope
    ) -> Iterator[tuple[tuple[int, ...], Proposition]]:
        """What the arguments may be together, and when."""
        possible = (self.choices(each, scope).items() for each in arguments)
        for combination in product(*possible):
            when = every(condition for _, condition in combination)
            if when is not False:
                yield tuple(each for each, _ in combination), when

    def _quantified(self, expr: Quantified, scope: Scope) -> Proposition:
        is_all = expr.quantifier is Quantifier.ALL
        parts = (self._instance(expr, each, scope, is_all) for each in self._instances(expr))
        return every(parts) if is_all else some(parts)

    def _instances(self, expr: Quantified) -> Iterator[tuple[int, ...]]:
        return self.tuples(tuple(variable.sort for variable in expr.variables))

    def _instance(self, expr: Quantified, values: tuple[int, ...], scope: Scope, is_all: bool) -> Proposition:
        inside: Proposition = True
        if expr.domain is not None:
            inside = self._contents((expr.domain, values)).get(1, False)
        if inside is False:
            return is_all
        body = self.truth(expr.body, {**scope, **dict(zip(expr.variables, values, strict=True))})
        return some((negation(inside), body)) if is_all else every((inside, body))


def is_between(start: int, slot: int, end: int) -> bool:
    """Whether a walk round a ring from `start` meets `slot` before `end`."""
    if start <= end:
        return start <= slot < end
    return start <= slot or slot < end
