"""Answers made up for claims, as a verb's `--json` gives them."""

from __future__ import annotations

import json

from angarium.app.report.record import result_record
from angarium.core.records import Record
from angarium.core.result import CheckVerdict, Coverage, Report, Verdict


def record(*verdicts: str, states: int = 1) -> Record:
    """Of a check with such verdicts, as it is read from a file."""
    found = [CheckVerdict(guarantee="order", kind="invariant", verdict=Verdict(each)) for each in verdicts]
    extent = Coverage(states=states, transitions=1, depth=1, bytes=1)
    report = Report(subject="nsq", model_hash="1", threads=1, extent=extent, verdicts=found)
    made: Record = json.loads(json.dumps(result_record(report)))
    return made
