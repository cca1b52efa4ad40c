"""MirrorMaker 2 from its own files: mm2.properties, connect-mirror-maker.properties.

    clusters = eu, us
    eu.bootstrap.servers = eu1:9092
    eu->us.enabled = true
    eu->us.topics = orders.*, payments

What is said of a flow counts before what is said of all. A flow runs only if `enabled` is said of it. What
flows do is told in `mirrormaker_flows`. Several files are several MirrorMakers over clusters of the same
aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from angarium.core.errors import MeshError, Place, SettingsError, did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.importers.doors import DROPS_ONLY
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
from angarium.settings.properties import Entry, read_properties

ARROW = "->"
INTERNAL_SEPARATOR = "replication.policy.internal.topic.separator.enabled"

CHANGES_DELIVERY = re.compile(
    r"(?:transforms|predicates|topic\.filter\.class)(?:\..*)?|(?:.*\.)?interceptor\.classes"
)
_DROPPING = re.compile(
    r"errors\.tolerance=all|refresh\.topics\.enabled=false|tasks\.max=0"
    r"|(?:.*\.)?acks=0|(?:.*\.)?auto\.offset\.reset=(?:latest|none)"
)
"""What makes a task pass over what it cannot copy, miss topics that are made later or what new ones have
already, not wait until what it writes is there, or not start."""
UNDERSTOOD = frozenset(
    """clusters enabled topics topics.exclude topics.blacklist replication.policy.class
    replication.policy.separator replication.policy.internal.topic.separator.enabled source.cluster.alias
    target.cluster.alias alias""".split()
)
WITHOUT_EFFECT = re.compile(
    r"(?:consumer|producer|admin|source|target|ssl|sasl|security|refresh|sync|emit|groups|config|offset"
    r"|offset-syncs|status|heartbeats|checkpoints|key|value|header|worker|tasks?|rest|listeners|dedicated|connector"
    r"|errors|client|metadata|retry|reconnect|request|connections|metrics?|max|min|batch|linger|compression|buffer"
    r"|acks|exactly|plugin|offsets|replication\.factor|replication\.policy\.internal|bootstrap|group|name|use"
    r"|internal|socket|send|receive|add|policy|scheduled|rebalance|session|heartbeat|fetch|default|poll|auto|forward"
    r"|consume|provider)(?:[.\-_].*)?"
)
"""Settings of clients, workers and housekeeping: they do not decide which topics go where."""


def recognises(path: Path, text: str) -> bool:
    """Whether a text is MirrorMaker 2's: it has flows, or clusters, and is nothing but properties."""
    flow = re.search(r"^[ \t]*[^#!\s=:]{1,200}->[^\s=:]{1,200}\.[a-z]", text, re.M)
    listed = re.search(r"^[ \t]*clusters[ \t]*[=:]", text, re.M)
    if path.suffix == ".properties":
        return bool(flow or listed)
    return bool(flow and listed) and not re.search(r"^(?!\s*[#!])(?!.*[=:\\])(?=.*\S)", text, re.M)


def take(path: Path, said: Said) -> None:
    """Adds what a file says."""
    _File(path, said).read()


def is_dropping(key: str, value: str) -> bool:
    """Whether a setting is one with which something is not copied, and nobody is told."""
    return _DROPPING.fullmatch(f"{key}={value.strip().lower()}") is not None


def dropping(key: str, value: str, where: Place | None) -> Remark:
    """Of such a setting."""
    return common.not_understood(f"{key} = {value.strip()} can leave messages out", where, "", DROPS_ONLY)


class _File:
    """One MirrorMaker."""

    def __init__(self, path: Path, said: Said) -> None:
        self.path, self.said = path, said
        self.entries = {entry.name: entry for entry in _entries(path)}
        self.aliases: tuple[str, ...] = ()
        self.flows: dict[tuple[str, str], dict[str, Entry]] = {}

    def read(self) -> None:
        self.aliases = self._clusters()
        for name, entry in self.entries.items():
            if ARROW in name:
                self._sort(name, entry)
        for alias in self.aliases:
            given = self.entries.get(f"{alias}.bootstrap.servers")
            servers = servers_of(given.value) if given else frozenset()
            self.said.clusters.append(Kafka(alias, servers, (given or self.entries["clusters"]).place))
            if not given:
                self.said.remarks.append(
                    common.dangling(
                        f"{alias} has no bootstrap servers",
                        self.entries["clusters"].place,
                        f"add {alias}.bootstrap.servers",
                    )
                )
        for (source, target), own in self.flows.items():
            self._flow(source, target, own)
        self.said.remarks += self._strange()

    def _clusters(self) -> tuple[str, ...]:
        entry = self.entries.get("clusters")
        aliases = words_of(entry.value).items if entry else ()
        if not entry or not aliases:
            raise MeshError(
                "ANG121",
                f"{self.path} names no clusters",
                possible="clusters = eu, us",
                remedy="list the aliases of all clusters there",
                place=entry.place if entry else None,
            )
        return tuple(dict.fromkeys(aliases))

    def _sort(self, name: str, entry: Entry) -> None:
        """Puts an entry to the flow that it is about; aliases may have dots."""
        source, _, rest = name.partition(ARROW)
        targets = [alias for alias in self.aliases if rest.startswith(f"{alias}.")]
        target = max(targets, key=len, default="")
        if source not in self.aliases or not target:
            wrong = source if source not in self.aliases else rest.partition(".")[0]
            self.said.remarks.append(
                common.dangling(
                    f"{name} is about a cluster {wrong} that is not there",
                    entry.place,
                    did_you_mean(wrong, self.aliases),
                )
            )
            return
        self.flows.setdefault((source, target), {})[rest[len(target) + 1 :]] = entry

    def _flow(self, source: str, target: str, own: Mapping[str, Entry]) -> None:
        first = next(iter(own.values()))
        enabled = own.get("enabled")
        if not enabled or enabled.value.strip().lower() != "true":
            if not enabled:
                self.said.remarks.append(
                    common.note(
                        f"{source}->{target} is not enabled",
                        first.place,
                        f"{source}->{target}.enabled = true",
                    )
                )
            return
        policy = self._value(own, "replication.policy.class", DEFAULT_POLICY)
        where = self._entry(own, "replication.policy.class")
        self.said.remarks += policy_remarks(policy, where.place if where else None)
        excludes = self._words(own, ("topics.exclude", "topics.blacklist"), DEFAULT_EXCLUDES)
        self.said.flows.append(
            Flow(
                source,
                target,
                self._words(own, ("topics",), (EVERYTHING,)),
                excludes,
                policy,
                self._value(own, "replication.policy.separator", DEFAULT_SEPARATOR),
                enabled.place,
                source_alias=self._alias(own, "source", source),
                target_alias=self._alias(own, "target", target),
                internal_separator=self._value(own, INTERNAL_SEPARATOR, "true").lower() == "true",
            )
        )

    def _alias(self, own: Mapping[str, Entry], end: str, cluster: str) -> str:
        """What topics are called after: as the flow says, or the cluster, or the file, or by its alias.

        So MirrorMaker merges them: settings of a cluster become those of an end of the flow, for instance
        `eu.alias` its `source.cluster.alias` (connectorBaseConfig in Kafka's MirrorMakerConfig.java).
        """
        key = f"{end}.cluster.alias"
        said = (own.get(key), self.entries.get(f"{cluster}.alias"), self.entries.get(key))
        return next((entry.value.strip() for entry in said if entry), cluster)

    def _entry(self, own: Mapping[str, Entry], *keys: str) -> Entry | None:
        said = (each.get(key) for each in (own, self.entries) for key in keys)
        return next((entry for entry in said if entry), None)

    def _value(self, own: Mapping[str, Entry], key: str, default: str) -> str:
        entry = self._entry(own, key)
        return entry.value.strip() if entry else default

    def _words(self, own: Mapping[str, Entry], keys: Sequence[str], default: tuple[str, ...]) -> Words:
        entry = self._entry(own, *keys)
        return words_of(entry.value, entry.value_place) if entry else Words(default)

    def _strange(self) -> Iterator[Remark]:
        """What changes where topics go, or may do so."""
        own = [(key, entry) for flow in self.flows.values() for key, entry in flow.items()]
        others = [(name, entry) for name, entry in self.entries.items() if ARROW not in name]
        for key, entry in [*own, *others]:
            bare = self._without_alias(key)
            if CHANGES_DELIVERY.fullmatch(bare):
                yield common.not_understood(f"{entry.name} can change which topics go where", entry.place)
            elif is_dropping(bare, entry.value):
                yield dropping(entry.name, entry.value, entry.place)
            elif bare not in UNDERSTOOD and not WITHOUT_EFFECT.fullmatch(bare):
                yield common.not_understood(f"{entry.name} is not known here", entry.place)

    def _without_alias(self, key: str) -> str:
        alias = next((each for each in self.aliases if key.startswith(f"{each}.")), None)
        return key[len(alias) + 1 :] if alias else key


def _entries(path: Path) -> list[Entry]:
    try:
        return read_properties(path)
    except SettingsError as error:
        raise MeshError(
            "ANG120", error.what, possible=error.possible, remedy=error.remedy, place=error.place
        ) from None
