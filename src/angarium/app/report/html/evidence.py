"""What else a record holds of what went wrong: findings in a mesh, counterexamples of a proof, changes of
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
    code,
    element,
    facts,
    folded,
    joined,
    listed,
    scrolling,
    several,
    table,
)
from angarium.app.report.html.extent import assigned, parameter
from angarium.app.report.job import Record
from angarium.app.report.layout import amount, gathered
from angarium.app.report.sequence_svg import diagram
from angarium.app.report.story_text import Row, shown_again, story_of, without_counters
from angarium.core.result import Story
from angarium.history.explanations import seconds, time_of_day

MOST = 50
"""How many findings of one guarantee are told; the terminal's text has them all."""


def findings(record: Record) -> Html:
    """Everything that the verdicts of a mesh found, by guarantee."""
    by_guarantee: dict[str, list[Record]] = {}
    for verdict in record.get("verdicts", ()):
        by_guarantee.setdefault(verdict["guarantee"], []).extend(verdict.get("findings", ()))
    told = [(name, found) for name, found in by_guarantee.items() if found]
    return several(_found(name, found, is_open=not place) for place, (name, found) in enumerate(told))


def _found(name: str, found: Sequence[Record], *, is_open: bool) -> Html:
    rows = [
        [_dead(each["dead"]), each["what"], _way(each), _demands(each["demands"])] for each in found[:MOST]
    ]
    left = len(found) - len(rows)
    more = element("p", f"and {left:,} more", class_="remark") if left else None
    heads = ["dead", "what is wrong", "path", "who wants what"]
    told = table(f"Findings of {name}", heads, rows)
    return folded(f"{name}: {amount(len(found), 'finding')}", told, more, is_open=is_open)


def _dead(dead: Mapping[str, Sequence[str]]) -> str:
    told = [f"{kind.removesuffix('s')} {name}" for kind, names in dead.items() for name in names]
    return ", ".join(told) or "nothing"


def _way(finding: Record) -> str:
    """Over which brokers; and where it goes round."""
    way, again = _brokers(finding["path"]), _brokers(finding["round"])
    copies = f"{finding['copies']} copies" if finding["copies"] else ""
    return "; ".join(filter(None, [way, f"round and round: {again}" if again else "", copies]))


def _brokers(links: Sequence[str]) -> str:
    """`a > b > c` of `a->b`, `b->c`."""
    ends = [link.split("->") for link in links]
    return " > ".join([*(each[0] for each in ends[:1]), *(each[-1] for each in ends)])


def _demands(demands: Iterable[Mapping[str, str]]) -> str:
    return "; ".join(f"{each['topic']} ({each['publisher']} to {each['subscriber']})" for each in demands)


# --- proofs -----------------------------------------------------------------------------------


def counterexamples(record: Record) -> Html:
    """The states from which a call breaks something."""
    found = [each for each in record.get("verdicts", ()) if each.get("counterexample")]
    return several(_counterexample(each, is_open=not number) for number, each in enumerate(found))


def _counterexample(verdict: Record, *, is_open: bool) -> Html:
    found = verdict["counterexample"]
    call = f"{found['operation']}({assigned(found['arguments'])})" if found["operation"] else ""
    told: dict[str, Part] = {
        "must be true": code(verdict["description"]),
        "elements": "; ".join(f"{sort} {', '.join(names)}" for sort, names in found["sorts"].items()),
        "where": "; ".join(_facts(found["facts"])),
        "call": call and code(call),
        "answers": assigned(found["results"]),
    }
    title = f"{verdict['part']}: {verdict['guarantee']} {verdict['verdict']}"
    return folded(title, facts(told), _snapshots(found["snapshots"]), is_open=is_open)


def _facts(tables: Mapping[str, Mapping[str, str]]) -> Iterable[str]:
    for name, values in tables.items():
        yield from (f"{name}({arguments}) = {value}" for arguments, value in values.items())


def _snapshots(snapshots: Sequence[Record]) -> Html | None:
    names = list(dict.fromkeys(name for each in snapshots for name in each["symbols"]))
    rows = [[name, *(_symbol(each["symbols"].get(name)) for each in snapshots)] for name in names]
    return table("States", ["state", *(each["name"] for each in snapshots)], rows) if names else None


def _symbol(value: Any) -> str:  # noqa: ANN401 (as JSON has it)
    """A relation as a set, a function as a mapping, else the thing itself."""
    return gathered(value) if isinstance(value, list | dict) else parameter(value)


# --- settings ---------------------------------------------------------------------------------


def changes(record: Record) -> Html | None:
    """Which settings would mend it, what else they change and what they cost."""
    told = [_change(each) for each in record.get("changes", ())]
    if not told:
        return None
    all_tried = "" if record.get("all_changes_tried") else " Not all changes were tried."
    return joined(element("p", f"The cheapest first.{all_tried}"), listed(told))


def _change(change: Record) -> Html:
    parts = [f" mends {_cells(change['mends'])}"] if change["mends"] else []
    parts += [f" breaks {_cells(change['breaks'])}"] if change["breaks"] else []
    parts += [f" leaves open {_cells(change['undecided'])}"] if change["undecided"] else []
    parts += [f" costs: {'; '.join(change['price'])}"] if change["price"] else []
    return joined(code(assigned(change["settings"])), f":{';'.join(parts)}")


def _cells(cells: Iterable[Mapping[str, str]]) -> str:
    return ", ".join(f"{each['guarantee']} under {each['faults']}" for each in cells)


# --- stories --------------------------------------------------------------------------------------


_ROOM = 100
"""Letters that a change may take before only the difference is told."""


def stories(record: Record) -> Html:
    """All stories of a claim's record."""
    told = [each for each in record.get("verdicts", ()) if each.get("story")]
    return several(_story(each, is_open=number == 0) for number, each in enumerate(told))


def _story(verdict: Record, *, is_open: bool) -> Html:
    story = verdict["story"]
    where = next((f" under {verdict[key]}" for key in ("failures", "faults") if verdict.get(key)), "")
    is_audit = "rows" in story
    title = f"{verdict['guarantee']} {verdict['verdict']}{where}: {_length(story)}"
    told = story if is_audit else story_of(story)
    drawn = scrolling(Html(diagram(told)), label=f"Sequence diagram: {verdict['guarantee']}")
    steps = _steps(told) if isinstance(told, Story) else _events(told)
    parts = [drawn, _remedies(verdict), _address(told), folded("Step by step", steps)]
    return folded(title, *parts, is_open=is_open)


def _length(story: Mapping[str, Any]) -> str:
    if "rows" in story:
        return amount(len(story["rows"]), "event")
    endless = "" if story["cycle"] is None else ", without end"
    return f"{amount(len(story['steps']), 'step')}{endless}"


def _remedies(verdict: Record) -> Html | None:
    ways = [assigned(each) for each in verdict.get("remedies", ())]
    return element("p", f"It would hold with: {'; or '.join(ways)}.", class_="remedy") if ways else None


def _address(story: Story | Mapping[str, Any]) -> Html:
    if not isinstance(story, Story):
        others = f"; {amount(story['others'], 'other violation')} of it" if story["others"] else ""
        told = f"Begins at {time_of_day(story['begins'])}{others}. Address: "
        return element("p", told, code(story["address"]), class_="address")
    told, command = shown_again(story)
    return element("p", told, code(command), class_="address")


# --- step by step -----------------------------------------------------------------------------


def _events(story: Mapping[str, Any]) -> Html:
    rows = [[_when(row), _between(row), joined(row["text"], _signs(row))] for row in story["rows"]]
    return table("Events", ["after", "between", "what happens"], rows)


def _when(row: Mapping[str, Any]) -> str:
    return "" if row["cut"] else f"+{seconds(row['after'])}"


def _between(row: Mapping[str, Any]) -> str:
    if row["cut"]:
        return ""
    return f"{row['source']} → {row['target']}" if row["target"] else row["source"]


def _signs(row: Mapping[str, Any]) -> Html | None:
    said = [*(["did not arrive"] if row["failed"] else []), *(["proves it"] if row["proof"] else [])]
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
