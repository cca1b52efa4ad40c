"""What can be said of a mesh without sending a message: references, and clients without a counterpart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from angarium.mesh.mesh import Mesh
from angarium.mesh.topics.classes import universe
from angarium.mesh.topics.topic import IDENTITY
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.findings import Finding


def dangling(mesh: Mesh) -> Iterator[Finding]:
    """References that lead nowhere, as whoever read the files found them."""
    for remark in mesh.remarks:
        if remark.kind == "dangling":
            where = f"{remark.place}: " if remark.place else ""
            advice = f"; {remark.remedy}" if remark.remedy else ""
            yield Finding("no-dangling-references", f"{where}{remark.what}{advice}")


def unwanted(mesh: Mesh, needs: Sequence[Need]) -> Iterator[Finding]:
    """Patterns that are published and of which nobody wants anything."""
    split = _by_pattern(mesh)
    topics = universe(split)
    names = {(need.at, name) for need in needs for name in need.names}
    names |= {(subscriber.broker, IDENTITY) for subscriber in mesh.subscribers}
    wanted = {
        number
        for subscriber in mesh.subscribers
        for at, name in names
        if at == subscriber.broker
        for number in topics.overlapped(subscriber.topics, name)
    }
    for publisher in split.publishers:
        if wanted.isdisjoint(topics.published(publisher.name)):
            who, text = publisher.name.split("\0")[0], publisher.topics[0].text
            what = f"{who} publishes {text} at {publisher.broker}, and nobody wants it"
            yield Finding("publishers-have-subscribers", what)


def _by_pattern(mesh: Mesh) -> Mesh:
    """The mesh with a publisher for each pattern, so that what each publishes can be told apart."""
    publishers = [
        replace(publisher, name=f"{publisher.name}\0{number}", topics=(pattern,))
        for publisher in mesh.publishers
        for number, pattern in enumerate(publisher.topics)
    ]
    return replace(mesh, publishers=tuple(publishers))


def unserved(mesh: Mesh, needs: Sequence[Need]) -> Iterator[Finding]:
    """Subscribers for whom nobody publishes."""
    served = {demand.subscriber for need in needs for demand in need.demands}
    for subscriber in mesh.subscribers:
        if subscriber.name not in served:
            patterns = ", ".join(pattern.text for pattern in subscriber.topics)
            what = f"{subscriber.name} wants {patterns} at {subscriber.broker}, and nobody publishes that"
            yield Finding("subscribers-have-publishers", what)
