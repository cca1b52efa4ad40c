"""What came of driving a real queue, as people read it.

    my_queue.py: Keeps messages in a list.
      contract  Queue: Holds messages that were sent and not yet acknowledged.

      verdict   operation, and what its contract says
      ------------------------------------------------------------------------------
                empty: 412 calls, 97 answered True, 315 False
      unknown     answers True or False
      violated    ensure all(not res for _ in self.contents)

Calls prove nothing: what none of them broke is unknown, and the last lines say so. Each broken rule is told
by a short sequence of calls, with what ought to be in the queue behind each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from textwrap import wrap

from angarium.prove.monitor.drive import Driven
from angarium.prove.monitor.rules import Rule
from angarium.prove.monitor.stories import Broken, Told
from angarium.prove.monitor.wording import shown, shown_state
from angarium.report.layout import GAP, amount, duration, entry, paint
from angarium.verdict import Verdict

_MARGIN = "  "
_VERDICT = len("violated")
_HEADS = ("call", "answer", "what ought to be there then")
_UNKNOWN = (
    "Calls prove nothing: what none of them has broken stays unknown. More calls: --examples, --steps."
    " Others: --seed."
)
_FLAKY = (
    "The same calls did not break it again: it depends on something besides them, such as time, threads, or"
    " what an earlier queue has left behind."
)
_ADVICE = {
    "had not answered": "An operation that may be called must answer: see why it does not.",
    "time": "Raise --timeout, or drive it less with --examples.",
    "interrupted": "Let it run to the end, or drive it less with --examples.",
}
"""What to do about a run that was cut, by words of the reason."""


def render(
    subject: str, description: str, driven: Driven, *, width: int = 80, colourful: bool = False
) -> str:
    """The whole report."""
    page = _Page(width, colourful)
    parts = [
        page.header(subject, description, driven),
        page.verdicts(driven),
        page.summary(driven),
        *(page.violation(each) for each in driven.broken),
        page.end(driven),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    colourful: bool

    def wrapped(self, text: str) -> list[str]:
        return wrap(text, self.width, break_on_hyphens=False)

    def header(self, subject: str, description: str, driven: Driven) -> list[str]:
        first, *more = self.wrapped(f"{subject}: {description}" if description else subject)
        about = driven.specification
        text = f"{about.name}: {about.description}"
        lines = entry("contract", text, left=_VERDICT, width=self.width - len(_MARGIN))
        title = first.replace(subject, paint(subject, "title", self.colourful), 1)
        return [title, *more, *(f"{_MARGIN}{line}" for line in lines)]

    # --- verdicts ---------------------------------------------------------------------------

    def verdicts(self, driven: Driven) -> list[str]:
        head = f"{'verdict':<{_VERDICT}}{GAP}operation, and what its contract says"
        lines = [head, "-" * (self.width - len(_MARGIN))]
        for operation, rules in groupby(driven.verdicts, key=lambda each: each[0].operation):
            lines += self.row("", f"{operation}: {_calls(operation, driven)}")
            lines += [
                line for rule, verdict, _ in rules for line in self.row(verdict.value, f"  {rule.text}")
            ]
        return [f"{_MARGIN}{line}" for line in lines]

    def row(self, word: str, text: str) -> Iterator[str]:
        room = self.width - len(_MARGIN) - _VERDICT - len(GAP)
        first, *more = wrap(text, room, subsequent_indent=" " * 6, break_on_hyphens=False)
        painted = paint(f"{word:<{_VERDICT}}", word, self.colourful) if word else " " * _VERDICT
        yield f"{painted}{GAP}{first}"
        yield from (f"{'':<{_VERDICT}}{GAP}{line}" for line in more)

    def summary(self, driven: Driven) -> list[str]:
        log = driven.log
        made = f"Made {amount(log.calls.total(), 'call')} in {amount(log.sequences, 'sequence')}"
        return [*self.wrapped(f"{made} (seed {driven.plan.seed})."), f"Took {duration(driven.seconds)}."]

    def end(self, driven: Driven) -> list[str]:
        """What to make of it."""
        texts = [f"Cut before the end: {driven.cut}. {_advice(driven.cut)}"] if driven.cut else []
        if driven.weak:
            texts.append(f"It was not put to the test: {', '.join(driven.weak)}.")
        if any(verdict is Verdict.UNKNOWN for _, verdict, _ in driven.verdicts):
            texts.append(_UNKNOWN)
        return [line for text in texts for line in self.wrapped(text)]

    # --- stories ----------------------------------------------------------------------------

    def violation(self, broken: Broken) -> list[str]:
        operation, calls = broken.rule.operation, amount(len(broken.story), "call")
        plain = f"{operation} violated"
        first, *more = self.wrapped(f"{plain}: {_where(broken.rule)}, broken in {calls}.")
        title = f"{paint(operation, 'title', self.colourful)} {paint('violated', 'violated', self.colourful)}"
        remark = self.wrapped(_FLAKY) if broken.again is False else []
        return [
            first.replace(plain, title, 1),
            *more,
            "",
            *self.table(broken),
            *(["", *remark] if remark else []),
        ]

    def table(self, broken: Broken) -> list[str]:
        rows = [_HEADS, *_rows(broken)]
        room = self.width - len(_MARGIN)
        left = min(max(len(row[0]) for row in rows), room * 5 // 9)
        middle = min(max(len(row[1]) for row in rows), room // 4)
        widths = (left, middle, room - left - middle - 2 * len(GAP))
        head, *body = ([*_cells(row, widths)] for row in rows)
        lines = [*head, "-" * room, *(line for cells in body for line in cells)]
        return [f"{_MARGIN}{line}".rstrip() for line in lines]


def _calls(operation: str, driven: Driven) -> str:
    log = driven.log
    yes, no = log.answers[operation, True], log.answers[operation, False]
    answers = f", {yes:,} answered True, {no:,} False" if yes or no else ""
    return amount(log.calls[operation], "call") + answers


def _where(rule: Rule) -> str:
    return f"{rule.text} ({Path(rule.place.file).name}:{rule.place.line})"


def _advice(cut: str) -> str:
    return next(text for words, text in _ADVICE.items() if words in cut)


def _rows(broken: Broken) -> Iterator[tuple[str, str, str]]:
    *before, last = broken.story
    digits = len(str(len(broken.story)))
    for number, told in enumerate(before, 1):
        yield f"{number:>{digits}} {told.call}", _answer(told), shown_state(told.state)
    yield f"{len(broken.story):>{digits}} {last.call}", _answer(last), _should(broken)


def _answer(told: Told) -> str:
    return "raises" if told.call.raised else shown(told.call.answer)


def _should(broken: Broken) -> str:
    raised, allowed = broken.breach.call.raised, broken.breach.allowed
    what = f"{': '.join(filter(None, (type(raised).__name__, str(raised))))}; it " if raised else ""
    needed = " or ".join(shown(each) for each in allowed) or broken.rule.text.removeprefix("answers ")
    return f"{what}should have answered {needed}"


def _cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """A row's lines: each text wrapped in its own column."""
    texts = [wrap(text, width, break_on_hyphens=False) for text, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*texts, fillvalue=""):
        yield GAP.join(f"{part:<{width}}" for part, width in zip(parts, widths, strict=True))
