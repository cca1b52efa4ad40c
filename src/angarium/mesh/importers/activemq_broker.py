"""One broker of ActiveMQ Classic as its activemq.xml says, and what there is not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.importers import common
from angarium.mesh.importers.activemq_uri import address
from angarium.mesh.importers.artemis_xml import Element, read_xml
from angarium.mesh.importers.doors import Door
from angarium.mesh.mesh import DROPS, EFFECTS, Pattern, Remark

DIALECT = "amqp"
LISTS = ("dynamicallyIncludedDestinations", "staticallyIncludedDestinations", "excludedDestinations")
READ = frozenset("networkConnectors transportConnectors destinations destinationPolicy plugins".split())
UNCHANGED = frozenset(
    """persistenceAdapter persistenceFactory managementContext sslContext systemUsage shutdownHooks locker
    ioExceptionHandler tempDataStore memoryManager jobSchedulerStore taskRunnerFactory""".split()
)
"""Elements of a broker that do not decide where messages go."""
ATTRIBUTES = frozenset(
    """brokerName brokerId id useJmx persistent dataDirectory tmpDataDirectory schedulerDirectory
    schedulerSupport useShutdownHook deleteAllMessagesOnStartup populateJMSXUserID enableStatistics
    keepDurableSubsActive useLoggingForShutdownErrors splitSystemUsageForProducersConsumers lang
    consumerSystemUsagePortion producerSystemUsagePortion systemExitOnShutdown taskRunnerPriority
    dedicatedTaskRunner cacheTempDestinations timeBeforePurgeTempDestinations offlineDurableSubscriberTimeout
    offlineDurableSubscriberTaskSchedule monitorConnectionSplits maxPurgedDestinationsPerSweep restartAllowed
    schedulePeriodForDestinationPurge startAsync networkConnectorStartAsync vmConnectorURI useVirtualTopics
    useAuthenticatedPrincipalForJMSXUserID storeOpenWireVersion adjustUsageLimits xmlns depends-on""".split()
)
USUALLY_TRUE = frozenset(("advisorySupport", "start"))
"""Attributes that matter if they are false: without advisories, brokers do not hear who wants what."""
NAMED = frozenset(
    """simpleAuthenticationPlugin jaasAuthenticationPlugin jaasCertificateAuthenticationPlugin
    jaasDualAuthenticationPlugin""".split()
)
IDLE_PLUGINS = frozenset(("loggingBrokerPlugin", "statisticsBrokerPlugin", "runtimeConfigurationPlugin"))
DROPPING = frozenset(("authorizationPlugin", "timeStampingBrokerPlugin", "discardingDLQBrokerPlugin"))
HARMLESS_BEANS = re.compile(r"(?i)placeholder|logquery|jetty|datasource|jaas|credential|encrypt|environment")


@dataclass(frozen=True, slots=True)
class Classic:
    """One broker."""

    name: str
    path: Path
    element: Element
    doors: tuple[Door, ...]
    groups: frozenset[str]
    """Multicast groups in which it announces itself."""
    remarks: tuple[Remark, ...]


def read_broker(files: common.Files) -> Classic:
    """The broker of a file; `localhost`, which it is called if nobody says more, tells no broker apart."""
    path = files.paths[0]
    root = read_xml(path)
    found = [root] if root.name == "broker" else list(root.all("broker"))
    if not found:
        raise MeshError(
            "ANG121",
            f"{path} has no broker",
            possible="<beans><broker>…</broker></beans>",
            remedy="give the activemq.xml of a broker",
            place=root.place,
        )
    said = found[0].said("brokerName")
    name = files.called("" if "${" in said or common.HERE.fullmatch(said) else said)
    at = list(found[0].all("transportConnectors", "transportConnector"))
    addresses = [each for each in (address(each.said("uri")) for each in at) if each]
    return Classic(
        name,
        path,
        found[0],
        tuple(Door(each.port, each.host, each.secure) for each in addresses),
        frozenset(each.said("discoveryUri").partition(":")[2].strip("/").partition("?")[0] for each in at)
        - {""},
        (*_beside(root, name), *_strange(found[0], name)),
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """What a list of destinations says: its topics, and whether it has anything at all."""

    topics: tuple[Pattern, ...]
    is_empty: bool


def listed(connector: Element, kind: str) -> Listed:
    entries = [each for group in connector.all(kind) for each in group.children]
    topics = (topic(each) for each in entries if each.name == "topic")
    return Listed(tuple(each for each in topics if each), not entries)


def topic(element: Element) -> Pattern | None:
    """`>` is any rest, none included (PrefixDestinationFilter.java); other marks are not understood."""
    words = element.said("physicalName").split(".")
    *first, last = words
    strange = not all(words) or ">" in first or any(mark in word for word in words for mark in "#,$/:")
    if strange or words[-2:] == ["*", ">"]:
        return None
    return Pattern(".".join([*first, "#" if last == ">" else last]), DIALECT, place=element.place)


def unlike_topics(connector: Element, whose: str) -> Iterator[Remark]:
    """Entries of lists that are no topics, or whose names are not understood."""
    for kind in LISTS:
        for each in (each for group in connector.all(kind) for each in group.children):
            name = each.said("physicalName")
            if each.name != "topic":
                what = f"{each.name} {name} of {whose}: consumers compete for a queue in the whole network"
                yield common.not_understood(f"{what}, here only topics are looked at", each.place)
            elif topic(each) is None:
                yield common.not_understood(f"topic {name!r} in {kind} of {whose}", each.place)


def _beside(root: Element, name: str) -> Iterator[Remark]:
    """What stands beside the broker."""
    for each in root.children if root.name != "broker" else ():
        if each.name == "import" and not each.said("resource").endswith("jetty.xml"):
            what = f"{each.said('resource')} is imported by {name}: it is not read"
            yield common.unread(what, each.place, brokers=[name])
        elif each.name == "camelContext":
            yield common.not_understood(f"{name} has routes of Camel, which are not looked at", each.place)
        elif each.name == "bean" and not HARMLESS_BEANS.search(each.said("class")):
            yield common.not_understood(f"bean {each.said('class')} beside {name}", each.place)
    for each in list(root.all("broker"))[1:]:
        yield common.unread("a second broker of the same file is not read", each.place)


def _strange(broker: Element, name: str) -> Iterator[Remark]:
    for key, value in broker.attributes.items():
        usual = key in USUALLY_TRUE and value.lower() == "true"
        if key not in ATTRIBUTES and not usual and not value.startswith(("http://", "https://")):
            effects = frozenset((DROPS,)) if key in USUALLY_TRUE else EFFECTS
            yield common.not_understood(f"{key} {value} of {name}", broker.place, effects=effects)
    for each in broker.children:
        if each.name not in READ | UNCHANGED:
            yield common.not_understood(f"{each.name} of {name} is not looked at", each.place)
    for each in broker.all("destinations"):
        for one in each.children:
            if one.name != "topic" or "," in one.said("physicalName"):
                what = f"{one.name} {one.said('physicalName')} of {name}: here only topics are looked at"
                yield common.not_understood(what, one.place)
    yield from _policies(broker)
    for plugins in broker.all("plugins"):
        yield from (remark for each in plugins.children for remark in _plugin(each, name))


def _policies(broker: Element) -> Iterator[Remark]:
    for each in broker.all("destinationPolicy", "policyMap", "policyEntries", "policyEntry"):
        if each.one("pendingMessageLimitStrategy"):
            what = "subscribers keep up: a pendingMessageLimitStrategy drops what slow ones have not taken"
            yield common.assumed(what, each.place)
        if each.one("networkBridgeFilterFactory"):
            yield common.not_understood("a networkBridgeFilterFactory changes what crosses", each.place)


def unknown_there(broker: Element, user: str) -> str:
    """Why a broker does not know who says this name; empty if it may (SimpleAuthenticationPlugin.java)."""
    for plugin in broker.all("plugins", "simpleAuthenticationPlugin"):
        names = {each.said("username") for each in plugin.all("users", "authenticationUser")}
        if not user and plugin.said("anonymousAccessAllowed") != "true":
            return "it gives no userName"
        if user and user not in names and "${" not in user + "".join(names):
            return f"{user} is not among its users"
    return ""


def _plugin(plugin: Element, name: str) -> Iterator[Remark]:
    if plugin.name in NAMED:
        yield common.assumed(
            "clients and connectors have names and passwords that brokers know", plugin.place
        )
    elif plugin.name not in IDLE_PLUGINS:
        effects = frozenset((DROPS,)) if plugin.name in DROPPING else EFFECTS
        yield common.not_understood(f"{plugin.name} of {name}", plugin.place, effects=effects)
