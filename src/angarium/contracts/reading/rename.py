"""A specification as a part of an implementation: its sorts chosen, its symbols under its name there.

Without the name, state of the implementation that happens to be called as state of its specification would be
taken for the same, and much would be proved that is not true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from angarium.contracts.module import Specification
from angarium.contracts.terms import Sort, Symbol
from angarium.core.errors import Place


def as_part(specification: Specification, name: str, sorts: Mapping[Sort, Sort]) -> Specification:
    """The specification over other sorts, with `name.` before the names of its state."""
    own = {symbol: f"{name}.{symbol.name}" for symbol in specification.state}
    renamed: Specification = _renamed(specification, sorts, own)
    chosen = tuple(dict.fromkeys(sorts.get(sort, sort) for sort in specification.sorts))
    return replace(renamed, sorts=chosen)


def _renamed(part: Any, sorts: Mapping[Sort, Sort], own: Mapping[Symbol, str]) -> Any:  # noqa: ANN401 (any part)
    """Any part of a specification, with its sorts and symbols exchanged."""
    match part:
        case Sort():
            return sorts.get(part, part)
        case Symbol():
            arguments = tuple(sorts.get(sort, sort) for sort in part.arguments)
            return Symbol(
                own.get(part, part.name), arguments, sorts.get(part.result, part.result), part.fixed
            )
        case tuple():
            return tuple(_renamed(each, sorts, own) for each in part)
        case Place():
            return part
    if is_dataclass(part) and not isinstance(part, type):
        changed = {each.name: _renamed(getattr(part, each.name), sorts, own) for each in fields(part)}
        return replace(part, **changed)
    return part
