"""Reports and stories as the JSON record of the command line's contract.

The record has everything that a verdict needs to defend itself: the model's hash, its parameters, what was
covered and by which engine. Parameters are typed: numbers as numbers, booleans as booleans, members of an
enumeration as strings. A story holds whole states, with the program counters that tables leave out.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from angarium import __version__
from angarium.core.records import Record as Record
from angarium.core.records import read, schema, write
from angarium.core.result import SCHEMA, GuaranteeVerdict, Result

FORMS: Mapping[str, str] = {
    "Report": "angarium.core.result",
    "Replay": "angarium.core.result",
    "ExportResult": "angarium.core.result",
    "EstimateResult": "angarium.checker.logic.estimation",
    "MutationResult": "angarium.checker.logic.mutate",
    "EnginesResult": "angarium.checker.explore.available",
    "SystemsResult": "angarium.app.report.catalogue",
    "SystemResult": "angarium.app.report.catalogue",
    "SettingsResult": "angarium.settings.kafka.results",
    "Comparison": "angarium.checker.logic.refinement",
    "Simulation": "angarium.checker.walks.results",
    "SweepResult": "angarium.checker.walks.results",
    "ProofResult": "angarium.contracts.results",
    "ConformResult": "angarium.contracts.monitor.results",
    "MeshResult": "angarium.mesh.results",
    "TraceResult": "angarium.mesh.answers",
    "LinksResult": "angarium.mesh.answers",
    "LocationResult": "angarium.mesh.answers",
    "DifferenceResult": "angarium.mesh.answers",
    "RepairResult": "angarium.mesh.answers",
    "LatencyResult": "angarium.mesh.probability.results",
    "HeartbeatsResult": "angarium.mesh.probability.results",
    "SimulationResult": "angarium.mesh.packets.results",
    "SchemesResult": "angarium.mesh.schemes.results",
    "RecoveryResult": "angarium.mesh.recovery.results",
    "AuditResult": "angarium.history.result",
    "FollowResult": "angarium.history.result",
    "RunResult": "angarium.app.report.job",
    "TrendResult": "angarium.app.report.job",
}
"""Each type of result by the name that a record has under `form`, and where it is from."""
SCHEMA_FILE = Path(__file__).with_name("schema.json")
"""The JSON Schema of all records of results, as it is shipped."""


def result_record(result: Result[GuaranteeVerdict]) -> Record:
    """The record of a result: its fields, with what wrote it and in which version of the form."""
    begin = {"angarium": __version__, "schema": SCHEMA, "form": type(result).__name__}
    return {**begin, **write(result)}


def read_result(record: Record) -> Result[GuaranteeVerdict]:
    """The result that was written as this record. ValueError says what does not fit."""
    form = record.get("form")
    if not is_result(record):
        known = f"a record of form {SCHEMA} has one of {', '.join(FORMS)} under `form`"
        raise ValueError(f"this is no result's record: {known}, not {str(form)!r}")
    return read(_type_of(str(form)), record)


def is_result(record: Record) -> bool:
    """Whether a record is of one of our forms, in this version of it."""
    return record.get("form") in FORMS and record.get("schema") == SCHEMA


def _type_of(form: str) -> type[Result[GuaranteeVerdict]]:
    kind: type[Result[GuaranteeVerdict]] = getattr(import_module(FORMS[form]), form)
    return kind


def results_schema() -> Record:
    """The JSON Schema of every form, made from the types."""
    definitions: Record = {}
    for form in FORMS:
        for name, each in schema(_type_of(form))["$defs"].items():
            if definitions.setdefault(name, each) != each:
                raise ValueError(f"two types of results are called {name}: the schema has one name for each")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Results of Angarium, version {SCHEMA} of the form",
        "anyOf": [{"allOf": [_begin(form), {"$ref": f"#/$defs/{form}"}]} for form in FORMS],
        "$defs": dict(sorted(definitions.items())),
    }


def _begin(form: str) -> Record:
    """What stands before the fields of a result."""
    begin = {"angarium": {"type": "string"}, "schema": {"const": SCHEMA}, "form": {"const": form}}
    return {"type": "object", "properties": begin, "required": [*begin]}
