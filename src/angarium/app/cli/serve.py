"""`angarium serve`: models, meshes and reports on a page in the browser."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from angarium.app.cli.failures import ExitCode
from angarium.core.control import Terminated
from angarium.core.errors import UsageError, WebError
from angarium.core.extras import demand

if TYPE_CHECKING:
    from angarium.app.web.settings import Settings


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("."), metavar="[FOLDER]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Other machines need a --token.")
@click.option(
    "--token",
    envvar="ANGARIUM_TOKEN",
    help="What the page asks for, random and of 16 characters or more; or ANGARIUM_TOKEN is set to it. It"
    " travels without encryption.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where runs of project files are kept; FOLDER/.angarium, or the newest below FOLDER, by default.",
)
def command(folder: Path, port: int, host: str, token: str | None, out: Path | None) -> int:
    """Show FOLDER, or this one, on a page.

    Step through bundled systems and the models of the folder, draw its meshes and ask what becomes of
    messages, and read the reports of its runs. Only files of the folder are read, and only mesh files
    written. A model is read and compiled; it is never run as Python.

    On this machine everybody may use the page; from other machines only who has the token. There is no TLS:
    whoever can listen on the way reads the token and the page. Outside of a network that you trust, leave
    --host alone and use a tunnel (ssh -L), or a proxy with TLS.

    \b
    Examples:
      angarium serve
      angarium serve examples --port 9000
      angarium serve --host 0.0.0.0 --token "$(openssl rand -hex 16)"

    Exit codes: 0 it was ended by Ctrl-C, 2 wrong usage or input.
    """
    from angarium.app.cli.output import flush, say

    demand("serve")
    if not folder.is_dir():
        raise UsageError(
            "ANG010", f"there is no folder {folder}", remedy="give the folder with your models and meshes"
        )
    from angarium.app.web.server import serve

    settings, listening = _prepared(folder, host, port, token, out)
    with listening:
        say("\n".join(_told(settings)))
        flush()
        try:
            serve(settings, listening)
        except Terminated:
            return ExitCode.TERMINATED
    return ExitCode.HOLDS


def _told(settings: Settings) -> Iterator[str]:
    """What whoever started it should know. The token is shown to a terminal, and never put into a log."""
    from angarium.app.web.settings import USUAL, is_loopback

    shown = quote(settings.token or "", safe="") if sys.stdout.isatty() else "TOKEN"
    token = f"?token={shown}" if settings.token else ""
    yield f"Angarium shows {settings.folder.root} at {settings.address}{token}"
    if settings.out != settings.folder.root / USUAL:
        yield f"Its reports are those in {settings.out}"
    if not is_loopback(settings.host):
        yield "There is no TLS: token and page can be read on the way. Use it in a network that you trust."
    yield "Ctrl-C ends it."


def _prepared(
    folder: Path, host: str, port: int, token: str | None, out: Path | None
) -> tuple[Settings, socket.socket]:
    """What the page knows, and where it listens; who may come is decided before anybody can."""
    from angarium.app.web.files import Folder
    from angarium.app.web.settings import Settings, place_of_runs

    place = Folder(folder)
    kept = (out or place_of_runs(place.root)).resolve()
    Settings(place, kept, host, port, token)
    listening = _listening(host, port)
    return Settings(place, kept, host, listening.getsockname()[1], token), listening


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return _bound(socket.socket(family, kind, protocol), address)
    except (OSError, UnicodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "no host can be called so"
        raise WebError(
            "ANG151",
            f"the page cannot be opened on {host}, port {port}: {why}",
            possible="a name or number of this machine, and a port that nobody uses",
            remedy="is another angarium serve running? give another --port, or 0 for any that is free",
        ) from None


def _bound(listening: socket.socket, address: tuple[Any, ...]) -> socket.socket:
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening
