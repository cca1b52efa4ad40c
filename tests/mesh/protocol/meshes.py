"""Small meshes for the tests of the protocol, and what is true of a network from outside."""

from __future__ import annotations

from functools import cache

from angarium.mesh.mesh import Mesh
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.interface import State, Timing
from angarium.mesh.protocol.link_state import Pairs, chart_of
from angarium.mesh.protocol.network import Network
from angarium.mesh.recovery.tables import coloured
from angarium.mesh.verify.budget import read_budget
from tests.mesh.routing.meshes import mesh_of

TRIANGLE = "1-2 1-3 2-3"
SQUARE = "1-2 2-3 3-4 1-4"
CHORD = "1-2 2-3 3-4 1-4 1-3"
LINE = "1-2 2-3 3-4"
TAILED = "1-2 2-3 3-4 4-5 3-5"
SHAPES = (TRIANGLE, SQUARE, CHORD, LINE, TAILED, "1-2 2-3 3-4 4-5 1-5 2-5")

TIMING = Timing(0.05)
LONG = 60 * TIMING.heartbeat
"""Enough for everything to be noticed, told, and told again."""


@cache
def mesh(shape: str) -> Mesh:
    return mesh_of(shape)


@cache
def colouring(shape: str, budget: str = "one") -> Colouring:
    found = mesh(shape)
    return Colouring(
        chart_of(found), coloured(found, (each for _, each in read_budget(budget).failures(found)))
    )


def truly_dead(network: Network) -> Pairs:
    """The pairs over which nothing can go both ways."""
    pairs = network.chart.cables
    return frozenset(
        pair for pair in pairs if pair in network.cut or not all(each in network.nodes for each in pair)
    )


def wrongs(network: Network) -> list[str]:
    """What brokers and interfaces have got wrong."""
    found, dead = [], truly_dead(network)
    for name, node in network.nodes.items():
        view = node.colouring.view(name, dead)
        if node.view != view:
            found.append(f"{name} has colour {node.view.colour} instead of {view.colour}")
        for neighbour, interface in node.interfaces.items():
            is_dead = network.chart.pair(name, neighbour) in dead
            if interface.state is not (State.FAILURE if is_dead else State.NORMAL):
                found.append(f"{name} to {neighbour} is in {interface.state}")
    return found
