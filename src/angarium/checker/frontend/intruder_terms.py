"""The terms of a class that derives from `Term`: from the functions of its file to a universe.

    def ticket(user: User, start: Time) -> Fact:
        return encrypted(key(Holder.BROKER), name(user), session(user, start))

is a constructor: it returns the class, and its body says of which kind the terms are and what is inside.
Every argument of a term inside is an argument of the function, or known before the search.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from angarium.checker.frontend.declared import Declarations
from angarium.checker.frontend.universe import KEYED, KINDS, Constructor, Kind, Mention, Universe
from angarium.checker.ir import types
from angarium.checker.ir.labels import prefix
from angarium.checker.language.declarations import base_of, word_of
from angarium.checker.language.source import Definition, Module
from angarium.core.errors import ModelError

MOST_TERMS = 2_000
Arguments = tuple[tuple[str, types.Scalar], ...]


@dataclass(frozen=True, slots=True)
class Head:
    """A constructor before its body is looked at."""

    function: ast.FunctionDef
    kind: Kind
    body: ast.Call
    arguments: Arguments


def read_terms(model: Declarations, module: Module, node: ast.ClassDef) -> tuple[types.Enumeration, Universe]:
    """All terms of a class, as an enumeration and as what is known of them."""
    heads = _heads(model, module, node)
    if not heads:
        raise module.error(
            "ANG107",
            node,
            f"nothing says which terms {node.name} has",
            "possible: functions in the same file that return it and say how",
            f"write def secret() -> {node.name}: return atom()",
        )
    reader = _Reader(model, module, heads)
    _refuse_circles(module, heads)
    universe = Universe(tuple(map(reader.constructor, heads.values())))
    count = sum(each.count for each in universe.constructors)
    if count > MOST_TERMS:
        what = f"{node.name} has {count:,} terms"
        raise module.error("ANG107", node, what, f"possible: at most {MOST_TERMS:,}", "use smaller indices")
    return types.Enumeration(node.name, tuple(_labels(model, universe))), universe


def constructor_of(
    model: Declarations, function: ast.FunctionDef, module: Module
) -> tuple[types.Enumeration, Universe, Constructor] | None:
    """What a function constructs; None if it is a helper like any other."""
    family = _returned(function, module)
    if family is None or _kind(function, module) is None:
        return None
    if family.module.file != module.file:
        raise module.error(
            "ANG107",
            function,
            f"{function.name} says how a term is made, in another file than its class",
            f"possible: in {family.module.file}",
            "move the function to the file of the class, and import it from there",
        )
    assert isinstance(family.node, ast.ClassDef)
    type_ = model.named_type(family.node.name, function, family.module)
    assert isinstance(type_, types.Enumeration)
    universe = model.universes[type_]
    return type_, universe, universe.constructor[function.name]


def constant_term(
    model: Declarations, call: ast.Call, name: str, module: Module
) -> tuple[types.Enumeration, int] | None:
    """A term whose arguments are known before the search; None if the call constructs none."""
    meaning = module.lookup(name)
    if not isinstance(meaning, Definition) or not isinstance(meaning.node, ast.FunctionDef):
        return None
    found = constructor_of(model, meaning.node, meaning.module)
    if found is None:
        return None
    type_, universe, constructor = found
    arguments = dict(constructor.arguments)
    given = _given(module, call, constructor.name, list(arguments))
    values = [
        _value(model, module, each, key, {}) for each, key in zip(given, arguments.values(), strict=True)
    ]
    return type_, universe.number(Mention(constructor.name, tuple(values)), {})


# --- which functions are constructors ---------------------------------------------------------------


def _returned(function: ast.FunctionDef, module: Module) -> Definition | None:
    """The class of terms that a function returns, if it is one."""
    match function.returns:
        case ast.Name(id=name) | ast.Constant(value=str(name)):
            meaning = module.lookup(name)
            if isinstance(meaning, Definition) and isinstance(meaning.node, ast.ClassDef):
                return meaning if base_of(meaning.module, meaning.node) == "Term" else None
    return None


def _kind(function: ast.FunctionDef, module: Module) -> tuple[Kind, ast.Call] | None:
    """The kind of terms that a function makes, and what they are made of."""
    match [each for each in function.body if not isinstance(each, ast.Expr)]:
        case [ast.Return(value=ast.Call() as body)]:
            word = word_of(module, body)
            return next(((kind, body) for kind in KINDS if kind == word), None)
    return None


def _heads(model: Declarations, module: Module, node: ast.ClassDef) -> dict[str, Head]:
    heads: dict[str, Head] = {}
    for function in module.tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        family, kind = _returned(function, module), _kind(function, module)
        if family is None or family.node is not node or kind is None:
            continue
        if function.name in heads:
            what = f"{function.name} is bound more than once in this file"
            raise module.error("ANG107", function, what, "", "rename one")
        heads[function.name] = Head(function, *kind, _arguments(model, module, node, function))
    return heads


def _arguments(
    model: Declarations, module: Module, node: ast.ClassDef, function: ast.FunctionDef
) -> Arguments:
    given = function.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults:
        raise module.error(
            "ANG104",
            function,
            f"{function.name} has arguments of a kind that is not supported",
            "supported: plain named arguments with a type annotation",
        )
    return tuple((arg.arg, _argument(model, module, node, function, arg)) for arg in given.args)


def _argument(
    model: Declarations, module: Module, node: ast.ClassDef, function: ast.FunctionDef, arg: ast.arg
) -> types.Scalar:
    if isinstance(arg.annotation, ast.Name) and arg.annotation.id == node.name:
        what = f"{function.name} has any {node.name} as its argument: there would be no end of terms"
        raise module.error("ANG108", arg, what, "", "give it the arguments of the terms that are meant")
    plain = arg.annotation is not None and ast.unparse(arg.annotation) not in ("int", "float", "str")
    type_ = model.annotated(arg.annotation, module).type if arg.annotation and plain else None
    if not isinstance(type_, types.Index | types.Enumeration | types.Bool):
        raise module.error(
            "ANG107",
            arg,
            f"the argument {arg.arg} of {function.name} does not say which terms there are",
            "possible: an Index, an Enum or bool",
            f"write {arg.arg}: User",
        )
    if isinstance(type_, types.Index) and type_.symmetric:
        what = f"the terms of {function.name} tell interchangeable values apart ({type_})"
        raise module.error("ANG109", arg, what, "", "remove symmetric=True from the index")
    return type_


def _refuse_circles(module: Module, heads: Mapping[str, Head]) -> None:
    """No term is inside itself."""

    def visit(name: str, way: tuple[str, ...]) -> None:
        if name in way:
            circle = " -> ".join((*way[way.index(name) :], name))
            raise module.error(
                "ANG108",
                heads[name].function,
                f"{name} is inside itself: {circle}",
                "possible inside a term: terms of functions that do not come back to it",
                "make one of them an atom",
            )
        for part in heads[name].body.args:
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in heads:
                visit(part.func.id, (*way, name))

    for name in heads:
        visit(name, ())


# --- what is inside ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reader:
    model: Declarations
    module: Module
    heads: Mapping[str, Head]

    def constructor(self, head: Head) -> Constructor:
        call, around = head.body, dict(head.arguments)
        keyed = head.kind in KEYED
        least = 0 if head.kind == "atom" else 1 + keyed
        fits = len(call.args) >= least if least else not call.args
        if not fits or call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
            raise self.module.error(
                "ANG107",
                call,
                f"{ast.unparse(call)} does not say what is inside",
                f"possible: {USES[head.kind]}",
            )
        mentions = [self.mention(part, around) for part in call.args]
        key = mentions.pop(0) if keyed else None
        return Constructor(head.function.name, head.kind, head.arguments, key, tuple(mentions))

    def mention(self, node: ast.expr, around: Mapping[str, types.Scalar]) -> Mention:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in self.heads:
                arguments = dict(self.heads[name].arguments)
                given = zip(_given(self.module, node, name, list(arguments)), arguments.values(), strict=True)
                values = (_value(self.model, self.module, each, type_, around) for each, type_ in given)
                return Mention(name, tuple(values))
        raise self.module.error(
            "ANG106",
            node,
            f"{ast.unparse(node)} is not a term that can be inside another",
            f"possible: calls of {', '.join(self.heads)}",
            "give what is inside a name of its own: def inner() -> ...: return paired(...)",
        )


def _value(
    model: Declarations,
    module: Module,
    node: ast.expr,
    wanted: types.Scalar,
    around: Mapping[str, types.Scalar],
) -> int | str:
    """An argument of a term: the name of an argument of the term around it, or a number."""
    if isinstance(node, ast.Name) and node.id in around:
        if around[node.id] == wanted:
            return node.id
        raise _unfit(module, node, str(around[node.id]), wanted)
    static = model.static(node, module)
    numbers = isinstance(wanted, types.Index) and isinstance(static.type, types.Int)
    if not (numbers or static.type == wanted) or not wanted.low <= static.value <= wanted.high:
        given = str(static.value) if numbers else str(static.type)
        raise _unfit(module, node, given, wanted)
    return static.value


def _unfit(module: Module, node: ast.expr, given: str, wanted: types.Scalar) -> ModelError:
    possible = f"possible: {', '.join(wanted.members)}" if isinstance(wanted, types.Enumeration) else ""
    if isinstance(wanted, types.Index):
        possible = f"possible: an argument of this type, or {wanted.low} .. {wanted.high}"
    return module.error("ANG106", node, f"{ast.unparse(node)} is {given}, where {wanted} is needed", possible)


USES: dict[Kind, str] = {
    "atom": "atom(), without arguments",
    "paired": "paired(part, ...)",
    "encrypted": "encrypted(key, part, ...)",
    "sealed": "sealed(key, part, ...)",
    "signed": "signed(key, part, ...)",
}


def _given(module: Module, node: ast.Call, name: str, names: Sequence[str]) -> list[ast.expr]:
    """The arguments of a call, in the order of the constructor's."""
    given = dict(zip(names, node.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    if len(node.args) + len(node.keywords) != len(names) or set(given) != set(names):
        what = f"{name} takes {', '.join(names) or 'no arguments'}, not {ast.unparse(node)}"
        raise module.error("ANG106", node, what)
    return [given[each] for each in names]


# --- what terms are called --------------------------------------------------------------------------


def _labels(model: Declarations, universe: Universe) -> list[str]:
    words = {name: name for name in model.index_sizes}
    return [
        f"{constructor.name}({', '.join(row)})" if row else constructor.name
        for constructor in universe.constructors
        for row in _rows([_words(type_, words) for _, type_ in constructor.arguments])
    ]


def _rows(columns: list[list[str]]) -> list[list[str]]:
    rows: list[list[str]] = [[]]
    for column in columns:
        rows = [[*row, word] for row in rows for word in column]
    return rows


def _words(type_: types.Scalar, indices: Mapping[str, str]) -> list[str]:
    """What the values of an argument are called inside the name of a term."""
    match type_:
        case types.Enumeration(_, members):
            return [member.lower() for member in members]
        case types.Index(name):
            return [f"{type_.label or prefix(name, indices)}{n}" for n in range(1, type_.size + 1)]
    return [str(bool(value)).lower() for value in range(type_.low, type_.high + 1)]
