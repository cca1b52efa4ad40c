"""Recovery tables of small meshes, for tests of their files."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from angarium.mesh.mesh import Failures, Mesh, SharedRisk
from angarium.mesh.recovery.files import BrokerTables, fingerprint
from angarium.mesh.recovery.tables import Recovery, coloured, recovery
from angarium.mesh.verify.budget import ONE, Budget
from tests.mesh.walks import net, random_cables, random_failures

TRIANGLE = net(3, ((1, 2), (1, 3), (2, 3)))
RING = replace(
    net(5, ((1, 2), (2, 3), (3, 4), (4, 5), (1, 5), (1, 3))),
    shared_risks=(SharedRisk("river crossing", (), ("b1-b2", "b1-b3")),),
)


def recovered(mesh: Mesh, budget: Budget = ONE) -> Recovery:
    risks = [risk.failures for risk in mesh.shared_risks]
    return recovery(mesh, coloured(mesh, [*(each for _, each in budget.failures(mesh)), *risks]))


def random_recovery(seed: int) -> Recovery:
    """Of up to seven brokers, some of them cut off, under failures of any size."""
    random = Random(seed)
    count = random.randint(1, 7)
    mesh = net(count, random_cables(random, count))
    failures: list[Failures] = [random_failures(random, mesh) for _ in range(random.randint(0, 12))]
    return recovery(mesh, coloured(mesh, failures))


def mark(recovery: Recovery) -> str:
    return fingerprint(recovery.mesh, recovery.colours)


def agree(tables: BrokerTables, recovery: Recovery) -> bool:
    """Whether a broker's tables say what was calculated, in every colour."""
    return tables.colours == recovery.colours and all(
        tables.next(colour, to) == recovery.next_broker(colour, tables.broker, to)
        for colour in recovery.colours
        for to in recovery.graph.names
    )
