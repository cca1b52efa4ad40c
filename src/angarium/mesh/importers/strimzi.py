"""MirrorMaker 2 as Strimzi runs it: Kubernetes resources of the kinds KafkaMirrorMaker2 and KafkaConnector.

Up to v1beta2 clusters are listed by alias, and mirrors name two of them; `connectCluster` must be the target.
Since v1 there is one `spec.target`, and each mirror has a `source`. Both are read. A file may have several
documents, or be a `List` of them; other kinds of resources are remarked. The first MirrorMaker, of the kind
KafkaMirrorMaker, copies under the same names. What flows do is told in `mirrormaker_flows`.

`topicsPattern` is one expression or a list with commas, `.*` if it is not given; the policy stands in the
configuration of the source connector. A KafkaConnector is one connector, see `mirrormaker_connect`; it writes
where the KafkaConnect that its label names has its servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.files.documents import Part, documents, listed
from angarium.mesh.importers import common, mirrormaker_connect
from angarium.mesh.importers.mirrormaker_flows import (
    DEFAULT_EXCLUDES,
    DEFAULT_POLICY,
    DEFAULT_SEPARATOR,
    EVERYTHING,
    IDENTITY_POLICY,
    Flow,
    Kafka,
    Said,
    Words,
    servers_of,
    words_of,
)
from angarium.mesh.mesh import DROPS, EFFECTS, Remark

KIND, FIRST = "KafkaMirrorMaker2", "KafkaMirrorMaker"
CONNECTOR, CONNECT = "KafkaConnector", "KafkaConnect"
ALIASES = frozenset(("source.cluster.alias", "target.cluster.alias"))
IN_SPEC = """version replicas image connectCluster clusters mirrors target resources livenessProbe
    readinessProbe jvmOptions jmxOptions logging clientRackInitImage rack metricsConfig tracing template
    externalConfiguration"""
IN_CLUSTER = """alias bootstrapServers groupId configStorageTopic offsetStorageTopic statusStorageTopic tls
    authentication config"""
IN_MIRROR = """sourceCluster targetCluster source sourceConnector heartbeatConnector checkpointConnector
    topicsPattern topicsBlacklistPattern topicsExcludePattern groupsPattern groupsBlacklistPattern
    groupsExcludePattern"""
IN_CONNECTOR = "tasksMax pause state autoRestart config listOffsets alterOffsets version"
_KINDS = re.compile(
    rf"^[ \t]*(?:-[ \t]+)?[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?(?:{KIND}|{FIRST}|{CONNECTOR})\b", re.M
)
_HARMLESS = frozenset(
    "ConfigMap Secret Namespace ServiceAccount KafkaTopic KafkaNodePool PodMonitor ServiceMonitor".split()
)
"""Kinds that may stand in the same file and change nothing of what is copied."""
_RIGHTS = frozenset(("Kafka", "KafkaUser"))
INTERNAL_SEPARATOR = "replication.policy.internal.topic.separator.enabled"


def recognises(path: Path, text: str) -> bool:
    """Whether a text has a resource of these kinds, in one of its documents."""
    return bool(_KINDS.search(text))


def take(path: Path, said: Said) -> None:
    """Adds what a file says, if it has such a resource."""
    resources = [each for part in documents(path, common.text_of(path)) for each in listed(part)]
    workers = {
        each["metadata"]["name"].text: each["spec"]["bootstrapServers"].text
        for each in resources
        if each["kind"].text == CONNECT
    }
    found = [_resource(part, workers, said) for part in resources]
    if not any(found):
        raise MeshError(
            "ANG121",
            f"{path} has no resource of the kind {KIND}",
            possible=f"kind: {KIND}, kind: {CONNECTOR}",
            remedy="give the file of a MirrorMaker 2 as Strimzi runs it",
        )


def _resource(document: Part, workers: Mapping[str, str], said: Said) -> bool:
    """Takes what one document says; whether it is of our kind."""
    match document["kind"].text:
        case "KafkaMirrorMaker2":
            said.remarks += [*_at_rest(document), *_unknown(document["spec"], IN_SPEC, "the spec")]
            _mirrors(document["spec"], said)
        case "KafkaConnector":
            mirrormaker_connect.resource(document, workers, said)
        case "KafkaMirrorMaker":
            _first_version(document, said)
        case "KafkaConnect":
            said.remarks += [*_at_rest(document), *mirrormaker_connect.strange(document["spec"]["config"])]
            return False
        case kind:
            if kind not in _HARMLESS:
                what = f"a resource of {kind or 'no kind'} is not looked at"
                effects = frozenset((DROPS,)) if kind in _RIGHTS else EFFECTS
                said.remarks.append(common.not_understood(what, document.place, "", effects))
            return False
    return True


def _mirrors(spec: Part, said: Said) -> None:
    target = _cluster(spec["target"], said) if spec["target"].node else ""
    for part in spec["clusters"].items:
        _cluster(part, said)
    mirrors = spec["mirrors"].items
    if not mirrors:
        said.remarks.append(common.dangling("there are no mirrors: nothing is copied", spec.place))
    for mirror in mirrors:
        _mirror(mirror, spec, target, said)


def _first_version(document: Part, said: Said) -> None:
    """MirrorMaker 1 copies under the same names; its clusters have no aliases but their servers."""
    spec, ends = document["spec"], []
    for key in ("consumer", "producer"):
        part = spec[key]["bootstrapServers"]
        host = part.text.partition(",")[0].rpartition(":")[0].strip()
        if not host:
            what = f"{key} has no bootstrapServers"
            possible, remedy = "bootstrapServers: HOST:PORT", "give the servers of both clusters"
            raise MeshError("ANG121", what, possible=possible, remedy=remedy, place=spec[key].place)
        ends.append(host)
        said.clusters.append(Kafka(host, servers_of(part.text), part.place))
    source, target = ends
    topics = _words(spec.first("include", "whitelist"), (EVERYTHING,))
    place = document.place
    said.flows.append(Flow(source, target, topics, Words(()), IDENTITY_POLICY, DEFAULT_SEPARATOR, place))


def _cluster(part: Part, said: Said) -> str:
    """Takes a cluster, and gives its alias."""
    alias = part["alias"].text
    if not alias:
        raise MeshError(
            "ANG121",
            "a cluster has no alias",
            possible="alias: eu",
            remedy="give every cluster an alias of its own",
            place=part.place,
        )
    said.clusters.append(Kafka(alias, servers_of(part["bootstrapServers"].text), part["alias"].place))
    said.remarks += [
        *_unknown(part, IN_CLUSTER, f"cluster {alias}"),
        *mirrormaker_connect.strange(part["config"]),
    ]
    return alias


def _mirror(mirror: Part, spec: Part, target: str, said: Said) -> None:
    own = mirror["source"]
    source = _cluster(own, said) if own.node else mirror["sourceCluster"].text
    to = target or mirror["targetCluster"].text
    said.remarks += _misplaced(spec["connectCluster"], to)
    connector = mirror["sourceConnector"]
    if not connector.node:
        said.remarks.append(
            common.dangling(f"{source}->{to} has no sourceConnector: nothing is copied", mirror.place)
        )
        return
    if stopped := mirrormaker_connect.stopped(_state(connector), connector["config"]):
        what = f"{source}->{to} is {stopped}: it copies nothing until that is changed"
        said.remarks.append(common.note(what, mirror.place))
        return
    config = connector["config"]
    said.remarks += [*_strange(config), *_unknown(mirror, IN_MIRROR, f"mirror {source}->{to}")]
    said.remarks += _unknown(connector, IN_CONNECTOR, f"the sourceConnector of {source}->{to}")
    separator = config["replication.policy.separator"]
    said.flows.append(
        Flow(
            source,
            to,
            _words(mirror["topicsPattern"], (EVERYTHING,)),
            _words(mirror.first("topicsExcludePattern", "topicsBlacklistPattern"), DEFAULT_EXCLUDES),
            config["replication.policy.class"].text or DEFAULT_POLICY,
            separator.text if separator.node else DEFAULT_SEPARATOR,
            mirror.place,
            spec["connectCluster"].text,
            internal_separator=(config[INTERNAL_SEPARATOR].text or "true").lower() == "true",
        )
    )


def _state(part: Part) -> str:
    """Whether a connector is to run, as both versions of the resources say it."""
    return "paused" if part["pause"].text == "true" else part["state"].text


def _misplaced(connects: Part, target: str) -> Iterator[Remark]:
    """Connectors write to the cluster that Connect itself runs with, whatever their target is called."""
    if connects.node and connects.text != target:
        yield common.dangling(
            f"connectCluster is {connects.text}, but a mirror has the target {target}: what it copies is "
            f"written to {connects.text}",
            connects.place,
            "MirrorMaker has to run in the target cluster: one resource for each target",
        )


def _strange(config: Part) -> Iterator[Remark]:
    """What the connector may do besides; Strimzi itself says what clusters are called."""
    yield from mirrormaker_connect.strange(config)
    for key in ALIASES & set(config.keys):
        yield common.not_understood(f"{key} can change which topics go where", config[key].place)


def _unknown(part: Part, known: str, whose: str) -> Iterator[Remark]:
    """Keys of a resource that nobody here knows."""
    for key, value in part.entries:
        if key not in known.split():
            yield common.not_understood(f"{key} of {whose} is not known here", value.place)


def _at_rest(document: Part) -> Iterator[Remark]:
    """What keeps the operator from doing what the resource says, or Connect from running."""
    paused = document["metadata"]["annotations"]["strimzi.io/pause-reconciliation"]
    if paused.text == "true":
        yield common.not_understood("the operator is paused: what runs may be otherwise", paused.place)
    replicas = document["spec"]["replicas"]
    if replicas.text == "0":
        what = "replicas is 0: nothing is copied until that is changed, here it is"
        yield common.not_understood(what, replicas.place, effects=frozenset((DROPS,)))


def _words(part: Part, default: tuple[str, ...]) -> Words:
    return words_of(part.text, part.place) if part.node else Words(default)
