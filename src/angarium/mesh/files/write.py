"""A mesh as a mesh file, which reads back as the same mesh.

What has its default is left out, and two links that are the directions of one cable are written as one entry,
so that a file which came from a broker's configuration is one that a person goes on with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from angarium.core.errors import MeshError
from angarium.mesh.distributions import KINDS, Failing, Part
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.scalars import written
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.files.yaml_remarks import USUAL_EFFECTS
from angarium.mesh.mesh import (
    FORWARD,
    TABLES,
    Broker,
    Link,
    Mesh,
    Pattern,
    Publisher,
    Remark,
    Rename,
    Routing,
    SharedRisk,
    Subscriber,
)
from angarium.mesh.remarks import numbered

_USUAL: dict[str, object] = {
    "cost": 1,
    "latency": "0 ms",
    "rate": None,
    "capacity": None,
    "accepts": [],
    "refuses": [],
    "hop-limit": None,
    "counts": True,
    "avoids-visited": False,
    "kind": "link",
    "not-after": [],
    "shares": "",
    "buffering": "kept",
    "failover": "",
    "rank": 0,
    "takes-over": "0 ms",
}
"""What a link is where its entry says nothing."""


def written_mesh(mesh: Mesh) -> str:
    """The text of a mesh file."""
    dialect = Counter(broker.dialect for broker in mesh.brokers).most_common(1)[0][0]
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    lines = [f"mesh: {written(mesh.name)}"]
    lines += [f"dialect: {written(dialect)}"] if dialect != "plain" else []
    lines += _routing(mesh.routing)
    lines += ["brokers:", *(_broker(broker, dialect) for broker in mesh.brokers)]
    lines += _section("links", [f"- {item}" for item in link_items(mesh.links, dialects)])
    lines += _section("publishers", [_publisher(each, dialects) for each in mesh.publishers])
    lines += _section("subscribers", [_subscriber(each, dialects) for each in mesh.subscribers])
    lines += _tables(mesh.routing)
    lines += _section("shared-risks", [_shared_risk(each) for each in mesh.shared_risks])
    lines += _section("remarks", [f"- {written(_remark(each))}" for each in mesh.remarks])
    taken = [number for number, each in numbered(mesh) if each.taken]
    lines += [f"assume: {written(taken)}"] if taken else []
    return "\n".join(lines) + "\n"


def readable(mesh: Mesh) -> str:
    """The text of a mesh file, if it can be read again: brokers may have names that a mesh file cannot."""
    text = written_mesh(mesh)
    try:
        mesh_of(source_of("the mesh file", text))
    except MeshError as problem:
        raise MeshError(
            "ANG121",
            f"this mesh cannot be written as a mesh file: {problem.what}",
            possible=problem.possible,
            remedy="correct it in the brokers' own configuration",
        ) from None
    return text


def _section(key: str, lines: Sequence[str]) -> list[str]:
    return [f"{key}:", *(f"  {line}" for line in lines)] if lines else []


def _routing(routing: Routing) -> list[str]:
    more: dict[str, object] = {}
    if not routing.rerouted:
        more["rerouted"] = False
    if routing.hop_limit is not None:
        more["hop-limit"] = routing.hop_limit
    if more:
        return [f"routing: {written({'kind': routing.kind, **more})}"]
    return [] if routing.kind == FORWARD else [f"routing: {routing.kind}"]


def _broker(broker: Broker, dialect: str) -> str:
    said: dict[str, object] = {}
    if broker.dialect != dialect:
        said["dialect"] = broker.dialect
    if broker.latency or broker.varying:
        said["latency"] = _latency(broker)
    said |= _failing(broker.failing)
    if broker.identity:
        said["identity"] = broker.identity
    if broker.substitute is not None:
        said["substitute"] = broker.substitute
    return f"  {written(broker.name)}:" + (f" {written(said)}" if said else "")


def link_items(links: Sequence[Link], dialects: dict[str, str]) -> Iterator[str]:
    """Each link, or two that are the directions of one, as an item of the list `links`."""
    cables, names = Counter(link.cable for link in links), {link.name for link in links}
    position = 0
    while position < len(links):
        pair = links[position : position + 2]
        alone = cables[pair[0].cable] == 2 and pair[0].cable not in names
        both = len(pair) == 2 and alone and _are_directions(pair[0], pair[1], dialects)
        yield _both_ways(pair[0], dialects) if both else _one_way(pair[0], dialects)
        position += 2 if both else 1


def _are_directions(one: Link, other: Link, dialects: dict[str, str]) -> bool:
    """Whether two links are just what one entry for both ways makes."""
    if one.source == one.target or one.rename or one.connection not in ("", one.cable) or not one.cable:
        return False
    back = replace(one, name=other.name, source=one.target, target=one.source)
    ends = f"{one.source}->{one.target}", f"{one.target}->{one.source}"
    prefix = "" if one.cable == f"{one.source}-{one.target}" else f"{one.cable}:"
    same_dialect = dialects[one.source] == dialects[one.target] or not (one.accepts or one.refuses)
    return back == other and same_dialect and (one.name, other.name) == (prefix + ends[0], prefix + ends[1])


def _both_ways(link: Link, dialects: dict[str, str]) -> str:
    usual = link.cable == f"{link.source}-{link.target}"
    said = _rules(link, dialects)
    if not link.connection:
        said["echoes"] = True
    short = f"{link.source} - {link.target}"
    if usual and not said and _is_simple(link, short):
        return written(short)
    named: dict[str, object] = {} if usual else {"name": link.cable}
    return written({"between": [link.source, link.target], **named, **said})


def _one_way(link: Link, dialects: dict[str, str]) -> str:
    usual = link.name == f"{link.source}->{link.target}"
    said: dict[str, object] = {} if usual else {"name": link.name}
    said |= {key: value for key, value in (("cable", link.cable), ("connection", link.connection)) if value}
    said |= _rules(link, dialects)
    if link.rename:
        said["rename"] = _rename(link.rename)
    short = f"{link.source} -> {link.target}"
    if not said and _is_simple(link, short):
        return written(short)
    return written({"from": link.source, "to": link.target, **said})


def _is_simple(link: Link, short: str) -> bool:
    """Whether the short form is read as these two brokers."""
    blanks = any(name != name.strip() for name in (link.source, link.target))
    return not blanks and sum(short.count(arrow) for arrow in (" - ", " -> ")) == 1


def _rules(link: Link, dialects: dict[str, str]) -> dict[str, object]:
    """What differs from the defaults, by key."""
    said = {
        "cost": link.cost,
        "latency": _latency(link),
        "rate": None if link.rate is None else _rate(link.rate),
        "capacity": link.capacity,
        "accepts": _patterns(link.accepts, dialects[link.source]),
        "refuses": _patterns(link.refuses, dialects[link.source]),
        "hop-limit": link.hop_limit,
        "counts": link.counts,
        "avoids-visited": link.avoids_visited,
        "kind": link.kind,
        "not-after": sorted(link.not_after),
        "shares": link.shares,
        "buffering": link.buffering,
        "failover": link.failover,
        "rank": link.rank,
        "takes-over": _time(link.takes_over),
    }
    return {key: value for key, value in said.items() if value != _USUAL[key]} | _failing(link.failing)


def _rename(rename: Rename) -> object:
    pairs = {"strip": rename.strip, "add": rename.add}
    said: dict[str, object] = {key: value for key, value in pairs.items() if value}
    others = {"to": rename.whole, "scope": rename.scope}
    return said | {key: value for key, value in others.items() if value is not None}


def _patterns(patterns: Sequence[Pattern], dialect: str) -> list[object]:
    return [_pattern(pattern, dialect) for pattern in patterns]


def _pattern(pattern: Pattern, dialect: str) -> object:
    said: dict[str, object] = {} if pattern.dialect == dialect else {"dialect": pattern.dialect}
    if pattern.scope:
        said["scope"] = pattern.scope
    return {"pattern": pattern.text, **said} if said else pattern.text


def _publisher(publisher: Publisher, dialects: dict[str, str]) -> str:
    topics = _patterns(publisher.topics, dialects[publisher.broker])
    return f"{written(publisher.name)}: {written({'at': publisher.broker, 'topics': topics})}"


def _subscriber(subscriber: Subscriber, dialects: dict[str, str]) -> str:
    topics = _patterns(subscriber.topics, dialects[subscriber.broker])
    said: dict[str, object] = {"at": subscriber.broker, "topics": topics}
    if subscriber.latency_bound is not None:
        said["within"] = _time(subscriber.latency_bound)
    if subscriber.shares:
        said["shares"] = subscriber.shares
    return f"{written(subscriber.name)}: {written(said)}"


def _tables(routing: Routing) -> list[str]:
    if routing.kind != TABLES:
        return []
    rows = [f"{written(broker)}: {written(dict(table))}" for broker, table in routing.tables.items()]
    return _section("tables", rows) or ["tables: {}"]


def shared_risk_parts(risk: SharedRisk) -> dict[str, object]:
    """What a shared risk kills, by key."""
    parts = {"links": list(risk.cables), "brokers": list(risk.brokers)}
    return {key: names for key, names in parts.items() if names} | _failing(risk.failing)


def _shared_risk(risk: SharedRisk) -> str:
    return f"{written(risk.name)}: {written(shared_risk_parts(risk))}"


def _remark(remark: Remark) -> object:
    said: dict[str, object] = {"kind": remark.kind, "what": remark.what}
    if remark.remedy:
        said["remedy"] = remark.remedy
    if remark.place:
        said["at"] = str(remark.place)
    if remark.effects != USUAL_EFFECTS.get(remark.kind, frozenset()):
        said["effects"] = sorted(remark.effects)
    if remark.brokers:
        said["brokers"] = list(remark.brokers)
    return said


def _rate(kilobits: float) -> str:
    return f"{kilobits!r} kbit/s".replace(".0 ", " ")


def _latency(where: Broker | Link) -> object:
    if where.varying is None:
        return _time(where.latency)
    return {part.kind: _times(part) for part in where.varying.parts}


def _times(part: Part) -> object:
    times = [_time(time) for time in (part.first, part.second)[: KINDS[part.kind]]]
    return times if len(times) > 1 else times[0]


def _failing(failing: Failing | None) -> dict[str, object]:
    return {"mtbf": _hours(failing.mtbf), "mttr": _hours(failing.mttr)} if failing else {}


def _hours(hours: float) -> str:
    return f"{hours!r} h".replace(".0 ", " ")


def _time(milliseconds: float) -> str:
    return f"{milliseconds:g} ms" if float(f"{milliseconds:g}") == milliseconds else f"{milliseconds!r} ms"
