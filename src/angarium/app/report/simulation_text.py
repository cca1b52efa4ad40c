"""Simulations as text, and the words that all reports of simulations use.

What was simulated, the figures, what was met on the way.

    rabbitmq-sac: Apps balance queues by releasing what they have too much of.
      set       queues=10, apps=10
      schedule  by-action: one of the actions that are possible, ...

      observation      mean  ± 95 %    sd  min  5 %  median  95 %  max
      total-releases  18.32    0.17  8.82    1    6      17    35   63

With alternatives, each observation has a table of its own, with a row for each of them and one for the
difference. Walks prove nothing, so the end says which guarantees they leave unknown and how to check them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from textwrap import wrap

from angarium.app.report.layout import GAP, amount, duration, entry, paint, paragraphs, rounded
from angarium.app.report.text import Background, Teller, header, replay_command
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.checker.walks.results import Bin, Difference, End, Simulation, Statistic
from angarium.checker.walks.statistics import Comparison
from angarium.core.control import Cut, CutBy
from angarium.core.result import CheckVerdict, Parameters, Verdict, assigned

HEADS = ("mean", "± 95 %", "sd", "min", "5 %", "median", "95 %", "max")
"""What a row of figures shows; the second is how far the 95 % confidence interval reaches from the mean."""
BARS = 16
"""The most bars that a histogram has in a terminal."""
_EIGHTHS = "▏▎▍▌▋▊▉█"
_ENDS = {
    End.GOAL: "came to the goal",
    End.REST: "ended where nothing more could happen",
    End.LIMIT: "ended at the limit of steps",
}


def figure(value: float) -> str:
    """A figure as people read it: two digits behind the point, none if it is large."""
    if isnan(value):
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"


def figures(each: Statistic) -> tuple[str, ...]:
    """A statistic in the columns of `HEADS`; a dash where there is nothing to say."""
    if not each.count:
        return ("-",) * len(HEADS)
    share = each.quantiles
    counts = (each.minimum, share[0.05], share[0.5], share[0.95], each.maximum)
    measures = (each.mean, (each.high - each.low) / 2, each.sd)
    return (*map(figure, measures), *(f"{value:,}" for value in counts))


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines: the first column to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [GAP.join(map(_padded, row, widths, range(len(row)))).rstrip() for row in rows]


def _padded(word: str, width: int, column: int) -> str:
    return word.rjust(width) if column else word.ljust(width)


def bars(histogram: Sequence[Bin], width: int) -> Iterator[str]:
    """A histogram as lines of text: a range of figures, a bar, and how many there are."""
    bins = merged(histogram)
    labels, counts = _ranges(bins), [f"{each.count:,}" for each in bins]
    room = width - len(labels[0]) - max(map(len, counts)) - len(GAP) - 1
    most = max(each.count for each in bins)
    for each, label, words in zip(bins, labels, counts, strict=True):
        yield f"{label}{GAP}{_bar(each.count / most * room)} {words}"


def merged(histogram: Sequence[Bin]) -> list[Bin]:
    """The same histogram with few bins: neighbours are put together."""
    together = -(-len(histogram) // BARS)
    groups = [histogram[first : first + together] for first in range(0, len(histogram), together)]
    return [Bin(group[0].low, group[-1].high, sum(each.count for each in group)) for group in groups]


def _ranges(bins: Sequence[Bin]) -> list[str]:
    """The figures that each bin has, all equally wide."""
    places = max(len(str(end)) for each in bins for end in (each.low, each.high))
    if all(each.low == each.high for each in bins):
        return [f"{each.low:>{places}}" for each in bins]
    return [f"{each.low:>{places}} to {each.high:>{places}}" for each in bins]


def _bar(length: float) -> str:
    """A bar of so many columns, drawn in eighths; what is not nothing is at least the thinnest."""
    eighths = max(round(length * 8), int(length > 0))
    whole, rest = divmod(eighths, 8)
    return _EIGHTHS[-1] * whole + (_EIGHTHS[rest - 1] if rest else "")


def walks_made(each: Simulation) -> str:
    """How many walks there were, and how they ended."""
    planned = f" of {each.plan.runs:,}" if each.walks < each.plan.runs else ""
    made = f"Made {each.walks:,}{planned} {'walk' if each.plan.runs == 1 else 'walks'}"
    cut = f"; cut: {each.cut}" if each.cut else ""
    if not each.walks:
        return f"{made}{cut}."
    mean = f"{figure(each.extent.steps / each.walks)} steps each on average"
    return f"{made} (seed {each.plan.seed}): {_ended(each)}; {mean}{cut}."


def _ended(each: Simulation) -> str:
    seen = [(end, count) for end in End if (count := each.extent.ends.of(end))]
    if len(seen) == 1:
        return f"all {_ENDS[seen[0][0]]}"
    return ", ".join(f"{count:,} {_ENDS[end]}" for end, count in seen)


def not_counted(simulations: Sequence[Simulation]) -> str:
    """A remark on walks that gave no figures, if there are any."""
    if not any(each.goal for each in simulations):
        return ""
    missed = sum(each.walks - each.extent.ends.goal for each in simulations)
    if not missed:
        return ""
    return f"{amount(missed, 'walk')} did not come to the goal; the figures are of those that did."


def partly(simulation: Simulation) -> Iterator[str]:
    """Remarks on observations of which only some walks that count gave a figure, or none did."""
    counted = simulation.extent.ends.goal if simulation.goal else simulation.walks
    for each in simulation.statistics:
        if each.walks < counted:
            yield f"{each.observation}: figures of only {each.walks:,} of {amount(counted, 'walk')}."
    for name in simulation.unseen:
        yield f"{name}: no walk gave a figure{_TIMELESS if simulation.plan.schedule != 'rates' else '.'}"


_TIMELESS = "; if it is a time, that passes only with --schedule rates."


def check_command(subject: str, settings: Parameters) -> str:
    """The command that explores every run instead of some."""
    words = [word for each in assigned(settings) for word in ("--set", each)]
    return shlex.join(["angarium", "check", subject, *words])


# --- progress -------------------------------------------------------------------------------


def walking(planned: int, walks: int, steps: int, seconds: float) -> str:
    """A running simulation in one line."""
    speed = max(seconds, 1e-9)
    parts = [
        f"{rounded(walks)} of {rounded(planned)} walks",
        *_left(planned - walks, walks, seconds),
        f"{rounded(walks / speed)}/s",
        f"{rounded(steps / speed)} steps/s",
    ]
    return ", ".join(parts)


def sweeping(done: int, planned: int, seconds: float) -> str:
    """A running sweep in one line."""
    return ", ".join([f"{done:,} of {planned:,} scenarios", *_left(planned - done, done, seconds)])


def _left(left: int, done: int, seconds: float) -> list[str]:
    return [f"~{duration(left * seconds / done)} left"] if done and left > 0 else []


# --- simulation text ------------------------------------------------------------------------------


_MARGIN = "  "
_NOTHING_NAMED = (
    "The model names no observations, so there are none but how walks ended: docs/how-to/simulate.md says how"
    " to name some."
)
_NO_FIGURES = "No walk gave a figure of what the model observes."
_CUT = {
    CutBy.TIME: "Raise --timeout, or make fewer walks with --runs.",
    CutBy.INTERRUPT: "Let it run to the end, or make fewer walks with --runs.",
}
"""What to do about a simulation that was cut."""


@dataclass(frozen=True, slots=True)
class Page:
    """How wide and how colourful a report is, and how it tells stories."""

    width: int = 80
    colourful: bool = False
    tell: Teller | None = None

    def wrapped(self, *texts: str) -> list[str]:
        return [line for text in texts if text for line in wrap(text, self.width, break_on_hyphens=False)]

    def indented(self, lines: Iterable[str]) -> list[str]:
        return [f"{_MARGIN}{line}".rstrip() for line in lines]


def render(
    answer: Comparison,
    settings: Parameters,
    background: Background,
    *,
    shown: str,
    chosen: bool = False,
    page: Page,
) -> str:
    """The whole report; `shown` is the observation whose histogram is drawn.

    Alternatives are compared in all observations, unless this one was chosen.
    """
    one = answer.simulation
    statistics = (
        _compared(answer, shown if chosen else "", page) if answer.alternatives else [_table(one, page)]
    )
    nothing = [] if one.statistics else [page.wrapped(_NO_FIGURES if shown else _NOTHING_NAMED)]
    parts = [
        header(one.subject, one.parameters, background, page.width, page.colourful)
        + conditions(one.plan, one.goal, page),
        *statistics,
        *nothing,
        *([] if answer.alternatives else [_histogram(one, shown, page)]),
        _made(answer, page),
        *stories(_verdicts(answer), page),
        _proofs(answer, settings, page),
    ]
    return joined(parts)


def joined(parts: Iterable[Sequence[str]]) -> str:
    """Parts with an empty line between them."""
    return paragraphs(parts)


def conditions(plan: Plan, goal: str | None, page: Page) -> list[str]:
    """What the figures depend on beside the parameters."""
    asked = [("schedule", f"{plan.schedule}: {SCHEDULES[plan.schedule]}"), ("goal", goal)]
    room = page.width - len(_MARGIN)
    return [
        f"{_MARGIN}{line}" for label, text in asked if text for line in entry(label, text, left=8, width=room)
    ]


# --- figures --------------------------------------------------------------------------------


def _table(one: Simulation, page: Page) -> list[str]:
    if not one.statistics:
        return []
    rows = [(each.observation, *figures(each)) for each in one.statistics]
    return page.indented(ruled([("observation", *HEADS), *rows], page.width - len(_MARGIN)))


def ruled(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A table with a line under its head; if it is too wide, its first column stands above the others."""
    head, *body = columns(rows)
    if len(head) <= width:
        return [head, "-" * width, *body]
    head, *body = columns([("", *rest) for _, *rest in rows])
    lines = [line for (first, *_), each in zip(rows[1:], body, strict=True) for line in (first, each)]
    return [head, "-" * min(width, len(head)), *lines]


def _histogram(one: Simulation, shown: str, page: Page) -> list[str]:
    found = next((each for each in one.statistics if each.observation == shown), None)
    if found is None or not found.count:
        return []
    return [*_name(found, page), *page.indented(bars(found.histogram, page.width - len(_MARGIN)))]


def _name(each: Statistic, page: Page) -> list[str]:
    first, *more = page.wrapped(
        f"{each.observation}: {each.description}" if each.description else each.observation
    )
    return [first.replace(each.observation, paint(each.observation, "title", page.colourful), 1), *more]


# --- alternatives ---------------------------------------------------------------------------


def _compared(answer: Comparison, only: str, page: Page) -> list[list[str]]:
    names = [each.observation for each in answer.simulation.statistics]
    return [_side_by_side(answer, name, page) for name in names if only in ("", name)]


def _side_by_side(answer: Comparison, name: str, page: Page) -> list[str]:
    """One observation: a row for each alternative, the differences, and what they say."""
    found = [_named(each, name) for each in answer.all]
    rows = [(label, *figures(each)) for label, each in zip(answer.labels, found, strict=True) if each]
    differing = [
        (label, each)
        for label, one in answer.labelled
        for each in one.differences
        if each.observation == name
    ]
    rows += [_difference_row(each, len(differing) > 1, label) for label, each in differing]
    assert found[0]
    says = [_says(label, each, found[0]) for label, each in differing]
    table = ruled([("", *HEADS), *rows], page.width - len(_MARGIN))
    return [*_name(found[0], page), *page.indented(table), *page.wrapped(*says)]


def _named(one: Simulation, name: str) -> Statistic | None:
    return next((each for each in one.statistics if each.observation == name), None)


def _difference_row(each: Difference, several: bool, label: str) -> tuple[str, ...]:
    name = f"difference of {label}" if several else "difference"
    measures = (_signed(each.mean), figure((each.high - each.low) / 2))
    return (name, *measures, *[""] * (len(HEADS) - len(measures)))


def _signed(value: float) -> str:
    return f"+{figure(value)}" if value > 0 else figure(value)


def _says(label: str, each: Difference, usual: Statistic) -> str:
    if not each.is_clear:
        return f"No clear difference with {label}: it may as well be 0."
    share = f", {abs(100 * each.mean / usual.mean):.0f} %" if usual.mean else ""
    way, less = ("Fewer", "less") if each.mean < 0 else ("More", "more")
    return f"{way} with {label}: {figure(abs(each.mean))} {less} on average{share}."


# --- what was covered, and what it is worth ---------------------------------------------------


def _made(answer: Comparison, page: Page) -> list[str]:
    """How many walks were made, how they ended, and what that cost."""
    made = [
        f"{label}: {walks_made(each)}" if label else walks_made(each)
        for label, each in zip(answer.labels, answer.all, strict=True)
    ]
    cost = took(answer.all, sum(each.extent.seconds for each in answer.all))
    cuts = dict.fromkeys(advice(each.cut) for each in answer.all if each.cut)
    remarks = dict.fromkeys(remark for each in answer.all for remark in partly(each))
    return page.wrapped(*made, not_counted(answer.all), *remarks, cost, *cuts)


def took(simulations: Sequence[Simulation], seconds: float) -> str:
    """What walks cost."""
    one = simulations[0]
    walks, steps = (sum(getattr(each.extent, what) for each in simulations) for what in ("walks", "steps"))
    speed = max(seconds, 1e-9)
    where = "" if one.engine == "gpu" else f" on {amount(one.threads, 'thread')}"
    return (
        f"Took {duration(seconds)}{where} ({one.engine} engine):"
        f" {rounded(walks / speed)} walks/s, {rounded(steps / speed)} steps/s."
    )


def advice(cut: Cut) -> str:
    """What to do about a simulation that was cut."""
    return _CUT.get(cut.by, "Make fewer walks with --runs.")


def _verdicts(answer: Comparison) -> list[tuple[str, CheckVerdict]]:
    """Every verdict, with what tells its simulation apart."""
    simulations = zip(answer.labels, answer.all, strict=True)
    return [(label, each) for label, one in simulations for each in one.verdicts]


def stories(verdicts: Iterable[tuple[str, CheckVerdict]], page: Page) -> Iterator[list[str]]:
    """The story of everything that walks met: first what is violated, then what is witnessed."""
    met = [(label, each) for label, each in verdicts if each.story]
    for label, each in sorted(met, key=lambda pair: pair[1].verdict is not Verdict.VIOLATED):
        yield _story(label, each, page)


def _story(label: str, each: CheckVerdict, page: Page) -> list[str]:
    assert each.story
    word, steps = each.verdict.value, amount(len(each.story.steps), "step")
    plain, where = f"{each.guarantee} {word}", f" with {label}" if label else ""
    first, *more = page.wrapped(f"{plain}{where}: of the walks that met it, the shortest has {steps}.")
    title = f"{paint(each.guarantee, 'title', page.colourful)} {paint(word, word, page.colourful)}"
    told = ["", *page.tell(each.story).rstrip("\n").splitlines(), ""] if page.tell else []
    return [first.replace(plain, title, 1), *more, *told, *replay_command(each.story)]


def _proofs(answer: Comparison, settings: Parameters, page: Page) -> list[str]:
    one = answer.simulation
    changed = [each.changes for each in answer.alternatives]
    commands = [check_command(one.subject, {**settings, **each}) for each in ({}, *changed)]
    return proofs([each for _, each in _verdicts(answer)], commands, page)


def proofs(verdicts: Sequence[CheckVerdict], commands: Sequence[str], page: Page) -> list[str]:
    """Which guarantees walks leave unknown, and the commands that decide them."""
    unknown = dict.fromkeys(each.guarantee for each in verdicts if each.verdict is Verdict.UNKNOWN)
    if not unknown:
        return []
    says = f"Walks prove nothing: {', '.join(unknown)} {'stays' if len(unknown) == 1 else 'stay'} unknown."
    how = "To explore every run (with smaller parameters, if there are too many states):"
    return [*page.wrapped(f"{says} {how}"), *page.indented(commands)]
