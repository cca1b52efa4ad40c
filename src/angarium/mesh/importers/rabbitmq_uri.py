"""Where an AMQP address leads: host, port, virtual host and as whom; never its password.

`amqp://user:password@host:5672/vhost`; without a host it is the broker itself; without a path it is the
default virtual host, which federation takes to be that of the exchange, and a shovel `/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

PORTS = {"amqp": 5672, "amqps": 5671}


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    """Empty: the broker itself."""
    port: int
    vhost: str | None
    """None: not said."""
    user: str = "guest"
    secure: bool = False
    """Whether it is with TLS."""

    @property
    def enters(self) -> bool:
        """Whether the broker asks who comes: within itself it does not."""
        return bool(self.host)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def address_of(uri: str) -> Address | None:
    """The address; None if it is not one of AMQP."""
    try:
        parts = urlsplit(uri)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme not in PORTS:
        return None
    vhost = unquote(parts.path[1:]) if parts.path else None
    user = unquote(parts.username or "guest")
    return Address(host, port or PORTS[parts.scheme], vhost, user, parts.scheme == "amqps")
