"""What may stand in a broker.xml of Artemis, and what of it can change which messages arrive.

Every element that links are made of is gone through: what is known to be harmless is passed over, what may
drop or copy messages is told with what it may do, and what nobody here knows may do anything. The names are
those of artemis-configuration.xsd (2.40), with those that older versions had.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from angarium.mesh.importers import common
from angarium.mesh.importers.artemis_xml import Element
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, Remark

Way = tuple[str, ...]
Harm = tuple[Callable[[str], object], frozenset[str]]
"""Which values do harm, and which."""

_RETRYING = """retry-interval retry-interval-multiplier max-retry-interval initial-connect-attempts
    reconnect-attempts check-period connection-ttl call-timeout call-failover-timeout
    confirmation-window-size producer-window-size min-large-message-size use-duplicate-detection"""
_STREAM = f"""name static-connectors discovery-group-ref policy ha user password share-connection
    circuit-breaker-timeout priority-adjustment client-failure-check-period upstream-connector-ref
    {_RETRYING}"""
_POLICY = """name max-hops auto-delete auto-delete-delay auto-delete-message-count
    enable-divert-bindings include exclude property transformer transformer-ref"""
_KNOWN: Mapping[Way, str] = {
    ("bridges", "bridge"): f"""name queue-name forwarding-address static-connectors discovery-group-ref
        filter transformer transformer-class-name ha user password routing-type pending-ack-timeout
        client-id concurrency reconnect-attempts-on-same-node failover-on-server-shutdown {_RETRYING}""",
    ("diverts", "divert"): """name address forwarding-address exclusive filter transformer
        transformer-class-name routing-name routing-type""",
    ("cluster-connections", "cluster-connection"): f"""name address connector-ref discovery-group-ref
        static-connectors max-hops message-load-balancing notification-interval notification-attempts
        client-failure-check-period topology-scanner-attempts {_RETRYING}""",
    ("federations", "federation"): """name user password upstream downstream policy-set queue-policy
        address-policy transformer""",
    ("federations", "federation", "upstream"): _STREAM,
    ("federations", "federation", "downstream"): _STREAM,
    ("federations", "federation", "address-policy"): _POLICY,
    ("broker-connections", "amqp-connection", "federation", "local-address-policy"): _POLICY,
    ("broker-connections", "amqp-connection", "federation", "remote-address-policy"): _POLICY,
    ("addresses", "address"): "name anycast multicast",
    ("addresses", "address", "anycast", "queue"): """name durable user exclusive
        consumers-before-dispatch delay-before-dispatch group-rebalance group-rebalance-pause-dispatch
        group-buckets group-first-key consumer-priority""",
    ("address-settings", "address-setting"): """match dead-letter-address max-delivery-attempts
        expiry-address redelivery-delay redelivery-delay-multiplier
        redelivery-collision-avoidance-factor max-redelivery-delay max-size-bytes max-size-messages
        page-size-bytes page-max-cache-size page-store-name max-read-page-bytes max-read-page-messages
        prefetch-page-bytes prefetch-page-messages page-limit-bytes page-limit-messages
        address-full-policy message-counter-history-day-limit redistribution-delay
        slow-consumer-threshold slow-consumer-threshold-measurement-unit slow-consumer-check-period
        max-size-bytes-reject-threshold auto-create-dead-letter-resources dead-letter-queue-prefix
        dead-letter-queue-suffix auto-create-expiry-resources expiry-queue-prefix expiry-queue-suffix
        auto-delete-queues auto-delete-addresses auto-delete-jms-queues auto-delete-jms-topics
        auto-delete-created-queues auto-delete-queues-delay auto-delete-queues-message-count
        auto-delete-queues-skip-usage-check auto-delete-addresses-delay
        auto-delete-addresses-skip-usage-check config-delete-queues config-delete-addresses
        config-delete-diverts management-browse-page-size management-message-attribute-size-limit
        default-exclusive-queue default-consumers-before-dispatch default-delay-before-dispatch
        default-queue-routing-type default-address-routing-type default-consumer-window-size
        default-group-rebalance default-group-rebalance-pause-dispatch default-group-buckets
        default-group-first-key enable-metrics enable-ingress-timestamp id-cache-size
        initial-queue-buffer-size""",
}
"""By where an element is: what it may have, as elements or attributes, and what carries or drops nothing."""
_LIKE: Mapping[Way, Way] = {
    ("broker-connections", "AMQPConnection"): ("broker-connections", "amqp-connection"),
    ("addresses", "address", "multicast"): ("addresses", "address", "anycast"),
}
"""What has the same within it."""


def _is_on(value: str) -> bool:
    return value.lower() != "false"


def _is_off(value: str) -> bool:
    return value.lower() == "false"


def _loses(value: str) -> bool:
    """Whether something full does not make who sends wait."""
    return value.upper() != "BLOCK"


def _is_limit(value: str) -> bool:
    return not value.startswith("-")


_DROPS, _COPIES = frozenset((DROPS,)), frozenset((COPIES,))
_HARMS: Mapping[str, Harm] = {
    "auto-create-queues": (_is_off, _DROPS),
    "auto-create-addresses": (_is_off, _DROPS),
    "auto-create-jms-queues": (_is_off, _DROPS),
    "auto-create-jms-topics": (_is_off, _DROPS),
    "expiry-delay": (_is_limit, frozenset((DROPS, CARRIES))),
    "min-expiry-delay": (_is_limit, frozenset((DROPS, CARRIES))),
    "max-expiry-delay": (_is_limit, frozenset((DROPS, CARRIES))),
    "no-expiry": (_is_off, _DROPS),
    "send-to-dla-on-no-route": (_is_on, frozenset((CARRIES,))),
    "retroactive-message-count": (lambda value: value != "0", _COPIES),
    "slow-consumer-policy": (lambda value: value.upper() != "NOTIFY", _DROPS),
    "page-full-policy": (_loses, _DROPS),
    "disk-full-policy": (_loses, _DROPS),
    "enabled": (_is_off, _DROPS),
    "filter": (_is_on, _DROPS),
    "auto-start": (_is_off, _DROPS),
} | {
    prefix + name: harm
    for prefix in ("", "default-")
    for name, harm in {
        "last-value": (_is_on, _DROPS),
        "last-value-queue": (_is_on, _DROPS),
        "last-value-key": (_is_on, _DROPS),
        "ring-size": (_is_limit, _DROPS),
        "non-destructive": (_is_on, _COPIES),
        "purge-on-no-consumers": (_is_on, _DROPS),
        "max-consumers": (_is_limit, _DROPS),
    }.items()
}
"""What may drop or copy messages, where a value is not the harmless one."""
_OF_THE_CORE: Mapping[str, frozenset[str]] = {"resource-limit-settings": _DROPS}
"""Of the core itself: what is known to do no more than this. Plugins and the like may do anything."""
_UNCHANGED = re.compile(
    r"(?:persistence|bindings|journal|paging|large-messages|disk|page|max|memory|security|address-settings"
    r"|critical|network|jmx|jmx-management|management|metrics|metrics-plugin|cluster-(?:user|password)|password"
    r"|mask|connection-ttl|message|id-cache|persist|scheduled|thread|transaction|populate|global|server"
    r"|configuration|create|run|backup|store|graceful|temporary|async|log|logging|default|journal-.*|perf|read|file"
    r"|purge|reject|amqp-use|auto|internal-naming|literal-match|suppress|session|view|address-queue-scan|ping|check"
    r"|mirror-(?:ack|page)|system-property|device|node|lock|retention|sync)(?:-.*)?"
)
"""Elements of the core that say how a broker runs."""
_PASSIVE = frozenset("slave backup colocated".split())
"""Of a policy of high availability: what makes a broker wait until another one dies."""


def strange(core: Element, known: frozenset[str]) -> Iterator[Remark]:
    """All that may change what arrives, and is not in the mesh."""
    for element in core.children:
        if element.name == "ha-policy":
            yield from _passive(element)
        elif element.name not in known and not _UNCHANGED.fullmatch(element.name):
            effects = _OF_THE_CORE.get(element.name, EFFECTS)
            yield common.not_understood(f"{element.name} is not looked at", element.place, effects=effects)
    for way, names in _tables():
        for element in core.all(*way):
            yield from _within(element, frozenset(names.split()))


def _tables() -> Iterator[tuple[Way, str]]:
    for way, names in _KNOWN.items():
        yield way, names
        yield from (
            (other + way[len(like) :], names) for other, like in _LIKE.items() if way[: len(like)] == like
        )


def _within(element: Element, known: frozenset[str]) -> Iterator[Remark]:
    """What an element has that it is not known to have, or that does harm."""
    said = {name: (value, element.place) for name, value in element.attributes.items() if name != "xmlns"}
    said |= {child.name: (child.text, child.place) for child in element.children}
    called = element.said("name") or element.said("match")
    whose = f"{element.name} {called}".strip()
    for name, (value, place) in said.items():
        if name in known:
            continue
        does_harm, effects = _HARMS.get(name, (bool, EFFECTS))
        if name not in _HARMS or does_harm(value):
            yield common.not_understood(f"{name} of {whose} is not looked at", place, effects=effects)


def _passive(policy: Element) -> Iterator[Remark]:
    """Of a broker that stands by for another one: it serves nobody while that lives."""
    inner = [each for kind in policy.children for each in (kind, *kind.children)]
    for each in inner:
        if each.name in _PASSIVE:
            what = f"{each.name} of the ha-policy: this broker stands by for another one, here it is alive"
            yield common.not_understood(what, each.place)
