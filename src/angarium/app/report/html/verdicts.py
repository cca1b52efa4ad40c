"""The verdicts of a claim as a table, in the shape that fits them.

Where a guarantee is judged in several situations (failures of a mesh, faults of settings, runs of a history),
it has one row, and each situation a column. Obligations of a proof stand together by what they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from angarium.app.report.html.elements import Html, Part, code, element, folded, joined, several, table
from angarium.app.report.html.signs import plain
from angarium.app.report.job import Record
from angarium.app.report.layout import amount
from angarium.app.report.left_open import reasons

Verdicts = Sequence[Record]
_FEW = 3
"""Up to so many runs of an audit are all open."""
_SITUATIONS = ("failures", "faults")
WORST = ("violated", "unknown", "holds")


def verdicts(record: Record) -> Html | None:
    """All guarantees with their verdicts."""
    found: Verdicts = record.get("verdicts", ())
    if not found:
        return None
    if "parts" in record:
        return several(_part(part, found) for part in record["parts"])
    if "judged" in found[0]:
        return _audited(found)
    situation = next((key for key in _SITUATIONS if key in found[0]), None)
    return _grid(found, situation) if situation else _checked(found)


def _checked(found: Verdicts) -> Html:
    fair = any(each.get("fairness", "none") != "none" for each in found)
    heads = ["guarantee", "verdict", "what it says", *(["fairness"] if fair else [])]
    rows = [
        [
            each["guarantee"],
            plain(each["verdict"]),
            _says(each),
            *([each.get("fairness", "none")] if fair else []),
        ]
        for each in found
    ]
    return table("Guarantees", heads, rows)


def _says(verdict: Record) -> Html:
    """The description, and below it what is to be known of the verdict."""
    return joined(
        verdict.get("description", ""), *(element("p", each, class_="remark") for each in reasons(verdict))
    )


# --- several situations -----------------------------------------------------------------------


def _grid(found: Verdicts, situation: str) -> Html:
    columns = list(dict.fromkeys(each[situation] for each in found))
    names = list(dict.fromkeys(each["guarantee"] for each in found))
    by_place = {(each["guarantee"], each[situation]): each for each in found}
    rows = [_grid_row(name, [by_place.get((name, column)) for column in columns]) for name in names]
    return table("Guarantees", ["guarantee", *columns, "what it says"], rows)


def _grid_row(name: str, cells: Sequence[Record | None]) -> list[Part]:
    first = next(each for each in cells if each)
    remarks = dict.fromkeys(reason for each in cells if each for reason in reasons(each))
    says = joined(first["description"], *(element("p", each, class_="remark") for each in remarks))
    return [name, *(plain(each["verdict"]) if each else "" for each in cells), says]


# --- audits -----------------------------------------------------------------------------------


def _audited(found: Verdicts) -> Html:
    """A table a run; of many runs, those without a violation are folded away."""
    runs = list(dict.fromkeys(each["run_id"] for each in found))
    return several(_run(run, [each for each in found if each["run_id"] == run], len(runs)) for run in runs)


def _run(run: str, found: Verdicts, runs: int) -> Html:
    heads = ["guarantee", "verdict", "judged", "not judged", "violations", "what it says"]
    told = table(f"Run {run}", heads, [_judged(each) for each in found], numbers=(2, 3, 4))
    if runs <= _FEW:
        return told
    count = sum(each["violations"] for each in found)
    return folded(f"Run {run}: {amount(count, 'violation')}", told, is_open=count > 0)


def _judged(each: Record) -> list[Part]:
    counts = [f"{each[key]:,}" for key in ("judged", "unjudged", "violations")]
    return [each["guarantee"], plain(each["verdict"]), *counts, _says(each)]


# --- proofs -----------------------------------------------------------------------------------


def _part(part: Record, found: Verdicts) -> Html:
    """The obligations of a part; those that hold are folded away."""
    own = [each for each in found if each["part"] == part["name"]]
    proved = sum(each["verdict"] == "holds" for each in own)
    title = f"{part['name']}: {proved:,} of {amount(len(own), 'obligation')} proved"
    about = element("p", part["description"]) if part["description"] else None
    ranked = sorted(own, key=lambda each: WORST.index(each["verdict"]))
    rows = [[each["guarantee"], plain(each["verdict"]), _demanded(each), _place(each)] for each in ranked]
    inside = table(f"Obligations of {part['name']}", ["obligation", "verdict", "must be true", "where"], rows)
    return folded(title, about, inside, is_open=proved < len(own))


def _demanded(each: Record) -> Html:
    remarks = (element("p", reason, class_="remark") for reason in reasons(each))
    return joined(code(each["description"]), *remarks)


def _place(each: Record) -> str:
    place: dict[str, Any] = each["place"]
    return f"{str(place['file']).rpartition('/')[2]}:{place['line']}"
