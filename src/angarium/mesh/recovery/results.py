"""What `angarium mesh recover` answers, as data: verdicts on tables, what they cannot do and take.

Nobody's own broker can load the tables that are calculated for it. RabbitMQ, Mosquitto, NATS, Kafka and
Artemis hand messages on by subscriptions and bridges; none of them has a setting that names the next broker
for a destination. Routers of Dispatch do forward by such tables, but calculate them themselves from what
their neighbours tell. What loads tables is the daemon of `angarium mesh node`, and whatever forwards as it
does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from angarium.core.records import HERE, key
from angarium.core.result import Extent, GuaranteeVerdict, Result
from angarium.mesh.mesh import Mesh
from angarium.mesh.recovery.files.folder import Written
from angarium.mesh.recovery.recovered import LOOP_FREE, REACHED, SHORTEST, Broken, Recovered
from angarium.mesh.recovery.tables import Recovery, condensed
from angarium.mesh.results import Dead, MeshRemark, dead_of, remarks_of
from angarium.mesh.routing.graph import NONE
from angarium.mesh.routing.walk import ARRIVES, DROPS, LOOPS

BY_SETTINGS = {
    "rabbitmq": "RabbitMQ",
    "mosquitto": "Mosquitto",
    "nats": "NATS",
    "mirrormaker": "Kafka",
    "artemis": "Artemis",
}
"""Brokers that forward by subscriptions and bridges, by their importers."""


def can_load(mesh: Mesh) -> bool | None:
    """Whether the brokers of a mesh can load tables; None: the mesh does not say what they are."""
    return False if mesh.form else None


def why_not(mesh: Mesh) -> str:
    """What keeps the brokers from loading tables, and what these are for then; else nothing."""
    if not mesh.form:
        return ""
    if mesh.form in BY_SETTINGS:
        called = BY_SETTINGS[mesh.form]
        why = f"{called} brokers cannot load these tables: they forward by their own settings."
    else:
        why = "These routers cannot load tables: they calculate their own from the state of the links."
    return (
        f"{why} What follows says which failures the links could survive, and where one is missing. What"
        " can load the tables is a daemon that forwards by them: angarium mesh node."
    )


MEANINGS = {
    REACHED: "who has a path left is reached, in every colour",
    LOOP_FREE: "no message goes round",
    SHORTEST: "no path is cheaper than the one that is taken",
}


_BECOMES = {ARRIVES: "takes a path that is not the cheapest", LOOPS: "goes round for ever", DROPS: "is lost"}


@dataclass(frozen=True, slots=True)
class RecoveryViolation:
    """A colour in which a guarantee is violated, with the path of the first message concerned."""

    colour: int
    dead: Dead
    pairs: int
    first: tuple[str, str]
    path: Sequence[str]
    end: str
    reason: str

    @property
    def what(self) -> str:
        """What becomes of the first message, in a sentence."""
        others = f", and {self.pairs - 1:,} others do" if self.pairs > 1 else ""
        why = f": {self.reason}" if self.reason else ""
        return f"a message from {self.first[0]} to {self.first[1]} {_BECOMES[self.end]}{why}{others}"


@dataclass(frozen=True, kw_only=True)
class RecoveryVerdict(GuaranteeVerdict):
    """The verdict on what the tables must do."""

    violations: Sequence[RecoveryViolation] = field(default=(), metadata=key("findings"))


@dataclass(frozen=True, slots=True)
class CutOff:
    """A failure that leaves brokers without a path, whatever the tables say."""

    colour: int
    dead: Dead
    pairs: int
    parts: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class UnprotectedFailures:
    """What no table can recover from, and the links that would help."""

    failures: Sequence[CutOff]
    links_to_add: Sequence[tuple[str, str]]
    smallest: bool
    """Whether no fewer links would do."""


@dataclass(frozen=True, slots=True)
class Room:
    """What the tables of all brokers take."""

    bytes: int
    entries: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenTables:
    """What was written for brokers to load."""

    folder: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SuperRow:
    """A row of a super table: in these colours, what is for the destination goes to the next broker."""

    destination: str
    next: str | None
    colours: Sequence[int]


@dataclass(frozen=True, slots=True)
class SuperTable:
    """The super table of a broker with its lookup, by destination and colour."""

    broker: str
    super_table: Sequence[SuperRow]
    next_hops: Mapping[str, Sequence[str | None]]
    addresses: Mapping[str, Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class RecoveryResult(Result[RecoveryVerdict]):
    """Recovery tables with everything that is known of them."""

    kind: str = "mesh recover"
    brokers_can_load: bool | None
    brokers: int
    links: int
    failures: Mapping[str, int]
    colours: int
    overridden_entries: int
    delivered: int
    cut_off: int
    longer: int
    fingerprint: str
    unprotected: UnprotectedFailures
    sizes: Mapping[str, Room]
    written: WrittenTables | None = None
    remarks: Sequence[MeshRemark]
    tables: Sequence[SuperTable] = ()
    """Those that were asked for."""
    found: Recovered | None = field(default=None, repr=False, compare=False, metadata=HERE)
    """The same with the tables, for who wants to look closer."""


def result_of(recovered: Recovered, failures: str, tables: Sequence[str] = ()) -> RecoveryResult:
    """The answer, with the super tables of some brokers."""
    mesh, check, cut = recovered.mesh, recovered.verification, recovered.cut
    return RecoveryResult(
        subject=mesh.name,
        parameters={"failures": failures},
        engine=recovered.engine,
        extent=Extent(complete=cut is None, cut=cut, seconds=recovered.seconds),
        brokers_can_load=can_load(mesh),
        brokers=len(mesh.brokers),
        links=len(mesh.cables),
        failures={str(size): count for size, count in recovered.counts.items()},
        colours=len(recovered.recovery.colours),
        overridden_entries=len(recovered.overrides),
        delivered=check.delivered,
        cut_off=check.cut_off,
        longer=check.longer,
        fingerprint=recovered.fingerprint,
        unprotected=_unprotected(recovered),
        sizes=_sizes(recovered),
        remarks=tuple(remarks_of(mesh)),
        tables=tuple(super_table(recovered.recovery, each) for each in tables),
        verdicts=tuple(_verdict(recovered, name) for name in recovered.verdicts),
        found=recovered,
    )


def written_of(result: RecoveryResult, written: Written) -> RecoveryResult:
    """The answer, when files have been written."""
    return replace(result, written=WrittenTables(str(written.folder), written.files, written.size))


def super_table(recovery: Recovery, broker: str) -> SuperTable:
    """The super table of a broker."""
    table, names = condensed(recovery, recovery.graph.number(broker)), recovery.graph.names
    rows = [SuperRow(names[row.destination], _name(names, row.next), row.colours) for row in table.rows]
    next_hops = [[_name(names, each) for each in row] for row in table.next_hops.tolist()]
    lookup = dict(zip(names, next_hops, strict=True))
    return SuperTable(broker, rows, lookup, dict(zip(names, table.pointers.tolist(), strict=True)))


def _name(names: Sequence[str], number: int) -> str | None:
    return names[number] if number != NONE else None


def _unprotected(recovered: Recovered) -> UnprotectedFailures:
    found = recovered.unprotected
    cuts = [CutOff(each.colour, dead_of(each.failures), each.pairs, each.parts) for each in found.cuts]
    return UnprotectedFailures(cuts, [(each.one, each.other) for each in found.additions], found.smallest)


def _sizes(recovered: Recovered) -> dict[str, Room]:
    sizes = recovered.sizes
    return {
        "plain": Room(int(sizes.plain.sum()), int(sizes.plain_entries.sum())),
        "condensed": Room(int(sizes.condensed.sum()), int(sizes.condensed_entries.sum())),
        "compact": Room(int(sizes.compact.sum())),
    }


def _verdict(recovered: Recovered, name: str) -> RecoveryVerdict:
    return RecoveryVerdict(
        guarantee=name,
        verdict=recovered.verdicts[name],
        description=MEANINGS[name],
        violations=tuple(map(_violation, recovered.broken(name))),
    )


def _violation(broken: Broken) -> RecoveryViolation:
    checked, walk = broken.checked, broken.walk
    dead = dead_of(checked.failures)
    return RecoveryViolation(
        checked.colour, dead, broken.pairs, broken.pair, walk.brokers, walk.end, walk.reason or ""
    )
