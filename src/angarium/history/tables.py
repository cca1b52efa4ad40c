"""The tables that an audit gives: their columns, which are a contract as the event schema is."""

from __future__ import annotations

VIOLATIONS = """run_id string, guarantee string, kind string, destination string, partition_id string,
    subscriber string, message_id string, broker_id string, consumer_id string,
    first_recorder string, first_seq bigint, first_time bigint,
    last_recorder string, last_seq bigint, last_time bigint,
    found_at bigint, measure bigint, bound bigint"""
"""One row a violation. The first and last event are the two that prove it; `found_at` is the history's time
at which it can be known. `measure` and `bound` are the figure that was too large and its limit, where there
are such (in flight and credit, deliveries and retry limit, nanoseconds and deadline)."""

EXPLAINED = VIOLATIONS + ", explanation string"
"""Violations as they are written: with a sentence."""

JUDGED = "run_id string, guarantee string, judged bigint, unjudged bigint, reason string"
"""How much of a run a check could judge. Reason: why nothing, or not all of it, could be judged."""

SUMMARY = """run_id string, guarantee string, verdict string, judged bigint, unjudged bigint,
    violations bigint, reason string"""
"""One row a run and guarantee."""

MESSAGES = """run_id string, destination string, message_id string, subscriber string, partition_id string,
    producer string, producer_seq bigint, sent_at bigint, confirmed_at bigint, send_outcome string,
    first_delivered_at bigint, deliveries bigint, consumers bigint, requeues bigint, acked_at bigint,
    state string"""
"""One row a message and subscriber: its life. send_outcome: confirmed, failed, unknown, never.
State: settled, delivered, unseen, lost, unconfirmed, phantom."""

QUARANTINE = "run_id string, file string, line bigint, reason string, field string, value string, raw string"
"""Rows that do not fit the schema, and why. `run_id` if the row can be believed and names one: see `missing`;
`line` if a file has lines; `raw` has 4096 characters at most."""

LATENCY = "run_id string, kind string, bucket int, count bigint, shortest bigint, longest bigint"
"""Histograms: bucket b counts times of [2**(b/8), 2**((b+1)/8)) microseconds, and has the shortest and the
longest of them, in nanoseconds. Kinds: confirm (send to its confirmation), deliver (send to first delivery),
settle (delivery to acknowledgement)."""

COMPARED = """run_id guarantee kind destination partition_id subscriber message_id broker_id consumer_id
    first_recorder first_seq last_recorder last_seq found_at measure bound""".split()
"""The columns on which two audits of one history must agree."""
