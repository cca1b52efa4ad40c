"""How far a claim was looked at: how many states, failures, obligations, walks or events, and by what.

Each kind of record has its own measures. A table says which keys a measure needs; one that a record does not
have is left out, so records of several shapes (a check of settings has no hash) share one table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from angarium.app.report.html.elements import Part, code
from angarium.app.report.job import ClaimResult, Record
from angarium.app.report.layout import amount, duration, memory
from angarium.app.report.record import cut_text

_ENDS = {"goal": "at the goal", "rest": "where nothing more could happen", "limit": "at the limit of steps"}
_Measure = Callable[[Record], Part]


def size(claim: ClaimResult) -> str:
    """The one number that tells most: of a check its states, of a mesh its failures."""
    record = claim.record
    if not record:
        return ""
    match claim.kind:
        case "check":
            return amount(record["states"], "state") if "states" in record else _mutants(record)
        case "mesh":
            return amount(sum(record.get("failures", {}).values()), "scenario")
        case "recover":
            return amount(record["colours"], "colour")
        case "prove":
            return amount(len(record["verdicts"]), "obligation")
        case "simulate":
            return amount(_walks(record), "run")
        case _:
            return amount(record.get("read", 0), "event")


def extent(record: Record) -> dict[str, Part]:
    """Every measure of a record, by name."""
    told = ((name, measure(record)) for name, (keys, measure) in _MEASURES.items() if keys <= record.keys())
    return {name: part for name, part in told if part}


def parameter(value: Any) -> str:  # noqa: ANN401 (as JSON has it)
    """A parameter's value as one would write it."""
    match value:
        case None:
            return "not set"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(map(parameter, value)) or "none"
        case _:
            return str(value) or "empty"


def assigned(values: Mapping[str, Any]) -> str:
    """`queues=3, stops=true`."""
    return ", ".join(f"{name}={parameter(value)}" for name, value in values.items())


# --- measures -------------------------------------------------------------------------------


def _mutants(record: Record) -> str:
    return amount(len(record["mutants"]["rows"]), "mutant") if "mutants" in record else ""


def _walks(record: Record) -> int:
    scenarios = record.get("scenarios") or []
    return int(record.get("walks", 0)) or sum(each["walks"] for each in scenarios)


def _complete(record: Record) -> str:
    if record["complete"]:
        return "yes"
    return f"no: {cut_text(record)}" if cut_text(record) else "no"


def _frontier(record: Record) -> str:
    return f"{amount(record['frontier'], 'state')} found and not looked behind" if record["frontier"] else ""


def _engine(record: Record) -> str:
    threads = f", {amount(record['threads'], 'thread')}" if "threads" in record else ""
    symmetry = ", states that differ only in names taken as one" if record.get("symmetry") else ""
    return f"{record['engine']}{threads}{symmetry}"


def _brokers(record: Record) -> str:
    return f"{record['brokers']:,} and {record['links']:,}"


def _failures(record: Record) -> str:
    return ", ".join(f"{size} ({count:,})" for size, count in record["failures"].items())


def _demands(record: Record) -> str:
    return f"{record['demands']:,} (classes of topics: {record['classes']:,})"


def _tables(record: Record) -> str:
    entries, condensed = (record["sizes"][form]["entries"] for form in ("plain", "condensed"))
    return f"{record['colours']:,}, with {entries:,} entries of tables ({condensed:,} condensed)"


def _moved(record: Record) -> str:
    return f"{amount(record['moved'], 'demand')}, to a substitute of a dead broker" if record["moved"] else ""


def _out_of_service(record: Record) -> str:
    count = record["out_of_service"]
    return f"{amount(count, 'demand')}: publisher or subscriber is dead with its broker" if count else ""


def _probed(record: Record) -> str:
    return "nothing says who publishes or subscribes: every broker has a probe" if record["probed"] else ""


def _obligations(record: Record) -> str:
    proved = sum(each["verdict"] == "holds" for each in record["verdicts"])
    return f"{proved:,} of {amount(len(record['verdicts']), 'obligation')} proved, for sorts of any size"


def _made(record: Record) -> str:
    runs = f" of {record['runs']:,}" if "runs" in record else ""
    return f"{record['walks']:,}{runs}, with {amount(record['steps'], 'step')} together"


def _ends(record: Record) -> str:
    return ", ".join(f"{count:,} {_ENDS.get(end, end)}" for end, count in record["ends"].items() if count)


def _events(record: Record) -> str:
    counts = (f"{record[key]:,} {key}" for key in ("read", "accepted", "quarantined"))
    return ", ".join(counts)


def _hash(record: Record) -> Part:
    return code(record["model_hash"])


_MEASURES: Mapping[str, tuple[set[str], _Measure]] = {
    "states": ({"states"}, lambda record: f"{record['states']:,}"),
    "transitions": ({"transitions"}, lambda record: f"{record['transitions']:,}"),
    "depth": ({"depth"}, lambda record: amount(record["depth"], "level")),
    "never happened": ({"never_happened"}, lambda record: ", ".join(record["never_happened"] or ())),
    "searches": ({"scenarios", "kafka_version"}, lambda record: f"{record['scenarios']:,}"),
    "brokers and links": (
        {"brokers", "links"},
        _brokers,
    ),
    "demands": ({"demands", "classes"}, _demands),
    "scenarios": ({"failures", "brokers"}, _failures),
    "colours": ({"colours", "sizes"}, _tables),
    "moved": ({"moved"}, _moved),
    "not counted": ({"out_of_service"}, _out_of_service),
    "probes": ({"probed"}, _probed),
    "proved": ({"parts"}, _obligations),
    "runs": ({"walks", "steps"}, _made),
    "ended": ({"ends"}, _ends),
    "goal": ({"goal"}, lambda record: record["goal"]),
    "schedule": ({"schedule"}, lambda record: record["schedule"]),
    "seed": ({"seed"}, lambda record: str(record["seed"])),
    "events": ({"read", "accepted", "quarantined"}, _events),
    "files": ({"files"}, lambda record: ", ".join(record["files"])),
    "to the end": ({"complete"}, _complete),
    "not expanded": ({"frontier"}, _frontier),
    "engine": ({"engine"}, _engine),
    "took": ({"seconds"}, lambda record: duration(record["seconds"])),
    "memory": ({"bytes"}, lambda record: memory(record["bytes"])),
    "model": ({"model_hash"}, _hash),
    "Kafka": ({"kafka_version"}, lambda record: record["kafka_version"]),
}
"""What a record must have, and what is told of it then."""
