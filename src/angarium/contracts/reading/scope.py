"""What names mean in a proof module, and what can be said where.

Names are words of the language, sorts, and classes that other files define; in sight of an expression are
names, the state and the helpers.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from angarium.checker.language.source import Definition, Module, Word
from angarium.contracts import language
from angarium.contracts.module import Specification
from angarium.contracts.terms import TRUTH, Expr, Kind, Sort, Symbol, Variable
from angarium.core.errors import ModelError, did_you_mean

LANGUAGE = Path(language.__file__).resolve()

KIND_OF_BASE = {"Sort": Kind.PLAIN, "Order": Kind.ORDER, "Ring": Kind.RING}


def meaning(module: Module, name: str) -> Definition | str | None:
    """A definition of the user's, or a word: of this language, of Python's typing, or a built-in name."""
    found = module.lookup(name)
    if isinstance(found, Word):
        return found.name
    if found is None or Path(found.module.file).resolve() != LANGUAGE:
        return found
    return name_in_language(found)


def name_in_language(found: Definition) -> str:
    """The word that a definition in the language's own file stands for."""
    match found.node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return name
        case _:
            return "Answer"  # the only word there that is neither a class nor a function


def word_of(module: Module, node: ast.expr) -> str | None:
    """The word that an expression names, or calls."""
    function = node.func if isinstance(node, ast.Call) else node
    if not isinstance(function, ast.Name):
        return None
    found = meaning(module, function.id)
    return found if isinstance(found, str) else None


def bases_of(module: Module, node: ast.ClassDef) -> set[str]:
    """The words from which a class derives, as `Specification` and `Generic`."""
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    return {word for base in bases if (word := word_of(module, base)) is not None}


@dataclass(slots=True)
class Sorts:
    """The sorts that were met so far, and what is known of their things."""

    by_name: dict[str, Sort] = field(default_factory=dict)
    fields: dict[Sort, dict[str, Symbol]] = field(default_factory=dict)
    _origin: dict[str, str] = field(default_factory=dict)

    def of(self, module: Module, node: ast.expr) -> Sort:
        """The sort that an annotation names."""
        match node:
            case ast.Name(id="bool"):
                return TRUTH
            case ast.Name(id=name):
                found = meaning(module, name)
                if isinstance(found, Definition):
                    return self._defined(module, node, _own_name(found, name), found)
        raise module.error(
            "ANG107",
            node,
            f"{ast.unparse(node)} is no sort",
            "possible: bool, or a class that derives from Sort, Order or Ring",
            "define the class at the top of the file, or import it",
        )

    def _defined(self, module: Module, node: ast.expr, name: str, found: Definition) -> Sort:
        kind = _kind(found)
        if kind is None:
            raise module.error("ANG107", node, f"{name} is no sort", "", "derive it from Sort, Order or Ring")
        origin = f"{found.module.file}:{getattr(found.node, 'lineno', 0)}"
        self._claim(module, node, name, origin)
        if name not in self.by_name:
            self.by_name[name] = Sort(name, kind)
            self.fields[self.by_name[name]] = {}
            if isinstance(found.node, ast.ClassDef):
                self._read_fields(found.module, found.node, self.by_name[name])
        return self.by_name[name]

    def _read_fields(self, module: Module, node: ast.ClassDef, sort: Sort) -> None:
        for part in node.body:
            match part:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                    result = self.of(module, annotation)
                    self.fields[sort][name] = Symbol(name, (sort,), result, fixed=True)
                case ast.Expr(value=ast.Constant()) | ast.Pass():
                    pass
                case _:
                    raise module.error(
                        "ANG104", part, f"a sort has only fields: {ast.unparse(part).splitlines()[0]}",
                        "possible: name: Sort", "move it to a specification",
                    )  # fmt: skip

    def learn(self, others: Sorts, but: Sequence[Sort], module: Module, node: ast.expr) -> None:
        """Take over what others know, except of some sorts."""
        for name, sort in others.by_name.items():
            if sort not in but:
                self._claim(module, node, name, others._origin[name])
                self.by_name[name], self.fields[sort] = sort, others.fields[sort]

    def _claim(self, module: Module, node: ast.expr, name: str, origin: str) -> None:
        """A name stands for one sort only: solvers tell sorts by their names."""
        if self._origin.setdefault(name, origin) != origin:
            raise module.error("ANG107", node, f"there are two sorts named {name}", "", "rename one of them")

    def fixed(self) -> tuple[Symbol, ...]:
        return tuple(symbol for fields in self.fields.values() for symbol in fields.values())


def _kind(found: Definition) -> Kind | None:
    """What a definition says of the sort that it defines; None if it defines none."""
    match found.node:
        case ast.ClassDef():
            words = bases_of(found.module, found.node)
        case ast.Call() if word_of(found.module, found.node) == "TypeVar":
            bounds = [keyword.value for keyword in found.node.keywords if keyword.arg == "bound"]
            words = {word for bound in bounds if (word := word_of(found.module, bound)) is not None}
        case _:
            return None
    match [kind for word, kind in KIND_OF_BASE.items() if word in words]:
        case []:
            return None
        case [kind]:
            return kind
    raise found.module.error("ANG107", found.node, "a sort is of one kind", "", "derive it from one of them")


def _own_name(found: Definition, name: str) -> str:
    """The name with which a sort is defined, whatever it is called where it is imported."""
    return found.node.name if isinstance(found.node, ast.ClassDef) else name


@dataclass(frozen=True, slots=True)
class Scope:
    """The surroundings of an expression or statement."""

    module: Module
    sorts: Sorts
    own: Mapping[str, Symbol]
    """`self.name`."""
    parts: Mapping[str, Specification] = field(default_factory=dict)
    """`self.name.symbol` and, of components, `self.name.operation(...)`."""
    helpers: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    names: Mapping[str, Expr] = field(default_factory=dict)
    abstract: str | None = None
    """The part that is the specification: its state is for conjectures and invariants, not for code."""
    steps: bool = False
    """Whether the next element of an order may be asked for: in code, where it names one element."""
    runs: bool = False
    """Whether this stands for something that is run: it cannot look at abstract state, be it that of the
    specification or of components, because real code does not have it."""
    inlined: tuple[str, ...] = ()
    """The helpers that are being read, to notice recursion."""
    numbers: count[int] = field(default_factory=count)

    def error(self, code: str, node: ast.AST, what: str, possible: str = "", remedy: str = "") -> ModelError:
        return self.module.error(code, node, what, possible, remedy)

    def text(self, node: ast.expr) -> str:
        """An expression as it was written, in one line."""
        return " ".join((ast.get_source_segment(self.module.text, node) or ast.unparse(node)).split())

    def bound(self, name: str, sort: Sort) -> Variable:
        """A variable for a quantifier, with a name that nothing else has."""
        return Variable(f"{name}#{next(self.numbers)}", sort)

    def knowing(self, names: Mapping[str, Expr]) -> Scope:
        return replace(self, names={**self.names, **names})

    def within_all(self) -> Scope:
        """The same surroundings inside `all`, `any` and comprehensions."""
        return replace(self, steps=False)

    def claiming(self) -> Scope:
        """The same surroundings for something that is claimed, not run."""
        return replace(self, steps=False, runs=False)

    def running(self) -> Scope:
        """The same surroundings for code."""
        return replace(self, steps=True, runs=True)

    def only(self, names: Mapping[str, Expr]) -> Scope:
        """The same surroundings with these names and no others."""
        return replace(self, names=dict(names))

    def symbol(self, node: ast.expr) -> Symbol | None:
        """The symbol that `self.name` or `self.part.name` stands for, if that is what is written."""
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name not in self.parts:
                return self._own(node, name)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=part), attr=name):
                return self._of_part(node, part, name) if part in self.parts else None
        return None

    def _own(self, node: ast.Attribute, name: str) -> Symbol:
        if name in self.own:
            return self.own[name]
        raise self.error(
            "ANG105", node, f"self.{name} is not known", did_you_mean(name, [*self.own, *self.helpers]),
            "declare it in the class: a set, a dict or a sort",
        )  # fmt: skip

    def _of_part(self, node: ast.Attribute, part: str, name: str) -> Symbol:
        if self.runs:
            raise self.error(
                "ANG081", node, f"code cannot look at abstract state: {ast.unparse(node)}",
                "possible: the implementation's own state, and operations of components",
                "use it in conjectures and invariants only",
            )  # fmt: skip
        symbols = {symbol.name.rpartition(".")[2]: symbol for symbol in self.parts[part].state}
        if name in symbols:
            return symbols[name]
        raise self.error("ANG105", node, f"{ast.unparse(node)} is not known", did_you_mean(name, symbols))
