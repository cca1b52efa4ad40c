"""An audit as it is told: plain data of bounded size, whatever the size of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from angarium.core.result import Verdict, worst
from angarium.history.guarantees import GUARANTEES
from angarium.history.results import Counts, Figures, Judgement, Violation

KINDS = ("confirm", "deliver", "settle")


@dataclass(frozen=True, slots=True)
class Between:
    """Two times that were measured, in nanoseconds; one that is not kept lies between them."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Times:
    """How long something took in a run."""

    run_id: str
    kind: str
    count: int
    median: Between
    most: Between
    """The 99th percentile."""
    longest: int
    """As it was measured, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Told:
    """What an audit found."""

    files: Sequence[str]
    counts: Counts
    judgements: Sequence[Judgement]
    figures: Sequence[Figures]
    examples: Sequence[Violation]
    """The first few violations of each guarantee."""
    times: Sequence[Times]
    remarks: Sequence[str]
    """What else a reader should know: columns that were not understood, clocks that went back."""
    seconds: float

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in the order of their first judgement."""
        return list(dict.fromkeys(each.run_id for each in self.judgements))

    def of(self, guarantee: str) -> list[Judgement]:
        """The judgements of a guarantee, one a run."""
        return [each for each in self.judgements if each.guarantee == guarantee]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each guarantee over all runs; what no run could judge is unknown."""
        named = {guarantee.name: self.of(guarantee.name) for guarantee in GUARANTEES if guarantee.kinds}
        return {name: over_runs(each) for name, each in named.items() if each}

    @property
    def verdict(self) -> Verdict:
        """The worst of what could be judged; unknown if nothing could be."""
        return over_runs(self.judgements)


def over_runs(judgements: Sequence[Judgement]) -> Verdict:
    """What holds of several judgements: those that could not be judged at all do not count beside others.

    A history has only the events of its system, so that most guarantees of most runs are not asked for. One
    that was asked and could not be answered because something is missing stays unknown; and of a run with a
    flawed log, what could not be judged may be what is missing.
    """
    asked = [each for each in judgements if each.judged or each.violations or each.doubtful]
    return worst(each.verdict for each in asked) if asked else Verdict.UNKNOWN


Bucket = tuple[int, int, int]
"""How many times are in it, the shortest and the longest of them."""


def times_of(rows: Iterable[tuple[str, str, int, int, int, int]]) -> list[Times]:
    """The figures of histograms, from rows of `tables.LATENCY`."""
    histograms: dict[tuple[str, str], dict[int, Bucket]] = {}
    for run, kind, bucket, *times in rows:
        histograms.setdefault((run, kind), {})[bucket] = (times[0], times[1], times[2])
    ordered = sorted(histograms.items(), key=lambda item: (item[0][0], KINDS.index(item[0][1])))
    return [_times(run, kind, histogram) for (run, kind), histogram in ordered]


def _times(run: str, kind: str, histogram: Mapping[int, Bucket]) -> Times:
    count = sum(bucket[0] for bucket in histogram.values())
    _, _, longest = histogram[max(histogram)]
    return Times(run, kind, count, quantile(histogram, 0.5), quantile(histogram, 0.99), longest)


def quantile(histogram: Mapping[int, Bucket], share: float) -> Between:
    """Where the time lies up to which a share of all are: between two that were measured."""
    due = share * sum(bucket[0] for bucket in histogram.values())
    seen = 0
    for _, (count, shortest, longest) in sorted(histogram.items()):
        seen += count
        if seen >= due:
            return Between(shortest, longest)
    raise ValueError("there is no quantile of nothing")
