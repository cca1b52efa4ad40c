"""Numbers of a claim's record: statistics of simulations, figures of audits, and the table of mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

from angarium.app.report.history_text import duration_of, range_of
from angarium.app.report.html.elements import (
    Html,
    Part,
    element,
    folded,
    joined,
    listed,
    plain,
    several,
    sign_of,
    table,
)
from angarium.app.report.html.extent import assigned, parameter
from angarium.app.report.job import Record
from angarium.app.report.layout import amount
from angarium.app.report.simulation_text import HEADS, figure

MOST_LIVES = 20
_FIGURES = {
    "attempted": "messages attempted",
    "confirmed": "confirmed",
    "unconfirmed": "never confirmed nor delivered",
    "delivered": "delivered",
    "deliveries": "deliveries",
    "redelivered": "messages delivered again",
    "max_deliveries": "most deliveries of one",
    "requeues": "requeues",
    "unseen": "unseen at the end",
    "lost": "lost",
}
_TIMES = {
    "confirm": "send to confirmation",
    "deliver": "send to delivery",
    "settle": "delivery to acknowledgement",
}


# --- simulations ------------------------------------------------------------------------------


def statistics(record: Record) -> Html:
    """What runs observed: of the simulation itself, of its alternatives, of each scenario of a sweep."""
    parts: list[Part] = [_statistics("Statistics", record.get("statistics") or ())]
    parts += [_alternative(each) for each in record.get("alternatives") or ()]
    if "sweep" in record:
        parts += [_scenario(each) for each in record["scenarios"]]
    return several(parts)


def _statistics(caption: str, rows: Sequence[Record]) -> Html | None:
    heads = ["observation", "95 % interval of the mean", *HEADS]
    told = [[_observation(each), _interval(each), *_figures(each)] for each in rows]
    return table(caption, heads, told, numbers=range(1, 10)) if told else None


def _observation(each: Record) -> Html:
    return joined(each["observation"], element("p", each["description"], class_="remark"))


def _interval(each: Mapping[str, float | None]) -> str:
    return f"{_number(each['low'])} to {_number(each['high'])}"


def _figures(each: Record) -> list[str]:
    """In the columns of `HEADS`."""
    low, high = each["low"], each["high"]
    reach = None if low is None or high is None else (high - low) / 2
    share = each["quantiles"]
    counts = (each["minimum"], *(share.get(key) for key in ("0.05", "0.5", "0.95")), each["maximum"])
    return [*map(_number, (each["mean"], reach, each["sd"])), *map(_number, counts)]


def _number(value: float | None) -> str:
    return f"{value:,}" if isinstance(value, int) else figure(nan if value is None else value)


def _alternative(each: Record) -> Html:
    changed = assigned(each["changes"])
    heads = ["observation", "difference of the mean", "95 % interval", "clear"]
    rows = [
        [diff["observation"], _number(diff["mean"]), _interval(diff), "yes" if diff["clear"] else "no"]
        for diff in each["differences"]
    ]
    differing = table(f"Difference with {changed}", heads, rows, numbers=(1, 2)) if rows else None
    return folded(f"With {changed}", _statistics(f"Statistics with {changed}", each["statistics"]), differing)


def _scenario(each: Record) -> Html:
    values = assigned(each["parameters"])
    title = f"{values}: {amount(each['walks'], 'run')}"
    return folded(title, _statistics(f"Statistics with {values}", each["statistics"]))


# --- audits -----------------------------------------------------------------------------------


def audited(record: Record) -> Html | None:
    """How many messages, how fast, and what stands in quarantine."""
    if "read" not in record:
        return None
    return joined(
        _counts(record["figures"]), _times(record), _quarantine(record), _lives(record.get("lives"))
    )


def _counts(figures: Sequence[Record]) -> Html | None:
    """One column a run; what is nowhere is left out, but never how many were lost."""
    told = {
        key: label for key, label in _FIGURES.items() if key == "lost" or any(each[key] for each in figures)
    }
    rows = [[label, *(f"{each[key]:,}" for each in figures)] for key, label in told.items()]
    heads = ["messages", *(f"run {each['run_id']}" for each in figures)]
    return table("Messages", heads, rows, numbers=range(1, len(heads))) if figures else None


def _times(record: Record) -> Html | None:
    heads = ["time", "run", "messages", "median", "99 %", "longest"]
    rows = [
        [
            _TIMES.get(each["kind"], each["kind"]),
            each["run_id"],
            f"{each['count']:,}",
            *(range_of(each[key]["low"], each[key]["high"]) for key in ("median", "most")),
            duration_of(each["longest"]),
        ]
        for each in record["latency_nanoseconds"]
    ]
    return table("Times", heads, rows, numbers=(2, 3, 4, 5)) if rows else None


def _quarantine(record: Record) -> Html | None:
    reasons = sorted(record["quarantine"].items(), key=lambda item: -item[1])
    rows = [[reason, f"{count:,}"] for reason, count in reasons]
    return (
        table("In quarantine: rows that do not fit the schema", ["reason", "rows"], rows, numbers=(1,))
        if rows
        else None
    )


def _lives(lives: Sequence[Record] | None) -> Html | None:
    """The lives of messages against a model; those that it does not have first."""
    if not lives:
        return None
    ranked = sorted(lives, key=lambda each: each["verdict"] == "holds")
    rows = [
        [each["life"], plain(each["verdict"]), f"{each['count']:,}", _seen(each)]
        for each in ranked[:MOST_LIVES]
    ]
    left = len(lives) - len(rows)
    more = element("p", f"and {amount(left, 'other kind')} of life", class_="remark") if left else None
    heads = ["life of a message", "verdict", "messages", "seen by the model"]
    return joined(table("Lives of messages, against the model", heads, rows, numbers=(2,)), more)


def _seen(life: Record) -> str:
    if life["verdict"] == "violated":
        return f"cannot happen: {parameter(life['cannot'])} (for example {life['message_id']})"
    if life["verdict"] == "unknown":
        return f"not judged: {life['reason']}"
    assumed = ", ".join(life["assumptions"])
    return f"happens only without the assumption: {assumed}" if assumed else "happens though nothing fails"


# --- mutants ----------------------------------------------------------------------------------


def mutants(record: Record) -> Html | None:
    """Which guarantees noticed which change that was made on purpose."""
    found = record.get("mutants")
    if not found or not found["rows"]:
        return None
    names, rows = found["guarantees"], found["rows"]
    told = [[_mutant(row), plain(row["verdict"]), *(_mark(row, name) for name in names)] for row in rows]
    counts = [
        f"{sum(row['verdict'] == word for row in rows)} {word}" for word in ("noticed", "survived", "unknown")
    ]
    lesson = "One that survived behaves like the model, or breaks something that no guarantee asks for."
    idle = [name for name in names if not any(name in row["noticed"] for row in rows)]
    return joined(
        element("p", f"{amount(len(rows), 'mutant')}: {', '.join(counts)}. {lesson}"),
        listed([f"Guarantees that noticed nothing: {', '.join(idle)}." if idle else None]),
        table("Mutants: the model, broken on purpose", ["mutant", "what became of it", *names], told),
    )


def _mutant(row: Record) -> Html:
    return joined(row["place"], element("p", row["description"], class_="remark"))


def _mark(row: Record, name: str) -> str:
    return f"{sign_of('noticed')} noticed" if name in row["noticed"] else ""
