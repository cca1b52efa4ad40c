"""A step as definitions: what each variable is afterwards, in terms of the state before.

A body runs once, on names instead of numbers. Each write makes a new *version* of its variable
(`x~1`, then `x~2`), each local a new name, and where two branches meet, what differs is chosen by
the condition. So nothing is ever overwritten and nothing is copied: the text stays about as long
as the body, where putting expressions into each other would double it at every branch.

What can stop a step becomes a list of *events* in the order of the body: a `Require` that may be
false, a value that may be missing. From them follow the condition under which the step happens
and the one under which it fails. An event's condition may be evaluated only if the events before
it were passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from angarium.checker.export.defined import Definedness, Facts, facts_of, free, given
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.fold import TRUE
from angarium.checker.ir.intervals import Interval, Scope
from angarium.checker.ir.normal_form import choose, conjunction, disjunction, negate, rebuild
from angarium.checker.ir.syntax import (
    Block,
    Call,
    Check,
    Const,
    Expr,
    If,
    Let,
    Local,
    Read,
    Require,
    Stmt,
    Write,
)
from angarium.checker.ir.traversal import parts


@dataclass(frozen=True, slots=True)
class Define:
    """A name for a number."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Store:
    """A version of a variable: another one with one cell changed."""

    name: str
    base: str
    index: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Merge:
    """A version of a variable: one of two others."""

    name: str
    condition: Expr
    then: str
    otherwise: str


Definition = Define | Store | Merge


@dataclass(frozen=True, slots=True)
class Event:
    """A place where a step can stop: where the path leads here and the condition is false."""

    path: Expr
    condition: Expr
    fails: bool
    """Whether stopping here is a failure, or only means that the step is not enabled."""

    @property
    def passed(self) -> Expr:
        return disjunction(negate(self.path), self.condition)


@dataclass(frozen=True, slots=True)
class Step:
    """A body, executed."""

    definitions: tuple[Definition, ...]
    """Each uses only names that are defined before it."""
    events: tuple[Event, ...]
    final: Mapping[str, str]
    """The last version of each variable that is written."""
    scope: Scope
    """Where each defined name and each parameter lies."""

    @property
    def enabled(self) -> Expr:
        return conjunction(*(event.passed for event in self.events))

    @property
    def failure(self) -> Expr:
        return failure(self.events)

    @property
    def until_enabled(self) -> tuple[Event, ...]:
        """The events up to the last `Require`."""
        last = max((n for n, event in enumerate(self.events, 1) if not event.fails), default=0)
        return self.events[:last]


def failure(events: Sequence[Event]) -> Expr:
    """The condition under which an event is a failure and none before it stops the step."""
    result: Expr = Const(0)
    for event in reversed(events):
        if event.fails:
            result = disjunction(conjunction(event.path, negate(event.condition)), result)
        elif result != Const(0):
            result = conjunction(event.passed, result)
    return result


def execute(unroller: Unroller, block: Block, scope: Scope) -> Step:
    """What an unrolled body does, with its parameters in the scope."""
    execution = _Execution(unroller, scope)
    execution.block(block, TRUE)
    return execution.step()


class _Execution:
    def __init__(self, unroller: Unroller, scope: Scope) -> None:
        self._unroller, self._defined = unroller, Definedness(unroller)
        self._names: dict[str, Expr] = {}
        self._versions = {each.name: each.name for each in unroller.system.variables}
        self._stores: dict[str, Store] = {}
        self._definitions: list[Definition] = []
        self._events: list[Event] = []
        self._scope: dict[str, Interval] = dict(scope)
        self._facts: Facts = frozenset()
        self._made = count(1)

    def step(self) -> Step:
        final = {name: version for name, version in self._versions.items() if name != version}
        names = {*final.values(), *(n for e in self._events for n in used(e.passed))}
        kept = needed(self._definitions, names)
        return Step(kept, tuple(self._events), final, self._scope)

    # --- statements -------------------------------------------------------------------

    def block(self, block: Block, path: Expr) -> None:
        for statement in block:
            self._statement(statement, path)

    def _statement(self, statement: Stmt, path: Expr) -> None:
        match statement:
            case Let(name, value):
                self._names[name] = self._name(name, self._value(value, path))
            case Write():
                self._write(statement, path)
            case If(condition, then, otherwise):
                self._if(self._value(condition, path), then, otherwise, path)
            case Require(condition):
                self._event(self._value(condition, path), path, fails=False)
            case Check(condition):
                self._event(self._value(condition, path), path, fails=True)
            case _:
                raise TypeError(f"{statement} is unrolled before it is executed")

    def _write(self, write: Write, path: Expr) -> None:
        index, value = self._here(write.index), self._here(write.value)
        placed = Write(write.variable, index, value)
        self._event(self._defined.write(placed, self._scope), path, fails=True)
        version = f"{write.variable}~{next(self._made)}"
        simple = (self._defined.simplify(each, self._scope) for each in (index, value))
        store = Store(version, self._versions[write.variable], *simple)
        self._versions[write.variable] = version
        self._stores[version] = store
        self._definitions.append(store)

    def _if(self, condition: Expr, then: Block, otherwise: Block, path: Expr) -> None:
        if isinstance(condition, Const):
            return self.block(then if condition.value else otherwise, path)
        condition = self._name("if", condition)
        before = dict(self._names), dict(self._versions)
        self.block(then, conjunction(path, condition))
        names, versions = self._names, self._versions
        self._names, self._versions = before
        self.block(otherwise, conjunction(path, negate(condition)))
        return self._join(condition, names, versions)

    def _join(self, condition: Expr, names: dict[str, Expr], versions: dict[str, str]) -> None:
        for name, value in names.items():
            other = self._names.setdefault(name, value)
            if other != value:
                self._names[name] = self._name(name, choose(condition, value, other))
        for variable, version in versions.items():
            if version != self._versions[variable]:
                merged = f"{variable}~{next(self._made)}"
                merge = Merge(merged, condition, version, self._versions[variable])
                self._definitions.append(merge)
                self._versions[variable] = merged

    # --- expressions ------------------------------------------------------------------

    def _value(self, expr: Expr, path: Expr) -> Expr:
        """An expression in the state as it is here; that it has a value is an event."""
        here = self._here(expr)
        self._event(self._defined.of(here, self._scope), path, fails=True)
        return self._defined.simplify(here, self._scope)

    def _event(self, condition: Expr, path: Expr, *, fails: bool) -> None:
        condition = given(self._facts | facts_of(path), condition)
        if condition != TRUE:
            self._events.append(Event(path, condition, fails))
        if path == TRUE:
            self._facts |= facts_of(condition)

    def _name(self, wish: str, value: Expr) -> Expr:
        """A name for a value, or the value itself if it is short."""
        match value:
            case Const() | Local() | Read(_, Const()):
                return value
        name = f"{wish.partition('~')[0]}~s{next(self._made)}"
        self._scope[name] = self._unroller.ranges.of(value, self._scope)
        self._definitions.append(Define(name, value))
        return Local(name)

    def _here(self, expr: Expr) -> Expr:
        """An expression on the present versions of the variables."""
        match expr:
            case Local(name):
                return self._names.get(name, expr)
            case Read(variable, index) if "~" not in variable:
                return self._read(self._versions[variable], self._here(index))
            case Call(helper, arguments):
                call = Call(helper, tuple(self._here(each) for each in arguments))
                if self._is_stale(helper):
                    return self._here(self._unroller.inline(call, self._scope))
                return call
        return rebuild(expr, self._here)

    def _read(self, version: str, index: Expr) -> Expr:
        """One cell of a version, looked for behind the writes to other cells."""
        while isinstance(index, Const) and version in self._stores:
            store = self._stores[version]
            if store.index == index and isinstance(store.value, Const | Local):
                return store.value
            if store.index == index or not isinstance(store.index, Const):
                break
            version = store.base
        return Read(version, index)

    def _is_stale(self, helper: str) -> bool:
        """Whether a helper reads what the body has written."""
        written = {name for name, version in self._versions.items() if name != version}
        return bool(written & reads(self._unroller, helper))


def needed(definitions: Sequence[Definition], names: set[str]) -> tuple[Definition, ...]:
    """The definitions on which some names depend."""
    wanted, kept = set(names), []
    for definition in reversed(definitions):
        if definition.name in wanted:
            kept.append(definition)
            wanted |= _uses(definition)
    return tuple(reversed(kept))


def reads(unroller: Unroller, helper: str) -> set[str]:
    """The variables that a helper reads, itself or through others."""
    declared = unroller.system.helper[helper].parameters
    body, _ = unroller.helper(helper, tuple(Interval(each.type.low, each.type.high) for each in declared))
    return variables(unroller, body)


def variables(unroller: Unroller, expr: Expr) -> set[str]:
    """The variables that an expression reads, itself or through helpers."""
    found = set[str]().union(*(variables(unroller, part) for part in parts(expr)))
    match expr:
        case Read(variable):
            found.add(variable)
        case Call(helper):
            found |= reads(unroller, helper)
    return found


def used(expr: Expr) -> set[str]:
    """The names and versions that an expression uses."""
    return free(expr) | _versions(expr)


def _versions(expr: Expr) -> set[str]:
    found = set[str]().union(*map(_versions, parts(expr)))
    if isinstance(expr, Read):
        found.add(expr.variable)
    return found


def _uses(definition: Definition) -> set[str]:
    match definition:
        case Define(_, value):
            return used(value)
        case Store(_, base, index, value):
            return {base} | used(index) | used(value)
        case Merge(_, condition, then, otherwise):
            return {then, otherwise} | used(condition)
