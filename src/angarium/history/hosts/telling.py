"""An audit as it is told, whoever has made it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from angarium.history.asked import Asked, Conducted
from angarium.history.evidence.search import candidates, nearest
from angarium.history.explanations import explanation
from angarium.history.guarantees import NAMES
from angarium.history.kernel.audit import Audited
from angarium.history.readers.formats import Found as File
from angarium.history.remarks import MOST_JUMPS, jump, remarks
from angarium.history.results import Counts, Violation
from angarium.history.stories import CANDIDATES, HistoryStory, shortest
from angarium.history.story_events import Found
from angarium.history.told import Told, times_of

MOST_EXAMPLES = 5
"""Violations of a guarantee that are told by a sentence."""
Evidence = Callable[[Sequence[Violation]], Mapping[int, list[Found]]]
"""The events of stories, by the places of their violations."""


def conducted(
    asked: Asked, found: Sequence[File], counts: Counts, audited: Audited, evidence: Evidence, begin: float
) -> Conducted:
    """What came of an audit of files."""
    return Conducted(
        Told(
            files=tuple(str(each.file.path) for each in found if each.kind or each.fault),
            counts=counts,
            judgements=audited.judgements,
            figures=audited.figures,
            examples=_examples(audited.violations),
            times=times_of(audited.latency),
            remarks=_remarks(asked, found, audited),
            seconds=time.monotonic() - begin,
        ),
        _stories(audited, evidence),
        None,
    )


def _remarks(asked: Asked, found: Sequence[File], audited: Audited) -> list[str]:
    strange = dict.fromkeys(name for each in found for name in each.unknown) if not asked.mapping else ()
    ignored = [str(each.file.path) for each in found if not each.kind and not each.fault]
    jumps = sorted(audited.jumps, key=lambda each: (each.run_id, each.recorder, each.seq))[:MOST_JUMPS]
    told = [jump(each.run_id, each.recorder, each.seq, each.back_by) for each in jumps]
    return [*told, *remarks(asked.paths, list(strange), ignored, audited.profiles.values())]


def _examples(violations: Sequence[Violation]) -> list[Violation]:
    """The first violations of each guarantee, with a sentence."""

    def order(violation: Violation) -> tuple[object, ...]:
        seq = violation.last_seq
        return violation.found_at, violation.run_id, violation.last_recorder, seq is not None, seq or 0

    found: list[Violation] = []
    for name in NAMES:
        mine = sorted((each for each in violations if each.guarantee == name), key=order)
        found += [replace(each, explanation=explanation(each)) for each in mine[:MOST_EXAMPLES]]
    return found


def _stories(audited: Audited, evidence: Evidence) -> list[HistoryStory]:
    chosen = candidates(audited.violations, CANDIDATES)
    counts = Counter(each.guarantee for each in audited.violations)
    return shortest(chosen, nearest(evidence(chosen)), counts) if chosen else []
