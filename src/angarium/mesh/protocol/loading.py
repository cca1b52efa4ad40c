"""The tables with which a broker starts: from a folder of files, or calculated now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from angarium.core.control import Control
from angarium.core.errors import MeshError
from angarium.mesh.mesh import Mesh
from angarium.mesh.protocol.chart import chart_of
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.forwarding import Forwarder
from angarium.mesh.protocol.node import Node
from angarium.mesh.protocol.timing import Timing
from angarium.mesh.recovery.files import BrokerTables, fingerprint, load_from, tables_of
from angarium.mesh.recovery.recovered import colours_of
from angarium.mesh.recovery.tables import recovery
from angarium.mesh.verify.budget import Budget

_DIGITS = 16
"""Of the tables' fingerprint that fit into a letter."""


def calculated_tables(
    mesh: Mesh, broker: str, budget: Budget, *, tell: Callable[[str], None] | None = None
) -> BrokerTables:
    """The tables of a broker for every failure within a budget."""
    chart = chart_of(mesh)
    colours = colours_of(mesh, budget, Control())
    if tell:
        tell(f"calculating the tables of {len(colours):,} colours")
    found = recovery(mesh, colours)
    return tables_of(found, chart.number[chart.check(broker)], fingerprint(mesh, colours))


def loaded_tables(mesh: Mesh, broker: str, folder: str | Path) -> BrokerTables:
    """The tables of a broker from a folder; MeshError if they are for another mesh."""
    chart = chart_of(mesh)
    tables = load_from(folder, chart.check(broker))
    if not _fit(mesh, tables):
        raise MeshError(
            "ANG126",
            f"the tables in {folder} were made for {tables.mesh}, which is not {mesh.name} as it is now",
            possible="tables for the same brokers, in the same order, and the same links",
            remedy="calculate them anew with `angarium mesh recover`",
        )
    return tables


def _fit(mesh: Mesh, tables: BrokerTables) -> bool:
    """Whether tables can be of this mesh: the same brokers in the same order, and no links but its own."""
    near = {link.target for link in mesh.links if link.source == tables.broker != link.target}
    named = {cable for failures in tables.colours.failures for cable in failures.cables}
    brokers = tuple(broker.name for broker in mesh.brokers)
    return tables.destinations == brokers and {*tables.neighbours} == near and named <= {*mesh.cables}


def are_just_so(mesh: Mesh, tables: BrokerTables) -> bool:
    """Whether the mesh as it is now would give just these tables, without overrides."""
    return tables.fingerprint == fingerprint(mesh, tables.colours)


def started(
    mesh: Mesh, tables: BrokerTables, timing: Timing, *, life: int, now: float
) -> tuple[Node, Forwarder]:
    """A broker that has just begun: what it knows of the mesh, and what it does with packets."""
    colouring = agreed(mesh, tables)
    colouring.prepare()
    node = Node(tables.broker, colouring, timing, life=life, now=now)
    forwarder = Forwarder(mesh, tables.broker, colouring, tables)
    forwarder.rehearse()
    return node, forwarder


def agreed(mesh: Mesh, tables: BrokerTables) -> Colouring:
    """What all brokers that have such tables agree on."""
    return Colouring(chart_of(mesh), tables.colours, int(tables.fingerprint[:_DIGITS], 16))
