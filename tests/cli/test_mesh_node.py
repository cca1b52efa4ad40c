"""`angarium mesh node`: daemons that run, and what is refused."""

from __future__ import annotations

import json
import signal

import pytest

from benchmarks.live_recovery import measure
from tests.cli.running import run, start

TRIANGLE = "examples/meshes/triangle.yaml"
PEERS = ("--peer", "b2=127.0.0.1:7002", "--peer", "b3=127.0.0.1:7003")
B1 = ("mesh", "node", TRIANGLE, "--broker", "b1")


def test_six_brokers_lose_nothing_once_they_have_switched_and_double_nothing() -> None:
    """A link is cut and healed under 200 packets a second; what is lost was sent before the switch."""
    found = measure(heartbeat=100.0, rate=200.0)

    assert found.lost_after == 0
    assert found.doubled == 0
    assert found.lost_before > 0
    assert found.sent > found.lost_before
    assert set(found.exits) == {0}


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
    assert "no way leads to its destination" in said
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
