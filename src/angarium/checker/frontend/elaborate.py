"""The types and start values of a model's state, once its parameters are known.

What a class body says about sizes (`integer(0, apps + restarts)`) is evaluated here, from the
syntax tree, with the values that were set and not with the defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from angarium.checker.frontend.declared import ChannelSpec, Shape, Static, lowest
from angarium.checker.frontend.intruder_terms import read_terms
from angarium.checker.frontend.static import evaluate, evaluate_number
from angarium.checker.frontend.universe import Universe
from angarium.checker.ir import types
from angarium.checker.ir.types import Type, is_flat, is_plain, is_scalar, scalar, size, universe
from angarium.checker.language.declarations import ModelDecl, StateDecl, base_of, word_of
from angarium.checker.language.source import Definition, Module
from angarium.core.errors import ModelError

MAX_CELLS = 100_000
"""More cells than this in one declaration is surely a mistake; refused before memory is spent on it."""


CONSTRUCTORS: dict[str, tuple[str, ...]] = {
    "integer": ("low", "high", "start"),
    "option": ("item",),
    "array": ("index", "item"),
    "seq": ("item", "capacity"),
    "setof": ("item",),
    "channel": ("item", "capacity", "loses", "duplicates", "reorders", "intruder"),
    "budget": ("limit",),
    "knowledge": ("terms",),
}
"""The words that declare state, with their arguments."""


@dataclass(slots=True)
class Elaboration:
    """A model with its parameters filled in."""

    decl: ModelDecl
    parameters: dict[str, Static] = field(default_factory=dict)
    settings: dict[str, list[str]] = field(default_factory=dict)
    """Parameters that are part of the state, with the variables that start at their values."""
    index_sizes: dict[str, int] = field(default_factory=dict)
    state: dict[str, Shape] = field(default_factory=dict)
    budgets: set[str] = field(default_factory=set)
    evaluating: set[tuple[str, str]] = field(default_factory=set)
    """Constants of a file whose value is just being looked up."""
    universes: dict[types.Enumeration, Universe] = field(default_factory=dict)
    """What is known of the terms of each class of terms."""
    _classes: dict[tuple[str, str], Type] = field(default_factory=dict)
    _open: set[tuple[str, str]] = field(default_factory=set)
    """Classes that are just being looked at."""

    @property
    def module(self) -> Module:
        return self.decl.module

    # --- classes as types ---------------------------------------------------------------------------

    def named_type(self, name: str, node: ast.AST, module: Module | None = None) -> Type | None:
        """The type that a name stands for, if it is one."""
        if name == "bool":
            return types.Bool()
        meaning = (module or self.module).lookup(name)
        if not isinstance(meaning, Definition) or not isinstance(meaning.node, ast.ClassDef):
            return None
        key = (meaning.module.file, meaning.node.name)
        if key in self._open:
            what = f"{meaning.node.name} contains itself"
            raise (module or self.module).error("ANG108", node, what, "", "refer to it by an Index")
        if key not in self._classes:
            self._open.add(key)
            self._classes[key] = self._class_type(meaning.module, meaning.node, node)
            self._open.discard(key)
        return self._classes[key]

    def _class_type(self, module: Module, node: ast.ClassDef, use: ast.AST) -> Type:
        match base_of(module, node):
            case "Index":
                return self._index_type(node, use)
            case "Enum" | "IntEnum" | "StrEnum":
                return self._enumeration(module, node)
            case "Record":
                return self._record_type(module, node)
            case "Term":
                type_, universe = read_terms(self, module, node)
                self.universes[type_] = universe
                return type_
        raise self.module.error(
            "ANG106",
            use,
            f"{node.name} is not a type of the language",
            "possible: bool, integer(...), and classes that derive from Index, Enum, Record or Term",
        )

    def _enumeration(self, module: Module, node: ast.ClassDef) -> Type:
        members = dict(_members(module, node))
        repeated = len(set(members.values())) < len(members)
        if not members or repeated:
            what = "has no members" if not members else "has two names for one value"
            raise module.error("ANG107", node, f"the enumeration {node.name} {what}")
        return types.Enumeration(node.name, tuple(members))

    def _index_type(self, node: ast.ClassDef, use: ast.AST) -> Type:
        if node.name not in self.index_sizes:
            raise self.module.error(
                "ANG107",
                use,
                f"nothing says how many values {node.name} has",
                "",
                f"declare a parameter: {node.name.lower()}s = count({node.name}, 3)",
            )
        symmetric = any(
            k.arg == "symmetric" and isinstance(k.value, ast.Constant) and k.value.value is True
            for k in node.keywords
        )
        label = self._label(node)
        return types.Index(node.name, self.index_sizes[node.name], symmetric, label=label)

    def _label(self, node: ast.ClassDef) -> str:
        """What the class says that its values are called in stories."""
        given = next((keyword.value for keyword in node.keywords if keyword.arg == "label"), None)
        if given is None:
            return ""
        match given:
            case ast.Constant(value=str(label)) if label.isidentifier() and not label[-1].isdigit():
                return label
        raise self.module.error(
            "ANG107",
            given,
            f"{ast.unparse(given)} cannot stand before a number in a name",
            "possible: letters and underscores in quotes",
            f'write class {node.name}(Index, label="{node.name.lower()}")',
        )

    def _record_type(self, module: Module, node: ast.ClassDef) -> Type:
        fields = []
        for decl in _fields(module, node):
            shape = self.shape(decl, module)
            if shape.start != lowest(shape.type):
                what = f"the field {decl.name} of {node.name} cannot have a start value of its own"
                remedy = "give it where a record is made, or set it in a function marked @initial"
                raise module.error("ANG107", decl.node, what, "", remedy)
            fields.append((decl.name, shape.type))
        if not fields or len(node.bases) != 1:
            raise module.error("ANG107", node, f"the record {node.name} needs fields, and Record as its base")
        for name, type_ in fields:
            self._need_plain(type_, node, module, f"the field {name}")
        return types.Record(node.name, tuple(fields))

    def _need_plain(self, type_: Type, node: ast.AST, module: Module, what: str) -> None:
        """Records and items are copied whole, so they hold nothing that has a length of its own."""
        if not is_plain(type_):
            raise module.error(
                "ANG107",
                node,
                f"{what} cannot be {type_}",
                "possible: bool, integer(...), an Index, an Enum, a Record, and these with | None",
                "use an array of sequences beside it",
            )

    # --- declarations -------------------------------------------------------------------------------

    def shape(self, decl: StateDecl, module: Module | None = None) -> Shape:
        """The type and start values of a declaration."""
        module = module or self.module
        if isinstance(decl.value, ast.Call) and word_of(module, decl.value) is not None:
            return self.constructed(decl.value, module)
        if decl.annotation is None:
            raise self._undeclared(module, decl)
        annotated = self.annotated(decl.annotation, module)
        if decl.value is None:
            return annotated
        return self._started(annotated, decl.value, module)

    def _undeclared(self, module: Module, decl: StateDecl) -> ModelError:
        return module.error(
            "ANG107",
            decl.node,
            f"nothing says which values {decl.name} can have",
            f"possible: {', '.join(CONSTRUCTORS)}, param, count, or an annotation",
            f"write {decl.name} = integer(0, 3), or {decl.name}: bool = False",
        )

    def _started(self, shape: Shape, value: ast.expr, module: Module) -> Shape:
        if isinstance(value, ast.Constant) and value.value is None:
            if isinstance(shape.type, types.Option):
                return shape
        elif is_scalar(shape.type):
            start = self.static(value, module)
            item = shape.type.item if isinstance(shape.type, types.Option) else shape.type
            if isinstance(item, types.Enumeration | types.Bool) and start.type != item:
                raise module.error("ANG106", value, f"{ast.unparse(value)} is not a {item}")
            if not scalar(shape.type).low <= start.value <= scalar(shape.type).high:
                raise module.error("ANG107", value, f"{start.value} is outside {shape.type}")
            return Shape(shape.type, ((start.value,),))
        raise module.error(
            "ANG107",
            value,
            f"{ast.unparse(value)} cannot be the start value of {shape.type}",
            "",
            "set it in a function marked @initial",
        )

    def annotated(self, node: ast.expr, module: Module) -> Shape:
        """The shape that an annotation stands for: `bool`, `Queue`, `App | None`, `Packet`."""
        match node:
            case ast.Name(id=name):
                type_ = self.named_type(name, node, module)
                if type_ is not None:
                    return Shape(type_, lowest(type_))
            case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
                return self._option(self.annotated(left, module).type)
            case ast.Constant(value=str() as text) if text.isidentifier():
                return self.annotated(ast.copy_location(ast.Name(text, ast.Load()), node), module)
        hint = "write `= integer(low, high)` to say its range" if _is_int(node) else ""
        raise module.error(
            "ANG106",
            node,
            f"{ast.unparse(node)} does not say which values are possible",
            "possible: bool, an Index, an Enum, a Record, one of these with `| None`, or a constructor",
            hint,
        )

    @staticmethod
    def _option(item: Type) -> Shape:
        option = types.Option(item)
        return Shape(option, lowest(option))

    def constructed(self, call: ast.Call, module: Module) -> Shape:
        """The shape that a constructor call stands for: `array(Queue, seq(App))`."""
        build = {
            "integer": self._integer,
            "option": lambda a, m: self._option(self._item(a["item"], m).type),
            "array": self._array,
            "seq": self._seq,
            "setof": self._setof,
            "channel": self._channel,
            "budget": self._budget,
            "knowledge": self._knowledge,
        }
        word = word_of(module, call) or ""
        if word not in build:
            raise module.error(
                "ANG107",
                call,
                f"{word}(...) does not declare state",
                f"possible: {', '.join(build)}",
            )
        shape = build[word](self._arguments(call, word, module), module)
        if sum(len(cells) for cells in shape.start) > MAX_CELLS:
            raise module.error(
                "ANG107",
                call,
                f"this declares more than {MAX_CELLS:,} cells",
                "",
                "use smaller sizes",
            )
        return shape

    def _arguments(self, call: ast.Call, word: str, module: Module) -> dict[str, ast.expr]:
        names = CONSTRUCTORS[word]
        required = {"integer": 2, "array": 2}.get(word, 1)
        given = dict(zip(names, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        if len(call.args) > len(names) or set(given) - set(names) or set(names[:required]) - set(given):
            raise module.error("ANG107", call, f"{word} takes {', '.join(names)}, not {ast.unparse(call)}")
        return given

    def _item(self, node: ast.expr, module: Module) -> Shape:
        if isinstance(node, ast.Call):
            return self.constructed(node, module)
        return self.annotated(node, module)

    def _number(self, node: ast.expr, module: Module) -> int:
        return evaluate_number(self, node, module)

    def _integer(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        low, high = self._number(arguments["low"], module), self._number(arguments["high"], module)
        start = self._number(arguments["start"], module) if "start" in arguments else low
        if not low <= start <= high:
            raise module.error(
                "ANG107",
                arguments["low"],
                f"integer({low}, {high}) that starts at {start} is impossible",
                "low must not be above high, and start must lie between them",
            )
        if max(-low, high) >= 1 << 62:
            raise module.error("ANG107", arguments["low"], f"integer({low}, {high}) is too wide")
        return Shape(types.Int(low, high), ((start,),))

    def _array(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        index = self._key(arguments["index"], module)
        item = self._item(arguments["item"], module)
        channel = item.channel and replace(item.channel, keys=(index, *item.channel.keys))
        start = tuple(cells * size(index) for cells in item.start)
        return Shape(types.Array(index, item.type), start, channel, item.universe)

    def _key(self, node: ast.expr, module: Module) -> types.Scalar:
        type_ = self._item(node, module).type
        if isinstance(type_, types.Bool | types.Int | types.Enumeration | types.Index):
            return type_
        raise module.error("ANG106", node, f"{type_} cannot be an index or an element")

    def _seq(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        item = self._item(arguments["item"], module).type
        if "capacity" in arguments:
            capacity = self._number(arguments["capacity"], module)
        elif isinstance(item, types.Index):
            capacity = item.size
        else:
            raise module.error("ANG107", arguments["item"], "this sequence needs a capacity")
        return self._bounded(item, capacity, arguments["item"], module)

    def _bounded(self, item: Type, capacity: int, node: ast.expr, module: Module) -> Shape:
        if not 0 <= capacity <= MAX_CELLS:
            raise module.error("ANG107", node, f"a capacity of {capacity} is impossible")
        self._need_plain(item, node, module, "an item")
        seq = types.Seq(item, capacity)
        return Shape(seq, lowest(seq))

    def _setof(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        set_ = types.SetOf(self._element(arguments["item"], module))
        return Shape(set_, lowest(set_))

    def _element(self, node: ast.expr, module: Module) -> types.Element:
        """What a set holds: one bit is kept for each value that it could be."""
        type_ = self._item(node, module).type
        if not isinstance(type_, types.Record):
            return self._key(node, module)
        if not is_flat(type_):
            what = f"{type_} has a part that is an optional record, so it cannot be in a set"
            raise module.error("ANG106", node, what, "", "give the record fields of its own that may be None")
        if universe(type_) > MAX_CELLS:
            raise module.error(
                "ANG107",
                node,
                f"{type_} has {universe(type_):,} values, and a set keeps a bit for each",
                f"at most {MAX_CELLS:,}",
                "use smaller ranges for its fields, or a seq(...) with a capacity",
            )
        return type_

    def _channel(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        item = self._item(arguments["item"], module).type
        capacity = self._number(arguments["capacity"], module) if "capacity" in arguments else 0
        faults = []
        for fault in ("loses", "duplicates", "reorders"):
            node = arguments.get(fault)
            if node is None or (isinstance(node, ast.Constant) and node.value is None):
                continue
            faults.append((fault, self._budget_name(node, module)))
            if capacity == 0 and fault != "loses":
                raise module.error("ANG107", node, f"a channel without a buffer has nothing that it {fault}")
        shape = self._bounded(item, capacity, arguments["item"], module)
        intruder = self._intruder(arguments.get("intruder"), item, capacity, module)
        return Shape(shape.type, shape.start, ChannelSpec(item, capacity, (), tuple(faults), intruder))

    def _intruder(self, node: ast.expr | None, item: Type, capacity: int, module: Module) -> str | None:
        """Whose knowledge grows by what is sent."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        shape = self.state.get(node.id) if isinstance(node, ast.Name) else None
        if shape is None or shape.universe is None or not isinstance(shape.type, types.SetOf):
            known = [name for name, each in self.state.items() if each.universe]
            raise module.error(
                "ANG107",
                node,
                f"{ast.unparse(node)} is not the knowledge of an intruder",
                f"knowledge declared above: {', '.join(known) or 'none'}",
                "declare it before it is used: knows = knowledge(Fact)",
            )
        if shape.type.item != item:
            what = f"the channel carries {item}, and the intruder knows {shape.type.item}"
            raise module.error("ANG106", node, what, "", "use one class of terms for both")
        if capacity:
            raise module.error(
                "ANG107",
                node,
                f"an intruder cannot sit on a channel with room for {capacity}",
                "possible: a channel without a buffer",
                "leave out the capacity: what is held back and given later is what the intruder does",
            )
        assert isinstance(node, ast.Name)
        return node.id

    def _knowledge(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        item = self._item(arguments["terms"], module).type
        universe = self.universes.get(item) if isinstance(item, types.Enumeration) else None
        if universe is None or not isinstance(item, types.Enumeration):
            what = f"{item} is not a class of terms"
            remedy = "write class Fact(Term), and knows = knowledge(Fact)"
            raise module.error("ANG106", arguments["terms"], what, "", remedy)
        set_ = types.SetOf(item, universe.implied)
        return Shape(set_, lowest(set_), universe=universe)

    def _budget_name(self, node: ast.expr, module: Module) -> str:
        if isinstance(node, ast.Name) and node.id in self.budgets:
            return node.id
        raise module.error(
            "ANG107",
            node,
            f"{ast.unparse(node)} is not a fault budget",
            f"budgets declared above: {', '.join(sorted(self.budgets)) or 'none'}",
            "declare one before it is used: losses = budget(1)",
        )

    def _budget(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        node = arguments["limit"]
        if isinstance(node, ast.Name) and node.id in self.settings:
            return Shape(self.state[node.id].type, self.state[node.id].start)
        limit = self._number(node, module)
        if limit < 0:
            raise module.error("ANG107", arguments["limit"], f"a budget of {limit} is impossible")
        return Shape(types.Int(0, limit), ((limit,),))

    def static(self, node: ast.expr, module: Module | None = None) -> Static:
        """The value of an expression over parameters and constants."""
        return evaluate(self, node, module or self.module)


def _parts(module: Module, node: ast.ClassDef) -> Iterator[tuple[str, ast.Assign | ast.AnnAssign]]:
    """The declarations in the class of a type, by name; anything else is not read, so it is refused."""
    seen: set[str] = set()
    for part in node.body:
        match part:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                continue
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if name in seen:
                    raise module.error("ANG107", part, f"{name} is bound more than once in {node.name}")
                seen.add(name)
                yield name, part
            case _:
                what = f"{ast.unparse(part).splitlines()[0]} is not read in the class {node.name}"
                remedy = "remove it; what computes something is a function of the file, or of the model"
                raise module.error("ANG104", part, what, "possible: name = value and name: type", remedy)


def _members(module: Module, node: ast.ClassDef) -> Iterator[tuple[str, Hashable]]:
    """The members of an enumeration, each with that by which Python tells it from others."""
    parts = list(_parts(module, node))
    counted = all(_is_auto(part.value) for _, part in parts)
    for name, part in parts:
        try:
            if name.startswith("_") or not isinstance(part, ast.Assign):
                raise ValueError(name)
            value = name.lower() if counted else ast.literal_eval(part.value)
            hash(value)
        except (TypeError, ValueError):
            what = f"{name} is no member of {node.name}"
            possible = "possible: NAME = value, where the value is a number or a text, or auto() for all"
            raise module.error("ANG107", part, what, possible, "give it a value of its own") from None
        yield name, value


def _is_auto(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node) in ("auto()", "enum.auto()")


def _fields(module: Module, node: ast.ClassDef) -> Iterator[StateDecl]:
    """The fields of a record."""
    for name, part in _parts(module, node):
        yield StateDecl(name, part, getattr(part, "annotation", None), part.value)


def _is_int(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "int"
