"""Expressions that are known before the search: parameters, constants and what is computed from them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from angarium.checker.frontend.declared import TOO_LARGE, Declarations, Static
from angarium.checker.frontend.intruder_terms import constant_term
from angarium.checker.ir import types
from angarium.checker.language.source import Definition, Module

OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


LARGEST_EXPONENT = 62
"""With a larger one, even the powers of two are too large to compute with."""


def evaluate(model: Declarations, node: ast.expr, module: Module) -> Static:
    """The value of an expression over parameters and constants."""
    found = _named(model, node, module) or _computed(model, node, module)
    if found is None:
        raise module.error(
            "ANG104",
            node,
            f"{ast.unparse(node)} is not known before the search starts",
            "possible here: numbers, parameters, constants of the file, + - * // % **, comparisons, min, max",
        )
    if abs(found.value) >= TOO_LARGE:
        raise module.error("ANG107", node, f"{ast.unparse(node)} is too large to compute with")
    return found


def evaluate_number(model: Declarations, node: ast.expr, module: Module) -> int:
    """The value of such an expression, which must be a number, a truth or an index: no member of a class."""
    found = evaluate(model, node, module)
    if isinstance(found.type, types.Enumeration):
        what = f"{ast.unparse(node)} is {found.type}, where a number is needed"
        raise module.error("ANG106", node, what, "", "compare it: x == y")
    return found.value


def _named(model: Declarations, node: ast.expr, module: Module) -> Static | None:
    match node:
        case ast.Constant(value=bool() as truth):
            return Static(types.Bool(), int(truth))
        case ast.Constant(value=int() as number):
            return _number(number)
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name) if (
            name in model.parameters and name not in model.settings
        ):
            return model.parameters[name]
        case ast.Name(id=name):
            meaning = module.lookup(name)
            if isinstance(meaning, Definition) and isinstance(meaning.node, ast.expr):
                return _constant(model, name, node, module, meaning)
        case ast.Attribute(value=ast.Name(id=name), attr=member):
            type_ = model.named_type(name, node, module)
            if isinstance(type_, types.Enumeration) and member in type_.members:
                return Static(type_, type_.members.index(member))
    return None


def _constant(model: Declarations, name: str, node: ast.expr, module: Module, meaning: Definition) -> Static:
    key = (meaning.module.file, name)
    if key in model.evaluating:
        raise module.error("ANG108", node, f"the constant {name} is defined by itself")
    model.evaluating.add(key)
    try:
        return evaluate(model, meaning.node, meaning.module)  # type: ignore[arg-type]
    finally:
        model.evaluating.remove(key)


def _number(value: int) -> Static:
    return Static(types.Int(value, value), value)


def _computed(model: Declarations, node: ast.expr, module: Module) -> Static | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _number(-evaluate_number(model, operand, module))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Static(types.Bool(), int(not evaluate_number(model, operand, module)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return _number(_operate(model, type(op), left, right, module))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
            return Static(types.Bool(), int(_operate(model, type(op), left, right, module)))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return evaluate(model, body if evaluate_number(model, test, module) else orelse, module)
        case ast.Call(func=ast.Name(id="min" | "max" | "sum" | "len" as name), args=[whole]):
            return _of_table(model, name, whole, module)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, *_] as args):
            values = [evaluate_number(model, arg, module) for arg in args]
            return _number(min(values) if name == "min" else max(values))
        case ast.Subscript(value=whole, slice=position):
            return _item(model, whole, position, module)
        case ast.Call(func=ast.Name(id=name)):
            made = constant_term(model, node, name, module)
            return Static(*made) if made else None
    return None


def _table(node: ast.expr, module: Module) -> tuple[ast.Tuple, Module] | None:
    """The table that a constant of the file is, and where it stands."""
    match node:
        case ast.Name(id=name):
            meaning = module.lookup(name)
            if isinstance(meaning, Definition) and isinstance(meaning.node, ast.Tuple):
                return meaning.node, meaning.module
        case ast.Tuple():
            return node, module
    return None


def _of_table(model: Declarations, name: str, whole: ast.expr, module: Module) -> Static | None:
    """How many values a table has, their sum, or the least or greatest of them."""
    found = _table(whole, module)
    if found is None or not found[0].elts:
        return None
    table, home = found
    if name == "len":
        return _number(len(table.elts))
    values = [evaluate_number(model, each, home) for each in table.elts]
    return _number(sum(values) if name == "sum" else min(values) if name == "min" else max(values))


def _item(model: Declarations, whole: ast.expr, position: ast.expr, module: Module) -> Static | None:
    """A value of a table."""
    found = _table(whole, module)
    if found is None:
        return None
    table, home = found
    number, count = evaluate_number(model, position, module), len(table.elts)
    if not -count <= number < count:
        what = f"{ast.unparse(whole)} has no item {number}"
        raise module.error("ANG107", position, what, f"possible: 0 .. {count - 1}")
    return evaluate(model, table.elts[number], home)


def _operate(model: Declarations, op: type[ast.AST], left: ast.expr, right: ast.expr, module: Module) -> int:
    if op is ast.Pow:
        return _power(model, left, right, module)
    if op in (ast.Eq, ast.NotEq):
        a, b = _comparable(model, left, right, module)
    else:
        a, b = evaluate_number(model, left, module), evaluate_number(model, right, module)
    if op in (ast.FloorDiv, ast.Mod) and b == 0:
        raise module.error("ANG107", right, "division by zero")
    return OPERATORS[op](a, b)


def _power(model: Declarations, left: ast.expr, right: ast.expr, module: Module) -> int:
    base, exponent = evaluate_number(model, left, module), evaluate_number(model, right, module)
    if not 0 <= exponent <= LARGEST_EXPONENT:
        what = f"{ast.unparse(right)} is {exponent}, which is no exponent"
        raise module.error("ANG107", right, what, f"possible: 0 .. {LARGEST_EXPONENT}")
    return int(base**exponent)


def _comparable(model: Declarations, left: ast.expr, right: ast.expr, module: Module) -> tuple[int, int]:
    """Two numbers, or two members of one class; others are never equal, whatever stands for them."""
    one, other = evaluate(model, left, module), evaluate(model, right, module)
    members = any(isinstance(each.type, types.Enumeration) for each in (one, other))
    if members and one.type != other.type:
        raise module.error("ANG106", right, f"{one.type} and {other.type} cannot be compared")
    return one.value, other.value
