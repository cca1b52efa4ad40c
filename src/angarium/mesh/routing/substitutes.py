"""Reconfiguration: the clients of a dead broker move to its substitute, and back when it returns.

After the thesis's three-broker model (5.1): broker 1 is substituted by broker 2, 2 by 3, 3 by 1; the
publishers and subscribers of a dead broker are taken over by its substitute, and when it lives again they
are linked to it as before. The thesis lets one broker fail at a time. We go on: if the substitute is dead
too, its own substitute takes over, and so on; if that leads back to where it began, the clients are
nowhere.

The thesis's three guarantees, as they are meant (its formulas do not say it: `G a -> X b` is `(G a) -> X
b`, and `Y` is false in the first state), are questions about one set of failures each, because where a
client is depends on what is dead now and on nothing else:

    rehomed      every client of a dead broker is linked to a living one, and to no dead one
    returned     a client whose own broker lives is linked to it, whatever was dead before
    matched      every publisher has a subscriber to one of its topics and the reverse; moving clients keeps
                 their topics, so it holds in every state if it holds in the first, as long as none is nowhere

Where the thesis contradicts itself about who takes over publisher 1 (broker 3 once, broker 2 elsewhere), its
rule is followed: broker 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from angarium.mesh.mesh import Failures, Mesh, Publisher, Subscriber

Client = Publisher | Subscriber
C = TypeVar("C", Publisher, Subscriber)


@dataclass(frozen=True, slots=True)
class Move:
    """A client that cannot stay where it was."""

    client: str
    kind: str
    """`publisher` or `subscriber`."""
    origin: str
    home: str | None
    """The broker that takes over; None if there is none."""
    by: tuple[str, ...]
    """The dead brokers, each the substitute of the one before."""


def homes(mesh: Mesh, failures: Failures) -> Mapping[str, str | None]:
    """Where the clients of each broker are: the first living one of it, its substitute, and so on."""
    living = {broker.name: broker.name for broker in mesh.brokers}
    return living | {name: _home(mesh, failures, name)[0] for name in failures.brokers}


def _home(mesh: Mesh, failures: Failures, broker: str) -> tuple[str | None, tuple[str, ...]]:
    substitutes = {each.name: each.substitute for each in mesh.brokers}
    dead: dict[str, None] = {}
    at: str | None = broker
    while at is not None and at in failures.brokers:
        if at in dead:
            return None, tuple(dead)
        dead[at] = None
        at = substitutes[at]
    return at, tuple(dead)


def moves(mesh: Mesh, failures: Failures) -> tuple[Move, ...]:
    """The clients that move, in their order, publishers first."""
    clients: tuple[Client, ...] = (*mesh.publishers, *mesh.subscribers)
    return tuple(_move(mesh, failures, each) for each in clients if each.broker in failures.brokers)


def _move(mesh: Mesh, failures: Failures, client: Client) -> Move:
    home, dead = _home(mesh, failures, client.broker)
    kind = "publisher" if isinstance(client, Publisher) else "subscriber"
    return Move(client.name, kind, client.broker, home, dead)


def reconfigured(mesh: Mesh, failures: Failures) -> Mesh:
    """The mesh with every client where it is while something is dead; who has no home is left out."""
    at = homes(mesh, failures)
    return replace(mesh, publishers=_moved(mesh.publishers, at), subscribers=_moved(mesh.subscribers, at))


def _moved(clients: tuple[C, ...], at: Mapping[str, str | None]) -> tuple[C, ...]:
    return tuple(
        client if home == client.broker else replace(client, broker=home)
        for client in clients
        if (home := at[client.broker]) is not None
    )
