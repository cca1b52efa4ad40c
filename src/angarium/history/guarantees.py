"""The guarantees that an audit looks at, in the order in which they are told."""

from __future__ import annotations

from dataclasses import dataclass

COMPLETE_LOG = "complete-log"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A guarantee of a history."""

    name: str
    promise: str
    """What is promised, as one sentence."""
    kinds: tuple[str, ...]
    """In which ways it may be broken: the `kind` of a violation."""
    needs: str
    """What must be in a history so that it can be judged."""
    proved: tuple[str, ...] = ()
    """Kinds of violations that stay what they are whatever else there was: two events contradict each other.
    All others lean on something that is not there (no delivery, no kill, no earlier delivery, no other
    limit), and what is missing from a log may be just that."""


GUARANTEES: tuple[Guarantee, ...] = (
    Guarantee(
        "no-loss", "every message that the broker confirmed is delivered to every subscriber", ("lost",),
        "confirmed sends (send ok) and subscribers",
    ),
    Guarantee(
        "no-phantom", "nothing is delivered that was not sent, or whose send failed",
        ("never-sent", "failed-send"), "sends and deliveries",
    ),
    Guarantee(
        "no-duplicates", "a message is delivered again only after a requeue, a timeout or its consumer's end",
        ("held",), "deliveries, and a known message timeout",
    ),
    Guarantee(
        "duplicates-after-ack", "a message that was acknowledged is not delivered again", ("after-ack",),
        "deliveries and acknowledgements, and a known message timeout",
    ),
    Guarantee(
        "order", "first deliveries keep the order in which their producer sent", ("inversion",),
        "producer_seq of delivered messages",
    ),
    Guarantee(
        "consistent-offsets", "one message an offset, one offset a message, and polls that only go on",
        ("two-values", "two-offsets", "nonmonotonic-poll", "skip"), "offsets",
        proved=("two-values", "two-offsets"),
    ),
    Guarantee(
        "one-active-consumer", "of a queue's or partition's consumers one is active at a time",
        ("two-active",), "queues with single_active, or a group's partitions with generations",
    ),
    Guarantee(
        "ownership", "only the member to whom a partition is assigned gets its messages",
        ("not-assigned", "stale-generation"), "assignments (group events) and partitions read by a group",
    ),
    Guarantee(
        "flow-control", "never more messages in flight than the consumer has asked for", ("over-credit",),
        "credit or prefetch, and a known message timeout",
    ),
    Guarantee(
        "bounded-retries", "no message is delivered more often than allowed", ("too-many",),
        "max_deliveries, or --retry-limit",
    ),
    Guarantee(
        "redelivery-time", "what a consumer gave back or left behind is delivered again in time", ("late",),
        "deliveries, and ends of consumers, requeues or a known message timeout",
    ),
    Guarantee(
        "balance", "an assignment that stands gives every member as many partitions, within one", ("uneven",),
        "assignments with generations (group events)",
    ),
    Guarantee(
        "acks-all", "every replica in step has stored a message before the producer hears that it is stored",
        ("not-stored",), "replica events with stores and isr",
    ),
    Guarantee(COMPLETE_LOG, "no recorder's numbers have a gap", ("gap",), "seq"),
    Guarantee("latency", "how long messages take; figures, no verdict", (), "sends and deliveries"),
)  # fmt: skip

NAMES = tuple(guarantee.name for guarantee in GUARANTEES)
