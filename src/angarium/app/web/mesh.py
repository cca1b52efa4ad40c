"""The mesh view: its page, and the questions of it as POST requests with JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from angarium.app.web import mesh_api
from angarium.app.web.asked import body
from angarium.app.web.files import Folder
from angarium.app.web.mesh_document import Document
from angarium.app.web.pages import page
from angarium.app.web.work import compute

Answer = Callable[[Folder, Document], Document]
_ANSWERS: dict[str, Answer] = {
    "read": mesh_api.read,
    "verify": lambda _, asked: mesh_api.verify(asked),
    "tables": lambda _, asked: mesh_api.fail(asked),
    "save": mesh_api.save,
    "files": lambda folder, _: mesh_api.files(folder),
}


def _answering(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        folder: Folder = request.app.state.settings.folder
        return JSONResponse(await compute(request, _answer, folder, name, body(request)))

    return respond


def _answer(folder: Folder, name: str, asked: Document) -> Document:
    return _ANSWERS[name](folder, asked)


ROUTES: Sequence[BaseRoute] = [
    page("/mesh", "mesh.html"),
    *(Route(f"/api/mesh/{name}", _answering(name), methods=["POST"]) for name in _ANSWERS),
]
