"""What a running page knows from the command line: whose files it shows, and who may look at it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socket import gethostname

from angarium.app.web.files import Folder
from angarium.core.errors import WebError

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
