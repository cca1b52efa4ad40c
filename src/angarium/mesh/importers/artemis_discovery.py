"""Artemis brokers that find each other: by connectors that they list, or by announcing themselves in a group.

A broadcast group is where a broker announces itself, a discovery group is where it listens. Both are the
same if their addresses are. Who is there shows only in the files of the others: where none was given, that
is no mistake of the file, and only noted.
"""

from __future__ import annotations

from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_broker import Artemis, Net
from angarium.mesh.importers.artemis_xml import Element

ADDRESS = ("group-address", "group-port", "jgroups-channel", "jgroups-file")


def other_end(net: Net, broker: Artemis, element: Element) -> str | None:
    """The broker that a bridge or a stream leads to: by its connectors if it has some, or else discovered."""
    refs = list(element.all("static-connectors", "connector-ref"))
    return net.by_connectors(broker, refs) if refs else next(iter(discovered(net, broker, element)), None)


def discovered(net: Net, broker: Artemis, element: Element) -> list[str]:
    """Those who announce themselves in the group that an element refers to."""
    group = _group(broker, element)
    if group is None:
        return []
    return [
        other.name
        for other in net.brokers.values()
        if other is not broker
        and any(
            _where(each) == _where(group) for each in other.core.all("broadcast-groups", "broadcast-group")
        )
    ]


def leads_nowhere(net: Net, broker: Artemis, element: Element, whose: str) -> None:
    """Says why an element leads to nobody."""
    ref = element.one("discovery-group-ref")
    if ref is None:
        net.dangles(f"{whose} leads to no other broker", element.place, "give it static-connectors")
    elif _group(broker, element) is None:
        wanted = ref.attributes.get("discovery-group-name", "")
        net.dangles(
            f"{broker.name} has no discovery group {wanted}", ref.place, "add it to the discovery-groups"
        )
    elif len(net.brokers) == 1:
        net.remarks.append(
            common.unread(
                f"{whose} discovers other brokers, and no file of another was given: it leads nowhere here",
                element.place,
                "give the files of all brokers",
            )
        )
    else:
        net.dangles(
            f"{whose} discovers other brokers, and none whose file was given announces itself in its group",
            element.place,
            "let a broadcast-group have the address of the discovery-group, or give the other files",
        )


def _group(broker: Artemis, element: Element) -> Element | None:
    ref = element.one("discovery-group-ref")
    wanted = ref.attributes.get("discovery-group-name", "") if ref else None
    groups = broker.core.all("discovery-groups", "discovery-group")
    return next((each for each in groups if each.attributes.get("name", "") == wanted), None)


def _where(group: Element) -> tuple[str, ...]:
    return tuple(group.said(key) for key in ADDRESS)
