"""What can be said of a mesh without sending a message: references, and clients without a counterpart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from angarium.mesh.mesh import Mesh, Pattern
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.topics.topic import IDENTITY
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.findings import Finding


def dangling(mesh: Mesh) -> Iterator[Finding]:
    """References that lead nowhere, as whoever read the files found them."""
    for remark in mesh.remarks:
        if remark.kind == "dangling":
            where = f"{remark.place}: " if remark.place else ""
            advice = f"; {remark.remedy[0].lower()}{remark.remedy[1:].rstrip('.')}" if remark.remedy else ""
            yield Finding("no-dangling-references", f"{where}{remark.what}{advice}")


def unwanted(mesh: Mesh, needs: Sequence[Need]) -> Iterator[Finding]:
    """Patterns that are published and of which nobody wants anything."""
    served = {demand.publisher for need in needs for demand in need.demands}
    several = [each for each in mesh.publishers if each.name in served and len(each.topics) > 1]
    bad = {
        (each.name, pattern) for each in mesh.publishers if each.name not in served for pattern in each.topics
    }
    bad |= _unwanted_parts(replace(mesh, publishers=tuple(several)), needs) if several else set()
    for publisher in mesh.publishers:
        for pattern in publisher.topics:
            if (publisher.name, pattern) in bad:
                what = f"{publisher.name} publishes {pattern.text} at {publisher.broker}, and nobody wants it"
                yield Finding("publishers-have-subscribers", what)


def _unwanted_parts(mesh: Mesh, needs: Sequence[Need]) -> set[tuple[str, Pattern]]:
    """Of publishers of several patterns, those of which nobody wants anything."""
    split = _by_pattern(mesh)
    topics = universe(split)
    names = {subscriber.broker: {IDENTITY} for subscriber in mesh.subscribers}
    for need in needs:
        names[need.at] |= need.names
    wanted = {
        number
        for subscriber in mesh.subscribers
        for name in names[subscriber.broker]
        for number in topics.overlapped(subscriber.topics, name)
    }
    return {
        (publisher.name.split("\0")[0], publisher.topics[0])
        for publisher in split.publishers
        if wanted.isdisjoint(topics.published(publisher.name))
    }


def _by_pattern(mesh: Mesh) -> Mesh:
    """The mesh with a publisher for each pattern, so that what each publishes can be told apart."""
    publishers = [
        replace(publisher, name=f"{publisher.name}\0{number}", topics=(pattern,))
        for publisher in mesh.publishers
        for number, pattern in enumerate(publisher.topics)
    ]
    return replace(mesh, publishers=tuple(publishers))


def unserved(mesh: Mesh, topics: Universe, needs: Sequence[Need]) -> Iterator[Finding]:
    """Patterns of subscribers of which nobody publishes anything, under whatever name it would come."""
    served = {demand.subscriber for need in needs for demand in need.demands}
    names = {IDENTITY}.union(*(need.names for need in needs))
    for subscriber in mesh.subscribers:
        for pattern in subscriber.topics:
            alone = subscriber.name in served and len(subscriber.topics) == 1
            if not alone and not any(topics.overlapped((pattern,), name) for name in names):
                wish = f"{subscriber.name} wants {pattern.text} at {subscriber.broker}"
                yield Finding("subscribers-have-publishers", f"{wish}, and nobody publishes that")
