"""Which events still matter: without them, the checks would judge what is still to come otherwise.

Everything from the horizon of a run on matters: that is some time before the watermark, or before the run's
last event if that is earlier. Of what is older:

- all events of a message that is *open*: not delivered to everybody who must get it, or in somebody's hands;
- the messages that something later will be compared with: the first delivery of every consumer, the largest
  producer_seq of every sequence, the first delivery to a subscriber of a message that was seen being sent,
  and what proved that two consumers were active (or the same would be found once more);
- control and group events, which are few; of each consumer's credits the last, of each partition's replicas
  in step the last.

Messages stay as a whole or not at all: a delivery without its settle would look as if it were still in
flight. A settle of several messages stays with whatever it settled.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel import matter_core as core
from angarium.history.kernel.facts import Told, consumer_of, run_of
from angarium.history.kernel.folding import Folding, see
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import Stores, address, zeros
from angarium.history.live.remembered import Remembered

Kept = NDArray[np.uint8]


class Followed(Folding):
    """The folds over what is remembered; what they have gone through is there afterwards."""

    events: Stores

    def _with_several(self) -> Stores:
        self.events = super()._with_several()
        return self.events

    def see(self) -> None:
        """Say who was seen first at each place, where that was not asked for."""
        if self.context.table(at.PLACES)[:, at.L_MAY_READ].max() > 1:
            see(self.facts, self.context, self.crew.partial())


@dataclass(frozen=True)
class Mattering:
    """What matters of all that is remembered."""

    kept: NDArray[np.bool_]
    """By row."""
    open_messages: int
    overdue: int


def mattering(remembered: Remembered, folding: Followed, until: int, memory: int) -> Mattering:
    """What matters when a watermark is reached; `memory`: how far back from it everything does."""
    return _Looking(remembered, folding, until, memory).found()


class _Looking:
    """One look at all that is remembered."""

    def __init__(self, remembered: Remembered, folding: Followed, until: int, memory: int) -> None:
        self.remembered, self.folding = remembered, folding
        self.tables = folding.facts.tables
        self.kept: Kept = np.zeros(max(remembered.rows, 1), np.uint8)
        self.horizons = zeros(len(self.tables.runs.values))
        for run, profile in folding.facts.profiles.items():
            end = min(until, profile.end + folding.facts.parameters.clock_skew)
            self.horizons[run] = max(end - memory, 0)
        self.known, self._held = zeros(core.MATTERING), [*self._words()]
        for place, words in self._held:
            self.known[place] = address(words)
        self.known[core.W_UNTIL] = until

    def _words(self) -> Iterator[tuple[int, NDArray[np.generic]]]:
        places, people = self.tables.places.values, self.tables.people.values
        settling = np.zeros(max(len(places), 1), np.uint8)
        settling[sorted(self.remembered.encoder.settling)] = 1
        subscribers = [places[place][0] for place, _ in self.tables.subscribers.values]
        yield core.W_KEPT, self.kept
        yield core.W_HORIZONS, self.horizons
        yield core.W_SETTLING, settling
        yield core.W_PEOPLE, self.horizons[np.array([run for run, _ in people] or [0])]
        yield core.W_SUBSCRIBERS, self.horizons[np.array(subscribers or [0])]

    def found(self) -> Mattering:
        self.folding.see()
        self._mark_landmarks()
        self._mark_others()
        self._over("matter", self.folding.events)
        settlers = Stores([self.remembered.encoder.settlers])
        self._over("mark_settlers", settlers, listed=True, with_context=False)
        self._mark_replicas()
        kept = self.kept[: self.remembered.rows].astype(np.bool_)
        return Mattering(kept, int(self.known[core.W_OPEN]), int(self.known[core.W_OVERDUE]))

    def _over(self, name: str, stores: Stores, *, listed: bool = False, with_context: bool = True) -> None:
        """Go through all parts of stores."""
        worker = self.folding.crew.workers[0]
        context = (self.folding.context.words,) if with_context else ()
        for part in stores.parts:
            if count := stores.count(part):
                worker.thread.prepare(count)
                given = (stores.addresses, len(stores.each)) if listed else ()
                KERNEL.call(name, *context, worker.words, self.known, *given, part)

    # --- what something later is compared with ---------------------------------------------------------

    def _mark_landmarks(self) -> None:
        worker = self.folding.crew.workers[0]
        self.kept[sorted(self.remembered.pins)] = 1
        for place in (at.SEEN, at.KNOWN):
            moments = worker[place].reshape(-1, at.MOMENT)
            self.kept[(moments[moments[:, at.M_AT] != 0, at.M_WHO] & np.uint64(at.ROW)).astype(np.int64)] = 1
        self._over("tops", Stores([worker.stores[at.SEQUENCES]]), listed=True)
        size = 1 << int(2 * self.remembered.encoder.noted.deliveries + 4).bit_length()
        strands = zeros(size)
        events = Stores([self.remembered.encoder.store])
        for part in events.parts:
            if count := events.count(part):
                worker.thread.prepare(count)
                KERNEL.call(
                    "first_of_strands", self.folding.context.words, worker.words, events.addresses, 1, part,
                    strands, size,
                )  # fmt: skip
        KERNEL.call("mark_all", self.known, strands, size)

    # --- events of no message -----------------------------------------------------------------------------

    def _mark_others(self) -> None:
        last: dict[Hashable, Told] = {}
        order = self.folding.facts.order
        for told in self.remembered.encoder.noted.others:
            row, event = told
            key = _last_of(event)
            if event["time_unix_nano"] >= self.horizons[self.folding.facts.run(event)] or _always(event):
                self.kept[row] = 1
            elif key and (key not in last or order(last[key]) < order(told)):
                last[key] = told
        self.kept[[row for row, _ in last.values()]] = 1

    def _mark_replicas(self) -> None:
        """Replicas of a message stay with it."""
        old = [
            (row, event)
            for row, event in self.remembered.encoder.noted.others
            if "message_id" in event and "destination" in event and not self.kept[row]
        ]
        if not old:
            return
        keys = self.remembered.encoder.keys_of([event for _, event in old])
        stay = {key for row, key in self.remembered.rows_of(np.unique(keys)).items() if self.kept[row]}
        self.kept[[row for (row, _), key in zip(old, keys.tolist(), strict=True) if key in stay]] = 1


def _always(event: dict[str, object]) -> bool:
    """Whether an event matters for ever."""
    return "message_id" not in event and event["op_type"] in ("control", "group")


def _last_of(event: dict[str, object]) -> Hashable | None:
    """Of events with the same, the last one stays."""
    if event["op_type"] == "flow":
        return "flow", run_of(event), consumer_of(event)
    if "isr" in event:
        return "isr", run_of(event), event.get("destination"), event.get("partition_id")
    return None
