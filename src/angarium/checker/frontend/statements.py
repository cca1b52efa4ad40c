"""Statements of actions, and of the parts of processes between two awaits.

One method per kind of syntax node, as for expressions. A name that an action binds is local to it; one
bound inside an `if` or `for` is not known behind it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from angarium.checker.frontend import sets
from angarium.checker.frontend.alternatives import assigned_twice, settled
from angarium.checker.frontend.choices import Choices, Choosing, named
from angarium.checker.frontend.collections import call_method, require
from angarium.checker.frontend.context import Context, Scope
from angarium.checker.frontend.domains import Domain, domain
from angarium.checker.frontend.evaluation import Bindings, held, there
from angarium.checker.frontend.expressions import ARITHMETIC, Expressions
from angarium.checker.frontend.fit import number, type_name
from angarium.checker.frontend.order import check_elements, check_order
from angarium.checker.frontend.values import (
    Display,
    OptionValue,
    Place,
    RecordValue,
    ScalarValue,
    SetValue,
    Value,
    bind,
    choose_between,
    load,
    spend,
    store,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import binary
from angarium.checker.ir.syntax import Const, Expr, For, Let, Local, Stmt
from angarium.checker.ir.traversal import expressions as parts
from angarium.checker.ir.traversal import reads_state, writes
from angarium.checker.language.declarations import word_of
from angarium.checker.language.source import Definition, Module

SUPPORTED = (
    "supported: assignments, if, for over a bounded domain, pass, require(...), spend(...), "
    "method calls on sequences and sets, calls of functions of the model"
)


@dataclass(slots=True)
class Statements:
    """Compiles statements in one scope."""

    context: Context
    scope: Scope
    choices: Choices
    depth: int = 0
    """How many ifs are around the current statement."""
    loops: int = 0
    rebound: frozenset[str] = frozenset()
    """Names that are assigned more than once: their numbers can be anything."""

    @property
    def expressions(self) -> Expressions:
        return Expressions(self.context, self.scope)

    def block(self, body: list[ast.stmt]) -> list[Stmt]:
        """A list of statements."""
        return [compiled for statement in body for compiled in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[Stmt]:
        kind = KINDS.get(type(node))
        if kind is None:
            raise self.scope.error(
                "ANG104",
                node,
                f"{type(node).__name__} is not part of the language here",
                SUPPORTED,
                REMEDIES.get(type(node), ""),
            )
        compiled: list[Stmt] = getattr(self, kind)(node)
        return compiled

    def _at(self, node: ast.AST) -> int:
        return self.context.at(node, self.scope.module)

    def _inner(self, *, loop: bool = False) -> Statements:
        return Statements(
            self.context,
            self.scope.inner(),
            self.choices,
            self.depth + 1,
            self.loops + loop,
            self.rebound,
        )

    # --- assignments --------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign) -> list[Stmt]:
        if len(node.targets) != 1:
            raise self.scope.error("ANG104", node, "several targets are not part of the language", "x = y")
        statements, value = self.effect(node.value)
        return [*statements, *self.assign(node.targets[0], value, node.value)]

    def _annotated(self, node: ast.AnnAssign) -> list[Stmt]:
        if node.value is None:
            return []
        statements, value = self.effect(node.value)
        return [*statements, *self.assign(node.target, value, node.value)]

    def assign(self, target: ast.expr, value: Value, source: ast.expr) -> list[Stmt]:
        """Put a value into a place, or give it a name."""
        if isinstance(target, ast.Name) and not isinstance(self.scope.names.get(target.id), Place):
            return self.bind(target, value)
        place = self.expressions.place(target)
        self._refuse_assigning(place, target)
        return self.store(place, self.expressions.fitted(value, place.type, source), target)

    def _refuse_assigning(self, place: Place, target: ast.expr) -> None:
        shape = self.context.model.state.get(place.name)
        if shape is not None and shape.channel is not None:
            what = f"{ast.unparse(target)} is a channel, which cannot be assigned"
            raise self.scope.error("ANG104", target, what, "possible: send(x), receive(), len(...)")
        if shape is not None and shape.universe is not None:
            what = f"{ast.unparse(target)} is somebody's knowledge, which cannot be assigned"
            raise self.scope.error("ANG104", target, what, f"possible: {ast.unparse(target)}.hear(term)")

    def store(self, place: Place, value: Value, node: ast.AST) -> list[Stmt]:
        """Put a value into a place; all of it is evaluated before anything is written."""
        at = self._at(node)
        if isinstance(load(value), ScalarValue):
            return store(place, value, at)
        names: list[tuple[str, Expr]] = []
        if isinstance(value, SetValue):
            place = self._pinned_place(place, names)
            return [*named(names), *sets.store(self.expressions, place, value, node, at)]
        value, place = self._pinned(load(value), names), self._pinned_place(place, names)
        return [*named(names), *store(place, value, at)]

    def _pinned(self, value: Value, names: list[tuple[str, Expr]]) -> Value:
        match value:
            case Place():
                return self._pinned_place(value, names)
            case Display(items):
                return Display(tuple(self._pinned(load(item), names) for item in items))
        pairs, bound = bind(value, self.scope.fresh("value"))
        names += pairs
        return bound

    def _pinned_place(self, place: Place, names: list[tuple[str, Expr]]) -> Place:
        if not reads_state(place.index):
            return place
        name = self.scope.fresh("row")
        names.append((name, place.index))
        return replace(place, index=Local(name))

    def bind(self, target: ast.Name, value: Value) -> list[Stmt]:
        """Give a value a name."""
        value = settled(load(value)) if target.id in self.rebound else load(value)
        self._check_rebinding(target, value)
        name = self._local_name(target.id)
        pairs, bound = bind(value, name)
        is_chosen = isinstance(bound, SetValue) and bound.is_chosen
        if isinstance(bound, Place) or (not pairs and not isinstance(bound, ScalarValue) and not is_chosen):
            raise self.scope.error(
                "ANG106",
                target,
                f"{target.id} would be {type_name(value)}, which cannot be given a name",
                "only numbers, bools, enumeration members, indices, records and options can",
                "use the part of the state itself",
            )
        self.scope.names[target.id] = bound
        return self._at_once(pairs)

    def _at_once(self, pairs: Bindings) -> list[Stmt]:
        """All names get their values at once: in `p = Pair(p.y, p.x)` none sees what another has become."""
        given = {Local(name) for name, _ in pairs[:-1]}
        if all(given.isdisjoint(parts(expr)) for _, expr in pairs[1:]):
            return named(pairs)
        before = [(self.scope.fresh("before"), expr) for _, expr in pairs]
        after: Bindings = [(name, Local(old)) for (name, _), (old, _) in zip(pairs, before, strict=True)]
        return [*named(before), *named(after)]

    def _check_rebinding(self, target: ast.Name, value: Value) -> None:
        """A name stands for values of one type, in all branches; the variable of a loop is the loop's."""
        if target.id in self.scope.fixed:
            raise self.scope.error("ANG104", target, f"{target.id} belongs to a loop and cannot be assigned")
        old = self.scope.names.get(target.id)
        if old is None:
            return
        plain = isinstance(old, ScalarValue | RecordValue | OptionValue)
        if not plain or getattr(old, "type", None) != getattr(value, "type", None):
            raise self.scope.error(
                "ANG106",
                target,
                f"{target.id} was {type_name(old)} and would become {type_name(value)}",
            )

    def _local_name(self, name: str) -> str:
        """A name that is assigned again keeps its place, so that branches and loops can change it."""
        if name in self.rebound and name in self.scope.names:
            return self.scope.kept.setdefault(name, name)
        fresh = self.scope.fresh(name)
        if name in self.rebound:
            self.scope.kept[name] = fresh
        return fresh

    def _augmented(self, node: ast.AugAssign) -> list[Stmt]:
        expressions = self.expressions
        old = expressions.value(node.target)
        whole = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
        if isinstance(old, Place) and sets.is_set(old):
            return self.assign(node.target, expressions.value(whole), whole)
        op = ARITHMETIC.get(type(node.op))
        if op is None:
            possible = "possible: += -= *= //= %= of numbers, and |= &= -= of sets"
            raise self.scope.error("ANG104", node, "this operator is not supported", possible)
        before = number(old, self.scope, node.target)
        after = binary(op, before, expressions.number(node.value), self._at(node))
        value = expressions.computed(whole, after)
        if isinstance(old, Place):
            return self.store(old, expressions.fitted(value, old.type, whole), node)
        assert isinstance(node.target, ast.Name)
        return self.bind(node.target, value)

    def effect(self, node: ast.expr) -> tuple[list[Stmt], Value]:
        """The right side of an assignment: a value, or something that happens and gives one."""
        if isinstance(node, ast.Call):
            if word_of(self.scope.module, node) == "choose":
                return self._choose(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
                statements, value = call_method(self.expressions, node)
                assert value is not None
                return statements, value
        return [], self.expressions.value(node)

    def _choose(self, node: ast.Call) -> tuple[list[Stmt], Value]:
        if self.loops:
            raise self.scope.error(
                "ANG104",
                node,
                "choose cannot stand in a function that a for loop calls",
                "",
                "choose in the loop itself, and give the function what was chosen",
            )
        return Choosing(self.expressions, self.choices, self.depth > 0).choose(node)

    # --- control ------------------------------------------------------------------------------------

    def _if(self, node: ast.If) -> list[Stmt]:
        condition = self.expressions.condition(node.test)
        if isinstance(condition, Const):
            return self.block(node.body if condition.value else node.orelse)
        then, otherwise = self._inner().block(node.body), self._inner().block(node.orelse)
        return choose_between(condition, then, otherwise)

    def _for(self, node: ast.For) -> list[Stmt]:
        if node.orelse or not isinstance(node.target, ast.Name):
            raise self.scope.error("ANG104", node, "this form of for is not supported", "for x in domain:")
        if node.target.id in self.scope.names:
            what = f"{node.target.id} is already a name here"
            raise self.scope.error("ANG104", node.target, what, "", "give the loop's variable another name")
        over = domain(self.expressions, node.iter, lasting=True)
        if over.place is not None and isinstance(over.place.type, types.SetOf):
            check_elements(self.scope, node, over.place.type.item)
        if any(word_of(self.scope.module, each) == "choose" for each in _calls(node)):
            return self._rounds(node, over)
        outer = frozenset(self.scope.taken)
        inner = self._inner(loop=True)
        inner.scope.fixed = self.scope.fixed | {node.target.id}
        name = inner.scope.fresh(node.target.id)
        counts, value = over.counts(Local(name)), over.value(Local(name))
        pairs, inner.scope.names[node.target.id] = bind(value, inner.scope.fresh(node.target.id))
        if isinstance(value, ScalarValue) and value.expr == Local(name):
            pairs, inner.scope.names[node.target.id] = [], value
        lets: list[Stmt] = [Let(each, expr) for each, expr in pairs]
        body = choose_between(counts, [*lets, *inner.block(node.body)], [])
        check_order(self.context, self.scope, node, over.type, name, body, outer)
        self._refuse_changing(node, over, body)
        needed = body or any(map(self.context.may_fail, (over.low, over.high)))
        rounds = [For(name, over.low, over.high, tuple(body))] if needed else []
        return [*named(over.before), *rounds]

    def _rounds(self, node: ast.For, over: Domain) -> list[Stmt]:
        """A loop that chooses, round by round: each round has a choice of its own."""
        if not isinstance(over.low, Const) or not isinstance(over.high, Const):
            what = "the number of rounds must be known before the search where each of them chooses"
            raise self.scope.error("ANG108", node.iter, what, "", "loop over an Index, an Enum, or values")
        if isinstance(over.type, types.Index) and over.type.symmetric:
            what = f"each round chooses, and {over.type} values are interchangeable"
            raise self.scope.error("ANG109", node, what, "", "remove symmetric=True from the index")
        assert isinstance(node.target, ast.Name)
        body: list[Stmt] = []
        for at in range(over.low.value, over.high.value):
            inner = self._inner()
            inner.scope.fixed = self.scope.fixed | {node.target.id}
            value, counts = over.value(Const(at)), over.counts(Const(at))
            pairs, inner.scope.names[node.target.id] = bind(value, inner.scope.fresh(node.target.id))
            lets: list[Stmt] = [Let(each, expr) for each, expr in pairs]
            body += choose_between(counts, [*lets, *inner.block(node.body)], [])
        self._refuse_changing(node, over, body)
        return [*named(over.before), *body]

    def _refuse_changing(self, node: ast.For, over: Domain, body: list[Stmt]) -> None:
        """A list may change while it is looped over, a set may not: Python then stops with an error."""
        if over.place is None or not isinstance(over.place.type, types.SetOf):
            return
        if over.place.possible(Const(0)).name in writes(tuple(body)):
            raise self.scope.error(
                "ANG104",
                node,
                f"this loop may change the set that it runs over, {ast.unparse(node.iter)}",
                "",
                "loop over all values and ask for each: for x in Item: if x in ...",
            )

    def _expression(self, node: ast.Expr) -> list[Stmt]:
        if isinstance(node.value, ast.Constant):
            return []
        if not isinstance(node.value, ast.Call):
            raise self.scope.error("ANG104", node, f"{ast.unparse(node)} does nothing", SUPPORTED)
        call = node.value
        match word_of(self.scope.module, call):
            case "require":
                return require(self.expressions.condition(self._only(call)))
            case "spend":
                return self._spend(call)
        function, module = self._procedure(call)
        if function is not None:
            return self._inline(call, function, module)
        if isinstance(call.func, ast.Attribute):
            return call_method(self.expressions, call)[0]
        raise self.scope.error("ANG104", node, f"{ast.unparse(call.func)} cannot be called here", SUPPORTED)

    def _only(self, call: ast.Call) -> ast.expr:
        if len(call.args) != 1 or call.keywords:
            raise self.scope.error("ANG106", call, f"{ast.unparse(call.func)} takes one argument")
        return call.args[0]

    def _spend(self, call: ast.Call) -> list[Stmt]:
        place = self.expressions.place(self._only(call))
        if not isinstance(place.type, types.Int):
            raise self.scope.error("ANG106", call, f"spend takes a budget, not {place.type}")
        self.choices.spends = True
        return spend(place, self._at(call))

    def _procedure(self, call: ast.Call) -> tuple[ast.FunctionDef | None, Module]:
        match call.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                found = self.context.model.decl.function(name)
                node = found.node if found is not None and found.role == "helper" else None
                return node if isinstance(node, ast.FunctionDef) else None, self.context.module
            case ast.Name(id=name):
                meaning = self.scope.module.lookup(name)
                if isinstance(meaning, Definition) and isinstance(meaning.node, ast.FunctionDef):
                    return meaning.node, meaning.module
        return None, self.scope.module

    def _inline(self, call: ast.Call, function: ast.FunctionDef, module: Module) -> list[Stmt]:
        """A function that changes the state: its statements, with its arguments bound."""
        formal = [arg for arg in function.args.args if arg.arg != "self"]
        if len(call.args) != len(formal) or call.keywords:
            raise self.scope.error("ANG106", call, f"{function.name} takes {len(formal)} argument(s)")
        rebound = assigned_twice(function.body, [arg.arg for arg in formal])
        scope = self.scope.inner({}, module)
        # Not a process's own statements: what a function assigns is the function's.
        inner = Statements(self.context, scope, self.choices, self.depth, self.loops, rebound)
        lets: list[Stmt] = []
        for arg, given in zip(formal, call.args, strict=True):
            value = load(self.expressions.value(given))
            if isinstance(value, Place):
                looked_at, (looked_up, value) = there(self.expressions, value), held(self.expressions, value)
                lets += named([*looked_at, *looked_up])
            name = scope.kept[arg.arg] = scope.fresh(arg.arg)
            pairs, scope.names[arg.arg] = bind(settled(value) if arg.arg in rebound else value, name)
            lets += [Let(name, expr) for name, expr in pairs]
        with self.context.calling(function, module, call, self.scope.module):
            return [*lets, *inner.block(function.body)]

    def _pass(self, _: ast.Pass) -> list[Stmt]:
        return []


KINDS: dict[type[ast.stmt], str] = {
    ast.Assign: "_assign",
    ast.AnnAssign: "_annotated",
    ast.AugAssign: "_augmented",
    ast.If: "_if",
    ast.For: "_for",
    ast.Expr: "_expression",
    ast.Pass: "_pass",
}
REMEDIES: dict[type[ast.stmt], str] = {
    ast.While: "an atomic step must end: loop over a bounded domain with for, or await in the loop",
    ast.Return: "use if and else; only helpers return values",
    ast.Assert: "state it as a guarantee: a function marked @invariant",
    ast.Break: "use a condition inside the loop, or any(...) and min(...) over the domain",
    ast.Continue: "put the rest of the loop's body into an if",
    ast.Raise: "state what must not happen as a guarantee: a function marked @invariant",
}


def _calls(node: ast.For) -> Iterator[ast.Call]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Call))
