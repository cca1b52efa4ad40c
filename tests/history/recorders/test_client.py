"""The recorder inside a client: events of the schema, many threads and processes, and troubles of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from angarium.history import schema
from angarium.history.recorders.client import Recorder
from angarium.history.recorders.journals import recover
from tests.history.recorders.reading import Event, events, numbers
from tests.history.recorders.test_writer import a_full_disk


def recorder(folder: Path, client: str = "c1") -> Recorder:
    return Recorder(folder, client, system="rabbitmq", run_id="run")


def test_every_deed_is_an_event_of_the_schema(tmp_path: Path) -> None:
    to = recorder(tmp_path)
    consumer = to.new_consumer()
    to.sent("m1", "q")
    to.confirmed("m1", "q", offset=1)
    to.sent("m2", "q")
    to.failed("m2", "q", ValueError("no"), surely=True)
    to.failed("m2", "q", "timeout", surely=False)
    to.subscribed("q", consumer, prefetch=5)
    to.credited(consumer, 7)
    to.received("m1", "q", consumer_id=consumer)
    to.processed("m1", "q", consumer_id=consumer)
    to.settled("m1", "q", "ack", consumer_id=consumer)
    to.settled("m1", "q", "ack", confirmed=True, consumer_id=consumer)
    to.assigned("g", {"t/1", "t/0"}, generation=3)
    to.revoked("g", ["t/0"])
    to.unsubscribed(consumer)
    to.closed()

    found = events(tmp_path)

    assert [(each["op_type"], each["op_name"], each["phase"]) for each in found] == [
        ("send", "send", "invoke"),
        ("send", "send", "ok"),
        ("send", "send", "invoke"),
        ("send", "send", "fail"),
        ("send", "send", "info"),
        ("control", "subscribe", "ok"),
        ("flow", "credit", "invoke"),
        ("receive", "receive", "ok"),
        ("process", "process", "ok"),
        ("settle", "ack", "invoke"),
        ("settle", "ack", "ok"),
        ("group", "assigned", "ok"),
        ("group", "revoked", "ok"),
        ("control", "unsubscribe", "invoke"),
        ("control", "close", "invoke"),
    ]
    assert all(set(each) <= set(schema.NAMES) for each in found)
    assert all({"run_id", *schema.REQUIRED} <= set(each) for each in found)
    assert {each["client_id"] for each in found} == {"c1"}
    assert [each["producer_seq"] for each in found if "producer_seq" in each] == [1, 2]
    assert found[3]["error_type"] == "ValueError: no"
    assert found[11]["partitions"] == ["t/0", "t/1"]
    assert {"subscribe", "unsubscribe", "close"} <= {*schema.SUBSCRIBES, *schema.ENDS}


def test_many_threads_make_one_sequence_of_numbers(tmp_path: Path) -> None:
    to = recorder(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda each: to.sent(f"m{each}", "q"), range(2000)))
    to.closed()

    assert numbers(events(tmp_path)) == list(range(1, 2002))


def test_two_clients_of_one_name_are_two_recorders(tmp_path: Path) -> None:
    first, second = recorder(tmp_path), recorder(tmp_path)
    for each in (first, second):
        each.sent("m", "q")
        each.closed()

    found = events(tmp_path)

    assert Counter(each["recorder"] for each in found) == {"c1": 2, "c1.2": 2}
    assert {each["client_id"] for each in found} == {"c1"}


def test_a_forked_process_does_not_write_into_its_parents_files(tmp_path: Path) -> None:
    program = (
        "import os, sys\n"
        "from angarium.history.recorders.client import Recorder\n"
        "to = Recorder(sys.argv[1], 'c1', system='test')\n"
        "to.sent('before', 'q')\n"
        "child = os.fork()\n"
        "to.sent('child' if child == 0 else 'parent', 'q')\n"
        "if child: os.waitpid(child, 0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)

    found = events(tmp_path)

    assert _messages(found, "c1") == ["before", "parent"]
    assert _messages(found, "c1.2") == ["child"]
    assert numbers(found, "c1") == [1, 2, 3] and numbers(found, "c1.2") == [1, 2]


def test_a_client_that_is_killed_has_recorded_all_that_it_did(tmp_path: Path) -> None:
    program = (
        "import os, sys\n"
        "from angarium.history.recorders.client import Recorder\n"
        "to = Recorder(sys.argv[1], 'c1', system='test')\n"
        "for each in range(50): to.sent(f'm{each}', 'q')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert events(tmp_path) == []

    recover(tmp_path)

    assert numbers(events(tmp_path)) == list(range(1, 51))


def test_a_full_disk_is_none_of_the_applications_troubles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = recorder(tmp_path)
    with a_full_disk(8192):
        for each in range(1000):
            to.sent(f"m{each}", "q")
    to.sent("after", "q")
    to.closed()

    found = events(tmp_path)

    *written, last = numbers(found)
    assert last == len(written) + 2, "the missing end is a gap"
    assert found[-1]["op_name"] == "recorder.stopped"
    assert not to.is_recording
    assert capsys.readouterr().err.count("angarium recorder stops") == 1


def test_neither_is_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    to = recorder(tmp_path / "file" / "folder")
    to.sent("m", "q")
    to.closed()

    assert "cannot record to" in capsys.readouterr().err


def test_neither_is_a_value_that_cannot_be_written(tmp_path: Path) -> None:
    to = recorder(tmp_path)
    to.sent("m", "q")
    to.received("m", "q", credit=object())
    to.received("m", "q")
    to.closed()

    assert [each["op_name"] for each in events(tmp_path)] == ["send", "recorder.stopped"]
    assert numbers(events(tmp_path)) == [1, 3]


def test_recording_loads_nothing_but_the_standard_library(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from angarium.history.recorders.client import Recorder\n"
        "import angarium.history.recorders.wrappers\n"
        "print(*{name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    loaded = {name for name in done.stdout.split() if not name.startswith("_")}
    assert loaded <= {"angarium", *os.environ.get("COV_CORE_SOURCE", "").split()}, loaded


def _messages(found: list[Event], name: str) -> list[str]:
    return [each["message_id"] for each in found if each["recorder"] == name and "message_id" in each]
