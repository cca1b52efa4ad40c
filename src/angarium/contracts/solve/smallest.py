"""The smallest world in which something is true: how counterexamples are found, and how people read them.

All sizes are tried, those with the fewest elements first. Of the worlds of the first size that will do, one
with the fewest members in relations is taken, and of these the first in a fixed order: each cell gets the
first element that it can have. So the same obligation has the same counterexample every time, with whichever
version of the solver, and no member in it is there without need. The search always ends, but it says nothing
about worlds that are larger than it looked at.

Elements of orders and rings are called `0`, `1`, ...; those of other sorts after the sort: `m` if there is
one message, `m0` and `m1` if there are two. States are made by evaluating in the world what every symbol is
at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import z3

from angarium.contracts.obligations import Counterexample, Lambda, Moment, Obligation, Snapshot
from angarium.contracts.solve.asking import SEED, UNLIMITED, Answer, ask
from angarium.contracts.solve.worlds import (
    Cell,
    Choices,
    Proposition,
    Scope,
    World,
    every,
    exactly_one,
    negation,
    script,
)
from angarium.contracts.terms import TRUTH, Expr, Kind, Sort, Symbol, Variable

EFFORT = 5_000_000
"""Steps of the solver for one size."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A world in which all is known: cells that are not mentioned have their first element in them."""

    sizes: Mapping[Sort, int]
    contents: Mapping[Cell, int]

    def world(self) -> World:
        """For evaluating expressions."""
        return World(self.sizes, lambda cell: {self.contents.get(cell, 0): True})


def is_possible(claims: Sequence[Expr], sorts: Sequence[Sort], bound: int, deadline: float | None) -> bool:
    """Whether the claims are all true in some world with at most so many elements of each sort."""
    sizes = sizes_up_to(sorts, bound)
    return any(_Search(each, claims, deadline).succeeds() for each in sizes)


def smallest(
    claims: Sequence[Expr],
    sorts: Sequence[Sort],
    first: Sequence[Variable],
    bound: int,
    deadline: float | None,
) -> Structure | None:
    """The smallest world in which the claims are true; the variables in `first` are simplest."""
    for sizes in sizes_up_to(sorts, bound):
        search = _Search(sizes, claims, deadline)
        if search.succeeds():
            return search.simplest(first)
    return None


def sizes_up_to(sorts: Sequence[Sort], bound: int) -> Iterator[Mapping[Sort, int]]:
    """All sizes of the sorts, those with the fewest elements first; rings of a single slot teach little."""
    every_size = product(range(1, bound + 1), repeat=len(sorts))
    worlds = [dict(zip(sorts, sizes, strict=True)) for sizes in every_size]
    yield from sorted(worlds, key=lambda each: (_has_a_lone_slot(each), sum(each.values()), *each.values()))


def _has_a_lone_slot(sizes: Mapping[Sort, int]) -> bool:
    return any(sort.kind is Kind.RING and size == 1 for sort, size in sizes.items())


class _Search:
    """The worlds of one size in which the claims are true."""

    def __init__(self, sizes: Mapping[Sort, int], claims: Sequence[Expr], deadline: float | None) -> None:
        self._sizes = sizes
        self._claims = claims
        self._deadline = deadline
        self._cells: dict[Cell, Choices] = {}
        self._demands: list[Proposition] = []
        """What must be true of the unknown truths for them to make a world."""
        self._solver = z3.SolverFor("QF_FD")
        self._solver.set("random_seed", SEED)

    def succeeds(self) -> bool:
        """Whether there is such a world."""
        world = World(self._sizes, self._contents)
        claim = every(world.truth(each, {}) for each in self._claims)
        if claim is False:
            return False
        self._solver.from_string(script([claim, *self._demands]))
        return ask(self._solver, EFFORT, self._deadline) is Answer.POSSIBLE

    def _contents(self, cell: Cell) -> Choices:
        if cell not in self._cells:
            self._cells[cell] = self._unknown(cell)
        return self._cells[cell]

    def _unknown(self, cell: Cell) -> Choices:
        name, sort = f"cell{len(self._cells)}", _sort_of(cell)
        if sort == TRUTH:
            return {0: negation(name), 1: name}
        if self._sizes[sort] == 1:
            return {0: True}
        choices = {each: f"{name}is{each}" for each in range(self._sizes[sort])}
        self._demands += exactly_one(choices.values())
        return choices

    # --- the simplest -----------------------------------------------------------------------

    def simplest(self, first: Sequence[Variable]) -> Structure:
        """Of all such worlds, the one with the fewest members and, in order, the first elements."""
        self._have_fewest_members()
        cells: list[Cell] = [(variable, ()) for variable in first]
        ordered = dict.fromkeys([*(cell for cell in cells if cell in self._cells), *self._cells])
        return Structure(self._sizes, {cell: self._settle(cell) for cell in ordered})

    def _have_fewest_members(self) -> None:
        members = [z3.Bool(choices[1]) for cell, choices in self._cells.items() if _is_member_of_state(cell)]
        if members:
            next(count for count in range(len(members) + 1) if self._can_be(z3.AtMost(*members, count)))

    def _settle(self, cell: Cell) -> int:
        """The first element that can be in a cell; a member before none, as there are few of them."""
        if _sort_of(cell) != TRUTH:
            return next(
                each
                for each, when in self._cells[cell].items()
                if when is True or self._can_be(z3.Bool(when))
            )
        member = z3.Bool(self._cells[cell][1])
        if _is_member_of_state(cell):
            return 1 if self._can_be(member) else 0
        return 0 if self._can_be(z3.Not(member)) else 1

    def _can_be(self, more: z3.BoolRef) -> bool:
        """Whether this can be true as well in such a world; if so, only worlds are left in which it is."""
        self._solver.push()
        self._solver.add(more)
        possible = ask(self._solver, UNLIMITED, self._deadline) is Answer.POSSIBLE
        if not possible:
            self._solver.pop()
            self._solver.add(z3.Not(more))
        return possible


def _sort_of(cell: Cell) -> Sort:
    name, _ = cell
    return name.result if isinstance(name, Symbol) else name.sort


def _is_member_of_state(cell: Cell) -> bool:
    """Whether it is about a tuple being in a relation that operations change."""
    name, arguments = cell
    return isinstance(name, Symbol) and not name.fixed and name.result == TRUTH and bool(arguments)


_TRUTHS = ("false", "true")


def show(obligation: Obligation, structure: Structure) -> Counterexample:
    """The counterexample that the world is to the obligation."""
    return _Showing(obligation, structure).counterexample()


def names_of(sizes: Mapping[Sort, int]) -> dict[Sort, tuple[str, ...]]:
    """What the elements of each sort are called."""
    return {sort: _names(sort, size, list(sizes)) for sort, size in sizes.items()}


def _names(sort: Sort, size: int, sorts: Sequence[Sort]) -> tuple[str, ...]:
    if sort.kind is not Kind.PLAIN:
        return tuple(map(str, range(size)))
    short = sort.name[0].lower()
    rivals = [each for each in sorts if each.kind is Kind.PLAIN and each.name[0].lower() == short]
    stem = short if len(rivals) == 1 else sort.name.lower()
    return (stem,) if size == 1 else tuple(f"{stem}{each}" for each in range(size))


class _Showing:
    def __init__(self, obligation: Obligation, structure: Structure) -> None:
        self._obligation = obligation
        self._structure = structure
        self._world = structure.world()
        self._names = names_of(structure.sizes)

    def counterexample(self) -> Counterexample:
        obligation = self._obligation
        return Counterexample(
            obligation.operation,
            {each.name: self._word(each) for each in obligation.arguments},
            {name: self._word(value) for name, value in obligation.results},
            {sort.name: names for sort, names in self._names.items()},
            {symbol.name: self._fact(symbol) for symbol in self._fixed()},
            tuple(self._snapshot(moment) for moment in obligation.moments),
        )

    def _fixed(self) -> list[Symbol]:
        """What is known of the elements themselves, as far as it matters here."""
        mattering = [name for name, _ in self._structure.contents]
        shown = [symbol for moment in self._obligation.moments for symbol in moment.symbols]
        symbols = [each for each in [*mattering, *shown] if isinstance(each, Symbol) and each.fixed]
        return sorted(dict.fromkeys(symbols), key=lambda symbol: symbol.name)

    def _fact(self, symbol: Symbol) -> dict[str, str]:
        contents = self._structure.contents
        return {
            self._key(symbol, arguments): self._name(symbol.result, contents.get((symbol, arguments), 0))
            for arguments in self._world.tuples(symbol.arguments)
        }

    def _snapshot(self, moment: Moment) -> Snapshot:
        state = {symbol: value for symbol, value in moment.symbols.items() if not symbol.fixed}
        return Snapshot(
            moment.name, {symbol.name: self._table(symbol, value) for symbol, value in state.items()}
        )

    def _table(self, symbol: Symbol, value: Lambda) -> Any:  # noqa: ANN401 (as a snapshot has it)
        cells = {
            arguments: self._value(value.value, dict(zip(value.parameters, arguments, strict=True)))
            for arguments in self._world.tuples(symbol.arguments)
        }
        if not symbol.arguments:
            return bool(cells[()]) if symbol.result == TRUTH else self._name(symbol.result, cells[()])
        if symbol.result == TRUTH:
            return [self._member(symbol, arguments) for arguments, is_in in cells.items() if is_in]
        return {self._key(symbol, each): self._name(symbol.result, found) for each, found in cells.items()}

    # --- values and their names ---------------------------------------------------------------

    def _value(self, expr: Expr, scope: Scope) -> int:
        """Which element an expression is here, where everything is known."""
        return next(each for each, when in self._world.choices(expr, scope).items() if when is True)

    def _word(self, expr: Expr) -> str:
        return self._name(expr.sort, self._value(expr, {}))

    def _name(self, sort: Sort, element: int) -> str:
        return _TRUTHS[element] if sort == TRUTH else self._names[sort][element]

    def _all_names(self, symbol: Symbol, arguments: tuple[int, ...]) -> list[str]:
        return [self._name(sort, each) for sort, each in zip(symbol.arguments, arguments, strict=True)]

    def _member(self, symbol: Symbol, arguments: tuple[int, ...]) -> str | list[str]:
        names = self._all_names(symbol, arguments)
        return names[0] if len(names) == 1 else names

    def _key(self, symbol: Symbol, arguments: tuple[int, ...]) -> str:
        return ", ".join(self._all_names(symbol, arguments))
