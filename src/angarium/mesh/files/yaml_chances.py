"""What a mesh file says about chances: latencies that vary, and how often things fail.

    latency: 5 ms                                        always the same
    latency: {uniform: [2 ms, 8 ms]}                     between two times
    latency: {exponential: 3 ms}                         with this mean
    latency: {normal: [20 ms, 4 ms]}                     mean and standard deviation, never below 0
    latency: {constant: 40 ms, exponential: 3 ms}        a sum
    mtbf: 2000 h                                         works for so long, on average
    mttr: 4 h                                            and is then down for so long

Times between failures are thousands of hours, and elsewhere a bare number is milliseconds: so they need a
unit.
"""

from __future__ import annotations

from collections.abc import Mapping

from angarium.core import units
from angarium.mesh.distributions import (
    CONSTANT,
    EXPONENTIAL,
    KINDS,
    LONGEST,
    NORMAL,
    UNIFORM,
    Failing,
    Part,
    Varying,
)
from angarium.mesh.files import shapes
from angarium.mesh.files.nodes import Node, Source, Table, Text

CHANCE_KEYS = ("latency", "mtbf", "mttr")
_GIVEN = {
    CONSTANT: "one time, such as {constant: 5 ms}",
    UNIFORM: "the least and the most, such as {uniform: [2 ms, 8 ms]}",
    EXPONENTIAL: "the mean, such as {exponential: 3 ms}",
    NORMAL: "the mean and the standard deviation, such as {normal: [20 ms, 4 ms]}",
}
_HOUR = units.UNITS["h"]
MOST_DOWN = 0.999
"""The share of time in which something may be down."""


def chances_of(source: Source, entries: Mapping[str, Node], what: str) -> dict[str, object]:
    """The fields `latency`, `varying` and `failing` of a link or broker, as far as they are said."""
    found: dict[str, object] = {}
    latency = entries.get("latency")
    if isinstance(latency, Table):
        varying = _varying(source, latency, f"latency of {what}")
        found = {"latency": varying.mean, "varying": varying}
    elif latency is not None:
        found = {"latency": shapes.milliseconds(source, latency, f"latency of {what}")}
    failing = failing_of(source, entries, what)
    return found | ({"failing": failing} if failing else {})


def _varying(source: Source, node: Table, what: str) -> Varying:
    entries = shapes.table(source, node, what, KINDS)
    if not entries:
        raise shapes.wrong(source, node, f"{what} says nothing", f"possible: {', '.join(KINDS)}")
    return Varying(tuple(_part(source, kind, entries[kind], what) for kind in entries))


def _part(source: Source, kind: str, node: Node, what: str) -> Part:
    times = [shapes.milliseconds(source, each, f"{kind} {what}") for each in shapes.several(node)]
    part = Part(kind, *times) if len(times) == KINDS[kind] else None
    if part is None or not _is_possible(part):
        given = f"{what} cannot be {kind} with {', '.join(f'{each:g} ms' for each in times) or 'nothing'}"
        raise shapes.wrong(source, node, given, f"possible: {_GIVEN[kind]}, up to 1 h")
    return part


def _is_possible(part: Part) -> bool:
    if not max(part.first, part.second) <= LONGEST:
        return False
    if part.kind == UNIFORM:
        return part.first <= part.second
    return part.kind == CONSTANT or (part.first > 0 and (part.kind != NORMAL or part.second > 0))


def failing_of(source: Source, entries: Mapping[str, Node], what: str) -> Failing | None:
    """How often something fails; both times must be said, or none."""
    given = [key for key in ("mtbf", "mttr") if key in entries]
    if not given:
        return None
    if len(given) == 1:
        remedy = "say both: mtbf, how long it works on average, and mttr, how long it is then down"
        what = f"{what} has {given[0]} alone"
        raise shapes.wrong(source, entries[given[0]], what, "possible: mtbf and mttr, or none", remedy)
    mtbf, mttr = (_hours(source, entries[key], f"{key} of {what}") for key in ("mtbf", "mttr"))
    if mtbf <= 0:
        raise shapes.wrong(source, entries["mtbf"], f"mtbf of {what} cannot be 0", "such as 2000 h")
    failing = Failing(mtbf, mttr)
    if failing.down > MOST_DOWN:
        what = f"mttr of {what} is so long that it is hardly ever up"
        possible = f"possible: down for up to {MOST_DOWN:.1%} of the time"
        raise shapes.wrong(source, entries["mttr"], what, possible, "correct the times, or take it out")
    return failing


def _hours(source: Source, node: Node, what: str) -> float:
    time = shapes.milliseconds(source, node, what)
    if isinstance(node, Text) and not node.text.strip()[-1:].isalpha():
        possible = (
            f"possible: {node.text.strip()} with one of {', '.join(unit for unit in units.UNITS if unit)}"
        )
        raise shapes.wrong(source, node, f"{what} has no unit", possible, f"write {node.text.strip()} h")
    return time / _HOUR
