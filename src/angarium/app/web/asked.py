"""What a request's body asks for, each value of the kind that it must be of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from angarium.core.errors import WebError

_TYPES = {str: "a text", int: "a number", dict: "an object", list: "a list", bool: "true or false"}


def body(request: Request) -> dict[str, Any]:
    """The JSON object that the guard has read."""
    asked: dict[str, Any] = request.state.body
    return asked


def value(asked: Mapping[str, Any], name: str, kind: type, default: object = None) -> Any:  # noqa: ANN401 (of the kind)
    """One value of a body, or the default if it is not there."""
    given = asked.get(name, default)
    if type(given) is kind:  # True is no number here
        return given
    raise WebError(
        "ANG153",
        f"{name} is missing" if given is None else f"{name} is {given!r}",
        possible=f"{name} is {_TYPES[kind]}",
        remedy="use the page, or send what it sends",
    )
