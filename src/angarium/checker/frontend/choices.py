"""Internal choice: `x = choose(...)` is one more parameter of the step, and any of its values may come out.

x = choose(a, b)                            a number 0 .. 1, and the value with that number
x = choose(i for i in Item if c)            an Item, and the step is possible only if c is true of it
m = choose(self.messages)                   a number for each field of a record, which must be in the set
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from angarium.checker.frontend.collections import require
from angarium.checker.frontend.context import Scope
from angarium.checker.frontend.domains import Domain, comprehension, domain
from angarium.checker.frontend.evaluation import Bindings
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.values import ScalarValue, SetValue, Value, made_of
from angarium.checker.ir import types
from angarium.checker.ir.fold import binary
from angarium.checker.ir.syntax import Const, Expr, Let, Local, Require, Stmt
from angarium.checker.ir.transition import Parameter


@dataclass(slots=True)
class Choices:
    """The internal choices of one step, each one more parameter of its action; and whether it is a fault."""

    parameters: list[Parameter] = field(default_factory=list)
    flags: list[tuple[str, str]] = field(default_factory=list)
    """Choices that a step may not come to: a flag that says whether it did, and the parameter."""
    spends: bool = False
    """Whether it may use up a fault budget, itself or in a function that it calls: then it is a fault."""

    def before(self) -> list[Stmt]:
        return [Let(flag, Const(0)) for flag, _ in self.flags]

    def after(self) -> list[Stmt]:
        """A choice that was not come to counts once, not once for each of its values."""
        low = {p.name: Const(p.type.low) for p in self.parameters}
        return [
            Require(binary("or", Local(flag), binary("==", Local(name), low[name])))
            for flag, name in self.flags
        ]


@dataclass(frozen=True, slots=True)
class Choosing:
    """Compiles choices in one scope."""

    expressions: Expressions
    choices: Choices
    may_be_left_out: bool
    """Whether the step may not come to it: it stands in an `if`."""

    @property
    def scope(self) -> Scope:
        return self.expressions.scope

    def choose(self, node: ast.Call) -> tuple[list[Stmt], Value]:
        """`choose(...)`: its statements, and what is chosen."""
        over, condition = self._options(node)
        if over.members is not None:
            return self._element(node, over.members, condition, over.before)
        if over.subset_of is not None:
            return self._subset(node, over, over.subset_of, condition)
        name = self.scope.fresh("choice")
        if not isinstance(over.low, Const) or not isinstance(over.high, Const):
            raise self.scope.error("ANG108", node, "the number of options must be known before the search")
        if over.high.value <= over.low.value:
            return [Require(Const(0))], over.value(over.low)
        reached = self._comes_to([Parameter(name, _label_type(over), options=_stand_for(over))])
        value = over.value(Local(name))
        possible = [*require(over.counts(Local(name))), *require(condition(value))]
        return [*named(over.before), *reached, *self._asked_of_all(node), *possible], value

    def _element(
        self, node: ast.Call, of: SetValue, condition: Callable[[Value], Expr], before: Bindings
    ) -> tuple[list[Stmt], Value]:
        """One of a set: a choice for each scalar that its elements are made of."""
        name, item = self.scope.fresh("choice"), of.item
        parts = [Parameter(name + leaf.suffix, leaf.type) for leaf in types.leaves(item)]
        reached = self._comes_to(parts)
        value = made_of(item, (Local(part.name) for part in parts))
        possible = [*require(of.has(value)), *require(condition(value))]
        return [*named(before), *reached, *self._asked_of_all(node), *possible], value

    def _subset(
        self, node: ast.Call, over: Domain, item: types.Scalar, condition: Callable[[Value], Expr]
    ) -> tuple[list[Stmt], Value]:
        """One of all subsets: a choice for each element, whether it is in."""
        name = self.scope.fresh("choice")
        labels = [f"{name}.{number}" for number in range(types.size(item))]
        reached = self._comes_to([Parameter(label, types.Bool()) for label in labels])
        number: Expr = Const(0)
        for weight, label in enumerate(labels):
            number = binary("+", number, binary("*", Local(label), Const(1 << weight)))
        pin = Let(self.scope.fresh("subset"), number)
        value = over.value(Local(pin.name))
        possible = [*require(over.counts(Local(pin.name))), *require(condition(value))]
        return [*named(over.before), *reached, pin, *self._asked_of_all(node), *possible], value

    def _comes_to(self, parts: Sequence[Parameter]) -> list[Stmt]:
        """Parameters that are a choice of the step; it says so where it may not come to it."""
        flag = self.scope.fresh("reached") if self.may_be_left_out else ""
        self.choices.parameters += (replace(part, internal=True, flag=flag) for part in parts)
        self.choices.flags += ((flag, part.name) for part in parts if flag)
        return [Let(flag, Const(1))] if flag else []

    def _asked_of_all(self, node: ast.Call) -> list[Stmt]:
        """Python asks for every option whether it is one, before any is chosen: where that fails, nothing is.

        x = choose(i for i in Item if self.line[i] == 1)    fails if any line[i] does
        """
        match node.args:
            case [ast.GeneratorExp(_, generators)] if any(each.ifs for each in generators):
                counted = ast.GeneratorExp(ast.Constant(1), generators)
                whole = ast.Call(ast.Name("sum", ast.Load()), [counted], [])
                number = comprehension(self.expressions, _placed(whole, node))
                if isinstance(number, ScalarValue) and self.expressions.context.may_fail(number.expr):
                    return [Let(self.scope.fresh("options"), number.expr)]
        return []

    def _options(self, node: ast.Call) -> tuple[Domain, Callable[[Value], Expr]]:
        expressions = self.expressions
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._filtered(node.args[0])
        if len(node.args) == 1:
            return domain(expressions, node.args[0]), lambda _: Const(1)
        options = ast.copy_location(ast.Tuple(node.args, ast.Load()), node)
        return domain(expressions, options), lambda _: Const(1)

    def _filtered(self, node: ast.GeneratorExp) -> tuple[Domain, Callable[[Value], Expr]]:
        generator = node.generators[0]
        target = generator.target
        plain = isinstance(target, ast.Name) and ast.unparse(node.elt) == target.id
        if len(node.generators) != 1 or not plain or not isinstance(target, ast.Name):
            raise self.scope.error(
                "ANG104",
                node,
                "choose takes x for x in domain if condition",
                "",
                "compute afterwards",
            )

        def condition(value: Value) -> Expr:
            inner = self.expressions.inside()
            inner.scope.names[target.id] = value
            whole: Expr = Const(1)
            for each in generator.ifs:
                whole = binary("and", whole, inner.condition(each))
            return whole

        return domain(self.expressions, generator.iter), condition


def named(bindings: Bindings) -> list[Stmt]:
    """The statements that give names to expressions."""
    return [Let(name, expr) for name, expr in bindings]


def _stand_for(over: Domain) -> tuple[tuple[types.Scalar | types.Option, int], ...]:
    """What the numbers of a choice stand for, if all of it is known before the search."""
    assert isinstance(over.low, Const)
    assert isinstance(over.high, Const)
    found = []
    for number_ in range(over.low.value, over.high.value):
        match over.value(Const(number_)):
            case ScalarValue(type_, Const(value)):
                found.append((type_, value))
            case _:
                return ()
    return tuple(found)


def _placed(new: ast.Call, old: ast.Call) -> ast.Call:
    return ast.fix_missing_locations(ast.copy_location(new, old))


def _label_type(over: Domain) -> types.Scalar:
    assert isinstance(over.low, Const)
    assert isinstance(over.high, Const)
    if isinstance(over.type, types.Int):
        return types.Int(over.low.value, over.high.value - 1)
    return over.type
