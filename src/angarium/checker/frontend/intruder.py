"""What an intruder knows, as cells: terms by number, and the deduction as loops over them.

A call of a constructor is arithmetic: the number of its first term, and the row of its arguments. The
knowledge is a set that holds everything that can be derived, so that `in` looks at one cell. Only `hear` has
work to do: it puts a term in and, if it was not in before, repeats two passes over all constructors (see
`angarium.checker.frontend.universe`). Each rule is one loop over the arguments of its constructor, so what is
compiled grows with the number of constructors and not with that of terms.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from angarium.checker.frontend.context import Compiler, Context
from angarium.checker.frontend.declared import ChannelSpec
from angarium.checker.frontend.functions import called_with
from angarium.checker.frontend.intruder_terms import constructor_of
from angarium.checker.frontend.universe import Constructor, Mention, Universe
from angarium.checker.frontend.values import (
    Place,
    ScalarValue,
    Value,
    choose_between,
    in_range,
    may_be_in,
    read,
    row,
    within,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import TRUE, binary, conjunction, negation
from angarium.checker.ir.syntax import Block, Const, Expr, For, If, Let, Local, Stmt, Write
from angarium.checker.language.source import Definition

HEARD, ROUND = ".heard", ".round"
"""Names that no model can have."""


def term(
    expressions: Compiler, node: ast.Call, function: ast.FunctionDef, meaning: Definition
) -> Value | None:
    """The term that a call constructs; None if the function is no constructor."""
    found = constructor_of(expressions.context.model, function, meaning.module)
    if found is None:
        return None
    type_, universe, constructor = found
    values = called_with(expressions, node, function, meaning.module)
    written, at = ast.unparse(node), expressions.context.at(node, expressions.scope.module)
    cells = [
        within(_scalar(values[name]), key, f"{name} in {written}", at) for name, key in constructor.arguments
    ]
    first = Const(universe.first[constructor.name])
    keys = [key for _, key in constructor.arguments]
    return ScalarValue(type_, binary("+", first, row(keys, cells)))


def _scalar(value: Value) -> ScalarValue:
    assert isinstance(value, ScalarValue)
    return value


# --- hearing ----------------------------------------------------------------------------------------


def hear_call(expressions: Compiler, node: ast.Call, place: Place, universe: Universe) -> list[Stmt]:
    """`self.knows.hear(term)`."""
    assert isinstance(place.type, types.SetOf)
    if len(node.args) != 1 or node.keywords:
        raise expressions.scope.error("ANG106", node, f"{ast.unparse(node.func)} takes one term")
    value = expressions.fitted(expressions.value(node.args[0]), place.type.item, node.args[0])
    at = expressions.context.at(node, expressions.scope.module)
    return hear(place, universe, _scalar(value), at)


def overheard(context: Context, spec: ChannelSpec, value: Value, at: int) -> list[Stmt]:
    """What is sent on a channel becomes known to the intruder on it, if there is one."""
    if spec.intruder is None:
        return []
    shape = context.model.state[spec.intruder]
    assert shape.universe is not None
    return hear(Place(shape.type, spec.intruder, Const(0)), shape.universe, _scalar(value), at)


def hear(place: Place, universe: Universe, value: ScalarValue, at: int) -> list[Stmt]:
    """A term becomes known, with all that follows."""
    assert isinstance(place.type, types.SetOf)
    known = read(place.possible(Local(HEARD))).expr
    checks = [] if may_be_in(value, place.type.item) == TRUE else in_range(value, place.type.item, at)
    news = (_learn(place, Local(HEARD), at), *_deduced(place, universe, at))
    return [*checks, Let(HEARD, value.expr), If(negation(known), news)]


def _learn(place: Place, number: Expr, at: int) -> Stmt:
    cell = place.possible(number)
    return Write(cell.name, cell.index, Const(1), at)


# --- deduction --------------------------------------------------------------------------------------


def _deduced(place: Place, universe: Universe, at: int) -> list[Stmt]:
    rules = _Rules(place, universe, at)
    made = [rule for each in universe.inside_out for rule in rules.made(each)]
    opened = [rule for each in reversed(universe.inside_out) for rule in rules.opened(each)]
    if not opened:  # nothing but atoms
        return []
    return [For(ROUND, Const(0), Const(universe.rounds), (*opened, *made))]


class _Rules:
    """The rules of one knowledge, each as loops over the arguments of a constructor."""

    def __init__(self, place: Place, universe: Universe, at: int) -> None:
        self.place, self.universe, self.at = place, universe, at

    def made(self, constructor: Constructor) -> Block:
        """Who has what a term is made from has the term."""
        if not constructor.made_from:
            return ()
        return self._rule(constructor, constructor.made_from, (_own(constructor),))

    def opened(self, constructor: Constructor) -> Block:
        """Who has a term and what opens it has its parts."""
        if not constructor.parts:
            return ()
        return self._rule(constructor, (*constructor.opened_with, _own(constructor)), constructor.parts)

    def _rule(self, constructor: Constructor, needed: Sequence[Mention], found: Sequence[Mention]) -> Block:
        """For all terms of a constructor: who has what is needed learns what is found.

        What is needed is asked for as far outside as its arguments are known.
        """
        names = [name for name, _ in constructor.arguments]
        block: Block = tuple(self._learn(each) for each in found)
        for depth in range(len(names), -1, -1):
            here = [each for each in needed if _depth(each, names) == depth]
            block = tuple(choose_between(conjunction(map(self._has, here)), list(block), []))
            if depth:
                name, type_ = constructor.arguments[depth - 1]
                block = (For(f".{name}", Const(type_.low), Const(type_.high + 1), block),)
        return block

    def _number(self, mention: Mention) -> Expr:
        keys = [type_ for _, type_ in self.universe.constructor[mention.constructor].arguments]
        values = [Local(f".{each}") if isinstance(each, str) else Const(each) for each in mention.arguments]
        return binary("+", Const(self.universe.first[mention.constructor]), row(keys, values))

    def _has(self, mention: Mention) -> Expr:
        return read(self.place.possible(self._number(mention))).expr

    def _learn(self, mention: Mention) -> Stmt:
        return _learn(self.place, self._number(mention), self.at)


def _own(constructor: Constructor) -> Mention:
    return Mention(constructor.name, tuple(name for name, _ in constructor.arguments))


def _depth(mention: Mention, names: Sequence[str]) -> int:
    """Inside how many of the loops over these names the arguments of a term are known."""
    return max((names.index(each) + 1 for each in mention.arguments if isinstance(each, str)), default=0)
