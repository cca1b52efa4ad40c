"""A model's file, run by Python with the words of the language in place of `angarium`.

The text is run as it stands, but for what Python's words cannot say. `spend(self.x)` becomes
`spend(self, "x")`, since a function gets values and not places; `implies(a, b)` asks `b` only where `a` is
true; `line[-1]` counts from the end because it is a constant; and a name that is given a record gets a copy.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

from angarium.checker.language.vocabulary import WORDS
from tests.meaning import intruder, words
from tests.meaning.scalars import Kind, Truths, Value, annotations
from tests.meaning.values import Record, constant, copied, kind_of

SOURCES = Path(__file__).parents[2] / "src"


class _AsPython(ast.NodeTransformer):
    """What must be said otherwise in Python."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Functions of a file may make terms: `intruder.maker`."""
        names = (each.targets[0] for each in node.body if isinstance(each, ast.Assign))
        self.constants = {each.id for each in names if isinstance(each, ast.Name)}
        self.generic_visit(node)
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.returns is not None:
                each.decorator_list.append(_like(each.returns, ast.Name("_maker", ast.Load())))
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="spend"), args=[place]):
                return _like(node, ast.Call(node.func, _taken_apart(place), []))
            case ast.Call(func=ast.Name(id="implies"), args=[cause, effect]):
                return _like(node, ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), cause), effect]))
            case ast.Call(func=ast.Attribute(attr="pop"), args=[position]):
                node.args = [self._counted(position)]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        node.slice = self._counted(node.slice)
        return node

    def _counted(self, position: ast.expr) -> ast.expr:
        """A position that is a constant, which may count from the end; a computed one does not."""
        match position:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                return _like(position, ast.Call(ast.Name("_constant", ast.Load()), [position], []))
            case ast.Name(id=name) if name in self.constants:
                return _like(position, ast.Call(ast.Name("_constant", ast.Load()), [position], []))
        return position

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Name) and not isinstance(node.value, ast.Await):
            node.value = _like(node.value, ast.Call(ast.Name("_copied", ast.Load()), [node.value], []))
        return node


def _like(old: ast.expr, new: ast.expr) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(new, old))


def _taken_apart(place: ast.expr) -> list[ast.expr]:
    match place:
        case ast.Attribute(value=container, attr=name):
            return [container, ast.Constant(name)]
        case ast.Subscript(value=container, slice=key):
            return [container, key]
    raise TypeError(f"{ast.unparse(place)} is no place")


class Loader:
    """Runs files; one that another imports is run the same way, once."""

    def __init__(self) -> None:
        self.run: dict[str, dict[str, Value]] = {}
        every = {**dict.fromkeys(WORDS, words._forgotten), **words.WORDS}
        self.angarium = SimpleNamespace(**every, __all__=list(every))

    def file(self, path: Path) -> dict[str, Value]:
        key = str(path.resolve())
        if key not in self.run:
            self.run[key] = self.text(path.read_text(encoding="utf-8"), path)
        return self.run[key]

    def text(self, text: str, path: Path) -> dict[str, Value]:
        tree = _AsPython().visit(ast.parse(text))
        importing = {**vars(builtins), "__import__": self._import, "bool": Truths}
        names = {"__name__": "model", "__builtins__": importing, "_constant": constant, "_copied": copied}
        names |= {"__tree__": tree, "__file__": str(path), "_maker": intruder.maker}
        exec(compile(tree, str(path), "exec", dont_inherit=True), names)
        for each in names.values():
            if isinstance(each, type) and issubclass(each, Record) and "_names" not in vars(each):
                each._names = names
        intruder.introduce(names)
        return names

    def _import(
        self, name: str, given: Value = None, _: Value = None, wanted: Value = (), level: int = 0
    ) -> Value:
        if name == "angarium" and not level:
            return self.angarium
        beside = Path(given["__file__"]).parents[max(level - 1, 0)] if given else Path()
        for folder in (beside,) if level else (beside, SOURCES):
            path = folder.joinpath(*name.split(".")).with_suffix(".py")
            if path.is_file():
                return SimpleNamespace(**self.file(path))
        return builtins.__import__(name, given, None, wanted, level)


def load(
    text: str, path: Path, given: Mapping[str, Value] | None = None, name: str = ""
) -> type[words.Model]:
    """The model of a file, with these parameters, ready to be run."""
    words.GIVEN.clear()
    words.GIVEN.update(given or {})
    names = Loader().text(text, path)
    models = [each for each in names.values() if isinstance(each, type) and issubclass(each, words.Model)]
    (model,) = (m for m in models if m is not words.Model and name in ("", m.__name__))
    model._names = names
    model._kinds = _declared(model, names)
    _find_bodies(model, names["__tree__"])
    return model


def _declared(model: type[words.Model], names: dict[str, Value]) -> dict[str, Kind]:
    """Every part of the state."""
    kinds = {name: value for name, value in vars(model).items() if isinstance(value, Kind)}
    for name, hint in annotations(model, names).items():
        if name not in kinds and name not in model._parameters:
            value = vars(model).get(name)
            kind = kind_of(hint)
            kinds[name] = kind if value is None else words.started(kind, value)
    return kinds


def _find_bodies(model: type[words.Model], tree: ast.Module) -> None:
    """The syntax tree of each process."""
    (node,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == model.__name__)
    model._bodies = {each.name: each for each in node.body if isinstance(each, ast.AsyncFunctionDef)}
