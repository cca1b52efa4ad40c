"""What resources of Skupper 2 say of the routers of sites, in the words of a router's own file.

    Site              a router, which listens for others if it has `linkAccess`; `edge` sites are edge routers
    Link              its connection to another site, at the endpoint of its role, with a cost
    RouterAccess      where it listens besides
    Listener          who wants to reach a service, by its routing key; and Connector, who offers it

A site is called as its namespace is, or else as itself. Resources without a namespace are of the only site
in their file. Whom a link leads to its `status` may tell, or that of the site; else `--host` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from angarium.mesh.files.documents import Part
from angarium.mesh.files.inside import Held
from angarium.mesh.mesh import CARRIES, COPIES, EFFECTS, NOT_UNDERSTOOD, Remark

GROUP = "skupper.io/"
INTER_ROUTER, EDGE = "inter-router", "edge"
PORTS = {INTER_ROUTER: "55671", EDGE: "45671"}
_HARMLESS = frozenset("AccessToken Certificate SecuredAccess AccessGrant AttachedConnector".split())
"""What says how sites log in and are reached."""
Entity = tuple[int, str, dict[str, str]]
"""A line, a kind and attributes, as a router's own file has them."""


def sites(path: Path, resources: Sequence[Part], held: Held) -> list[Path]:
    """One file for each site that resources of one file are about; other files may say what they mean."""
    held.edges.update(_own(each) for each in resources if _is_edge(each))
    held.afterwards.append(lambda: _written(path, resources, held))
    return _written(path, resources, held)


def _written(path: Path, resources: Sequence[Part], held: Held) -> list[Path]:
    alone = {_own(each) for each in resources if each["kind"].text == "Site"}
    found: dict[str, list[Entity]] = {}
    for resource in resources:
        name = resource["metadata"]["namespace"].text or (min(alone) if len(alone) == 1 else "")
        entities = list(_entities(resource, name, resources, held))
        if entities and not name:
            _tell(held, resource, "is of no site that is known", EFFECTS, "Give it metadata.namespace.")
        elif entities:
            found.setdefault(name, []).extend(entities)
    return [
        _held(Path(path, name, "skrouterd.json"), _text(each), name, held) for name, each in found.items()
    ]


def _held(path: Path, text: str, site: str, held: Held) -> Path:
    return held.hold(path, text, "" if path in held.texts else site)


def _own(site: Part) -> str:
    return site["metadata"]["namespace"].text or site["metadata"]["name"].text


def _tell(held: Held, resource: Part, what: str, effects: frozenset[str], remedy: str = "") -> None:
    told = f"{resource['kind'].text} {resource['metadata']['name'].text} of Skupper {what}"
    held.remarks.append(Remark(NOT_UNDERSTOOD, told, remedy, resource.place, effects))


def _text(entities: Sequence[Entity]) -> str:
    """A list of entities, each in its line."""
    text, line = "[", 1
    for number, (at, kind, attributes) in enumerate(sorted(entities, key=lambda each: each[0])):
        text += ("," if number else "") + "\n" * (at - line) + json.dumps([kind, attributes])
        line = max(line, at)
    return text + "]"


def _entities(resource: Part, site: str, all_of_them: Sequence[Part], held: Held) -> Iterator[Entity]:
    kind, spec, line = resource["kind"].text, resource["spec"], resource.place.line
    match kind:
        case "Site":
            yield from _site(resource, site, held)
        case "Link":
            yield from _link(resource, site in held.edges, held)
        case "RouterAccess":
            for role in spec["roles"].items:
                port = role["port"].text or PORTS.get(role["name"].text, "")
                yield line, "listener", {"role": role["name"].text, "host": "0.0.0.0", "port": port}
        case "Listener":
            yield line, "tcpListener", _service(resource)
        case "Connector" | "AttachedConnectorBinding":
            yield line, "tcpConnector", _service(resource)
            if spec["exposePodsByName"].text == "true":
                _tell(held, resource, "exposes pods by their names, too", frozenset((CARRIES, COPIES)))
        case "AccessToken" if not _has_link(resource["metadata"]["name"].text, all_of_them):
            _tell(held, resource, "makes a link that was not given", EFFECTS, "kubectl get links -o yaml")
        case _ if kind not in _HARMLESS:
            _tell(held, resource, "is not looked at", EFFECTS)


def _is_edge(site: Part) -> bool:
    return site["spec"]["edge"].text == "true" or site["spec"]["routerMode"].text == EDGE


def _has_link(name: str, resources: Sequence[Part]) -> bool:
    return any(each["kind"].text == "Link" and each["metadata"]["name"].text == name for each in resources)


def _site(resource: Part, site: str, held: Held) -> Iterator[Entity]:
    spec, line = resource["spec"], resource.place.line
    mode = EDGE if _is_edge(resource) else "interior"
    held.aliases[resource["metadata"]["name"].text] = site
    yield line, "router", {"id": site, "mode": mode}
    if mode != EDGE and spec["linkAccess"].text not in ("", "none"):
        for role, port in PORTS.items():
            yield line, "listener", {"role": role, "host": "0.0.0.0", "port": port}
    for endpoint in resource["status"]["endpoints"].items:
        if endpoint["host"].text:
            held.hosts[endpoint["host"].text.lower()] = site


def _link(resource: Part, from_edge: bool, held: Held) -> Iterator[Entity]:
    role, cost = EDGE if from_edge else INTER_ROUTER, resource["spec"]["cost"].text or "1"
    remote = resource["status"]["remoteSiteName"].text
    endpoints = [each for each in resource["spec"]["endpoints"].items if each["name"].text == role]
    if not endpoints:
        _tell(held, resource, f"has no endpoint {role}", EFFECTS)
    for each in endpoints:
        host, port = each["host"].text, each["port"].text or PORTS[role]
        if remote:
            held.hosts.setdefault(f"{host.lower()}:{port}", remote)
        yield each.place.line, "connector", {"role": role, "host": host, "port": port, "cost": cost}


def _service(resource: Part) -> dict[str, str]:
    name, spec = resource["metadata"]["name"].text, resource["spec"]
    return {"name": name, "address": spec["routingKey"].text, "port": spec["port"].text or "0"}
