"""consistent-offsets: one message an offset, one offset a message, and polls that only go on.

Sends that stored something and deliveries are sorted by what they have in common, and neighbours are
compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import NULL
from angarium.history.kernel import layout as at
from angarium.history.kernel.finding import Finding
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.numbering import Tables

Events = Mapping[str, Numbers]
_NAME = "consistent-offsets"


def placed(batches: Sequence[Events], tables: Tables) -> dict[str, Numbers]:
    """Sends, and what turned out to be deliveries (`taken`, as the kernel says it), in one and in order."""
    if not batches:
        return {}
    found = {name: np.concatenate([each[name] for each in batches]) for name in batches[0]}
    kept = np.flatnonzero(found["stored"].astype(np.bool_) | (found["taken"] != 0))
    found = {name: values[kept] for name, values in found.items()}
    names = sorted(
        range(len(tables.recorders.values)), key=lambda each: tables.recorders.values[each].encode()
    )
    ranks = np.empty(len(names), np.int64)
    ranks[names] = np.arange(len(names))
    order = np.lexsort((found["row"], found["seq"], ranks[found["recorder"]], found["time"]))
    found = {name: values[order] for name, values in found.items()}
    found["first"] = (found["taken"] & at.IS_FIRST != 0).astype(np.int64)
    subscribers = np.full(len(tables.readers.values), -1, np.int64)
    for reader in np.unique(found["reader"]).tolist():
        subscribers[reader] = tables.subscriber_of(reader)
    found["subscriber"] = subscribers[found["reader"]]
    return found


def consistent_offsets(events: Events) -> Iterator[Finding]:
    """All four kinds."""
    there = some(events, events["offset"] != NULL)
    yield from _two(there, "two-values", "offset", "key")
    yield from _two(there, "two-offsets", "key", "offset")
    deliveries = some(there, there["stored"] == 0)
    yield from _nonmonotonic(some(deliveries, deliveries["first"] == 1))
    yield from _skips(deliveries, some(there, there["stored"] == 1), events)


def some(events: Events, chosen: NDArray[np.bool_]) -> dict[str, Numbers]:
    return {name: values[chosen] for name, values in events.items()}


def groups(events: Events, keys: Sequence[str]) -> Iterator[Numbers]:
    """The places of events with the same keys, in order of time; groups of one are left out."""
    if not len(events["row"]):
        return
    order = np.lexsort([events[key] for key in reversed(keys)])
    turned = np.zeros(len(order), np.bool_)
    for key in keys:
        column = events[key][order]
        turned |= np.append(True, column[1:] != column[:-1])
    begins = np.flatnonzero(turned)
    ends = np.append(begins[1:], len(order))
    for low, high in zip(begins[ends - begins > 1].tolist(), ends[ends - begins > 1].tolist(), strict=True):
        yield order[low:high]


def _two(events: Events, kind: str, same: str, other: str) -> Iterator[Finding]:
    """Events of a place that agree in one thing and not in another: the first of each other value."""
    keys = ("place", "partition", same)
    order = (
        np.lexsort([events[key] for key in reversed(keys)]) if len(events["row"]) else np.zeros(0, np.int64)
    )
    doubtful = _disagreeing(events, order, keys, other)
    mine = some(events, doubtful)
    for group in groups(mine, keys):
        values = mine[other][group]
        seen = {int(values[0])}
        for place, value in zip(group.tolist(), values.tolist(), strict=True):
            if value not in seen:
                seen.add(value)
                first, row = int(mine["row"][group[0]]), int(mine["row"][place])
                bound = int(mine["offset"][group[0]]) if kind == "two-offsets" else None
                yield Finding(_NAME, kind, first, row, row, None, int(mine["offset"][place]), bound, ())


def _disagreeing(events: Events, order: Numbers, keys: Sequence[str], other: str) -> NDArray[np.bool_]:
    """The events of groups in which two neighbours differ."""
    found = np.zeros(len(order), np.bool_)
    if not len(order):
        return found
    turned = np.zeros(len(order), np.bool_)
    for key in keys:
        column = events[key][order]
        turned |= np.append(True, column[1:] != column[:-1])
    differ = np.append(False, events[other][order][1:] != events[other][order][:-1]) & ~turned
    group = np.cumsum(turned) - 1
    bad = np.zeros(int(group[-1]) + 1, np.bool_)
    bad[group[differ]] = True
    found[order] = bad[group]
    return found


_POLL = ("place", "partition", "subscriber", "consumer", "generation")


def _nonmonotonic(deliveries: Events) -> Iterator[Finding]:
    """First deliveries of a poll at a smaller offset than one before."""
    for group in groups(deliveries, _POLL):
        offsets = deliveries["offset"][group]
        largest = np.maximum.accumulate(offsets)
        for place in np.flatnonzero(offsets < largest).tolist():
            top = int(group[np.searchsorted(largest, largest[place], "left")])
            row = int(deliveries["row"][group[place]])
            measure, bound = int(offsets[place]), int(largest[place])
            yield Finding(
                _NAME, "nonmonotonic-poll", int(deliveries["row"][top]), row, row, None, measure, bound
            )


def _skips(deliveries: Events, stored: Events, events: Events) -> Iterator[Finding]:
    """Messages between two successive deliveries of a group's poll that the group never got.

    One a message and group: the first such pair, by the second of them.
    """
    by_place, seen = _stored_by_place(stored), set[tuple[int, int]]()
    got: set[tuple[int, int]] | None = None
    grouped = some(deliveries, deliveries["group"] >= 0)
    for one, two in sorted(_steps(grouped), key=lambda pair: pair[1]):
        known = by_place.get((int(grouped["place"][one]), int(grouped["partition"][one])))
        if known is None:
            continue
        low = np.searchsorted(stored["offset"][known], grouped["offset"][one], "right")
        high = np.searchsorted(stored["offset"][known], grouped["offset"][two], "left")
        for each in sorted(known[low:high].tolist()):
            got = _got(events) if got is None else got
            skipped = int(stored["key"][each]), int(grouped["subscriber"][one])
            if stored["time"][each] <= grouped["time"][two] and not (skipped in seen or skipped in got):
                seen.add(skipped)
                first, last = int(grouped["row"][one]), int(grouped["row"][two])
                about, measure = int(stored["row"][each]), int(stored["offset"][each])
                yield Finding(_NAME, "skip", first, last, about, None, measure, whose=first)


def _steps(grouped: Events) -> Iterator[tuple[int, int]]:
    """Successive deliveries of a poll between which there is an offset."""
    for poll in groups(grouped, _POLL):
        for step in np.flatnonzero(np.diff(grouped["offset"][poll]) > 1).tolist():
            yield int(poll[step]), int(poll[step + 1])


def _got(events: Events) -> set[tuple[int, int]]:
    """All messages and the subscribers that got them."""
    taken = some(events, events["stored"] == 0)
    return set(zip(taken["key"].tolist(), taken["subscriber"].tolist(), strict=True))


def _stored_by_place(stored: Events) -> dict[tuple[int, int], Numbers]:
    """The places of stored sends by partition, in the order of offsets."""
    found: dict[tuple[int, int], Numbers] = {}
    if not len(stored["row"]):
        return found
    order = np.lexsort((stored["offset"], stored["partition"], stored["place"]))
    place, partition = stored["place"][order], stored["partition"][order]
    turned = np.append(True, (place[1:] != place[:-1]) | (partition[1:] != partition[:-1]))
    begins = [*np.flatnonzero(turned).tolist(), len(order)]
    for low, high in pairwise(begins):
        found[int(place[low]), int(partition[low])] = order[low:high]
    return found
