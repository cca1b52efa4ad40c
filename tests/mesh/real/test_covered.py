"""What random configurations of real brokers cover: how many of them have what, counted.

Queue groups of NATS and shared subscriptions of MQTT are of clients: no file of these brokers says who
competes. Mosquitto counts no hops.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from tests.mesh.real import mosquitto_net, nats_net
from tests.mesh.real.configurations import configuration

DRAWN = 200
LEAST = 8
"""Configurations of those drawn that have each of these."""

COVERED = {
    "nats": {
        "links": r"routes: |remotes: ",
        "filters": r"deny_(?:im|ex)ports",
        "remaps": r'prefix: p|to: "z',
        "hops": r"gateway \{",
        "failover": r"urls: \[[^]]+, ",
        "permissions": r"permissions: \{\w",
    },
    "mosquitto": {
        "links": r"connection ",
        "filters": r"(?m)^topic (?:a|\+)/",
        "remaps": r"(?m)^topic \S+ \w+ 1 \S+ (?:p|q)",
        "failover": r"address \S+ <",
        "permissions": r"#acl ",
    },
    "rabbitmq": {
        "links": r"federation-upstream|shovel",
        "filters": r'"routing_key": "a\.\*"',
        "remaps": r"dest-exchange-key",
        "hops": r'"max-hops": [23]',
        "failover": r'uri": \["amqp',
        "permissions": r'"write": "\^',
        "competing consumers": r'"name": "w1"',
    },
}
"""Of each broker: what is covered, and how that is said."""


def drawn(broker: str) -> Iterator[str]:
    for seed in range(DRAWN):
        if broker == "nats":
            yield "\n".join(nats_net.random_texts(Random(seed), True).values())
        elif broker == "mosquitto":
            yield "\n".join(mosquitto_net.random_texts(Random(seed)).values())
        else:
            yield json.dumps(configuration(f"c{seed}", seed).definitions())


@pytest.mark.parametrize("broker", COVERED)
def test_every_kind_is_among_the_random_configurations(
    broker: str, record_property: Callable[[str, object], None]
) -> None:
    counts = Counter(
        what for text in drawn(broker) for what, said in COVERED[broker].items() if re.search(said, text)
    )

    record_property("counts", dict(counts))
    assert {what: counts[what] for what in COVERED[broker] if counts[what] < LEAST} == {}, counts
