"""The application: every view's routes, the static files, and the guard around all of it."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from angarium.app.web import explore, kept, mesh, reports
from angarium.app.web.answers import on_bug, on_input_error, on_nothing_there
from angarium.app.web.guard import Guard
from angarium.app.web.settings import Settings
from angarium.app.web.work import Work
from angarium.app.web.workers import BugError
from angarium.core.errors import InputError

STATIC = Path(__file__).parent / "static"


def application(settings: Settings, work: Work) -> Starlette:
    """The page for a folder."""
    routes: list[BaseRoute] = [
        Route("/", _home),
        *explore.ROUTES,
        *reports.ROUTES,
        *kept.ROUTES,
        *mesh.ROUTES,
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={
            InputError: on_input_error,
            HTTPException: on_nothing_there,
            BugError: on_bug,
            Exception: on_bug,
        },
    )
    app.state.settings, app.state.work = settings, work
    return app


async def _home(_request: Request) -> Response:
    return RedirectResponse("/explore")
