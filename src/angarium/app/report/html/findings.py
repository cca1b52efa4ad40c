"""What else a record holds of what went wrong: findings in a mesh, counterexamples of a proof, changes of
settings that would mend it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from angarium.app.report.html.elements import (
    Html,
    Part,
    code,
    element,
    facts,
    folded,
    joined,
    listed,
    several,
    table,
)
from angarium.app.report.html.extent import assigned, parameter
from angarium.app.report.job import Record
from angarium.app.report.layout import amount, gathered

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
