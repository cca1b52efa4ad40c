"""What came of driving a real queue, as people read it.

    my_queue.py: Keeps messages in a list.
      contract    Queue: Holds messages that were sent and not yet acknowledged.

      verdict     operation, and what its contract says
      ------------------------------------------------------------------------------
                  empty: 412 calls, 97 answered True, 315 False
      not broken    answers True or False
      violated      ensure all(not res for _ in self.contents)

Calls prove nothing: what none of them broke is only not broken, and the last lines say so; it is unknown if
not all calls were made that were to be made. Each broken rule is told by a short sequence of calls, with what
ought to be in the queue behind each.

Sequences of calls in three columns: the call, what it answered, and what ought to be there then.

Where these do not fit side by side, because numbers or payloads are long, the third stands below the others.

The last row of a story says what is wrong instead: what should have been answered, or which conjecture is
false of the state, or that no answer came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TypeAlias

from angarium.app.report.layout import GAP, amount, duration, entry, paint, paragraphs
from angarium.contracts.monitor.drive import Driven
from angarium.contracts.monitor.real_values import alternatives, shown, shown_state
from angarium.contracts.monitor.results import ConformResult
from angarium.contracts.monitor.rules import Rule
from angarium.contracts.monitor.shortest import Broken, ShownCall
from angarium.core.control import CutBy
from angarium.core.result import Verdict

_MARGIN = "  "
_NOT_BROKEN = "not broken"
_VERDICT = len(_NOT_BROKEN)
_COLOURS = {_NOT_BROKEN: "unknown"}
_NO_PROOF = (
    "Calls prove nothing: `not broken` means that none of these calls has broken it. More calls: --examples,"
    " --steps. Others: --seed."
)
_UNSTEADY = (
    "The same calls were not always answered in the same way: it depends on something besides them, such as"
    " chance, time, threads, or what an earlier queue has left behind. New queues must be empty."
)
_FLAKY = (
    "The same calls did not break it again: it depends on something besides them, such as time, threads, or"
    " what an earlier queue has left behind."
)
_FIRST_CALL = (
    "This was the first call of a new object, which must be as if there had never been another: it must not"
    " find what an earlier one has left behind."
)
_HANGS = "An operation that may be called must answer: see why it does not."
_ADVICE = {
    CutBy.TIME: "Raise --timeout, or drive it less with --examples.",
    CutBy.INTERRUPT: "Let it run to the end, or drive it less with --examples.",
}
"""What to do about a run that was cut."""


def render(result: ConformResult, *, width: int = 80, colourful: bool = False) -> str:
    """The whole report."""
    driven = result.driven
    assert driven, "a record has texts instead of values"
    page = _Page(width, colourful)
    parts = [
        page.header(result.subject, result.description, driven),
        page.verdicts(driven),
        page.summary(driven),
        *(page.violation(each) for each in driven.broken),
        page.hanging(driven),
        page.end(driven),
    ]
    return paragraphs(parts)


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
            for rule, verdict, _ in rules:
                lines += self.row(_word(rule, verdict, driven), f"  {rule.text}")
        return self.indented(lines)

    def row(self, word: str, text: str) -> Iterator[str]:
        room = self.width - len(_MARGIN) - _VERDICT - len(GAP)
        first, *more = wrap(text, room, subsequent_indent=" " * 6, break_on_hyphens=False)
        painted = (
            paint(f"{word:<{_VERDICT}}", _COLOURS.get(word, word), self.colourful) if word else " " * _VERDICT
        )
        yield f"{painted}{GAP}{first}"
        yield from (f"{'':<{_VERDICT}}{GAP}{line}" for line in more)

    def summary(self, driven: Driven) -> list[str]:
        log = driven.log
        made = f"Made {amount(log.calls.total(), 'call')} in {amount(log.sequences, 'sequence')}"
        relations = [each.name for each in driven.specification.state if each.arguments]
        held = [f"{name} held at most {log.held[name]:,}" for name in relations]
        return [
            *self.wrapped(f"{made} (seed {driven.plan.seed})" + "".join(f"; {each}" for each in held) + "."),
            f"Took {duration(driven.seconds)}.",
        ]

    def end(self, driven: Driven) -> list[str]:
        """What to make of it."""
        texts = []
        if cut := driven.cut:
            texts.append(f"Cut before the end: {cut}. {_HANGS if driven.hanging else _ADVICE[cut.by]}")
        if driven.weak:
            texts.append(f"It was not put to the test: {', '.join(driven.weak)}.")
        if driven.log.unsteady:
            texts.append(_UNSTEADY)
        if any(_word(rule, verdict, driven) == _NOT_BROKEN for rule, verdict, _ in driven.verdicts):
            texts.append(_NO_PROOF)
        return [line for text in texts for line in self.wrapped(text)]

    # --- stories ----------------------------------------------------------------------------

    def violation(self, broken: Broken) -> list[str]:
        operation, calls = broken.rule.operation, amount(len(broken.story), "call")
        plain = f"{operation} violated"
        first, *more = self.wrapped(f"{plain}: {_where(broken.rule)}, broken in {calls}.")
        title = f"{paint(operation, 'title', self.colourful)} {paint('violated', 'violated', self.colourful)}"
        remark = self.wrapped(_remark(broken))
        return [
            first.replace(plain, title, 1),
            *more,
            "",
            *self.indented(broken_table(broken, self.width - len(_MARGIN))),
            *(["", *remark] if remark else []),
        ]

    def hanging(self, driven: Driven) -> list[str]:
        """The calls that led to one that did not answer."""
        if not driven.hanging:
            return []
        title = self.wrapped(f"{driven.hanging[-1].call} had not answered, as call {len(driven.hanging):,}.")
        return [*title, "", *self.indented(hanging_table(driven.hanging, self.width - len(_MARGIN)))]

    def indented(self, lines: list[str]) -> list[str]:
        return [f"{_MARGIN}{line}" for line in lines]


def _word(rule: Rule, verdict: Verdict, driven: Driven) -> str:
    is_tested = verdict is Verdict.UNKNOWN and driven.was_tested(rule)
    return _NOT_BROKEN if is_tested else verdict.value


def _calls(operation: str, driven: Driven) -> str:
    """How often an operation was called; a conjecture is looked at behind every call."""
    log = driven.log
    if operation not in {each.name for each in driven.specification.contracts}:
        return "behind every call" if driven.is_watched(operation) else "it can be proved, but not be watched"
    yes, no = log.answers[operation, True], log.answers[operation, False]
    answers = f", {yes:,} answered True, {no:,} False" if yes or no else ""
    return amount(log.calls[operation], "call") + answers


def _remark(broken: Broken) -> str:
    if broken.again is False:
        return _FLAKY
    return _FIRST_CALL if len(broken.story) == 1 and broken.violation.call.raised is None else ""


def _where(rule: Rule) -> str:
    return f"{rule.text} ({Path(rule.place.file).name}:{rule.place.line})"


# --- conform story --------------------------------------------------------------------------------


Row: TypeAlias = tuple[str, str, str]
_HEADS: Row = ("call", "answer", "what ought to be there then")
_FIRST, _LAST = 5, 15
"""Of many calls, only these are shown."""


def broken_table(broken: Broken, width: int) -> list[str]:
    """How a rule was broken."""
    return _table([*_in_part(_rows(broken.story[:-1], len(broken.story))), _last_row(broken)], width)


def hanging_table(told: Sequence[ShownCall], width: int) -> list[str]:
    """The last calls before one that did not answer."""
    *before, last = told
    answered = ((call, answer, "") for call, answer, _ in _rows(before, len(told)))
    state = f"{shown_state(last.state)}; it had not answered"
    return _table([*_in_part(answered), (f"{len(told)} {last.call}", "none", state)], width)


def _in_part(rows: Iterable[Row]) -> list[Row]:
    """All rows, or of many the first and the last."""
    known = list(rows)
    left_out = len(known) - _FIRST - _LAST
    if left_out <= 1:
        return known
    return [*known[:_FIRST], (f"... {left_out:,} more calls", "", "(--json shows all)"), *known[-_LAST:]]


def _rows(told: Sequence[ShownCall], length: int) -> Iterator[Row]:
    digits = len(str(length))
    for number, each in enumerate(told, 1):
        yield f"{number:>{digits}} {each.call}", _answer(each), shown_state(each.state)


def _last_row(broken: Broken) -> Row:
    last = broken.story[-1]
    return f"{len(broken.story)} {last.call}", _answer(last), _what_is_wrong(broken)


def _answer(told: ShownCall) -> str:
    return shown(told.call.answer) if told.call.raised is None else "raises"


def _what_is_wrong(broken: Broken) -> str:
    violation = broken.violation
    if violation.why:
        return f"{shown_state(violation.after or violation.before)}; {violation.why}"
    raised = violation.call.raised
    what = (
        f"{': '.join(filter(None, (type(raised).__name__, str(raised))))}; it " if raised is not None else ""
    )
    return f"{what}should have answered{_needed(broken.rule, violation.allowed)}"


def _needed(rule: Rule, allowed: Sequence[object]) -> str:
    if allowed:
        return f" {alternatives(allowed)}"
    kind, _, rest = rule.text.partition(" ")
    return f" something with {rest}" if kind == "ensure" else rule.text.removeprefix("answers")


def _table(body: Sequence[Row], width: int) -> list[str]:
    """In columns, if they are wide enough."""
    columns = list(zip(_HEADS, *body, strict=True))
    left, middle = (max(map(len, cells)) for cells in columns[:2])
    right = width - left - middle - 2 * len(GAP)
    if right < max(len(word) for cell in columns[2] for word in (_HEADS[2], *cell.split())):
        return _stacked(body, width)
    head, *others = ([*_cells(row, (left, middle, right))] for row in (_HEADS, *body))
    return [*head, "-" * width, *(line for cells in others for line in cells)]


def _stacked(body: Sequence[Row], width: int) -> list[str]:
    """Long numbers and payloads need whole lines."""
    lines = [f"{_HEADS[0]} -> {_HEADS[1]}, and {_HEADS[2]}", "-" * width]
    for call, answer, then in body:
        lines += wrap(f"{call} -> {answer}" if answer else call, width, subsequent_indent=" " * 4)
        lines += wrap(then, width, initial_indent=" " * 4, subsequent_indent=" " * 6)
    return lines


def _cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """A row's lines: each text wrapped in its own column."""
    texts = [wrap(text, width, break_on_hyphens=False) for text, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*texts, fillvalue=""):
        yield GAP.join(f"{part:<{width}}" for part, width in zip(parts, widths, strict=True)).rstrip()
