"""MirrorMaker 2 as connectors of Kafka Connect: JSON of its REST interface, and Strimzi's KafkaConnector.

    {"name": "eu-us", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
     "source.cluster.alias": "eu", "target.cluster.alias": "us", "topics": "orders.*"}}

A configuration alone is read, too, and lists of them, and what `GET /connectors?expand=info&expand=status`
answers. Each MirrorSourceConnector is one flow; what flows do is told in `mirrormaker_flows`. Two things are
not as in files of properties. A connector is enabled unless it says otherwise (MirrorConnectorConfig.java),
and what it reads is written by the worker that it runs in, so it goes to the cluster of that Connect: to the
target only if they are the same, whatever `target.cluster.bootstrap.servers` says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.files.documents import Part, documents
from angarium.mesh.importers import common
from angarium.mesh.importers.mirrormaker_flows import (
    DEFAULT_EXCLUDES,
    DEFAULT_POLICY,
    DEFAULT_SEPARATOR,
    EVERYTHING,
    Flow,
    Kafka,
    Said,
    Words,
    policy_remarks,
    servers_of,
    words_of,
)
from angarium.mesh.importers.mirrormaker_properties import (
    CHANGES_DELIVERY,
    INTERNAL_SEPARATOR,
    UNDERSTOOD,
    WITHOUT_EFFECT,
    dropping,
    is_dropping,
)
from angarium.mesh.mesh import CARRIES, Remark

CLASS = "connector.class"
MIRROR = "MirrorSourceConnector"
HOUSEKEEPING = ("MirrorCheckpointConnector", "MirrorHeartbeatConnector")
"""They copy offsets of groups, and send signs of life: no messages of anybody."""
TARGET_ALIAS = "target"
"""What the target is called if nothing says so; the source has no such default."""
_JSON = re.compile(r"\s*[{\[]")
_SLASH = re.compile(r"(\\\\)|\\/")


@dataclass(frozen=True, slots=True)
class Connector:
    """One connector, whichever form says so."""

    name: str
    called: Part
    """Its class."""
    config: Part
    state: str = ""


def recognises(text: str) -> bool:
    """Whether a text is JSON that configures connectors."""
    if not _JSON.match(text) or f'"{CLASS}"' not in text or len(text) > common.PARSED:
        return False
    try:
        return bool(_JSON.match(json.dumps(json.loads(text))))
    except (RecursionError, ValueError):
        return False


def take(path: Path, said: Said) -> None:
    """Adds what a file of JSON says."""
    text = _SLASH.sub(lambda found: found[1] or "/", common.text_of(path)).replace("\t", " ")
    found = [each for part in documents(path, text) for each in _connectors(part)]
    if not found:
        raise MeshError(
            "ANG121",
            f"{path} has no connector",
            possible=f'"{CLASS}": "org.apache.kafka.connect.mirror.{MIRROR}"',
            remedy="give what creates connectors, or what /connectors?expand=info answers",
        )
    for connector in found:
        take_connector(connector, "", said)


def _connectors(part: Part, name: str = "", state: str = "") -> Iterator[Connector]:
    """The connectors in a value of JSON: a configuration, what has one, or several of these."""
    name, config = part["name"].text or name, part["config"]
    state = part["status"]["connector"]["state"].text or part["initial_state"].text or state
    if part[CLASS].node:
        yield Connector(name or "a connector", part[CLASS], part, state)
    elif config[CLASS].node:
        yield Connector(name or config["name"].text or "a connector", config[CLASS], config, state)
    elif part["info"].node:
        yield from _connectors(part["info"], name, state)
    else:
        for key, each in [*part.entries, *(("", item) for item in part.items)]:
            yield from _connectors(each, key)


def resource(part: Part, workers: Mapping[str, str], said: Said) -> None:
    """Takes a KafkaConnector of Strimzi; `workers` are the servers of each KafkaConnect that is given."""
    spec, of = part["spec"], part["metadata"]["labels"]["strimzi.io/cluster"].text
    state = "paused" if spec["pause"].text == "true" else spec["state"].text
    name = part["metadata"]["name"].text
    take_connector(Connector(name, spec["class"], spec["config"], state), workers.get(of, ""), said)


def take_connector(connector: Connector, workers: str, said: Said) -> None:
    """Takes one connector, whose Connect writes to these servers, if that is known."""
    called = connector.called.text.rpartition(".")[2]
    if called in HOUSEKEEPING:
        return
    if called not in (MIRROR, "MirrorSource"):
        what = f"{connector.name} is a {called or 'connector without a class'}, which is not looked at"
        said.remarks.append(
            common.not_understood(what, connector.called.place, effects=frozenset((CARRIES,)))
        )
        return
    _flow(connector, workers, said)


def _flow(connector: Connector, workers: str, said: Said) -> None:
    config = connector.config
    source, target = _cluster(connector, "source", said), _cluster(connector, "target", said)
    why = stopped(connector.state, connector.config)
    if why:
        what = f"{connector.name} ({source}->{target}) is {why}: it copies nothing until that is changed"
        said.remarks.append(common.note(what, connector.called.place))
        return
    said.remarks += strange(config)
    separator = config["replication.policy.separator"]
    aliases = [config[f"{end}.cluster.alias"] for end in ("source", "target")]
    said.flows.append(
        Flow(
            source,
            target,
            _words(config["topics"], (EVERYTHING,)),
            _words(config.first("topics.exclude", "topics.blacklist"), DEFAULT_EXCLUDES),
            config["replication.policy.class"].text or DEFAULT_POLICY,
            separator.text if separator.node else DEFAULT_SEPARATOR,
            connector.called.place,
            _written_to(connector, target, workers, said),
            source_alias=aliases[0].text.strip(),
            target_alias=aliases[1].text.strip() if aliases[1].node else TARGET_ALIAS,
            internal_separator=(config[INTERNAL_SEPARATOR].text or "true").lower() == "true",
        )
    )


def _cluster(connector: Connector, end: str, said: Said) -> str:
    """Takes the cluster at one end, and gives its name."""
    alias, servers = (connector.config[f"{end}.cluster.{key}"] for key in ("alias", "bootstrap.servers"))
    if end == "source" and not alias.node:
        raise MeshError(
            "ANG121",
            f"{connector.name} has no source.cluster.alias",
            possible='"source.cluster.alias": "eu"',
            remedy="MirrorSourceConnector does not start without: say what copies are called after",
            place=connector.called.place,
        )
    name = _name(alias, servers, said)
    said.clusters.append(Kafka(name, servers_of(servers.text), (alias if alias.node else servers).place))
    if not servers.text.strip():
        what = f"{connector.name} does not say where {name} is"
        said.remarks.append(
            common.dangling(what, connector.called.place, f"add {end}.cluster.bootstrap.servers")
        )
    return name


def _name(alias: Part, servers: Part, said: Said) -> str:
    """What a cluster is called: its alias, unless that is another one's: each connector has its own aliases.

    Then who has its servers tells; if nobody has, it may be either, so nothing that depends on it is known.
    """
    called, at = alias.text.strip(), servers_of(servers.text)
    others = [each for each in said.clusters if each.alias == called and each.bootstrap and at]
    if called and (not others or any(each.bootstrap & at for each in others)):
        return called
    known = next((each.alias for each in said.clusters if each.bootstrap & at), "")
    name = known or _first_host(servers.text) or TARGET_ALIAS
    if others and not known:
        what = f"{called} has other bootstrap servers here: whether it is another cluster is not known"
        remedy = f"It is taken to be {name}; if it is the same, name one of the same servers in both."
        said.remarks.append(common.not_understood(what, servers.place, remedy))
    return name


def _first_host(servers: str) -> str:
    return next((each.rpartition(":")[0] or each for each in words_of(servers).items), "")


def stopped(state: str, config: Part) -> str:
    """What keeps a connector from running, if something does."""
    disabled = config["enabled"].text.strip().lower() == "false"
    return state.lower() if state.lower() in ("paused", "stopped") else "not enabled" if disabled else ""


def _written_to(connector: Connector, target: str, workers: str, said: Said) -> str:
    """The cluster that Connect writes to, if it is known not to be the target."""
    override = connector.config["producer.override.bootstrap.servers"]
    servers = servers_of(override.text or workers)
    if not servers:
        what = f"the Connect that runs {connector.name} is taken to have {target} for its own cluster"
        remedy = "Connectors write to the cluster of their Connect: see bootstrap.servers of its workers."
        said.remarks.append(common.assumed(what, connector.called.place, remedy))
        return ""
    if servers & servers_of(connector.config["target.cluster.bootstrap.servers"].text):
        return ""
    there = _first_host(",".join(sorted(servers)))
    there = next((each.alias for each in said.clusters if each.bootstrap & servers), there)
    said.clusters.append(Kafka(there, servers, connector.called.place))
    what = f"{connector.name} has the target {target}, but its Connect writes to {there}"
    said.remarks.append(common.dangling(what, connector.called.place, f"run it in a Connect of {target}"))
    return there


def strange(config: Part) -> Iterator[Remark]:
    """What changes where topics go, or may do so."""
    policy = config["replication.policy.class"]
    yield from policy_remarks(policy.text or DEFAULT_POLICY, policy.place)
    for key, part in config.entries:
        if CHANGES_DELIVERY.fullmatch(key):
            yield common.not_understood(f"{key} can change which topics go where", part.place)
        elif is_dropping(key, part.text):
            yield dropping(key, part.text, part.place)
        elif key not in UNDERSTOOD and not WITHOUT_EFFECT.fullmatch(key):
            yield common.not_understood(f"{key} is not known here", part.place)


def _words(part: Part, default: tuple[str, ...]) -> Words:
    return words_of(part.text, part.place) if part.node else Words(default)
