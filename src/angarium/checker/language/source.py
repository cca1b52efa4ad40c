"""Model files as syntax trees: read, never run.

A `Module` is a parsed file with the names it defines. Names that it imports from other files are followed
to those files' syntax trees; words of the language and the standard library's `Enum` are known by name.
So a model file can neither execute anything nor hang while it is being read.
"""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import NoReturn

from angarium.checker.language.bindings import (
    binds_anything,
    bound,
    bound_from_inside,
    called_values,
    changed,
    for_types_only,
    is_main,
)
from angarium.checker.language.trees import children, inside
from angarium.checker.language.vocabulary import WORDS
from angarium.core import files
from angarium.core.errors import ModelError, Place, UsageError

LARGEST = 1 << 20
"""Bytes of a model file: people write them."""
MOST_NESTED = 300
"""Operators inside each other: a sum of so many terms, or a condition of so many parts."""
MOST_BITS = 10_000
"""Of a number in a file: some three thousand digits."""
KNOWN_MODULES = frozenset({"__future__", "enum", "typing", "dataclasses", "collections.abc"})
"""Modules from which a model may import names that need no following."""
BUILT_IN = frozenset(("abs", "all", "any", "bool", "int", "len", "max", "min", "range", "set", "sum"))
"""Names of Python that mean in a model what they mean in Python."""


@dataclass(frozen=True, slots=True)
class Word:
    """A name that stands for a word of the language, or for a name of a known module."""

    name: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A class, a function or a constant in some module."""

    module: Module
    node: ast.ClassDef | ast.FunctionDef | ast.expr


@dataclass(slots=True)
class Module:
    """A parsed file."""

    file: str
    text: str
    tree: ast.Module
    within: Path | None = None
    """The folder that imported files must lie in, besides those of installed packages; None: anywhere."""
    _lines: list[str] = field(init=False)
    _names: dict[str, ast.ClassDef | ast.FunctionDef | ast.expr | ast.ImportFrom | ast.Import] = field(
        default_factory=dict
    )
    _followed: dict[str, Module] = field(default_factory=dict)
    _packages: set[str] = field(default_factory=set)
    """Names under which the file imports `angarium` itself."""
    _uncertain: dict[str, tuple[ast.AST, str]] = field(default_factory=dict)
    """Names of which only running the file would tell what they stand for: where that is, and why."""
    _confused: tuple[ast.AST, str] | None = None
    """Where the file makes every name uncertain, and why."""

    def __post_init__(self) -> None:
        self._lines = self.text.splitlines()
        for node in self.tree.body:
            self._enter(node)
        for name, where in bound_from_inside(self.tree):
            self._doubt(name, where, "is bound by a function too, which declares it global")
        for name, defined in self._names.items():
            if isinstance(defined, ast.FunctionDef):
                self._doubt_function(name, defined)

    def _doubt_function(self, name: str, node: ast.FunctionDef) -> None:
        shadow = self.shadow(node)
        if shadow is not None:
            self._doubt(name, shadow[1], f"assigns {shadow[0]}, which is a name of the file too")
        for value, where in called_values(node):
            self._doubt(name, where, f"calls {value}, which is a value in it")

    def shadow(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ast.AST] | None:
        """A name that a function assigns and the file defines, if there is one.

        In Python such a name is the function's everywhere in it, and has no value where nothing was assigned.
        """
        given = {each.arg for each in inside(function.args) if isinstance(each, ast.arg)}
        for name, where in (found for statement in function.body for found in bound(statement)):
            if name not in given and not isinstance(self._names.get(name), NoneType | ast.Import):
                if not self._is_word(name):
                    return name, where
        return None

    def _is_word(self, name: str) -> bool:
        """Whether a name is imported from the language or a known module, where it is no value."""
        match self._names.get(name):
            case ast.ImportFrom(level=0, module=str(module)):
                return module in KNOWN_MODULES or module.split(".")[0] == "angarium"
        return False

    def _enter(self, node: ast.stmt) -> None:
        if is_main(node):
            return
        if for_types_only(node):
            assert isinstance(node, ast.If)
            for inside in node.body:
                self._enter(inside)
            return
        for name, where in changed(node):
            self._doubt(name, where, "may be changed here, when the file runs")
        everything = binds_anything(node)
        if everything is not None:
            self._confuse(everything, "may bind any name")
        for decorator in getattr(node, "decorator_list", ()):
            if not self._is_word(getattr(_function(decorator), "id", "")):
                self._doubt(node.name, decorator, "has a decorator that is not read")  # type: ignore[attr-defined]
        for name, where in bound(node):
            self._bind(name, where, node)

    def _confuse(self, where: ast.AST, why: str) -> None:
        self._confused = self._confused or (where, why)

    def _bind(self, name: str, where: ast.AST, node: ast.stmt) -> None:
        """A name that a statement binds: what it means if the statement is one of those that are read."""
        if name in BUILT_IN:
            self._confuse(where, f"gives {name} another meaning than Python's")
        match node:
            case ast.ImportFrom() | ast.Import():
                self._import(name, node)
                return
            case ast.ClassDef() | ast.FunctionDef() if where is node:
                self._define(name, where, node)
            case ast.Assign(targets=[ast.Name() as target], value=value) if where is target:
                self._define(name, where, value)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value) if where is target:
                self._define(name, where, value)
            case ast.AnnAssign(value=None):
                pass  # says of which type a name is, and binds nothing
            case _:
                again = name in self._names or isinstance(node, ast.AugAssign | ast.Delete)
                why = "is bound more than once in this file" if again else f"is bound in {_described(node)}"
                self._doubt(name, where, why)

    def _define(self, name: str, where: ast.AST, node: ast.ClassDef | ast.FunctionDef | ast.expr) -> None:
        if name in self._names:
            self._doubt(name, where, "is bound more than once in this file")
        self._names[name] = node

    def _import(self, name: str, node: ast.ImportFrom | ast.Import) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._check_import(node, alias.name, 0)
                if alias.name == "angarium":
                    self._packages.add(alias.asname or alias.name)
        else:
            self._check_import(node, node.module or "", node.level)
        if name == "*":
            for before in [
                each for each, what in self._names.items() if not isinstance(what, ast.ImportFrom)
            ]:
                self._doubt(before, node, "may be bound again by this import")
        for each in sorted(WORDS) if name == "*" else [name]:
            known = self._names.get(each)
            if known is not None and not _same_import(known, node, each):
                self._doubt(each, node, "is bound more than once in this file")
            self._names[each] = node

    def _doubt(self, name: str, where: ast.AST, why: str) -> None:
        self._uncertain.setdefault(name, (where, why))

    def word_in(self, package: str, name: str) -> str | None:
        """The word that `package.name` stands for, where the package is ours under some name."""
        if package not in self._packages or name not in WORDS:
            return None
        self._check_certain(package)
        return name

    def _check_certain(self, name: str) -> None:
        """What a name stands for must not depend on running the file."""
        remedy = "bind it once, at the top of the file: name = value, def or class; or rename one"
        if name in self._uncertain:
            where, why = self._uncertain[name]
            raise self.error("ANG107", where, f"{name} {why}", "a model is read, not run", remedy)
        if self._confused is not None:
            where, why = self._confused
            remedy = "import names one by one, and call nothing by the name of a built-in function"
            raise self.error("ANG107", where, f"this {why}", "a model is read, not run", remedy)

    def place(self, node: ast.AST) -> Place:
        """Where a node stands."""
        line = getattr(node, "lineno", 1)
        source = self._lines[line - 1] if line <= len(self._lines) else ""
        return Place(self.file, line, getattr(node, "col_offset", 0) + 1, source)

    def error(self, code: str, node: ast.AST, what: str, possible: str = "", remedy: str = "") -> ModelError:
        """An error at a node of this module."""
        return ModelError(code, what, possible=possible, remedy=remedy, place=self.place(node))

    def classes(self) -> list[ast.ClassDef]:
        """The module's own classes, in order."""
        return [node for node in self.tree.body if isinstance(node, ast.ClassDef)]

    def lookup(self, name: str, asked: frozenset[str] = frozenset()) -> Definition | Word | None:
        """What a name means at the top of this module; `asked` are the files that sent us here."""
        self._check_certain(name)
        node = self._names.get(name)
        if node is None or isinstance(node, ast.Import):
            return None
        if not isinstance(node, ast.ImportFrom):
            return Definition(self, node)
        original = _original(node, name)
        if node.level == 0 and (node.module or "").split(".")[0] == "angarium" and original in WORDS:
            return Word(original)
        if node.level == 0 and node.module in KNOWN_MODULES:
            return Word(original)
        if self.file in asked:
            raise self.error("ANG103", node, f"{name!r} is imported in a circle", "", "define it in one file")
        return self._follow(node).lookup(original, asked | {self.file})

    def _check_import(self, node: ast.stmt, module: str, level: int) -> None:
        if module in KNOWN_MODULES or module.split(".")[0] == "angarium":
            return
        if self._locate(module, level) is None:
            self._missing(node, "." * level + module)

    def _missing(self, node: ast.stmt, module: str) -> NoReturn:
        raise self.error(
            "ANG103",
            node,
            f"the module {module!r} cannot be found",
            f"looked beside {self.file} and among the installed packages",
            "correct the name, put the file beside the model, or remove the import",
        )

    def _locate(self, module: str, level: int) -> Path | None:
        base = Path(self.file).resolve().parent
        for _ in range(max(level - 1, 0)):
            base = base.parent
        beside = base.joinpath(*module.split(".")) if module else base
        for path in (beside.with_suffix(".py"), beside / "__init__.py"):
            if self._may_read(path) and path.is_file():
                return path
        return None if level else _installed(module)

    def _may_read(self, path: Path) -> bool:
        """Whether a file lies, all links followed, where this one may import from."""
        try:
            return self.within is None or path.resolve().is_relative_to(self.within)
        except (OSError, RuntimeError):  # a circle of links
            return False

    def _follow(self, node: ast.ImportFrom) -> Module:
        key = "." * node.level + (node.module or "")
        if key not in self._followed:
            path = self._locate(node.module or "", node.level)
            if path is None or path.suffix != ".py":
                self._missing(node, key)
            # What is installed may import what it likes: whoever wrote this file has no say in it.
            self._followed[key] = read(str(path), self.within if self._may_read(path) else None)
        return self._followed[key]


def _function(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _described(node: ast.stmt) -> str:
    """What stands there, as a reader would call it."""
    words = {"Assign": "an assignment to several names", "AsyncFunctionDef": "an async def"}
    kind = type(node).__name__
    return words.get(kind, f"a statement that is not read here ({kind.lower()})")


def _same_import(before: object, node: ast.ImportFrom | ast.Import, name: str) -> bool:
    """Whether a name is imported a second time from where it came."""
    if isinstance(before, ast.ImportFrom) and isinstance(node, ast.ImportFrom):
        origins = [(each.level, each.module, _original(each, name)) for each in (before, node)]
        return origins[0] == origins[1]
    if isinstance(before, ast.Import) and isinstance(node, ast.Import):
        named = [{each.name for each in one.names if each.asname == name} for one in (before, node)]
        return named[0] == named[1]
    return False


def _original(node: ast.ImportFrom, name: str) -> str:
    """What a name is called in the file from which it is imported."""
    return next((each.name for each in node.names if (each.asname or each.name) == name), name)


def _installed(module: str) -> Path | None:
    """The file of an installed module; found without running its package, so only the top is asked."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin or "built-in")
    for folder in spec.submodule_search_locations or ():
        path = Path(folder, *rest)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


def read(file: str, within: Path | None = None) -> Module:
    """Parse a model file, which may import from a folder only."""
    try:
        text = files.read_text(file, LARGEST, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(
            "ANG010",
            f"cannot read {file}: {reason}",
            remedy="give the path of a Python file, or a name from `angarium systems`",
        ) from None
    return parse(text, file, within)


def parse(text: str, file: str = "<model>", within: Path | None = None) -> Module:
    """Parse the text of a model file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        line = getattr(problem, "lineno", None) or 1
        lines = text.splitlines()
        source = lines[line - 1] if line <= len(lines) else ""
        column = min(getattr(problem, "offset", None) or 1, len(source) + 1)
        message = getattr(problem, "msg", None) or str(problem) or "it is nested too deeply"
        raise ModelError(
            "ANG100",
            f"this is not Python: {message}",
            remedy="correct the syntax; a model is an ordinary Python file",
            place=Place(file, line, column, source),
        ) from None
    module = Module(file, text, tree, within)
    nodes = inside(tree)
    _refuse_what_is_nested_too_deeply(module, nodes)
    _refuse_numbers_that_cannot_be_shown(module, nodes)
    return module


def _refuse_what_is_nested_too_deeply(module: Module, nodes: list[ast.AST]) -> None:
    """What is built inside each other is read, compiled and evaluated inside each other."""
    depths: dict[ast.AST, int] = {}
    for node in reversed(nodes):  # what is inside comes first
        depth = 1 + max((depths[each] for each in children(node)), default=0)
        chained = node.values if isinstance(node, ast.BoolOp) else ()
        chained = node.comparators if isinstance(node, ast.Compare) else chained
        depths[node] = depth + len(chained)
        if depths[node] > MOST_NESTED and isinstance(node, ast.expr | ast.stmt):
            what = f"{MOST_NESTED} operators, calls or branches inside each other are too many"
            raise module.error("ANG111", node, what, "", "give parts of it names: helpers, or variables")


def _refuse_numbers_that_cannot_be_shown(module: Module, nodes: list[ast.AST]) -> None:
    """Python reads hexadecimal numbers of any length, but writes none of more than some thousand digits."""
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise module.error("ANG107", node, "this number is too large to compute with")
