"""What becomes of messages under well-known Kafka settings when something goes wrong: cells are checked."""

from __future__ import annotations

from functools import cache

from angarium.checker.explore.native import NativeEngine
from angarium.core.result import Verdict
from angarium.settings.kafka.configuration import configuration
from angarium.settings.kafka.guarantees import FAULTS, Fault, Inspector, Table

THREE = {"replication.factor": "3"}
COLUMNS: dict[str, dict[str, str]] = {
    "defaults": {},
    "RF 3": THREE,
    "RF 3, min ISR 2": {**THREE, "min.insync.replicas": "2"},
    "RF 3, unclean": {**THREE, "unclean.leader.election.enable": "true"},
    "RF 3, acks=1": {**THREE, "acks": "1"},
    "RF 3, acks=0": {**THREE, "acks": "0"},
    "RF 3, not idempotent": {**THREE, "enable.idempotence": "false"},
    "RF 3, commit first": {**THREE, "commit": "before"},
}
"""What is set beside the defaults, by what it is called."""
WORDS = {
    "no-loss": "loses",
    "no-duplicates": "doubles",
    "order": "reorders",
    "availability-for-writes": "stops",
}


def kafka_guarantees() -> str:
    """A table with a row for each fault and a column for each choice of settings."""
    heads = ["when", *COLUMNS]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for fault in FAULTS:
        cells = [_cell(_table(name), fault) for name in COLUMNS]
        lines.append(f"| {fault.what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(table: Table, fault: Fault) -> str:
    cells = [table.cell(guarantee, fault.name) for guarantee in table.guarantees]
    assert all(cell.coverage and cell.coverage.complete for cell in cells), fault
    broken = [WORDS[cell.guarantee] for cell in cells if cell.verdict is Verdict.VIOLATED]
    return ", ".join(broken) or "-"


@cache
def _inspector() -> Inspector:
    return Inspector(NativeEngine())


@cache
def _table(name: str) -> Table:
    return _inspector().table(configuration([], COLUMNS[name]), stories=False)
