"""NATS servers on loopback, and random small configurations of them.

A configuration is a text for each server, in which `<hub.leaf>` stands for the address where `hub` takes leaf
nodes.
"""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from subprocess import Popen, run
from threading import Event, Thread
from urllib.request import urlopen

from tests import processes
from tests.brokers import HOST, free_ports, is_up
from tests.needs import program
from tests.waiting import PATIENCE, wait_until

KINDS = ("client", "route", "leaf", "gateway", "http")
SYSTEM = "accounts { SYS { users: [{user: s, password: s}] } }\nsystem_account: SYS"
LEAF = "leaf"
CLIENTS = {"A": "no_auth_user: any", "B": "no_auth_user: other"}
"""What servers say whose clients are of an account."""
IMPORTED = ("p.a.x", "p.a.b.z", "z.x", "z.b.z")
"""What some topics are called in the account B."""
Texts = dict[str, str]


def version() -> tuple[int, int]:
    """Of the server that is installed."""
    told = run([str(program("nats-server")), "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", told)
    assert found
    return int(found[1]), int(found[2])


class Client:
    """Wants some subjects at a server; speaks the protocol itself, which is a few words."""

    def __init__(self, port: int, subjects: Sequence[str]) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._socket = socket.create_connection((HOST, port), timeout=PATIENCE)
        self._lines = self._socket.makefile("rb")
        self._answered = Event()
        wanted = "".join(f"SUB {subject} {number}\r\n" for number, subject in enumerate(subjects))
        self._send("CONNECT " + json.dumps({"verbose": False, "echo": True}) + f"\r\n{wanted}PING\r\n")
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()
        assert self._answered.wait(PATIENCE)

    def _send(self, text: str) -> None:
        self._socket.sendall(text.encode())

    def _listen(self) -> None:
        try:
            for line in self._lines:
                self._take(line)
        except (OSError, ValueError):
            return  # it was closed

    def _take(self, line: bytes) -> None:
        if line.startswith(b"MSG"):
            _, subject, *_, size = line.decode().split()
            says = self._lines.read(int(size) + 2)[:-2].decode()
            self.counts[says, subject] += 1
        elif line.startswith(b"PING"):
            self._send("PONG\r\n")
        elif line.startswith(b"PONG"):
            self._answered.set()

    def publish(self, topic: str, says: str) -> None:
        self._send(f"PUB {topic} {len(says)}\r\n{says}\r\n")

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._lines.close()
        self._socket.close()


class Servers:
    """Running servers of a configuration, with their files and a client of each."""

    def __init__(self, files: dict[str, Path], ports: Mapping[str, Mapping[str, int]]) -> None:
        self.files, self.ports = files, ports
        self.clients: dict[str, Client] = {}
        self.running: dict[str, Popen[str]] = {}

    def kill(self, name: str) -> None:
        self.clients.pop(name).close()
        processes.kill(self.running[name])
        self.running[name].wait(PATIENCE)

    def has_leaf_nodes(self, name: str, count: int) -> bool:
        """Whether a server has so many connections of leaf nodes, either way."""
        with urlopen(f"http://{HOST}:{self.ports[name]['http']}/varz", timeout=20) as answer:
            return int(json.load(answer)["leafnodes"]) >= count


@contextmanager
def servers(folder: Path, texts: Texts, subjects: Sequence[str] = ()) -> Iterator[Servers]:
    """Every server of a configuration, one after the other: who connects finds the first of its urls.

    If there are subjects, each has a client that wants them.
    """
    free = iter(free_ports(len(texts) * len(KINDS)))
    ports = {name: {kind: next(free) for kind in KINDS} for name in texts}
    net = Servers(written(folder, texts, ports), ports)
    with ExitStack() as held:
        for name, text in texts.items():
            log = held.enter_context((folder / f"{name}.log").open("ab"))
            command = [str(program("nats-server")), "-c", str(net.files[name])]
            net.running[name] = held.enter_context(processes.running(command, stdout=log, stderr=log))
            kind = LEAF if at(name, LEAF) in text else "client"
            wait_until(f"{name} listens", partial(is_up, net.running[name], ports[name][kind]))
        for name in texts if subjects else ():
            net.clients[name] = Client(ports[name]["client"], subjects)
        try:
            yield net
        finally:
            for each in net.clients.values():
                each.close()


def written(folder: Path, texts: Texts, ports: Mapping[str, Mapping[str, int]]) -> dict[str, Path]:
    """The files of a configuration, with ports where it has places."""
    places = {at(name, kind): port for name, own in ports.items() for kind, port in own.items()}
    files = {name: folder / f"{name}.conf" for name in texts}
    for name, text in texts.items():
        head = f"server_name: {name}\nlisten: {at(name, 'client')}\nhttp: {at(name, 'http')}\n"
        files[name].write_text(filled(head + text + "\n", places), encoding="utf-8")
    return files


def filled(text: str, places: Mapping[str, int]) -> str:
    for place, port in places.items():
        text = text.replace(place, f"{HOST}:{port}")
    return text


# --- random ones ----------------------------------------------------------------------------


def at(server: str, kind: str) -> str:
    """What stands for a port of a server."""
    return f"<{server}.{kind}>"


def random_texts(random: Random, modern: bool) -> Texts:
    """One or two clusters, now and then joined by gateways, with leaf nodes.

    Servers that are not modern take several remotes to one cluster for a loop.
    """
    clusters = [_named(letter, random.choice([1, 1, 2, 3])) for letter in "ab"[: random.randint(1, 2)]]
    joined = len(clusters) > 1 and random.random() < 0.6
    users = _users(random) if not joined and random.random() < 0.5 else ""
    texts = {}
    for cluster in clusters:
        others = [each for each in clusters if each != cluster] if joined else []
        texts |= {server: f"{_of_cluster(server, cluster, others)}\n{users}" for server in cluster}
    for number in range(random.randint(1, 3)):
        texts |= _leaf(random, f"l{number}", clusters, modern)
    if users:
        texts = {name: _logging_in(random, text) for name, text in texts.items()}
    return {name: f"{SYSTEM}\n{text}" for name, text in texts.items()} if joined else texts


def _named(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(1, count + 1)]


def _of_cluster(server: str, cluster: list[str], others: list[list[str]]) -> str:
    name = cluster[0].upper()
    parts = [f"leafnodes {{ listen: {at(server, 'leaf')} }}"]
    if len(cluster) > 1 or others:
        seed = f"nats://{at(cluster[0], 'route')}"
        parts.append(f"cluster {{ name: {name}, listen: {at(server, 'route')}, routes: [{seed}] }}")
    if others:
        remotes = (f"{{name: {each[0].upper()}, url: nats://{at(each[0], 'gateway')}}}" for each in others)
        listen = at(server, "gateway")
        parts.append(f"gateway {{ name: {name}, listen: {listen}, gateways: [{', '.join(remotes)}] }}")
    return "\n".join(parts)


def _users(random: Random) -> str:
    """Whoever says nothing may do everything; leaf nodes that log in may do some of it."""
    rights = ", ".join(
        f"{verb}: {_right(random)}" for verb in ("publish", "subscribe") if random.random() < 0.7
    )
    some = f"{{user: some, password: p, permissions: {{{rights}}}}}"
    users = f"users: [{{user: any, password: p}}, {some}]"
    if random.random() < 0.5:
        return f"accounts {{ A {{ {users} }} }}\n{CLIENTS['A']}"
    name = random.choice(["", ", prefix: p", ', to: "z.>"'])
    takes = f'imports: [{{stream: {{account: A, subject: "a.>"}}{name}}}]'
    other = f"B {{ users: [{{user: other, password: p}}], {takes} }}"
    return f'accounts {{ A {{ {users}, exports: [{{stream: "a.>"}}] }}, {other} }}\n{CLIENTS["A"]}'


def _right(random: Random) -> str:
    """What is allowed, what is denied, or both."""
    allowed, denied = (random.choice(["[t, a.>]", "[a.*, b.x]", "[>]", "[a.>]"]) for _ in range(2))
    words = random.choice([f"allow: {allowed}", f"deny: {denied}", f"allow: {allowed}, deny: {denied}"])
    return f"{{{words}}}"


def _logging_in(random: Random, text: str) -> str:
    """Some remotes say that they are the user, others nothing; clients may be of the other account."""
    if "other" in text and random.random() < 0.3:
        text = text.replace(CLIENTS["A"], CLIENTS["B"])
    return re.sub("nats-leaf://", lambda at: at[0] + random.choice(["", "some:p@"]), text)


def _leaf(random: Random, name: str, clusters: list[list[str]], modern: bool) -> Texts:
    """A leaf node with one or several remotes; or a cluster of two of them, each with its own."""
    cluster = random.choice(clusters)
    count = random.randint(1, len(cluster)) if modern and random.random() < 0.4 else 1
    remotes = [_remote(random, hub, clusters, count == 1) for hub in random.sample(cluster, count)]
    leafnodes = f"leafnodes {{ reconnect: 1, remotes: [{', '.join(remotes)}] }}"
    if count > 1 or random.random() < 0.75:
        return {name: leafnodes}
    both = (f"{name}x", f"{name}y")
    routes = f"routes: [nats://{at(both[0], 'route')}]"
    return {
        each: f"cluster {{ name: {name.upper()}, listen: {at(each, 'route')}, {routes} }}\n{leafnodes}"
        for each in both
    }


def _remote(random: Random, hub: str, clusters: list[list[str]], several: bool) -> str:
    others = [server for cluster in clusters for server in cluster if server != hub]
    urls = [hub, *(random.sample(others, 1) if several and others and random.random() < 0.5 else [])]
    said = [f"urls: [{', '.join(f'nats-leaf://{at(each, LEAF)}' for each in urls)}]"]
    said.append("dont_randomize: true")
    for word in ("deny_imports", "deny_exports"):
        if random.random() < 0.25:
            said.append(f"{word}: [{random.choice(['a.>', 't', '*.x', 'a.*.z'])}]")
    if random.random() < 0.1:
        said.append("hub: true")
    return f"{{{', '.join(said)}}}"
