"""Asking the page: requests straight to the application, as a browser on this machine would send them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import httpx

from angarium.app.web.files import Folder
from angarium.app.web.server import application
from angarium.app.web.settings import Settings
from angarium.app.web.work import Work

ADDRESS = "http://127.0.0.1:8765"
OWN = {"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}
"""What a browser says of requests of the page itself."""

WORK = Work()
"""The processes that compute for all pages of this process of tests; they end with it (`conftest.py`)."""


class Page:
    """A page for a folder; nothing listens anywhere."""

    def __init__(
        self, folder: Path, *, host: str = "127.0.0.1", token: str | None = None, out: Path | None = None
    ) -> None:
        settings = Settings(Folder(folder), out or folder / ".angarium", host, token=token)
        self.app = application(settings, WORK)

    def ask(self, method: str, path: str, address: str = ADDRESS, **extra: Any) -> httpx.Response:  # noqa: ANN401
        """One request."""

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=address) as client:
                return await client.request(method, path, **extra)

        return anyio.run(send)

    def get(self, path: str, **extra: Any) -> httpx.Response:  # noqa: ANN401
        return self.ask("GET", path, **extra)

    def post(self, path: str, asked: object, **extra: Any) -> httpx.Response:  # noqa: ANN401
        headers = {**OWN, **extra.pop("headers", {})}
        return self.ask("POST", path, json=asked, headers=headers, **extra)

    def answer(self, path: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What is answered to a request that is granted."""
        response = self.post(path, asked)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found
