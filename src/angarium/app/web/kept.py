"""Where runs of project files are kept, for a page that was not told.

`angarium run PROJECT` keeps its runs in the project's own folder, and a page is often started from a folder
above it. So results folders are looked for below the page's folder, by the mark that `angarium run` leaves in
them; and a page without a run to show says where it looked, and where there are some.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from angarium.app.pipeline.files import is_ours
from angarium.app.pipeline.store import RUNS
from angarium.app.web.settings import Settings
from angarium.app.web.work import compute

USUAL = ".angarium"
_MOST = 5_000
"""Folders that are looked at."""
_OTHERS = {"node_modules", "__pycache__", "venv", "build", "dist", "target"}


def place_of_runs(folder: Path) -> Path:
    """The folder's own results; if it has none, the newest results below it."""
    own = folder / USUAL
    return own if _latest(own) else max(below(folder), key=_latest, default=own)


def below(folder: Path) -> list[Path]:
    """All results folders with runs in a folder and the folders in it."""
    return [place for place in _marked(folder) if _latest(place)]


def _marked(folder: Path) -> Iterator[Path]:
    for seen, (place, folders, _) in enumerate(os.walk(folder)):
        if seen >= _MOST:
            return
        hidden = [Path(place, name) for name in folders if name == USUAL]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _OTHERS)
        yield from (found for found in (*hidden, *(Path(place, name) for name in folders)) if is_ours(found))


def _latest(out: Path) -> str:
    """The name of the newest run, which begins with its time; empty if there is none."""
    return max((path.stem for path in (out / RUNS).glob("*.json")), default="")


# --- what the page is told --------------------------------------------------------------------------


async def _place(request: Request) -> Response:
    return JSONResponse(await compute(request, _told, request.app.state.settings))


def _told(settings: Settings) -> dict[str, object]:
    """Where runs were looked for, and where else there are some, each as seen from the page's folder."""
    root = settings.folder.root
    others = [_seen_from(root, place) for place in below(root) if place != settings.out]
    return {"place": _seen_from(root, settings.out), "others": others}


def _seen_from(root: Path, place: Path) -> str:
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else str(place)


ROUTES: Sequence[BaseRoute] = [Route("/api/report/place", _place)]
