"""Any mesh in SMV, with claims for whoever publishes and wants the same.

A mesh with tables is written as the walk of a message (`smv`). One that forwards by topic has no such table:
it is written as the model that `angarium check overlay --mesh` explores, which follows one copy of the
message with a free choice among links; "some copy arrives" is then EF, and a round is a path without end.
"""

from __future__ import annotations

from dataclasses import replace

from angarium.checker.explore.interpret import initial_states
from angarium.checker.export import smv as model_in_smv
from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.mesh.as_model.source import model_source
from angarium.mesh.as_model.wants import Wants, wants
from angarium.mesh.export.smv import smv
from angarium.mesh.failover import without_standby
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Mesh
from angarium.mesh.routing.substitutes import homes
from angarium.mesh.routing.tables import tables
from angarium.mesh.verify.demands import Need


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
