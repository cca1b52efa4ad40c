"""A report as people read it: what was checked, the verdicts, what was covered, and the stories.

    rabbitmq-sac  Apps balance queues by releasing what they have too much of.
      set         queues=2
      default     apps=3, restarts=0

      verdict     guarantee       what it says
      holds       stays-in-range  every value, index and divisor is one that it can be

    Searched all 12,560 states ...

Stories of what is violated come before witnesses of what holds. Each has its address and the command that
shows it again. If anything is unknown, the last lines say what to do about it. A guarantee that claims
nothing of this scenario is unknown, and says why.

What would have saved it: other values of parameters under which a violated guarantee holds.

    It would hold with: queue=disk; or nsqd_crash=0.

Each was checked like the scenario itself, with everything else as it was.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from angarium.app.report.layout import (
    GAP,
    amount,
    duration,
    entry,
    memory,
    paint,
    paragraphs,
    rounded,
    widest,
)
from angarium.core.control import CutBy
from angarium.core.result import CheckVerdict, Coverage, Parameters, Report, Result, Story, Verdict, assigned

Teller = Callable[[Story], str]
"""A way to show a story."""
_MARGIN = "  "
_ADVICE = {
    CutBy.STATES: "Raise --max-states, or give smaller parameters with --set.",
    CutBy.MEMORY: "Raise --max-memory, or give smaller parameters with --set.",
    CutBy.FULL: "Give smaller parameters with --set, or run it where there is more memory.",
    CutBy.TIME: "Raise --timeout, or give smaller parameters with --set.",
    CutBy.INTERRUPT: "Let it run to the end, or give smaller parameters with --set.",
}
"""What to do about a search that was cut."""
_SHORTEST = ("range", "invariant", "at_rest", "reaches")
"""The kinds of guarantees whose stories are shortest runs."""
_SYMMETRY = "This model has interchangeable values: --symmetry makes the search much smaller."
_MANY = 100_000
"""With fewer states, speed and bytes a state only measure what it takes to begin."""


@dataclass(frozen=True, slots=True)
class Background:
    """What a reader wants to know of a model before its verdicts."""

    description: str = ""
    defaults: Parameters = field(default_factory=dict)
    faults: Sequence[str] = ()
    """Names of the steps in which something goes wrong."""
    symmetric: bool = False
    """Whether the model declares interchangeable values."""


def render(
    report: Report,
    background: Background,
    *,
    tell: Teller | None = None,
    width: int = 80,
    colourful: bool = False,
) -> str:
    """The whole report; stories are shown by `tell`, if at all."""
    page = _Page(width, colourful)
    parts = [
        page.header(report, background),
        page.verdicts(report.verdicts),
        page.coverage(report),
        *(page.story(each, tell) for each in _with_stories(report.verdicts)),
    ]
    if any(each.verdict is Verdict.UNKNOWN for each in report.verdicts):
        parts.append(page.advice(report, background.symmetric))
    return paragraphs(parts)


def heading(
    report: Result[CheckVerdict], background: Background, *, width: int = 80, colourful: bool = False
) -> str:
    """What was checked, without what was found."""
    return "\n".join(_Page(width, colourful).header(report, background))


def _with_stories(verdicts: Sequence[CheckVerdict]) -> list[CheckVerdict]:
    """Those that have a story: first what is violated, then what is witnessed."""
    told = [each for each in verdicts if each.story]
    return sorted(told, key=lambda each: each.verdict is not Verdict.VIOLATED)


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    colourful: bool

    # --- what was checked ---------------------------------------------------------------

    def header(self, report: Result[CheckVerdict], background: Background) -> list[str]:
        return header(report.subject, report.parameters, background, self.width, self.colourful)

    def indented(self, lines: Sequence[str]) -> list[str]:
        return [f"{_MARGIN}{line}" for line in lines]

    # --- verdicts -----------------------------------------------------------------------

    def verdicts(self, verdicts: Sequence[CheckVerdict]) -> list[str]:
        left = widest([each.guarantee for each in verdicts], len("guarantee"))
        head = f"{'verdict':<8}{GAP}{'guarantee':<{left}}{GAP}what it says"
        lines = [head, "-" * (self.width - len(_MARGIN))]
        for each in verdicts:
            lines += self.verdict(each, left)
        return self.indented(lines)

    def verdict(self, each: CheckVerdict, left: int) -> Iterator[str]:
        room = self.width - len(_MARGIN) - 8 - len(GAP)
        says, *more = _says(each)
        first, *rest = entry(each.guarantee, says, left=left, width=room)
        rest += [line for text in more for line in entry("", text, left=left, width=room)]
        word = each.verdict.value
        yield f"{paint(f'{word:<8}', word, self.colourful)}{GAP}{first}"
        yield from (f"{'':<8}{GAP}{line}" for line in rest)

    # --- coverage -----------------------------------------------------------------------

    def coverage(self, report: Report) -> list[str]:
        return [
            line
            for text in (_extent(report.coverage), *_never(report), _cost(report))
            for line in wrap(text, self.width, subsequent_indent=_MARGIN)
        ]

    # --- stories ------------------------------------------------------------------------

    def story(self, each: CheckVerdict, tell: Teller | None) -> list[str]:
        assert each.story
        words = _title(each, each.story)
        word = each.verdict.value
        first, *more = wrap(f"{each.guarantee} {word}: {words}", self.width, break_on_hyphens=False)
        plain = f"{each.guarantee} {word}"
        title = f"{paint(each.guarantee, 'title', self.colourful)} {paint(word, word, self.colourful)}"
        told = ["", *tell(each.story).rstrip("\n").splitlines(), ""] if tell else []
        saved = wrap(remedies_text(each.remedies), self.width, break_on_hyphens=False)
        gap = [""] if saved and told else []
        return [first.replace(plain, title, 1), *more, *told, *saved, *gap, *replay_command(each.story)]

    # --- what next ----------------------------------------------------------------------

    def advice(self, report: Report, symmetric: bool) -> list[str]:
        texts = [_EMPTY] if any(each.vacuous for each in report.verdicts) else []
        if any(each.verdict is Verdict.UNKNOWN and not each.vacuous for each in report.verdicts):
            texts.insert(0, self.undecided(report, symmetric))
        return [line for text in texts for line in wrap(text, self.width, break_on_hyphens=False)]

    def undecided(self, report: Report, symmetric: bool) -> str:
        """What to do about guarantees that the search could not decide."""
        cut = report.coverage.cut
        if cut is None:
            return _BEHIND_A_FAILURE
        advice = [_ADVICE[cut.by]] if cut.by in _ADVICE else []
        if report.coverage.complete:
            return " ".join([f"Unknown is not holds: runs were not judged ({cut}).", *advice])
        only_states = all(each.kind in _SHORTEST for each in report.verdicts)
        symmetry = [_SYMMETRY] if symmetric and only_states and not report.symmetry else []
        return " ".join(["Unknown is not holds: the search was cut.", *advice, *symmetry])


# --- words ----------------------------------------------------------------------------------


_BEHIND_A_FAILURE = (
    "Unknown is not holds: nothing is known of what comes behind a step that fails."
    " Mend what violates stays-in-range first."
)
_EMPTY = (
    "Unknown is not holds: a guarantee that claims nothing here was not put to the test."
    " Set parameters under which it claims something, or mend the guarantee."
)


def header(
    subject: str, parameters: Parameters, background: Background, width: int, colourful: bool
) -> list[str]:
    """What is looked at: the subject with its description, and the scenario."""
    about = " ".join(background.description.split("\n\n")[0].split())
    lines = wrap(f"{subject}: {about}" if about else subject, width)
    lines[0] = lines[0].replace(subject, paint(subject, "title", colourful), 1)
    for label, words in _scenario(parameters, background):
        if words:
            text = entry(label, ", ".join(words), left=8, width=width - len(_MARGIN))
            lines += [f"{_MARGIN}{line}" for line in text]
    return lines


def _scenario(parameters: Parameters, background: Background) -> list[tuple[str, list[str]]]:
    """Parameters that were set, those at their default, and what may go wrong."""
    defaults = background.defaults
    usual = {name: value for name, value in parameters.items() if defaults.get(name) == value}
    changed = {name: value for name, value in parameters.items() if name not in usual}
    return [
        ("set", assigned(changed)),
        ("default", assigned(usual)),
        ("faults", list(background.faults)),
    ]


def _says(verdict: CheckVerdict) -> list[str]:
    """What a guarantee says, of which runs, and why it may say nothing, or why no story is told."""
    fairness = "" if verdict.fairness == "none" else f" (fairness: {verdict.fairness})"
    nothing = [f"nothing claimed: {verdict.vacuous}"] if verdict.vacuous else []
    nothing += [verdict.untold] if verdict.untold else []
    says = f"{verdict.description}{fairness}".strip()
    return [says, *nothing] if says or not nothing else nothing


def _never(report: Report) -> list[str]:
    """The steps of which no verdict says anything, if there are such."""
    names = report.never_happened
    return [f"Never happened: {', '.join(names)}."] if names else []


def _extent(coverage: Coverage) -> str:
    counts = f"{amount(coverage.transitions, 'transition')}, {amount(coverage.depth, 'level')} deep"
    if coverage.complete:
        return f"Searched all {amount(coverage.states, 'state')}: {counts}."
    why = f"cut: {coverage.cut}" if coverage.cut else "stopped: every guarantee is decided"
    left = amount(coverage.frontier, "state")
    return f"Searched {amount(coverage.states, 'state')}: {counts}; {why}, with {left} still to expand."


def _cost(report: Report) -> str:
    coverage = report.coverage
    symmetry = ", with symmetry" if report.symmetry else ""
    where = "" if report.engine in ("gpu", "spark") else f" on {amount(report.threads, 'thread')}"
    why = f": {report.engine_because}" if report.engine_because else ""
    cost = f"Took {duration(coverage.seconds)}{where} ({report.engine} engine{symmetry}{why})"
    if coverage.states < _MANY:
        return f"{cost} and {memory(coverage.bytes)}."
    speed = coverage.states / max(coverage.seconds, 1e-9)
    each = coverage.bytes / coverage.states
    return f"{cost}: {rounded(speed)} states/s; {memory(coverage.bytes)}, {each:.1f} bytes a state."


def _title(verdict: CheckVerdict, story: Story) -> str:
    shown = "it is reached" if verdict.kind == "reaches" else "it is shown"
    what = "it breaks" if verdict.verdict is Verdict.VIOLATED else shown
    return f"{what} in {amount(len(story.steps), 'step')}{_length(verdict.kind, story)}."


def _length(kind: str, story: Story) -> str:
    """What is to be said of a run's length: a search finds a shortest one; one without end is only short."""
    if story.cycle is None:
        return ", and in no fewer" if kind in _SHORTEST else ""
    again = len(story.steps) - story.cycle
    if again == 0:
        return ", and then nothing more happens"
    if story.cycle == 0:
        return ", again and again for ever"
    last = "the last repeats" if again == 1 else f"the last {again} repeat"
    return f", of which {last} for ever"


def replay_command(story: Story) -> list[str]:
    """The command stands alone on its line, however long, so that it can be copied."""
    return [
        "Show it again (--as mermaid draws it, --as pytest makes a test of it):",
        f"{_MARGIN}angarium replay {shlex.quote(story.address)}",
    ]


# --- remedy ---------------------------------------------------------------------------------------


def remedies_text(remedies: Sequence[Parameters]) -> str:
    """One sentence; empty if nothing is known to help."""
    ways = [" and ".join(assigned(each)) for each in remedies]
    return f"It would hold with: {'; or '.join(ways)}." if ways else ""
