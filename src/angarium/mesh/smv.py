"""Meshes as SMV modules with CTL specifications, for NuSMV and nuXmv.

A mesh with tables is written as the walk of a message. One message is followed. `src` and `dest` say where it
was published and where it is wanted; they never change. `loc` says where it is: a broker's number, or DROP.
The next hop is one case table over `loc` and `dest`, so the walk of a message is deterministic, and every
question about it is a question about one path.

    absorbing destination   loc = dest : loc. What has arrived stays, so that "it arrives" and "it has
                            arrived" are distinguished from "it came by".
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

Recovery tables are written with the colour as a variable: the next hop depends on
`loc`, `dest` and `colour`. The colour never changes: all brokers are taken to have switched already. What
mixed colours do while some have not is a question for `angarium check recovery`.

The thesis prints such a module for its triangle (6.4), and a trace of it that goes 1, 3, 1, 1 with broker 3
as the destination. No table can give that: what has arrived would have to leave, and then to stay elsewhere.
So here `loc = dest : loc` stands before all entries. It asks for EF (loc = dest), and leaves open from where
to where and in which colour; here each pair of brokers is asked for in each colour.

    reach_s_d_c   AF (loc = dest)                for every pair that the failures leave a path for
    loop_s_d_c    AF (loc = dest | loc = DROP)   for every pair of living brokers: the walk comes to an end

Rules are the tables as brokers have them: what differs in a colour first, then the healthy entries, which
hold in all other colours. An entry that leads over what is dead in a colour leads to DROP, whatever it says.

A mesh that forwards by topic has no table. It is written as the model that `angarium check overlay --mesh`
explores, which follows one copy of the message with a free choice among links; "some copy arrives" is then
EF, and a round is a path without end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from angarium.checker.explore.interpret import initial_states
from angarium.checker.export import smv as model_in_smv
from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.as_model.parts import Wants, wants
from angarium.mesh.as_model.source import model_source
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Mesh, without_standby
from angarium.mesh.recovery.tables import HEALTHY, Recovery
from angarium.mesh.routing.graph import NONE, homes, neighbours, reached
from angarium.mesh.routing.tables import tables
from angarium.mesh.verify.demands import Need

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


DROP = "DROP"
MOST_CLAIMS = 500_000
"""Pairs of brokers in all colours: a module of more would be of no use to anybody."""
Numbered = tuple[int, int]
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
    module = _RecoveryModule(recovery)
    parts = module.heading(), module.declarations(), module.assignments(), module.specifications()
    return "\n".join([*(line for part in parts for line in part), ""])


@dataclass(frozen=True)
class _RecoveryModule:
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

    def _entries(self, colour: int) -> dict[Numbered, str]:
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
            failures, hops = self.recovery.colours[colour], neighbours(self._living(colour))
            numbers = enumerate(self.recovery.graph.names)
            living = [(number, name) for number, name in numbers if name not in failures.brokers]
            for source, name in living:
                behind = reached(hops, name)
                for destination, other in living:
                    if source != destination:
                        yield from _claims(source, destination, colour, other in behind)


def _at(pair: Numbered) -> str:
    return f"loc = {pair[0] + 1} & dest = {pair[1] + 1}"


def _rule(hop: Numbered, living: set[Numbered]) -> str:
    if hop[1] == NONE:
        return f"{DROP};"
    return f"{hop[1] + 1};" if hop in living else f"{DROP}; -- no link to {hop[1] + 1} that works"


def _claims(source: int, destination: int, colour: int, delivers: bool) -> Iterator[str]:
    name = f"{source + 1}_{destination + 1}_{colour}"
    given = f"(src = {source + 1} & dest = {destination + 1} & colour = {colour})"
    if delivers:
        yield f"CTLSPEC NAME reach_{name} := {given} -> AF (loc = dest);"
    else:
        yield f"-- {source + 1} to {destination + 1} in colour {colour}: the failures leave no path"
    yield f"CTLSPEC NAME loop_{name} := {given} -> AF (loc = dest | loc = {DROP});"


def exported(mesh: Mesh, failures: Failures = NOTHING) -> str:
    """The mesh while something is dead; clients of a dead broker are with its substitute, if it has one."""
    probed, wanted = wants(mesh)
    needs = rehomed(probed, wanted, failures)
    if mesh.routing.kind != FORWARD:
        pairs = [(need.origin, need.at) for need in needs]
        return smv(without_standby(mesh, failures), tables(mesh, failures).as_names(), pairs, failures)
    carrying = without_standby(probed, failures).links
    living = replace(probed, links=tuple(link for link in carrying if not link.is_dead(failures)))
    text = model_source(living, replace(wanted, needs=needs))
    system = build(find_model(parse(text, mesh.name)))
    return model_in_smv.smv(system, initial_states(system))


def rehomed(mesh: Mesh, wanted: Wants, failures: Failures) -> tuple[Need, ...]:
    """What is needed of those who are not dead with their broker, where they are now."""
    at_home = homes(mesh, failures)
    moved = ((need, at_home[need.origin], at_home[need.at]) for need in wanted.needs)
    return tuple(
        replace(need, origin=origin, at=at)
        for need, origin, at in moved
        if origin is not None and at is not None
    )
