"""All checks, in the order of the guarantees."""

from __future__ import annotations

from angarium.history.checks import (
    acks_all,
    balance,
    bounded_retries,
    complete_log,
    consistent_offsets,
    duplicates,
    flow_control,
    latency,
    no_loss,
    no_phantom,
    one_active_consumer,
    order,
    ownership,
    redelivery_time,
)
from angarium.history.checks.check import Check

CHECKS: tuple[Check, ...] = (
    no_loss.CHECK,
    no_phantom.CHECK,
    duplicates.NO_DUPLICATES,
    duplicates.AFTER_ACK,
    order.CHECK,
    consistent_offsets.CHECK,
    one_active_consumer.CHECK,
    ownership.CHECK,
    flow_control.CHECK,
    bounded_retries.CHECK,
    redelivery_time.CHECK,
    balance.CHECK,
    acks_all.CHECK,
    complete_log.CHECK,
    latency.CHECK,
)
