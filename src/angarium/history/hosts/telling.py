"""An audit as it is told, whoever has made it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from angarium.history import written
from angarium.history.asked import Asked, Conducted
from angarium.history.automaton.against import Comparison, against
from angarium.history.automaton.words import Lived
from angarium.history.evidence.search import candidates, nearest
from angarium.history.explanations import explanation
from angarium.history.guarantees import NAMES
from angarium.history.intake.formats import Found as File
from angarium.history.kernel.audit import Audited
from angarium.history.remarks import MOST_JUMPS, jump, remarks
from angarium.history.results import Counts, Violation
from angarium.history.stories import CANDIDATES, HistoryStory, shortest
from angarium.history.story_events import Found
from angarium.history.summary import doubted
from angarium.history.told import Told, times_of

MOST_EXAMPLES = 5
"""Violations of a guarantee that are told by a sentence."""


@dataclass(frozen=True)
class Answers:
    """What a host can still be asked when everything is judged."""

    evidence: Callable[[Sequence[Violation]], Mapping[int, list[Found]]]
    """The events of stories, by the places of their violations."""
    lived: Callable[[], tuple[Sequence[Lived], Mapping[str, int]]]
    """The words of all lives, and how many lives of each run have others."""
    tables: Callable[[Path], None]
    """Write all tables into a folder."""


def conducted(
    asked: Asked, found: Sequence[File], counts: Counts, audited: Audited, answers: Answers, begin: float
) -> Conducted:
    """What came of an audit of files."""
    compared = _compared(asked.model, audited, answers) if asked.model else None
    if asked.out:
        written.write(asked.out, asked.parameters, counts, answers.tables)
    return Conducted(
        Told(
            files=tuple(str(each.file.path) for each in found if each.kind or each.fault),
            counts=counts,
            judgements=[*audited.judgements, *(compared.judgements if compared else ())],
            figures=audited.figures,
            examples=_examples(audited.violations),
            times=times_of(audited.latency),
            remarks=_remarks(asked, found, audited),
            seconds=time.monotonic() - begin,
        ),
        _stories(audited, answers),
        compared,
    )


def _compared(model: str, audited: Audited, answers: Answers) -> Comparison:
    """The history against a model, as far as the logs of its runs are whole."""
    lives, left = answers.lived()
    found = against(lives, left, model)
    judgements = tuple(doubted(each, audited.logs[each.run_id]) for each in found.judgements)
    return replace(found, judgements=judgements)


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


def _stories(audited: Audited, answers: Answers) -> list[HistoryStory]:
    chosen = candidates(audited.violations, CANDIDATES)
    counts = Counter(each.guarantee for each in audited.violations)
    return shortest(chosen, nearest(answers.evidence(chosen)), counts) if chosen else []
