"""What settings guarantee, as the JSON record of the command line's contract.

There is one verdict for each guarantee and each fault (`faults`); `system` and its `parameters` are what the
search was of. `changes` are the remedies, cheapest first.
"""

from __future__ import annotations

from typing import Any

from angarium.app.report.record import Record, envelope
from angarium.app.report.settings_text import Answer
from angarium.core.records import write
from angarium.core.result import Coverage, typed
from angarium.settings.kafka.catalogue import KAFKA_VERSION
from angarium.settings.kafka.guarantees import Cell
from angarium.settings.kafka.remedies import Key, Remedies


def answer_record(answer: Answer) -> Record:
    """The whole answer."""
    table = answer.table
    values = table.configuration.values
    more = {
        "kafka_version": KAFKA_VERSION,
        "engine": answer.engine,
        "threads": answer.threads,
        **_together(table.searched, whole=answer.cut is None and all(each.coverage for each in table.cells)),
        "cut": answer.cut,
        "seconds": round(answer.seconds, 3),
        "origins": {name: found.origin for name, found in values.items()},
        "remarks": list(table.configuration.remarks),
        "ignored": list(table.configuration.ignored),
        "changes": _changes(answer.remedies),
        "all_changes_tried": answer.remedies.complete if answer.remedies else False,
    }
    parameters = {name: found.value for name, found in values.items()}
    return envelope("check", "kafka", parameters, more, [_cell(each) for each in table.cells])


def _together(searched: list[Coverage], *, whole: bool) -> dict[str, Any]:
    return {
        "complete": whole and all(each.complete for each in searched),
        "states": sum(each.states for each in searched),
        "transitions": sum(each.transitions for each in searched),
        "depth": max((each.depth for each in searched), default=0),
        "scenarios": len(searched),
    }


def _cell(cell: Cell) -> Record:
    record = write(cell.found)
    del record["remedies"]
    return {
        **record,
        "guarantee": cell.guarantee,
        "decided_by": cell.found.guarantee,
        "faults": cell.fault.name,
        "budget": typed(cell.fault.budgets),
        "system": cell.fault.system,
        "states": cell.coverage.states if cell.coverage else 0,
        "complete": bool(cell.coverage and cell.coverage.complete),
    }


def _changes(remedies: Remedies | None) -> list[Record]:
    return [
        {
            "settings": typed(each.settings),
            "mends": [_key(key) for key in each.mends],
            "breaks": [_key(key) for key in each.breaks],
            "undecided": [_key(key) for key in each.undecided],
            "price": [change.price for change in each.changes],
        }
        for each in (remedies.found if remedies else ())
    ]


def _key(key: Key) -> Record:
    guarantee, fault = key
    return {"guarantee": guarantee, "faults": fault}
