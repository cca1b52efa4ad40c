"""A check's story, read back from its JSON record.

JSON has no word for what tells a record of a model from an array, so it is seen by the names: an array's
labels are of one kind and differ only in their numbers (`p1`, `p2`), a record's fields do not. A set comes
back as a list. Both matter only for how values are written.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from angarium.checker.explore.addresses import parse_address
from angarium.checker.ir.labels import Fields, Value
from angarium.core.result import Change, Exchange, Step, Story
from angarium.systems.registry import systems

_DIGITS = "0123456789"


def story_of(record: Mapping[str, Any]) -> Story:
    """The story that a verdict's record holds under `story`."""
    address = parse_address(record["address"])
    return Story(
        subject=address.subject,
        address=record["address"],
        guarantee=record["guarantee"],
        summary=record["summary"],
        initial={name: _value(value) for name, value in record["initial"].items()},
        steps=tuple(map(_step, record["steps"])),
        cycle=record["cycle"],
    )


def shown_again(address: str) -> tuple[str, str]:
    """What to say before the command that shows a story again, and the command.

    A bundled system is found from anywhere, a file only from where the claim has found it.
    """
    is_bundled = parse_address(address).subject in systems()
    where = "" if is_bundled else ", in the project's folder"
    return f"Show it again{where}: ", f"angarium replay {shlex.quote(address)}"


def _step(record: Mapping[str, Any]) -> Step:
    return Step(
        action=record["action"],
        arguments=record["arguments"],
        choice=record["choice"],
        actor=record["actor"],
        exchanges=tuple(_exchange(each) for each in record["exchanges"]),
        changes=tuple(_change(each) for each in record["changes"]),
        state={name: _value(value) for name, value in record["state"].items()},
        fault=record["fault"],
    )


def _exchange(record: Mapping[str, Any]) -> Exchange:
    return Exchange(record["channel"], _value(record["value"]), record["sender"], record["receiver"])


def _change(record: Mapping[str, Any]) -> Change:
    return Change(record["where"], _value(record["before"]), _value(record["after"]))


def _value(value: Value) -> Value:
    match value:
        case dict():
            items = {name: _value(item) for name, item in value.items()}
            return items if _is_array(value) else Fields(items)
        case list() | tuple():
            return type(value)(map(_value, value))
        case _:
            return value


def _is_array(value: dict[str, Value]) -> bool:
    """Whether the names are labels of one kind; what a search itself gives is already told apart."""
    stems = {name.rstrip(_DIGITS) for name in value}
    return not isinstance(value, Fields) and len(stems) == 1 and all(name[-1:].isdigit() for name in value)
