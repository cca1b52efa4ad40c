"""The parameters of an audit as people say and read them: times with their units, and in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from angarium.core.errors import UsageError, shortened
from angarium.core.units import read_time
from angarium.history.parameters import MILLISECOND, Parameters

_LONGEST = 7 * 24 * 3_600_000.0
"""Milliseconds: no parameter takes more than a week."""
_OFTENEST = 1_000_000_000
"""Deliveries of one message that a limit can allow."""
TIMES = (
    "message_timeout", "grace", "clock_skew", "in_flight_tail", "ack_doubt", "redelivery_within",
    "balance_within",
)  # fmt: skip
"""The times among the parameters."""
DEFAULTS = {field.name: field.default for field in fields(Parameters)}


def parameters_of(given: Mapping[str, Any]) -> Parameters:
    """The parameters, from the words that were said; what was not said has its default."""
    said = {name: value for name, value in given.items() if name in DEFAULTS and value is not None}
    values: dict[str, Any] = {
        name: nanoseconds(flag(name), value) if name in TIMES else value for name, value in said.items()
    }
    _refuse_no_limit(values.get("retry_limit", 1))
    return Parameters(**values)


def _refuse_no_limit(given: int) -> None:
    if not 1 <= given <= _OFTENEST:
        raise UsageError(
            "ANG013",
            f"--retry-limit {shortened(str(given), 40)} is not a number that it can be",
            possible=f"possible: 1 to {_OFTENEST:,}",
            remedy="leave it out if there is no limit",
        )


def in_record(parameters: Parameters) -> dict[str, Any]:
    """The parameters as a record has them: times in milliseconds."""
    values = {name: getattr(parameters, name) for name in DEFAULTS}
    return {
        name: value / MILLISECOND if name in TIMES and value is not None else value
        for name, value in values.items()
    }


def flag(name: str) -> str:
    """The option that gives a parameter."""
    return f"--{name.replace('_', '-')}"


def nanoseconds(option: str, text: str) -> int:
    """A time with its unit."""
    return round(read_time(option, text, 0, _LONGEST) * MILLISECOND)
