"""Calls: helpers, constructors of records and indices, and the few built-in functions of the language."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from angarium.checker.frontend.context import END, Compiler
from angarium.checker.frontend.domains import comprehension
from angarium.checker.frontend.evaluation import strictly
from angarium.checker.frontend.fit import number, told_apart
from angarium.checker.frontend.functions import call_function
from angarium.checker.frontend.intruder import term
from angarium.checker.frontend.sets import length as size_of
from angarium.checker.frontend.static import LARGEST_EXPONENT
from angarium.checker.frontend.universe import KINDS
from angarium.checker.frontend.values import (
    NUMBER,
    Display,
    Place,
    RecordValue,
    ScalarValue,
    SetValue,
    TableValue,
    Value,
    is_inside,
    load,
    read,
    row,
    within,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import binary, if_else, is_simple, negation
from angarium.checker.ir.syntax import BinaryOp, Const, Expr, LetIn, Local, Read, Reduce, ReduceOp
from angarium.checker.ir.types import size, universe
from angarium.checker.language.declarations import word_of
from angarium.checker.language.source import Definition
from angarium.checker.language.time_words import ALONG_A_RUN, ON_THE_TREE
from angarium.checker.language.walk_words import COUNTED
from angarium.core.errors import ModelError, did_you_mean

STATEMENT_WORDS = {
    "require": "as a statement of an action",
    "spend": "as a statement of an action",
    "choose": "alone on the right of an assignment: x = choose(a, b)",
    "until": "behind await: await until(condition)",
    "either": "in match await either(...)",
    "subsets": "behind in: any(... for q in subsets(Node)), and in choose(subsets(Node))",
}
STATEMENT_WORDS |= dict.fromkeys(KINDS, "alone behind return, in a function of the file that makes terms")
TIME_WORDS = {*ALONG_A_RUN, *ON_THE_TREE}


def call(expressions: Compiler, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Name):
        return _named_call(expressions, node, node.func.id)
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        function = expressions.context.model.decl.function(node.func.attr)
        if node.func.value.id == "self" and function is not None:
            return call_function(expressions, node, function.node, expressions.context.module)
    raise _unknown_call(expressions, node)


def _unknown_call(expressions: Compiler, node: ast.Call) -> ModelError:
    changes = isinstance(node.func, ast.Attribute)
    return expressions.scope.error(
        "ANG104" if changes else "ANG105",
        node,
        f"{ast.unparse(node.func)} cannot be called here",
        "possible: helpers (self.helper(x)), functions of the file, len, min, max, abs, sum, any, all",
        "what changes the state must stand alone: self.x.append(y), or y = self.x.pop(0)" if changes else "",
    )


def _named_call(expressions: Compiler, node: ast.Call, name: str) -> Value:
    meaning = expressions.scope.module.lookup(name)
    if isinstance(meaning, Definition) and isinstance(meaning.node, ast.FunctionDef):
        made = term(expressions, node, meaning.node, meaning)
        return made or call_function(expressions, node, meaning.node, meaning.module)
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin(expressions, node)
    word = word_of(expressions.scope.module, node)
    if word is not None and word in VALUES_OF_WORDS:
        return VALUES_OF_WORDS[word](expressions, node, word)
    if word in STATEMENT_WORDS:
        raise expressions.scope.error("ANG104", node, f"{word} can only stand {STATEMENT_WORDS[word]}")
    if word in TIME_WORDS:
        what = f"{word} can only stand in the formula of a guarantee marked @ltl or @ctl"
        raise expressions.scope.error("ANG110", node, what)
    type_ = expressions.context.model.named_type(name, node, expressions.scope.module)
    if isinstance(type_, types.Record):
        return _record(expressions, node, type_)
    if isinstance(type_, types.Index) and len(node.args) == 1:
        if type_.symmetric:
            raise told_apart(expressions.scope, node, type_)
        return _converted(expressions, node, type_)
    raise _unknown_call(expressions, node)


def _converted(expressions: Compiler, node: ast.Call, type_: types.Index) -> Value:
    """`Node(i + 1)`: out of range where there is no such one."""
    argument, at = node.args[0], expressions.context.at(node, expressions.scope.module)
    given = load(expressions.value(argument))
    converted = expressions.number(argument)
    known = given.type if isinstance(given, ScalarValue) else NUMBER
    return ScalarValue(type_, within(ScalarValue(known, converted), type_, ast.unparse(node), at))


def _record(expressions: Compiler, node: ast.Call, type_: types.Record) -> Value:
    names = [name for name, _ in type_.fields]
    given = dict(zip(names, node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg}
    if len(node.args) > len(names) or set(given) != set(names):
        wrong = sorted(set(names) ^ set(given))
        raise expressions.scope.error(
            "ANG106",
            node,
            f"{type_} is made from {', '.join(names)}; missing or unknown: {', '.join(wrong)}",
        )
    fields = tuple((name, _field(expressions, given[name], field)) for name, field in type_.fields)
    return RecordValue(type_, fields)


def _field(expressions: Compiler, node: ast.expr, type_: types.Type) -> Value:
    """What a record is made of, which must be one of the values that the field can have."""
    fitted = expressions.fitted(expressions.value(node), type_, node)
    if not isinstance(fitted, ScalarValue) or isinstance(type_, types.Option):
        return fitted
    at = expressions.context.at(node, expressions.scope.module)
    item = types.scalar(type_)
    assert not isinstance(item, types.Option)
    known = fitted.type if is_inside(fitted, item) else item
    return ScalarValue(known, within(fitted, item, ast.unparse(node), at))


def _implies(expressions: Compiler, node: ast.Call, _: str) -> Value:
    if len(node.args) != 2 or node.keywords:
        raise expressions.scope.error("ANG106", node, "implies takes two conditions")
    cause, effect = map(expressions.condition, node.args)
    return ScalarValue(types.Bool(), binary("or", negation(cause), effect))


def _process_state(expressions: Compiler, node: ast.Call, word: str) -> Value:
    process, *instance = node.args or [ast.Constant(None)]
    name = process.attr if isinstance(process, ast.Attribute) else ""
    parameters = expressions.context.processes.get(name)
    if parameters is None or len(instance) not in (0, len(parameters)):
        raise expressions.scope.error(
            "ANG105",
            node,
            f"{ast.unparse(node)} does not name a process",
            did_you_mean(name, expressions.context.processes),
            "write finished(self.consumer) for all instances, finished(self.consumer, c) for one",
        )
    down = expressions.context.crash_counters.get(name)
    never = word == "crashed" and down is None
    counter = END if word == "finished" or down is None else down
    if instance:
        keys = [_key(expressions, type_, given) for type_, given in zip(parameters, instance, strict=True)]
        index = ScalarValue(NUMBER, row(parameters, keys))
        at_it = binary("==", Read(f"{name}.pc", index.expr), Const(counter))
        return ScalarValue(
            types.Bool(), strictly(expressions, [index], lambda _: Const(0)) if never else at_it
        )
    if never:
        return ScalarValue(types.Bool(), Const(0))
    count = 1
    for type_ in parameters:
        count *= size(type_)
    each = expressions.scope.fresh("instance")
    at_it = binary("==", Read(f"{name}.pc", Local(each)), Const(counter))
    op: ReduceOp = "all" if word == "finished" else "any"
    return ScalarValue(types.Bool(), Reduce(op, each, Const(0), Const(count), Const(1), at_it))


def _key(expressions: Compiler, type_: types.Scalar, node: ast.expr) -> Expr:
    """An argument that selects an instance, which must be one that there is."""
    key = expressions.fitted(expressions.value(node), type_, node)
    assert isinstance(key, ScalarValue)
    return within(key, type_, ast.unparse(node), expressions.context.at(node, expressions.scope.module))


def length(expressions: Compiler, place: Place) -> Expr:
    """How many items a sequence, a buffer or a set has; a channel without a buffer never has any."""
    if isinstance(place.type, types.Seq) and place.type.capacity == 0:
        return strictly(expressions, (place,), lambda _: Const(0))
    if isinstance(place.type, types.Seq):
        return read(place.length).expr
    assert isinstance(place.type, types.SetOf)
    low = getattr(place.type.item, "low", 0)
    each = expressions.scope.fresh("element")
    inside = read(place.possible(binary("-", Local(each), Const(low)))).expr
    return Reduce("sum", each, Const(low), Const(low + universe(place.type.item)), Const(1), inside)


def _len(expressions: Compiler, node: ast.Call) -> Value:
    counted = expressions.value(node.args[0]) if len(node.args) == 1 else None
    if isinstance(counted, SetValue):
        return ScalarValue(NUMBER, size_of(expressions, counted))
    if isinstance(counted, TableValue):
        count = len(counted.items)
        return ScalarValue(types.Int(count, count), Const(count))
    place = expressions.place(node.args[0]) if len(node.args) == 1 else None
    if place is None or not isinstance(place.type, types.Seq | types.SetOf):
        raise expressions.scope.error(
            "ANG106", node, f"{ast.unparse(node)}: only sequences and sets have a length"
        )
    return ScalarValue(NUMBER, length(expressions, place))


def _only(expressions: Compiler, node: ast.Call) -> ast.expr:
    """The argument of a function that takes one."""
    if len(node.args) != 1 or node.keywords:
        raise expressions.scope.error("ANG106", node, f"{ast.unparse(node.func)} takes one argument")
    return node.args[0]


def _least_or_most(expressions: Compiler, node: ast.Call) -> Value:
    if len(node.args) < 2:
        return comprehension(expressions, node)
    if node.keywords:
        raise expressions.scope.error("ANG104", node, "min and max of several values take nothing else")
    assert isinstance(node.func, ast.Name)
    op: BinaryOp = "<=" if node.func.id == "min" else ">="
    result = expressions.number(node.args[0])
    for argument in node.args[1:]:
        result = _twice(expressions, result, expressions.number(argument), op)
    return ScalarValue(NUMBER, result)


def _twice(expressions: Compiler, left: Expr, right: Expr, op: BinaryOp) -> Expr:
    """left if left op right else right, evaluating each once."""
    names: list[tuple[str, Expr]] = []
    sides = []
    for side in (left, right):
        if not is_simple(side):
            name = expressions.scope.fresh("side")
            names.append((name, side))
            side = Local(name)
        sides.append(side)
    result = if_else(binary(op, sides[0], sides[1]), sides[0], sides[1])
    for name, value in reversed(names):
        result = LetIn(name, value, result)
    return result


def power(expressions: Compiler, node: ast.BinOp, base: Value, exponent: Value) -> Expr:
    """`b ** e`, where e is at most 2:  1 if e <= 0 else b * (1 if e <= 1 else b * 1)."""
    scope, at = expressions.scope, expressions.context.at(node, expressions.scope.module)
    numbers = [number(base, scope, node.left), number(exponent, scope, node.right)]
    assert isinstance(exponent, ScalarValue)
    most = numbers[1].value if isinstance(numbers[1], Const) else exponent.type.high
    if not 0 <= most <= LARGEST_EXPONENT:
        what = (
            f"the exponent {ast.unparse(node.right)} may be {'anything' if most > NUMBER.high // 2 else most}"
        )
        remedy = "raise to a constant, or to a part of the state that has a range"
        raise scope.error("ANG107", node.right, what, f"possible: 0 .. {LARGEST_EXPONENT}", remedy)
    counted = within(exponent, types.Int(0, most), ast.unparse(node.right), at)
    given = (ScalarValue(NUMBER, numbers[0]), ScalarValue(types.Int(0, most), counted))
    return strictly(expressions, given, lambda of: _multiplied(of, most, at))


def _multiplied(given: Sequence[Value], most: int, at: int) -> Expr:
    base, exponent = (each.expr for each in given if isinstance(each, ScalarValue))
    product: Expr = Const(1)
    for times in reversed(range(most)):
        again = binary("*", base, product, at)
        product = if_else(binary("<=", exponent, Const(times)), Const(1), again)
    return product


def _abs(expressions: Compiler, node: ast.Call) -> Value:
    operand = expressions.number(_only(expressions, node))
    return ScalarValue(NUMBER, _twice(expressions, operand, binary("-", Const(0), operand), ">="))


def _empty_set(expressions: Compiler, node: ast.Call) -> Value:
    if node.args:
        raise expressions.scope.error("ANG104", node, "only set(), the empty set, is supported")
    return Display((), types.SetOf)


def _to_int(expressions: Compiler, node: ast.Call) -> Value:
    return ScalarValue(NUMBER, expressions.number(_only(expressions, node)))


def _to_bool(expressions: Compiler, node: ast.Call) -> Value:
    return ScalarValue(types.Bool(), expressions.condition(_only(expressions, node)))


def _counted(expressions: Compiler, node: ast.Call, word: str) -> Value:
    """What a word of observations counts, if this is one."""
    counting = expressions.context.counting
    if counting is None:
        raise expressions.scope.error(
            "ANG104",
            node,
            f"{ast.unparse(node)}: {word} can only stand in a function marked @observation",
            "possible in other functions: the state and parameters",
            "write it in the observation itself, not in a condition or in a helper that it calls",
        )
    return counting(expressions, node, word)


VALUES_OF_WORDS: dict[str, Callable[[Compiler, ast.Call, str], Value]] = {
    "finished": _process_state,
    "crashed": _process_state,
    "implies": _implies,
    **dict.fromkeys(COUNTED, _counted),
}
BUILTINS: dict[str, Callable[[Compiler, ast.Call], Value]] = {
    "len": _len,
    "min": _least_or_most,
    "max": _least_or_most,
    "abs": _abs,
    "int": _to_int,
    "bool": _to_bool,
    "set": _empty_set,
    "sum": comprehension,
    "any": comprehension,
    "all": comprehension,
}
