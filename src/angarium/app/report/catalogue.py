"""The library of systems, and one model with what can be set and judged in it, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.app.report.layout import entry, paint, widest
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir.transition import STAYS_IN_RANGE
from angarium.checker.ir.types import Bool, Enumeration, Scalar
from angarium.checker.language.declarations import ModelDecl
from angarium.checker.logic.check import STAYS_IN_RANGE_DESCRIPTION
from angarium.core.records import key
from angarium.core.result import GuaranteeVerdict, Result, assigned
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
class Claim:
    """A guarantee that a model makes, for some of its parameters at least."""

    name: str = field(metadata=key("guarantee"))
    kind: str
    description: str


@dataclass(frozen=True, kw_only=True)
class SystemResult(Result[GuaranteeVerdict]):
    """A model, as somebody who wants to check it needs to know it; `parameters` are the defaults."""

    kind: str = "systems"
    engine: str = ""
    description: str
    source: str
    possible: Mapping[str, str]
    """What each parameter can be set to."""
    guarantees: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """A system of the library."""

    name: str
    description: str
    source: str


@dataclass(frozen=True, kw_only=True)
class SystemsResult(Result[GuaranteeVerdict]):
    """The library of systems."""

    kind: str = "systems"
    subject: str = "the library"
    engine: str = ""
    systems: tuple[SystemSummary, ...]


# --- gathering ------------------------------------------------------------------------------


def every_system() -> SystemsResult:
    """All bundled systems."""
    found = {name: (find(name).description, system.source) for name, system in systems().items()}
    every = (SystemSummary(name, " ".join(text.split()), source) for name, (text, source) in found.items())
    return SystemsResult(systems=tuple(every))


def about(subject: str, within: Path | None = None) -> SystemResult:
    """One bundled system, or a user's model, which may import from a folder only, if that is said."""
    decl = find(subject, within)
    bundled = systems().get(subject)
    defaults = elaborate(decl, {}).parameters
    return SystemResult(
        subject=subject,
        description=" ".join(decl.description.split()),
        source=bundled.source if bundled else "",
        parameters={name: as_setting(value) for name, value in defaults.items()},
        possible={name: _possible(value.type) for name, value in defaults.items()},
        guarantees=_guarantees(decl),
    )


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


def render_list(library: SystemsResult, *, width: int = 80, colourful: bool = False) -> str:
    """The library: each system's name, what it is, and where it comes from."""
    left = widest([each.name for each in library.systems])
    lines = []
    for each in library.systems:
        first, *rest = entry(each.name, each.description, left=left, width=width)
        lines += [paint(first[:left], "title", colourful) + first[left:], *rest]
        lines += [*entry("", f"after {each.source}", left=left, width=width), ""]
    return "\n".join([*lines, "Look at one:  angarium systems NAME", "Check it:     angarium check NAME"])


def render_one(one: SystemResult, *, width: int = 80, colourful: bool = False) -> str:
    """A model: what it is, what can be set, what is judged."""
    lines = entry(one.subject, one.description, left=len(one.subject), width=width)
    lines[0] = lines[0].replace(one.subject, paint(one.subject, "title", colourful), 1)
    if one.source:
        lines += entry("", f"after {one.source}", left=len(one.subject), width=width)
    lines += ["", *_parameter_lines(one, width)]
    return "\n".join([*lines, "", *_guarantee_lines(one.guarantees, width)])


def _parameter_lines(one: SystemResult, width: int) -> list[str]:
    if not one.parameters:
        return ["It has no parameters."]
    labels = [f"  {each}" for each in assigned(one.parameters)]
    pairs = zip(labels, one.possible.values(), strict=True)
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
