"""Typed data as JSON records and back, and the JSON Schema of a type, all from the type alone.

A frozen dataclass is an object with a key for each field; enumerations are their values, sequences are lists,
mappings with texts as keys are objects. A union is told apart by its types (text, number, object), never by
the keys of an object; None is null. What a field means to JSON beyond its type is in its metadata:

    FLAT          the fields of the value stand beside those of its owner, not below a key of their own;
                  of what may be None, all of them are null then
    key("path")   the field has another name in JSON
    decimals(3)   a number is written with so many decimals
    LAST          the key stands behind all others: what is long, as verdicts are
    figure(6)     the same; one that is not finite is null, and read as what is no number
    HERE          the field is not written: what only the process knows that has made it

A field that is made of others (`init=False`) is written, and made again when it is read.

Reading gives back the type that was written: `read(Result, write(result)) == result`. What does not fit is a
`ValueError` that says where (`verdicts[2].story.steps[0]`) and what was expected.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite, nan
from typing import Any, Literal, TypeVar, Union

Record = dict[str, Any]
T = TypeVar("T")

FLAT: Mapping[str, Any] = {"flat": True}
LAST: Mapping[str, Any] = {"last": True}
HERE: Mapping[str, Any] = {"here": True}


def key(name: str) -> Mapping[str, Any]:
    """The field's name in JSON."""
    return {"key": name}


def decimals(number: int) -> Mapping[str, Any]:
    """How precisely a number is written."""
    return {"decimals": number}


def figure(number: int) -> Mapping[str, Any]:
    """The same of a number that may not exist, such as the mean of nothing: JSON has no word for it."""
    return {"decimals": number, "figure": True}


# --- writing ----------------------------------------------------------------------------------


def write(value: Any) -> Any:  # noqa: ANN401 - anything that a record may hold
    """The value as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return _object(value)
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {str(name): write(each) for name, each in value.items()}
        case set() | frozenset():
            return sorted(map(write, value))
        case list() | tuple():
            return [write(each) for each in value]
        case _:
            return value


def _object(value: Any) -> Record:  # noqa: ANN401 - a dataclass of any kind
    record: Record = {}
    kind: Any = type(value)
    for each in sorted(_written(kind), key=lambda each: "last" in each.metadata):
        inner = getattr(value, each.name)
        if not each.metadata.get("flat"):
            record[_name(each)] = _rounded(each, write(inner))
        elif inner is None:
            record |= dict.fromkeys(map(_name, _written(_flat(kind, each))))
        else:
            record |= write(inner)
    return record


@cache
def _written(kind: Any) -> list[Field[Any]]:  # noqa: ANN401 - a dataclass
    """The fields that a record has."""
    return [each for each in fields(kind) if "here" not in each.metadata]


def _flat(kind: Any, field: Field[Any]) -> Any:  # noqa: ANN401 - types
    """The dataclass whose fields stand beside those of its owner."""
    hint = _hints(kind)[field.name]
    return next((each for each in typing.get_args(hint) if is_dataclass(each)), hint)


def _name(field: Field[Any]) -> str:
    name: str = field.metadata.get("key", field.name)
    return name


def _rounded(field: Field[Any], value: Any) -> Any:  # noqa: ANN401 - as above
    places = field.metadata.get("decimals")
    if "figure" in field.metadata and not isfinite(value):
        return None
    return round(value, places) if places is not None and isinstance(value, float) else value


# --- reading ----------------------------------------------------------------------------------


def read(kind: type[T], record: Any) -> T:  # noqa: ANN401 - JSON
    """What was written as this record. ValueError says what does not fit, and where."""
    value: T = _read(kind, record, "")
    return value


def _read(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401 - types and JSON
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or kind is object:
        return value
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value, where)
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind, value, where)
    if origin is Literal:
        return _word(arguments, value, where)
    if origin in _SEQUENCES:
        return _items(origin, arguments, value, where)
    if origin in _MAPPINGS:
        _expect(value, dict, where)
        number = float if arguments[0] is float else str
        return {number(name): _read(arguments[1], each, f"{where}.{name}") for name, each in value.items()}
    return _scalar(kind, value, where)


_SEQUENCES = (Sequence, list, tuple, frozenset, set)
_MAPPINGS = (Mapping, dict)


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:  # noqa: ANN401
    problems = []
    for kind in kinds:
        try:
            return _read(kind, value, where)
        except ValueError as problem:
            problems.append(problem)
    raise problems[-1]


def _dataclass(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    _expect(value, dict, where)
    hints = _hints(kind)
    given = {}
    for each in (each for each in _written(kind) if each.init):
        name = _name(each)
        if each.metadata.get("flat"):
            given[each.name] = _read_flat(hints[each.name], _flat(kind, each), value, where)
        elif name in value:
            lacks = "figure" in each.metadata and value[name] is None
            given[each.name] = nan if lacks else _read(hints[each.name], value[name], f"{where}.{name}")
    try:
        return kind(**given)
    except TypeError as problem:
        raise ValueError(f"{where or 'the record'}: {problem}") from None


def _read_flat(hint: Any, kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    """What stands beside its owner's fields; None, if it may be that and all its keys are null."""
    names = map(_name, _written(kind))
    nothing = type(None) in typing.get_args(hint) and all(value.get(name) is None for name in names)
    return None if nothing else _read(kind, value, where)


@cache
def _hints(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """The types of a class's fields; what its generic bases leave open is what it has said to them."""
    said: dict[Any, Any] = {}
    for base in (base for each in kind.__mro__ for base in vars(each).get("__orig_bases__", ())):
        open_ones = getattr(typing.get_origin(base), "__parameters__", ())
        said |= dict(zip(open_ones, typing.get_args(base), strict=True)) if open_ones else {}
    return {name: _closed(hint, said) for name, hint in typing.get_type_hints(kind).items()}


def _closed(hint: Any, said: Mapping[Any, Any]) -> Any:  # noqa: ANN401
    if isinstance(hint, TypeVar):
        return said.get(hint, hint.__bound__)
    left = getattr(hint, "__parameters__", ())
    return hint[tuple(_closed(each, said) for each in left)] if left and typing.get_origin(hint) else hint


def _member(kind: type[Enum], value: Any, where: str) -> Enum:  # noqa: ANN401
    return kind(_word([each.value for each in kind], value, where))


def _word(possible: Sequence[Any], value: Any, where: str) -> Any:  # noqa: ANN401
    if value not in possible:
        raise ValueError(f"{where}: {value!r} is none of {', '.join(map(repr, possible))}")
    return value


def _items(origin: Any, arguments: tuple[Any, ...], value: Any, where: str) -> Any:  # noqa: ANN401
    _expect(value, list, where)
    fixed = origin is tuple and arguments[-1] is not Ellipsis
    kinds = arguments if fixed else (arguments[0],) * len(value)
    if len(kinds) != len(value):
        raise ValueError(f"{where}: {len(value)} values instead of {len(kinds)}")
    pairs = zip(kinds, value, strict=True)
    found = [_read(kind, each, f"{where}[{at}]") for at, (kind, each) in enumerate(pairs)]
    return frozenset(found) if origin in (frozenset, set) else tuple(found)


def _scalar(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    if kind in (None, type(None)):
        _expect(value, type(None), where)
        return None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    _expect(value, kind, where)
    if kind is int and isinstance(value, bool):
        raise ValueError(f"{where}: {value!r} is no number")
    return value


def _expect(value: Any, kind: type, where: str) -> None:  # noqa: ANN401
    if not isinstance(value, kind):
        raise ValueError(f"{where or 'the record'}: {value!r} is no {_WORDS.get(kind, kind.__name__)}")


_WORDS = {dict: "object", list: "list", str: "text", int: "number", float: "number", type(None): "null"}


# --- the schema -------------------------------------------------------------------------------


def schema(kind: Any) -> Record:  # noqa: ANN401 - a type
    """The JSON Schema (2020-12) of a type; each dataclass and each enumeration is defined once."""
    definitions: Record = {}
    body = _schema(kind, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body, "$defs": definitions}


def _schema(kind: Any, known: Record) -> Record:  # noqa: ANN401
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or kind is object:
        return {}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(each, known) for each in arguments]}
    if is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, Enum)):
        return _defined(kind, known)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in _SEQUENCES:
        return _list_schema(origin, arguments, known)
    if origin in _MAPPINGS:
        return {"type": "object", "additionalProperties": _schema(arguments[1], known)}
    return {"type": _TYPES[kind]}


_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", None: "null"}


def _list_schema(origin: Any, arguments: tuple[Any, ...], known: Record) -> Record:  # noqa: ANN401
    if origin is tuple and arguments[-1] is not Ellipsis:
        return {"type": "array", "prefixItems": [_schema(each, known) for each in arguments], "items": False}
    return {"type": "array", "items": _schema(arguments[0], known)}


def _defined(kind: Any, known: Record) -> Record:  # noqa: ANN401
    name = kind.__name__
    if name not in known:
        known[name] = {}  # it may hold itself
        known[name] = _enumeration(kind) if issubclass(kind, Enum) else _object_schema(kind, known)
    return {"$ref": f"#/$defs/{name}"}


def _enumeration(kind: type[Enum]) -> Record:
    return {"description": _summary(kind), "enum": [each.value for each in kind]}


def _object_schema(kind: Any, known: Record) -> Record:  # noqa: ANN401
    properties: Record = {}
    required: list[str] = []
    for each in _written(kind):
        hint = _hints(kind)[each.name]
        if each.metadata.get("flat"):
            inner = _object_schema(_flat(kind, each), known)
            properties |= {name: _or_null(hint, body) for name, body in inner["properties"].items()}
            required += inner["required"]
        else:
            properties[_name(each)] = _schema(float | None if "figure" in each.metadata else hint, known)
            required.append(_name(each))
    return {
        "description": _summary(kind),
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _or_null(owner: Any, body: Record) -> Record:  # noqa: ANN401
    """The schema of a field that stands beside its owner's: null, if the whole may not be there."""
    return {"anyOf": [body, {"type": "null"}]} if type(None) in typing.get_args(owner) else body


def _summary(kind: type) -> str:
    """The first paragraph of what a class says of itself."""
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())
