"""Building a layer, in the low-level language: compiled, never run by Python.

A layer begins as the whole mesh; links are taken away as long as everybody still reaches everybody. Whether
that is so is found by flooding: which brokers can be reached from one, if another is left out?

`graph` is that of `sweep_core`; `work` is addresses of addresses, as the constants say.
"""

from __future__ import annotations

from angarium.mesh.routing.sweep_core import BROKERS, NOWHERE, ROWS, SOURCES, TARGETS
from angarium.native.lowlevel import Words, byte, half, put_byte, put_half, words

WHOLE, THERE, ABSENT, SAFE, TWIN, QUEUE, SEEN, ROUND = 0, 1, 2, 3, 4, 5, 6, 7
"""WHOLE, THERE: whether each hop is in the mesh, and still in this layer. ABSENT: by hop the first layer
without it. SAFE: by broker the layer in which it is safe. TWIN: the hop back. SEEN: by broker the last flood
that came."""


def flood(graph: Words, work: Words, start: int, without: int) -> int:
    """Reach what can be reached without a broker; the number of this flood."""
    rows = words(graph[ROWS])
    queue = words(work[QUEUE])
    seen = words(work[SEEN])
    work[ROUND] += 1
    seen[start] = work[ROUND]
    put_half(queue, 0, start)
    taken = 0
    waiting = 1
    while taken < waiting:
        broker = half(queue, taken)
        taken += 1
        for hop in range(half(rows, broker), half(rows, broker + 1)):
            target = half(words(graph[TARGETS]), hop)
            if byte(words(work[THERE]), hop) and target != without and seen[target] != work[ROUND]:
                seen[target] = work[ROUND]
                put_half(queue, waiting, target)
                waiting += 1
    return work[ROUND]


def links_of(graph: Words, there: Words, broker: int) -> int:
    """How many hops lead away from a broker."""
    rows = words(graph[ROWS])
    count = 0
    for hop in range(half(rows, broker), half(rows, broker + 1)):
        count += byte(there, hop)
    return count


def first_of(graph: Words, there: Words, broker: int) -> int:
    """The first hop away from a broker."""
    hop = half(words(graph[ROWS]), broker)
    while not byte(there, hop):
        hop += 1
    return hop


def can_be_safe(graph: Words, work: Words, broker: int) -> int:
    """Whether the neighbours of a broker reach each other without it."""
    there = words(work[THERE])
    targets = words(graph[TARGETS])
    number = flood(graph, work, half(targets, first_of(graph, there, broker)), broker)
    for hop in range(half(words(graph[ROWS]), broker), half(words(graph[ROWS]), broker + 1)):
        if byte(there, hop) and words(work[SEEN])[half(targets, hop)] != number:
            return 0
    return 1


def kept(graph: Words, work: Words, broker: int) -> int:
    """The hop that stays: the first that another layer is without, else the first."""
    there = words(work[THERE])
    for hop in range(half(words(graph[ROWS]), broker), half(words(graph[ROWS]), broker + 1)):
        if byte(there, hop) and half(words(work[ABSENT]), hop) != NOWHERE:
            return hop
    return first_of(graph, there, broker)


def take(work: Words, hop: int, layer: int) -> None:
    """Take a link out of a layer, both ways."""
    absent = words(work[ABSENT])
    twin = half(words(work[TWIN]), hop)
    put_byte(words(work[THERE]), hop, 0)
    put_byte(words(work[THERE]), twin, 0)
    if half(absent, hop) == NOWHERE:
        put_half(absent, hop, layer)
        put_half(absent, twin, layer)


def make_safe(graph: Words, work: Words, broker: int, layer: int) -> None:
    """Leave a broker only one link."""
    stays = kept(graph, work, broker)
    for hop in range(half(words(graph[ROWS]), broker), half(words(graph[ROWS]), broker + 1)):
        if byte(words(work[THERE]), hop) and hop != stays:
            take(work, hop, layer)
    put_half(words(work[SAFE]), broker, layer)


def isolate(graph: Words, work: Words, layer: int, most: int) -> int:
    """Make brokers safe in a layer that are so in none yet, up to so many; how many there are."""
    made = 0
    for broker in range(graph[BROKERS]):
        if made < most and half(words(work[SAFE]), broker) == NOWHERE:
            if links_of(graph, words(work[WHOLE]), broker) < 2:
                put_half(words(work[SAFE]), broker, 0)
            elif can_be_safe(graph, work, broker):
                make_safe(graph, work, broker, layer)
                made += 1
    return made


def spare(graph: Words, work: Words, layer: int, hops: int) -> int:
    """Take links out of a layer that are in every layer so far; how many there are."""
    there = words(work[THERE])
    made = 0
    for hop in range(hops):
        if byte(there, hop) and half(words(work[ABSENT]), hop) == NOWHERE:
            twin = half(words(work[TWIN]), hop)
            put_byte(there, hop, 0)
            number = flood(graph, work, half(words(graph[SOURCES]), hop), NOWHERE)
            if words(work[SEEN])[half(words(graph[TARGETS]), hop)] == number:
                take(work, hop, layer)
                made += 1
            else:
                put_byte(there, hop, 1)
                put_byte(there, twin, 1)
    return made
