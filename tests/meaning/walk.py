"""A process, walked from await to await.

A coroutine cannot be copied, and a search needs copies. So only the control flow around awaits is walked
here, with a stack that says where in its body a process is; every expression, and every statement in which
nothing is awaited, is run by Python itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from types import CodeType

from tests.meaning import alive
from tests.meaning.scalars import Frozen, Index, Kind, Maybe, Place, Value
from tests.meaning.values import Array, Seq, SetOf, cloned, copied, freeze, kind_of

LONGEST = 10_000
"""More statements than this in one step: a loop that does not end."""
CONTROL = (ast.Await, ast.Return, ast.Break, ast.Continue, ast.While)


class EndlessStepError(Exception):
    """A process goes round without an await; the front end refuses such a model."""


@dataclass(eq=False)
class Program:
    """The text of a process, shared by its instances."""

    node: ast.AsyncFunctionDef
    names: dict[str, Value]
    """What its file defines."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    """Which values a local variable can have, as it was declared or as its first value says."""
    codes: dict[ast.AST, CodeType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        stores = [each for each in ast.walk(self.node) if isinstance(each, ast.Name)]
        self.locals = {each.id for each in stores if isinstance(each.ctx, ast.Store)}
        self.locals |= {
            each.name for each in ast.walk(self.node) if isinstance(each, ast.MatchAs) and each.name
        }
        self.arguments = [each.arg for each in self.node.args.args]

    def code(self, node: ast.stmt | ast.expr) -> CodeType:
        if node not in self.codes:
            whole = ast.Expression(node) if isinstance(node, ast.expr) else ast.Module([node], [])
            mode = "eval" if isinstance(node, ast.expr) else "exec"
            self.codes[node] = compile(whole, self.node.name, mode, dont_inherit=True)
        return self.codes[node]

    @cache  # noqa: B019 - a program lives as long as its model
    def declared(self, node: ast.stmt) -> list[tuple[str, ast.expr]]:
        """The local variables that a statement declares, with their annotations."""
        found = [each for each in ast.walk(node) if isinstance(each, ast.AnnAssign)]
        return [(each.target.id, each.annotation) for each in found if isinstance(each.target, ast.Name)]

    @cache  # noqa: B019
    def alive(self, site: ast.stmt, stack: tuple[Block | While | For, ...]) -> frozenset[str]:
        """The local variables that may be read by who waits here, or later."""
        names, ways = alive.NONE, alive.Ways()
        for each in stack:
            if isinstance(each, Block):
                names = alive.before(each.statements[each.done :], names, ways)
            else:
                after, names = names, alive.in_loop(each.node, names)
                ways = alive.Ways(after, names)
        return alive.before([site], names, ways)

    @cache  # noqa: B019
    def is_controlled(self, node: ast.stmt) -> bool:
        """Whether something is awaited in a statement, or it leads out of a block."""
        return any(isinstance(each, CONTROL) for each in ast.walk(node))


@dataclass(frozen=True)
class Block:
    """Statements of which so many are done."""

    owner: ast.AST
    part: str
    done: int = 0

    @property
    def statements(self) -> list[ast.stmt]:
        found: list[ast.stmt] = getattr(self.owner, self.part)
        return found


@dataclass(frozen=True)
class While:
    """A loop with a condition."""

    node: ast.While


@dataclass(frozen=True)
class For:
    """A loop with what is still to come."""

    node: ast.For
    rest: tuple[Value, ...]


@dataclass
class Alternative:
    """One thing that a process waits for: what is called, where an item goes, what is done then."""

    call: ast.Call
    target: str | None = None
    case: ast.match_case | None = None

    @property
    def word(self) -> str:
        return self.call.func.attr if isinstance(self.call.func, ast.Attribute) else "until"


@dataclass
class Walker:
    """One instance of a process."""

    program: Program
    arguments: tuple[Value, ...]
    stack: list[Block | While | For] = field(default_factory=list)
    locals: dict[str, Value] = field(default_factory=dict)
    site: ast.stmt | None = None
    finished: bool = False
    crashed: bool = False
    state: Value = None
    """The model's state that it reads and writes."""

    @property
    def name(self) -> str:
        return self.program.node.name

    def copy(self, state: Value) -> Walker:
        own = {name: cloned(value) for name, value in self.locals.items()}
        return replace(self, stack=list(self.stack), locals=own, state=state)

    def frozen(self) -> Frozen:
        values = tuple(sorted((name, freeze(value)) for name, value in self.locals.items()))
        return (self.name, self.arguments, tuple(self.stack), self.site, self.crashed, values)

    # --- what Python does ---------------------------------------------------------------------------

    def _names(self) -> dict[str, Value]:
        given = dict(zip(self.program.arguments, (self.state, *self.arguments), strict=True))
        return {**self.program.names, **given, **self.locals}

    def evaluate(self, node: ast.expr) -> Value:
        return eval(self.program.code(node), self._names())

    def execute(self, node: ast.stmt) -> None:
        names = self._names()
        exec(self.program.code(node), names)
        self._declare(node, names)
        for name in self.program.locals & set(names):
            if name not in self.locals or names[name] is not self.locals[name]:
                self.bind(name, names[name])

    def _declare(self, node: ast.stmt, names: dict[str, Value]) -> None:
        """`name: kind = value`, at the place where it stands or inside an `if` or `for`; `name = Item(1)`."""
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(_, [ast.Call(ast.Name(made))])):  # it is copied
                if _is_index(names.get(made)):
                    self.program.kinds.setdefault(name, Place(names[made]))
        for name, annotation in self.program.declared(node):
            value, hint = names.get(name), eval(self.program.code(annotation), names)
            if isinstance(value, Kind):
                self.program.kinds[name], names[name] = value, value.start()
            elif hint is not int:
                self.program.kinds[name] = kind_of(hint)

    def bind(self, name: str, value: Value) -> None:
        """Give a local variable a value: whether it may be None, a value alone does not say."""
        if isinstance(value, Index):
            self.program.kinds.setdefault(name, Maybe(Place(type(value))))
        self.locals[name] = self._fitted(name, copied(value))

    def _fitted(self, name: str, value: Value) -> Value:
        kind = self.program.kinds.get(name)
        return kind.fit(value) if kind is not None else value

    # --- the way to the next await ------------------------------------------------------------------

    def begin(self) -> None:
        self.crashed, self.locals, self.stack = False, {}, [Block(self.program.node, "body")]
        self.go_on()

    def crash(self) -> None:
        self.crashed, self.locals, self.stack, self.site = True, {}, [], None

    def take(self, alternative: Alternative, item: Value = None) -> None:
        """Go on from an await with what came of it."""
        if alternative.target is not None and alternative.word == "receive":
            self.bind(alternative.target, item)
        if alternative.case is not None:
            self.stack.append(Block(alternative.case, "body"))
        self.go_on()

    def go_on(self) -> None:
        for _ in range(LONGEST):
            if not self.stack:
                self.site, self.finished = None, True
            if self.finished or self._one():
                self._forget()
                return
        raise EndlessStepError(self.name)

    def _forget(self) -> None:
        """Keep what may still be read."""
        where = tuple(replace(each, rest=()) if isinstance(each, For) else each for each in self.stack)
        kept = self.program.alive(self.site, where) if self.site else alive.NONE
        self.locals = {
            name: value
            for name, value in self.locals.items()
            if name in kept or isinstance(value, Array | Seq | SetOf)  # of which a part may be kept
        }

    def _one(self) -> bool:
        """One statement, or one turn of a loop; whether an await is reached."""
        match self.stack[-1]:
            case Block(owner, part, done) as block:
                if done == len(block.statements):
                    self.stack.pop()
                    return False
                self.stack[-1] = Block(owner, part, done + 1)
                return self._statement(block.statements[done])
            case While(node):
                self._enter(node, bool(self.evaluate(node.test)))
            case For(node, rest):
                if rest:
                    assert isinstance(node.target, ast.Name)
                    self.stack[-1] = For(node, rest[1:])
                    self.bind(node.target.id, rest[0])
                self._enter(node, bool(rest))
        return False

    def _enter(self, loop: ast.While | ast.For, more: bool) -> None:
        if more:
            self.stack.append(Block(loop, "body"))
        else:
            self.stack.pop()

    def _statement(self, node: ast.stmt) -> bool:
        if not self.program.is_controlled(node):
            self.execute(node)
            return False
        if is_await(node):
            self.site = node
            return True
        CONTROLLED[type(node)](self, node)
        return False

    def _if(self, node: ast.If) -> None:
        self.stack.append(Block(node, "body" if self.evaluate(node.test) else "orelse"))

    def _while(self, node: ast.While) -> None:
        self.stack.append(While(node))

    def _for(self, node: ast.For) -> None:
        self.stack.append(For(node, tuple(self.evaluate(node.iter))))

    def _return(self, _: ast.Return) -> None:
        self.stack.clear()

    def _break(self, _: ast.Break) -> None:
        self._continue(_)
        self.stack.pop()

    def _continue(self, _: ast.Break | ast.Continue) -> None:
        while isinstance(self.stack[-1], Block):
            self.stack.pop()


CONTROLLED: dict[type[ast.stmt], Callable[[Walker, Value], None]] = {
    ast.If: Walker._if,
    ast.While: Walker._while,
    ast.For: Walker._for,
    ast.Return: Walker._return,
    ast.Break: Walker._break,
    ast.Continue: Walker._continue,
}


def is_await(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Await()) | ast.Assign(value=ast.Await()) | ast.Match(subject=ast.Await()):
            return True
    return False


def alternatives(site: ast.stmt) -> list[Alternative]:
    """What a process waits for at an await."""
    match site:
        case ast.Expr(value=ast.Await(value=ast.Call() as call)):
            return [Alternative(call)]
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Await(value=ast.Call() as call)):
            return [Alternative(call, name)]
        case ast.Match(subject=ast.Await(value=ast.Call(keywords=awaited)), cases=cases):
            found = {_named(case): case for case in cases}
            return [_case(each.value, found[each.arg or ""]) for each in awaited]
    raise TypeError(f"{ast.unparse(site)} cannot be awaited")


def _named(case: ast.match_case) -> str:
    assert isinstance(case.pattern, ast.MatchSequence)
    name = case.pattern.patterns[0]
    assert isinstance(name, ast.MatchValue) and isinstance(name.value, ast.Constant)
    return str(name.value.value)


def _case(call: ast.expr, case: ast.match_case) -> Alternative:
    assert isinstance(case.pattern, ast.MatchSequence) and isinstance(call, ast.Call)
    item = case.pattern.patterns[1]
    return Alternative(call, item.name if isinstance(item, ast.MatchAs) else None, case)


def _is_index(found: Value) -> bool:
    return isinstance(found, type) and issubclass(found, Index)
