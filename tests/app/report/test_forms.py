"""Every verb's record has a form: it keeps to the schema that is shipped, and gives its type back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import angarium
from angarium.api.checker import simulate
from angarium.app.report.job import RunResult, result_of
from angarium.app.report.record import FORMS, SCHEMA_FILE, read_result, result_record, results_schema
from angarium.app.report.simulation_sweep import comparison_record, sweep_record
from angarium.core.records import Record
from angarium.core.result import GuaranteeVerdict, Replay, Result
from scripts.docs import stale_schema
from tests.app.cli.running import run
from tests.app.report.simulations import VIOLATED, axis, comparison, simulation, swept
from tests.app.web.jobs import claim

LOSES = "examples/at_least_once.py"
WRONG = "examples/queues/wrong.py:CountsWhatCame"
RING = "examples/proofs/overwriting_ring.py"


def _replayed() -> Replay:
    from angarium.api import replayed

    story = next(each.story for each in angarium.check(LOSES).verdicts if each.story)
    return replayed(story.address)


def _run() -> RunResult:
    from angarium.app.report.job import JobResult

    claims = (claim("once", "no-duplicates", "holds"),)
    return result_of(JobResult("shop", "1", "2026-11-16T18:30:00Z", 1.5, "local[2]", "0.1.0", claims))


RESULTS: Mapping[str, Callable[[], Result[GuaranteeVerdict]]] = {
    "check": lambda: angarium.check(LOSES, remedies=True),
    "check-cut": lambda: angarium.check(LOSES, max_states=3),
    "replay": _replayed,
    "refine": lambda: angarium.refine("examples/relay.py", "examples/queue_of_two.py"),
    "simulate": lambda: simulate("rabbitmq-sac", runs=20, steps=50),
    "prove": lambda: angarium.prove(RING),
    "conform": lambda: angarium.conform(WRONG, examples=20),
    "mesh": lambda: angarium.verify("examples/meshes/six-brokers.yaml"),
    "recover": lambda: angarium.recover("examples/meshes/six-brokers.yaml", tables=["b1"]),
    "audit": lambda: angarium.audit("examples/histories/shop.jsonl"),
    "run": _run,
}


MESH, LATE = "examples/meshes/six-brokers.yaml", "examples/meshes/latency-bounds.yaml"
PACKETS = "--from 1 --to 3 --cut 2-3@1s --heal 2-3@6s --duration 9s --heartbeat 1s --scheme pcrt"
MESH_VERBS = {
    "TraceResult": f"trace {MESH} --from b1 --topic A",
    "LinksResult": f"links {MESH}",
    "LocationResult": f"locate {MESH} --fails b1->b2",
    "DifferenceResult": f"diff {MESH} {LATE}",
    "RepairResult": f"repair {MESH} --failures none",
    "LatencyResult": f"latency {LATE} --runs 1000 --at-most 0.01",
    "HeartbeatsResult": "heartbeats --load 0.5 --interval 20ms --duration 0.1h",
    "SimulationResult": f"simulate examples/meshes/thesis-simulation.yaml {PACKETS}",
    "SchemesResult": "schemes --random 8x12 --graphs 2",
}
"""What `angarium mesh` says under which form."""


def as_json(record: Record) -> Record:
    read: Record = json.loads(json.dumps(record, allow_nan=False))
    return read


@pytest.mark.parametrize("verb", RESULTS)
def test_a_result_keeps_to_the_schema_and_is_read_back(verb: str) -> None:
    result = RESULTS[verb]()
    record = as_json(result_record(result))

    assert list(problems(record)) == []
    assert type(read_result(record)) is type(result)
    assert as_json(result_record(read_result(record))) == record


VERBS = {
    "EstimateResult": f"check {LOSES} --estimate",
    "MutationResult": f"check {LOSES} --mutate",
    "SettingsResult": "check kafka --set acks=1 --faults one-crash --only no-loss",
    "ExportResult": f"export {LOSES} --to tla",
    "EnginesResult": "engines",
    "SystemsResult": "systems",
    "SystemResult": "systems nsq",
    **{form: f"mesh {words}" for form, words in MESH_VERBS.items()},
}
"""What is said under which form by verbs that have no function of their own."""


@pytest.mark.parametrize("form", VERBS)
def test_so_does_what_every_other_verb_answers(form: str) -> None:
    record = json.loads(run(*VERBS[form].split(), "--json").stdout)

    assert record["form"] == form
    assert list(problems(record)) == []
    assert as_json(result_record(read_result(record))) == record


@pytest.mark.parametrize(
    "record",
    [comparison_record(comparison()), sweep_record(swept(axis("a", 1, 2), axis("b", 1, 2)))],
    ids=["comparison", "sweep"],
)
def test_simulations_side_by_side_do_as_well(record: Record) -> None:
    assert list(problems(as_json(record))) == []
    assert as_json(result_record(read_result(as_json(record)))) == as_json(record)


def test_the_schema_that_is_shipped_is_that_of_the_types() -> None:
    assert stale_schema() == {}, "run `python -m scripts.docs`"
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == results_schema()


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(ValueError, match="this is no result's record"):
        read_result({"kind": "check", "schema": 1})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"form": "MeshResult"}, "brokers"),
        ({"verdicts": [{}]}, "guarantee"),
        ({"schema": 99}, "schema"),
        ({"plan": 1, "walks": "many"}, "walks"),
    ],
)
def test_a_record_that_does_not_fit_is_seen(change: Record, problem: str) -> None:
    record = as_json(result_record(simulation(verdicts=[VIOLATED]))) | change

    assert any(problem in each for each in problems(record))


# --- the part of JSON Schema that is used -------------------------------------------------------

SCHEMA = results_schema()
_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def problems(record: Record) -> list[str]:
    """What of a record does not keep to the schema of its form."""
    form = record["form"] if record.get("form") in FORMS else "Report"
    begin, body = SCHEMA["anyOf"][list(FORMS).index(form)]["allOf"]
    rest = {name: each for name, each in record.items() if name not in begin["properties"]}
    return [*_problems(begin, record, "record", closed=False), *_problems(body, rest, "record")]


def _problems(schema: Mapping[str, Any], value: Any, where: str, *, closed: bool = True) -> list[str]:  # noqa: ANN401 (JSON)
    if "$ref" in schema:
        return _problems(SCHEMA["$defs"][re.sub(r".*/", "", schema["$ref"])], value, where)
    if "anyOf" in schema:
        found = [_problems(each, value, where) for each in schema["anyOf"]]
        return [] if [] in found else min(found, key=len)
    if "const" in schema or "enum" in schema:
        possible = schema.get("enum", [schema.get("const")])
        return [] if value in possible else [f"{where}: {value!r} is none of {possible}"]
    kind = schema.get("type")
    if kind and (not isinstance(value, _TYPES[kind]) or (kind != "boolean" and isinstance(value, bool))):
        return [f"{where}: {value!r} is no {kind}"]
    return _inside(schema, value, where, closed)


def _inside(schema: Mapping[str, Any], value: Any, where: str, closed: bool) -> list[str]:  # noqa: ANN401 (JSON)
    if isinstance(value, list):
        first = schema.get("prefixItems", ())
        items = [*first, *[schema.get("items", {})] * (len(value) - len(first))]
        return [
            p
            for at, (s, v) in enumerate(zip(items, value, strict=True))
            for p in _problems(s, v, f"{where}[{at}]")
        ]
    if not isinstance(value, dict):
        return []
    found = [f"{where}: {name} is missing" for name in schema.get("required", ()) if name not in value]
    known = schema.get("properties", {})
    for name, each in value.items():
        found += _problems(known.get(name, schema.get("additionalProperties", {})), each, f"{where}.{name}")
    if known and closed:
        found += [f"{where}: {name} is in no schema" for name in value if name not in known]
    return found
