"""The queues that come with Angarium keep their contract, and a user's own is found."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from angarium.contracts.monitor.drive import drive
from angarium.contracts.monitor.sequences import Plan
from angarium.contracts.monitor.watched import watch
from angarium.contracts.reading.subject import find_specification
from angarium.contracts.subjects import Message
from angarium.contracts.subjects.lookup import BUNDLED, find_subject
from angarium.contracts.subjects.redis import Client, RedisError, RedisListQueue, RedisStreamQueue, server
from angarium.contracts.subjects.sqlite import SqliteQueue
from angarium.core.errors import ConformError, UsageError
from angarium.systems.registry import contract_file
from tests.needs import needs

pytestmark = pytest.mark.usefixtures("time_to_shorten")

QUEUE = find_specification(contract_file("queue"))
FEW = Plan(examples=30, steps=30)
needs_redis = needs("redis")
SUBJECTS = [pytest.param(name, marks=needs_redis if "redis" in name else ()) for name in BUNDLED]


@pytest.fixture(autouse=True)
def _path_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loaded from a folder puts it on the path."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def redis() -> Iterator[Path]:
    with server() as path:
        yield path


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_bundled_queue_keeps_its_contract(name: str) -> None:
    with find_subject(name, QUEUE).opened() as make:
        driven = drive(QUEUE, make, FEW)

    assert (driven.broken, driven.weak, driven.cut) == ((), (), None)


@contextmanager
def opened(name: str) -> Iterator[Callable[[], Any]]:
    """A way to make queues, which are closed in the end."""
    made: list[Any] = []

    def make() -> Any:  # noqa: ANN401 (a queue)
        made.append(build())
        return made[-1]

    with find_subject(name, QUEUE).opened() as build:
        try:
            yield make
        finally:
            for queue in made:
                getattr(queue, "close", lambda: None)()


@pytest.mark.parametrize("name", SUBJECTS)
def test_payloads_come_back_as_they_were(name: str) -> None:
    payloads = [b"", b"\x00\r\n\xff $-1", "", "text", "ü 1"]

    with opened(name) as make:
        queue = watch(make(), QUEUE)
        for number, payload in enumerate(payloads):
            assert queue.enqueue(Message(number, payload)) is True
            assert queue.pick_one() == Message(number, payload)
            queue.delete_all(number)


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_fresh_queue_is_empty_whatever_was_in_the_last_one(name: str) -> None:
    with opened(name) as make:
        make().enqueue(Message(1))

        assert make().empty() is True


@pytest.mark.parametrize("name", SUBJECTS)
def test_an_empty_queue_has_nothing_to_pick(name: str) -> None:
    with opened(name) as make:
        queue = make()

        with pytest.raises(LookupError):
            queue.pick_one()


def test_a_table_of_sqlite_is_found_again_by_another_process(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    SqliteQueue(path).enqueue(Message(10, b"x"))

    again = SqliteQueue(path)

    assert again.pick_one() == Message(10, b"x")
    assert again.enqueue(Message(10, b"y")) is False


def test_sqlite_refuses_what_does_not_fit_into_64_bits(tmp_path: Path) -> None:
    queue = SqliteQueue(tmp_path / "queue.db")

    assert queue.enqueue(Message(2**63 - 1)) is True
    assert queue.enqueue(Message(2**63)) is False
    queue.delete_all(2**70)
    assert queue.empty()


@needs_redis
def test_a_stream_refuses_numbers_that_do_not_grow(redis: Path) -> None:
    queue = RedisStreamQueue(redis)

    answers = [queue.enqueue(Message(number)) for number in (5, 4, 5, 6, 2**64 - 1, 2**64)]
    queue.delete_all(2**64)

    assert answers == [True, False, False, True, True, False]
    assert queue.empty()
    assert queue.enqueue(Message(1)) is False, "a stream remembers the last id, also when it is empty"
    queue.close()


@needs_redis
def test_a_list_deletes_exactly_whatever_stands_first(redis: Path) -> None:
    queue = RedisListQueue(redis)
    for number in (2**53 + 1, 3, 2**53, 1):
        queue.enqueue(Message(number))

    queue.delete_all(2**53)

    assert queue.pick_one() == Message(2**53 + 1)
    queue.delete_all(2**53 + 1)
    assert queue.empty()
    queue.close()


@needs_redis
def test_the_server_ends_with_its_block() -> None:
    with server() as path:
        client = Client(path)
        match client.ask("INFO", "server"):
            case bytes(info):
                process = int(info.partition(b"process_id:")[2].split()[0])

    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with pytest.raises((RedisError, BrokenPipeError, ConnectionResetError)):
        client.ask("PING")
    client.close()
    assert not path.exists()


@needs_redis
def test_the_server_is_on_no_network() -> None:
    with server() as path:
        client = Client(path)

        assert client.ask("CONFIG", "GET", "port") == [b"port", b"0"]
        assert client.ask("CONFIG", "GET", "save") == [b"save", b""]
        with pytest.raises(RedisError, match="wrong number of arguments"):
            client.ask("GET")
        client.close()


def test_without_a_server_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    opened = find_subject("redis-list", QUEUE).opened()
    with pytest.raises(ConformError, match="no redis-server") as caught:
        opened.__enter__()

    assert caught.value.code == "ANG093"
    assert "apt-get install redis-server" in caught.value.remedy


def test_a_server_that_does_not_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\necho no room\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    with pytest.raises(ConformError, match="does not start: no room"):
        server().__enter__()


def test_a_reply_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    client = Client(path)
    peer, _ = listening.accept()
    peer.close()

    with pytest.raises((RedisError, BrokenPipeError)):
        client.ask("PING")
    client.close()
    listening.close()


# --- a user's own -----------------------------------------------------------------------------------

RIGHT = """
from angarium.contracts.subjects.memory import OrderedMapQueue

class Mine(OrderedMapQueue):
    '''My queue.

    It is mine.
    '''

class Unfinished:
    def enqueue(self, msg): ...
"""


def written(tmp_path: Path, text: str, name: str = "my_queue_of_a_test.py") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def test_the_only_class_with_the_operations_is_found(tmp_path: Path) -> None:
    subject = find_subject(written(tmp_path, RIGHT), QUEUE)

    with subject.opened() as make:
        assert type(make()).__name__ == "Mine"
    assert subject.description == "My queue."


def test_a_class_is_found_by_its_name_in_a_file_and_in_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, RIGHT, "my_module_of_a_test.py")
    monkeypatch.chdir(tmp_path)

    for name in (f"{file}:Mine", "my_module_of_a_test:Mine"):
        with find_subject(name, QUEUE).opened() as make:
            assert type(make()).__name__ == "Mine"


def test_a_file_finds_what_lies_beside_it(tmp_path: Path) -> None:
    written(tmp_path, RIGHT, "beside_a_test.py")
    file = written(tmp_path, "from beside_a_test import Mine\nclass Other(Mine): ...", "main_of_a_test.py")

    with find_subject(file, QUEUE).opened() as make:
        assert type(make()).__name__ == "Other"


@pytest.mark.parametrize(
    ("text", "name", "message", "possible"),
    [
        (RIGHT, ":Min", "has no class named 'Min'", "possible: Mine"),
        (RIGHT, ":Unfinished", "Unfinished has no empty and no pick_one and no delete_all", ""),
        ("class A: ...", "", "has no class with the operations of Queue", "possible: none"),
        (RIGHT + "class Too(Mine): ...", "", "has several classes with the operations", "Mine, Too"),
        ("1 / 0", "", "cannot be loaded: ZeroDivisionError: division by zero", ""),
        ("class (", "", "cannot be loaded: SyntaxError", ""),
        ("raise SystemExit(3)", "", "cannot be loaded: SystemExit: 3", ""),
    ],
)
def test_what_is_wrong_with_a_users_file_is_told(
    tmp_path: Path, text: str, name: str, message: str, possible: str
) -> None:
    with pytest.raises(ConformError) as caught:
        find_subject(written(tmp_path, text) + name, QUEUE)

    assert message in caught.value.what
    assert possible in caught.value.possible
    assert caught.value.remedy


def test_a_module_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConformError, match="cannot be loaded: ModuleNotFoundError"):
        find_subject("no_module_of_a_test:Mine", QUEUE)


def test_a_class_that_needs_arguments_is_told(tmp_path: Path) -> None:
    text = RIGHT + "class Needy(Mine):\n    def __init__(self, size): ...\n"

    make = find_subject(written(tmp_path, text) + ":Needy", QUEUE).opened().__enter__()
    with pytest.raises(ConformError, match=r"Needy\(\) raises TypeError") as caught:
        make()

    assert "without arguments" in caught.value.possible


def test_a_class_that_ends_the_program_is_told(tmp_path: Path) -> None:
    text = RIGHT + "class Ends(Mine):\n    def __init__(self): raise SystemExit(4)\n"

    make = find_subject(written(tmp_path, text) + ":Ends", QUEUE).opened().__enter__()

    with pytest.raises(ConformError, match=r"Ends\(\) raises SystemExit: 4"):
        make()


def test_a_name_that_is_nearly_right_is_hinted_at() -> None:
    with pytest.raises(UsageError, match="no queue named 'redis'") as caught:
        find_subject("redis", QUEUE)

    assert "redis-list, redis-stream" in caught.value.possible


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match=r"there is no file nowhere\.py"):
        find_subject("nowhere.py:Mine", QUEUE)
