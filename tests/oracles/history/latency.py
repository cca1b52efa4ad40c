"""latency: how long messages take, as histograms."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log

from tests.oracles.history.events import Event
from tests.oracles.history.life import Delivery, Life

Spans = Iterable[tuple[str, Event, Event]]
"""Kinds of times, each with the two events between which it passes."""


def latency(life: Life) -> dict[tuple[str, int], tuple[int, int, int]]:
    """By kind and bucket, an eighth of an octave: how many times are in it, the shortest, the longest."""
    spans = [*_of_sends(life), *(span for each in life.deliveries for span in _of_settle(each))]
    times: dict[tuple[str, int], list[int]] = {}
    for kind, begin, end in spans:
        if begin.clock_domain == end.clock_domain and end.at >= begin.at:
            times.setdefault((kind, _bucket(end.at - begin.at)), []).append(end.at - begin.at)
    return {key: (len(each), min(each), max(each)) for key, each in times.items()}


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
