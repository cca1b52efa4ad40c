"""First pass: fill in the parameters, so that every type has its size.

Takes a model's declarations and the values of its parameters; gives the types and start values of its
state. What a class body says about sizes (`integer(0, apps + restarts)`) is evaluated here, from the
syntax tree, with the values that were set and not with the defaults.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from angarium.errors import ModelError, ParameterError, did_you_mean
from angarium.model import types
from angarium.model.declare import ModelDecl, ParameterDecl, StateDecl, base_of, word_of
from angarium.model.source import Definition, Module
from angarium.model.types import Type, is_scalar, leaves, scalar, size

MAX_CELLS = 100_000
"""More cells than this in one declaration is surely a mistake; refused before memory is spent on it."""


@dataclass(frozen=True, slots=True)
class Static:
    """A value known before the search: a number, or a member of an enumeration or index."""

    type: types.Scalar
    value: int


@dataclass(frozen=True, slots=True)
class ChannelSpec:
    """What a channel carries, and which fault budgets it may use up."""

    item: Type
    capacity: int
    keys: tuple[types.Scalar, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    """Pairs of `loses`, `duplicates` or `reorders` and the name of a budget."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A type with the start values of its leaves."""

    type: Type
    start: tuple[tuple[int, ...], ...]
    channel: ChannelSpec | None = None


def lowest(type_: Type) -> tuple[tuple[int, ...], ...]:
    """The start values of a type about which nothing else was said: None, empty, first, lowest."""
    return tuple((_first(leaf.type),) * leaf.cells for leaf in leaves(type_))


def _first(type_: types.Bool | types.Int | types.Enumeration | types.Index | types.Option) -> int:
    return type_.low


_OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(slots=True)
class Elaboration:
    """A model with its parameters filled in."""

    decl: ModelDecl
    parameters: dict[str, Static] = field(default_factory=dict)
    index_sizes: dict[str, int] = field(default_factory=dict)
    state: dict[str, Shape] = field(default_factory=dict)
    budgets: set[str] = field(default_factory=set)
    _classes: dict[tuple[str, str], Type] = field(default_factory=dict)

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
        if key not in self._classes:
            self._classes[key] = self._class_type(meaning.module, meaning.node, node)
        return self._classes[key]

    def _class_type(self, module: Module, node: ast.ClassDef, use: ast.AST) -> Type:
        match base_of(module, node):
            case "Index":
                return self._index_type(node, use)
            case "Enum" | "IntEnum" | "StrEnum":
                names = [p.targets[0].id for p in node.body if _is_member(p)]  # type: ignore[attr-defined]
                return types.Enumeration(node.name, tuple(names))
            case "Record":
                return self._record_type(module, node)
        raise self.module.error(
            "ANG106",
            use,
            f"{node.name} is not a type of the language",
            "possible: bool, integer(...), and classes that derive from Index, Enum or Record",
        )

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
        return types.Index(node.name, self.index_sizes[node.name], symmetric)

    def _record_type(self, module: Module, node: ast.ClassDef) -> Type:
        fields = []
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                decl = StateDecl(part.target.id, part, part.annotation, part.value)
                fields.append((part.target.id, self.shape(decl, module).type))
            elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                decl = StateDecl(part.targets[0].id, part, None, part.value)
                fields.append((part.targets[0].id, self.shape(decl, module).type))
        if not fields:
            raise module.error("ANG107", node, f"the record {node.name} has no fields")
        return types.Record(node.name, tuple(fields))

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
            "possible: integer, option, array, seq, setof, channel, budget, param, count, or an annotation",
            f"write {decl.name} = integer(0, 3), or {decl.name}: bool = False",
        )

    def _started(self, shape: Shape, value: ast.expr, module: Module) -> Shape:
        if isinstance(value, ast.Constant) and value.value is None:
            if isinstance(shape.type, types.Option):
                return shape
        elif is_scalar(shape.type):
            start = self.static(value, module)
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
            case ast.Constant(value=str() as text):
                return self.annotated(ast.parse(text, mode="eval").body, module)
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
        names = {
            "integer": ("low", "high", "start"),
            "option": ("item",),
            "array": ("index", "item"),
            "seq": ("item", "capacity"),
            "setof": ("item",),
            "channel": ("item", "capacity", "loses", "duplicates", "reorders"),
            "budget": ("limit",),
        }[word]
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
        return self.static(node, module).value

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
        channel = item.channel and ChannelSpec(
            item.channel.item,
            item.channel.capacity,
            (index, *item.channel.keys),
            item.channel.faults,
        )
        start = tuple(cells * size(index) for cells in item.start)
        return Shape(types.Array(index, item.type), start, channel)

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
        seq = types.Seq(item, capacity)
        return Shape(seq, lowest(seq))

    def _setof(self, arguments: Mapping[str, ast.expr], module: Module) -> Shape:
        set_ = types.SetOf(self._key(arguments["item"], module))
        return Shape(set_, lowest(set_))

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
        return Shape(shape.type, shape.start, ChannelSpec(item, capacity, (), tuple(faults)))

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
        limit = self._number(arguments["limit"], module)
        if limit < 0:
            raise module.error("ANG107", arguments["limit"], f"a budget of {limit} is impossible")
        return Shape(types.Int(0, limit), ((limit,),))

    # --- static expressions -------------------------------------------------------------------------

    def static(self, node: ast.expr, module: Module | None = None) -> Static:
        """The value of an expression over parameters and constants."""
        module = module or self.module
        match node:
            case ast.Constant(value=bool() as truth):
                return Static(types.Bool(), int(truth))
            case ast.Constant(value=int() as number):
                return Static(types.Int(number, number), number)
            case ast.Name(id=name) if name in self.parameters:
                return self.parameters[name]
            case ast.Name(id=name):
                meaning = module.lookup(name)
                if isinstance(meaning, Definition) and isinstance(meaning.node, ast.expr):
                    return self.static(meaning.node, meaning.module)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.parameters:
                return self.parameters[name]
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                type_ = self.named_type(name, node, module)
                if isinstance(type_, types.Enumeration) and member in type_.members:
                    return Static(type_, type_.members.index(member))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._computed(-self.static(operand, module).value)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return self._computed(self._operate(type(op), left, right, module))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                return Static(types.Bool(), int(self._operate(type(op), left, right, module)))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.static(body if self.static(test, module).value else orelse, module)
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=args) if args:
                values = [self.static(arg, module).value for arg in args]
                return self._computed(min(values) if name == "min" else max(values))
        raise module.error(
            "ANG104",
            node,
            f"{ast.unparse(node)} is not known before the search starts",
            "possible here: numbers, parameters, constants of the file, + - * // %, comparisons, min, max",
        )

    @staticmethod
    def _computed(value: int) -> Static:
        return Static(types.Int(value, value), int(value))

    def _operate(self, op: type[ast.AST], left: ast.expr, right: ast.expr, module: Module) -> int:
        a, b = self.static(left, module).value, self.static(right, module).value
        if op in (ast.FloorDiv, ast.Mod) and b == 0:
            raise module.error("ANG107", right, "division by zero")
        if op is ast.Mult and (abs(a) | abs(b)) >= 1 << 62:
            raise module.error("ANG107", right, f"{a} * {b} is too large")
        return _OPERATORS[op](a, b)


def _is_member(part: ast.stmt) -> bool:
    return isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)


def _is_int(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "int"


# --- parameters -------------------------------------------------------------------------------------


def elaborate(decl: ModelDecl, settings: Mapping[str, str]) -> Elaboration:
    """Fill in the parameters from settings (as text, as a command line gives them) and defaults."""
    unknown = set(settings) - {p.name for p in decl.parameters}
    if unknown:
        name = min(unknown)
        raise ParameterError(
            "ANG020",
            f"{decl.name} has no parameter {name!r}",
            possible=did_you_mean(name, [p.name for p in decl.parameters]),
        )
    model = Elaboration(decl)
    for parameter in decl.parameters:
        _set(model, parameter, settings.get(parameter.name))
    for state in decl.state:
        if isinstance(state.value, ast.Call) and word_of(decl.module, state.value) == "budget":
            model.budgets.add(state.name)
        model.state[state.name] = model.shape(state)
    return model


def _set(model: Elaboration, parameter: ParameterDecl, text: str | None) -> None:
    arguments = _parameter_arguments(model, parameter)
    default = model.static(arguments["default"])
    if isinstance(default.type, types.Int):
        low = model.static(arguments["low"]).value if "low" in arguments else None
        high = model.static(arguments["high"]).value if "high" in arguments else None
        counting = parameter.word == "count"
        bounds = types.Int(
            low if low is not None else int(counting),
            high if high is not None else (64 if counting else 1_000_000),
        )
        default = Static(bounds, default.value)
    value = default if text is None else Static(default.type, _parse(parameter.name, text, default.type))
    _check_range(parameter.name, value)
    model.parameters[parameter.name] = value
    if parameter.word == "count" and isinstance(arguments["index"], ast.Name):
        model.index_sizes[_class_name(model, arguments["index"])] = value.value


def _class_name(model: Elaboration, node: ast.Name) -> str:
    meaning = model.module.lookup(node.id)
    if isinstance(meaning, Definition) and isinstance(meaning.node, ast.ClassDef):
        return meaning.node.name
    raise model.module.error("ANG105", node, f"there is no index named {node.id!r}")


def _parameter_arguments(model: Elaboration, parameter: ParameterDecl) -> dict[str, ast.expr]:
    names = ("index", "default") if parameter.word == "count" else ("default",)
    given = dict(zip(names, parameter.call.args, strict=False))
    given |= {k.arg: k.value for k in parameter.call.keywords if k.arg}
    if set(names) - set(given) or set(given) - {*names, "low", "high"}:
        raise model.module.error(
            "ANG107",
            parameter.call,
            f"{parameter.word} takes {', '.join(names)}, low and high",
            "",
            f"for example {parameter.name} = {'count(Queue, 3)' if len(names) == 2 else 'param(1)'}",
        )
    return given


def _parse(name: str, text: str, type_: types.Scalar) -> int:
    if isinstance(type_, types.Enumeration):
        names = [_plain(member) for member in type_.members]
        if _plain(text) in names:
            return names.index(_plain(text))
        raise _impossible(name, text, did_you_mean(_plain(text), names))
    if isinstance(type_, types.Bool):
        words = {"true": 1, "yes": 1, "on": 1, "1": 1, "false": 0, "no": 0, "off": 0, "0": 0}
        if text.lower() in words:
            return words[text.lower()]
        raise _impossible(name, text, "possible: true, false")
    try:
        return int(text)
    except ValueError:
        raise _impossible(name, text, f"possible: a whole number, {type_.low} .. {type_.high}") from None


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _impossible(name: str, text: str, possible: str) -> ParameterError:
    return ParameterError("ANG021", f"{name} cannot be {text!r}", possible=possible)


def _check_range(name: str, value: Static) -> None:
    if not value.type.low <= value.value <= value.type.high:
        raise _impossible(name, str(value.value), f"possible: {value.type.low} .. {value.type.high}")


def as_text(value: Static) -> str:
    """A parameter's value as a command line would give it."""
    if isinstance(value.type, types.Enumeration):
        return _plain(value.type.members[value.value])
    if isinstance(value.type, types.Bool):
        return "true" if value.value else "false"
    return str(value.value)
