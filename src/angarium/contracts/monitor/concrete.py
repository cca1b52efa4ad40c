"""Contracts on real values: each is turned into the Python that it was written in, once, and then run.

Relations become sets (of tuples, if they have several arguments) and functions become dictionaries. A
contract becomes a generator, as its author wrote it: it runs up to `yield` before the call, is sent the
answer, and goes on behind it. Its code carries the lines of the source, so that a traceback ends in the
`require` or `ensure` that failed.

Expressions mean the same as in a proof. The elements of an order are whole numbers from 0, and what is fixed
of a thing, such as the number of a message, is an attribute of the object. `all(... for m in self.contents)`
walks through a set; if what it says is not about `m`, it only asks whether the set is empty, so that the
question takes no longer on a long queue. What has no finite meaning cannot be run: `every(Message)` is a set
without end, and of a ring nobody knows how many slots it has.

Whatever changes the state also writes down how to undo it. So a call that must not be made leaves nothing
behind, and no state needs to be copied as long as nothing is wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from angarium.contracts.module import (
    Branch,
    Collect,
    Contract,
    Ensure,
    Let,
    Put,
    Require,
    Specification,
    Statement,
)
from angarium.contracts.terms import (
    FALSE,
    TRUTH,
    And,
    Apply,
    Between,
    Choice,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Literal,
    Next,
    Not,
    Or,
    Quantified,
    Quantifier,
    Symbol,
    Variable,
    walk,
)
from angarium.core.errors import ConformError, Place

_RING = "a ring has a number of slots that only its implementation knows"
_WITHOUT_END = "it asks about everything of a sort, of which there is no end"
_REMEDY = "write all(... for m in self.contents) about what is in a relation of the state"


def python(expr: Expr, place: Place) -> str:
    """The expression as Python; `place` is the line on which it stands, for errors."""
    match expr:
        case Literal(value=value):
            return str(value)
        case Variable(name=name):
            return local(name)
        case First():
            return "0"
        case Next(of=of) if expr.sort.kind is Kind.ORDER:
            return f"({python(of, place)} + 1)"
        case Apply(symbol=symbol, arguments=arguments):
            return _applied(symbol, arguments, place)
        case Equal(left=left, right=right):
            return f"({python(left, place)} == {python(right, place)})"
        case Less(left=left, right=right):
            return f"({python(left, place)} < {python(right, place)})"
        case Quantified():
            return _quantified(expr, place)
        case Next() | Between():
            raise cannot_be_watched(_RING, place)
        case _:
            return _connected(expr, place)


def local(name: str) -> str:
    """A variable's name in Python: no two variables have the same, and no name of ours is among them.

    Variables that were told apart by a number are called `m#1`, which Python cannot read.
    """
    return "v_" + name.replace("_", "__").replace("#", "_n")


def key(expressions: Iterable[Expr], place: Place) -> str:
    """Arguments as a set or a dictionary holds them: one thing as it is, several as a tuple."""
    texts = [python(each, place) for each in expressions]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def variables(bound: tuple[Variable, ...]) -> str:
    """What a loop over a relation binds."""
    return key(bound, Place("", 0, 0))


def stored(symbol: Symbol) -> str:
    """Where the value of a symbol is."""
    return f"state[{symbol.name!r}]"


def walked(domain: Symbol | None, place: Place) -> str:
    """The set that a loop walks through."""
    if domain is None or domain.fixed:
        raise cannot_be_watched(_WITHOUT_END, place)
    return stored(domain)


def cannot_be_watched(why: str, place: Place) -> ConformError:
    return ConformError(
        "ANG090",
        f"this line can be proved, but not be watched on real values: {why}",
        possible="relations of the state, fields of one thing, orders, and all or any over a relation",
        remedy=_REMEDY,
        place=place,
    )


def _connected(expr: Expr, place: Place) -> str:
    match expr:
        case Not(of=of):
            return f"(not {python(of, place)})"
        case And(parts=parts):
            return f"({' and '.join(python(each, place) for each in parts) or 'True'})"
        case Or(parts=parts):
            return f"({' or '.join(python(each, place) for each in parts) or 'False'})"
        case Choice(condition=condition, then=then, otherwise=otherwise):
            yes, no = python(then, place), python(otherwise, place)
            return f"({yes} if {python(condition, place)} else {no})"
    raise AssertionError(expr)


def _applied(symbol: Symbol, arguments: tuple[Expr, ...], place: Place) -> str:
    if symbol.fixed:
        return _field(symbol, arguments, place)
    if not arguments:
        return stored(symbol)
    if symbol.result == TRUTH:
        return f"({key(arguments, place)} in {stored(symbol)})"
    return f"{stored(symbol)}[{key(arguments, place)}]"


def _field(symbol: Symbol, arguments: tuple[Expr, ...], place: Place) -> str:
    if len(arguments) != 1:
        raise cannot_be_watched(f"{symbol.name} is fixed, but is not a field of one thing", place)
    return f"{python(arguments[0], place)}.{symbol.name}"


def _quantified(expr: Quantified, place: Place) -> str:
    domain, body = walked(expr.domain, place), python(expr.body, place)
    is_all = expr.quantifier is Quantifier.ALL
    if not set(expr.variables) & set(walk(expr.body)):
        return f"(not {domain} or {body})" if is_all else f"(bool({domain}) and {body})"
    return f"{'all' if is_all else 'any'}({body} for {variables(expr.variables)} in {domain})"


Undo: TypeAlias = list[tuple[Callable[..., object], tuple[Any, ...]]]
"""What to call, last first, to get back to an earlier state."""
Run: TypeAlias = Callable[..., Generator[None, Any, None]]
"""A contract: called with the state, a list for what undoes its changes, and the arguments of the call."""
Clause: TypeAlias = Require | Ensure


class Unkept(Exception):  # noqa: N818 (it may be a caller's or a subject's)
    """A `require` or an `ensure` is false; raised where it stands."""

    def __init__(self, clause: Clause) -> None:
        super().__init__(clause.text)
        self.clause = clause


class State(dict[str, Any]):
    """The abstract state: every symbol with its value."""

    def __missing__(self, name: str) -> NoReturn:
        raise _unset(name)

    def copy(self) -> State:
        """The state as it is now, whatever happens to this one."""
        return State({name: value.copy() if _is_mutable(value) else value for name, value in self.items()})


class Function(dict[Hashable, Any]):
    """A function of the abstract state, as far as anything is known of it."""

    def __init__(self, name: str, values: Mapping[Hashable, Any] | None = None) -> None:
        super().__init__(values or {})
        self.name = name

    def __missing__(self, key: Hashable) -> NoReturn:
        raise _unset(f"{self.name}[{key!r}]")

    def copy(self) -> Function:
        return Function(self.name, self)


@dataclass(frozen=True, slots=True)
class Concrete:
    """A specification that can be run."""

    specification: Specification
    begin: Callable[[State, Undo], None]
    contracts: Mapping[str, Run]

    def initial(self) -> State:
        """The abstract state of a subject to which nothing has happened."""
        functions = [each.name for each in self.specification.state if _is_function(each)]
        state = State({name: Function(name) for name in functions})
        self.begin(state, [])
        return state


@lru_cache(maxsize=16)
def concrete(specification: Specification) -> Concrete:
    """A specification as Python; an error if some line of it cannot be run."""
    contracts = {each.name: _contract(each) for each in specification.contracts}
    return Concrete(specification, _begin(specification), contracts)


def take_back(undo: Undo) -> None:
    """Get back to where the state was when `undo` was empty."""
    while undo:
        function, arguments = undo.pop()
        function(*arguments)


def _is_function(symbol: Symbol) -> bool:
    return bool(symbol.arguments) and symbol.result != TRUTH


def _is_mutable(value: object) -> bool:
    return isinstance(value, set | Function)


def _unset(what: str) -> ConformError:
    return ConformError(
        "ANG090",
        f"the contract asks for {what}, of which nothing is known yet",
        possible="what __init__ or an operation before has set",
        remedy="say in __init__ of the specification what it is at the beginning",
    )


# --- functions from statements ------------------------------------------------------------------


def _contract(contract: Contract) -> Run:
    results = [local(each.name) for each in contract.results]
    answer = f"{', '.join(results)} = yield" if results else "yield"
    writer = _Writer()
    body = [*writer.block(contract.before), *_located(answer, contract.place), *writer.block(contract.after)]
    run: Run = writer.function(contract.name, contract.parameters, body, contract.place)
    return run


def _begin(specification: Specification) -> Callable[[State, Undo], None]:
    place = [*specification.initially, *specification.contracts][0].place
    writer = _Writer()
    body = writer.block(specification.initially) or _located("pass", place)
    begin: Callable[[State, Undo], None] = writer.function("begin", (), body, place)
    return begin


@dataclass(slots=True)
class _Writer:
    """Writes one function; what its `require`s and `ensure`s are about is told by their numbers."""

    clauses: list[Clause] = field(default_factory=list)

    def function(self, name: str, parameters: Iterable[Variable], body: list[ast.stmt], place: Place) -> Any:  # noqa: ANN401 (the caller knows whether it is a generator)
        arguments = ["state", "undo", *(local(each.name) for each in parameters)]
        (definition,) = _located(f"def {name}({', '.join(arguments)}): pass", place)
        assert isinstance(definition, ast.FunctionDef)
        definition.body = body
        namespace = {**_HELPERS, "clauses": self.clauses}
        exec(compile(ast.Module([definition], type_ignores=[]), place.file, "exec"), namespace)
        return namespace[name]

    def block(self, statements: Iterable[Statement]) -> list[ast.stmt]:
        return [node for each in statements for node in self.statement(each)]

    def statement(self, statement: Statement) -> list[ast.stmt]:
        place = statement.place
        match statement:
            case Require() | Ensure():
                return _located(self.clause(statement), place)
            case Let(variable=variable, value=value):
                return _located(f"{local(variable.name)} = {python(value, place)}", place)
            case Put():
                return _located(_put(statement), place)
            case Collect():
                return _located(_collect(statement), place)
            case Branch():
                return self.branch(statement)
            case _:
                raise cannot_be_watched("a contract has no loops and calls nothing", place)

    def clause(self, clause: Clause) -> str:
        self.clauses.append(clause)
        number = len(self.clauses) - 1
        return f"if not {python(clause.condition, clause.place)}: raise Unkept(clauses[{number}])"

    def branch(self, branch: Branch) -> list[ast.stmt]:
        nodes = _located(f"if {python(branch.condition, branch.place)}: pass", branch.place)
        assert isinstance(nodes[0], ast.If)
        nodes[0].body = self.block(branch.then) or nodes[0].body
        nodes[0].orelse = self.block(branch.otherwise)
        return nodes


def _located(text: str, place: Place) -> list[ast.stmt]:
    """Python that stands, for tracebacks, on the line that it was made from."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.arg):
            node.lineno = node.end_lineno = place.line
            node.col_offset = node.end_col_offset = 0
    return tree.body


def _put(put: Put) -> str:
    value = python(put.value, put.place)
    if not put.arguments:
        return f"put_value(undo, state, {put.symbol.name!r}, {value})"
    helper = "put_member" if put.symbol.result == TRUTH else "put_value"
    return f"{helper}(undo, {stored(put.symbol)}, {key(put.arguments, put.place)}, {value})"


def _collect(collect: Collect) -> str:
    target, place = collect.symbol, collect.place
    if collect.condition == FALSE:
        return f"put_value(undo, state, {target.name!r}, set())"
    each, domain = variables(collect.variables), walked(collect.domain, place)
    condition = python(collect.condition, place)
    if collect.domain == target:
        return f"take_out(undo, {domain}, [{each} for {each} in {domain} if not {condition}])"
    return f"put_value(undo, state, {target.name!r}, {{{each} for {each} in {domain} if {condition}}})"


# --- what the functions call --------------------------------------------------------------------


def _put_value(undo: Undo, values: MutableMapping[Any, Any], name: Hashable, value: object) -> None:
    if name in values:
        undo.append((values.__setitem__, (name, values[name])))
    else:
        undo.append((values.pop, (name,)))
    values[name] = value


def _put_member(undo: Undo, members: set[Hashable], member: Hashable, belongs: bool) -> None:
    if belongs and member not in members:
        undo.append((members.discard, (member,)))
        members.add(member)
    elif not belongs and member in members:
        undo.append((members.add, (member,)))
        members.discard(member)


def _take_out(undo: Undo, members: set[Hashable], gone: list[Hashable]) -> None:
    """Those that stay need not be looked at again, of which there may be many."""
    undo.append((members.update, (gone,)))
    members.difference_update(gone)


_HELPERS = {
    "put_value": _put_value,
    "put_member": _put_member,
    "take_out": _take_out,
    "Unkept": Unkept,
}
