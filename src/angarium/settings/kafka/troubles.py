"""What can go wrong with Kafka, one row of the table each: what happens, and how often at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from angarium.settings.kafka.catalogue import DELIVERY, GROUP


@dataclass(frozen=True, slots=True)
class Trouble:
    """Faults that happen at most so often; which they are is up to the model that tells of them."""

    name: str
    label: str
    """At the head of its row."""
    what: str
    """In a sentence, behind `when`."""
    faults: Mapping[str, str] = field(default_factory=dict)
    system: str = DELIVERY


TROUBLES = (
    Trouble("nothing", "nothing goes wrong", "nothing goes wrong"),
    Trouble("one-crash", "one broker crashes", "one broker crashes", {"broker_crash": "1"}),
    Trouble("two-crashes", "two brokers crash", "two brokers crash", {"broker_crash": "2"}),
    Trouble("lost-disk", "one disk is lost", "one broker loses its disk", {"lost_disk": "1"}),
    Trouble("lost-request", "a request is lost", "a request is lost", {"lost_request": "1"}),
    Trouble(
        "lost-acknowledgement",
        "an acknowledgement is lost",
        "an acknowledgement is lost",
        {"lost_acknowledgement": "1"},
    ),
    Trouble(
        "isolated-leader",
        "leader isolated",
        "a leader is isolated from its followers",
        {"isolation": "1"},
    ),
    Trouble(
        "isolated-then-crash",
        "leader isolated, then a crash",
        "a leader is isolated from its followers, then a broker crashes",
        {"isolation": "1", "broker_crash": "1"},
    ),
    Trouble(
        "lag-then-crash",
        "followers lag, then a crash",
        "followers fall behind, then a broker crashes",
        {"lag": "2", "broker_crash": "1"},
    ),
    Trouble(
        "lag-then-lost-disk",
        "followers lag, a disk is lost",
        "followers fall behind, then a broker loses its disk",
        {"lag": "2", "lost_disk": "1"},
    ),
    Trouble(
        "deposed-leader",
        "leader cut off from all",
        "a leader is cut off from its followers and the controller",
        {"cut_off": "1"},
    ),
    Trouble("consumer-crash", "a consumer crashes", "a consumer crashes", {"consumer_crash": "1"}, GROUP),
    Trouble(
        "new-group-crash",
        "new group, consumer crashes",
        "a consumer of a new group crashes before anything is committed",
        {"consumer_crash": "1", "new_group": "true"},
        GROUP,
    ),
    Trouble(
        "consumer-joins", "a consumer joins", "a consumer joins its group", {"consumer_joins": "1"}, GROUP
    ),
    Trouble(
        "slow-consumer",
        "a consumer is too slow",
        "a consumer is slower than max.poll.interval.ms allows",
        {"consumer_pause": "1"},
        GROUP,
    ),
)
