"""What comes in and goes out: bodies of requests, answers that are no success, pages.

What a request's body asks for, each value of the kind that it must be of.

Answers that are no success: what is wrong, what was possible, what to do; as JSON, or as text.

Pages: files of HTML that are the same for everybody; what they show comes from the JSON interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from angarium.app.web.workers import BugError
from angarium.core.errors import InputError, WebError

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


# --- answers --------------------------------------------------------------------------------------


HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of every answer: it may not be framed, guessed at, kept, or run scripts from elsewhere."""


def refusal(problem: InputError, path: str, folder: str = "") -> Response:
    """The answer to a request that is not granted; it says of files where they are in the folder."""
    status = problem.status if isinstance(problem, WebError) else 400
    if not path.startswith("/api/"):
        return PlainTextResponse(f"{problem}\n", status)
    where = f"{problem.place}: " if problem.place else ""
    told = {"problem": f"{where}{problem.what}", "possible": problem.possible, "remedy": problem.remedy}
    inside = {name: text.replace(f"{folder}/", "") if folder else text for name, text in told.items()}
    return JSONResponse({"code": problem.code, **inside}, status)


async def on_input_error(request: Request, problem: Exception) -> Response:
    """For everything that the user gave wrong."""
    assert isinstance(problem, InputError)
    return refusal(problem, request.url.path, str(request.app.state.settings.folder.root))


async def on_nothing_there(request: Request, problem: Exception) -> Response:
    """For addresses and methods that there are not."""
    status = getattr(problem, "status_code", 404)
    what = f"there is nothing at {request.url.path}" if status == 404 else f"{request.method} is not possible"
    remedy = "begin at /explore, /mesh or /report"
    return refusal(WebError("ANG153", what, remedy=remedy, status=status), request.url.path)


async def on_bug(request: Request, problem: Exception) -> Response:
    """For what nobody thought of; the server's own terminal shows where."""
    what = str(problem) if isinstance(problem, BugError) else type(problem).__name__
    told = {"problem": f"this is a bug in Angarium: {what}", "possible": ""}
    remedy = "please report it, with what angarium serve has written"
    return JSONResponse({**told, "remedy": remedy}, 500, HEADERS)  # nothing else sees it on its way


# --- pages ----------------------------------------------------------------------------------------


_STATIC = Path(__file__).parent / "static"


def page(path: str, file: str) -> Route:
    """The route of a page, which is a file of the folder `static`."""

    async def show(_request: Request) -> Response:
        return FileResponse(_STATIC / file)

    return Route(path, show)
