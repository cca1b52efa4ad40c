"""Expressions of a model, from Python's syntax tree to integers over the state.

One method per kind of syntax node. What is not listed in `KINDS` is not part of the language, and the
error says what is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from angarium.checker.frontend import sets
from angarium.checker.frontend.alternatives import merge
from angarium.checker.frontend.calls import call, length, power
from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.declared import TOO_LARGE
from angarium.checker.frontend.domains import contains, set_of
from angarium.checker.frontend.evaluation import field_if_there, field_of, strictly, wrapped
from angarium.checker.frontend.fit import comparable, fit, number, told_apart, type_name
from angarium.checker.frontend.tables import looked_up, table
from angarium.checker.frontend.values import (
    NUMBER,
    Display,
    Nothing,
    OptionValue,
    Place,
    RecordValue,
    ScalarValue,
    SetValue,
    TableValue,
    Value,
    equal,
    load,
    lowest_value,
    present,
    read,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import FALSE, TRUE, binary, conjunction, if_else, negation
from angarium.checker.ir.syntax import BinaryOp, Const, Expr, Read, Within
from angarium.checker.ir.types import size
from angarium.checker.language.source import Definition
from angarium.core.errors import ModelError, did_you_mean

ARITHMETIC: dict[type[ast.operator], BinaryOp] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
ORDER: dict[type[ast.cmpop], BinaryOp] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@dataclass(slots=True)
class Expressions(Compiler):
    """Compiles expressions in one scope."""

    def value(self, node: ast.expr) -> Value:
        """What an expression means."""
        kind = KINDS.get(type(node))
        if kind is None:
            raise self.scope.error(
                "ANG104",
                node,
                f"{ast.unparse(node)} ({type(node).__name__}) is not part of the language",
                "possible: numbers, names, self.x, x.field, x[i], + - * // %, comparisons, in, and, or, not, "
                "x if c else y, calls of helpers, len, min, max, abs, and sum, any, all, min, max over "
                "generators",
            )
        return kind(self, node)

    def try_value(self, node: ast.expr) -> Value | None:
        """What an expression means, or None if it means nothing on its own."""
        try:
            return self.value(node)
        except ModelError as error:
            if error.code in ("ANG104", "ANG105"):
                return None
            raise

    def number(self, node: ast.expr) -> Expr:
        """An expression that must be a number."""
        return number(self.value(node), self.scope, node)

    def fitted(self, value: Value, type_: types.Type, node: ast.expr) -> Value:
        """A value, which the model writes so, as one of a type."""
        return fit(value, type_, self.scope, node, self.context.at(node, self.scope.module))

    def condition(self, node: ast.expr) -> Expr:
        """An expression that must be true or false; a sequence or set is true if it is not empty."""
        if isinstance(node, ast.BoolOp):
            return self._joined(node)
        value = load(self.value(node))
        match value:
            case ScalarValue(types.Bool(), expr):
                return expr
            case ScalarValue(types.Int(), expr):
                return binary("!=", expr, Const(0))
            case Place(types.Seq() | types.SetOf()):
                return binary("!=", length(self, value), Const(0))
            case SetValue():
                return sets.is_not_empty(self, value)
        raise self.scope.error(
            "ANG106",
            node,
            f"{ast.unparse(node)} is {type_name(value)}, where a condition is needed",
            "",
            "compare it: x is not None, x == y",
        )

    def place(self, node: ast.expr) -> Place:
        """An expression that must be somewhere in the state."""
        return self._placed(self.value(node), node)

    def _placed(self, value: Value, node: ast.expr) -> Place:
        if isinstance(value, Place):
            return value
        raise self.scope.error(
            "ANG106",
            node,
            f"{ast.unparse(node)} is not a part of the state",
            "",
            "only what is declared in the class can be changed: self.x = ..., self.x[i].append(...)",
        )

    # --- leaves -------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Value:
        match node.value:
            case None:
                return Nothing()
            case bool() as truth:
                return ScalarValue(types.Bool(), Const(int(truth)))
            case int() as given if abs(given) < TOO_LARGE:
                return ScalarValue(types.Int(given, given), Const(given))
        raise self.scope.error(
            "ANG104",
            node,
            f"{node.value!r} is not a value of the language",
            "possible: whole numbers, True, False, None, members of enumerations",
        )

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.scope.names:
            return self.scope.names[node.id]
        meaning = self.scope.module.lookup(node.id)
        if isinstance(meaning, Definition) and isinstance(meaning.node, ast.Tuple):
            return table(self, meaning.node, meaning.module)
        if isinstance(meaning, Definition) and isinstance(meaning.node, ast.expr):
            static = self.context.model.static(meaning.node, meaning.module)
            return ScalarValue(static.type, Const(static.value))
        raise self.scope.error(
            "ANG105",
            node,
            f"{node.id!r} is not known here",
            did_you_mean(node.id, self.scope.names),
            "a name bound inside an if or for is not known behind it: bind it before"
            if meaning is None
            else "",
        )

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in self.scope.names:
            if node.value.id == "self":
                return self._of_self(node)
            return self._member(node, node.value.id)
        return self._field(node)

    def _of_self(self, node: ast.Attribute) -> Value:
        model = self.context.model
        if node.attr in model.settings:
            # The value, not the place: what is set from outside cannot be assigned.
            at = self.context.at(node, self.scope.module)
            return ScalarValue(model.parameters[node.attr].type, Read(node.attr, Const(0), at))
        if node.attr in model.parameters:
            static = model.parameters[node.attr]
            return ScalarValue(static.type, Const(static.value))
        if node.attr in model.state:
            at = self.context.at(node, self.scope.module)
            return Place(model.state[node.attr].type, node.attr, Const(0), at)
        raise self.scope.error(
            "ANG105",
            node,
            f"the model has no state or parameter {node.attr!r}",
            did_you_mean(node.attr, [*model.state, *model.parameters]),
        )

    def _member(self, node: ast.Attribute, name: str) -> Value:
        type_ = self.context.model.named_type(name, node, self.scope.module)
        if isinstance(type_, types.Enumeration):
            if node.attr in type_.members:
                return ScalarValue(type_, Const(type_.members.index(node.attr)))
            raise self.scope.error(
                "ANG105",
                node,
                f"{name} has no member {node.attr!r}",
                did_you_mean(node.attr, type_.members),
            )
        raise self.scope.error("ANG105", node, f"{name!r} is not known here")

    def _field(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        if isinstance(value, Place) and isinstance(value.type, types.Option):
            value = present(value, value.type.item)
        if isinstance(value, Place) and isinstance(value.type, types.Record):
            fields = dict(value.type.fields)
            if node.attr in fields:
                return value.field(node.attr, fields[node.attr])
        value = load(value)
        record = value.item if isinstance(value, OptionValue) else value
        if not isinstance(record, RecordValue):
            what = f"{ast.unparse(node.value)} is {type_name(value)}, which has no fields"
            raise self.scope.error("ANG106", node, what)
        if node.attr not in dict(record.fields):
            possible = did_you_mean(node.attr, dict(record.fields))
            raise self.scope.error("ANG105", node, f"{record.type} has no field {node.attr!r}", possible)
        if isinstance(value, OptionValue):
            at = self.context.at(node, self.scope.module)
            return field_if_there(self, value, node.attr, ast.unparse(node.value), at)
        return field_of(self, record, node.attr)

    # --- places -------------------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Value:
        whole = self.value(node.value)
        if isinstance(whole, TableValue):
            return looked_up(self, whole, node)
        place = self._placed(whole, node.value)
        if isinstance(place.type, types.Seq):
            return self._seq_element(place, node.slice)
        if isinstance(place.type, types.Array):
            return self._array_item(place, place.type, node.slice)
        raise self.scope.error(
            "ANG106",
            node,
            f"{ast.unparse(node.value)} is {place.type}, which has no items by index",
        )

    def _array_item(self, place: Place, type_: types.Array, index: ast.expr) -> Place:
        key = self.fitted(self.value(index), type_.index, index)
        assert isinstance(key, ScalarValue)
        offset = binary("-", key.expr, Const(type_.index.low))
        count = size(type_.index)
        safe = type_.index.low <= key.type.low and key.type.high <= type_.index.high
        if safe:
            return place.item(type_.item, count, offset)
        inside = _within(offset, Const(count))
        return self._guarded(place, type_.item, count, offset, inside, "")

    def _seq_element(self, place: Place, index: ast.expr) -> Value:
        assert isinstance(place.type, types.Seq)
        position = self.number(index)
        shape = self.context.model.state.get(place.name)
        if place.type.capacity == 0 and shape is not None and shape.channel is not None:
            return self._never_held(place)
        length = read(place.length).expr
        if isinstance(position, Const) and position.value < 0:
            position = binary("+", length, position)
        inside = _within(position, length)
        capacity = place.type.capacity
        return self._guarded(place, place.type.item, capacity, position, inside, ".at")

    def _never_held(self, place: Place) -> Value:
        """An item of a channel without a buffer: there is no such cell, so nothing but a failure."""
        assert isinstance(place.type, types.Seq)
        never = Within(Const(-1), 0, 0, f"an item of {place.name}", place.at)
        return wrapped([(self.scope.fresh("there"), never)], lowest_value(place.type.item))

    def _guarded(
        self, place: Place, item: types.Type, count: int, offset: Expr, inside: Expr, suffix: str
    ) -> Place:
        """An item whose index may be wrong: then it is -1, which is outside any variable."""
        whole = binary("+", binary("*", place.index, Const(count)), offset)
        return Place(item, place.name + suffix, if_else(inside, whole, Const(-1)), place.at)

    # --- operators ----------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if type(node.op) in sets.JOINED and (sets.is_set(left) or sets.is_set(right)):
            return sets.joined(type(node.op), *sets.both(self, (left, node.left), (right, node.right)))
        if isinstance(node.op, ast.Pow):
            return self.computed(node, power(self, node, load(left), load(right)))
        op = ARITHMETIC.get(type(node.op))
        if op is None:
            raise self.scope.error(
                "ANG104",
                node,
                f"{ast.unparse(node)} uses an operator that is not part of the language",
                "possible: + - * // % ** of numbers, and | & - of sets",
            )
        at = self.context.at(node, self.scope.module)
        numbers = number(left, self.scope, node.left), number(right, self.scope, node.right)
        return self.computed(node, binary(op, *numbers, at))

    def computed(self, node: ast.expr, result: Expr) -> Value:
        """A number that is computed during the search, or was just now."""
        if isinstance(result, Const) and abs(result.value) >= TOO_LARGE:
            raise self.scope.error("ANG107", node, f"{ast.unparse(node)} is too large to compute with")
        return ScalarValue(NUMBER, result)

    def _boolean(self, node: ast.BoolOp) -> Value:
        for part in node.values:
            value = load(self.value(part))
            if not isinstance(value, ScalarValue) or not isinstance(value.type, types.Bool):
                raise self.scope.error(
                    "ANG106",
                    part,
                    f"{ast.unparse(part)} is {type_name(value)}, and and/or give one of their sides",
                    "",
                    "write x if condition else y, or compare: x != 0",
                )
        return ScalarValue(types.Bool(), self.condition(node))

    def _joined(self, node: ast.BoolOp) -> Expr:
        op: BinaryOp = "and" if isinstance(node.op, ast.And) else "or"
        whole = self.condition(node.values[0])
        for part in node.values[1:]:
            if whole == (FALSE if op == "and" else TRUE):
                break
            whole = binary(op, whole, self.condition(part))
        return whole

    def _unary(self, node: ast.UnaryOp) -> Value:
        match node.op:
            case ast.Not():
                return ScalarValue(types.Bool(), negation(self.condition(node.operand)))
            case ast.USub():
                return self.computed(node, binary("-", Const(0), self.number(node.operand)))
        raise self.scope.error("ANG104", node, f"{ast.unparse(node)} is not part of the language")

    def _compare(self, node: ast.Compare) -> Value:
        operands = [node.left, *node.comparators]
        parts = [
            self._comparison(node, op, left, right)
            for op, left, right in zip(node.ops, operands, operands[1:], strict=False)
        ]
        return ScalarValue(types.Bool(), conjunction(parts))

    def _comparison(self, node: ast.Compare, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Expr:
        match op:
            case ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot():
                same = self._equality(node, left, right)
                if isinstance(op, ast.Is | ast.IsNot):
                    self._refuse_identity(node, left, right)
                return same if isinstance(op, ast.Eq | ast.Is) else negation(same)
            case ast.In() | ast.NotIn():
                found = contains(self, left, right)
                return found if isinstance(op, ast.In) else negation(found)
            case _:
                a, b = self.value(left), self.value(right)
                if sets.is_set(a) or sets.is_set(b):
                    return sets.compared(self, op, *sets.both(self, (a, left), (b, right)))
                at = self.context.at(node, self.scope.module)
                numbers = number(a, self.scope, left), number(b, self.scope, right)
                return binary(ORDER[type(op)], *numbers, at)

    def _refuse_identity(self, node: ast.Compare, left: ast.expr, right: ast.expr) -> None:
        """Python's `is` asks for the same object: of None, of a truth and of a member there is just one."""
        sides = self.value(left), self.value(right)
        if any(isinstance(side, Nothing) for side in sides) or all(map(_is_one_object, sides)):
            return
        what = f"{ast.unparse(node)} asks whether both are the same object"
        possible = "possible with None, with a bool and with members of an enumeration"
        raise self.scope.error("ANG104", node, what, possible, "compare them by == or !=")

    def _equality(self, node: ast.Compare, left: ast.expr, right: ast.expr) -> Expr:
        a, b = self.value(left), self.value(right)
        if sets.is_set(a) and sets.is_set(b) and not (isinstance(a, Place) and isinstance(b, Place)):
            return sets.compared(self, ast.Eq(), *sets.both(self, (a, left), (b, right)))
        if not comparable(a, b):
            for one, other in ((a, b), (b, a)):
                type_ = getattr(one, "type", None)
                if isinstance(type_, types.Index) and type_.symmetric and isinstance(other, ScalarValue):
                    raise told_apart(self.scope, node, type_)
            raise self.scope.error(
                "ANG106",
                node,
                f"{type_name(a)} and {type_name(b)} cannot be compared: {ast.unparse(node)}",
            )
        for side, written in ((a, left), (b, right)):
            shape = self.context.model.state.get(side.name) if isinstance(side, Place) else None
            if shape is not None and shape.channel is not None:
                what = f"{ast.unparse(written)} is a channel, which cannot be compared as a whole"
                raise self.scope.error("ANG104", written, what, "possible: x in ..., len(...), loops")
        both = load(a), load(b)
        if all(isinstance(side, ScalarValue) and not isinstance(side.type, types.Option) for side in both):
            return equal(*both)  # which evaluates both
        return strictly(self, (a, b), lambda sides: equal(*sides))

    def _if_expression(self, node: ast.IfExp) -> Value:
        condition = self.condition(node.test)
        if isinstance(condition, Const):
            return self.value(node.body if condition.value else node.orelse)
        then, otherwise = load(self.value(node.body)), load(self.value(node.orelse))
        merged = merge(condition, then, otherwise)
        if merged is None:
            raise self.scope.error(
                "ANG106",
                node,
                f"one side is {type_name(then)}, the other {type_name(otherwise)}",
            )
        return merged

    def _display(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.List | ast.Set)
        kind = types.Seq if isinstance(node, ast.List) else types.SetOf
        return Display(tuple(load(self.value(item)) for item in node.elts), kind)


def _is_one_object(value: Value) -> bool:
    """Whether equal values are the same object: a number is none, even where it equals `True`."""
    type_ = getattr(value, "type", None)
    return isinstance(
        type_.item if isinstance(type_, types.Option) else type_, types.Bool | types.Enumeration
    )


def _within(position: Expr, count: Expr) -> Expr:
    return binary("and", binary(">=", position, Const(0)), binary("<", position, count))


KINDS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.BinOp: Expressions._binary,
    ast.BoolOp: Expressions._boolean,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._if_expression,
    ast.List: Expressions._display,
    ast.Set: Expressions._display,
    ast.SetComp: set_of,
    ast.Call: call,
}
