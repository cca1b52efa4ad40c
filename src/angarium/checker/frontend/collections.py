"""What can be done to sequences and sets: each method as statements over their cells.

Unused positions of a sequence hold the lowest value, so that equal sequences are equal cells.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from angarium.checker.frontend.domains import seq_contains
from angarium.checker.frontend.evaluation import held, there
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.intruder import hear_call
from angarium.checker.frontend.values import (
    Place,
    Value,
    bind,
    choose_between,
    clear,
    element,
    equal,
    load,
    lowest_value,
    may_be_in,
    read,
    store,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import TRUE, binary, conjunction
from angarium.checker.ir.syntax import Check, Const, Expr, For, If, Let, Local, Require, Stmt, Write
from angarium.checker.ir.types import leaves


@dataclass(slots=True)
class SequenceOperations:
    """Operations on one sequence."""

    expressions: Expressions
    place: Place
    at: int

    @property
    def _type(self) -> types.Seq:
        assert isinstance(self.place.type, types.Seq)
        return self.place.type

    @property
    def length(self) -> Expr:
        return read(self.place.length).expr

    def _fresh(self, name: str) -> str:
        return self.expressions.scope.fresh(name)

    def _set_length(self, change: int) -> Stmt:
        value = binary("+", self.length, Const(change))
        return Write(self.place.length.name, self.place.index, value, self.at)

    def not_full(self) -> Expr:
        return binary("<", self.length, Const(self._type.capacity))

    def not_empty(self) -> Expr:
        return binary(">", self.length, Const(0))

    def append(self, value: Value) -> list[Stmt]:
        full = f"{self.place.name} is full: it has room for {self._type.capacity}"
        return [Check(self.not_full(), full, self.at), *self.append_unchecked(value)]

    def append_unchecked(self, value: Value) -> list[Stmt]:
        """Where the step already requires that there is room."""
        if self._type.capacity == 0:
            return []
        return [*store(self.place.element(self.length), value, self.at), self._set_length(1)]

    def insert(self, position: Expr, value: Value) -> list[Stmt]:
        full = f"{self.place.name} is full: it has room for {self._type.capacity}"
        pin = Let(self._fresh("where"), position)
        position = Local(pin.name)
        back, capacity = self._fresh("back"), self._type.capacity
        to = binary("-", Const(capacity - 1), Local(back))
        shift = store(self.place.element(to), self.place.element(binary("-", to, Const(1))), self.at)
        moved = If(conjunction((binary(">", to, position), binary("<=", to, self.length))), tuple(shift))
        inside = conjunction((binary(">=", position, Const(0)), binary("<=", position, self.length)))
        return [
            pin,
            Check(self.not_full(), full, self.at),
            Check(inside, f"the position is outside {self.place.name}", self.at),
            For(back, Const(0), Const(capacity - 1), (moved,)),
            *store(self.place.element(position), value, self.at),
            self._set_length(1),
        ]

    def take(self, position: Expr) -> tuple[list[Stmt], Value]:
        """Take out the item at a position that is known to be used."""
        names, value = bind(load(self.place.element(position)), self._fresh("taken"))
        lets: list[Stmt] = [Let(name, expr) for name, expr in names]
        return [*lets, *self._close_gap(position), self._set_length(-1)], value

    def _close_gap(self, position: Expr) -> list[Stmt]:
        """Move what stands behind a position one forward, and clear the last place that was used."""
        last = Const(self._type.capacity - 1)
        to = self._fresh("to")
        shift = store(
            self.place.element(Local(to)),
            self.place.element(binary("+", Local(to), Const(1))),
            self.at,
        )
        moves: list[Stmt] = [For(to, position, last, tuple(shift))]
        return [*moves, *store(self.place.element(last), lowest_value(self._type.item), self.at)]

    def pop(self, position: Expr) -> tuple[list[Stmt], Value]:
        inside = conjunction((binary(">=", position, Const(0)), binary("<", position, self.length)))
        check = Check(inside, f"{self.place.name} has no item at this position", self.at)
        statements, value = self.take(position)
        return [check, *statements], value

    def pop_from_end(self, number: int) -> tuple[list[Stmt], Value]:
        """The last item, the last but one ..."""
        end = self._fresh("end")
        statements, value = self.pop(Local(end))
        return [Let(end, binary("-", self.length, Const(number))), *statements], value

    def remove(self, value: Value) -> list[Stmt]:
        present = seq_contains(self.place, value, self._fresh("position"))
        check = Check(present, f"{self.place.name} has no such item", self.at)
        return [check, *self.discard(value)]

    def discard(self, value: Value) -> list[Stmt]:
        found, at = self._fresh("found"), self._fresh("position")
        capacity = self._type.capacity
        if capacity == 0:
            return []
        here = conjunction(
            (
                binary("==", Local(found), Const(capacity)),
                binary("<", Local(at), self.length),
                equal(self.place.element(Local(at)), value),
            )
        )
        search = For(at, Const(0), Const(capacity), (If(here, (Let(found, Local(at)),)),))
        gap = (*self._close_gap(Local(found)), self._set_length(-1))
        present = binary("<", Local(found), Const(capacity))
        return [Let(found, Const(capacity)), search, If(present, gap)]


METHODS = {
    types.Seq: ("append", "insert", "pop", "remove", "discard", "clear"),
    types.SetOf: ("add", "discard", "clear"),
}


def call_method(expressions: Expressions, node: ast.Call) -> tuple[list[Stmt], Value | None]:
    """A method call on a sequence or set: its statements, and its value if it has one."""
    assert isinstance(node.func, ast.Attribute)
    place, method = expressions.place(node.func.value), node.func.attr
    shape = expressions.context.model.state.get(place.name)
    if shape is not None and shape.channel is not None:
        what = f"{ast.unparse(node.func.value)} is a channel: it is used by await"
        raise expressions.scope.error("ANG104", node, what, "possible: send(x), receive(), len(...)")
    if shape is not None and shape.universe is not None and method == "hear":
        return hear_call(expressions, node, place, shape.universe), None
    if shape is not None and shape.universe is not None:
        what = f"{ast.unparse(node.func.value)} is somebody's knowledge: it grows by hearing"
        raise expressions.scope.error("ANG104", node, what, "possible: hear(term), term in ..., len(...)")
    if method == "hear":
        what = f"{ast.unparse(node.func.value)} is {place.type}, which hears nothing"
        remedy = "declare it in the class: knows = knowledge(Fact)"
        raise expressions.scope.error("ANG104", node, what, "", remedy)
    possible = METHODS.get(type(place.type), ()) if isinstance(place.type, types.Seq | types.SetOf) else ()
    if method not in possible or node.keywords:
        raise expressions.scope.error(
            "ANG104",
            node,
            f"{place.type} has no method {method!r} that can be used so",
            f"possible: {', '.join(possible) or 'none'}",
        )
    at = expressions.context.at(node, expressions.scope.module)
    lets, place = _looked_up(expressions, place)
    if method == "clear":
        return [*lets, *clear(place, at)], None
    if isinstance(place.type, types.SetOf):
        return [*lets, *_set_method(expressions, node, place, at)], None
    statements, value = _seq_method(expressions, node, SequenceOperations(expressions, place, at))
    return [*lets, *statements], value


def _looked_up(expressions: Expressions, place: Place) -> tuple[list[Stmt], Place]:
    """A place that stays the same one while it is changed, also if its index reads what is changed."""
    own = {place.name + leaf.suffix for leaf in leaves(place.type)}
    if own.isdisjoint(expressions.context.reads(place.index)):
        return [], place
    bindings, same = held(expressions, place)
    return [Let(name, expr) for name, expr in bindings], same


def _set_method(expressions: Expressions, node: ast.Call, place: Place, at: int) -> list[Stmt]:
    assert isinstance(place.type, types.SetOf)
    assert isinstance(node.func, ast.Attribute)
    _expect(expressions, node, 1)
    argument, item = node.args[0], place.type.item
    value = expressions.fitted(expressions.value(argument), item, argument)
    if node.func.attr == "add":
        cell = place.member(element(value, item, ast.unparse(argument), at))
        return [Write(cell.name, cell.index, Const(1), at)]
    cell = place.member(value)
    out: list[Stmt] = [Write(cell.name, cell.index, Const(0), at)]
    if may_be_in(value, item) == TRUE:
        return out
    lets: list[Stmt] = [Let(name, expr) for name, expr in there(expressions, place)]
    return [*lets, *choose_between(may_be_in(value, item), out, [])]


def _expect(expressions: Expressions, node: ast.Call, count: int) -> None:
    if len(node.args) != count:
        raise expressions.scope.error("ANG106", node, f"{ast.unparse(node.func)} takes {count} argument(s)")


def _seq_method(
    expressions: Expressions, node: ast.Call, operations: SequenceOperations
) -> tuple[list[Stmt], Value | None]:
    assert isinstance(node.func, ast.Attribute)
    assert isinstance(operations.place.type, types.Seq)
    if node.func.attr == "pop":
        position = expressions.number(node.args[0]) if node.args else Const(-1)
        if isinstance(position, Const) and position.value < 0:
            return operations.pop_from_end(-position.value)
        return operations.pop(position)
    inserting = node.func.attr == "insert"
    _expect(expressions, node, 2 if inserting else 1)
    argument = node.args[-1]
    given = expressions.value(argument)
    fitted = expressions.fitted(given, operations.place.type.item, argument)
    # What is only looked for need not be an item that there could be.
    sought = node.func.attr in ("remove", "discard")
    names, value = bind(given if sought else fitted, expressions.scope.fresh("item"))
    lets: list[Stmt] = [Let(name, expr) for name, expr in names]
    if inserting:
        return [*lets, *operations.insert(expressions.number(node.args[0]), value)], None
    simple: dict[str, Callable[[Value], list[Stmt]]] = {
        "append": operations.append,
        "remove": operations.remove,
        "discard": operations.discard,
    }
    return [*lets, *simple[node.func.attr](value)], None


def require(condition: Expr) -> list[Stmt]:
    """A `Require`, unless it is known to be true."""
    return [] if condition == Const(1) else [Require(condition)]
