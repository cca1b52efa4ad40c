"""latency: how long messages take, as histograms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import floor, log

from angarium.history.twin.events import Event
from angarium.history.twin.life import Delivery, Life

Spans = Iterable[tuple[str, Event, Event]]
"""Kinds of times, each with the two events between which it passes."""


def latency(life: Life) -> Counter[tuple[str, int]]:
    """How many times of each kind are in each bucket, an eighth of an octave wide, from a microsecond on."""
    spans = [*_of_sends(life), *(span for each in life.deliveries for span in _of_settle(each))]
    return Counter(
        (kind, _bucket(end.at - begin.at))
        for kind, begin, end in spans
        if begin.clock_domain == end.clock_domain and end.at >= begin.at
    )


def _of_sends(life: Life) -> Spans:
    """From a message's first send to its confirmation, and to its first delivery to each subscriber."""
    for message, sends in life.sends.items():
        if confirmation := life.confirmation(message):
            yield "confirm", sends[0], confirmation
    for (message, _), deliveries in life.of_reader.items():
        if message in life.sends:
            yield "deliver", life.sends[message][0], deliveries[0].event


def _of_settle(delivery: Delivery) -> Spans:
    """From a delivery to its first acknowledgement."""
    for ack in delivery.settled("ack")[:1]:
        yield "settle", delivery.event, ack


def _bucket(time: int) -> int:
    return floor(log(max(time, 1) / 1000) / log(2) * 8)
