"""Meshes, traffic and failures for tests, some of them random by a seed."""

from __future__ import annotations

from random import Random

from angarium.mesh.mesh import SHORTEST, Broker, Failures, Link, Mesh, Routing
from angarium.mesh.packets.experiment import ARRIVALS, Experiment, Flow
from angarium.mesh.packets.links import MILLISECOND, SECOND, Happening

BUFFERING = ("lost", "kept", "mesh")


def cable(
    one: str,
    other: str,
    *,
    name: str = "",
    latency: float = 0.0,
    rate: float | None = None,
    capacity: int | None = None,
    cost: int = 1,
    buffering: str = "kept",
) -> list[Link]:
    """A link both ways."""
    called = name or f"{one}-{other}"
    return [
        Link(
            f"{called}:{source}->{target}",
            source,
            target,
            called,
            cost,
            latency,
            rate,
            capacity,
            buffering=buffering,
        )
        for source, target in ((one, other), (other, one))
    ]


def net(*cables: list[Link], latency: float = 0.0, hop_limit: int | None = None) -> Mesh:
    """Brokers in the order of their names."""
    links = [link for both in cables for link in both]
    names = sorted({name for link in links for name in (link.source, link.target)})
    brokers = tuple(Broker(name, latency=latency) for name in names)
    return Mesh("net", brokers, tuple(links), routing=Routing(SHORTEST, hop_limit=hop_limit))


def cut(name: str, seconds: float) -> Happening:
    return Happening(round(seconds * SECOND), Failures(cables=frozenset({name})))


def heals(name: str, seconds: float) -> Happening:
    return Happening(round(seconds * SECOND), Failures(cables=frozenset({name})), heals=True)


def dies(name: str, seconds: float) -> Happening:
    return Happening(round(seconds * SECOND), Failures(frozenset({name})))


def comes_back(name: str, seconds: float) -> Happening:
    return Happening(round(seconds * SECOND), Failures(frozenset({name})), heals=True)


def random_mesh(choice: Random) -> Mesh:
    """A connected mesh, with parallel and one-way links, queues, and brokers that take their time."""
    names = [f"b{number}" for number in range(choice.randint(2, 7))]
    pairs = [(names[choice.randrange(number)], names[number]) for number in range(1, len(names))]
    pairs += [choice.sample(names, 2) for _ in range(choice.randint(0, 6))]  # type: ignore[misc]
    links: list[Link] = []
    for number, (one, other) in enumerate(pairs):
        both = cable(
            one,
            other,
            name=f"c{number}",
            latency=choice.choice((0.0, 0.5, 3.0, 40.0)),
            rate=choice.choice((None, 8.0, 40.0)),
            capacity=choice.choice((None, 0, 2, 5)),
            cost=choice.randint(1, 3),
            buffering=choice.choice(("kept", "lost", "400 ms")),
        )
        links += both if choice.random() < 0.9 or number < len(names) - 1 else both[:1]
    brokers = tuple(Broker(name, latency=choice.choice((0.0, 0.0, 1.5))) for name in names)
    limit = choice.choice((None, 1, 3))
    return Mesh("random", brokers, tuple(links), routing=Routing(SHORTEST, hop_limit=limit))


def random_happenings(choice: Random, mesh: Mesh, duration: int) -> list[Happening]:
    """Some cables and brokers fail now and then, and most of them come back."""
    parts = [Failures(cables=frozenset({name})) for name in mesh.cables]
    parts += [Failures(frozenset({broker.name})) for broker in mesh.brokers]
    found: list[Happening] = []
    for part in choice.sample(parts, min(len(parts), choice.randint(0, 6))):
        times = sorted(choice.sample(range(1, duration // MILLISECOND), choice.choice((1, 2, 2, 4))))
        found += [Happening(time * MILLISECOND, part, place % 2 == 1) for place, time in enumerate(times)]
    return found


def random_experiment(seed: int) -> Experiment:
    """Everything at random."""
    choice = Random(seed)
    mesh, duration = random_mesh(choice), 6 * SECOND
    names = [broker.name for broker in mesh.brokers]
    flows = tuple(
        Flow(
            choice.choice(names),
            choice.choice(names),
            choice.choice((1.0, 10.0, 40.0)),
            choice.choice((100, 1000)),
            choice.choice(ARRIVALS),
        )
        for _ in range(choice.randint(1, 4))
    )
    happenings = tuple(random_happenings(choice, mesh, duration))
    return Experiment(mesh, flows, happenings, duration, seed, choice.choice(BUFFERING))
