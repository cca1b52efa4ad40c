"""What a running page knows: where runs are, what it shows, and who may look.

Where runs of project files are kept, for a page that was not told.

`angarium run PROJECT` keeps its runs in the project's own folder, and a page is often started from a folder
above it. So results folders are looked for below the page's folder, by the mark that `angarium run` leaves in
them; and a page without a run to show says where it looked, and where there are some.

What a running page knows from the command line: whose files it shows, and who may look at it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socket import gethostname

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from angarium.app.pipeline.store import RUNS, is_ours
from angarium.app.web.files import Folder
from angarium.app.web.work import compute
from angarium.core.errors import WebError

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


# --- settings -------------------------------------------------------------------------------------


LOOPBACK = "127.0.0.1"
PORT = 8765
SHORTEST, DIFFERENT = 16, 8
"""Characters of a token: whoever can reach the page can try as many tokens as there is time for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Of one server. Whoever is on this machine may use it; others need the token."""

    folder: Folder
    out: Path
    """Where runs of project files are kept."""
    host: str = LOOPBACK
    port: int = PORT
    token: str | None = None

    def __post_init__(self) -> None:
        if self.token is not None and not _is_long(self.token):
            raise WebError(
                "ANG151",
                "the token is too short, or of too few different letters, to keep anybody out",
                possible=f"at least {SHORTEST} printable characters of ASCII, {DIFFERENT} of them different",
                remedy='give a random one: --token "$(openssl rand -hex 16)"',
            )
        if self.token is None and not is_loopback(self.host):
            raise WebError(
                "ANG151",
                f"{self.host} can be reached from other machines, and there is no token",
                possible=f"without a token: {LOOPBACK}, localhost, ::1",
                remedy="add --token TOKEN with a long, random TOKEN, or leave --host out",
            )

    @property
    def address(self) -> str:
        """Where a browser finds the page; one that listens everywhere is found by the machine's name."""
        host = gethostname() if _is_everywhere(self.host) else self.host
        return f"http://{bracketed(host)}:{self.port}/"


def _is_long(token: str) -> bool:
    printable = token.isascii() and token.isprintable() and token == token.strip()
    return printable and len(token) >= SHORTEST and len(set(token)) >= DIFFERENT


def is_loopback(host: str) -> bool:
    """Whether a name or number of a host is this machine, to itself alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_everywhere(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """A host as addresses have it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host
