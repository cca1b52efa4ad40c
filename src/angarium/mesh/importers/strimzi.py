"""MirrorMaker 2 as Strimzi runs it: Kubernetes resources of the kind KafkaMirrorMaker2.

Up to v1beta2 clusters are listed by alias, and mirrors name two of them; `connectCluster` must be the target.
Since v1 there is one `spec.target`, and each mirror has a `source`. Both are read. A file may have several
documents; other kinds of resources are remarked. What flows do is told in `mirrormaker_flows`.

`topicsPattern` is one expression or a list with commas, `.*` if it is not given; the policy stands in the
configuration of the source connector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from angarium.errors import MeshError, Place
from angarium.mesh.files.nodes import Items, Node, Source, Table, Text, parsed, source_of
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
from angarium.mesh.mesh import Remark

KIND = "KafkaMirrorMaker2"
MOST_DOCUMENTS = 200
LARGEST = 4_000_000
"""Characters. Kubernetes itself takes no resource larger than about a million."""
_BETWEEN = re.compile(r"^---.*$\n?", re.M)
_SAYS_SOMETHING = re.compile(r"^[ \t]*[^#\s]", re.M)
_CHANGES = ("transforms", "predicates", "topic.filter.class", "source.cluster.alias", "target.cluster.alias")
INTERNAL_SEPARATOR = "replication.policy.internal.topic.separator.enabled"


@dataclass(frozen=True, slots=True)
class _Part:
    """A node and the file that it is of; asking for what is not there gives nothing."""

    node: Node | None
    source: Source
    around: Place

    @property
    def place(self) -> Place:
        return self.source.place(self.node) if self.node else self.around

    @property
    def text(self) -> str:
        return self.node.text if isinstance(self.node, Text) else ""

    @property
    def items(self) -> list[_Part]:
        items = self.node.items if isinstance(self.node, Items) else []
        return [_Part(item, self.source, self.place) for item in items]

    @property
    def keys(self) -> list[str]:
        return [key.text for key, _ in self.node.entries] if isinstance(self.node, Table) else []

    def __getitem__(self, wanted: str) -> _Part:
        entries = self.node.entries if isinstance(self.node, Table) else []
        found = next((value for key, value in entries if key.text == wanted), None)
        return _Part(found, self.source, self.place)

    def first(self, *keys: str) -> _Part:
        return next((self[key] for key in keys if self[key].node), self[keys[0]])


def recognises(path: Path, text: str) -> bool:
    """Whether a text has a resource of this kind, in one of its documents."""
    return bool(re.search(rf"^kind:[ \t]*[\"']?{KIND}\b", text, re.M))


def take(path: Path, said: Said) -> None:
    """Adds what a file says, if it has such a resource."""
    found = [_resource(part, said) for part in _documents(path)]
    if not any(found):
        raise MeshError(
            "ANG121",
            f"{path} has no resource of the kind {KIND}",
            possible=f"kind: {KIND}",
            remedy="give the file of a MirrorMaker 2 as Strimzi runs it",
        )


def _documents(path: Path) -> Iterator[_Part]:
    """The documents of a file; empty lines stand for what is before each, so that lines keep numbers."""
    text = common.text_of(path)
    starts = [0, *(found.end() for found in _BETWEEN.finditer(text)), len(text)]
    if len(starts) > MOST_DOCUMENTS + 2 or len(text) > LARGEST:
        raise MeshError(
            "ANG125",
            f"{path} has more than {MOST_DOCUMENTS} documents or {LARGEST:,} characters",
            remedy="give a file with only the resources of MirrorMaker",
        )
    ends = [*(found.start() for found in _BETWEEN.finditer(text)), len(text)]
    for start, end in zip(starts[:-1], ends, strict=True):
        body = text[start:end]
        if body.strip() and not all(
            line.lstrip().startswith("#") for line in body.split("\n") if line.strip()
        ):
            source = source_of(str(path), "\n" * text.count("\n", 0, start) + body)
            yield _Part(parsed(source), source, source.at(1, 1))


def _resource(document: _Part, said: Said) -> bool:
    """Takes what one document says; whether it is of our kind."""
    kind = document["kind"]
    if kind.text != KIND:
        what = kind.text or "no kind"
        said.remarks.append(common.not_understood(f"a resource of {what} is not looked at", document.place))
        return False
    spec = document["spec"]
    target = _cluster(spec["target"], said) if spec["target"].node else ""
    for part in spec["clusters"].items:
        _cluster(part, said)
    mirrors = spec["mirrors"].items
    if not mirrors:
        said.remarks.append(common.dangling("there are no mirrors: nothing is copied", spec.place))
    for mirror in mirrors:
        _mirror(mirror, spec, target, said)
    return True


def _cluster(part: _Part, said: Said) -> str:
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
    return alias


def _mirror(mirror: _Part, spec: _Part, target: str, said: Said) -> None:
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
    config = connector["config"]
    said.remarks += _strange(config)
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


def _misplaced(connects: _Part, target: str) -> Iterator[Remark]:
    """Connectors write to the cluster that Connect itself runs with, whatever their target is called."""
    if connects.node and connects.text != target:
        yield common.dangling(
            f"connectCluster is {connects.text}, but a mirror has the target {target}: what it copies is "
            f"written to {connects.text}",
            connects.place,
            "MirrorMaker has to run in the target cluster: one resource for each target",
        )


def _strange(config: _Part) -> Iterator[Remark]:
    policy = config["replication.policy.class"]
    yield from policy_remarks(policy.text or DEFAULT_POLICY, policy.place)
    for key in config.keys:
        if key.startswith(_CHANGES):
            yield common.not_understood(f"{key} can change which topics go where", config[key].place)


def _words(part: _Part, default: tuple[str, ...]) -> Words:
    return words_of(part.text, part.place) if part.node else Words(default)
