"""What else an answer holds of what went wrong: findings in a mesh, counterexamples of a proof, changes of
settings that would mend it.

Stories: drawn, and step by step in a table below that.

The first story of a claim is open, the others are folded away. The table has all steps, also those that the
picture leaves out, with what each of them changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from angarium.app.report import story_text
from angarium.app.report.html.elements import (
    Html,
    Part,
    assigned,
    code,
    element,
    facts,
    folded,
    joined,
    listed,
    parameter,
    scrolling,
    several,
    table,
)
from angarium.app.report.layout import amount, gathered
from angarium.app.report.sequence_svg import diagram
from angarium.app.report.story_text import Row, restored_story, shown_again, without_counters
from angarium.contracts.obligations import Counterexample, Snapshot
from angarium.contracts.results import ProofVerdict
from angarium.core.result import CheckVerdict, GuaranteeVerdict, Story
from angarium.history.explanations import seconds, time_of_day
from angarium.history.result import AuditStory
from angarium.history.stories import StoryRow
from angarium.mesh.recovery.results import RecoveryVerdict, RecoveryViolation
from angarium.mesh.results import Dead, MeshVerdict, MeshViolation
from angarium.settings.kafka.results import Affected, SettingsChange, SettingsResult, SettingsVerdict

MOST = 50
"""How many findings of one guarantee are told; the terminal's text has them all."""


def findings(verdicts: Sequence[MeshVerdict] | Sequence[RecoveryVerdict]) -> Html:
    """Everything that the verdicts on a mesh or on its tables found, by guarantee."""
    by_guarantee: dict[str, list[MeshViolation | RecoveryViolation]] = {}
    for verdict in verdicts:
        by_guarantee.setdefault(verdict.guarantee, []).extend(verdict.violations)
    told = [(name, found) for name, found in by_guarantee.items() if found]
    return several(_found(name, found, is_open=not place) for place, (name, found) in enumerate(told))


def _found(name: str, found: Sequence[MeshViolation | RecoveryViolation], *, is_open: bool) -> Html:
    rows = [[_dead(each.dead), each.what, _path(each), _demands(each)] for each in found[:MOST]]
    left = len(found) - len(rows)
    more = element("p", f"and {left:,} more", class_="remark") if left else None
    heads = ["dead", "what is wrong", "path", "who wants what"]
    told = table(f"Findings of {name}", heads, rows)
    return folded(f"{name}: {amount(len(found), 'finding')}", told, more, is_open=is_open)


def _dead(dead: Dead) -> str:
    told = [*(f"broker {name}" for name in dead.brokers), *(f"link {name}" for name in dead.links)]
    return ", ".join(told) or "nothing"


def _path(found: MeshViolation | RecoveryViolation) -> str:
    """Over which brokers; and where it goes round."""
    if isinstance(found, RecoveryViolation):
        return " > ".join(found.path)
    path, again = _brokers(found.path), _brokers(found.round)
    copies = f"{found.copies} copies" if found.copies else ""
    return "; ".join(filter(None, [path, f"round and round: {again}" if again else "", copies]))


def _brokers(links: Sequence[str]) -> str:
    """`a > b > c` of `a->b`, `b->c`."""
    ends = [link.split("->") for link in links]
    return " > ".join([*(each[0] for each in ends[:1]), *(each[-1] for each in ends)])


def _demands(found: MeshViolation | RecoveryViolation) -> str:
    if isinstance(found, RecoveryViolation):
        return " to ".join(found.first)
    return "; ".join(f"{each.topic} ({each.publisher} to {each.subscriber})" for each in found.demands)


# --- proofs -----------------------------------------------------------------------------------


def counterexamples(verdicts: Sequence[ProofVerdict]) -> Html:
    """The states from which a call breaks something."""
    found = [(each, each.counterexample) for each in verdicts if each.counterexample]
    return several(_counterexample(*each, is_open=not number) for number, each in enumerate(found))


def _counterexample(verdict: ProofVerdict, found: Counterexample, *, is_open: bool) -> Html:
    call = f"{found.operation}({assigned(found.arguments)})" if found.operation else ""
    told: dict[str, Part] = {
        "must be true": code(verdict.description),
        "elements": "; ".join(f"{sort} {', '.join(names)}" for sort, names in found.sorts.items()),
        "where": "; ".join(_facts(found.facts)),
        "call": call and code(call),
        "answers": assigned(found.results),
    }
    title = f"{verdict.part}: {verdict.guarantee} {verdict.verdict.value}"
    return folded(title, facts(told), _snapshots(found.snapshots), is_open=is_open)


def _facts(tables: Mapping[str, Mapping[str, str]]) -> Iterable[str]:
    for name, values in tables.items():
        yield from (f"{name}({arguments}) = {value}" for arguments, value in values.items())


def _snapshots(snapshots: Sequence[Snapshot]) -> Html | None:
    names = list(dict.fromkeys(name for each in snapshots for name in each.symbols))
    rows = [[name, *(_symbol(each.symbols.get(name)) for each in snapshots)] for name in names]
    return table("States", ["state", *(each.name for each in snapshots)], rows) if names else None


def _symbol(value: Any) -> str:  # noqa: ANN401 (as JSON has it)
    """A relation as a set, a function as a mapping, else the thing itself."""
    return gathered(value) if isinstance(value, list | dict) else parameter(value)


# --- settings ---------------------------------------------------------------------------------


def changes(result: SettingsResult) -> Html | None:
    """Which settings would mend it, what else they change and what they cost."""
    told = list(map(_change, result.changes))
    if not told:
        return None
    all_tried = "" if result.all_changes_tried else " Not all changes were tried."
    return joined(element("p", f"The cheapest first.{all_tried}"), listed(told))


def _change(change: SettingsChange) -> Html:
    parts = [f" mends {_cells(change.mends)}"] if change.mends else []
    parts += [f" breaks {_cells(change.breaks)}"] if change.breaks else []
    parts += [f" leaves open {_cells(change.undecided)}"] if change.undecided else []
    parts += [f" costs: {'; '.join(change.price)}"] if change.price else []
    return joined(code(assigned(change.settings)), f":{';'.join(parts)}")


def _cells(cells: Iterable[Affected]) -> str:
    return ", ".join(f"{each.guarantee} under {each.faults}" for each in cells)


# --- stories --------------------------------------------------------------------------------------


_ROOM = 100
"""Letters that a change may take before only the difference is told."""


def stories(verdicts: Sequence[GuaranteeVerdict]) -> Html:
    """The stories of some verdicts."""
    told = [(each, each.story) for each in verdicts if each.story]
    return several(_story(*each, is_open=not number) for number, each in enumerate(told))


def _story(verdict: GuaranteeVerdict, story: Story, *, is_open: bool) -> Html:
    told = restored_story(story)
    drawn = scrolling(Html(diagram(told)), label=f"Sequence diagram: {verdict.guarantee}")
    steps = _events(told) if isinstance(told, AuditStory) else _steps(told)
    title = f"{verdict.guarantee} {verdict.verdict.value}{_where(verdict)}: {_length(told)}"
    return folded(
        title, drawn, _remedies(verdict), _address(told), folded("Step by step", steps), is_open=is_open
    )


def _where(verdict: GuaranteeVerdict) -> str:
    """Under which failure or fault; a run or a part stands elsewhere."""
    return f" under {verdict.situation}" if isinstance(verdict, MeshVerdict | SettingsVerdict) else ""


def _length(story: Story) -> str:
    if isinstance(story, AuditStory):
        return amount(len(story.rows), "event")
    endless = "" if story.cycle is None else ", without end"
    return f"{amount(len(story.steps), 'step')}{endless}"


def _remedies(verdict: GuaranteeVerdict) -> Html | None:
    ways = [assigned(each) for each in verdict.remedies] if isinstance(verdict, CheckVerdict) else []
    return element("p", f"It would hold with: {'; or '.join(ways)}.", class_="remedy") if ways else None


def _address(story: Story) -> Html:
    if isinstance(story, AuditStory):
        others = f"; {amount(story.others, 'other violation')} of it" if story.others else ""
        told = f"Begins at {time_of_day(story.begins)}{others}. Address: "
        return element("p", told, code(story.address), class_="address")
    told, command = shown_again(story)
    return element("p", told, code(command), class_="address")


# --- step by step -----------------------------------------------------------------------------


def _events(story: AuditStory) -> Html:
    rows = [[_when(row), _between(row), joined(row.text, _signs(row))] for row in story.rows]
    return table("Events", ["after", "between", "what happens"], rows)


def _when(row: StoryRow) -> str:
    return "" if row.cut else f"+{seconds(row.after)}"


def _between(row: StoryRow) -> str:
    if row.cut:
        return ""
    return f"{row.source} → {row.target}" if row.target else row.source


def _signs(row: StoryRow) -> Html | None:
    said = [*(["did not arrive"] if row.failed else []), *(["proves it"] if row.proof else [])]
    return element("strong", f" ({', '.join(said)})") if said else None


def _steps(story: Story) -> Html:
    plain = without_counters(story)
    rows = [["start", element("span", *_lines(story_text.initial(plain.initial, _ROOM)))]]
    by_processes = any(step.actor for step in plain.steps)
    for row in story_text.rows(plain, story.initial):
        again = " ↻" if story.cycle is not None and row.first > story.cycle else ""
        rows.append([f"{row.number}{again}", element("span", *_lines(_told(row, by_processes)))])
    rows.append(["end", story.summary])
    return table(_caption(story), ["step", "what happens"], rows)


def _caption(story: Story) -> str:
    if story.cycle is None:
        return "Steps"
    if story.cycle == len(story.steps):
        return "Steps; behind the last nothing more happens, for ever"
    return "Steps; those with ↻ are repeated for ever"


def _told(row: Row, by_processes: bool) -> list[str]:
    if by_processes:
        first, *rest = story_text.sentences(row, _ROOM)
        return [f"fault: {first}" if row.steps[-1].fault else first, *rest]
    fault = "fault: " if row.steps[-1].fault else ""
    return [f"{fault}{story_text.label(row).removeprefix('! ')}", *story_text.changes(row, _ROOM)]


def _lines(lines: list[str]) -> Iterator[Part]:
    """The first line, and below it, smaller, what changed."""
    for number, line in enumerate(lines):
        yield element("span", line.strip(), class_="line" if not number else "line change")
