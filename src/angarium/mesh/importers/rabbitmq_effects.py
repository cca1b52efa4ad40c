"""What settings of exchanges, queues and policies may do to messages where we do not model them.

Each has its effects; what is harmless has none. What is not known here may do anything.
"""

from __future__ import annotations

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, Remark

DROPPING = frozenset(
    """message-ttl expires max-length max-length-bytes overflow delivery-limit max-age
    consumer-timeout""".split()
)
"""Messages that nobody takes in time, or that are too many, go."""
DEAD_LETTERS = frozenset(
    "dead-letter-exchange dead-letter-routing-key dead-letter-strategy dead-letter-worker".split()
)
"""What a queue drops or a consumer refuses is published again, elsewhere."""
HARMLESS = frozenset(
    """queue-type queue-mode queue-version queue-master-locator queue-leader-locator max-priority
    single-active-consumer initial-cluster-size quorum-initial-group-size quorum-target-group-size
    target-group-size max-in-memory-length max-in-memory-bytes stream-max-segment-size-bytes
    stream-filter-size-bytes cancel-on-ha-failover ha-mode ha-params ha-policy ha-sync-mode
    ha-sync-batch-size ha-promote-on-shutdown ha-promote-on-failure""".split()
)
"""Where a queue is kept and in which order it is emptied."""

DROPS_ONLY = frozenset((DROPS,))
MORE = frozenset((CARRIES, COPIES))
TYPES = {
    "headers": DROPS_ONLY,
    "x-consistent-hash": DROPS_ONLY,
    "x-modulus-hash": DROPS_ONLY,
    "x-random": DROPS_ONLY,
    "x-local-random": DROPS_ONLY,
    "x-message-deduplication": DROPS_ONLY,
    "x-recent-history": frozenset((COPIES,)),
    "x-jms-topic": DROPS_ONLY,
}
"""Types of exchanges: what may be otherwise than if each binding lets everything through."""


def of_setting(key: str) -> frozenset[str]:
    """What a key of a policy, or an argument of a queue without its `x-`, may do."""
    if key in HARMLESS:
        return frozenset()
    return DROPS_ONLY if key in DROPPING else EFFECTS


def of_type(kind: str) -> frozenset[str]:
    """What an exchange of a type may do."""
    return TYPES.get(kind, EFFECTS)


def wildcards_of_direct(key: str, kind: str, place: Place) -> Remark | None:
    """Of a key with words that are wildcards elsewhere."""
    if kind != "direct" or not {"*", "#"} & set(key.split(".")):
        return None
    what = f"the key {key} of a direct exchange, whose * and # are no wildcards"
    return common.not_understood(what, place, "They are taken to be wildcards.", DROPS_ONLY)
