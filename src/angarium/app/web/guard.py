"""Who may ask the page, and what: looked at before anything else sees a request.

The page runs on a machine on which its user also reads other pages, and those can send requests to it.

- On loopback, `Host` must be a name of this machine with our port. A page of somebody else whose name was
  made to lead here (DNS rebinding) sends its own name.
- Elsewhere, and wherever a token was given, the token is asked for: in `Authorization: Bearer`, or once in
  `?token=`, which is answered by a cookie that no other page can use. The cookie does not hold the token.
- What is asked of `/api/`, and whatever is no GET, must come from our own page: browsers say so in
  `Sec-Fetch-Site` and `Origin`. Programs that are no browsers send neither.
- A body is one JSON object of at most 1 MiB. It is read here, so that nothing behind this file sees another
  one; it is found in `request.state.body`.
"""

from __future__ import annotations

import hmac
import json
import secrets
from typing import Any, NoReturn
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from angarium.app.web.answers import HEADERS, refusal
from angarium.app.web.settings import Settings, is_loopback
from angarium.core.errors import WebError

LARGEST = 1 << 20
"""Bytes of a body."""
SAFE = ("GET", "HEAD")
_OWN = ("same-origin", "none")
"""What browsers say of requests of our own page, and of those that a person made."""


class Guard:
    """Around the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings
        self._cookie = f"angarium-{settings.port}"
        self._secret = secrets.token_urlsafe(32)
        """What the cookie holds, so that the token is nowhere but in its owner's hands."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is allowed; answer everything else."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded = _with_headers(send)
        try:
            receive = await self._checked(scope, receive)
        except WebError as problem:
            await refusal(problem, scope["path"])(scope, receive, guarded)
            return
        welcome = self._welcome(scope)
        await (welcome or self.app)(scope, receive, guarded)

    async def _checked(self, scope: Scope, receive: Receive) -> Receive:
        headers = Headers(scope=scope)
        self._check_host(headers)
        self._check_token(scope, headers)
        changes = scope["method"] not in SAFE
        if changes or scope["path"].startswith("/api/"):
            _check_origin(headers, scope["scheme"])
        if not changes:
            return receive
        _check_type(headers)
        body = await _read(headers, receive)
        scope.setdefault("state", {})["body"] = parse(body)
        return _once(body)

    # --- who asks ---------------------------------------------------------------------------

    def _check_host(self, headers: Headers) -> None:
        if not is_loopback(self.settings.host):
            return
        name, port = _host(headers.get("host", ""))
        if is_loopback(name) and port == self.settings.port:
            return
        raise WebError(
            "ANG153",
            f"this page is not called {headers.get('host', '')!r}",
            possible=f"127.0.0.1, localhost or [::1], with port {self.settings.port}",
            remedy=f"open {self.settings.address}",
            status=421,
        )

    def _check_token(self, scope: Scope, headers: Headers) -> None:
        token = self.settings.token
        if token is None:
            return
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else _asked_token(scope)
        if given and _same(given, token):
            return
        if not given and _same(HTTPConnection(scope).cookies.get(self._cookie, ""), self._secret):
            return
        raise WebError(
            "ANG153",
            "the token is wrong" if given else "this page asks for its token",
            possible="once ?token=TOKEN behind the address, or a header Authorization: Bearer TOKEN",
            remedy="ask whoever started angarium serve for the token",
            status=401,
        )

    def _welcome(self, scope: Scope) -> Response | None:
        """The cookie, for whoever gave the token in the address; and the address without it."""
        if self.settings.token is None or scope["method"] not in SAFE or not _asked_token(scope):
            return None
        rest = [(name, value) for name, value in _query(scope) if name != "token"]
        # One slash only: two would lead to another host.
        path = "/" + scope["path"].lstrip("/\\")
        answer = RedirectResponse(f"{path}?{urlencode(rest)}" if rest else path, 303)
        answer.set_cookie(self._cookie, self._secret, httponly=True, samesite="strict")
        return answer


def _host(header: str) -> tuple[str, int]:
    """The name and the port that a browser thinks it talks to."""
    try:
        parts = urlsplit(f"//{header}")
        return parts.hostname or "", parts.port or 80
    except ValueError:
        return "", 0


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _asked_token(scope: Scope) -> str:
    return dict(_query(scope)).get("token", "")


def _same(one: str, other: str) -> bool:
    """Compared in a time that tells nothing about where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


# --- what is asked ----------------------------------------------------------------------------


def _check_origin(headers: Headers, scheme: str) -> None:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    own = f"{scheme}://{headers.get('host', '')}"
    if (site is None or site in _OWN) and (origin is None or origin == own):
        return
    raise WebError(
        "ANG153",
        f"another page asks: {origin or site}",
        possible=f"only {own} may",
        remedy="use the page itself",
        status=403,
    )


def _check_type(headers: Headers) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise WebError(
            "ANG153",
            f"the body is {kind or 'of no kind'}",
            possible="application/json",
            remedy="send JSON, and say so in Content-Type",
            status=415,
        )


async def _read(headers: Headers, receive: Receive) -> bytes:
    """The whole body, if it is not too large; what its sender says of its size is not trusted."""
    said = headers.get("content-length", "0")
    if said.isdecimal() and int(said) > LARGEST:
        _too_large()
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST:
            _too_large()
        if not message.get("more_body"):
            return bytes(body)


def _too_large() -> NoReturn:
    limit = f"at most {LARGEST >> 20} MiB"
    raise WebError("ANG153", "the body is too large", possible=limit, remedy="ask for less", status=413)


def parse(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; numbers that are none, and text that cannot be written, are refused."""
    try:
        asked = json.loads(body.decode("utf-8"), parse_constant=_no_number)
        json.dumps(asked, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as problem:
        why = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise _malformed(why) from None
    if not isinstance(asked, dict):
        raise _malformed(f"it is {type(asked).__name__}, not an object")
    return asked


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON")


def _malformed(why: str) -> WebError:
    return WebError(
        "ANG153",
        f"the body cannot be read: {why}",
        possible='one JSON object in UTF-8, such as {"subject": "nsq"}',
        remedy="correct it and send it again",
    )


def _once(body: bytes) -> Receive:
    """The body once more, for whoever reads it behind the guard; after that, nothing but the end."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return receive


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return guarded
