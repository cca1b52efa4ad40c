"""`angarium serve`: models, meshes and reports on a page in the browser."""

from __future__ import annotations

import socket
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from angarium.errors import UsageError, WebError

if TYPE_CHECKING:
    from angarium.web.settings import Settings

_NEEDED = ("starlette", "uvicorn")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("."), metavar="[FOLDER]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Other machines need a --token.")
@click.option(
    "--token", envvar="ANGARIUM_TOKEN", help="What the page asks for; or ANGARIUM_TOKEN is set to it."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where runs of project files are kept; FOLDER/.angarium by default.",
)
def command(folder: Path, port: int, host: str, token: str | None, out: Path | None) -> int:
    """Show FOLDER, or this one, on a page.

    Step through bundled systems and the models of the folder, draw its meshes and ask what becomes of
    messages, and read the reports of its runs. Only files of the folder are read, and only mesh files
    written. A model is read and compiled; it is never run as Python.

    On this machine everybody may use the page; from other machines only who has the token.

    \b
    Examples:
      angarium serve
      angarium serve examples --port 9000
      angarium serve --host 0.0.0.0 --token "$(openssl rand -hex 16)"

    Exit codes: 0 it was ended by Ctrl-C, 2 wrong usage or input.
    """
    from angarium.cli.output import flush, say

    _must_be_installed()
    if not folder.is_dir():
        raise UsageError(
            "ANG010", f"there is no folder {folder}", remedy="give the folder with your models and meshes"
        )
    settings, listening = _prepared(folder, host, port, token, out)
    with listening:
        say(f"Angarium shows {settings.folder.root} at {settings.address}\nCtrl-C ends it.")
        flush()
        _serve(settings, listening)
    return 0


def _must_be_installed() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise WebError(
            "ANG150",
            f"the page needs {' and '.join(missing)}",
            possible="all other verbs work without",
            remedy="install it with: pip install 'angarium[web]'",
        )


def _prepared(
    folder: Path, host: str, port: int, token: str | None, out: Path | None
) -> tuple[Settings, socket.socket]:
    """What the page knows, and where it listens; who may come is decided before anybody can."""
    from angarium.web.files import Folder
    from angarium.web.settings import Settings

    place = Folder(folder)
    kept = (out or place.root / ".angarium").resolve()
    Settings(place, kept, host, port, token)
    listening = _listening(host, port)
    return Settings(place, kept, host, listening.getsockname()[1], token), listening


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return _bound(socket.socket(family, kind, protocol), address)
    except OSError as problem:
        raise WebError(
            "ANG151",
            f"the page cannot be opened on {host}, port {port}: {problem.strerror}",
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


def _serve(settings: Settings, listening: socket.socket) -> None:
    """Answer until somebody ends it."""
    import uvicorn

    from angarium.web.app import application
    from angarium.web.work import leaving

    config = uvicorn.Config(
        application(settings),
        log_level="error",
        access_log=False,  # the address may have the token in it
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    try:
        with suppress(KeyboardInterrupt):  # uvicorn has ended in order, and hands the signal on
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        leaving.set()
