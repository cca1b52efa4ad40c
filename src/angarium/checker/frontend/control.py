"""The control flow of a process: where it waits, and what it does in between.

A process is cut at its awaits. Each await is a *site* with a program counter of its own; one atomic step
takes a process from a site to the next one that it comes to. Code is compiled in continuation style: what
follows a statement is known as a chain of frames, so that a branch with an await in it simply compiles the
rest behind it on both sides. A path that comes back to the head of a loop without having met an await
would be a step without end, and is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from angarium.checker.frontend.alternatives import assigned_twice
from angarium.checker.frontend.choices import Choices
from angarium.checker.frontend.context import END, Context, Scope
from angarium.checker.frontend.declared import lowest
from angarium.checker.frontend.domains import Domain, domain
from angarium.checker.frontend.elaborate import CONSTRUCTORS
from angarium.checker.frontend.fit import fit, told_apart, type_name
from angarium.checker.frontend.process import (
    Continuation,
    Done,
    Loop,
    Process,
    ProcessLocal,
    Rest,
    await_site,
    either_site,
    restart,
    unsupported,
)
from angarium.checker.frontend.statements import Statements
from angarium.checker.frontend.values import (
    NUMBER,
    OptionValue,
    Place,
    RecordValue,
    ScalarValue,
    Value,
    choose_between,
    load,
    read,
    row,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import FALSE, TRUE, binary
from angarium.checker.ir.syntax import Const, Expr, Local, Stmt, Write
from angarium.checker.ir.types import Type, size
from angarium.checker.language.declarations import StateDecl, word_of
from angarium.checker.language.trees import inside

MOST_ROUNDS = 8
"""How often a `for` loop may go round in one step: each round is compiled into the step."""


class ProcessStatements(Statements):
    """Statements in which a bound name is a local variable of the process, kept from step to step."""

    step: Step

    def statement(self, node: ast.stmt) -> list[Stmt]:
        self.scope.names.update(self.step.places())
        return super().statement(node)

    def _inner(self, *, loop: bool = False) -> Statements:
        inner = ProcessStatements(
            self.context, self.scope.inner(), self.choices, self.depth + 1, self.loops + loop
        )
        inner.step = self.step
        return inner

    def _annotated(self, node: ast.AnnAssign) -> list[Stmt]:
        if isinstance(node.target, ast.Name):
            return self.step.declare(self, node)
        return super()._annotated(node)

    def _if(self, node: ast.If) -> list[Stmt]:
        compiled = super()._if(node)
        self.step.forget(node)
        return compiled

    def _for(self, node: ast.For) -> list[Stmt]:
        self.step.forget(node)
        compiled = super()._for(node)
        self.step.forget(node)
        return compiled

    def block(self, body: list[ast.stmt]) -> list[Stmt]:
        with self.step.aside():
            return super().block(body)

    def assign(self, target: ast.expr, value: Value, source: ast.expr) -> list[Stmt]:
        if isinstance(target, ast.Name):
            return self.bind(target, value)
        return super().assign(target, value, source)

    def bind(self, target: ast.Name, value: Value) -> list[Stmt]:
        place = self.step.local(target, value)
        fitted = fit(value, place.type, self.scope, target, self._at(target))
        self.step.learn(target.id, fitted)
        self.scope.names[target.id] = place
        return self.store(place, fitted, target)


@dataclass(slots=True)
class Step:
    """What one process does in one atomic step."""

    context: Context
    process: Process
    scope: Scope
    choices: Choices
    instance: tuple[str, ...]
    """The names of the process's parameters in this step."""
    _rounds: list[ast.AST] = field(default_factory=list)
    _known: dict[str, Const] = field(default_factory=dict)
    """Local variables whose value is known on the way since the last await."""
    _statements: ProcessStatements = field(init=False)
    index: Expr = field(init=False)
    """The row of this instance in the process's variables."""

    def __post_init__(self) -> None:
        self.index = row(self.process.keys, [Local(name) for name in self.instance])
        arguments = zip(self.process.parameters, self.instance, strict=True)
        for parameter, name in arguments:
            self.scope.names[parameter.name] = ScalarValue(parameter.type, Local(name))
        self._statements = ProcessStatements(self.context, self.scope, self.choices)
        self._statements.step = self
        self.scope.names.update(self.places())

    @property
    def statements(self) -> ProcessStatements:
        self.scope.names.update(self.places())
        return self._statements

    # --- local variables ----------------------------------------------------------------------------

    def _place(self, name: str) -> Place:
        local = self.process.locals[name]
        return Place(local.type, f"{self.process.name}.{name}", self.index)

    def places(self) -> dict[str, Value]:
        return {name: self._visible(name) for name in self.process.locals}

    def _visible(self, name: str) -> Value:
        place = self._place(name)
        if name in self._known:
            return ScalarValue(types.scalar(place.type), self._known[name])
        return place

    def learn(self, name: str, value: Value) -> None:
        """Remember the value of a local variable if it is a constant."""
        self._known.pop(name, None)
        if isinstance(value, ScalarValue) and isinstance(value.expr, Const):
            self._known[name] = value.expr

    def forget(self, node: ast.AST) -> None:
        """A statement that may or may not have assigned something."""
        for each in inside(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self._known.pop(each.id, None)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is learnt on one of several ways is not known on the others."""
        known = dict(self._known)
        try:
            yield
        finally:
            self._known = known

    def local(self, target: ast.Name, value: Value) -> Place:
        """The place of a local variable; its first value says what it is."""
        if target.id not in self.process.locals:
            type_ = self._type_of(target, load(value))
            self._introduce(target.id, ProcessLocal(type_, lowest(type_), target))
        elif self.process.locals[target.id].counts:
            raise self.scope.error("ANG104", target, f"{target.id} belongs to a loop and cannot be assigned")
        return self._place(target.id)

    def _introduce(self, name: str, local: ProcessLocal) -> None:
        """A local variable that was not known before."""
        taken = name == "pc" or any(name == parameter.name for parameter in self.process.parameters)
        if taken:
            what = f"{name} is an argument of the process, or its program counter, and cannot be assigned"
            raise self.scope.error("ANG104", local.node, what, "", "use another name")
        self.process.locals[name] = local

    def _type_of(self, target: ast.Name, value: Value) -> Type:
        match value:
            case ScalarValue(types.Int()) if target.id in self._rebound:
                return NUMBER
            case ScalarValue(type_) | RecordValue(type_) | OptionValue(type_):
                return type_
        raise self.scope.error(
            "ANG106",
            target,
            f"{target.id} would be {type_name(value)}: that does not say which values it can have",
            "",
            f"declare it: {target.id}: App | None = None, or {target.id}: int = integer(0, 3)",
        )

    @property
    def _rebound(self) -> frozenset[str]:
        return assigned_twice(self.process.decl.node.body)

    def declare(self, statements: ProcessStatements, node: ast.AnnAssign) -> list[Stmt]:
        """`name: type = value`, with a type or a constructor that says the range."""
        assert isinstance(node.target, ast.Name)
        name, model = node.target.id, self.context.model
        constructed = (
            isinstance(node.value, ast.Call) and word_of(self.scope.module, node.value) in CONSTRUCTORS
        )
        if name in self.process.locals and self.process.locals[name].counts:
            raise self.scope.error("ANG104", node, f"{name} belongs to a loop and cannot be assigned")
        if name not in self.process.locals:
            value = node.value if constructed else None
            shape = model.shape(StateDecl(name, node, node.annotation, value), self.scope.module)
            self._introduce(name, ProcessLocal(shape.type, shape.start, node))
        if node.value is None:
            return []
        if not constructed:
            effects, value_ = statements.effect(node.value)
            return [*effects, *statements.bind(node.target, value_)]
        return self._begin_with(name, self.process.locals[name])

    def _begin_with(self, name: str, local: ProcessLocal) -> list[Stmt]:
        if types.is_scalar(local.type):
            self.learn(name, ScalarValue(types.scalar(local.type), Const(local.start[0][0])))
        return list(restart(self._place(name), local))

    # --- flow ---------------------------------------------------------------------------------------

    def run(self, body: tuple[ast.stmt, ...], then: Continuation) -> list[Stmt]:
        """Statements up to the next await, on every path."""
        compiled: list[Stmt] = []
        for position, statement in enumerate(body):
            if not _has_control(statement):
                compiled += self.statements.statement(statement)
                continue
            rest = body[position + 1 :]
            return [*compiled, *self._control(statement, Rest(rest, then) if rest else then)]
        return [*compiled, *self._go_on(then)]

    def _go_on(self, then: Continuation) -> list[Stmt]:
        match then:
            case Done():
                return self._goto(END)
            case Rest(body, after):
                return self.run(body, after)
            case Loop(ast.While() as node, _):
                with self._going_round(node):
                    return self._while(then)
            case Loop(ast.For() as node, _):
                if self._rounds.count(node) >= size(self._domain(node).type):
                    return self._go_on(then.then)  # counted to the end in this very step
                with self._going_round(node):
                    return self._for(then, self._next(node))
        raise AssertionError(then)

    def _goto(self, counter: int) -> list[Stmt]:
        return [Write(self.process.counter, self.index, Const(counter))]

    def _control(self, node: ast.stmt, then: Continuation) -> list[Stmt]:
        match node:
            case ast.Expr(value=ast.Await(value=call)) | ast.Assign(targets=[_], value=ast.Await(value=call)):
                return self._goto(await_site(self.process, self.scope, node, call, then).counter)
            case ast.Match(subject=ast.Await(value=call)):
                return self._goto(either_site(self.process, self.scope, node, call, then).counter)
            case ast.If():
                return self._branch(node, then)
            case ast.While(orelse=[]):
                with self._entering(node):
                    return self._while(Loop(node, then))
            case ast.For(orelse=[], target=ast.Name(id=name)):
                self._refuse_counting_twice(name, node, then)
                with self._entering(node):
                    return self._for(Loop(node, then), self._domain(node).low)
            case ast.Return(value=None):
                return self._goto(END)
            case ast.Break():
                return self._go_on(self._loop(node, then).then)
            case ast.Continue():
                return self._go_on(self._loop(node, then))
        raise unsupported(self.scope, node)

    def _refuse_counting_twice(self, name: str, node: ast.For, then: Continuation) -> None:
        """A loop goes on from its variable, so nothing else may change that: no loop inside it either."""
        while not isinstance(then, Done):
            if isinstance(then, Loop) and isinstance(then.node, ast.For) and _counts_in(then.node, name):
                what = f"{name} belongs to a loop around this one"
                raise self.scope.error("ANG104", node.target, what, "", "give it another name")
            then = then.then

    def _branch(self, node: ast.If, then: Continuation) -> list[Stmt]:
        condition = self.statements.expressions.condition(node.test)
        if isinstance(condition, Const):
            return self.run(tuple(node.body if condition.value else node.orelse), then)
        self._statements.depth += 1
        try:
            with self.aside():
                taken = self.run(tuple(node.body), then)
            return choose_between(condition, taken, self.run(tuple(node.orelse), then))
        finally:
            self._statements.depth -= 1

    def _loop(self, node: ast.stmt, then: Continuation) -> Loop:
        while not isinstance(then, Loop):
            if isinstance(then, Done):
                raise unsupported(self.scope, node)
            then = then.then
        return then

    @contextmanager
    def _entering(self, node: ast.While | ast.For) -> Iterator[None]:
        """A loop that begins: how often it went round before does not count any more."""
        outer = self._rounds
        self._rounds = [each for each in outer if each is not node]
        yield
        self._rounds = outer

    @contextmanager
    def _going_round(self, node: ast.While | ast.For) -> Iterator[None]:
        """Back at the head of a loop; on a way without an await, only a `for` may come back again."""
        if self._rounds.count(node) >= (1 if isinstance(node, ast.While) else MOST_ROUNDS):
            raise self.scope.error(
                "ANG108",
                node,
                "this loop can go round without an await: a step that never ends"
                if isinstance(node, ast.While)
                else f"this loop can go round more than {MOST_ROUNDS} times without an await",
                "",
                "await something on every path through the loop: await until(True) if nothing else",
            )
        self._rounds.append(node)
        yield
        self._rounds.pop()

    def _while(self, loop: Loop) -> list[Stmt]:
        assert isinstance(loop.node, ast.While)
        return self._either_side(self.statements.expressions.condition(loop.node.test), loop)

    def _either_side(self, condition: Expr, loop: Loop) -> list[Stmt]:
        body = tuple(loop.node.body)
        if isinstance(condition, Const):
            return self.run(body, loop) if condition.value else self._go_on(loop.then)
        self._statements.depth += 1
        try:
            with self.aside():
                inside = self.run(body, loop)
            return choose_between(condition, inside, self._go_on(loop.then))
        finally:
            self._statements.depth -= 1

    def _domain(self, node: ast.For) -> Domain:
        """What a loop that awaits runs over: its variable is kept in the state, and counts."""
        over = domain(self.statements.expressions, node.iter)
        if not isinstance(over.low, Const) or not isinstance(over.high, Const):
            raise self.scope.error("ANG108", node, "the bounds of a loop that awaits must be constants")
        if over.value(Local("i")) != ScalarValue(over.type, Local("i")) or over.counts(Local("i")) != TRUE:
            raise self.scope.error(
                "ANG104",
                node,
                "a loop that awaits cannot run over these values, which may change meanwhile",
                "possible: an Index, an Enum or range(...)",
            )
        if isinstance(over.type, types.Index) and over.type.symmetric:
            raise told_apart(self.scope, node.iter, over.type)
        return over

    def _for(self, loop: Loop, value: Expr) -> list[Stmt]:
        """A round of a loop with this value of its variable, or what follows if there are no more."""
        assert isinstance(loop.node, ast.For)
        over = self._domain(loop.node)
        more = binary("<", value, over.high)
        if more == FALSE:
            return self._go_on(loop.then)
        self._statements.depth += 1
        try:
            with self.aside():
                inside = [*self._count(loop.node, over, value), *self.run(tuple(loop.node.body), loop)]
            return inside if more == TRUE else choose_between(more, inside, self._go_on(loop.then))
        finally:
            self._statements.depth -= 1

    def _count(self, node: ast.For, over: Domain, value: Expr) -> list[Stmt]:
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        self._count_in(name, over.type, node)
        self.learn(name, ScalarValue(over.type, value))
        return [Write(f"{self.process.name}.{name}", self.index, value)]

    def _count_in(self, name: str, type_: types.Scalar, node: ast.For) -> None:
        """The variable of a loop; two loops may share it, one after the other."""
        known = self.process.locals.get(name)
        if known is None:
            self._introduce(name, ProcessLocal(type_, ((type_.low,),), node, counts=True))
        elif not known.counts:
            what = f"{name} is assigned elsewhere, so it cannot belong to a loop"
            raise self.scope.error("ANG104", node.target, what, "", "give the loop's variable another name")
        elif isinstance(known.type, types.Int) and isinstance(type_, types.Int):
            low, high = min(known.type.low, type_.low), max(known.type.high, type_.high)
            wide = ProcessLocal(types.Int(low, high), ((low,),), known.node, known.counts)
            self.process.locals[name] = wide
        elif known.type != type_:
            what = f"{name} is already a name of another type here"
            raise self.scope.error("ANG106", node.target, what, "", "give the loop's variable another name")

    def _next(self, node: ast.For) -> Expr:
        """The value of a loop's variable in its next round."""
        assert isinstance(node.target, ast.Name)
        now = self._known.get(node.target.id, read(self._place(node.target.id)).expr)
        return binary("+", now, Const(1))


def _counts_in(loop: ast.For, name: str) -> bool:
    return isinstance(loop.target, ast.Name) and loop.target.id == name


def _has_control(node: ast.stmt) -> bool:
    kinds = (ast.Await, ast.Return, ast.Break, ast.Continue)
    return isinstance(node, ast.While) or any(isinstance(each, kinds) for each in inside(node))
