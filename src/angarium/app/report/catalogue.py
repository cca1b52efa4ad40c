"""The library of systems, and one model with what can be set and judged in it, as text and as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from angarium import __version__
from angarium.app.report.layout import entry, paint, widest
from angarium.app.report.record import envelope
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir.transition import STAYS_IN_RANGE
from angarium.checker.ir.types import Bool, Enumeration, Scalar
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import STAYS_IN_RANGE_DESCRIPTION
from angarium.core.result import Setting, setting_text
from angarium.mesh.as_model.subject import find
from angarium.systems.registry import systems

KINDS = {
    "range": "in every state",
    "invariant": "in every state",
    "at_rest": "whenever nothing more can happen",
    "reaches": "in at least one state",
    "ltl": "along every run",
    "divergence": "along every run",
    "ctl": "in the tree of all runs",
    "determinism": "after the same visible events",
}
"""When, or of what, a guarantee of each kind must be true."""
_KIND_OF_ROLE = {"eventually": "ltl", "divergence_free": "divergence", "deterministic": "determinism"}
"""Roles of functions that are not called as the kind of guarantee that they claim."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that `--set` sets."""

    name: str
    default: Setting
    possible: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A guarantee that a model makes, for some of its parameters at least."""

    name: str
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class About:
    """A model, as somebody who wants to check it needs to know it."""

    subject: str
    description: str
    source: str
    parameters: tuple[Parameter, ...]
    guarantees: tuple[Claim, ...]


# --- gathering ------------------------------------------------------------------------------


def every_system() -> list[About]:
    """All bundled systems."""
    return [about(name) for name in systems()]


def about(subject: str, within: Path | None = None) -> About:
    """One bundled system, or a user's model, which may import from a folder only, if that is said."""
    decl = find(subject, within)
    bundled = systems().get(subject)
    source = bundled.source if bundled else ""
    description = " ".join(decl.description.split())
    return About(subject, description, source, _parameters(decl), _guarantees(decl))


def _parameters(decl: ModelDecl) -> tuple[Parameter, ...]:
    found = elaborate(decl, {}).parameters
    return tuple(Parameter(name, as_setting(value), _possible(value.type)) for name, value in found.items())


def _possible(type_: Scalar) -> str:
    if isinstance(type_, Bool):
        return "true or false"
    if isinstance(type_, Enumeration):
        return " or ".join(member.lower().replace("_", "-") for member in type_.members)
    return f"{type_.low:,} to {type_.high:,}"


def _guarantees(decl: ModelDecl) -> tuple[Claim, ...]:
    kinds = ((f, _KIND_OF_ROLE.get(f.role, f.role)) for f in decl.functions)
    claims = [Claim(f.guarantee, kind, f.description) for f, kind in kinds if kind in KINDS]
    return (Claim(STAYS_IN_RANGE, "range", STAYS_IN_RANGE_DESCRIPTION), *claims)


# --- text -----------------------------------------------------------------------------------


def render_list(every: Sequence[About], *, width: int = 80, colourful: bool = False) -> str:
    """The library: each system's name, what it is, and where it comes from."""
    left = widest([each.subject for each in every])
    lines = []
    for each in every:
        first, *rest = entry(each.subject, each.description, left=left, width=width)
        lines += [paint(first[:left], "title", colourful) + first[left:], *rest]
        lines += [*entry("", f"after {each.source}", left=left, width=width), ""]
    return "\n".join([*lines, "Look at one:  angarium systems NAME", "Check it:     angarium check NAME"])


def render_one(one: About, *, width: int = 80, colourful: bool = False) -> str:
    """A model: what it is, what can be set, what is judged."""
    lines = entry(one.subject, one.description, left=len(one.subject), width=width)
    lines[0] = lines[0].replace(one.subject, paint(one.subject, "title", colourful), 1)
    if one.source:
        lines += entry("", f"after {one.source}", left=len(one.subject), width=width)
    lines += ["", *_parameter_lines(one.parameters, width)]
    return "\n".join([*lines, "", *_guarantee_lines(one.guarantees, width)])


def _parameter_lines(parameters: Sequence[Parameter], width: int) -> list[str]:
    if not parameters:
        return ["It has no parameters."]
    labels = [f"  {each.name}={setting_text(each.default)}" for each in parameters]
    pairs = zip(labels, (each.possible for each in parameters), strict=True)
    title = "Parameters (--set NAME=VALUE), with their defaults and what is possible:"
    return [title, *_entries(list(pairs), widest(labels), width)]


def _guarantee_lines(guarantees: Sequence[Claim], width: int) -> list[str]:
    left = widest([f"    {each.name}" for each in guarantees])
    lines = ["Guarantees (--only NAME), by when each must be true:"]
    for when in dict.fromkeys(KINDS.values()):
        claims = [(f"    {c.name}", c.description) for c in guarantees if KINDS[c.kind] == when]
        lines += [f"  {when}", *_entries(claims, left, width)] if claims else []
    return lines


def _entries(pairs: Sequence[tuple[str, str]], left: int, width: int) -> list[str]:
    return [line for label, text in pairs for line in entry(label, text, left=left, width=width)]


# --- records --------------------------------------------------------------------------------


def list_record(every: Sequence[About]) -> dict[str, Any]:
    """The library as JSON."""
    systems = [
        {"name": each.subject, "description": each.description, "source": each.source} for each in every
    ]
    return {"angarium": __version__, "kind": "systems", "systems": systems, "verdicts": []}


def one_record(one: About) -> dict[str, Any]:
    """A model as JSON; `parameters` are the defaults, typed."""
    defaults = {each.name: each.default for each in one.parameters}
    more = {
        "description": one.description,
        "source": one.source,
        "possible": {each.name: each.possible for each in one.parameters},
        "guarantees": [
            {"guarantee": each.name, "kind": each.kind, "description": each.description}
            for each in one.guarantees
        ],
    }
    return envelope("systems", one.subject, defaults, more)
