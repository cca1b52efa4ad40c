"""What the management of a RabbitMQ says: its definitions, over HTTP."""

from __future__ import annotations

import json
from base64 import b64encode
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from angarium.core import files
from angarium.core.errors import MeshError

DEFINITIONS = "/api/definitions"
USUAL_PORTS = (None, 15671, 15672)
PATIENCE = 20.0
"""Seconds for a management to answer: it gathers all definitions first."""


class _NoRedirects(HTTPRedirectHandler):
    """A password is for who was asked, and not for who that names."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        raise HTTPError(req.full_url, code, f"it sends us to {urlsplit(newurl).hostname}", headers, fp)


def definitions(url: str, most: int) -> tuple[str, bytes]:
    """What an address is called, and the definitions that its management gives: so many bytes, at most."""
    parts, where = _address(url)
    path = parts.path if parts.path not in ("", "/") else DEFINITIONS
    request = Request(f"{where}{path}", headers={"Accept": "application/json"})
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        request.add_header("Authorization", "Basic " + b64encode(login.encode()).decode())
    try:
        with build_opener(_NoRedirects).open(request, timeout=PATIENCE) as answer:
            data = files.bounded(answer, most, f"{where}{path}")
        json.loads(data)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise _no_definitions(f"{where}{path}", error) from None
    return f"{_called(parts)}{path.removeprefix(DEFINITIONS)}", data


def _called(parts: SplitResult) -> str:
    """The host; with the port, if that is not the usual one: others may be at that host."""
    return f"{parts.hostname}{'' if parts.port in USUAL_PORTS else f':{parts.port}'}"


def _address(url: str) -> tuple[SplitResult, str]:
    """The parts of an address, and who is asked: without the password, which no error may show."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        problem = ValueError("its host or port cannot be read")
        raise _no_definitions("an address of a management", problem) from None
    place = f"[{host}]" if ":" in host else host
    return parts, f"{parts.scheme}://{place}{f':{port}' if port else ''}"


def _no_definitions(url: str, error: Exception) -> MeshError:
    why = error.reason if isinstance(error, URLError) else error
    denied = isinstance(error, HTTPError) and error.code in (401, 403)
    return MeshError(
        "ANG120",
        f"{url} gives no definitions: {getattr(why, 'strerror', None) or why}",
        possible="possible: http://USER:PASSWORD@HOST:15672, the management of a RabbitMQ",
        remedy="give a user with the tag monitoring or more" if denied else "look whether it listens there",
    )
