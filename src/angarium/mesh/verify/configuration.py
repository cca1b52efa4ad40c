"""What can be said of a mesh without sending a message: references, and clients without a counterpart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from angarium.mesh.mesh import Mesh
from angarium.mesh.topics.classes import Universe
from angarium.mesh.topics.dialects import written
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.findings import Finding


def dangling(mesh: Mesh) -> Iterator[Finding]:
    """References that lead nowhere, as whoever read the files found them."""
    for remark in mesh.remarks:
        if remark.kind == "dangling":
            where = f"{remark.place}: " if remark.place else ""
            advice = f"; {remark.remedy}" if remark.remedy else ""
            yield Finding("no-dangling-references", f"{where}{remark.what}{advice}")


def unwanted(mesh: Mesh, universe: Universe, needs: Sequence[Need]) -> Iterator[Finding]:
    """Topics that are published and that nobody wants."""
    wanted = {(demand.publisher, need.kin) for need in needs for demand in need.demands}
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    for publisher in mesh.publishers:
        for number in universe.published(publisher.name):
            if (publisher.name, universe.classes[number].alike) not in wanted:
                topic = written(universe.topic(number), dialects[publisher.broker])
                what = f"{publisher.name} publishes {topic} at {publisher.broker}, and nobody wants it"
                yield Finding("publishers-have-subscribers", what)


def unserved(mesh: Mesh, needs: Sequence[Need]) -> Iterator[Finding]:
    """Subscribers for whom nobody publishes."""
    served = {demand.subscriber for need in needs for demand in need.demands}
    for subscriber in mesh.subscribers:
        if subscriber.name not in served:
            patterns = ", ".join(pattern.text for pattern in subscriber.topics)
            what = f"{subscriber.name} wants {patterns} at {subscriber.broker}, and nobody publishes that"
            yield Finding("subscribers-have-publishers", what)
