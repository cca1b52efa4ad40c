"""A simulation as people read it: what was simulated, the figures, what was met on the way.

    rabbitmq-sac: Apps balance queues by releasing what they have too much of.
      set       queues=10, apps=10
      schedule  by-action: one of the actions that are possible, ...

      observation      mean  ± 95 %    sd  min  5 %  median  95 %  max
      total-releases  18.32    0.17  8.82    1    6      17    35   63

With alternatives, each observation has a table of its own, with a row for each of them and one for the
difference. Walks prove nothing, so the end says which guarantees they leave unknown and how to check them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from angarium.app.report.layout import amount, duration, entry, paint, paragraphs, rounded
from angarium.app.report.simulation_words import (
    HEADS,
    bars,
    check_command,
    columns,
    figure,
    figures,
    not_counted,
    partly,
    walks_made,
)
from angarium.app.report.text import Background, Teller, header, replay_command
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.checker.walks.results import Difference, Simulation, Statistic
from angarium.checker.walks.statistics import Comparison
from angarium.core.control import Cut, CutBy
from angarium.core.result import CheckVerdict, Parameters, Verdict

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
