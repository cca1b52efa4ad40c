"""One batch of a followed history: rows in; events, quarantine, findings, alerts and a new progress out.

A batch writes only to places of its own, its progress last of all. So a process may be killed at any moment:
what a batch had begun to write is written once more, by a batch that has the same number and at least the
same rows, and finds what it had found.

What is new is folded together with all that matters of the past. When that has grown by a quarter, what does
not matter any more is forgotten, and what is remembered is written down; whoever goes on from there takes
the events of the batches since once more.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b

import numpy as np

from angarium.history import tables
from angarium.history.intake.batch import Batch
from angarium.history.kernel.facts import Facts
from angarium.history.live import written
from angarium.history.live.folder import Folder
from angarium.history.live.gate import Gate
from angarium.history.live.intake import Intake, Piece, taken_in
from angarium.history.live.matters import Followed, mattering
from angarium.history.live.progress import Progress, added
from angarium.history.live.recall import recall
from angarium.history.live.released import FOR_EVER, Released, Since, Span, told_before
from angarium.history.live.remembered import Remembered
from angarium.history.live.settings import Live, StoppedError
from angarium.history.live.written import Events
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.results import Violation

GROWN = 4
"""What is remembered has grown by one in so many: then it is looked at what can be forgotten."""


@dataclass
class Batches:
    """The batches of one followed history."""

    folder: Folder
    parameters: Parameters
    live: Live
    stop: threading.Event = field(default_factory=threading.Event)
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self.progress = self.folder.progress()
        self.folder.forget_after(self.progress.batch)
        self.gate = Gate(self.live.lateness, self.progress.watermark)
        self.events = Events(self.folder.root / "events")
        self.events.look(self.progress.batch)
        self.remembered = Remembered()
        if self.progress.batch >= 0 and not self.progress.ended:
            self._resume()

    # --- going on ---------------------------------------------------------------------------------------

    def _resume(self) -> None:
        """Remember what the process before had in memory when it ended its last batch."""
        known = self.progress
        if known.snapshot >= 0:
            self.remembered, arrays = Remembered.load(self.folder.memory(known.snapshot))
            self.gate.digests, self.gate.times = arrays["gate.digests"], arrays["gate.times"]
        for number in range(known.snapshot + 1, known.batch + 1):
            first = self.events.first(number)
            for batch in self.events.of_batch(number):
                self.gate.marks(batch)
                self.remembered.take(batch, batch.first)
            recall(self.remembered, self.events, first)
        self.gate.newest = known.watermark + self.live.lateness if known.watermark else 0
        self.gate.passed()
        rows = np.flatnonzero(np.isin(self.remembered.origins, np.array(known.pins, np.int64)))
        self.remembered.pins |= set(rows.tolist())

    # --- batches ----------------------------------------------------------------------------------------

    def process(self, pieces: Iterable[Piece], position: Mapping[str, int]) -> Progress:
        """Judge the rows of a batch; where its source is then. StoppedError if it was to stop meanwhile."""
        begin, before = time.monotonic(), self.progress
        number, first = before.batch + 1, self.events.count
        with self.events.writing(number) as put:

            def accept(batch: Batch) -> None:
                if self.stop.is_set():
                    raise StoppedError
                self.remembered.take(batch, put(batch))

            intake = taken_in(pieces, self.gate, accept)
        recall(self.remembered, self.events, first)
        known = replace(self._with_intake(intake, before, number), position=dict(position))
        return self._judged(known, before, Span(before.watermark, self.gate.passed()), begin)

    def finish(self) -> Progress:
        """The stream has ended: judge everything that is left."""
        before = self.progress
        if before.batch < 0:  # nothing ever came: nothing is written, and the next run begins anew
            self.progress = replace(before, ended=True)
        if before.ended or before.batch < 0:
            return self.progress
        last = replace(before, batch=before.batch + 1, ended=True)
        return self._judged(last, before, Span(before.watermark, FOR_EVER), time.monotonic())

    def _with_intake(self, intake: Intake, before: Progress, number: int) -> Progress:
        """Write the quarantine; what is known of the history by then."""
        if intake.quarantine:
            written.write(self.folder.part("quarantine", number), tables.QUARANTINE, intake.quarantine)
        profiles = tuple(self._profiles().values())
        return replace(
            before,
            batch=number,
            accepted=before.accepted + intake.accepted,
            quarantined=added(before.quarantined, intake.reasons()),
            missing=before.missing + intake.lacking(),
            profiles=profiles,
            newest=max([before.newest, *(profile.end for profile in profiles)]),
        )

    def _profiles(self) -> dict[int, Profile]:
        encoder = self.remembered.encoder
        return encoder.tally.profiles(encoder.tables.runs.values)

    # --- judging ----------------------------------------------------------------------------------------

    def _judged(self, known: Progress, before: Progress, span: Span, begin: float) -> Progress:
        """Judge what became known in a span of time, and end the batch."""
        if span.until and self.remembered.rows:  # before there is a watermark nothing is known for certain
            known = self._with_findings(known, before, span)
        else:
            known = replace(known, retained=self.remembered.rows)
        known = replace(known, watermark=before.watermark if span.last else span.until)
        after = replace(known, seconds=round(time.monotonic() - begin, 3))
        self.folder.write_progress(after)
        self._tidy(after)
        self.progress = after
        return after

    def _with_findings(self, known: Progress, before: Progress, span: Span) -> Progress:
        """Fold, write what is found, and forget what does not matter any more."""
        encoder = self.remembered.encoder
        facts = Facts(
            encoder.tables,
            encoder.noted.others,
            self._profiles(),
            self.parameters,
            encoder.noted.may_read,
            encoder.noted.several,
        )
        folding = Followed(encoder, facts)
        folded = folding.folded()
        since = told_before(before, known.profiles, self.parameters, span)
        released = Released(self.remembered, self.events, folding, folded, since, span)
        found = released.violations()
        known = self._with_alerts(known, before, found, since)
        if span.last:
            return replace(known, retained=0)
        origins = self.remembered.origins
        self.remembered.pins.update(released.pinned)
        known = replace(known, pins=(*before.pins, *(int(origins[row]) for row in released.pinned)))
        return self._with_memory(known, folding, span)

    def _with_alerts(
        self, known: Progress, before: Progress, found: list[Violation], since: Since
    ) -> Progress:
        """Write findings and alerts; how many there are of each kind."""
        counts = Counter({(run, name, kind): count for run, name, kind, count in before.found})
        counts.update((each.run_id, each.guarantee, each.kind) for each in found)
        if found:
            rows = [asdict(each) for each in found]
            written.write(self.folder.part("findings", known.batch), tables.EXPLAINED, rows)
        return replace(
            known,
            found=tuple((*key, count) for key, count in sorted(counts.items())),
            judged=tuple(sorted({*since, *before.judged})),
            alerts=self.folder.write_alerts(before.alerts, _alerts(known.batch, found)),
        )

    def _with_memory(self, known: Progress, folding: Followed, span: Span) -> Progress:
        """Forget what does not matter any more, if much is new, and write down what is remembered."""
        looked = mattering(self.remembered, folding, span.until, self.live.memory(self.parameters))
        known = replace(
            known,
            open_messages=looked.open_messages,
            overdue=looked.overdue,
            retained=int(np.count_nonzero(looked.kept)),
        )
        if self.remembered.rows - self.remembered.settled < self.remembered.settled // GROWN:
            return known
        self.remembered.keep(looked.kept)
        folder = self.folder.memory(known.batch)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.remembered.save(folder, {"gate.digests": self.gate.digests, "gate.times": self.gate.times})
        return replace(known, snapshot=known.batch, pins=())

    def _tidy(self, after: Progress) -> None:
        """Put together what many batches have written that nobody will take once more."""
        before = min(after.batch, self.folder.oldest_snapshot() + 1)
        self.events.join_small(before, after.batch)
        for name in ("quarantine", "findings"):
            written.join_small(self.folder.root / name, before)


def _alerts(number: int, found: Iterable[Violation]) -> Iterator[Mapping[str, object]]:
    """Findings, each with an id that is always the same."""
    for each in found:
        facts = asdict(each)
        what = repr([facts[name] for name in tables.COMPARED]).encode()
        yield {"id": blake2b(what, digest_size=8).hexdigest(), "batch": number} | facts
