"""A small world as a counterexample that people can read.

Elements of orders and rings are called `0`, `1`, ...; those of other sorts after the sort: `m` if there is
one message, `m0` and `m1` if there are two. States are made by evaluating in the world what every symbol is
at that moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from angarium.contracts.obligations import Counterexample, Lambda, Moment, Obligation, Snapshot
from angarium.contracts.solve.smallest import Structure
from angarium.contracts.solve.worlds import Scope
from angarium.contracts.terms import TRUTH, Expr, Kind, Sort, Symbol

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
