"""What can go wrong with Kafka, one row of the table each, and the models' steps in an operator's words.

A fault happens at most so often; how it happens is up to the model that tells of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from angarium.core.result import Step, Story
from angarium.settings.kafka.catalogue import DELIVERY, GROUP


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens at most so often, as budgets of a model."""

    name: str
    label: str
    """At the head of its row."""
    what: str
    """In a sentence, behind `when`."""
    budgets: Mapping[str, str] = field(default_factory=dict)
    system: str = DELIVERY


FAULTS = (
    Fault("nothing", "nothing goes wrong", "nothing goes wrong"),
    Fault("one-crash", "one broker crashes", "one broker crashes", {"broker_crash": "1"}),
    Fault("two-crashes", "two brokers crash", "two brokers crash", {"broker_crash": "2"}),
    Fault("lost-disk", "one disk is lost", "one broker loses its disk", {"lost_disk": "1"}),
    Fault("lost-request", "a request is lost", "a request is lost", {"lost_request": "1"}),
    Fault(
        "lost-acknowledgement",
        "an acknowledgement is lost",
        "an acknowledgement is lost",
        {"lost_acknowledgement": "1"},
    ),
    Fault(
        "isolated-leader",
        "leader isolated",
        "a leader is isolated from its followers",
        {"isolation": "1"},
    ),
    Fault(
        "isolated-then-crash",
        "leader isolated, then a crash",
        "a leader is isolated from its followers, then a broker crashes",
        {"isolation": "1", "broker_crash": "1"},
    ),
    Fault(
        "lag-then-crash",
        "followers lag, then a crash",
        "followers fall behind, then a broker crashes",
        {"lag": "2", "broker_crash": "1"},
    ),
    Fault(
        "lag-then-lost-disk",
        "followers lag, a disk is lost",
        "followers fall behind, then a broker loses its disk",
        {"lag": "2", "lost_disk": "1"},
    ),
    Fault(
        "deposed-leader",
        "leader cut off from all",
        "a leader is cut off from its followers and the controller",
        {"cut_off": "1"},
    ),
    Fault("consumer-crash", "a consumer crashes", "a consumer crashes", {"consumer_crash": "1"}, GROUP),
    Fault(
        "new-group-crash",
        "new group, consumer crashes",
        "a consumer of a new group crashes before anything is committed",
        {"consumer_crash": "1", "new_group": "true"},
        GROUP,
    ),
    Fault("consumer-joins", "a consumer joins", "a consumer joins its group", {"consumer_joins": "1"}, GROUP),
    Fault(
        "slow-consumer",
        "a consumer is too slow",
        "a consumer is slower than max.poll.interval.ms allows",
        {"consumer_pause": "1"},
        GROUP,
    ),
)


PHRASES = {
    "send": "the producer sends {m}",
    "resend": "the producer sends {m} again",
    "lose_request": "the request with {m} is lost",
    "time_out": "the request with {m} gets no answer",
    "receive": "broker {b} receives {m}",
    "acknowledge": "message {m} is acknowledged",
    "refuse_late": "an error comes for {m}, though it is in the log",
    "lose_acknowledgement": "the acknowledgement of {m} is lost",
    "fetch": "follower {b} fetches from leader {lead}",
    "shrink": "leader {lead} takes {b} out of the in-sync replicas",
    "expand": "leader {lead} takes {b} into the in-sync replicas",
    "fall_behind": "follower {b} falls behind and is out of sync",
    "elect": "broker {b} is elected leader",
    "elect_unclean": "broker {b} is elected leader although it is not in sync",
    "crash_broker": "broker {b} crashes",
    "lose_disk": "broker {b} crashes and loses its disk",
    "restart_broker": "broker {b} comes back",
    "isolate_leader": "leader {b} is cut off from its followers",
    "cut_off_leader": "leader {b} is cut off from followers and controller",
    "heal": "the network is whole again",
    "read": "the reader processes {m}",
    "begin_generation": "all members have joined",
    "expire": "the session of consumer {c} times out",
    "assign": "consumer {leader} assigns the partitions",
    "join": "consumer {c} joins the group",
    "join_again": "consumer {c} joins again",
    "sync": "consumer {c} gets its partitions",
    "crash": "consumer {c} crashes",
    "pause": "consumer {c} is too slow and is put out of the group",
    "poll": "consumer {c} polls {p}",
    "process": "consumer {c} processes a record of {p}",
    "commit_offsets": "consumer {c} commits",
}


def phrase(step: Step) -> str:
    """A step in words."""
    return PHRASES[step.action].format(**step.arguments)


def operator_text(story: Story) -> str:
    """A story in one breath."""
    return "; ".join(phrase(step) for step in story.steps)
