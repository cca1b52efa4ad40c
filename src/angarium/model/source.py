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
from typing import NoReturn

from angarium.errors import ModelError, Place, UsageError
from angarium.model.language import WORDS

KNOWN_MODULES = frozenset({"__future__", "enum", "typing", "dataclasses", "collections.abc"})
"""Modules from which a model may import names that need no following."""


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
    _lines: list[str] = field(init=False)
    _names: dict[str, ast.ClassDef | ast.FunctionDef | ast.expr | ast.ImportFrom] = field(
        default_factory=dict
    )
    _followed: dict[str, Module] = field(default_factory=dict)
    _packages: set[str] = field(default_factory=set)
    """Names under which the file imports `angarium` itself."""
    _changed: set[str] = field(default_factory=set)
    """Names that the file binds more than once: which of the values is meant depends on running it."""

    def __post_init__(self) -> None:
        self._lines = self.text.splitlines()
        for node in self.tree.body:
            self._enter(node)

    def _enter(self, node: ast.stmt) -> None:
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                self._bind(node.name, node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._bind(name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._bind(name, value)
            case ast.ImportFrom(names=names):
                self._check_import(node, node.module or "", node.level)
                for alias in names:
                    given = WORDS if alias.name == "*" else {alias.asname or alias.name}
                    self._names |= dict.fromkeys(given, node)
            case ast.Import(names=names):
                for alias in names:
                    self._check_import(node, alias.name, 0)
                    if alias.name == "angarium":
                        self._packages.add(alias.asname or alias.name)
            case ast.AugAssign(target=ast.Name(id=name)):
                self._changed.add(name)

    def _bind(self, name: str, node: ast.ClassDef | ast.FunctionDef | ast.expr) -> None:
        if name in self._names:
            self._changed.add(name)
        self._names[name] = node

    def word_in(self, package: str, name: str) -> str | None:
        """The word that `package.name` stands for, where the package is ours under some name."""
        return name if package in self._packages and name in WORDS else None

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
        node = self._names.get(name)
        if node is None:
            return None
        if name in self._changed:
            raise self.error("ANG107", node, f"{name} is bound more than once in this file", "", "rename one")
        if not isinstance(node, ast.ImportFrom):
            return Definition(self, node)
        original = next((a.name for a in node.names if (a.asname or a.name) == name), name)
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
            if path.is_file():
                return path
        return None if level else _installed(module)

    def _follow(self, node: ast.ImportFrom) -> Module:
        key = "." * node.level + (node.module or "")
        if key not in self._followed:
            path = self._locate(node.module or "", node.level)
            if path is None or path.suffix != ".py":
                self._missing(node, key)
            self._followed[key] = read(str(path))
        return self._followed[key]


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


def read(file: str) -> Module:
    """Parse a model file."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(
            "ANG010",
            f"cannot read {file}: {reason}",
            remedy="give the path of a Python file, or a name from `angarium systems`",
        ) from None
    return parse(text, file)


def parse(text: str, file: str = "<model>") -> Module:
    """Parse the text of a model file."""
    try:
        return Module(file, text, ast.parse(text))
    except (SyntaxError, ValueError, RecursionError) as problem:
        line = getattr(problem, "lineno", None) or 1
        lines = text.splitlines()
        source = lines[line - 1] if line <= len(lines) else ""
        column = min(getattr(problem, "offset", None) or 1, len(source) + 1)
        message = getattr(problem, "msg", None) or str(problem)
        raise ModelError(
            "ANG100",
            f"this is not Python: {message}",
            remedy="correct the syntax; a model is an ordinary Python file",
            place=Place(file, line, column, source),
        ) from None
