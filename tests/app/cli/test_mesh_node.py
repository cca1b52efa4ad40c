"""`angarium mesh node`: daemons that run, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from angarium.app.cli.mesh.node import read_keys
from angarium.app.cli.speaking import MOST_WAITING, Speaker
from angarium.mesh.protocol.messages import KINDS, LinkTest
from benchmarks.live_recovery import Measured, measure
from tests.app.cli.running import PROGRAM, run, start
from tests.effort import also
from tests.processes import running
from tests.waiting import PATIENCE, wait_until

LINK_TEST = KINDS.index(LinkTest) + 1
TRIANGLE = "examples/meshes/triangle.yaml"
PEERS = ("--peer", "b2=127.0.0.1:7002", "--peer", "b3=127.0.0.1:7003")
B1 = ("mesh", "node", TRIANGLE, "--broker", "b1")


def test_six_brokers_lose_nothing_once_they_have_switched_and_double_nothing() -> None:
    """A link is cut and healed under 200 packets a second; what is lost was sent before the switch."""
    found = undisturbed()

    assert found.lost_after == 0
    assert found.doubled == 0
    assert found.lost_before > 0
    assert found.sent > found.lost_before
    assert set(found.exits) == {0}


def undisturbed() -> Measured:
    """A measurement in which no broker stood still: where the machine is busy, with longer intervals."""
    found = measure(heartbeat=100.0, rate=200.0)
    return found if not found.disturbed else measure(heartbeat=1000.0, rate=200.0)


def alone(*words: str, until: str) -> list[str]:
    """The lines of a broker whose peers are not there, which is ended when it has said something."""
    lines: list[str] = []
    with start(*B1, *PEERS, "--heartbeat", "10ms", *words) as process:
        assert process.stdout is not None
        while until not in "".join(lines):
            lines.append(process.stdout.readline())
            assert lines[-1], "it ended before it said it"
        process.send_signal(signal.SIGINT)
        lines += process.stdout.readlines()
        assert process.wait() == 0
    return [line.rstrip("\n") for line in lines]


def test_a_broker_alone_says_that_it_is_cut_off() -> None:
    lines = alone("--probe-to", "b3", until="switched")
    said = "\n".join(lines)

    assert "b2: " in said and "-> failure, nothing was heard for the dead interval" in said
    assert "switched: cut off from all other brokers" in said
    assert "no path leads to its destination" in said
    assert all(len(line) <= 80 for line in lines)


def test_with_json_every_line_is_a_record() -> None:
    records = [json.loads(line) for line in alone("--json", until='"switch"')]
    switch = next(each for each in records if each["event"] == "switch")
    assert [records[0]["event"], records[-1]["event"]] == ["listening", "ended"]
    assert (switch["colour"], switch["reaches"]) == (5, ["b1"])
    assert records[-1]["interfaces"] == {"b2": "failure", "b3": "failure"}


def test_ctrl_c_ends_it_with_an_account() -> None:
    with start(*B1, *PEERS) as process:
        assert process.stdout and process.stdout.readline()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()

    assert process.returncode == 0
    assert "ended: " in output
    assert errors == ""


def nobody_reads() -> tuple[int, int]:
    """A pipe that is full already."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, bytes(4096))
    os.set_blocking(writing, True)
    return reading, writing


@pytest.mark.parametrize(
    ("output", "form"),
    [
        ("a full pipe", ("--json",)),
        ("closed", ()),
        ("/dev/full", ("--json",)),
        *also(pytest.param(each, ()) for each in ("a full pipe", "/dev/full", "a pipe without a reader")),
    ],
)
def test_it_goes_on_whether_anybody_reads_what_it_says_or_not(output: str, form: tuple[str, ...]) -> None:
    """The peer is a socket of this test, and gets heartbeats after everything that was said."""
    reading, writing = nobody_reads()
    if output == "a pipe without a reader":
        os.close(reading)
    script = {"closed": 'exec "$@" >&-', "/dev/full": 'exec "$@" >/dev/full'}.get(output, 'exec "$@"')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer, open(writing, "wb") as pipe:
        peer.bind(("127.0.0.1", 0))
        peer.settimeout(PATIENCE)
        places = "--peer", f"b2=127.0.0.1:{peer.getsockname()[1]}", "--peer", "b3=127.0.0.1:1"
        command = ("bash", "-c", script, "bash", *PROGRAM, *B1, *places, "--heartbeat", "10ms", *form)
        with running(command, stdout=pipe) as process:
            kinds: Counter[int] = Counter()
            while kinds[LINK_TEST] < 10:  # so it has said that it is alone
                kinds[peer.recv(2048)[3]] += 1
            process.send_signal(signal.SIGINT)
            assert process.wait() == 0
            assert process.stderr is not None and process.stderr.read() == ""


def test_who_reads_late_is_told_how_many_lines_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = nobody_reads()
    said = Queue[str]()
    with open(reading, encoding="utf-8") as late, open(writing, "w", encoding="utf-8") as output:
        reader = Thread(target=lambda: [said.put(line.strip("\0\n")) for line in late], daemon=True)
        monkeypatch.setattr("sys.stdout", output)
        speaker = Speaker(lambda missing: f"{missing} left out")
        for number in range(2 * MOST_WAITING):
            speaker.say(f"line {number}")
        reader.start()
        wait_until("what was kept is read", lambda: said.qsize() >= MOST_WAITING)
        speaker.say("at last")
        speaker.end()
        output.close()
        reader.join(PATIENCE)
    lines = list(said.queue)

    assert lines[0] == "line 0"
    assert [each.startswith("line ") for each in lines[:-2]] == [True] * (len(lines) - 2)
    assert lines[-2:] == [f"{2 * MOST_WAITING - (len(lines) - 2)} left out", "at last"]


KEY = "0123456789abcdef" * 4


def key_file(folder: Path, text: str = KEY + "\n", mode: int = 0o600) -> str:
    path = folder / "mesh.key"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_a_key_may_be_changed_while_the_old_one_still_counts(tmp_path: Path) -> None:
    new = KEY[::-1]

    assert read_keys(key_file(tmp_path, f"{KEY}\n{new}\n\n")) == (bytes.fromhex(KEY), bytes.fromhex(new))


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        (KEY, 0o644, "can be read by others (mode 0644)"),
        (KEY, 0o620, "can be read by others (mode 0620)"),
        ("", 0o600, "has no key"),
        (KEY[1:], 0o600, "has no key"),
        (KEY[1:] + "x", 0o600, "has no key"),
        (f"{KEY} {KEY}", 0o600, "has no key"),
        (f"{KEY}\n" * 3, 0o600, "has no key"),
        (f"{KEY}\n" * 300, 0o600, "it is larger than 4,096 bytes"),
    ],
)
def test_a_key_that_is_none_or_known_to_others_is_refused_and_not_shown(
    text: str, mode: int, message: str, tmp_path: Path
) -> None:
    done = run(*B1, *PEERS, "--key", key_file(tmp_path, text, mode))

    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert KEY[1:20] not in done.stderr


@pytest.mark.parametrize("path", ["nowhere", ".", "/dev/zero", "fifo", "nul\0"])
def test_what_is_no_file_is_no_key_and_is_not_waited_for(path: str, tmp_path: Path) -> None:
    if path == "fifo":
        os.mkfifo(tmp_path / path, 0o600)

    done = run(*B1, *PEERS, "--key", path if path in (".", "/dev/zero", "nul\0") else str(tmp_path / path))

    assert done.exit_code == 2
    assert "error[ANG013]: --key: " in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--broker", "b9", *PEERS), "no broker is called 'b9'"),
        (("--broker", "b1"), "no --peer says where b2, b3 is"),
        (("--broker", "b1", *PEERS, "--peer", "b9=127.0.0.1:1"), "names no neighbour"),
        (("--broker", "b1", *PEERS[:2], *PEERS), "--peer gives b2 twice"),
        (("--broker", "b1", *PEERS[:2], "--peer", "b3=127.0.0.1:7002"), "two peers have the same address"),
        (("--broker", "b1", "--peer", "b2=127.0.0.1:0"), "for example --peer b2=127.0.0.1:7001"),
        (("--broker", "b1", "--peer", "b2=127.0.0.1:99999"), "has no address"),
        (("--broker", "b1", "--peer", "b2=nowhere.invalid:7"), "no host is called nowhere.invalid"),
        (("--broker", "b1", *PEERS, "--listen", "7001"), "--listen '7001' has no address"),
        (("--broker", "b1", *PEERS, "--listen", "0.0.0.0:7001"), "open to other machines"),
        (("--broker", "b1", *PEERS, "--listen", "0.0.0.0:7001", "--expose"), "--expose without --key"),
        (("--broker", "b1", *PEERS, "--expose"), "--expose without --key"),
        (("--broker", "b1", *PEERS, "--heartbeat", "0s"), "--heartbeat '0s' is not a time"),
        (("--broker", "b1", *PEERS, "--heartbeat", "50"), "for example --heartbeat 50ms"),
        (("--broker", "b1", *PEERS, "--probe-to", "b9"), "no broker is called 'b9'"),
        (("--broker", "b1", *PEERS, "--failures", "some"), "does not say what may fail"),
        (("--broker", "b1", *PEERS, "--tables", "nowhere"), "cannot read nowhere"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(words: tuple[str, ...], message: str) -> None:
    done = run("mesh", "node", TRIANGLE, *words)

    assert done.exit_code == 2
    assert message in done.stderr
    assert "error[ANG" in done.stderr
