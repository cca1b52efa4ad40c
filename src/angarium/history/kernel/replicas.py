"""acks-all: every replica in step has a message before its producer hears that it is stored."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from angarium.history import schema
from angarium.history.kernel.facts import Facts, Told
from angarium.history.kernel.finding import Finding

Event = Mapping[str, Any]
Place = tuple[int, str | None, str | None]
"""Run, destination and partition."""


def is_store(event: Event) -> bool:
    return (
        event["op_type"] == "replica" and event["phase"] != "fail" and event.get("op_name") in schema.STORES
    )


@dataclass
class Replicas:
    """What replicas and brokers say, beside the sends that are ok."""

    facts: Facts
    sends: Sequence[Told]

    def _place(self, event: Event) -> Place:
        return self.facts.run(event), event.get("destination"), event.get("partition_id")

    @cached_property
    def _stores(self) -> dict[tuple[Place, str, object, str | None], list[tuple[int, str | None]]]:
        """When brokers stored something, by their clocks: by partition, `message` or `offset`, and broker."""
        found: dict[tuple[Place, str, object, str | None], list[tuple[int, str | None]]] = {}
        for _, event in self.facts.others:
            if is_store(event):
                what = "message_id" if "message_id" in event else "offset"
                key = self._place(event), what, event.get(what), event.get("broker_id")
                found.setdefault(key, []).append((event["time_unix_nano"], event.get("clock_domain")))
        return found

    @cached_property
    def _recorded(self) -> set[Place]:
        """The partitions whose replicas are recorded."""
        return {place for place, *_ in self._stores}

    @cached_property
    def _said(self) -> dict[Place, list[Told]]:
        """What is said of brokers in step, by partition, in order."""
        found: dict[Place, list[Told]] = {}
        for told in sorted(self.facts.others, key=self.facts.order):
            if "isr" in told[1]:
                found.setdefault(self._place(told[1]), []).append(told)
        return found

    def acks_all(self) -> tuple[list[Finding], dict[int, tuple[int, int]]]:
        """`not-stored`, and how much was judged in each run: of sends to partitions that are recorded."""
        judged, unjudged = Counter[int](), Counter[int]()
        found: dict[object, Finding] = {}
        for told in sorted(self.sends, key=self.facts.order):
            place = self._place(told[1])
            if place in self._recorded:
                said = self._in_step(told)
                (judged if said else unjudged)[place[0]] += 1
                for broker in sorted(self._brokers(said, told)) if said else ():
                    if not self._has(told[1], broker):
                        key = place[0], told[1].get("destination"), told[1]["message_id"], broker
                        found.setdefault(key, self._not_stored(said, told, broker))
        return list(found.values()), {run: (judged[run], unjudged[run]) for run in judged | unjudged}

    def _not_stored(self, said: Told | None, told: Told, broker: str) -> Finding:
        assert said is not None
        row, event = told
        found_at = event["time_unix_nano"] + self.facts.parameters.clock_skew
        return Finding(
            "acks-all", "not-stored", said[0], row, row, found_at, names=(), given={"broker_id": broker}
        )

    def _in_step(self, told: Told) -> Told | None:
        """The event that says which brokers are in step at a send: itself, or the partition's last before."""
        if "isr" in told[1]:
            return told
        said = self._said.get(self._place(told[1]), [])
        before = bisect_left(said, self.facts.order(told)[:3], key=lambda each: self.facts.order(each)[:3])
        return said[before - 1] if before else None

    def _brokers(self, said: Told | None, told: Told) -> set[str]:
        """The brokers in step; where clocks differ, only those that are so whichever event counts."""
        assert said is not None
        brokers = set(said[1]["isr"])
        if said is not told:
            for event in self._near(told[1]):
                if event["op_type"] != "send" and event.get("clock_domain") != told[1].get("clock_domain"):
                    brokers &= set(event["isr"])
        return brokers

    def _near(self, send: Event) -> Iterator[Event]:
        """What is said of brokers in step within the clock skew."""
        said, skew = self._said.get(self._place(send), []), self.facts.parameters.clock_skew
        time = send["time_unix_nano"]
        low = bisect_left(said, time - skew, key=lambda told: told[1]["time_unix_nano"])
        high = bisect_right(said, time + skew, key=lambda told: told[1]["time_unix_nano"])
        yield from (event for _, event in said[low:high] if skew)

    def _has(self, send: Event, broker: str) -> bool:
        """Whether a broker had stored a message when it was confirmed."""
        place = self._place(send)
        keys = [(place, "message_id", send["message_id"], broker)]
        if "offset" in send:
            keys.append((place, "offset", send["offset"], broker))
        until, clock, skew = (
            send["time_unix_nano"],
            send.get("clock_domain"),
            self.facts.parameters.clock_skew,
        )
        return any(
            time <= until + (0 if domain == clock else skew)
            for key in keys
            for time, domain in self._stores.get(key, ())
        )
