"""A routed mesh as an SMV module with CTL specifications, for NuSMV and nuXmv.

One message is followed. `src` and `dest` say where it was published and where it is wanted; they never
change. `loc` says where it is: a broker's number, or DROP. The next hop is one case table over `loc` and
`dest`, so the walk of a message is deterministic, and every question about it is a question about one path.

    absorbing destination   loc = dest : loc. What has arrived stays, so that "it arrives" and "it has
                            arrived" are told apart from "it came by".
    drop sink               A missing entry, an entry that names a broker to which no living link leads, and a
                            hop limit that is used up lead to DROP, which nothing leaves. So a black hole is
                            not a delivery, and not a loop either.
    one start               A specification begins with `src = s & dest = d`, and `loc` starts at `src`.
                            NuSMV asks for a specification in every initial state; all others make it true.

Three specifications for each pair of brokers:

    reach_s_d    AF (loc = dest)                     reachability
    loop_s_d     AF (loc = dest | loc = DROP)        loop-free: the walk comes to an end
    hole_s_d     AG (loc != DROP)                    nothing is dropped: no-black-hole, and an entry at s

A message with a dead broker at one of its ends has nobody who sends or wants it: such pairs are listed in a
comment and have no specification. What a link's filter refuses is not looked at here: routers send by
destination, not by topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import NOTHING, Failures, Mesh

Tables = Mapping[str, Mapping[str, str]]
"""Broker, destination, next broker: what is not there is a missing entry."""
Pair = tuple[str, str]
"""Where a message is published, and where it is wanted."""

SPECIFICATIONS = {
    "reach": "AF (loc = dest)",
    "loop": "AF (loc = dest | loc = DROP)",
    "hole": "AG (loc != DROP)",
}
"""What is claimed of the walk of a message."""


def smv(mesh: Mesh, tables: Tables, pairs: Sequence[Pair], failures: Failures = NOTHING) -> str:
    """The module: the walk under these tables while something is dead, and three claims for each pair."""
    numbers = {broker.name: number for number, broker in enumerate(mesh.brokers, start=1)}
    module = _Module(mesh, tables, failures, numbers, _living(mesh, failures))
    body = [*module.declarations(), *module.assignments(), *module.specifications(pairs)]
    return "\n".join([*_heading(module, len(body)), *body, ""])


def thesis_lines(brokers: int) -> int:
    """How many lines the generator of the thesis wrote; exact for the seven rows of its Table 5-8."""
    return brokers * brokers + 4 * brokers + 128


def _living(mesh: Mesh, failures: Failures) -> frozenset[Pair]:
    """The pairs of brokers with a link that works."""
    return frozenset(
        (link.source, link.target)
        for link in mesh.links
        if link.source != link.target and link.fails_as not in failures.cables
    )


@dataclass(frozen=True, slots=True)
class _Module:
    mesh: Mesh
    tables: Tables
    failures: Failures
    numbers: Mapping[str, int]
    """What each broker is called here: its place in the mesh, from 1."""
    living: frozenset[Pair]

    def declarations(self) -> Iterator[str]:
        count, limit = len(self.mesh.brokers), self.mesh.routing.hop_limit
        yield "MODULE main"
        yield "DEFINE DROP := 0;"
        yield f"VAR src : 1..{count};"
        yield f"VAR dest : 1..{count};"
        yield f"VAR loc : 0..{count};"
        if limit is not None:
            yield f"VAR hops : 0..{limit};"

    def assignments(self) -> Iterator[str]:
        yield "ASSIGN"
        yield "  init(loc) := src;"
        yield "  next(src) := src;"
        yield "  next(dest) := dest;"
        if self.mesh.routing.hop_limit is not None:
            yield "  init(hops) := 0;"
            yield "  next(hops) := case"
            yield f"    loc = DROP | loc = dest | hops = {self.mesh.routing.hop_limit} : hops;"
            yield "    TRUE : hops + 1;"
            yield "  esac;"
        yield "  next(loc) := case"
        yield from self._rules()
        yield "  esac;"

    def _rules(self) -> Iterator[str]:
        """One line for each entry of the tables; the first that fits decides."""
        yield "    loc = DROP : DROP;"
        yield "    loc = dest : loc;"
        if self.mesh.routing.hop_limit is not None:
            yield f"    hops = {self.mesh.routing.hop_limit} : DROP; -- the hop limit"
        for at, row in self.tables.items():
            for destination, following in row.items():
                if at != destination:
                    here, there = self._number(at), self._number(destination)
                    rule = f"    loc = {here} & dest = {there} :"
                    reason = self._obstacle(at, following)
                    yield f"{rule} DROP; -- {reason}" if reason else f"{rule} {self._number(following)};"
        yield "    TRUE : DROP; -- no entry"

    def _obstacle(self, at: str, following: str) -> str:
        """Why a message cannot take a hop; empty if it can."""
        number = self._number(following)
        if at in self.failures.brokers:
            return f"{self._number(at)} is dead"
        if following in self.failures.brokers:
            return f"{number} is dead"
        return "" if (at, following) in self.living else f"no link to {number} that works"

    def specifications(self, pairs: Sequence[Pair]) -> Iterator[str]:
        for source, destination in dict.fromkeys(pairs):
            start, end = self._number(source), self._number(destination)
            dead = {source, destination} & self.failures.brokers
            if dead:
                yield f"-- {start} to {end}: {self._number(min(dead))} is dead, so that nobody is there"
                continue
            given = f"(src = {start} & dest = {end})"
            for name, claim in SPECIFICATIONS.items():
                yield f"CTLSPEC NAME {name}_{start}_{end} := {given} -> {claim};"

    def _number(self, broker: str) -> int:
        if broker not in self.numbers:
            raise MeshError(
                "ANG123",
                f"there is no broker {broker!r} in the mesh",
                possible=did_you_mean(broker, self.numbers),
                remedy="name a broker of the mesh in tables and pairs",
            )
        return self.numbers[broker]


def _heading(module: _Module, lines: int) -> Iterator[str]:
    """Who is who, and how much was written."""
    brokers = module.mesh.brokers
    legend = [f"-- {number}: {comment(name)}" for name, number in module.numbers.items()]
    yield f"-- {comment(module.mesh.name)}, dead: {comment(str(module.failures))}"
    yield from legend
    total = lines + len(legend) + 2
    theirs = thesis_lines(len(brokers))
    yield f"-- {total} lines; the generator of the thesis wrote {theirs} for so many brokers"


def comment(text: str) -> str:
    """A name in a comment: it must not end the line."""
    return "".join(each if each.isprintable() else " " for each in text)
