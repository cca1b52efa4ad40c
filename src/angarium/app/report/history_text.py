"""An audit as people read it: what was read, the verdicts, what happened, and what went wrong.

    guarantee              rmq-classic
    ----------------------------------------------
    no-loss                holds     10,000 judged

A few runs stand side by side; of many, each guarantee has one line with the number of runs that keep it.

A history's story as plain text: what happened, when, and between whom.

      after    p0     orders c1       what happens
    ------------------------------------------------------------------------
      0.000 s  |------>      |        p0 sends p0-7
    ! 0.004 s  <------|      |        orders confirms p0-7 to p0

The two events that prove the violation are marked by `!`. Where many take part there are no arrows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from textwrap import wrap

from angarium.app.report.layout import GAP, amount, duration, paint, paragraphs, printable, widest, wrapped
from angarium.core.result import Verdict
from angarium.history.automaton.against import Comparison, Life
from angarium.history.explanations import seconds, time_of_day
from angarium.history.guarantees import GUARANTEES
from angarium.history.result import AuditResult
from angarium.history.results import Judgement, Violation
from angarium.history.sequence import arrows
from angarium.history.stories import HistoryStory, StoryRow
from angarium.history.told import Times, Told
from angarium.history.written import TABLES

SIDE_BY_SIDE = 3
"""How many runs have columns of their own."""
_COLUMN = 22
"""How wide the column of a run is."""
MOST_NAMES, MOST_EXAMPLES, MOST_LIVES = 4, 3, 6
_MARGIN = "  "
_PROMISES = {guarantee.name: guarantee.promise for guarantee in GUARANTEES}
_FIGURES = (
    ("messages attempted", "attempted"),
    ("confirmed", "confirmed"),
    ("never confirmed nor delivered", "unconfirmed"),
    ("delivered", "delivered"),
    ("deliveries", "deliveries"),
    ("messages delivered again", "redelivered"),
    ("most deliveries of one", "max_deliveries"),
    ("requeues", "requeues"),
    ("unseen at the end", "unseen"),
    ("lost", "lost"),
)
_TIMES = {"confirm": "send to confirmation", "deliver": "send to delivery", "settle": "delivery to ack"}


def render(result: AuditResult, *, width: int = 80, colourful: bool = False, out: Path | None = None) -> str:
    """The whole answer; with the folder of the tables, also where they are."""
    found = result.found
    assert found, "what was read from a record has lost what its audit knew"
    page = _Page(found.told, width, colourful)
    parts = [
        page.header(),
        page.quarantine(),
        page.verdicts(),
        page.reasons(),
        page.figures(),
        page.times(),
        *page.violations(),
        *([render_story(story, width)] for story in found.stories),
        page.lives(found.comparison),
        page.remarks(),
        page.footer(out),
    ]
    return paragraphs(parts)


@dataclass(frozen=True, slots=True)
class _Page:
    told: Told
    width: int
    colourful: bool

    def wrapped(self, text: str, margin: str = "") -> list[str]:
        return wrapped(text, self.width, margin)

    @property
    def few(self) -> bool:
        """Whether the runs have room side by side."""
        needed = len(_MARGIN) + max(map(len, _PROMISES)) + _COLUMN * len(self.told.runs)
        return len(self.told.runs) <= SIDE_BY_SIDE and needed <= self.width

    # --- what was read ------------------------------------------------------------------------

    def header(self) -> list[str]:
        counts, runs = self.told.counts, self.told.runs
        named = ", ".join(runs[:MOST_NAMES]) + (", …" if len(runs) > MOST_NAMES else "")
        read = f"{amount(counts.accepted, 'event')} of {amount(len(self.told.files), 'file')}"
        return self.wrapped(f"{amount(len(runs), 'run')} ({named}): {read}.")

    def quarantine(self) -> list[str]:
        counts = self.told.counts
        if not counts.quarantined:
            return []
        rows = f"{counts.quarantined:,} of {amount(counts.read, 'row')}"
        lines = self.wrapped(f"In quarantine, because they do not fit the schema: {rows}.")
        for reason, count in sorted(counts.reasons.items(), key=lambda item: -item[1]):
            lines += self.wrapped(f"{count:,}: {reason}", _MARGIN)
        return lines

    # --- verdicts -----------------------------------------------------------------------------

    def verdicts(self) -> list[str]:
        named = list(dict.fromkeys(each.guarantee for each in self.told.judgements))
        left = widest(named, len("guarantee"))
        lines = [self.heads(left), "-" * (self.width - len(_MARGIN))]
        lines += [self.line(name, left) for name in named]
        return [f"{_MARGIN}{line}" for line in lines]

    def heads(self, left: int) -> str:
        runs = self.told.runs
        heads = [f"{self.cut(run):<20}" for run in runs] if self.few else ["runs"]
        return GAP.join([f"{'guarantee':<{left}}", *heads]).rstrip()

    def cut(self, run: str) -> str:
        name = printable(run)
        return name if len(name) <= 20 else f"{name[:19]}…"

    def line(self, name: str, left: int) -> str:
        judgements = self.told.of(name)
        cells = [self.cell(each) for each in judgements] if self.few else [self.tally(judgements)]
        return GAP.join([f"{name:<{left}}", *cells]).rstrip()

    def cell(self, judgement: Judgement) -> str:
        count = judgement.violations or judgement.judged
        number = f"{count:>10,}" if count else f"{'':>10}"
        word = f"{judgement.verdict.value:<8}"
        return f"{paint(word, judgement.verdict.value, self.colourful)}{GAP}{number}"

    def tally(self, judgements: Sequence[Judgement]) -> str:
        counts = Counter(each.verdict for each in judgements)
        order = (Verdict.VIOLATED, Verdict.HOLDS, Verdict.UNKNOWN)
        told = [
            paint(f"{verdict.value} in {counts[verdict]:,}", verdict.value, self.colourful)
            for verdict in order
            if counts[verdict]
        ]
        return ", ".join(told)

    def reasons(self) -> list[str]:
        """Why something is unknown, each reason once, with what it concerns."""
        concerned: dict[str, list[str]] = {}
        for each in self.told.judgements:
            if each.reason:
                concerned.setdefault(each.reason, []).append(each.guarantee)
        lines = ["Not judged, or not wholly:"] if concerned else []
        for reason, names in concerned.items():
            which = ", ".join(dict.fromkeys(names))
            lines += self.wrapped(f"{which}: {reason}", _MARGIN)
        return lines

    # --- what happened --------------------------------------------------------------------------

    def figures(self) -> list[str]:
        figures = self.told.figures
        if not figures or not self.few:
            return []
        left = widest([label for label, _ in _FIGURES])
        rows = [(label, [getattr(each, name) for each in figures]) for label, name in _FIGURES]
        told = [(label, values) for label, values in rows if any(values) or label == "lost"]
        head = GAP.join([f"{'':<{left}}", *(f"{self.cut(each.run_id):>20}" for each in figures)])
        lines = [head] if len(figures) > 1 else []
        lines += [GAP.join([f"{label:<{left}}", *(f"{n:>20,}" for n in values)]) for label, values in told]
        return [f"{_MARGIN}{line}" for line in lines]

    def times(self) -> list[str]:
        if not self.told.times or not self.few:
            return []
        lines = [f"{'':<20}{GAP}{'median':>18}{GAP}{'99 %':>18}{GAP}{'longest':>9}"]
        for run, of_run in groupby(self.told.times, key=lambda each: each.run_id):
            lines += [self.cut(run)] if len(self.told.runs) > 1 else []
            lines += [self.times_of(each) for each in of_run]
        return [f"{_MARGIN}{line}" for line in lines]

    def times_of(self, each: Times) -> str:
        between = (range_of(time.low, time.high) for time in (each.median, each.most))
        cells = [*(f"{time:>18}" for time in between), f"{duration_of(each.longest):>9}"]
        return GAP.join([f"{_TIMES[each.kind]:<20}", *cells])

    # --- what went wrong --------------------------------------------------------------------------

    def violations(self) -> list[list[str]]:
        broken = [name for name in _PROMISES if any(each.violations for each in self.told.of(name))]
        return [self.violated(name) for name in broken]

    def violated(self, name: str) -> list[str]:
        count = sum(each.violations for each in self.told.of(name))
        certain = any(each.verdict is Verdict.VIOLATED for each in self.told.of(name))
        seems = "" if certain else "seems to be "
        lines = self.wrapped(f"{name} {seems}violated {amount(count, 'time')}: {_PROMISES[name]}.")
        lines[0] = lines[0].replace("violated", paint("violated", "violated", self.colourful), 1)
        examples = [each for each in self.told.examples if each.guarantee == name]
        for each in examples[:MOST_EXAMPLES]:
            lines += self.wrapped(self.example(each), _MARGIN)
        left = count - len(examples[:MOST_EXAMPLES])
        return lines + ([f"{_MARGIN}and {left:,} more"] if left else [])

    def example(self, violation: Violation) -> str:
        run = f"{violation.run_id}: " if len(self.told.runs) > 1 else ""
        return f"{run}{violation.explanation}"

    def remarks(self) -> list[str]:
        return [line for remark in self.told.remarks for line in self.wrapped(remark)]

    def lives(self, comparison: Comparison | None) -> list[str]:
        """The lives of messages, as the model sees them: the most frequent, and all that it does not have."""
        if comparison is None:
            return []
        wrong = [life for life in comparison.lives if life.verdict is not Verdict.HOLDS]
        right = [life for life in comparison.lives if life.verdict is Verdict.HOLDS][:MOST_LIVES]
        lines = [f"Lives of messages, against the model {comparison.model}:"]
        for life in [*right, *wrong[:MOST_LIVES]]:
            lines += self.wrapped(f"{life.count:,} x {life.life}", _MARGIN)
            lines += self.wrapped(_seen_by_model(life), _MARGIN * 3)
        left = len(comparison.lives) - len(right) - len(wrong[:MOST_LIVES])
        return lines + ([f"{_MARGIN}and {amount(left, 'other kind')} of life"] if left else [])

    def footer(self, out: Path | None) -> list[str]:
        lines = [f"Took {duration(self.told.seconds)}."]
        return lines + ([f"Tables: {out}/{{{','.join(TABLES)}}}"] if out else [])


def _seen_by_model(life: Life) -> str:
    if life.verdict is Verdict.VIOLATED:
        return f"cannot happen: {life.cannot} (for example {life.message_id})"
    if life.verdict is Verdict.UNKNOWN:
        return f"not judged: {life.reason}"
    if life.assumptions:
        return f"happens only without the assumption: {', '.join(life.assumptions)}"
    return "happens though nothing fails"


def duration_of(nanoseconds: int) -> str:
    """A short time as people say it: 3.1 ms."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds} ns"


def range_of(low: int, high: int) -> str:
    """Between which times something lies: 2.05 to 2.21 ms; one of them, if they look the same."""
    one, other = duration_of(low), duration_of(high)
    number, unit = one.split()
    return other if one == other else f"{number if other.endswith(f' {unit}') else one} to {other}"


# --- history story --------------------------------------------------------------------------------


_GAP = "  "


def render_story(story: HistoryStory, width: int = 80) -> str:
    """The story with what it proves, and how to find it again."""
    return printable("\n".join(line.rstrip() for line in _lines(story, width)))


def _lines(story: HistoryStory, width: int) -> Iterator[str]:
    yield from wrap(f"{story.guarantee}: {story.explanation}", width, subsequent_indent="  ")
    drawn = arrows(story) or [""] * (len(story.rows) + 1)
    times = [_time(row) for row in story.rows]
    left = max(map(len, ["after", *times]))
    yield f"  {'after':<{left}}{_GAP}{drawn[0]}{_GAP if drawn[0] else ''}what happens"
    yield "-" * width
    for row, time, arrow in zip(story.rows, times, drawn[1:], strict=True):
        head = f"{'!' if row.proof else ' '} {time:>{left}}{_GAP}{arrow}{_GAP if arrow else ''}"
        text = wrap(row.text, width - len(head), subsequent_indent="  ", break_on_hyphens=False)
        below = " " * len(head)
        for first, line in zip_longest([head], text, fillvalue=""):
            yield (first or below) + line
    yield "-" * width
    yield from wrap(_end(story), width, subsequent_indent="  ", break_on_hyphens=False)


def _time(row: StoryRow) -> str:
    return "" if row.cut else seconds(row.after)


def _end(story: HistoryStory) -> str:
    others = f"; {amount(story.others, 'other violation')} of it" if story.others else ""
    return f"begins at {time_of_day(story.begins)}, address {story.address}{others}"
