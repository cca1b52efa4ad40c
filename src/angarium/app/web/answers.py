"""Answers that are no success: what is wrong, what was possible, what to do; as JSON, or as text."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from angarium.app.web.workers import BugError
from angarium.core.errors import InputError, WebError
from angarium.core.escaping import plain

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
        return PlainTextResponse(plain(f"{problem}\n"), status)
    where = f"{problem.place}: " if problem.place else ""
    told = {"problem": f"{where}{problem.what}", "possible": problem.possible, "remedy": problem.remedy}
    inside = {name: text.replace(f"{folder}/", "") if folder else text for name, text in told.items()}
    return JSONResponse({"code": problem.code} | {name: plain(text) for name, text in inside.items()}, status)


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
