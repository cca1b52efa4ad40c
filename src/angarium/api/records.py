"""Results as JSON records and back; the command line writes the same with `--json`."""

from __future__ import annotations

from typing import Any

from angarium.core.result import GuaranteeVerdict, Result


def record_of(result: Result[GuaranteeVerdict]) -> dict[str, Any]:
    """The JSON record of any result; see the JSON Schema that comes with the package."""
    from angarium.app.report.record import result_record

    return result_record(result)


def result_of(record: dict[str, Any]) -> Result[GuaranteeVerdict]:
    """The result that was written as a record. ValueError says what does not fit, and where."""
    from angarium.app.report.record import read_result

    return read_result(record)
