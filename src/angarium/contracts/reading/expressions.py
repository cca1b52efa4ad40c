"""Expressions of a proof module: from Python's syntax tree to terms.

Comprehensions are quantifiers, comparisons are equality and order, `in` asks a relation, a call of one of the
class's own functions stands for what it returns. Sorts are checked on the way, so that a solver never sees
a formula that makes no sense.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from angarium.contracts.reading.scope import Scope, word_of
from angarium.contracts.terms import (
    FALSE,
    TRUE,
    TRUTH,
    And,
    Between,
    Choice,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Next,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
    at_most,
    implies,
)
from angarium.core.errors import did_you_mean

QUANTIFIERS = {"all": Quantifier.ALL, "any": Quantifier.SOME}

ORDERINGS: dict[type[ast.cmpop], Callable[[Expr, Expr], Expr]] = {
    ast.Lt: Less,
    ast.LtE: at_most,
    ast.Gt: lambda left, right: Less(right, left),
    ast.GtE: lambda left, right: at_most(right, left),
}


def read_condition(scope: Scope, node: ast.expr) -> Expr:
    """An expression that must be true or false."""
    return read_as(scope, node, TRUTH)


def read_as(scope: Scope, node: ast.expr, sort: Sort) -> Expr:
    """An expression that must be of a sort."""
    expr = read_expression(scope, node)
    if expr.sort != sort:
        raise scope.error(
            "ANG106", node, f"{ast.unparse(node)} is {_called(expr.sort)}",
            f"here it must be {_called(sort)}", "correct the expression or the declaration",
        )  # fmt: skip
    return expr


def _called(sort: Sort) -> str:
    return "true or false" if sort == TRUTH else f"of the sort {sort.name}"


def read_expression(scope: Scope, node: ast.expr) -> Expr:
    """Any expression."""
    match node:
        case ast.Constant(value=bool(value)):
            return TRUE if value else FALSE
        case ast.Name(id=name):
            return _name(scope, node, name)
        case ast.Attribute():
            return _attribute(scope, node)
        case ast.Subscript(value=value, slice=argument):
            return _application(scope, node, value, argument)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Not(read_condition(scope, operand))
        case ast.BoolOp(op=operator, values=values):
            parts = tuple(read_condition(scope, value) for value in values)
            return And(parts) if isinstance(operator, ast.And) else Or(parts)
        case ast.Compare():
            return _comparison(scope, node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            then = read_expression(scope, body)
            return Choice(read_condition(scope, test), then, read_as(scope, orelse, then.sort))
        case ast.Call():
            return _call(scope, node)
    raise _not_in_language(scope, node)


def _not_in_language(scope: Scope, node: ast.expr) -> Exception:
    return scope.error(
        "ANG104", node, f"this cannot be proved about: {scope.text(node)}",
        "possible: and, or, not, ==, !=, <, <=, >, >=, in, all, any, every, implies, first, between, if else",
        _HINTS.get(type(node), "see docs/reference/proofs.md"),
    )  # fmt: skip


_HINTS: dict[type[ast.expr], str] = {
    ast.BinOp: "numbers of an order are not added: n.next is the next one",
    ast.Constant: "there are no numbers but those of an order: first(Number) is the first, n.next the next",
}
"""What to do instead."""


def _name(scope: Scope, node: ast.Name, name: str) -> Expr:
    if name in scope.names:
        return scope.names[name]
    raise scope.error(
        "ANG105", node, f"{name} is not known here", did_you_mean(name, scope.names), "give it a value first"
    )


def _attribute(scope: Scope, node: ast.Attribute) -> Expr:
    symbol = scope.symbol(node)
    if symbol is not None:
        return _single(scope, node, symbol)
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        raise scope.error(
            "ANG104", node, f"{ast.unparse(node)} is no value", "", "ask something of it: a set, an operation"
        )
    owner = read_expression(scope, node.value)
    if node.attr == "next" and owner.sort.kind in (Kind.ORDER, Kind.RING):
        return _next(scope, node, owner)
    fields = scope.sorts.fields.get(owner.sort, {})
    if node.attr in fields:
        return fields[node.attr](owner)
    what = f"nothing named {node.attr} is known of {_called(owner.sort)}"
    raise scope.error("ANG105", node, what, did_you_mean(node.attr, fields), "declare it in the sort's class")


def _single(scope: Scope, node: ast.Attribute, symbol: Symbol) -> Expr:
    if not symbol.arguments:
        return symbol()
    how = f"x in {ast.unparse(node)}" if symbol.result == TRUTH else f"{ast.unparse(node)}[x]"
    raise scope.error(
        "ANG106",
        node,
        f"{ast.unparse(node)} is no single thing",
        f"possible: {how}",
        "say of what it is asked",
    )


def _next(scope: Scope, node: ast.Attribute, owner: Expr) -> Expr:
    if owner.sort.kind is Kind.ORDER and not scope.steps:
        raise scope.error(
            "ANG104", node, f"{ast.unparse(node)} cannot stand in a claim, nor inside all and any",
            "an order may end somewhere: only code and contracts ask for what comes next",
            "give it a name outside, or say it with < and <=",
        )  # fmt: skip
    return Next(owner)


def _application(scope: Scope, node: ast.expr, value: ast.expr, argument: ast.expr) -> Expr:
    symbol = scope.symbol(value)
    if symbol is None or not symbol.arguments or symbol.result == TRUTH:
        raise scope.error("ANG106", node, f"{ast.unparse(value)} is no dict", "", "ask a set with `in`")
    return symbol(*read_arguments(scope, argument, symbol))


def read_arguments(scope: Scope, node: ast.expr, symbol: Symbol) -> tuple[Expr, ...]:
    """What stands in `in self.set`, in `self.dict[...]`: one expression, or a tuple of them."""
    given = node.elts if isinstance(node, ast.Tuple) else [node]
    if len(given) != len(symbol.arguments):
        wanted = ", ".join(sort.name for sort in symbol.arguments)
        raise scope.error(
            "ANG106", node, f"{symbol.name} takes ({wanted}), not {ast.unparse(node)}", "", "give as many"
        )
    return tuple(read_as(scope, each, sort) for each, sort in zip(given, symbol.arguments, strict=True))


def _comparison(scope: Scope, node: ast.Compare) -> Expr:
    operands = [node.left, *node.comparators]
    pairs = zip(operands, node.ops, operands[1:], strict=False)
    parts = tuple(_compared(scope, *pair) for pair in pairs)
    return parts[0] if len(parts) == 1 else And(parts)


def _compared(scope: Scope, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Expr:
    match operator:
        case ast.In():
            return _member(scope, left, right)
        case ast.NotIn():
            return Not(_member(scope, left, right))
        case ast.Eq() | ast.NotEq():
            one = read_expression(scope, left)
            same = Equal(one, read_as(scope, right, one.sort))
            return same if isinstance(operator, ast.Eq) else Not(same)
        case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE():
            one = read_expression(scope, left)
            _demand_order(scope, left, one.sort)
            return ORDERINGS[type(operator)](one, read_as(scope, right, one.sort))
    raise scope.error("ANG104", left, "`is` compares Python's objects", "possible: ==, !=", "use == or !=")


def _member(scope: Scope, left: ast.expr, right: ast.expr) -> Expr:
    symbol = scope.symbol(right)
    if symbol is None or symbol.result != TRUTH or not symbol.arguments:
        raise scope.error(
            "ANG106", right, f"{ast.unparse(right)} is no set", "possible: self.name of a set", "ask a set"
        )
    return symbol(*read_arguments(scope, left, symbol))


def _demand_order(scope: Scope, node: ast.expr, sort: Sort) -> None:
    if sort.kind is not Kind.ORDER:
        raise scope.error(
            "ANG106", node, f"{ast.unparse(node)} is {_called(sort)}, which has no order",
            "possible: < and <= between things of a sort that derives from Order", "compare numbers",
        )  # fmt: skip


def _call(scope: Scope, node: ast.Call) -> Expr:
    match node.func:
        case ast.Name(id="all" | "any" as word) if len(node.args) == 1:
            if isinstance(node.args[0], ast.GeneratorExp):
                return _quantified(scope, QUANTIFIERS[word], node.args[0])
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in scope.helpers:
            return _helped(scope, node, scope.helpers[name])
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=part)) if part in scope.parts:
            raise scope.error(
                "ANG104", node, f"a call of a component stands alone: {ast.unparse(node)}",
                "possible: name = self.part.operation(...), or return self.part.operation(...)",
                "give its answer a name first",
            )  # fmt: skip
    return _word(scope, node)


def _word(scope: Scope, node: ast.Call) -> Expr:
    if node.keywords:
        raise scope.error("ANG104", node, "arguments here have no names", "", "give them in order")
    match word_of(scope.module, node), node.args:
        case "implies", [premise, conclusion]:
            return implies(read_condition(scope, premise), read_condition(scope, conclusion))
        case "first", [name]:
            sort = scope.sorts.of(scope.module, name)
            _demand_order(scope, name, sort)
            return First(sort)
        case "between", [start, slot, end]:
            return _between(scope, start, slot, end)
    raise _not_in_language(scope, node)


def _between(scope: Scope, start: ast.expr, slot: ast.expr, end: ast.expr) -> Expr:
    begin = read_expression(scope, start)
    if begin.sort.kind is not Kind.RING:
        raise scope.error(
            "ANG106", start, f"{ast.unparse(start)} is {_called(begin.sort)}, which is no ring",
            "possible: slots of a sort that derives from Ring", "compare with < and <=",
        )  # fmt: skip
    return Between(begin, read_as(scope, slot, begin.sort), read_as(scope, end, begin.sort))


def _helped(scope: Scope, node: ast.Call, helper: ast.FunctionDef) -> Expr:
    """What one of the class's own functions returns for these arguments."""
    if helper.name in scope.inlined:
        raise scope.error("ANG108", node, f"{helper.name} calls itself", "", "say it without recursion")
    parameters = parameters_of(scope, helper)
    if len(parameters) != len(node.args) or node.keywords:
        raise scope.error(
            "ANG106", node, f"{helper.name} takes {len(parameters)} arguments", "", "give them in order"
        )
    names = {
        parameter.arg: read_as(scope, argument, sort_of_parameter(scope, parameter))
        for parameter, argument in zip(parameters, node.args, strict=True)
    }
    inside = replace(scope, names=names, inlined=(*scope.inlined, helper.name))
    return read_expression(inside, returned_by(scope, helper))


def parameters_of(scope: Scope, function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters behind `self`, which have names and sorts and nothing else."""
    given = function.args
    others = [*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg, *given.defaults]
    if any(others) or not given.args or given.args[0].arg != "self":
        raise scope.error(
            "ANG104", function, f"{function.name} has parameters of other kinds: ({ast.unparse(given)})",
            "possible: (self, name: Sort, ...)", "leave out defaults, stars and slashes",
        )  # fmt: skip
    return given.args[1:]


def sort_of_parameter(scope: Scope, parameter: ast.arg) -> Sort:
    """The sort with which a parameter is annotated."""
    if parameter.annotation is None:
        raise scope.error("ANG107", parameter, f"{parameter.arg} has no sort", "", "write name: Sort")
    return scope.sorts.of(scope.module, parameter.annotation)


def returned_by(scope: Scope, function: ast.FunctionDef) -> ast.expr:
    """The one expression that a conjecture or a helper returns."""
    match [part for part in function.body if not _is_docstring(part)]:
        case [ast.Return(value=ast.expr() as value)]:
            return value
    raise scope.error(
        "ANG104", function, f"{function.name} must be one `return` of an expression", "", "say it in one"
    )


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _quantified(scope: Scope, quantifier: Quantifier, node: ast.GeneratorExp) -> Expr:
    return _nested(scope.within_all(), quantifier, node.generators, node.elt)


def _nested(
    scope: Scope, quantifier: Quantifier, generators: Sequence[ast.comprehension], body: ast.expr
) -> Expr:
    if not generators:
        return read_condition(scope, body)
    variables, domain, inside = read_generator(scope, generators[0])
    conditions = tuple(read_condition(inside, each) for each in generators[0].ifs)
    rest = _nested(inside, quantifier, generators[1:], body)
    if conditions:
        within = implies(And(conditions), rest) if quantifier is Quantifier.ALL else And((*conditions, rest))
    else:
        within = rest
    return Quantified(quantifier, variables, domain, within)


def read_generator(
    scope: Scope, generator: ast.comprehension
) -> tuple[tuple[Variable, ...], Symbol | None, Scope]:
    """`for names in domain`: variables, the relation that they walk through, and what is in sight then."""
    domain, sorts = _domain(scope, generator.iter)
    target = generator.target
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [each.id for each in targets if isinstance(each, ast.Name)]
    if len(names) != len(sorts):
        wanted = ", ".join(sort.name for sort in sorts)
        raise scope.error(
            "ANG106", target, f"{ast.unparse(generator.iter)} gives ({wanted})", "", "name each"
        )
    variables = tuple(scope.bound(name, sort) for name, sort in zip(names, sorts, strict=True))
    return variables, domain, scope.knowing(dict(zip(names, variables, strict=True)))


def _domain(scope: Scope, node: ast.expr) -> tuple[Symbol | None, tuple[Sort, ...]]:
    if isinstance(node, ast.Call) and word_of(scope.module, node) == "every" and len(node.args) == 1:
        return None, (scope.sorts.of(scope.module, node.args[0]),)
    symbol = scope.symbol(node)
    if symbol is None or symbol.result != TRUTH or not symbol.arguments:
        raise scope.error(
            "ANG106", node, f"{ast.unparse(node)} is nothing to go through",
            "possible: a set of the class, or every(Sort)", "go through one of these",
        )  # fmt: skip
    return symbol, symbol.arguments
