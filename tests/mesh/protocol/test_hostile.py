"""Thousands of hostile datagrams: nothing breaks, nothing lasts, and with a key nothing of them gets in."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from angarium.mesh.protocol.daemon import Address, Daemon, Probing, Seal, bound
from angarium.mesh.protocol.forwarding import Forwarder, agreed, calculated_tables, started
from angarium.mesh.protocol.interface import Timing
from angarium.mesh.protocol.link_state import chart_of
from angarium.mesh.protocol.messages import Letter
from angarium.mesh.protocol.network import Network
from angarium.mesh.protocol.node import Changed, Node, Switched
from angarium.mesh.recovery.tables import HEALTHY
from angarium.mesh.verify.budget import ONE
from tests.app.cli.running import PROGRAM
from tests.effort import is_thorough
from tests.mesh.protocol.hostile import Attacker
from tests.mesh.protocol.meshes import LONG, TAILED, TIMING, colouring, mesh, wrongs
from tests.processes import running
from tests.waiting import PATIENCE, wait_until

MANY = 25_000 if is_thorough() else 300
"""Datagrams of each attack."""
AT_ONCE = 50
"""So many go before the attacker takes a breath: what does not fit into the socket's buffer gets lost."""
KEYS = (bytes(range(32)),)
PAIR = mesh("1-2")


def test_a_node_survives_them_and_the_mesh_is_right_again() -> None:
    """Every datagram that is a letter is forged into a broker of five, while they go on."""
    found = Network(colouring(TAILED), TIMING)
    attacker, codec = Attacker(colouring(TAILED).codec, seed=1), colouring(TAILED).codec
    found.run(LONG)

    for number, datagram in enumerate(attacker.datagrams(MANY)):
        letter = codec.decode(datagram)
        if isinstance(letter, Letter):
            found.forge(letter, to=found.chart.brokers[number % 5])
        found.run(TIMING.heartbeat / 20)
        del found.steps[:]
    found.run(2 * LONG)

    assert wrongs(found) == []
    assert all(len(node.database.statements) <= 5 for node in found.nodes.values())


# --- two daemons on loopback, and an attacker who can send from the address of one of them ---------------


@dataclass
class Attacked:
    """Two brokers; what 1 sends is overheard, and the attacker writes from its address to 2."""

    daemons: dict[str, Daemon] = field(default_factory=dict)
    lines: dict[str, socket.socket] = field(default_factory=dict)
    threads: list[Thread] = field(default_factory=list)
    told: list[Changed | Switched] = field(default_factory=list)

    @property
    def victim(self) -> Daemon:
        return self.daemons["2"]

    def arrived(self) -> int:
        """Probes of the broker 1 that is really there."""
        life = self.daemons["1"].node.life
        return self.victim.tally.arrived.streams["1", life].received if self._streams(life) else 0

    def _streams(self, life: int) -> bool:
        return ("1", life) in self.victim.tally.arrived.streams

    def have_told_all(self) -> bool:
        """Whether each knows what the other states, and that it is known."""
        nodes = [each.node for each in self.daemons.values()]
        owing = any(face.owed for node in nodes for face in node.interfaces.values())
        return not owing and all(len(node.database.statements) == len(nodes) for node in nodes)

    def is_well(self) -> bool:
        return all(each.node.view.colour == HEALTHY for each in self.daemons.values())


def broker(name: str, timing: Timing) -> tuple[Node, Forwarder]:
    return started(PAIR, calculated_tables(PAIR, name, ONE), timing, life=5, now=monotonic())


@contextmanager
def attacked(keys: tuple[bytes, ...], timing: Timing) -> Iterator[Attacked]:
    with ExitStack() as opened:
        found, over = Attacked(), Event()
        found.lines = {name: opened.enter_context(bound(("127.0.0.1", 0))) for name in "12"}
        for name, other in ("12", "21"):
            peers: dict[str, Address] = {other: found.lines[other].getsockname()}
            probing = Probing("2", 0.01, monotonic()) if name == "1" else None
            found.daemons[name] = Daemon(
                *broker(name, timing), found.lines[name], peers,
                tell=found.told.append, probing=probing, keys=keys,
            )  # fmt: skip
        run = [Thread(target=each.run, kwargs={"stopped": over.is_set}) for each in found.daemons.values()]
        found.threads = run
        for thread in run:
            thread.start()
        try:
            yield found
        finally:
            over.set()
            for thread in run:
                thread.join()


def attack(found: Attacked, attacker: Attacker, number: int) -> None:
    """From the neighbour's address, and every tenth from one that nobody knows."""
    place = found.lines["2"].getsockname()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for sent, datagram in enumerate(attacker.datagrams(number)):
            (found.lines["1"] if sent % 10 else stranger).sendto(datagram, place)
            if sent % AT_ONCE == 0:
                wait_until("all is read", lambda: not select([found.lines["2"]], [], [], 0)[0])


def overhearing(monkeypatch: pytest.MonkeyPatch, attacker: Attacker) -> None:
    """Also what is sealed."""
    closed = Seal.closed

    def leaked(self: Seal, letter: bytes) -> bytes:
        datagram = closed(self, letter)
        attacker.overhear(datagram)
        return datagram

    monkeypatch.setattr(Seal, "closed", leaked)


def test_without_a_key_daemons_survive_them_and_are_right_again() -> None:
    attacker = Attacker(agreed(PAIR, calculated_tables(PAIR, "1", ONE)).codec, seed=2)
    with attacked((), TIMING) as found:
        wait_until("they have met", lambda: found.arrived() >= 5)
        attack(found, attacker, MANY)
        before = found.arrived()

        wait_until("both are right again", lambda: found.is_well() and found.arrived() > before + 20)
        assert all(each.is_alive() for each in found.threads)
        assert found.victim.tally.refused["it is malformed"] > 0


def test_with_a_key_nothing_of_them_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also not what was sealed by the neighbour and is sent once more. A slow heart, so that none fails."""
    attacker = Attacker(agreed(PAIR, calculated_tables(PAIR, "1", ONE)).codec, seed=3)
    overhearing(monkeypatch, attacker)
    with attacked(KEYS, Timing(1.0)) as found:
        wait_until("they have met", lambda: found.arrived() >= 5 and found.have_told_all())
        known, told = dict(found.victim.node.database.statements), len(found.told)
        attack(found, attacker, MANY)
        before = found.arrived()

        wait_until("probes go on", lambda: found.arrived() > before + 20)
        assert all(each.is_alive() for each in found.threads)
        assert found.victim.node.database.statements == known
        assert [each for each in found.told[told:] if isinstance(each, Switched)] == []
        assert list(found.victim.tally.arrived.streams) == [("1", 5)]
        stream = found.victim.tally.arrived.streams["1", 5]
        assert stream.doubled == 0
        refused = found.victim.tally.refused
        assert refused["it is not signed"] and refused["its signature is not by a key that is known here"]
        assert refused["it has come before, or much too late"]
        assert sum(refused.values()) >= MANY


@pytest.mark.parametrize("with_key", [False, True])
def test_the_program_survives_them_and_ends_as_it_is_told_to(with_key: bool, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(KEYS[0].hex())
    key.chmod(0o600)
    words = ("--key", str(key)) if with_key else ()
    attacker = Attacker(colouring("1-2 1-3 2-3").codec, seed=4)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        peer.settimeout(PATIENCE)
        where = f"b2=127.0.0.1:{peer.getsockname()[1]}"
        command = (*PROGRAM, "mesh", "node", "examples/meshes/triangle.yaml", "--broker", "b1", *words)
        with running((*command, "--peer", where, "--peer", "b3=127.0.0.1:1")) as process:
            first, place = peer.recvfrom(2048)
            peer.setblocking(False)
            for sent, datagram in enumerate(attacker.datagrams(MANY)):
                peer.sendto(datagram if sent % 3 else _headed_as(first, datagram), place)
                attacker.overhear(_taken(peer) or first)
                if sent % AT_ONCE == 0:
                    sleep(0.005)
            peer.settimeout(PATIENCE)
            assert peer.recv(2048)
            assert _resident(process.pid) < 300
            process.send_signal(signal.SIGTERM)
            output, errors = process.communicate()

    assert (process.returncode, errors) == (0, "")
    assert "refused" in output.replace("\n", " ")


def _headed_as(example: bytes, datagram: bytes) -> bytes:
    """With the fingerprint that the victim has, where there is one."""
    return datagram[:4] + example[4:12] + datagram[12:]


def _taken(peer: socket.socket) -> bytes | None:
    try:
        return peer.recv(2048)
    except BlockingIOError:
        return None


def _resident(process: int) -> int:
    """In MiB."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) >> 10


def test_the_attackers_know_the_mesh() -> None:
    """So that what they forge is read."""
    codec = colouring(TAILED).codec
    read = [codec.decode(each) for each in Attacker(codec, seed=1).datagrams(600)]
    letters = [each for each in read if isinstance(each, Letter)]

    assert len(letters) > 150
    assert {type(each.message).__name__ for each in letters} == {
        "Heartbeat", "Notification", "Acknowledgement", "LinkTest", "Answer", "Packet",
    }  # fmt: skip
    assert chart_of(mesh(TAILED)).brokers == codec.chart.brokers
