"""Recovery tables as an SMV module with the colour as a variable, for NuSMV and nuXmv.

As in `smv`, one message is followed: `loc` says where it is, and DROP is a sink. Here the next hop depends on
`loc`, `dest` and `colour`. The colour never changes: all brokers are taken to have switched already. What
mixed colours do while some have not is a question for `angarium check recovery`.

The thesis prints such a module for its triangle (6.4), and a trace of it that goes 1, 3, 1, 1 with broker 3
as the destination. No table can give that: what has arrived would have to leave, and then to stay elsewhere.
So here `loc = dest : loc` stands before all entries. It asks for EF (loc = dest), and leaves open from where
to where and in which colour; here each pair of brokers is asked for in each colour.

    reach_s_d_c   AF (loc = dest)                for every pair that the failures leave a way for
    loop_s_d_c    AF (loc = dest | loc = DROP)   for every pair of living brokers: the walk comes to an end

Rules are the tables as brokers have them: what differs in a colour first, then the healthy entries, which
hold in all other colours. An entry that leads over what is dead in a colour leads to DROP, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from angarium.core.errors import MeshError
from angarium.mesh.export.smv import comment
from angarium.mesh.reach import neighbours, reached
from angarium.mesh.recovery.colours import HEALTHY
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.routing.graph import NONE

DROP = "DROP"
MOST_CLAIMS = 500_000
"""Pairs of brokers in all colours: a module of more would be of no use to anybody."""
Pair = tuple[int, int]
"""Two brokers by their positions."""


def recovery_smv(recovery: Recovery) -> str:
    """The module: the walk through the tables of every colour, and claims for every pair and colour."""
    brokers, colours = recovery.graph.brokers, len(recovery.colours)
    if brokers * brokers * colours > MOST_CLAIMS:
        raise MeshError(
            "ANG125",
            f"{brokers:,} brokers in {colours:,} colours as an SMV module",
            possible=f"up to {MOST_CLAIMS:,} pairs of brokers in all colours",
            remedy="ask for fewer failures; angarium mesh recover verifies all of them without a module",
        )
    module = _Module(recovery)
    parts = module.heading(), module.declarations(), module.assignments(), module.specifications()
    return "\n".join([*(line for part in parts for line in part), ""])


@dataclass(frozen=True)
class _Module:
    """Brokers are called by their place in the mesh, from 1."""

    recovery: Recovery

    def heading(self) -> Iterator[str]:
        recovery = self.recovery
        yield f"-- {comment(recovery.mesh.name)}: recovery tables of {len(recovery.colours)} colours"
        for number, name in enumerate(recovery.graph.names, start=1):
            yield f"-- {number}: {comment(name)}"
        for colour in recovery.colours:
            dead = recovery.colours[colour]
            yield f"-- colour {colour}: {comment(str(dead))} {'are' if len(dead) > 1 else 'is'} dead"

    def declarations(self) -> Iterator[str]:
        count = self.recovery.graph.brokers
        yield "MODULE main"
        yield f"DEFINE {DROP} := 0;"
        yield f"FROZENVAR src : 1..{count};"
        yield f"FROZENVAR dest : 1..{count};"
        yield f"FROZENVAR colour : {HEALTHY}..{HEALTHY + len(self.recovery.colours) - 1};"
        yield f"VAR loc : 0..{count};"

    def assignments(self) -> Iterator[str]:
        yield "ASSIGN"
        yield "  init(loc) := src;"
        yield "  next(loc) := case"
        yield f"    loc = {DROP} : {DROP};"
        yield "    loc = dest : loc;"
        healthy = self._entries(HEALTHY)
        for colour in self.recovery.colours:
            for pair, rule in self._entries(colour).items():
                if rule != healthy[pair]:
                    yield f"    colour = {colour} & {_at(pair)} : {rule}"
        for pair, rule in healthy.items():
            yield f"    {_at(pair)} : {rule}"
        yield f"    TRUE : {DROP};"
        yield "  esac;"

    def _entries(self, colour: int) -> dict[Pair, str]:
        """What every entry of a colour does, by broker and destination."""
        position = self.recovery.graph.position
        hops = {(position[source], position[target]) for source, target in self._living(colour)}
        return {
            (at, destination): _rule((at, after), hops)
            for at, row in enumerate(self.recovery.table(colour).tolist())
            for destination, after in enumerate(row)
            if at != destination
        }

    def _living(self, colour: int) -> Iterator[tuple[str, str]]:
        """The ends of every link that works in a colour."""
        failures = self.recovery.colours[colour]
        for link in self.recovery.mesh.links:
            ends = {link.source, link.target}
            if len(ends) == 2 and link.fails_as not in failures.cables and not ends & failures.brokers:
                yield link.source, link.target

    def specifications(self) -> Iterator[str]:
        for colour in self.recovery.colours:
            failures, ways = self.recovery.colours[colour], neighbours(self._living(colour))
            numbers = enumerate(self.recovery.graph.names)
            living = [(number, name) for number, name in numbers if name not in failures.brokers]
            for source, name in living:
                behind = reached(ways, name)
                for destination, other in living:
                    if source != destination:
                        yield from _claims(source, destination, colour, other in behind)


def _at(pair: Pair) -> str:
    return f"loc = {pair[0] + 1} & dest = {pair[1] + 1}"


def _rule(hop: Pair, living: set[Pair]) -> str:
    if hop[1] == NONE:
        return f"{DROP};"
    return f"{hop[1] + 1};" if hop in living else f"{DROP}; -- no link to {hop[1] + 1} that works"


def _claims(source: int, destination: int, colour: int, way: bool) -> Iterator[str]:
    name = f"{source + 1}_{destination + 1}_{colour}"
    given = f"(src = {source + 1} & dest = {destination + 1} & colour = {colour})"
    if way:
        yield f"CTLSPEC NAME reach_{name} := {given} -> AF (loc = dest);"
    else:
        yield f"-- {source + 1} to {destination + 1} in colour {colour}: the failures leave no way"
    yield f"CTLSPEC NAME loop_{name} := {given} -> AF (loc = dest | loc = {DROP});"
