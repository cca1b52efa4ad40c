"""Pages: files of HTML that are the same for everybody; what they show comes from the JSON interface."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

_STATIC = Path(__file__).parent / "static"


def page(path: str, file: str) -> Route:
    """The route of a page, which is a file of the folder `static`."""

    async def show(_request: Request) -> Response:
        return FileResponse(_STATIC / file)

    return Route(path, show)
