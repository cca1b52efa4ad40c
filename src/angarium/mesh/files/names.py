"""What the entries of a mesh file refer to: its brokers by name, and topics in the dialect of a broker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.files import shapes
from angarium.mesh.files.nodes import Node, Source, Table
from angarium.mesh.mesh import DIALECTS, Broker, Pattern

PATTERN_KEYS = ("pattern", "dialect", "scope")


@dataclass(frozen=True, slots=True)
class Unique:
    """Names that were given so far, each in which line; the second of two equal ones is an error."""

    source: Source
    kind: str
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, node: Node, remedy: str) -> str:
        if name in self.lines:
            raise MeshError(
                "ANG122",
                f"there are two {self.kind} {name}, the first in line {self.lines[name]}",
                remedy=remedy,
                place=self.source.place(node),
            )
        self.lines[name] = node.span.line
        return name


@dataclass(frozen=True, slots=True)
class Names:
    """The brokers of a file that is being read."""

    source: Source
    brokers: dict[str, Broker]
    legal: Callable[[Pattern], None]

    def broker(self, node: Node, what: str) -> str:
        """The name of a broker that is there."""
        given = shapes.name(self.source, node, what)
        if given not in self.brokers:
            raise MeshError(
                "ANG123",
                f"{what} is {given}, and there is no such broker",
                possible=did_you_mean(given, list(self.brokers)[:20], also=self.brokers),
                remedy=f"correct the name, or add {given} to brokers",
                place=self.source.place(node),
            )
        return given

    def patterns(self, node: Node, broker: str, what: str) -> tuple[Pattern, ...]:
        """Topics in the dialect of a broker: one, or a list."""
        dialect = self.brokers[broker].dialect
        return tuple(self._pattern(item, dialect, what) for item in shapes.several(node))

    def _pattern(self, node: Node, dialect: str, what: str) -> Pattern:
        scope, text = "", node
        if isinstance(node, Table):
            entries = shapes.table(self.source, node, what, PATTERN_KEYS)
            text = shapes.needed(self.source, node, entries, "pattern", what)
            if "dialect" in entries:
                dialect = shapes.choice(self.source, entries["dialect"], "dialect", DIALECTS)
            if "scope" in entries:
                scope = shapes.text(self.source, entries["scope"], "scope")
        place = self.source.place(text)
        pattern = Pattern(shapes.text(self.source, text, what), dialect, scope, place)
        self.legal(pattern)
        return pattern
