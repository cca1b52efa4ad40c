"""A slow and obvious judge: every call from every small state, on values, without a solver.

A world fixes how many things each sort has and what is fixed of them. In it, every state is tried, and from
each state that satisfies the conjectures every operation is run with every argument, with every answer of the
components that their contracts allow. What breaks is written down by the name of its obligation. Nothing of
this shares code with the way that makes formulas and asks a solver, but for the terms themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from angarium.contracts.module import (
    Branch,
    Call,
    Collect,
    Conjecture,
    Contract,
    Ensure,
    Implementation,
    Let,
    Loop,
    Put,
    Require,
    Statement,
)
from angarium.contracts.terms import Expr, Sort, Symbol, Variable
from tests.contracts.brute_force import OutOfNumbersError, Sizes, elements, value

Table = Mapping[tuple[int, ...], int]
State = dict[Symbol, Table]


@dataclass
class Point:
    """A state with the names that are known there."""

    sizes: Sizes
    state: State
    names: dict[Variable, int]

    def value(self, expr: Expr) -> int:
        return value(expr, self.sizes, self.state, self.names)

    def among(self, variables: tuple[Variable, ...], domain: Symbol | None) -> Iterator[Point]:
        for values in everything([each.sort for each in variables], self.sizes):
            if domain is None or self.state[domain][values]:
                names = {**self.names, **dict(zip(variables, values, strict=True))}
                yield Point(self.sizes, self.state, names)

    def holds(self, conjecture: Conjecture) -> bool:
        return all(inside.value(conjecture.condition) for inside in self.among(conjecture.parameters, None))


def everything(sorts: Iterable[Sort], sizes: Sizes) -> Iterator[tuple[int, ...]]:
    """All tuples of elements of sorts."""
    return product(*(elements(sort, sizes) for sort in sorts))


def tables(symbol: Symbol, sizes: Sizes) -> list[Table]:
    """All that a symbol can be."""
    places = list(everything(symbol.arguments, sizes))
    results = [each for (each,) in everything([symbol.result], sizes)]
    return [dict(zip(places, values, strict=True)) for values in product(results, repeat=len(places))]


@dataclass
class Judge:
    """Runs one implementation in worlds of given sizes."""

    part: Implementation
    named: Mapping[str, int]
    """How many things of each sort there are, by the sorts' names."""

    @property
    def sizes(self) -> Sizes:
        return {sort: self.named[sort.name] for sort in self.part.sorts}

    def broken(self) -> set[str]:
        """The names of obligations that some call breaks; loops are run, so they have none here."""
        found: set[str] = set()
        for state in self._states():
            point = Point(self.sizes, state, {})
            if all(point.holds(each) for each in self._known()):
                for contract in self.part.specification.contracts:
                    found |= set(self._calls(state, contract))
        return found

    def _known(self) -> list[Conjecture]:
        grounds = [self.part.specification, *(each for _, each in self.part.components), self.part]
        return [conjecture for each in grounds for conjecture in each.conjectures]

    def _states(self) -> Iterator[State]:
        below = [symbol for _, each in self.part.components for symbol in each.state]
        symbols = [*self.part.fixed, *self.part.specification.state, *below, *self.part.state]
        for chosen in product(*(tables(symbol, self.sizes) for symbol in symbols)):
            yield dict(zip(symbols, chosen, strict=True))

    def _calls(self, state: State, contract: Contract) -> Iterator[str]:
        for values in everything([each.sort for each in contract.parameters], self.sizes):
            names = dict(zip(contract.parameters, values, strict=True))
            try:
                yield from self._call(Point(self.sizes, dict(state), names), contract)
            except OutOfNumbersError:
                continue

    def _call(self, start: Point, contract: Contract) -> Iterator[str]:
        name, body = contract.name, self.part.body(contract.name)
        for before in self._run(start, contract.before):
            for done in self._run(before, body.statements):
                answers = dict(zip(contract.results, map(done.value, body.results), strict=True))
                after = Point(done.sizes, done.state, {**before.names, **answers})
                yield from self._judge(after, contract, name)

    def _judge(self, done: Point, contract: Contract, name: str) -> Iterator[str]:
        claims = [each for each in contract.after if isinstance(each, Ensure)]
        for number, claim in enumerate(claims, 1):
            if not done.value(claim.condition):
                yield f"{name} ensures" + (f" ({number})" if len(claims) > 1 else "")
        for end in self._run(done, [each for each in contract.after if each not in claims]):
            yield from (f"{name} keeps {c.name}" for c in self.part.conjectures if not end.holds(c))

    def _run(self, point: Point, statements: Iterable[Statement]) -> Iterator[Point]:
        """All ways through the statements; one that breaks an assumption is none."""
        first, *rest = [*statements, None]
        if first is None:
            yield point
            return
        for after in self._step(point, first):
            yield from self._run(after, [each for each in rest if each is not None])

    def _step(self, point: Point, statement: Statement) -> Iterator[Point]:
        match statement:
            case Require(condition=condition) | Ensure(condition=condition):
                if point.value(condition):
                    yield point
            case Let(variable=variable, value=value):
                yield Point(point.sizes, point.state, {**point.names, variable: point.value(value)})
            case Put() | Collect():
                yield _changed(point, statement)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                yield from self._run(point, then if point.value(condition) else otherwise)
            case Loop(condition=condition, body=body):
                if point.value(condition):
                    yield from self._run(point, [*body, statement])
                else:
                    yield point
            case Call():
                yield from self._component(point, statement)

    def _component(self, point: Point, call: Call) -> Iterator[Point]:
        contract = dict(self.part.components)[call.component].contract(call.operation)
        given = [point.value(each) for each in call.arguments]
        begin = Point(point.sizes, dict(point.state), dict(zip(contract.parameters, given, strict=True)))
        for called in self._run(begin, contract.before):
            for answers in everything([each.sort for each in contract.results], self.sizes):
                names = {**called.names, **dict(zip(contract.results, answers, strict=True))}
                for end in self._run(Point(point.sizes, dict(called.state), names), contract.after):
                    known = {**point.names, **dict(zip(call.results, answers, strict=True))}
                    yield Point(point.sizes, end.state, known)


def _changed(point: Point, statement: Put | Collect) -> Point:
    if isinstance(statement, Put):
        place = tuple(point.value(each) for each in statement.arguments)
        table = {**point.state[statement.symbol], place: point.value(statement.value)}
    else:
        table = dict.fromkeys(point.state[statement.symbol], False)
        for inside in point.among(statement.variables, statement.domain):
            if inside.value(statement.condition):
                table[tuple(inside.names[each] for each in statement.variables)] = True
    return Point(point.sizes, {**point.state, statement.symbol: table}, point.names)
