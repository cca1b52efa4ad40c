"""A port that never answers keeps no recorder waiting, and what is said of it has no password."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from angarium.core.errors import HistoryError
from angarium.history.recorders import nats_link, rabbitmq_link
from angarium.history.recorders.nats_link import record_nats
from angarium.history.recorders.rabbitmq_link import record_rabbitmq
from angarium.history.recorders.recording import Plan


@pytest.fixture
def mute() -> Iterator[str]:
    """The address of somebody who takes connections, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"me:s3cr3t@127.0.0.1:{listener.getsockname()[1]}"


def test_rabbitmq_gives_up(mute: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pika")
    monkeypatch.setattr(rabbitmq_link, "PATIENCE", 0.2)
    with pytest.raises(HistoryError, match=r"it does not answer within 0\.2 s") as told:
        record_rabbitmq(f"amqp://{mute}", Plan(tmp_path / "out", "run"))
    assert "s3cr3t" not in str(told.value)


def test_nats_gives_up(mute: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nats")
    monkeypatch.setattr(nats_link, "PATIENCE", 0.2)
    with pytest.raises(HistoryError, match=r"it does not answer within 0\.2 s") as told:
        record_nats(f"nats://{mute}", Plan(tmp_path / "out", "run"))
    assert "s3cr3t" not in str(told.value)


def test_what_is_no_address_shows_no_password(tmp_path: Path) -> None:
    pytest.importorskip("pika")
    for wrong in ("me:s3cr3t@host", "amqp:/me:s3cr3t@host", "http://me:s3cr3t@host"):
        with pytest.raises(HistoryError) as told:
            record_rabbitmq(wrong, Plan(tmp_path / "out", "run"))
        assert "s3cr3t" not in str(told.value)
