"""Helper functions as pure expressions.

A helper binds names, decides with `if`, and returns; it changes nothing and has no loops (comprehensions say
what a loop would). So its body is one expression: assignments become `LetIn`, branches become `IfElse`. If
its arguments and its result are scalars it becomes a `Helper` of the transition system, which engines
evaluate at most once per state and argument; otherwise it is expanded where it is called.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from angarium.checker.frontend.alternatives import merge
from angarium.checker.frontend.context import Compiler, Scope
from angarium.checker.frontend.evaluation import Bindings, let_in, wrapped
from angarium.checker.frontend.fit import type_name
from angarium.checker.frontend.values import Display, Nothing, ScalarValue, Value, bind, load
from angarium.checker.ir import types
from angarium.checker.ir.fold import ZERO, if_else, is_simple
from angarium.checker.ir.syntax import Call, Const, Expr, Local
from angarium.checker.ir.transition import Helper, Parameter
from angarium.checker.language.source import Module


def call_function(
    expressions: Compiler,
    node: ast.Call,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    module: Module,
) -> Value:
    """The value of a call."""
    if isinstance(function, ast.AsyncFunctionDef):
        raise expressions.scope.error("ANG104", node, f"{function.name} is a process: it cannot be called")
    arguments = called_with(expressions, node, function, module)
    with expressions.context.calling(function, module, node, expressions.scope.module):
        types_ = [_parameter_type(expressions, arg, module) for arg in _formal(function)]
        if all(_always_fits(v, t) for v, t in zip(arguments.values(), types_, strict=True)):
            helper = _helper(expressions, function, module, [t for t in types_ if t is not None])
            if helper is not None:
                type_, name = helper
                exprs = tuple(e.expr for e in arguments.values() if isinstance(e, ScalarValue))
                return ScalarValue(type_, Call(name, exprs))
        return _expand(expressions, function, module, arguments)


def returned(expressions: Compiler, function: ast.FunctionDef) -> Value:
    """What a function returns, in a scope in which its arguments are known."""
    bindings, value = _body(expressions, function.body, function)
    return _behind(expressions, bindings, load(value), function)


def _always_fits(value: Value, type_: types.Scalar | types.Option | None) -> bool:
    """Whether a value is certainly in the range of a parameter, so that a table can be indexed with it."""
    if type_ is None or not isinstance(value, ScalarValue):
        return False
    return type_.low <= value.type.low and value.type.high <= type_.high


def _formal(function: ast.FunctionDef) -> list[ast.arg]:
    return [arg for arg in function.args.args if arg.arg != "self"]


def called_with(
    expressions: Compiler, node: ast.Call, function: ast.FunctionDef, module: Module
) -> dict[str, Value]:
    """The arguments of a call by their names, each fitted to its type."""
    formal = _formal(function)
    given = dict(zip((a.arg for a in formal), node.args, strict=False))
    twice = [k.arg for k in node.keywords if k.arg in given]
    given |= {k.arg: k.value for k in node.keywords if k.arg}
    if twice or len(node.args) > len(formal) or set(given) != {a.arg for a in formal}:
        expected = ", ".join(a.arg for a in formal) or "no arguments"
        raise expressions.scope.error("ANG106", node, f"{function.name} takes {expected}")
    values = {}
    for arg in formal:
        value = load(expressions.value(given[arg.arg]))
        type_ = _annotated(expressions, arg, module)
        values[arg.arg] = expressions.fitted(value, type_, given[arg.arg]) if type_ else value
    return values


def _annotated(expressions: Compiler, arg: ast.arg, module: Module) -> types.Type | None:
    """An argument's type; None for a plain int, which may be any number."""
    match arg.annotation:
        case None:
            raise module.error(
                "ANG107", arg, f"the argument {arg.arg} needs a type", "", f"write {arg.arg}: App"
            )
        case ast.Name(id="int"):
            return None
        case annotation:
            return expressions.context.model.annotated(annotation, module).type


def _parameter_type(
    expressions: Compiler, arg: ast.arg, module: Module
) -> types.Scalar | types.Option | None:
    """The type of an argument of which a table can be made."""
    type_ = _annotated(expressions, arg, module)
    return type_ if type_ is not None and types.is_scalar(type_) else None  # type: ignore[return-value]


def _helper(
    expressions: Compiler,
    function: ast.FunctionDef,
    module: Module,
    types_: list[types.Scalar | types.Option],
) -> tuple[types.Scalar | types.Option, str] | None:
    """The transition system's helper for a function, made on first use; None if it is not scalar."""
    context, name = expressions.context, _helper_name(expressions, function, module)
    if name not in context.helpers:
        formal = [arg.arg for arg in _formal(function)]
        scope = Scope(module, taken=set(formal))
        scope.names = {n: ScalarValue(t, Local(n)) for n, t in zip(formal, types_, strict=True)}
        bindings, value = _body(expressions.inside(scope), function.body, function)
        value = load(value)
        if not isinstance(value, ScalarValue):
            return None
        parameters = tuple(Parameter(n, t) for n, t in zip(formal, types_, strict=True))
        context.helpers[name] = Helper(name, parameters, let_in(bindings, value.expr))
        context.helper_types[name] = value.type
    return context.helper_types[name], name


def _helper_name(expressions: Compiler, function: ast.FunctionDef, module: Module) -> str:
    """A name that no other function's helper has: a method and a function of a file may share theirs."""
    names, key = expressions.context.helper_names, (module.file, function.lineno)
    if key not in names:
        taken = sum(name.partition("__")[0] == function.name for name in names.values())
        names[key] = f"{function.name}__{taken + 1}" if taken else function.name
    return names[key]


def _expand(
    expressions: Compiler, function: ast.FunctionDef, module: Module, arguments: dict[str, Value]
) -> Value:
    scope = expressions.scope.inner({}, module)
    bindings: Bindings = []
    for name, value in arguments.items():
        more, scope.names[name] = bind(value, scope.fresh(name))
        bindings += more
    inner, value = _body(expressions.inside(scope), function.body, function)
    return _behind(expressions, [*bindings, *inner], load(value), function)


def _behind(expressions: Compiler, bindings: Bindings, value: Value, function: ast.FunctionDef) -> Value:
    """A value behind the names that were bound on the way to it; None has no parts to bring them along."""
    may_fail = any(expressions.context.may_fail(expr) for _, expr in bindings)
    if may_fail and isinstance(value, Nothing | Display):
        raise expressions.scope.error(
            "ANG104",
            function,
            f"{function.name} returns {type_name(value)} behind a value that may fail and is not used",
            "",
            "leave out what is not used, or decide with it: return None if x == y else z",
        )
    return wrapped(bindings, value)


def _body(expressions: Compiler, body: list[ast.stmt], function: ast.FunctionDef) -> tuple[Bindings, Value]:
    """The bindings and the returned value of a helper's statements."""
    bindings: Bindings = []
    for position, statement in enumerate(body):
        assignment = _assignment(statement)
        if assignment is not None:
            name, assigned = assignment
            bindings += _bind_local(expressions, name, expressions.value(assigned))
            continue
        match statement:
            case ast.Return(value=ast.expr() as value):
                return bindings, expressions.value(value)
            case ast.If():
                found = _branch(expressions, statement, body[position + 1 :], function, bindings)
                if found is not None:
                    return bindings, found
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise _not_pure(expressions, statement)
    raise expressions.scope.error(
        "ANG104",
        function,
        f"{function.name} does not return a value on every path",
        "",
        "add a return",
    )


def _not_pure(expressions: Compiler, statement: ast.stmt) -> Exception:
    return expressions.scope.error(
        "ANG104",
        statement,
        f"{type(statement).__name__} cannot stand in a helper whose value is used",
        "possible: name = expression, if, return",
        "write a comprehension: sum(...), any(...), all(...), min(...), max(...)",
    )


def _bind_local(expressions: Compiler, name: str, value: Value) -> Bindings:
    value = load(value)
    if isinstance(value, ScalarValue) and is_simple(value.expr):
        expressions.scope.names[name] = value
        return []
    bindings, expressions.scope.names[name] = bind(value, expressions.scope.fresh(name))
    return bindings


def _returns(body: list[ast.stmt]) -> bool:
    """Whether a block returns on every path."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _returns(last.body) and _returns(last.orelse)
    return isinstance(last, ast.Return)


def _branch(
    expressions: Compiler,
    node: ast.If,
    rest: list[ast.stmt],
    function: ast.FunctionDef,
    bindings: Bindings,
) -> Value | None:
    """The value of an `if` that returns; None if it only binds names, which are then in scope."""
    condition = expressions.condition(node.test)
    if isinstance(condition, Const):
        taken = node.body if condition.value else node.orelse
        inner, value = _body(expressions, [*taken, *rest], function)
        bindings += inner
        return value
    if _returns(node.body):
        then = _sub_body(expressions, node.body, function)
        otherwise = _sub_body(expressions, [*node.orelse, *rest], function)
        merged = merge(condition, then, otherwise)
        if merged is None:
            raise expressions.scope.error("ANG106", node, "the branches return values that do not fit")
        return merged
    if node.orelse and _returns(node.orelse):
        flipped = ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body), node)
        ast.fix_missing_locations(flipped)
        return _branch(expressions, flipped, rest, function, bindings)
    _bind_branches(expressions, node, condition, bindings)
    return None


def _sub_body(expressions: Compiler, body: list[ast.stmt], function: ast.FunctionDef) -> Value:
    inner = expressions.inside()
    bindings, value = _body(inner, body, function)
    return _behind(expressions, bindings, load(value), function)


@dataclass(slots=True)
class _Outcome:
    """What a block without `return` does: the names that it assigns, and what it evaluates besides.

    A value that nobody can use any more has been evaluated all the same, and may have failed.
    """

    names: dict[str, Value] = field(default_factory=dict)
    lost: list[Expr] = field(default_factory=list)

    def lose(self, expressions: Compiler, name: str) -> None:
        """The value of a name is not known any more."""
        pairs, _ = bind(self.names[name], "") if name in self.names else ([], None)
        self.lost += [expr for _, expr in pairs if expressions.context.may_fail(expr)]


def _bind_branches(expressions: Compiler, node: ast.If, condition: Expr, bindings: Bindings) -> None:
    """Names that an `if` binds: each is one of two values behind it."""
    merged = _merged(expressions, node, condition)
    bindings += [(expressions.scope.fresh("lost"), expr) for expr in merged.lost]
    for name, value in merged.names.items():
        bindings += _bind_local(expressions, name, value)


def _merged(expressions: Compiler, node: ast.If, condition: Expr) -> _Outcome:
    before = expressions.scope.names
    outcomes = [_assigned(expressions, branch) for branch in (node.body, node.orelse)]
    merged = _Outcome()
    for name in {**outcomes[0].names, **outcomes[1].names}:
        then, otherwise = (outcome.names.get(name, before.get(name)) for outcome in outcomes)
        if then is None or otherwise is None:
            for outcome in outcomes:
                outcome.lose(expressions, name)  # bound on one way only: not known behind
            continue
        value = merge(condition, then, otherwise)
        if value is None:
            raise expressions.scope.error("ANG106", node, f"{name} has values of two types")
        merged.names[name] = value
    merged.lost += [if_else(condition, expr, ZERO) for expr in outcomes[0].lost]
    merged.lost += [if_else(condition, ZERO, expr) for expr in outcomes[1].lost]
    if not merged.names and expressions.context.may_fail(condition):
        merged.lost.append(condition)
    return merged


def _assigned(expressions: Compiler, body: list[ast.stmt]) -> _Outcome:
    """What a block without `return` assigns."""
    inner = expressions.inside()
    outcome = _Outcome()
    for statement in body:
        assignment = _assignment(statement)
        if assignment is not None:
            more = _Outcome({assignment[0]: load(inner.value(assignment[1]))})
        elif isinstance(statement, ast.If):
            more = _merged(inner, statement, inner.condition(statement.test))
        elif isinstance(statement, ast.Pass):
            continue
        else:
            raise _not_pure(expressions, statement)
        for name in more.names:
            outcome.lose(expressions, name)
        outcome.names |= more.names
        outcome.lost += more.lost
        inner.scope.names |= more.names
    return outcome


def _assignment(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The name and the value of an assignment; `x += 1` is `x = x + 1`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, value
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return name, ast.fix_missing_locations(ast.copy_location(whole, statement))
    return None
