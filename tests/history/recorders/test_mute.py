"""A port that never answers keeps no recorder waiting, and what is said of it has no password."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

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


INFO = b'INFO {"server_id":"x","max_payload":1000,"headers":true,"proto":1}\r\n'
SAID = {
    "TLS, and then nothing": (b'INFO {"tls_required":true}\r\n', "does not answer within"),
    "no record": (b"INFO []\r\n", "does not speak as a NATS server does"),
    "no line": (b"INFO {" + b"a" * 2**20, "does not speak as a NATS server does"),
}
STRANGE = (b"junk", b"[]", b"null", b"{}", b'{"total":"x","streams":[{"config":5}]}')
"""What is asked for streams, and answers so."""


@pytest.mark.parametrize("what", SAID)
def test_a_server_that_says_something_else_is_given_up(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nats")
    monkeypatch.setattr(nats_link, "PATIENCE", 0.5)
    said, why = SAID[what]
    with speaking(said) as place, pytest.raises(HistoryError, match=why):
        record_nats(f"nats://{place}", Plan(tmp_path / "out", "run"))


@pytest.mark.parametrize("answer", STRANGE)
def test_answers_that_are_none_of_jetstream_are_no_bug(answer: bytes, tmp_path: Path) -> None:
    pytest.importorskip("nats")
    with speaking(INFO, answer) as place, pytest.raises(HistoryError, match="does not speak as"):
        record_nats(f"nats://{place}", Plan(tmp_path / "out", "run"))


@pytest.mark.thorough
def test_a_broker_that_goes_silent_without_heartbeats_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pika")
    monkeypatch.setattr(rabbitmq_link, "HEARTBEAT", 1)
    start = struct.pack(">HHBBII14sI5s", 10, 10, 0, 9, 0, 14, b"PLAIN AMQPLAIN", 5, b"en_US")
    tune, opened = struct.pack(">HHHIH", 10, 30, 100, 131072, 0), struct.pack(">HHB", 10, 41, 0)
    said = b"".join(struct.pack(">BHI", 1, 0, len(each)) + each + b"\xce" for each in (start, tune, opened))
    with speaking(said) as place, pytest.raises(HistoryError, match="missed heartbeats"):
        record_rabbitmq(f"amqp://{place}", Plan(tmp_path / "out", "run"))


@contextmanager
def speaking(first: bytes, answer: bytes = b"") -> Iterator[str]:
    """The address of somebody who says something at first, and then, if anything, this to each request."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_speak, args=(listener, first, answer), daemon=True).start()
        yield f"me:s3cr3t@127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def _speak(listener: socket.socket, first: bytes, answer: bytes) -> None:
    with suppress(OSError), listener.accept()[0] as line:
        line.sendall(first)
        while heard := line.recv(1 << 16):
            if answer and b"PING\r\n" in heard:
                line.sendall(b"PONG\r\n")
            if answer and (asked := re.search(rb"PUB \S+ (\S+) \d+\r\n", heard)):
                line.sendall(b"MSG %s 1 %d\r\n%s\r\n" % (asked[1], len(answer), answer))


def test_what_is_no_address_shows_no_password(tmp_path: Path) -> None:
    pytest.importorskip("pika")
    for wrong in ("me:s3cr3t@host", "amqp:/me:s3cr3t@host", "http://me:s3cr3t@host"):
        with pytest.raises(HistoryError) as told:
            record_rabbitmq(wrong, Plan(tmp_path / "out", "run"))
        assert "s3cr3t" not in str(told.value)
