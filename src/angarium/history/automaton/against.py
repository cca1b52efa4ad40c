"""A history held against a model: every life that it has, and whether the model has it too.

Lives were counted by their words; the words are few, and are read along the model's automata here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from angarium.core.result import Verdict
from angarium.history.automaton.judge import Finding, Judge
from angarium.history.automaton.letters import told, word
from angarium.history.automaton.projection import lives_of
from angarium.history.automaton.words import Lived
from angarium.history.results import Judgement


@dataclass(frozen=True, slots=True)
class Life:
    """A life of messages of a run, and what the model says of it."""

    run_id: str
    life: str
    word: str
    count: int
    destination: str
    message_id: str
    subscriber: str
    """One that had it, with the two before."""
    verdict: Verdict
    """Holds: the model has this life, if the assumptions are given up. Violated: it cannot happen."""
    assumptions: tuple[str, ...]
    cannot: str | None
    """What cannot happen."""
    reason: str | None
    """Why it is unknown."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A history against a model."""

    model: str
    lives: tuple[Life, ...]
    """The most frequent first."""
    judgements: tuple[Judgement, ...]
    """One a run: rows for the summary."""
    left: int
    """Lives that are not listed, because there are too many different ones."""


def against(lives: Sequence[Lived], left: Mapping[str, int], model: str) -> Comparison:
    """Hold a history against a model. `left`: lives of each run that are not among those given."""
    judge = Judge(lives_of(model))
    judged = tuple(_life(each, judge) for each in lives)
    return Comparison(model, judged, tuple(_judgements(model, judged, left)), sum(left.values()))


def _life(lived: Lived, judge: Judge) -> Life:
    letters = word(lived.word)
    finding = _uncertain(lived, judge.finding(letters))
    return Life(
        lived.run_id, told(letters), lived.word, lived.count, lived.destination, lived.message_id,
        lived.subscriber, finding.verdict, finding.dropped, finding.cannot, finding.reason,
    )  # fmt: skip


def _uncertain(lived: Lived, finding: Finding) -> Finding:
    """The finding, if the life is what happened."""
    if lived.resent and (finding.verdict == Verdict.VIOLATED or finding.dropped):
        return Finding(
            Verdict.UNKNOWN, reason="it was sent more than once, and the model sends a message once"
        )
    if lived.blurred and finding.verdict == Verdict.VIOLATED:
        return Finding(Verdict.UNKNOWN, reason="clocks differ, and the order of its events is not certain")
    if lived.cut and finding.verdict == Verdict.HOLDS:
        return Finding(Verdict.UNKNOWN, finding.dropped, reason="it is too long to be judged to its end")
    return finding


def _judgements(model: str, lives: Iterable[Life], left: Mapping[str, int]) -> list[Judgement]:
    by_run: dict[str, list[Life]] = defaultdict(list)
    for life in lives:
        by_run[life.run_id].append(life)
    return [_judgement(run, model, by_run[run], left.get(run, 0)) for run in sorted({*by_run, *left})]


def _judgement(run: str, model: str, lives: Sequence[Life], left: int) -> Judgement:
    counts = {verdict: sum(each.count for each in lives if each.verdict == verdict) for verdict in Verdict}
    wrong, unknown = counts[Verdict.VIOLATED], counts[Verdict.UNKNOWN] + left
    judged = counts[Verdict.HOLDS] + wrong
    verdict = Verdict.VIOLATED if wrong else Verdict.UNKNOWN if unknown or not judged else Verdict.HOLDS
    reasons = dict.fromkeys(each.reason for each in lives if each.reason)
    if left:
        reasons["there are too many different lives"] = None
    return Judgement(
        run, f"model {model}", verdict, judged, unknown, wrong, "; ".join(filter(None, reasons)) or None
    )
